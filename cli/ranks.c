/* One process, or one of many that run the same command (mpi/main.c). */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

cli_ranks cli_on = {.size = 1};

/* What all ranks do together; what the first does alone; the rest is refused. */
static const char *const TOGETHER[] = {"fit", "predict", "krige", "score", NULL}, *const ALONE[] = {"help", "info",
                                                                                                    "settings", NULL};

static bool among(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

surekrig_status cli_take_part(const cli_command *command, bool *takes_part, surekrig_error *error)
{
    *takes_part = cli_on.size == 1 || among(TOGETHER, command->name) || cli_on.rank == 0;
    if (cli_on.size == 1 || among(TOGETHER, command->name) || among(ALONE, command->name))
        return SUREKRIG_OK;
    return cli_error(error, SUREKRIG_INVALID, "%s is not for many ranks yet: use plain surekrig", command->name);
}

surekrig_status cli_refuse(const cli_call *call, const char *const *options, surekrig_error *error)
{
    for (int i = 0; options[i] && cli_on.size > 1; i++)
        if (cli_value(call, options[i]))
            return cli_error(error, SUREKRIG_INVALID, "--%s is not for many ranks yet: use plain surekrig", options[i]);
    return SUREKRIG_OK;
}

int64_t cli_sum(int64_t own, int64_t *before)
{
    int64_t sum = own, *all = cli_on.size > 1 ? malloc((size_t)cli_on.size * sizeof *all) : NULL;
    *before = 0;
    if (cli_on.size == 1)
        return own;
    if (!all)
        cli_on.fail("", "out of memory");
    cli_on.gather(&own, sizeof own, all);
    sum = 0;
    for (int r = 0; r < cli_on.size; r++) {
        *before += r < cli_on.rank ? all[r] : 0;
        sum += all[r];
    }
    free(all);
    return sum;
}

const char *cli_output_path(const char *path)
{
    return cli_on.rank > 0 ? "/dev/null" : path;
}

surekrig_status cli_load(const char *path, surekrig_model **model, surekrig_error *error)
{
    return cli_on.load ? cli_on.load(cli_on.ranks, path, model, error) : surekrig_model_load(path, model, error);
}
