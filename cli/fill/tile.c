/* A tile. Its pixels are estimated from the valid pixels in it and in a halo around it. So that the result does not
 * depend on the tiles, the halo grows until it holds every neighbour. */
#include "tile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tile_free(tile *t)
{
    for (int r = 0; r < IO_ROLES; r++) {
        free(t->out[r]);
        free(t->made[r]);
    }
    fill_free_points(&t->asked);
    free(t->settled);
    free(t->order);
}

/* ---------------------------------------------------------------------------------------------------- estimating */

/* The settled first; how many there are. */
static int64_t settled_first(tile *t)
{
    fill_points *p = &t->asked;
    int64_t d = t->f->d, count = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (!t->settled[i])
            continue;
        for (int64_t a = 0; a < d; a++) {
            double kept = p->x[i * d + a];
            p->x[i * d + a] = p->x[count * d + a];
            p->x[count * d + a] = kept;
        }
        int64_t pixel = p->pixel[i];
        p->pixel[i] = p->pixel[count];
        p->pixel[count++] = pixel;
    }
    return count;
}

typedef struct share {
    fill *f;
    int64_t count;
} share;

/* What the prediction reports of its own, as a part of all. */
static int report(void *user, const surekrig_progress_report *own)
{
    share *s = user;
    surekrig_progress_report whole = *own;
    whole.phase = "filling";
    whole.done = ((double)s->f->done + own->done * (double)s->count) / (double)s->f->wanted;
    return s->f->bar.report(s->f->bar.user, &whole);
}

/* Takes the first count of those asked off the list, with what was estimated for them. */
static void put(tile *t, int64_t count)
{
    fill_points *p = &t->asked;
    double scale, offset;
    io_raster_band_scale(t->f->raster, t->number, &scale, &offset);
    for (int64_t i = 0; i < count; i++) {
        int64_t pixel = p->pixel[i];
        for (int r = 0; r < IO_ROLES; r++)
            t->out[r][pixel] = r == IO_SD ? t->made[r][i] / fabs(scale) : (t->made[r][i] - offset) / scale;
    }
    p->n -= count;
    memmove(p->x, p->x + count * t->f->d, (size_t)(p->n * t->f->d) * sizeof *p->x);
    memmove(p->pixel, p->pixel + count, (size_t)p->n * sizeof *p->pixel);
    t->f->done += count;
}

static surekrig_status estimate(tile *t, const surekrig_model *model, int64_t count, surekrig_error *error)
{
    fill *f = t->f;
    share s = {f, count};
    surekrig_progress progress = {report, &s};
    surekrig_query query = {
        .n = count, .x = t->asked.x, .latent = f->smooth, .threads = f->threads, .levels = 1, .level = &f->level};
    surekrig_prediction prediction = {.mean = t->made[IO_VALUE],
                                      .sd = t->made[IO_SD],
                                      .lower = t->made[IO_LOWER],
                                      .upper = t->made[IO_UPPER]};
    surekrig_status status = count ? surekrig_predict(model, &query, &progress, &prediction, error) : SUREKRIG_OK;
    if (!status)
        put(t, count);
    return status;
}

/* Those that the window settles. Too few data in it, or data that are all the same, settle none, as a wider one may. */
static surekrig_status estimate_within(tile *t, io_window w, surekrig_error *error)
{
    fill *f = t->f;
    fill_points valid = {0};
    surekrig_model *model = NULL;
    bool whole = fill_is_whole(&f->frame, w);
    surekrig_status status = fill_put_fence(f, t->number, w, t->trained, &valid, error);
    int64_t posts = valid.n;
    if (!status)
        status = fill_append(f, t->number, w, &valid, NULL, error);
    if (!status)
        status = fill_append_steps(f, t->number, w, &valid, error);
    for (int64_t i = 0; i < posts && valid.n > posts; i++)
        valid.y[i] = valid.y[posts]; /* no value that the data do not have */
    bool enough = valid.n - posts > surekrig_model_info(t->trained)->neighbors;
    const char *response = io_raster_band_name(f->raster, t->number);
    surekrig_data data = {
        .n = valid.n, .d = f->d, .l = 1, .x = valid.x, .y = valid.y, .x_names = f->names, .y_names = &response};
    data.ranks = f->sharers;
    if (!status && (enough || whole))
        status = surekrig_refit(&data, t->trained, &model, error);
    fill_free_points(&valid);
    if (!status && model)
        status = fill_settle(f, model, posts, &t->asked, t->settled, error);
    if (!status && model)
        status = estimate(t, model, settled_first(t), error);
    surekrig_model_free(model);
    return status == SUREKRIG_DATA && !whole ? SUREKRIG_OK : status;
}

/* --------------------------------------------------------------------------------------------------------- tiles */

