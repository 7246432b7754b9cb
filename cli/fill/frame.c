/* Coordinates of pixels: in the plane, x and y of the raster's coordinate system; on the sphere, the point in space. */
#include "fill.h"

#include <math.h>

void fill_frame_new(const io_grid *grid, bool sphere, fill_frame *frame)
{
    const double *t = grid->transform;
    double middle[2];
    *frame = (fill_frame){.grid = *grid, .sphere = sphere, .d = 3};
    if (!sphere)
        frame->d = grid->rows == 1 || grid->columns == 1 ? 1 : 2;
    io_grid_center(grid, grid->columns / 2, grid->rows / 2, middle);
    surekrig_sphere_new(middle, &frame->space);
    frame->wraps = sphere && t[2] == 0 && t[4] == 0 &&
                   fabs(fabs(t[1] * (double)grid->columns) - 360) < 0.5 * fabs(t[1]);
}

void fill_place(const fill_frame *frame, int64_t column, int64_t row, double *x)
{
    double xy[2];
    io_grid_center(&frame->grid, column, row, xy);
    if (!frame->sphere && frame->d == 1) { /* along the line */
        const double *t = frame->grid.transform;
        x[0] = frame->grid.rows == 1 ? (double)column * hypot(t[1], t[4]) : (double)row * hypot(t[2], t[5]);
    } else if (!frame->sphere) {
        x[0] = xy[0];
        x[1] = xy[1];
    } else {
        surekrig_sphere_places(&frame->space, 1, xy, x);
    }
}

const char *fill_axis_name(const fill_frame *frame, int axis)
{
    static const char *const PLANE[] = {"x", "y"}, *const DEGREES[] = {"lon", "lat"}, *const SPACE[] = {"X", "Y", "Z"};
    return frame->sphere ? SPACE[axis] : frame->grid.geographic ? DEGREES[axis] : PLANE[axis];
}

io_window fill_widen(const fill_frame *frame, io_window w, int64_t halo)
{
    int64_t columns = frame->grid.columns, rows = frame->grid.rows;
    int64_t left = w.column - halo, right = w.column + w.columns + halo, top = w.row - halo,
            bottom = w.row + w.rows + halo;
    if (right - left >= columns) {
        left = 0;
        right = columns;
    } else if (!frame->wraps) {
        left = left < 0 ? 0 : left;
        right = right > columns ? columns : right;
    }
    top = top < 0 ? 0 : top;
    bottom = bottom > rows ? rows : bottom;
    return (io_window){left, top, right - left, bottom - top};
}

bool fill_is_whole(const fill_frame *frame, io_window w)
{
    return w.columns == frame->grid.columns && w.rows == frame->grid.rows;
}
