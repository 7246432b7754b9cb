/* What the command line says: its words once from left to right, then the settings among them. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

const char *cli_value(const cli_call *call, const char *option)
{
    for (int i = 0; call->command->option[i].name; i++)
        if (!strcmp(call->command->option[i].name, option))
            return call->value[i];
    return NULL;
}

bool cli_setting_given(const cli_call *call, const char *name)
{
    for (int i = 0; i < call->givens; i++)
        if (!strcmp(call->given[i].name, name))
            return true;
    return false;
}

uint64_t cli_setting_number(const surekrig_settings *settings, const char *name)
{
    return strtoull(surekrig_settings_get(settings, name), NULL, 10); /* of a word: 0 */
}

void cli_command_line(const cli_call *call, char *line, size_t room)
{
    size_t used = (size_t)snprintf(line, room, "surekrig %s", call->command->name);
    for (int i = 0; i < call->words && used < room; i++)
        if (strcmp(call->word[i], "--resume")) /* which is to leave no trace in the output */
            used += (size_t)snprintf(line + used, room - used, " %s", call->word[i]);
    if (used >= room)
        snprintf(line + room - 5, 5, " ...");
}

surekrig_status cli_number(const cli_call *call, const char *option, double low, double high, double *value,
                           surekrig_error *error)
{
    const char *text = cli_value(call, option);
    char *end;
    if (!text)
        return SUREKRIG_OK;
    double number = strtod(text, &end);
    if (end == text || *end || !(number >= low && number <= high))
        return cli_usage(error, "--%s takes a number from %g to %g, not '%s'", option, low, high, text);
    *value = number;
    return SUREKRIG_OK;
}

surekrig_status cli_count(const cli_call *call, const char *option, int most, int *value, surekrig_error *error)
{
    return cli_count_from(call, option, 1, most, value, error);
}

surekrig_status cli_count_from(const cli_call *call, const char *option, int least, int most, int *value,
                               surekrig_error *error)
{
    const char *text = cli_value(call, option);
    char *end;
    long number = text ? strtol(text, &end, 10) : *value;
    if (text && (end == text || *end || number < least || number > most))
        return cli_usage(error, "--%s takes a whole number from %d to %d, not '%s'", option, least, most, text);
    *value = (int)number;
    return SUREKRIG_OK;
}

/* As the setting of that name. */
static surekrig_status set(const cli_call *call, const char *name, const char *value, surekrig_error *error)
{
    surekrig_error why = {0};
    cli_guess guess = {.word = value};
    if (!surekrig_settings_set(call->settings, name, value, &why))
        return SUREKRIG_OK;
    for (int i = 0; surekrig_settings_row(i); i++)
        if (!strcmp(surekrig_settings_row(i)->name, name))
            cli_guess_words(&guess, surekrig_settings_row(i)->takes);
    return cli_usage(error, "--%s: %s%s", name, why.sentence, cli_guessed(&guess, ""));
}

