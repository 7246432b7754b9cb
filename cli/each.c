/* --each: of several responses each has a model of its own, of all rows that have it. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cli_free_response(cli_response *one)
{
    free(one->x);
    free(one->y);
    free(one->group);
    one->x = one->y = NULL;
    one->group = NULL;
}

static void free_rows(void *response)
{
    cli_free_response(response);
}

void cli_give_response(const cli_training *t, cli_response *one)
{
    if (cli_on.when_dealt && t->ranks == cli_on.ranks)
        cli_on.when_dealt(cli_on.ranks, free_rows, one);
}

surekrig_status cli_check_each(const cli_call *call, surekrig_error *error)
{
    static const char *const NOT[][2] = {{"from", "it is of one response"},
                                         {"noise", "it is of one response"},
                                         {"model", "'surekrig fit --each' keeps models"}};
    const char *targets = cli_value(call, "targets");
    if (!cli_value(call, "each"))
        return SUREKRIG_OK;
    for (size_t i = 0; i < sizeof NOT / sizeof *NOT; i++)
        if (cli_value(call, NOT[i][0]))
            return cli_usage(error, "--%s does not go with --each: %s", NOT[i][0], NOT[i][1]);
    if (targets && !strcmp(targets, "-"))
        return cli_usage(error, "with --each the targets are read for each response: name their file");
    return SUREKRIG_OK;
}

surekrig_status cli_take_response(const cli_training *t, int q, cli_response *one, surekrig_error *error)
{
    size_t room = (size_t)t->n + 1;
    int64_t n = 0;
    *one = (cli_response){.x = malloc(room * (size_t)t->d * sizeof *one->x),
                          .y = malloc(room * sizeof *one->y),
                          .group = malloc(room * sizeof *one->group)};
    if (!one->x || !one->y || !one->group)
        return cli_no_memory(error);
    for (int64_t i = 0; i < t->n; i++) {
        if (isnan(t->y[i * t->l + q]))
            continue;
        memcpy(one->x + n * t->d, t->x + i * t->d, (size_t)t->d * sizeof *one->x);
        one->group[n] = t->group ? t->group[i] : 0;
        one->y[n++] = t->y[i * t->l + q];
    }
    one->data = (surekrig_data){.n = n,
                                .d = t->d,
                                .l = 1,
                                .x = one->x,
                                .y = one->y,
                                .x_names = t->x_names,
                                .y_names = (const char *const *)&t->y_names[q],
                                .group = t->group ? one->group : NULL,
                                .ranks = t->ranks};
    return SUREKRIG_OK;
}

surekrig_status cli_of_response(const cli_training *t, int q, surekrig_status status, surekrig_error *error)
{
    surekrig_error why = *error;
    return status ? cli_error(error, status, "response %s: %.400s", t->y_names[q], why.sentence) : SUREKRIG_OK;
}
