/* Whether a window holds all neighbours of a pixel: a fence of points is put where it ends, and a pixel that has one of
 * these among its neighbours needs a wider window. */
#include "fill.h"

#include <stdlib.h>
#include <string.h>

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

/* Around the window, and along the raster's edge: there a sector may meet nothing of the first and yet data behind
 * it. */
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

static surekrig_status open_lookout(const fill *f, const fill_points *valid, io_window w, lookout *l,
                                    surekrig_error *error)
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
static surekrig_status look_out(const fill *f, const lookout *l, const surekrig_info *info, fill_asked *asked,
                                surekrig_error *error)
{
    enum { BLOCK = 16384 };
    int64_t d = f->frame.d, k = info->neighbors;
    int sectors = !strcmp(surekrig_settings_get(info->settings, "sectors"), "yes");
    double *x = malloc((size_t)(BLOCK * d) * sizeof *x);
    int64_t *neighbor = malloc((size_t)(BLOCK * k) * sizeof *neighbor), *count = malloc(BLOCK * sizeof *count);
    surekrig_status status = x && neighbor && count ? SUREKRIG_OK : cli_no_memory(error);
    for (int64_t from = 0; from < asked->points->n && !status; from += BLOCK) {
        int64_t n = asked->points->n - from < BLOCK ? asked->points->n - from : BLOCK;
        for (int64_t i = 0; i < n; i++)
            memcpy(x + i * d, asked->points->x + (from + i) * f->d, (size_t)d * sizeof *x);
        surekrig_neighbor_query query = {.n = n, .x = x, .k = k, .threads = f->threads, .sectors = sectors};
        status = surekrig_neighbors(l->index, &query, neighbor, count, error);
        for (int64_t i = 0; i < n && !status; i++) {
            bool inside = true;
            for (int64_t j = 0; j < count[i]; j++)
                inside &= neighbor[i * k + j] < l->valid;
            asked->settled[from + i] = inside;
        }
    }
    free(x);
    free(neighbor);
    free(count);
    return status;
}

surekrig_status fill_settle(const fill *f, const fill_points *valid, io_window w, const surekrig_model *model,
                            fill_asked *asked, surekrig_error *error)
{
    if (fill_is_whole(&f->frame, w)) {
        memset(asked->settled, 1, (size_t)asked->points->n * sizeof *asked->settled);
        return SUREKRIG_OK;
    }
    lookout l = {0};
    surekrig_status status = open_lookout(f, valid, w, &l, error);
    if (!status)
        status = look_out(f, &l, surekrig_model_info(model), asked, error);
    surekrig_index_free(l.index);
    return status;
}
