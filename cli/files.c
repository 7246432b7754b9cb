/* What a command writes replaces nothing that it reads, nor another of its outputs. Arguments are files that are read,
 * options say in their table what they name; all are compared before the command begins. What it learns later, it asks
 * about. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Whether this word, a file, a pattern or several with commas between, names the file. */
static bool names(const char *word, const char *file)
{
    cli_names list = {0};
    bool found = io_names_file(word, file);
    if (!found && strchr(word, ',') && cli_split_names(word, &list))
        for (int i = 0; i < list.count && !found; i++)
            found = io_names_file(list.name[i], file);
    cli_free_names(&list);
    return found;
}

static bool reads(const cli_call *call, const char *file)
{
    const cli_option *option = call->command->option;
    for (int i = 0; i < call->arguments; i++)
        if (names(call->argument[i], file))
            return true;
    for (int i = 0; option[i].name; i++)
        if (option[i].reads && call->value[i] && names(call->value[i], file))
            return true;
    return false;
}

static surekrig_status refuse(const char *what, const char *path, surekrig_error *error)
{
    return cli_usage(error, "%s would replace %s, which is read", what, path);
}

surekrig_status cli_check_written(const cli_call *call, const char *what, const char *path, surekrig_error *error)
{
    return strcmp(path, "-") && reads(call, path) ? refuse(what, path, error) : SUREKRIG_OK;
}

surekrig_status cli_check_read(const cli_call *call, const char *files, surekrig_error *error)
{
    const cli_option *option = call->command->option;
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; option[i].name && !status; i++)
        if (option[i].writes && call->value[i])
            status = cli_check_listed(files, option[i].writes, call->value[i], error);
    return status;
}

char *cli_next_file(const char **files)
{
    size_t length = strcspn(*files, "\n");
    char *file = strndup(*files, length);
    *files += length + ((*files)[length] != 0);
    return file;
}

surekrig_status cli_check_listed(const char *files, const char *what, const char *path, surekrig_error *error)
{
    bool listed = false;
    while (*files && !listed) {
        char *file = cli_next_file(&files);
        if (!file)
            return cli_no_memory(error);
        listed = io_same_file(file, path);
        free(file);
    }
    return listed ? refuse(what, path, error) : SUREKRIG_OK;
}

/* An output against those before it. */
static surekrig_status check_others(const cli_call *call, int output, surekrig_error *error)
{
    const cli_option *option = call->command->option;
    for (int i = 0; i < output; i++)
        if (option[i].writes && call->value[i] && io_one_place(call->value[i], call->value[output]))
            return cli_usage(error, "%s and %s would be one file, %s", option[i].writes, option[output].writes,
                             call->value[output]);
    return SUREKRIG_OK;
}

/* As of a variable of the shell that has no value. */
static surekrig_status check_names(const cli_call *call, surekrig_error *error)
{
    const cli_option *option = call->command->option;
    for (int i = 0; i < call->arguments; i++)
        if (!*call->argument[i])
            return cli_usage(error, "argument %d is empty: a name is needed", i + 1);
    for (int i = 0, inputs = 0; i < call->arguments; i++)
        if (!strcmp(call->argument[i], "-") && ++inputs > 1)
            return cli_usage(error, "standard input is named twice (-): it can be read once");
    for (int i = 0; option[i].name; i++)
        if ((option[i].writes || option[i].reads) && call->value[i] && !*call->value[i])
            return cli_usage(error, "the name that --%s gives is empty: the name of a file is needed", option[i].name);
    return SUREKRIG_OK;
}

static const char STDIN[] = "/dev/stdin", STDOUT[] = "/dev/stdout";

/* A file that is open already, by the number of its descriptor: made anew at its end, it would lose what others write. Pipes
 * are no files, and the shell's own >( ) is one. */
static bool is_descriptor(const char *path)
{
    static const char *const ALIAS[] = {"/dev/fd/", "/dev/std", "/proc/self/fd/"};
    bool alias = false;
    for (size_t i = 0; i < sizeof ALIAS / sizeof *ALIAS; i++)
        alias |= !strncmp(path, ALIAS[i], strlen(ALIAS[i]));
    return alias && io_same_file(path, path);
}

/* Whether what a command prints goes into a file that it reads: the shell tells nobody (> and >>). */
static bool reads_stdout(const cli_call *call)
{
    bool input = false;
    const cli_option *option = call->command->option;
    for (int i = 0; i < call->arguments; i++)
        input |= !strcmp(call->argument[i], "-");
    for (int i = 0; option[i].name; i++)
        input |= option[i].reads && call->value[i] && !strcmp(call->value[i], "-");
    return reads(call, STDOUT) || (input && io_same_file(STDIN, STDOUT));
}

/* Of outputs only the command's own may be standard output, where it goes by itself if it has no name, and no model. */
static surekrig_status check_stdout(const cli_call *call, surekrig_error *error)
{
    const cli_option *option = call->command->option;
    if (reads_stdout(call))
        return cli_usage(error, "standard output goes into a file that is read: give it another one");
    for (int i = 0; option[i].name; i++) {
        const char *path = option[i].writes ? call->value[i] : NULL;
        bool own = path && !strcmp(path, STDOUT) && !strcmp(option[i].name, "output") &&
                   strcmp(option[i].writes, "the model") != 0;
        if (!path || own)
            continue;
        if (io_same_file(path, STDOUT))
            return cli_usage(error, "%s and standard output would be one file, %s", option[i].writes, path);
        if (is_descriptor(path))
            return cli_usage(error, "%s is a file that is open already: give %s a name of its own", path,
                             option[i].writes);
    }
    return SUREKRIG_OK;
}

surekrig_status cli_check_files(const cli_call *call, surekrig_error *error)
{
    const cli_option *option = call->command->option;
    surekrig_status status = check_names(call, error);
    if (!status)
        status = check_stdout(call, error);
    for (int i = 0; option[i].name && !status; i++) {
        if (!option[i].writes || !call->value[i])
            continue;
        status = cli_check_written(call, option[i].writes, call->value[i], error);
        if (!status)
            status = check_others(call, i, error);
    }
    return status;
}
