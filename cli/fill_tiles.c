/* Filling, a tile at a time. A tile's pixels are estimated from the valid pixels in it and in a halo around it. So that the
 * result does not depend on the tiles, the halo grows until it holds every neighbour: a fence of points is put where the halo ends,
 * and a pixel that has one of these among its neighbours waits for a wider halo. */
#include "fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALO = 48 }; /* pixels, at first */

typedef struct tile {
    fill *f;
    int number;         /* of the raster's band */
    const surekrig_model *trained;
    io_window at;
    double *out[IO_ROLES]; /* [pixels] each */
    fill_points asked;  /* what is still to be estimated */
    double *mean, *sd;  /* [asked] */
    bool *settled;      /* [asked] */
    double z;
} tile;

static void free_tile(tile *t)
{
    for (int r = 0; r < IO_ROLES; r++)
        free(t->out[r]);
    fill_free_points(&t->asked);
    free(t->mean);
    free(t->sd);
    free(t->settled);
}

/* ---------------------------------------------------------------------------------------------------------- the fence */

/* Columns count around the earth where the raster does. */
static bool is_inside(const fill_frame *frame, io_window w, int64_t column, int64_t row)
{
    int64_t all = frame->grid.columns, right = column - w.column;
    right = frame->wraps ? (right % all + all) % all : right;
    return right >= 0 && right < w.columns && row >= w.row && row < w.row + w.rows;
}

/* The pixels of the box's outline that the raster has and the window has not, behind count others. */
static int64_t outline(const fill_frame *frame, io_window box, io_window w, int64_t count, double *x)
{
    for (int64_t r = box.row; r < box.row + box.rows; r++) {
        bool edge = r == box.row || r == box.row + box.rows - 1;
        if (r < 0 || r >= frame->grid.rows)
            continue;
        for (int64_t c = box.column; c < box.column + box.columns; c += edge || box.columns == 1 ? 1 : box.columns - 1)
            if (!is_inside(frame, w, c, r) && (frame->wraps || (c >= 0 && c < frame->grid.columns)))
                fill_place(frame, c, r, x + count++ * frame->d);
    }
    return count;
}

/* Around the window, and along the raster's edge: there a sector may meet nothing of the first and yet data behind it. */
static int64_t fence(const fill_frame *frame, io_window w, double *x)
{
    int64_t all = frame->grid.columns, sides = w.columns < all;
    io_window around = {w.column - sides, w.row - 1, w.columns + 2 * sides, w.rows + 2};
    return outline(frame, (io_window){0, 0, all, frame->grid.rows}, w, outline(frame, around, w, 0, x), x);
}

typedef struct lookout {
    int64_t valid;
    surekrig_index *index; /* of the valid pixels, then of the fence */
} lookout;

static surekrig_status open_lookout(const fill *f, const fill_points *valid, io_window w, lookout *l, surekrig_error *error)
{
    int64_t d = f->frame.d;
    int64_t most = 2 * (w.columns + w.rows + 4 + f->frame.grid.columns + f->frame.grid.rows);
    double *x = malloc((size_t)((valid->n + most) * d) * sizeof *x);
    if (!x)
        return cli_no_memory(error);
    for (int64_t i = 0; i < valid->n; i++)
        memcpy(x + i * d, valid->x + i * f->d, (size_t)d * sizeof *x);
    l->valid = valid->n;
    int64_t fenced = fence(&f->frame, w, x + valid->n * d);
    surekrig_status status = surekrig_index_new(valid->n + fenced, d, x, &l->index, error);
    free(x);
    return status;
}

/* Which of the pixels asked have no neighbour in the fence. */
static surekrig_status look_out(tile *t, const lookout *l, surekrig_error *error)
{
    enum { BLOCK = 16384 };
    const fill *f = t->f;
    const surekrig_info *info = surekrig_model_info(t->trained);
    int64_t d = f->frame.d, k = info->neighbors;
    int sectors = !strcmp(surekrig_settings_get(info->settings, "sectors"), "yes");
    double *x = malloc((size_t)(BLOCK * d) * sizeof *x);
    int64_t *neighbor = malloc((size_t)(BLOCK * k) * sizeof *neighbor), *count = malloc(BLOCK * sizeof *count);
    surekrig_status status = x && neighbor && count ? SUREKRIG_OK : cli_no_memory(error);
    for (int64_t from = 0; from < t->asked.n && !status; from += BLOCK) {
        int64_t n = t->asked.n - from < BLOCK ? t->asked.n - from : BLOCK;
        for (int64_t i = 0; i < n; i++)
            memcpy(x + i * d, t->asked.x + (from + i) * f->d, (size_t)d * sizeof *x);
        surekrig_neighbor_query query = {.n = n, .x = x, .k = k, .threads = f->threads, .sectors = sectors};
        status = surekrig_neighbors(l->index, &query, neighbor, count, error);
        for (int64_t i = 0; i < n && !status; i++) {
            bool inside = true;
            for (int64_t j = 0; j < count[i]; j++)
                inside &= neighbor[i * k + j] < l->valid;
            t->settled[from + i] = inside;
        }
    }
    free(x);
    free(neighbor);
    free(count);
    return status;
}

