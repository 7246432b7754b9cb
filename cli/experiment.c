#include "experiment.h"
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void time_left(double seconds, char text[CLI_FACT])
{
    if (seconds < 90)
        snprintf(text, CLI_FACT, ", %.0f s left", seconds);
    else if (seconds < 5400)
        snprintf(text, CLI_FACT, ", %.0f min left", seconds / 60);
    else
        snprintf(text, CLI_FACT, ", %.1f h left", seconds / 3600);
}

/* trials     [##########          ]  50 %  180 of 360, 4 min left */
static int show(void *user, const experiment_progress *progress)
{
    char fact[2][CLI_FACT] = {"", ""};
    double share = progress->trials ? (double)progress->done / progress->trials : 1;
    snprintf(fact[0], CLI_FACT, "  %d of %d", progress->done, progress->trials);
    if (!isnan(progress->seconds_left) && progress->done < progress->trials)
        time_left(progress->seconds_left, fact[1]);
    if (user)
        cli_progress_line(progress->now, share, 2, (const char(*)[CLI_FACT])fact);
    return cli_interrupted();
}

static surekrig_status read_options(const cli_call *call, experiment_options *o, surekrig_error *error)
{
    double points = 0, seed = 1;
    o->trials = 30;
    if (cli_count(call, "trials", 100000, &o->trials, error) || cli_number(call, "points", 20, 1e7, &points, error) ||
        cli_number(call, "data-seed", 0, 9007199254740992.0, &seed, error))
        return error->status;
    if (points != floor(points) || seed != floor(seed))
        return cli_usage(error, "--points and --data-seed take whole numbers");
    o->points = (int64_t)points;
    o->data_seed = (uint64_t)seed;
    o->directory = cli_value(call, "output");
    o->cases = cli_value(call, "cases");
    o->presets = cli_value(call, "presets");
    o->fresh_data = cli_value(call, "fresh-data");
    o->random_half = cli_value(call, "random-half");
    o->train = cli_value(call, "train");
    o->test = cli_value(call, "test");
    o->settings = call->settings;
    return SUREKRIG_OK;
}

static void print_end(const cli_call *call, const experiment_options *o, const experiment_result *result)
{
    if (!cli_value(call, "quiet"))
        fprintf(stderr, "surekrig experiment: %d trials, %.1f s; open %s/report.html, or read %s/table.md\n",
                result->done, result->seconds, o->directory, o->directory);
    if (*result->note)
        fprintf(stderr, "surekrig experiment: %s\n", result->note);
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    static int visible = 1;
    char directory[80];
    experiment_result result = {0};
    experiment_options o = {.report = show};
    surekrig_status status = read_options(call, &o, error);
    if (status)
        return status;
    snprintf(directory, sizeof directory, "experiment-%.40s", call->argument[0]);
    o.directory = o.directory ? o.directory : directory;
    o.user = cli_value(call, "quiet") || !isatty(STDERR_FILENO) ? NULL : &visible;
    cli_stays();
    status = experiment_run(call->argument[0], &o, &result, error);
    cli_progress_end();
    if (!status)
        print_end(call, &o, &result);
    return status == SUREKRIG_INVALID ? CLI_MISUSED : status; /* what it cannot do, the options have asked */
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "DIR", "Where everything goes; default experiment-STUDY. Trials found there are kept."},
    {"trials", 0, "N", "Of each case and method; default 30."},
    {"cases", 0, "NAMES", "Some of the study's cases, separated by commas, or all."},
    {"presets", 0, "NAMES",
     "default, paper, lool, budget, widths, exact, as the study has them; by default the first two."},
    {"fresh-data", 0, NULL, "New data for each trial, instead of one data set for all (synthetic)."},
    {"random-half", 0, NULL, "Hold out a random half, instead of every other point (synthetic)."},
    {"points", 0, "N", "Points of a simulated data set, both halves."},
    {"data-seed", 0, "SEED", "Of the first simulated data set; default 1."},
    {"train", 0, "CSV", "Training points of the temperatures: lon, lat, temperature."},
    {"test", 0, "CSV", "Test points of the temperatures."},
    {"quiet", 'q', NULL, "No progress bar and no closing words."},
    {0},
};

const cli_command cli_experiment = {
    "experiment",
    "Run a study of the method, with tables, figures and a report.",
    "STUDY",
    1,
    1,
    true,
    "surekrig experiment synthetic --trials 2 --cases 0.135 -o study",
    "STUDY is synthetic (the paper's four Gaussian processes on a line), temperature (the satellite temperatures of\n"
    "Heaton et al. 2019, given by --train and --test) or misspecified (models that are wrong). DIR gets trials.csv,\n"
    "table.md, table.json, report.html, and under figures/ the pictures with their gnuplot scripts. Finished trials "
    "are\n"
    "never lost: after Ctrl-C, or with more trials asked, the same command goes on from them. A setting given here\n"
    "goes to every fit, under every preset, also where it is a default; --seed is that of the first trial. Presets:\n"
    "paper is the paper's procedure as printed, budget has as many evaluations with all aids of our search, lool our\n"
    "search with the paper's loss. docs/paper.md goes through the paper line by line.",
    OPTIONS,
    run,
};
