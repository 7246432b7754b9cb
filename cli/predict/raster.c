/* surekrig predict -o OUT.tif: pixels in the order in which they are predicted, line by line from the top. */
#include "predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A transform from the upper left corner down; degrees where the features are called so. */
static io_grid grid_of(const char *crs, const cli_grid *grid, const surekrig_info *info)
{
    double top = grid->low[1] + (double)grid->size[1] * grid->step[1];
    bool degrees = cli_is_longitude(info->x_names[grid->swapped]) && cli_is_latitude(info->x_names[!grid->swapped]);
    return (io_grid){grid->size[0],
                     grid->size[1],
                     {grid->low[0], grid->step[0], 0, top, 0, -grid->step[1]},
                     degrees,
                     crs       ? crs
                     : degrees ? "EPSG:4326"
                               : NULL};
}

static surekrig_status find_grid(const cli_call *call, const predict_plan *plan, predict_raster *r,
                                 surekrig_error *error)
{
    const io_grid *pixels = plan->reader ? io_table_grid(plan->reader) : NULL;
    if (plan->reader && !pixels)
        return cli_error(error, SUREKRIG_DATA,
                         "%s is no raster: a raster can be written for the pixels of another, or for --grid",
                         io_path(plan->reader));
    if (plan->reader && io_table_steps(plan->reader) > 1)
        return cli_error(error, SUREKRIG_DATA,
                         "%s is a cube of %d times, of which a raster here holds one: write a table, as -o out.csv",
                         io_path(plan->reader), io_table_steps(plan->reader));
    if (!plan->reader && plan->grid->d == 1)
        return cli_error(error, SUREKRIG_DATA, "a raster needs two features, the model has one");
    const char *crs = cli_value(call, "crs");
    if (crs && *crs && strlen(crs) < 10 && !crs[strspn(crs, "0123456789")]) { /* EPSG's number alone */
        snprintf(r->crs, sizeof r->crs, "EPSG:%s", crs);
        crs = r->crs;
    }
    r->grid = pixels ? *pixels : grid_of(crs, plan->grid, plan->info);
    return SUREKRIG_OK;
}

/* The responses' names; those of coordinates, which NetCDF has variables for, with more behind them. */
static surekrig_status name_bands(const surekrig_info *info, predict_raster *r, surekrig_error *error)
{
    static const char COORDINATES[] = "x,y,lon,lat";
    r->bands = (int)info->l;
    r->name = calloc((size_t)info->l, sizeof *r->name);
    for (int i = 0; r->name && i < r->bands; i++) {
        size_t room = strlen(info->y_names[i]) + 8;
        r->name[i] = malloc(room);
        if (!r->name[i])
            return cli_no_memory(error);
        snprintf(r->name[i], room, "%s%s", info->y_names[i], cli_in_list(COORDINATES, info->y_names[i]) ? "_mean" : "");
    }
    return r->name ? SUREKRIG_OK : cli_no_memory(error);
}

static double largest_of_ranks(double own)
{
    double *all = cli_on.size > 1 ? malloc((size_t)cli_on.size * sizeof *all) : NULL;
    if (cli_on.size == 1)
        return own;
    if (!all)
        cli_on.fail("", "out of memory");
    cli_on.gather(&own, sizeof own, all);
    for (int r = 0; r < cli_on.size && all; r++)
        own = fmax(own, all[r]);
    free(all);
    return own;
}

/* A float is off by up to 2^-24 of its number. It will do where that is little beside the responses' range, of which
 * errors may be a thousandth, and where neither they nor much smaller sds come near the ends of what floats hold. */
static bool floats_do(const surekrig_data *data, int64_t q)
{
    static const double ROUNDED = 0x1p-24, SHARE = 1e-5, LEAST = 1e-30, MOST = 1e30;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < data->n; i++) { /* NaN where this response is missing; 0 where other ranks have the row */
        double y = data->y[i * data->l + q];
        low = y == 0 ? low : fmin(low, y);
        high = y == 0 ? high : fmax(high, y);
    }
    low = -largest_of_ranks(-low);
    high = largest_of_ranks(high);
    double size = fmax(fabs(low), fabs(high));
    return size == 0 || (size >= LEAST && size <= MOST && size * ROUNDED <= SHARE * (high - low));
}

surekrig_status predict_raster_open(const cli_call *call, const predict_plan *plan, predict_raster *r,
                                    surekrig_error *error)
{
    char history[500];
    cli_command_line(call, history, sizeof history);
    surekrig_status status = find_grid(call, plan, r, error);
    if (!status)
        status = name_bands(plan->info, r, error);
    if (!status && !(r->value = malloc(PREDICT_ROWS * sizeof *r->value)))
        status = cli_no_memory(error);
    bool doubles = false;
    for (int64_t q = 0; q < plan->data->l && !status; q++)
        doubles |= !floats_do(plan->data, q);
    io_raster_plan how = {.grid = r->grid,
                          .bands = r->bands,
                          .name = (const char *const *)r->name,
                          .level = plan->level,
                          .smooth = true,
                          .history = history,
                          .doubles = doubles};
    return status ? status : cli_create_raster(cli_value(call, "output"), &how, &r->writer, error);
}

int64_t predict_raster_batch(const predict_raster *r)
{
    int64_t columns = r->grid.columns, left = columns - r->done % columns;
    if (columns <= PREDICT_ROWS)
        return PREDICT_ROWS / columns * columns;
    return left < PREDICT_ROWS ? left : PREDICT_ROWS;
}

surekrig_status predict_raster_write(predict_raster *r, const predicted *p, surekrig_error *error)
{
    int64_t columns = r->grid.columns, across = p->rows < columns ? p->rows : columns;
    io_window window = {r->done % columns, r->done / columns, across, p->rows / across};
    surekrig_status status = SUREKRIG_OK;
    for (int64_t q = 0; q < p->l; q++)
        for (io_role role = IO_VALUE; role < IO_ROLES && !status; role++) {
            for (int64_t i = 0; i < p->rows; i++)
                r->value[i] = p->value[role][i * p->l + q];
            status = io_raster_write(r->writer, (int)q, role, window, r->value, error);
        }
    r->done += p->rows;
    return status;
}

void predict_raster_free(predict_raster *r)
{
    for (int i = 0; r->name && i < r->bands; i++)
        free(r->name[i]);
    free(r->name);
    free(r->value);
}
