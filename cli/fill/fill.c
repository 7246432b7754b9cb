/* surekrig fill: the missing pixels of a raster, estimated from the valid ones. */
#include "steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void close_fill(fill *f)
{
    fill_drop_partners(f);
    for (int i = 0; i < f->covariates; i++) {
        free(f->covariate[i].name);
        if (i + 1 == f->covariates || f->covariate[i + 1].raster != f->covariate[i].raster)
            io_raster_close(f->covariate[i].raster);
    }
    free(f->covariate);
    io_raster_close(f->filled);
    free(f->complete);
    free(f->time);
    free(f->shift);
    free(f->mean);
    free(f->trend);
    free(f->anisotropic);
    for (int i = 0; i < f->bands; i++)
        free(f->band[i].cell);
    free(f->band);
    free(f->names);
    io_raster_close(f->raster);
}

static surekrig_status create_output(fill *f, surekrig_error *error)
{
    int *number = malloc((size_t)f->bands * sizeof *number);
    if (!number)
        return cli_no_memory(error);
    for (int i = 0; i < f->bands; i++)
        number[i] = f->band[i].number;
    char history[500];
    cli_command_line(f->call, history, sizeof history);
    io_raster_plan plan = {cli_value(f->call, "format"),
                           *io_raster_grid(f->raster),
                           f->raster,
                           f->bands,
                           number,
                           NULL,
                           f->level,
                           f->smooth,
                           history};
    surekrig_status status = cli_create_raster(cli_value(f->call, "output"), &plan, &f->writer, error);
    free(number);
    return status;
}

/* Whether the output can be made is asked before the training; it is made after that of the first band, which Ctrl-C
 * then ends at once. */
static surekrig_status try_output(fill *f, surekrig_error *error)
{
    surekrig_status status = create_output(f, error);
    cli_drop();
    f->writer = NULL;
    return status;
}

static surekrig_status fill_into_output(fill *f, int i, const surekrig_model *model, surekrig_error *error)
{
    surekrig_status status = f->writer ? SUREKRIG_OK : create_output(f, error);
    return status ? status : fill_tiles(f, i, model, error);
}

/* ------------------------------------------------------------------------------------------------------- filling */

static void print_estimates(const fill *f, int count, const surekrig_estimate *estimate)
{
    for (int i = 0; i < count; i++)
        fprintf(stderr, "  %s %.4g", estimate[i].name,
                estimate[i].value / (strcmp(estimate[i].name, "rho_time") ? 1 : f->time_unit));
}

/* "2024-03-02", or "5 steps from 2024-01-04 to 2024-03-02". */
static void print_teachers(const fill *f)
{
    const fill_teachers *at = &f->teachers;
    if (at->count > 1)
        fprintf(stderr, "%d steps from %s to ", at->count, io_raster_band_name(f->raster, at->band[0]->number));
    fputs(io_raster_band_name(f->raster, at->band[at->count - 1]->number), stderr);
}

static void print_training(const fill *f, const fill_band *band, const surekrig_info *info)
{
    fprintf(stderr, "; trained on %lld", (long long)f->learned_from);
    if (f->teachers.count > 1 || f->teachers.band[0] != band) {
        fputs(" around ", stderr);
        print_teachers(f);
    }
    fprintf(stderr, ", distances %s%s",
            f->frame.surface == FILL_SPHERE   ? "on the sphere, in km"
            : f->frame.surface == FILL_REGION ? "in the plane, in km"
                                              : "in the plane",
            f->way == FILL_JOINT ? " and in time"
            : f->partners        ? ", around the steps beside it"
                                 : "");
    if (cli_turn(info) > 0)
        fprintf(stderr, ", along a direction turned by %.4g degrees from %s towards %s, and across it", cli_turn(info),
                f->names[0], f->names[1]);
    fputs("\n ", stderr);
    print_estimates(f, info->estimates, info->estimate);
    if (info->partner_estimates)
        fputs("\n  averaged with", stderr);
    print_estimates(f, info->partner_estimates, info->partner_estimate);
    fputc('\n', stderr);
    if (info->held_out.n)
        cli_print_scores(stderr,
                         info->holdout == SUREKRIG_HOLDOUT_TASK
                             ? "held out, pixels one by one: in gaps errors are larger"
                             : "held out, as the gaps lie",
                         &info->held_out);
}

