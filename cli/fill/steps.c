/* Steps in time: which way they are filled, and what the steps beside one give to it. */
#include "steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const WORD[] = {"alone", "covariates", "joint", "auto"}; /* by fill_way */

/* --------------------------------------------------------------------------------------------------------- times */

static bool increase(const double *time, int steps)
{
    for (int i = 1; i < steps; i++)
        if (!(time[i] > time[i - 1]))
            return false;
    return isfinite(time[0]) && isfinite(time[steps - 1]);
}

/* Asked for in words it is an error, else all is as without times. */
static surekrig_status no_times(fill *f, bool timed, surekrig_error *error)
{
    const char *path = io_raster_path(f->raster);
    bool asked = f->way == FILL_JOINT || f->way == FILL_COVARIATES, single = io_raster_bands(f->raster) == 1;
    free(f->time);
    f->time = NULL;
    if (asked && !timed && !single)
        return cli_error(
            error, SUREKRIG_DATA,
            "--time %s: the bands of %s have no times (a NetCDF variable with a time axis has, and bands named by "
            "dates that increase, as 2024-03-01)",
            WORD[f->way], path);
    if (asked && !single)
        return cli_error(error, SUREKRIG_DATA,
                         "--time %s: the times of %s do not increase from step to step: sort it, with cdo's mergetime, "
                         "or take --time alone",
                         WORD[f->way], path);
    if (asked)
        cli_say(stderr, "surekrig fill: %s has a single time: it is filled alone", path);
    else if (timed && !single && f->way == FILL_AUTO)
        cli_say(stderr, "surekrig fill: the times of %s do not increase from step to step: each is filled alone", path);
    f->way = FILL_ALONE;
    return SUREKRIG_OK;
}

/* Time in a unit in which it goes as far as space does: days and metres are searched over the same ranges. */
static void scale_times(fill *f, int steps)
{
    enum { CELL = 512, WINDOW = 2 * FILL_REACH };
    const io_grid *grid = &f->frame.grid;
    int64_t wide = grid->columns > grid->rows ? grid->columns : grid->rows, row = grid->rows / 2;
    double a[3], b[3], pixel = 0, step = (f->time[steps - 1] - f->time[0]) / (steps - 1);
    fill_place(&f->frame, 0, grid->columns > 1 ? row : 0, a);
    fill_place(&f->frame, grid->columns > 1, grid->columns > 1 ? row : 1, b);
    for (int i = 0; i < f->frame.d; i++)
        pixel = hypot(pixel, a[i] - b[i]);
    f->time_unit = pixel * (double)(wide < CELL ? wide : CELL) / (step * (steps - 1 < WINDOW ? steps - 1 : WINDOW));
    for (int i = 0; i < steps; i++)
        f->time[i] *= f->time_unit;
}

/* The word and the times, of which distances in time are; they may be uneven. */
surekrig_status fill_find_times(fill *f, surekrig_error *error)
{
    const char *asked = cli_value(f->call, "time"), *mean = surekrig_settings_get(f->call->settings, "mean");
    int steps = io_raster_bands(f->raster), way = 0;
    while (asked && way <= FILL_AUTO && strcmp(asked, WORD[way]))
        way++;
    if (way > FILL_AUTO)
        return cli_usage(error, "--time takes auto, joint, covariates or alone, not '%s'", asked);
    f->way = asked ? (fill_way)way : FILL_AUTO;
    const char *rho = surekrig_settings_get(f->call->settings, "rho");
    if (asked && f->way == FILL_JOINT && cli_setting_given(f->call, "rho") && strchr(rho, ','))
        return cli_usage(error, "--rho %s does not go with --time joint: training finds the length scale in time", rho);
    bool line = f->frame.grid.columns == 1 || f->frame.grid.rows == 1;
    if (asked && f->way == FILL_JOINT && line && steps > 1)
        return cli_error(
            error, SUREKRIG_DATA,
            "--time joint: %s is one pixel wide or high, and no plane: take --time alone or covariates, or "
            "'surekrig krige' with its pixels as a table",
            io_raster_path(f->raster));
    if (f->way == FILL_COVARIATES && cli_setting_given(f->call, "mean") && strcmp(mean, "trend"))
        return cli_usage(error, "--mean %s does not go with --time covariates: the mean is then a trend in them", mean);
    f->time = malloc((size_t)steps * sizeof *f->time);
    f->shift = calloc((size_t)steps, sizeof *f->shift);
    fill_covariate *grown = realloc(f->covariate, (size_t)(f->covariates + FILL_PARTNERS) * sizeof *grown);
    f->covariate = grown ? grown : f->covariate;
    if (!f->time || !f->shift || !grown)
        return cli_no_memory(error);
    bool timed = io_raster_times(f->raster, f->time);
    if (!timed || steps < 2 || !increase(f->time, steps))
        return no_times(f, timed, error);
    scale_times(f, steps);
    return SUREKRIG_OK;
}

