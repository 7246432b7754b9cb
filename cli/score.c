#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static surekrig_status print_calibration(const cli_scored *s, int q, bool json, surekrig_error *error)
{
    double level[CLI_LEVELS], coverage[CLI_LEVELS];
    surekrig_status status = cli_calibration(s, q, level, coverage, error);
    if (status)
        return status;
    printf(json ? ", \"calibration\": [" : "nominal  empirical coverage\n");
    for (int j = 0; j < CLI_LEVELS; j++) {
        if (json)
            printf("%s[%.2f, %.17g]", j ? ", " : "", level[j], coverage[j]);
        else
            printf("%7.2f  %9.4f\n", level[j], coverage[j]);
    }
    fputs(json ? "]" : "", stdout);
    return SUREKRIG_OK;
}

static surekrig_status print_all(const cli_call *call, const cli_scored *s, surekrig_error *error)
{
    double level = s->level;
    bool json = cli_value(call, "json"), several = s->l > 1;
    for (int q = 0; q < s->l; q++) {
        surekrig_scores scores;
        surekrig_scored one = cli_scored_response(s, q, s->model ? surekrig_model_quantile(s->model, q, level) : 0);
        surekrig_status status = surekrig_score(&one, level, &scores, error);
        if (status)
            return status;
        if (json) {
            printf(q ? ", " : "{");
            if (several) {
                cli_json_text(stdout, s->name[q]);
                printf(": {");
            }
            cli_json_scores(stdout, &scores);
        } else {
            cli_print_scores(stdout, several ? s->name[q] : NULL, &scores);
            if (scores.n < s->n)
                printf("%lld rows left out: a value is missing%s\n", (long long)(s->n - scores.n),
                       s->raster ? ", or was kept (sd 0)" : "");
            if (s->lower)
                cli_say(stdout, "COV and INT are of the lower and upper in %s%s", call->argument[0],
                        s->taken ? ", taken for intervals of 0.95: --level says of which they are" : "");
        }
        if (cli_value(call, "calibration"))
            status = print_calibration(s, q, json, error);
        if (status)
            return status;
        fputs(json && several ? "}" : "", stdout);
    }
    fputs(json ? "}\n" : "", stdout);
    return SUREKRIG_OK;
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    cli_scored s = {0};
    surekrig_status status = cli_read_scored(call, &s, error);
    if (!status && s.looks > 0)
        cli_say(stderr,
                "surekrig score: lower and upper in %s look like intervals of about %.2g, not %g: 'surekrig predict "
                "--level %g' writes those",
                call->argument[0], s.looks, s.level, s.level);
    if (!status)
        status = print_all(call, &s, error);
    cli_free_scored(&s);
    return status;
}

static const cli_option OPTIONS[] = {
    {"response", 'y', "NAMES", "Response columns of TEST; default: the model's, or the last column."},
    {"noise", 0, "NAME", "Column of TEST's noise variances, where a MODEL was fitted with --noise."},
    {"level", 0, "LEVEL", "Of coverage and interval score; default: that of the predictions' own intervals, or 0.95."},
    {"calibration", 0, NULL, "Also the empirical coverage at 19 levels."},
    {"json", 0, NULL, "As JSON: n, mae, rmse, cov, crps, int, logdensity, level (one object per response if several)."},
    CLI_TABLE_OPTIONS,
    {0},
};

const cli_command cli_score = {
    "score",
    "Score predictions, or a model, against observed values.",
    "PREDICTIONS|MODEL TEST",
    2,
    2,
    false,
    "surekrig score filled.csv test.csv",
    "MAE and RMSE: the mean size of an error, and the root of its mean square. COV: the share of values inside their interval,\n"
    "which should be near its level. CRPS: the error of mean and sd together, in the response's unit. INT: the mean width\n"
    "of the interval, and 2 / (1 - level) times how far values lie outside. Less is better but for COV.\n\n"
    "PREDICTIONS is what 'surekrig predict' wrote for the\n"
    "rows of TEST, in order: its mean and sd are scored, and its lower and upper (lower_0.9 and upper_0.9 for --level 0.9, where\n"
    "they are called so); where these are the normal interval at another level than asked, or are not there, mean and sd make\n"
    "the interval. A MODEL predicts first, with intervals of its own. Rows with a missing value are left out. PREDICTIONS may be a raster that predict or fill wrote,\n"
    "and TEST one on its grid: then pixels that fill kept (sd 0) are left out too.",
    OPTIONS,
    run,
};