static void tell(const fill *f, const fill_band *band, const surekrig_model *model)
{
    const io_grid *grid = &f->frame.grid;
    cli_progress_end();
    if (cli_value(f->call, "quiet") || f->plain)
        return;
    fprintf(stderr, "%s: %lld of %lld pixels missing", io_raster_band_name(f->raster, band->number),
            (long long)(band->gaps + band->hopeless), (long long)(grid->columns * grid->rows));
    if (f->learned_on == band) {
        print_training(f, band, surekrig_model_info(model));
        return;
    }
    fputs("; hyperparameters of ", stderr);
    print_teachers(f);
    fputc('\n', stderr);
}

surekrig_status fill_one_band(fill *f, int i, surekrig_model **model, surekrig_error *error)
{
    fill_band *band = &f->band[i];
    if (!band->wanted)
        return fill_into_output(f, i, NULL, error);
    surekrig_status status = fill_begin(f, band, error);
    if (status)
        return status;
    bool passed_on = fill_is_shared(f) || (f->way == FILL_JOINT && fill_lasts(f)); /* to bands after it */
    bool helped = fill_serves(f, *model) || fill_lends(f, band, *model);
    if (fill_is_finished(f, i) && (!passed_on || helped))
        return fill_into_output(f, i, NULL, error);
    if (!fill_serves(f, *model))
        status = fill_learn(f, band, model, error);
    if (!status)
        tell(f, band, *model);
    return status ? status : fill_into_output(f, i, *model, error);
}

/* ----------------------------------------------------------------------------------------------------------- all */

static void tell_hopeless(const fill *f)
{
    cli_progress_end();
    for (int i = 0; i < f->bands; i++)
        if (f->band[i].hopeless)
            fprintf(stderr, "surekrig fill: %s: %lld missing pixel%s not filled: a covariate is missing there too\n",
                    io_raster_band_name(f->raster, f->band[i].number), (long long)f->band[i].hopeless,
                    f->band[i].hopeless == 1 ? " is" : "s are");
}

/* What the way needs before the first band. With the output open a signal is noted, and no file of partners stays. */
static surekrig_status prepare(fill *f, surekrig_error *error)
{
    if (f->way == FILL_JOINT)
        return fill_count_pixels(f, error);
    surekrig_status status = f->way == FILL_COVARIATES ? create_output(f, error) : SUREKRIG_OK;
    return status || f->way != FILL_COVARIATES ? status : fill_make_partners(f, error);
}

static surekrig_status fill_all(fill *f, surekrig_error *error)
{
    surekrig_model *model = NULL;
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; i < f->bands && !status; i++)
        status = fill_one_band(f, i, &model, error);
    surekrig_model_free(model);
    if (!status)
        status = cli_keep(error);
    if (!status)
        tell_hopeless(f);
    return status;
}

static surekrig_status check_call(const cli_call *call, surekrig_error *error)
{
    const char *output = cli_value(call, "output"), *sphere = cli_value(call, "sphere");
    if (!output || !strcmp(output, "-"))
        return cli_usage(error, "say in which file the filled raster goes: -o OUT");
    if (sphere && strcmp(sphere, "auto") && strcmp(sphere, "yes") && strcmp(sphere, "no"))
        return cli_usage(error, "--sphere takes auto, yes or no, not '%s'", sphere);
    if (cli_setting_given(call, "distance"))
        return cli_usage(error,
                         "--distance does not go with fill: --sphere yes measures distances on the earth, --sphere no "
                         "in the plane");
    if (cli_setting_given(call, "group"))
        return cli_usage(error, "--group does not go with fill: distances are those of the raster's coordinates");
    if (strcmp(surekrig_settings_get(call->settings, "scaling"), "auto"))
        return cli_usage(error, "--scaling does not go with fill: distances are those of the raster's coordinates");
    const char *mean = surekrig_settings_get(call->settings, "mean");
    if (cli_value(call, "covariate") && cli_setting_given(call, "mean") && strcmp(mean, "trend"))
        return cli_usage(error, "--mean %s does not go with --covariate: the mean is then a trend in the covariates",
                         mean);
    return SUREKRIG_OK;
}

