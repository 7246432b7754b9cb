/* surekrig fill: the missing pixels of a raster, estimated from the valid ones. */
#include "fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void close_fill(fill *f)
{
    for (int i = 0; i < f->covariates; i++) {
        free(f->covariate[i].name);
        if (i + 1 == f->covariates || f->covariate[i + 1].raster != f->covariate[i].raster)
            io_raster_close(f->covariate[i].raster);
    }
    free(f->covariate);
    for (int i = 0; i < f->bands; i++)
        free(f->band[i].cell);
    free(f->band);
    free(f->names);
    io_raster_close(f->raster);
}

/* -------------------------------------------------------------------------------------------- what can be filled */

/* Why no band has anything to estimate. */
static surekrig_status nothing_to_do(const fill *f, surekrig_error *error)
{
    const char *path = io_raster_path(f->raster);
    const char *with = f->covariates ? " with all covariates" : "";
    int64_t gaps = 0, valid = 0, hopeless = 0;
    for (int i = 0; i < f->bands; i++) {
        gaps += f->band[i].gaps;
        hopeless += f->band[i].hopeless;
        valid = f->band[i].valid > valid ? f->band[i].valid : valid;
    }
    if (gaps == 0 && hopeless)
        return cli_error(error, SUREKRIG_DATA,
                         "none of the %lld missing pixels of %s can be filled: a covariate is missing there too",
                         (long long)hopeless, path);
    if (gaps == 0 && !f->smooth)
        return cli_error(error, SUREKRIG_DATA,
                         "every pixel of %s is valid: there is nothing to fill (is its nodata value set?)", path);
    if (valid == 0)
        return cli_error(error, SUREKRIG_DATA, "no pixel of %s is valid%s: there is nothing to fill it from", path,
                         with);
    if (f->constant)
        return cli_error(error, SUREKRIG_DATA, "no band of %s with gaps has different values to learn from", path);
    if (valid <= 2 || !f->neighbors)
        return cli_error(error, SUREKRIG_DATA, "%s has %lld valid pixel%s%s, too few to learn from", path,
                         (long long)valid, valid == 1 ? "" : "s", with);
    return cli_error(error, SUREKRIG_DATA,
                     "%s has %lld valid pixels%s, too few for %lld neighbours: choose fewer by --neighbors", path,
                     (long long)valid, with, (long long)f->neighbors);
}

static int64_t wanted_of(const fill *f, const fill_band *band)
{
    return band->gaps + (f->smooth ? band->valid : 0);
}

/* One of several bands that cannot be filled does not keep the others from it. */
static void tell_left(const fill *f, const fill_band *band, bool enough)
{
    const char *name = io_raster_band_name(f->raster, band->number);
    if (enough)
        fprintf(stderr, "surekrig fill: %s is constant, with nothing to learn from: it stays as it is\n", name);
    else
        fprintf(stderr, "surekrig fill: %s has %lld valid pixel%s, too few to fill it: it stays as it is\n", name,
                (long long)band->valid, band->valid == 1 ? "" : "s");
}

