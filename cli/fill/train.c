/* Training: on all valid pixels with all gaps as targets, or, where the raster is large, on cells of it drawn at
 * random. */
#include "steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 512 };
static const int64_t ALL_BELOW = 1 << 22; /* pixels: a raster this small is trained on whole */
static const int64_t ENOUGH = 1 << 20;    /* valid pixels to train on in larger ones */

/* ------------------------------------------------------------------------------------------------------ counting */

static void count_pixel(fill_band *band, fill_count *cell, double value, bool has_covariates)
{
    if (isnan(value)) {
        cell->gaps += has_covariates;
        band->hopeless += !has_covariates;
    } else if (has_covariates) {
        cell->valid++;
        band->low = fmin(band->low, value);
        band->high = fmax(band->high, value);
    }
}

/* Of many ranks each counts some of the cells. */
static surekrig_status count_cell(fill *f, fill_band *band, io_window at, double *layers, surekrig_error *error)
{
    bool own = band->cells % cli_on.size == cli_on.rank;
    fill_count *cell = &band->cell[band->cells++];
    *cell = (fill_count){at, 0, 0};
    int64_t pixels = own ? at.columns * at.rows : 0;
    surekrig_status status = own ? fill_read_layers(f, band->number, at, layers, error) : SUREKRIG_OK;
    for (int64_t i = 0; i < pixels && !status; i++)
        count_pixel(band, cell, layers[i], fill_has_covariates(f, layers, pixels, i));
    return status;
}

/* What all ranks have counted. */
static surekrig_status add_up(fill_band *band, surekrig_error *error)
{
    size_t size = (size_t)cli_on.size, bytes = (size_t)band->cells * sizeof *band->cell;
    fill_band own = *band, *all = malloc(size * sizeof own);
    fill_count *cell = malloc(bytes);
    if (all && cell && size > 1)
        cli_on.gather(&own, sizeof own, all);
    for (int r = 0; all && cell && r < cli_on.size && size > 1; r++) {
        memcpy(cell, band->cell, bytes);
        cli_on.tell(r, cell, (int64_t)bytes);
        for (int c = r; c < band->cells; c += cli_on.size)
            band->cell[c] = cell[c];
        band->hopeless += r == cli_on.rank ? 0 : all[r].hopeless;
        band->low = fmin(band->low, all[r].low);
        band->high = fmax(band->high, all[r].high);
    }
    for (int c = 0; c < band->cells; c++) {
        band->valid += band->cell[c].valid;
        band->gaps += band->cell[c].gaps;
    }
    free(all);
    free(cell);
    return all && cell ? SUREKRIG_OK : cli_no_memory(error);
}

/* Pixels of a rectangle, in all steps that are trained on together. */
static int64_t volume(const fill *f, int64_t columns, int64_t rows)
{
    return columns * rows * (f->way == FILL_JOINT ? 2 * FILL_REACH + 1 : 1);
}

/* side: of the cells; 0: one is the whole raster. */
static surekrig_status count_band(fill *f, fill_band *band, int64_t side, surekrig_error *error)
{
    int64_t columns = f->frame.grid.columns, rows = f->frame.grid.rows;
    int64_t wide = side ? side : columns, high = side ? side : rows;
    free(band->cell); /* the joint way counts again, in other cells */
    *band = (fill_band){.number = band->number, .wanted = band->wanted};
    band->cell = malloc((size_t)(((columns - 1) / wide + 1) * ((rows - 1) / high + 1)) * sizeof *band->cell);
    double *layers = malloc((size_t)(wide * high * (1 + f->covariates)) * sizeof *layers);
    band->low = INFINITY;
    band->high = -INFINITY;
    surekrig_status status = layers && band->cell ? SUREKRIG_OK : cli_no_memory(error);
    for (int64_t row = 0; row < rows; row += high)
        for (int64_t column = 0; column < columns && !status; column += wide)
            status = count_cell(f, band,
                                (io_window){column, row, columns - column < wide ? columns - column : wide,
                                            rows - row < high ? rows - row : high},
                                layers, error);
    free(layers);
    return status || !band->cells ? status : add_up(band, error);
}