/* What is finished counts only as long as none of these files changes. */
static surekrig_status open_partial(fill *f, surekrig_error *error)
{
    char *list = io_raster_files(f->raster);
    for (int i = 0; i < f->covariates && list; i++) {
        char *more = io_raster_files(f->covariate[i].raster);
        char *both = more ? realloc(list, strlen(list) + strlen(more) + 2) : NULL;
        if (both)
            strcat(strcat(both, "\n"), more);
        else
            free(list);
        free(more);
        list = both;
    }
    surekrig_status status = list ? cli_check_read(f->call, list, error) : cli_no_memory(error);
    if (!status)
        status = cli_partial_open(f->call, list, &f->partial, error);
    free(list);
    return status;
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    fill f = {.call = call, .level = 0.95, .smooth = cli_value(call, "smooth"), .bar = cli_progress(call)};
    if (check_call(call, error) || cli_number(call, "level", 1e-6, 0.999999, &f.level, error))
        return error->status;
    f.threads = (int)cli_setting_number(call->settings, "threads");
    f.neighbors = (int64_t)cli_setting_number(call->settings, "neighbors");
    f.fewer = !cli_setting_given(call, "neighbors") && !cli_value(call, "shared");
    f.seed = cli_setting_number(call->settings, "seed");
    surekrig_status status = cli_check_output(cli_value(call, "output"), error);
    if (!status) /* in a frame of its own every tile would round distances otherwise, and break ties otherwise */
        status = surekrig_settings_set(call->settings, "scaling", "none", error);
    if (!status) /* what is to be on the sphere is already there: fill_frame */
        status = surekrig_settings_set(call->settings, "sphere", "no", error);
    if (!status)
        status = fill_open(&f, error);
    if (!status)
        status = fill_plan_bands(&f, error);
    if (!status)
        status = try_output(&f, error);
    if (!status)
        status = open_partial(&f, error);
    if (!status)
        status = fill_choose_way(&f, error);
    if (!status)
        status = prepare(&f, error);
    if (!status)
        status = fill_all(&f, error);
    cli_partial_close(f.partial, status);
    close_fill(&f);
    return status;
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "OUT",
     "Where the filled raster goes: GeoTIFF where the name ends in .tif, NetCDF where it ends in .nc.",
     .writes = "the filled raster"},
    {"format", 0, "NAME", "GTiff or netCDF, whatever the name ends in."},
    {"band", 0, "NUMBERS", "Bands to fill, from 1, separated by commas; default: all, which may be time steps."},
    {"variable", 0, "NAME", "Which variable, where a file holds several, as NetCDF and HDF files do."},
    {"driver", 0, "NAME", "Which of GDAL's formats the raster is in, where its name does not tell: VRT, XYZ."},
    {"level", 0, "LEVEL", "Of the interval; default 0.95."},
    {"smooth", 0, NULL,
     "Valid pixels are estimated too: the field without its noise, and the sd and interval of the field."},
    {"sphere", 0, "auto|yes|no",
     "Distances through the earth (yes), or of x and y as they are (no); auto, the default: where they are degrees, yes or, in a small region, those of a plane of kilometres."},
    {"covariate", 0, "FILES", "Rasters on the same grid, separated by commas: the mean is linear in their bands.",
     .reads = true},
    {"time", 0, "auto|joint|covariates|alone",
     "How steps in time help each other: from neighbours in space and time (joint), as covariates of the one between them, not at all (alone); auto, the default: what is best on held-out pixels."},
    {"shared", 0, NULL,
     "Hyperparameters in common for all bands, instead of each band's own: of the first that has gaps or, of steps filled jointly, of up to five that are far apart."},
    CLI_RESUME_OPTION,
    {"quiet", 'q', NULL, "No progress bar and no summary."},
    {0},
};

const cli_command cli_fill = {
    .name = "fill",
    .summary = "Fill the gaps of a raster, with intervals.",
    .arguments = "RASTER",
    .least = 1,
    .most = 1,
    .settings = true,
    .preset = "gaps",
    .example = "surekrig fill temperature.tif -o filled.tif",
    .details =
        "RASTER is any file that GDAL reads: GeoTIFF, NetCDF, HDF and so on. Missing are pixels with the nodata value, NaN, or masked.\n"
        "Each band becomes four: the value, its standard deviation, and the interval's lower and upper bound. Valid pixels keep\n"
        "their value and have sd 0 (but see --smooth). The model is trained on the valid pixels with the gaps as targets, by\n"
        "preset gaps; large rasters are trained on cells of up to 512 x 512 pixels drawn at random (--seed), about a million\n"
        "valid pixels in all, and filled tile by tile. Bands that are steps in time, as in a NetCDF file or named by dates, help\n"
        "each other (--time).",
    .option = OPTIONS,
    .run = run,
};