void fill_window(const fill *f, int band, int *first, int *last)
{
    int steps = io_raster_bands(f->raster);
    *first = band < FILL_REACH ? 0 : band - FILL_REACH;
    *last = band + FILL_REACH < steps ? band + FILL_REACH : steps - 1;
}

/* ------------------------------------------------------------------------------------------------------ partners */

void fill_add_partner(fill *f, io_raster *raster, int band)
{
    static char NAME[FILL_PARTNERS][8] = {"beside1", "beside2"}; /* those of files have a _ */
    f->covariate[f->covariates++] = (fill_covariate){raster, band, NAME[f->partners]};
    f->partners++;
}

void fill_drop_partners(fill *f)
{
    f->covariates -= f->partners;
    f->partners = 0;
}

/* The next complete step from one on; -1: none within reach of the band. */
static int beside(const fill *f, int band, int from, int by)
{
    int first, last, s = from + by;
    fill_window(f, band, &first, &last);
    while (s >= first && s <= last && f->complete[s] < 0)
        s += by;
    return s >= first && s <= last ? s : -1;
}

/* One before and one after; at an end of the cube two of one side. */
static void add_partners(fill *f, int band)
{
    int before = beside(f, band, band, -1), after = beside(f, band, band, 1);
    int second = before < 0 && after >= 0   ? beside(f, band, after, 1)
                 : after < 0 && before >= 0 ? beside(f, band, before, -1)
                                            : -1;
    int found[] = {before, after, second};
    for (int i = 0; i < 3; i++)
        if (found[i] >= 0)
            fill_add_partner(f, f->filled, f->complete[found[i]]);
}

/* ----------------------------------------------------------------------------------------------------- alignment */

void fill_compare(const double *own, const double *other, int64_t pixels, double sum[3])
{
    for (int64_t i = 0; i < pixels; i++)
        if (!isnan(own[i]) && !isnan(other[i])) {
            sum[0]++;
            sum[1] += own[i];
            sum[2] += other[i];
        }
}

double fill_shift(const fill *f, int band, int step, const double sum[3])
{
    enum { ENOUGH = 20 };
    double scale[2], offset[2];
    io_raster_band_scale(f->raster, band, &scale[0], &offset[0]);
    io_raster_band_scale(f->raster, step, &scale[1], &offset[1]);
    return sum[0] < ENOUGH ? 0 : (scale[1] * sum[2] - scale[0] * sum[1]) / sum[0] + offset[1] - offset[0];
}

static surekrig_status align(fill *f, int band, int step, double *value, surekrig_error *error)
{
    io_window at = {0, 0, f->frame.grid.columns, 0};
    int64_t rows = f->frame.grid.rows, high = FILL_STRIP / at.columns + 1;
    double sum[3] = {0, 0, 0};
    surekrig_status status = SUREKRIG_OK;
    for (; at.row < rows && !status; at.row += at.rows) {
        at.rows = rows - at.row < high ? rows - at.row : high;
        int64_t pixels = at.columns * at.rows;
        status = fill_read(f, band, at, value, error);
        if (!status)
            status = fill_read(f, step, at, value + pixels, error);
        if (!status)
            fill_compare(value, value + pixels, pixels, sum);
    }
    f->shift[step] = fill_shift(f, band, step, sum);
    return status;
}

static surekrig_status align_all(fill *f, int band, surekrig_error *error)
{
    int64_t columns = f->frame.grid.columns;
    int first, last;
    double *value = malloc((size_t)(2 * (FILL_STRIP + columns)) * sizeof *value);
    surekrig_status status = value ? SUREKRIG_OK : cli_no_memory(error);
    fill_window(f, band, &first, &last);
    f->shift[band] = 0;
    for (int s = first; s <= last && !status; s++)
        if (s != band)
            status = align(f, band, s, value, error);
    free(value);
    return status;
}

surekrig_status fill_begin(fill *f, const fill_band *band, surekrig_error *error)
{
    fill_drop_partners(f);
    if (f->way == FILL_COVARIATES)
        add_partners(f, band->number);
    surekrig_status status = f->way == FILL_JOINT ? align_all(f, band->number, error) : SUREKRIG_OK;
    return status ? status : fill_give_roles(f, error);
}
