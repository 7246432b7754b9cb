#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const cli_command *const cli_commands[] = {&cli_fit,      &cli_predict, &cli_fill, &cli_score,      &cli_cv,
                                           &cli_simulate, &cli_plot,    &cli_info, &cli_experiment, &cli_settings,
                                           &cli_bench,    &cli_help,    NULL};

static const char *command_name(const cli_call *call)
{
    return call->command ? call->command->name : "";
}

int cli_fail(const cli_call *call, const surekrig_error *error)
{
    cli_progress_end();
    fprintf(stderr, "surekrig %s: %s\n", command_name(call), error->sentence);
    return CLI_FAILURE;
}

int cli_usage(const cli_call *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "surekrig %s: ", command_name(call));
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nTry 'surekrig %s --help'.\n", command_name(call));
    va_end(arguments);
    return CLI_USAGE;
}

surekrig_status cli_error(surekrig_error *error, surekrig_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->sentence, sizeof error->sentence, format, arguments);
    va_end(arguments);
    return error->status = status;
}

const char *cli_value(const cli_call *call, const char *option)
{
    for (int i = 0; call->command->option[i].name; i++)
        if (!strcmp(call->command->option[i].name, option))
            return call->value[i];
    return NULL;
}

bool cli_setting_given(const cli_call *call, const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < call->words; i++) {
        const char *word = call->word[i];
        if (!strncmp(word, "--", 2) && !strncmp(word + 2, name, length) &&
            (!word[length + 2] || word[length + 2] == '='))
            return true;
    }
    return false;
}

void cli_command_line(const cli_call *call, char *line, size_t room)
{
    size_t used = (size_t)snprintf(line, room, "surekrig %s", command_name(call));
    for (int i = 0; i < call->words && used < room; i++)
        used += (size_t)snprintf(line + used, room - used, " %s", call->word[i]);
    if (used >= room)
        snprintf(line + room - 5, 5, " ...");
}

int cli_number(const cli_call *call, const char *option, double low, double high, double *value)
{
    const char *text = cli_value(call, option);
    char *end;
    if (!text)
        return CLI_OK;
    double number = strtod(text, &end);
    if (end == text || *end || !(number >= low && number <= high))
        return cli_usage(call, "--%s takes a number from %g to %g, not '%s'", option, low, high, text);
    *value = number;
    return CLI_OK;
}

int cli_count(const cli_call *call, const char *option, int most, int *value)
{
    const char *text = cli_value(call, option);
    char *end;
    long number = text ? strtol(text, &end, 10) : *value;
    if (text && (end == text || *end || number < 1 || number > most))
        return cli_usage(call, "--%s takes a whole number from 1 to %d, not '%s'", option, most, text);
    *value = (int)number;
    return CLI_OK;
}

int cli_seed(const cli_call *call, uint64_t *value)
{
    const char *text = cli_value(call, "seed");
    surekrig_error error = {0};
    if (text && surekrig_settings_set(call->settings, "seed", text, &error))
        return cli_usage(call, "--seed: %s", error.sentence);
    *value = text ? strtoull(text, NULL, 10) : 1;
    return CLI_OK;
}

bool cli_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino &&
           S_ISREG(of_a.st_mode);
}

surekrig_status cli_check_output(const char *path, surekrig_error *error)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    if (!*path || access(folder, W_OK | X_OK))
        return cli_error(error, SUREKRIG_FILE, "cannot write %s: %s", path, strerror(*path ? errno : ENOENT));
    return SUREKRIG_OK;
}

/* ---- parsing */

typedef struct words {
    int count, at;
    char **word;
} words;

static int find_option(const cli_command *command, const char *name, size_t length, char letter)
{
    for (int i = 0; command->option[i].name; i++) {
        const cli_option *o = &command->option[i];
        if (letter ? o->letter == letter : strlen(o->name) == length && !strncmp(o->name, name, length))
            return i;
    }
    return -1;
}

/* The option's value: after its "=" or its letter (attached), or the next word. */
static const char *take_value(words *w, const char *attached)
{
    if (attached)
        return attached;
    return w->at < w->count ? w->word[w->at++] : NULL;
}

static int set_option(cli_call *call, int i, words *w, const char *attached)
{
    const cli_option *o = &call->command->option[i];
    if (!o->argument) {
        if (attached)
            return cli_usage(call, "--%s takes no value", o->name);
        call->value[i] = "";
        return CLI_OK;
    }
    call->value[i] = take_value(w, attached);
    return call->value[i] ? CLI_OK : cli_usage(call, "--%s needs a value: %s", o->name, o->argument);
}

/* Whether a setting is a switch, for which --NAME alone means yes. */
static bool is_switch(const char *name)
{
    for (int i = 0; surekrig_settings_row(i); i++)
        if (!strcmp(surekrig_settings_row(i)->name, name))
            return !strcmp(surekrig_settings_row(i)->takes, "no or yes");
    return false;
}