surekrig_status cli_seed(const cli_call *call, uint64_t *value, surekrig_error *error)
{
    const char *text = cli_value(call, "seed");
    surekrig_status status = text ? set(call, "seed", text, error) : SUREKRIG_OK;
    *value = cli_setting_number(call->settings, "seed");
    return status;
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

static surekrig_status set_option(cli_call *call, int i, words *w, const char *attached, surekrig_error *error)
{
    const cli_option *o = &call->command->option[i];
    if (!o->argument) {
        if (attached)
            return cli_usage(error, "--%s takes no value", o->name);
        call->value[i] = "";
        return SUREKRIG_OK;
    }
    call->value[i] = take_value(w, attached);
    return call->value[i] ? SUREKRIG_OK : cli_usage(error, "--%s needs a value: %s", o->name, o->argument);
}

/* Whether a setting is a switch, for which --NAME alone means yes. */
static bool is_switch(const char *name)
{
    for (int i = 0; surekrig_settings_row(i); i++)
        if (!strcmp(surekrig_settings_row(i)->name, name))
            return strstr(surekrig_settings_row(i)->takes, "no or yes") != NULL;
    return false;
}

static bool yes_or_no_follows(const words *w)
{
    return w->at < w->count && (!strcmp(w->word[w->at], "yes") || !strcmp(w->word[w->at], "no"));
}

static surekrig_status no_option(const cli_call *call, const char *name, surekrig_error *error)
{
    cli_guess guess = {.word = name};
    if (surekrig_settings_get(call->settings, name))
        return cli_usage(error, "there is no option --%s here: it is a setting of fit, fill and experiment", name);
    for (int i = 0; call->command->option[i].name; i++)
        cli_guess_words(&guess, call->command->option[i].name);
    for (int i = 0; call->command->settings && surekrig_settings_row(i); i++)
        cli_guess_words(&guess, surekrig_settings_row(i)->name);
    return cli_usage(error, "there is no option --%s%s", name, cli_guessed(&guess, "--"));
}

/* A setting given as --NAME VALUE, or the switch --NAME. */
static surekrig_status note_setting(cli_call *call, const char *word, words *w, surekrig_error *error)
{
    size_t length = strcspn(word, "=");
    cli_given *given = &call->given[call->givens];
    given->word = w->word[w->at - 1];
    snprintf(given->name, sizeof given->name, "%.*s", (int)length, word);
    if (!call->command->settings || !surekrig_settings_get(call->settings, given->name))
        return no_option(call, given->name, error);
    const char *attached = word[length] == '=' ? word + length + 1 : NULL;
    given->value = !attached && is_switch(given->name) && !yes_or_no_follows(w) ? "yes" : take_value(w, attached);
    if (!given->value)
        return cli_usage(error, "--%s needs a value", given->name);
    call->givens++;
    return SUREKRIG_OK;
}

static surekrig_status parse_word(cli_call *call, words *w, const char *word, surekrig_error *error)
{
    if (word[0] != '-' || !word[1]) {
        if (call->arguments == CLI_ARGUMENTS_MAX)
            return cli_usage(error, "too many arguments");
        call->argument[call->arguments++] = word;
        return SUREKRIG_OK;
    }
    bool is_long = word[1] == '-';
    size_t length = strcspn(word, "=");
    int i = is_long ? find_option(call->command, word + 2, length - 2, 0)
                    : find_option(call->command, NULL, 0, word[1]);
    const char *attached = is_long ? word[length] ? word + length + 1 : NULL : word[2] ? word + 2 : NULL;
    if (i >= 0)
        return set_option(call, i, w, attached, error);
    return is_long ? note_setting(call, word + 2, w, error) : cli_usage(error, "there is no option %s", word);
}

static surekrig_status parse_words(cli_call *call, surekrig_error *error)
{
    words w = {call->words, 0, call->word};
    bool only_arguments = false;
    surekrig_status status = SUREKRIG_OK;
    while (w.at < w.count && !status) {
        const char *next = w.word[w.at++];
        if (!only_arguments && !strcmp(next, "--"))
            only_arguments = true;
        else if (only_arguments && call->arguments < CLI_ARGUMENTS_MAX)
            call->argument[call->arguments++] = next;
        else
            status = parse_word(call, &w, next, error);
    }
    return status;
}

/* Presets first, since they reset the others. */
static surekrig_status set_settings(cli_call *call, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (int presets = 1; presets >= 0; presets--)
        for (int i = 0; i < call->givens && !status; i++)
            if (presets == !strcmp(call->given[i].name, "preset"))
                status = set(call, call->given[i].name, call->given[i].value, error);
    return status;
}

surekrig_status cli_parse(cli_call *call, surekrig_error *error)
{
    const cli_command *command = call->command;
    surekrig_status status = surekrig_settings_new(&call->settings, error);
    if (!status && command->preset)
        status = surekrig_settings_set(call->settings, "preset", command->preset, error);
    call->given = malloc(((size_t)call->words + 1) * sizeof *call->given);
    if (!status)
        status = call->given ? parse_words(call, error) : cli_no_memory(error);
    if (!status)
        status = set_settings(call, error);
    if (!status && (call->arguments < command->least || call->arguments > command->most))
        status = cli_usage(error, "its arguments are %s; %d given", *command->arguments ? command->arguments : "none",
                           call->arguments);
    return status;
}