static surekrig_status plan_bands(fill *f, surekrig_error *error)
{
    for (int i = 0; i < f->bands; i++) {
        fill_band *band = &f->band[i];
        bool enough = band->valid > (f->fewer ? 0 : f->neighbors) && band->valid > 2;
        bool constant = enough && band->low == band->high && f->bands > 1; /* a single one is refused by the training */
        band->wanted = enough && !constant && wanted_of(f, band) > 0;
        f->wanted += band->wanted ? wanted_of(f, band) : 0;
        f->constant |= constant && wanted_of(f, band) > 0;
        if (!band->wanted && wanted_of(f, band) > 0 && f->bands > 1)
            tell_left(f, band, enough);
    }
    return f->wanted ? SUREKRIG_OK : nothing_to_do(f, error);
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

static void print_estimates(int count, const surekrig_estimate *estimate)
{
    for (int i = 0; i < count; i++)
        fprintf(stderr, "  %s %.4g", estimate[i].name, estimate[i].value);
}

static void tell(const fill *f, const fill_band *band, const surekrig_model *model)
{
    const surekrig_info *info = surekrig_model_info(model);
    const char *name = io_raster_band_name(f->raster, band->number);
    cli_progress_end();
    if (cli_value(f->call, "quiet"))
        return;
    const io_grid *grid = &f->frame.grid;
    fprintf(stderr, "%s: %lld of %lld pixels missing", name, (long long)(band->gaps + band->hopeless),
            (long long)(grid->columns * grid->rows));
    if (f->trained_on == band) {
        fprintf(stderr, "; trained on %lld, distances %s\n ", (long long)info->n,
                f->frame.sphere ? "on the sphere, in km" : "in the plane");
        print_estimates(info->estimates, info->estimate);
        if (info->partner_estimates)
            fputs("\n  averaged with", stderr);
        print_estimates(info->partner_estimates, info->partner_estimate);
        fputc('\n', stderr);
        if (info->held_out.n)
            cli_print_scores(stderr, "held out, as the gaps lie", &info->held_out);
    } else {
        fprintf(stderr, "; hyperparameters of %s\n", io_raster_band_name(f->raster, f->trained_on->number));
    }
}

static surekrig_status fill_band_by(fill *f, int i, surekrig_model **model, surekrig_error *error)
{
    fill_band *band = &f->band[i];
    surekrig_status status = SUREKRIG_OK;
    if (!band->wanted)
        return fill_into_output(f, i, NULL, error);
    if (!*model || !cli_value(f->call, "shared")) {
        surekrig_model_free(*model);
        *model = NULL;
        f->trained_on = band;
        status = fill_train(f, band, model, error);
        if (!status && cli_interrupted())
            status = cli_error(error, SUREKRIG_STOPPED, "interrupted");
    }
    if (!status)
        tell(f, band, *model);
    return status ? status : fill_into_output(f, i, *model, error);
}

static void tell_hopeless(const fill *f)
{
    cli_progress_end();
    for (int i = 0; i < f->bands; i++)
        if (f->band[i].hopeless)
            fprintf(stderr, "surekrig fill: %s: %lld missing pixel%s not filled: a covariate is missing there too\n",
                    io_raster_band_name(f->raster, f->band[i].number), (long long)f->band[i].hopeless,
                    f->band[i].hopeless == 1 ? " is" : "s are");
}

static surekrig_status fill_all(fill *f, surekrig_error *error)
{
    surekrig_model *model = NULL;
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; i < f->bands && !status; i++)
        status = fill_band_by(f, i, &model, error);
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
    if (cli_same_file(output, call->argument[0]))
        return cli_usage(error, "the filled raster would replace its input, %s", output);
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
    if (!status && !strcmp(surekrig_settings_get(call->settings, "anisotropic"), "auto")) /* all of it is one plane */
        status = surekrig_settings_set(call->settings, "anisotropic", "no", error);
    if (!status)
        status = fill_open(&f, error);
    if (!status)
        status = plan_bands(&f, error);
    if (!status)
        status = try_output(&f, error);
    if (!status)
        status = fill_all(&f, error);
    close_fill(&f);
    return status;
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "OUT",
     "Where the filled raster goes: GeoTIFF where the name ends in .tif, NetCDF where it ends in .nc."},
    {"format", 0, "NAME", "GTiff or netCDF, whatever the name ends in."},
    {"band", 0, "NUMBERS", "Bands to fill, from 1, separated by commas; default: all, which may be time steps."},
    {"variable", 0, "NAME", "Which variable, where a file holds several, as NetCDF and HDF files do."},
    {"driver", 0, "NAME", "Which of GDAL's formats the raster is in, where its name does not tell: VRT, XYZ."},
    {"level", 0, "LEVEL", "Of the interval; default 0.95."},
    {"smooth", 0, NULL,
     "Valid pixels are estimated too: the field without its noise, and the sd and interval of the field."},
    {"sphere", 0, "auto|yes|no",
     "Distances through the earth (yes), or of x and y as they are (no); auto, the default: yes where they are degrees."},
    {"covariate", 0, "FILES", "Rasters on the same grid, separated by commas: the mean is linear in their bands."},
    {"shared", 0, NULL, "Hyperparameters of the first band that has gaps for all bands, instead of each band's own."},
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
        "preset gaps; large rasters are trained on cells of 512 x 512 pixels drawn at random (--seed), about a million valid\n"
        "pixels in all, and filled tile by tile.",
    .option = OPTIONS,
    .run = run,
};