static surekrig_status settle(tile *t, const fill_points *valid, io_window w, surekrig_error *error)
{
    if (fill_is_whole(&t->f->frame, w)) {
        memset(t->settled, 1, (size_t)t->asked.n * sizeof *t->settled);
        return SUREKRIG_OK;
    }
    lookout l = {0};
    surekrig_status status = open_lookout(t->f, valid, w, &l, error);
    if (!status)
        status = look_out(t, &l, error);
    surekrig_index_free(l.index);
    return status;
}

/* -------------------------------------------------------------------------------------------------------- estimating */

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
        t->out[IO_VALUE][pixel] = (t->mean[i] - offset) / scale;
        t->out[IO_SD][pixel] = t->sd[i] / fabs(scale);
        t->out[IO_LOWER][pixel] = (t->mean[i] - t->z * t->sd[i] - offset) / scale;
        t->out[IO_UPPER][pixel] = (t->mean[i] + t->z * t->sd[i] - offset) / scale;
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
    surekrig_query query = {count, t->asked.x, f->smooth, f->threads, NULL};
    surekrig_prediction prediction = {.mean = t->mean, .sd = t->sd};
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
    surekrig_status status = fill_append(f, t->number, w, &valid, NULL, error);
    bool enough = valid.n > surekrig_model_info(t->trained)->neighbors;
    const char *response = io_raster_band_name(f->raster, t->number);
    surekrig_data data = {.n = valid.n, .d = f->d, .l = 1, .x = valid.x, .y = valid.y, .x_names = f->names, .y_names = &response};
    if (!status && (enough || whole))
        status = surekrig_refit(&data, t->trained, &model, error);
    if (!status && model)
        status = settle(t, &valid, w, error);
    fill_free_points(&valid);
    if (!status && model)
        status = estimate(t, model, settled_first(t), error);
    surekrig_model_free(model);
    return status == SUREKRIG_DATA && !whole ? SUREKRIG_OK : status;
}

/* -------------------------------------------------------------------------------------------------------------- tiles */

static surekrig_status open_tile(tile *t, surekrig_error *error)
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
    if (!status && t->trained)
        status = fill_append(t->f, t->number, t->at, t->f->smooth ? &t->asked : NULL, &t->asked, error);
    t->mean = malloc((size_t)(t->asked.n + 1) * sizeof *t->mean);
    t->sd = malloc((size_t)(t->asked.n + 1) * sizeof *t->sd);
    t->settled = malloc((size_t)(t->asked.n + 1) * sizeof *t->settled);
    return !status && !(t->mean && t->sd && t->settled) ? cli_no_memory(error) : status;
}

static surekrig_status fill_tile(tile *t, int band, surekrig_error *error)
{
    fill *f = t->f;
    bool trained_here = f->trained_on == &f->band[band] && f->trained_on->cells == 1;
    surekrig_status status = open_tile(t, error);
    if (!status && t->trained && trained_here && fill_is_whole(&f->frame, t->at))
        status = estimate(t, t->trained, t->asked.n, error);
    for (int64_t halo = HALO; t->asked.n > 0 && !status; halo *= 2) {
        status = estimate_within(t, fill_widen(&f->frame, t->at, halo), error);
        if (!status && cli_interrupted())
            status = cli_error(error, SUREKRIG_STOPPED, "interrupted");
    }
    for (io_role role = IO_VALUE; role < IO_ROLES && !status; role++)
        status = io_raster_write(f->writer, band, role, t->at, t->out[role], error);
    return status;
}

surekrig_status fill_tiles(fill *f, int band, const surekrig_model *model, surekrig_error *error)
{
    int64_t columns = f->frame.grid.columns, rows = f->frame.grid.rows;
    surekrig_status status = SUREKRIG_OK;
    for (int64_t row = 0; row < rows; row += f->tile)
        for (int64_t column = 0; column < columns && !status; column += f->tile) {
            io_window at = {column, row, columns - column < f->tile ? columns - column : f->tile,
                            rows - row < f->tile ? rows - row : f->tile};
            tile t = {.f = f, .number = f->band[band].number, .trained = model, .at = at};
            t.z = model ? surekrig_model_quantile(model, 0, f->level) : 0;
            status = fill_tile(&t, band, error);
            free_tile(&t);
        }
    return status;
}
