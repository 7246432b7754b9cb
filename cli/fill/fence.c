/* Whether a window holds all neighbours of a pixel: a fence of points is put where it ends, and a pixel that has one of
 * these among its neighbours needs a wider window. The fence's points come first in the data: of equally near ones the
 * first is taken. What other pixels get does not hang on them, so one model settles pixels and estimates them. */
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

surekrig_status fill_put_fence(const fill *f, int band, io_window w, fill_points *to, surekrig_error *error)
{
    int64_t d = f->frame.d, most = 2 * (w.columns + w.rows + 4 + f->frame.grid.columns + f->frame.grid.rows);
    int first = band, last = band;
    if (f->way == FILL_JOINT)
        fill_window(f, band, &first, &last);
    double *place = malloc((size_t)(most * d) * sizeof *place);
    int64_t posts = place && !fill_is_whole(&f->frame, w) ? fence(&f->frame, w, place) : 0;
    bool room = place && fill_make_room(f, to, posts * (last - first + 1));
    for (int s = first; s <= last && room; s++)
        for (int64_t i = 0; i < posts; i++, to->n++) {
            double *x = to->x + to->n * f->d;
            memset(x, 0, (size_t)f->d * sizeof *x);
            memcpy(x, place + i * d, (size_t)d * sizeof *x);
            if (f->way == FILL_JOINT)
                x[d] = f->time[s];
        }
    free(place);
    return room ? SUREKRIG_OK : cli_no_memory(error);
}

surekrig_status fill_settle(const fill *f, const surekrig_model *fenced, int64_t posts, const fill_points *asked,
                            bool *settled, surekrig_error *error)
{
    int *within = malloc((size_t)(asked->n + 1) * sizeof *within);
    surekrig_query query = {.n = asked->n, .x = asked->x, .threads = f->threads};
    surekrig_status status = within ? SUREKRIG_OK : cli_no_memory(error);
    for (int64_t i = 0; i < asked->n && !status; i++)
        within[i] = 1;
    if (!status && posts)
        status = surekrig_within(fenced, &query, posts, within, error);
    for (int64_t i = 0; i < asked->n && !status; i++)
        settled[i] = within[i];
    free(within);
    return status;
}