surekrig_status tile_open(tile *t, int band, surekrig_error *error)
{
    size_t pixels = (size_t)(t->at.columns * t->at.rows);
    bool room = true;
    for (int r = 0; r < IO_ROLES; r++)
        room &= (t->out[r] = malloc(pixels * sizeof(double))) != NULL;
    surekrig_status status = room ? fill_read(t->f, t->number, t->at, t->out[IO_VALUE], error) : cli_no_memory(error);
    for (size_t i = 0; i < pixels && !status; i++) {
        t->out[IO_LOWER][i] = t->out[IO_UPPER][i] = t->out[IO_VALUE][i];
        t->out[IO_SD][i] = isnan(t->out[IO_VALUE][i]) ? NAN : 0;
    }
    if (!status && t->f->band[band].wanted)
        status = fill_append(t->f, t->number, t->at, t->f->smooth ? &t->asked : NULL, &t->asked, error);
    for (int r = 0; r < IO_ROLES; r++)
        room &= (t->made[r] = malloc((size_t)(t->asked.n + 1) * sizeof(double))) != NULL;
    room &= (t->settled = malloc((size_t)(t->asked.n + 1) * sizeof *t->settled)) != NULL;
    room &= (t->order = malloc((size_t)(t->asked.n + 1) * sizeof *t->order)) != NULL;
    if (t->order && t->asked.n)
        memcpy(t->order, t->asked.pixel, (size_t)t->asked.n * sizeof *t->order);
    t->number_asked = t->asked.n;
    return !status && !room ? cli_no_memory(error) : status;
}

/* The longest run of missing pixels along the lines (step = 1) or the columns (step = width) of the tile. */
static int64_t longest_run(const tile *t, int64_t step)
{
    int64_t wide = t->at.columns, pixels = wide * t->at.rows, longest = 0;
    for (int64_t start = 0; start < (step == 1 ? pixels : wide); start += step == 1 ? wide : 1) {
        int64_t end = step == 1 ? start + wide : pixels, run = 0;
        for (int64_t i = start; i < end; i += step) {
            run = isnan(t->out[IO_VALUE][i]) ? run + 1 : 0;
            longest = run > longest ? run : longest;
        }
    }
    return longest;
}

/* Likely to be enough: a pixel on the tile's edge may lie in a gap as wide as the tile's. */
static int64_t first_halo(const tile *t)
{
    enum { AROUND = 48 };
    int64_t along = longest_run(t, 1), across = longest_run(t, t->at.columns);
    return AROUND + (along < across ? along : across);
}

/* ----------------------------------------------------------------------------------------------- finished before */

int64_t tile_columns(const fill *f)
{
    return (f->frame.grid.columns - 1) / f->tile + 1;
}

int64_t tile_rows(const fill *f)
{
    return (f->frame.grid.rows - 1) / f->tile + 1;
}

/* Partners, bands, tiles: each a block of its own. */
uint64_t tile_key(const fill *f, int band, int64_t number)
{
    return (uint64_t)f->plain << 62 | (uint64_t)band << 40 | (uint64_t)number;
}

static uint64_t own_key(const tile *t, int band)
{
    int64_t side = t->f->tile;
    return tile_key(t->f, band, t->at.row / side * tile_columns(t->f) + t->at.column / side);
}

bool fill_is_finished(const fill *f, int band)
{
    return cli_told(cli_partial_has(f->partial, tile_key(f, band, tile_columns(f) * tile_rows(f) - 1)));
}

/* What was estimated, which is less than the tile. */
static void spans_of(const tile *t, cli_span span[IO_ROLES])
{
    for (int r = 0; r < IO_ROLES; r++)
        span[r] = (cli_span){t->made[r], t->number_asked};
}

void tile_take_made(tile *t)
{
    for (int r = 0; r < IO_ROLES; r++)
        for (int64_t i = 0; i < t->number_asked; i++)
            t->out[r][t->order[i]] = t->made[r][i];
    t->f->done += t->number_asked;
}

void tile_give_made(tile *t)
{
    for (int r = 0; r < IO_ROLES; r++)
        for (int64_t i = 0; i < t->number_asked; i++)
            t->made[r][i] = t->out[r][t->order[i]];
}

bool tile_take_finished(tile *t, int band)
{
    cli_span span[IO_ROLES];
    spans_of(t, span);
    if (!cli_partial_take(t->f->partial, own_key(t, band), span, IO_ROLES))
        return false;
    tile_take_made(t);
    return true;
}

/* Of the last tile nothing: the output is whole at once. */
void tile_keep_finished(tile *t, int band)
{
    const fill *f = t->f;
    cli_span span[IO_ROLES];
    if (!f->plain && band == f->bands - 1 && t->at.row + t->at.rows == f->frame.grid.rows &&
        t->at.column + t->at.columns == f->frame.grid.columns)
        return;
    spans_of(t, span);
    tile_give_made(t);
    cli_partial_give(t->f->partial, own_key(t, band), span, IO_ROLES);
}

/* --------------------------------------------------------------------------------------------------------- tiles */

surekrig_status tile_estimate(tile *t, int band, surekrig_error *error)
{
    fill *f = t->f;
    bool trained_here = f->trained_on == &f->band[band] && f->band[band].cells == 1;
    surekrig_status status = SUREKRIG_OK;
    if (!t->trained && t->number_asked)
        return cli_error(error, SUREKRIG_FILE, "what is kept of %s does not fit: run without --resume",
                         cli_value(f->call, "output"));
    if (t->trained && trained_here && fill_is_whole(&f->frame, t->at))
        status = estimate(t, t->trained, t->asked.n, error);
    for (int64_t halo = t->asked.n ? first_halo(t) : 0; t->asked.n > 0 && !status; halo *= 2) {
        status = estimate_within(t, fill_widen(&f->frame, t->at, halo), error);
        if (!status && cli_interrupted())
            status = cli_error(error, SUREKRIG_STOPPED, "interrupted");
    }
    if (!status)
        tile_keep_finished(t, band);
    return status;
}
