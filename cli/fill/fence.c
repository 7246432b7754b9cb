/* Whether a window holds all neighbours of a pixel: a fence of points is put where it ends, and a pixel that has one of
 * these among its neighbours needs a wider window. The fence's points come first in the data: of equally near ones the
 * first is taken. What other pixels get does not hang on them, so one model settles pixels and estimates them.
 *
 * Distances along lines and columns: what lies behind the fence is farther than the post in its own line or column. With
 * axes between these it is farther than where the straight way to it meets the fence, and the next post is up to a pixel
 * from there: with length scales of ratio r as far as r pixels may be. So there the fence is more than r posts thick. */
#include "steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns count around the earth where the raster does. */
static bool is_inside(const fill_frame *frame, io_window w, int64_t column, int64_t row)
{
    int64_t all = frame->grid.columns, right = column - w.column;
    right = frame->wraps ? (right % all + all) % all : right;
    return right >= 0 && right < w.columns && row >= w.row && row < w.row + w.rows;
}

/* The pixels of the box's outline that the raster has and the window has not, behind count others; x: where they go, or
 * NULL, to count them. */
static int64_t outline(const fill_frame *frame, io_window box, io_window w, int64_t count, double *x)
{
    for (int64_t r = box.row; r < box.row + box.rows; r++) {
        bool edge = r == box.row || r == box.row + box.rows - 1;
        if (r < 0 || r >= frame->grid.rows)
            continue;
        for (int64_t c = box.column; c < box.column + box.columns; c += edge || box.columns == 1 ? 1 : box.columns - 1)
            if (!is_inside(frame, w, c, r) && (frame->wraps || (c >= 0 && c < frame->grid.columns))) {
                if (x)
                    fill_place(frame, c, r, x + count * frame->d);
                count++;
            }
    }
    return count;
}

/* Around the window, and along the raster's edge: there a sector may meet nothing of the first and yet data behind
 * it. */
static int64_t fence(const fill_frame *frame, io_window w, int64_t thick, double *x)
{
    int64_t all = frame->grid.columns, rows = frame->grid.rows, sides = w.columns < all, count = 0;
    for (int64_t i = 0; i < thick && i < all + rows; i++) {
        int64_t out = i + 1, aside = sides * out;
        io_window around = {w.column - aside, w.row - out, w.columns + 2 * aside, w.rows + 2 * out};
        count = outline(frame, around, w, count, x);
        if (2 * i < all && 2 * i < rows)
            count = outline(frame, (io_window){i, i, all - 2 * i, rows - 2 * i}, w, count, x);
    }
    return count;
}

/* How far it is from a pixel to the next one along lines, or columns. */
static double pitch(const fill_frame *frame, bool column)
{
    double here[3], next[3];
    fill_place(frame, 0, 0, here);
    fill_place(frame, !column, column, next);
    return hypot(next[0] - here[0], next[1] - here[1]);
}

/* One post, or as many as the model's axes and the raster's ask for. */
static int64_t thickness(const fill *f, const surekrig_model *trained)
{
    const surekrig_info *info = surekrig_model_info(trained);
    const double *t = f->frame.grid.transform;
    bool turned = cli_turn(info) > 0;
    if (f->frame.d != 2 || !(turned || t[2] != 0 || t[4] != 0))
        return 1;
    char name[2][72];
    for (int a = 0; a < 2; a++)
        snprintf(name[a], sizeof name[a], "rho_%s", turned ? (a ? "across" : "along") : f->names[a]);
    double wide = pitch(&f->frame, false), high = pitch(&f->frame, true), one = cli_estimate(info, name[0]),
           other = cli_estimate(info, name[1]), ratio = fmax(wide / high, high / wide) * fmax(one / other, other / one),
           most = (double)(f->frame.grid.columns + f->frame.grid.rows);
    return isnan(one) ? 1 : 1 + (int64_t)ceil(fmin(ratio, most)); /* NaN: one for all directions */
}

surekrig_status fill_put_fence(const fill *f, int band, io_window w, const surekrig_model *trained, fill_points *to,
                               surekrig_error *error)
{
    int64_t d = f->frame.d, thick = thickness(f, trained);
    int64_t posts = fill_is_whole(&f->frame, w) ? 0 : fence(&f->frame, w, thick, NULL);
    int first = band, last = band;
    if (f->way == FILL_JOINT)
        fill_window(f, band, &first, &last);
    double *place = malloc((size_t)(posts * d + 1) * sizeof *place);
    if (place && posts)
        fence(&f->frame, w, thick, place);
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