static bool yes_or_no_follows(const words *w)
{
    return w->at < w->count && (!strcmp(w->word[w->at], "yes") || !strcmp(w->word[w->at], "no"));
}

/* A setting given as --NAME VALUE. Presets are set on a first pass, since they reset the others. */
static int set_setting(cli_call *call, const char *word, words *w, bool presets)
{
    size_t length = strcspn(word, "=");
    char name[64];
    surekrig_error error = {0};
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    if (!call->command->settings || !surekrig_settings_get(call->settings, name))
        return cli_usage(call, "there is no option --%s", name);
    const char *attached = word[length] == '=' ? word + length + 1 : NULL;
    call->setting = w->word[w->at - 1];
    const char *value = !attached && is_switch(name) && !yes_or_no_follows(w) ? "yes" : take_value(w, attached);
    if (!value)
        return cli_usage(call, "--%s needs a value", name);
    if (presets != !strcmp(name, "preset"))
        return CLI_OK;
    if (surekrig_settings_set(call->settings, name, value, &error))
        return cli_usage(call, "--%s: %s", name, error.sentence);
    return CLI_OK;
}

static int parse_word(cli_call *call, words *w, const char *word, bool presets)
{
    if (word[0] != '-' || !word[1]) {
        if (call->arguments == CLI_ARGUMENTS_MAX)
            return cli_usage(call, "too many arguments");
        call->argument[call->arguments++] = word;
        return CLI_OK;
    }
    bool is_long = word[1] == '-';
    size_t length = strcspn(word, "=");
    int i = is_long ? find_option(call->command, word + 2, length - 2, 0)
                    : find_option(call->command, NULL, 0, word[1]);
    if (i >= 0)
        return set_option(call, i, w, is_long ? (word[length] ? word + length + 1 : NULL) : word[2] ? word + 2 : NULL);
    return is_long ? set_setting(call, word + 2, w, presets) : cli_usage(call, "there is no option %s", word);
}

static int parse(cli_call *call, int count, char **word)
{
    for (int pass = 0; pass < 2; pass++) {
        words w = {count, 0, word};
        bool only_arguments = false;
        call->arguments = 0;
        while (w.at < w.count) {
            const char *next = w.word[w.at++];
            if (!only_arguments && !strcmp(next, "--")) {
                only_arguments = true;
                continue;
            }
            if (only_arguments && call->arguments < CLI_ARGUMENTS_MAX) {
                call->argument[call->arguments++] = next;
                continue;
            }
            int code = parse_word(call, &w, next, pass == 0);
            if (code)
                return code;
        }
    }
    return CLI_OK;
}

static bool wants_help(int count, char **word)
{
    for (int i = 0; i < count && strcmp(word[i], "--"); i++)
        if (!strcmp(word[i], "--help") || !strcmp(word[i], "-h"))
            return true;
    return false;
}

static int run_call(const cli_command *command, int count, char **word)
{
    cli_call call = {.command = command, .words = count, .word = word};
    surekrig_error error = {0};
    if (surekrig_settings_new(&call.settings, &error))
        return cli_fail(&call, &error);
    if (command->preset)
        surekrig_settings_set(call.settings, "preset", command->preset, &error);
    int code = error.status ? cli_fail(&call, &error) : parse(&call, count, word);
    if (!code && (call.arguments < command->least || call.arguments > command->most))
        code = cli_usage(&call, "its arguments are %s; %d given", *command->arguments ? command->arguments : "none",
                         call.arguments);
    if (!code)
        code = command->run(&call);
    surekrig_settings_free(call.settings);
    return code;
}

static int run(const cli_command *command, int count, char **word)
{
    if (!wants_help(count, word))
        return run_call(command, count, word);
    cli_print_command(stdout, command);
    return CLI_OK;
}

/* The command line's first word, then the command's own. */
static int dispatch(int count, char **word)
{
    if (count >= 2 && (!strcmp(word[1], "--version") || !strcmp(word[1], "-V"))) {
        printf("surekrig %s\n", surekrig_version());
        return CLI_OK;
    }
    if (count < 2 || !strcmp(word[1], "--help") || !strcmp(word[1], "-h"))
        return run(&cli_help, 0, NULL) ? CLI_FAILURE : count < 2 ? CLI_USAGE : CLI_OK;
    for (int i = 0; cli_commands[i]; i++)
        if (!strcmp(word[1], cli_commands[i]->name))
            return run(cli_commands[i], count - 2, word + 2);
    fprintf(stderr, "surekrig: there is no command '%s'; 'surekrig help' lists them\n", word[1]);
    return CLI_USAGE;
}

int main(int count, char **word)
{
    cli_catch_signals();
    int code = dispatch(count, word);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "surekrig: cannot write standard output: %s\n", strerror(errno));
        code = code ? code : CLI_FAILURE;
    }
    return code;
}
