/* One command, from its words to its exit status: the only end that a command has. */
#include "cli.h"
#include "raster.h"

#include <stdlib.h>
#include <string.h>

static bool wants_help(int count, char **word)
{
    for (int i = 0; i < count && strcmp(word[i], "--"); i++)
        if (!strcmp(word[i], "--help") || !strcmp(word[i], "-h"))
            return true;
    return false;
}

/* Servers are for who names one, or a driver, which says that the file is trusted; and ranks talk to one another. */
static bool may_ask_servers(const cli_call *call)
{
    bool may = cli_on.size > 1 || cli_value(call, "driver");
    for (int i = 0; i < call->words; i++)
        may |= io_raster_names_server(call->word[i]);
    return may;
}

/* Outputs appear or go, a failure says why, and a signal that came is the exit status. */
static int end(const cli_command *command, surekrig_status status, surekrig_error *error)
{
    status = cli_finish(status, error);
    cli_progress_end();
    if (status)
        cli_one_line(error->sentence);
    if (status && cli_on.size > 1)
        cli_on.fail(command->name, error->sentence);
    if (status) {
        fprintf(stderr, "surekrig %s: %s\n", command->name, error->sentence);
    }
    if (status == CLI_MISUSED)
        fprintf(stderr, "Try 'surekrig %s --help'.\n", command->name);
    if (cli_interrupted())
        return cli_interrupted();
    return status == CLI_MISUSED ? CLI_USAGE : status ? CLI_FAILURE : CLI_OK;
}

int cli_run(const cli_command *command, int count, char **word)
{
    cli_call call = {.command = command, .words = count, .word = word};
    surekrig_error error = {0};
    if (wants_help(count, word)) {
        cli_print_command(stdout, command);
        return CLI_OK;
    }
    bool takes_part = true;
    surekrig_status status = cli_parse(&call, &error);
    if (!status)
        status = cli_take_part(command, &takes_part, &error);
    if (!status && may_ask_servers(&call))
        io_raster_allow_network();
    if (!status && takes_part)
        status = cli_check_files(&call, &error);
    if (!status && takes_part)
        status = command->run(&call, &error);
    int code = end(command, status, &error);
    surekrig_settings_free(call.settings);
    free(call.given);
    return code;
}