surekrig_status fill_count_pixels(fill *f, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    bool small = volume(f, f->frame.grid.columns, f->frame.grid.rows) <= ALL_BELOW;
    for (int i = 0; i < f->bands && !status; i++)
        status = cli_interrupted() ? cli_error(error, SUREKRIG_STOPPED, "interrupted")
                                   : count_band(f, &f->band[i], small ? 0 : CELL, error);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ training */

/* SplitMix64: the next state, and a number from it. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

typedef struct place {
    uint64_t key;
    int cell;
} place;

static int by_key(const void *a, const void *b)
{
    uint64_t first = ((const place *)a)->key, second = ((const place *)b)->key;
    return (first > second) - (first < second);
}

/* What is trained on. */
typedef struct harvest {
    fill_points valid, gaps;
    int windows; /* that they come from */
} harvest;

/* Cells in random order, those with gaps before those without: only they show what surrounds a gap. The next window has
 * another order, so that it is learned from at other places, too. */
static void shuffle(const fill *f, const fill_band *band, int window, place *order)
{
    uint64_t state = f->seed + (uint64_t)window;
    for (int i = 0; i < band->cells; i++)
        order[i] = (place){draw(&state) >> 1 | (uint64_t)(band->cell[i].gaps == 0) << 63, i};
    qsort(order, (size_t)band->cells, sizeof *order, by_key);
}

/* Pixels of one step and of those around it, until there are enough of this window. */
static surekrig_status gather(fill *f, const fill_band *band, int64_t enough, harvest *to, surekrig_error *error)
{
    int64_t before = to->valid.n;
    place *order = malloc((size_t)band->cells * sizeof *order);
    if (!order)
        return cli_no_memory(error);
    shuffle(f, band, to->windows++, order);
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; i < band->cells && to->valid.n - before < enough && !status; i++) {
        const fill_count *cell = &band->cell[order[i].cell];
        if (cell->valid > 0)
            status = fill_append(f, band->number, cell->at, &to->valid, &to->gaps, error);
        if (cell->valid > 0 && !status)
            status = fill_append_steps(f, band->number, cell->at, &to->valid, error);
    }
    free(order);
    return status;
}

/* The same where there are several windows: in cells so small that one alone is not more than enough. */
static surekrig_status gather_share(fill *f, const fill_band *band, int64_t enough, harvest *to, surekrig_error *error)
{
    fill_band own = {.number = band->number, .wanted = band->wanted};
    int64_t side = CELL;
    while (volume(f, side, side) > enough)
        side /= 2;
    if (volume(f, f->frame.grid.columns, f->frame.grid.rows) <= enough)
        side = 0;
    surekrig_status status = fill_begin(f, band, error);
    if (!status)
        status = count_band(f, &own, side, error);
    if (!status && own.cells)
        status = gather(f, &own, enough, to, error);
    free(own.cell);
    return status;
}

/* As many neighbours as the settings say or, where nobody asked for that many, as there are. */
static surekrig_status limit_neighbors(const fill *f, int64_t valid, surekrig_error *error)
{
    char number[24];
    if (!f->fewer || !f->neighbors)
        return SUREKRIG_OK;
    snprintf(number, sizeof number, "%lld", (long long)(valid > f->neighbors ? f->neighbors : valid - 1));
    return surekrig_settings_set(f->call->settings, "neighbors", number, error);
}

bool fill_lasts(const fill *f)
{
    return f->covariates == 0 && !strcmp(f->mean, "local");
}

/* The other model's hyperparameters, and widths for just these gaps. */
static surekrig_status take_over(const surekrig_data *data, const surekrig_model *from, surekrig_model **model,
                                 surekrig_error *error)
{
    surekrig_status status = surekrig_refit(data, from, model, error);
    return status || !data->targets ? status : surekrig_calibrate(*model, data->targets, data->target, error);
}

surekrig_status fill_train(fill *f, const fill_teachers *at, const surekrig_model *from, surekrig_model **model,
                           surekrig_error *error)
{
    harvest rows = {0};
    const char *response = io_raster_band_name(f->raster, at->band[0]->number);
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; i < at->count && !status; i++)
        status = (at->count > 1 ? gather_share : gather)(f, at->band[i], ENOUGH / at->count, &rows, error);
    const fill_points *valid = &rows.valid, *gaps = &rows.gaps;
    surekrig_data data = {valid->n, f->d,     1,         valid->x, valid->y,
                          NULL,     f->names, &response, gaps->n,  gaps->n ? gaps->x : NULL};
    data.ranks = cli_on.alike;
    f->learned_from = from ? f->learned_from : valid->n;
    if (!status)
        status = limit_neighbors(f, valid->n, error);
    if (!status)
        status = from ? take_over(&data, from, model, error)
                      : surekrig_fit(&data, f->call->settings, &f->bar, model, error);
    if (!status && isinf(surekrig_model_quantile(*model, 0, f->level)))
        status = cli_error(error, SUREKRIG_DATA,
                           "%s has %lld valid pixels, too few for a conformal interval at %g: --interval gaussian "
                           "takes normal quantiles",
                           response, (long long)valid->n, f->level);
    fill_free_points(&rows.valid);
    fill_free_points(&rows.gaps);
    return status;
}
