#include "cli.h"

#include <math.h>

static void print_trace(const surekrig_info *info)
{
    printf("round       beta  evaluations          L");
    for (int j = 0; j < info->levels; j++)
        printf("   C(%g) lambda", info->level[j]);
    for (int i = 0; i < info->estimates; i++)
        printf("  %s", info->estimate[i].name);
    putchar('\n');
    for (int r = 0; r < info->rounds; r++) {
        const surekrig_round *round = &info->round[r];
        printf("%5d %10.4g %12lld %10.5g", r + 1, round->beta, (long long)round->evaluations, round->objective);
        for (int j = 0; j < info->levels; j++)
            printf("   %.4f %+.3g", round->coverage[j], round->lambda[j]);
        for (int i = 0; i < info->estimates; i++)
            printf("  %.5g", round->theta[i]);
        putchar('\n');
    }
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    surekrig_model *model = NULL;
    surekrig_status status = surekrig_model_load(call->argument[0], &model, error);
    if (status)
        return status;
    const surekrig_info *info = surekrig_model_info(model);
    if (cli_value(call, "json")) {
        cli_json_model(stdout, info, true);
    } else {
        cli_print_model(stdout, info);
        if (cli_value(call, "trace"))
            print_trace(info);
    }
    surekrig_model_free(model);
    return SUREKRIG_OK;
}

static const cli_option OPTIONS[] = {
    {"trace", 0, NULL, "Also the rounds of the multipliers."},
    {"json", 0, NULL, "As JSON, settings and trace included."},
    {0},
};

const cli_command cli_info = {
    "info",
    "Show what a model holds and how it was trained.",
    "MODEL",
    1,
    1,
    false,
    "surekrig info temp.model --trace",
    "The file is an SQLite database: 'sqlite3 MODEL .schema' shows its tables.",
    OPTIONS,
    run,
};
