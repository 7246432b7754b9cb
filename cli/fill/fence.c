/* Whether a window holds all neighbours of a pixel: a fence of points is put where it ends, and a pixel that has one of
 * these among its neighbours needs a wider window. The fence's points come first in the data: of equally near ones the
 * first is taken. */
#include "steps.h"

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

/* Once, or, of a step that is filled jointly, at the time of each that helps: x [posts][f->d]. */
static void put_fence(const fill *f, int band, int64_t posts, const double *place, double *x)
{
    int64_t d = f->frame.d;
    int first = band, last = band;
    if (f->way == FILL_JOINT)
        fill_window(f, band, &first, &last);
    for (int s = first; s <= last; s++)
        for (int64_t i = 0; i < posts; i++, x += f->d) {
            memcpy(x, place + i * d, (size_t)d * sizeof *x);
            if (f->way == FILL_JOINT)
                x[d] = f->time[s];
        }
}

/* The fence, of response 0 and without covariates, which are in no distance, then the valid pixels. */
static surekrig_status fenced(const fill *f, const fill_points *valid, const fill_asked *asked,
                              const surekrig_model *trained, surekrig_model **model, surekrig_error *error)
{
    io_window w = asked->window;
    int64_t d = f->frame.d, n = valid->n, steps = 1;
    int64_t most = 2 * (w.columns + w.rows + 4 + f->frame.grid.columns + f->frame.grid.rows);
    double *fences = malloc((size_t)(most * d) * sizeof *fences);
    int64_t posts = fences ? fence(&f->frame, w, fences) : 0;
    int first, last;
    fill_window(f, asked->band, &first, &last);
    steps += f->way == FILL_JOINT ? last - first : 0;
    int64_t before = steps * posts, all = before + n;
    double *x = calloc((size_t)(all * f->d), sizeof *x), *y = calloc((size_t)all, sizeof *y);
    surekrig_status status = fences && x && y ? SUREKRIG_OK : cli_no_memory(error);
    if (!status) {
        put_fence(f, asked->band, posts, fences, x);
        memcpy(x + before * f->d, valid->x, (size_t)(n * f->d) * sizeof *x);
        memcpy(y + before, valid->y, (size_t)n * sizeof *y);
        const char *name = surekrig_model_info(trained)->y_names[0];
        surekrig_data data = {.n = all, .d = f->d, .l = 1, .x = x, .y = y, .x_names = f->names, .y_names = &name};
        status = surekrig_refit(&data, trained, model, error);
    }
    free(fences);
    free(x);
    free(y);
    return status;
}

surekrig_status fill_settle(const fill *f, const fill_points *valid, const surekrig_model *trained, fill_asked *asked,
                            surekrig_error *error)
{
    int64_t n = asked->points->n;
    if (fill_is_whole(&f->frame, asked->window)) {
        memset(asked->settled, 1, (size_t)n * sizeof *asked->settled);
        return SUREKRIG_OK;
    }
    surekrig_model *model = NULL;
    int *within = malloc((size_t)(n + 1) * sizeof *within);
    surekrig_status status = within ? fenced(f, valid, asked, trained, &model, error) : cli_no_memory(error);
    if (!status)
        status = surekrig_within(model, &(surekrig_query){.n = n, .x = asked->points->x, .threads = f->threads},
                                 surekrig_model_info(model)->n - valid->n, within, error);
    for (int64_t i = 0; i < n && !status; i++)
        asked->settled[i] = within[i];
    free(within);
    surekrig_model_free(model);
    return status;
}
