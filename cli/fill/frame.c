/* Coordinates of pixels: in the plane, x and y of the raster's coordinate system; on the sphere, the point in space. Of a
 * region in degrees, km east and north of its middle: a plane has two length scales along any direction, sectors and
 * a lattice of nodes, which space has not. */
#include "fill.h"

#include <math.h>

/* Of the pixels' centres. */
static void find_box(const io_grid *grid, double low[2], double high[2])
{
    double xy[2];
    low[0] = low[1] = INFINITY;
    high[0] = high[1] = -INFINITY;
    for (int corner = 0; corner < 4; corner++) {
        io_grid_center(grid, corner & 1 ? grid->columns - 1 : 0, corner & 2 ? grid->rows - 1 : 0, xy);
        for (int a = 0; a < 2; a++) {
            low[a] = fmin(low[a], xy[a]);
            high[a] = fmax(high[a], xy[a]);
        }
    }
}

/* Longitudes may begin anywhere within a turn of the usual, as those of ocean models do; axes may be rounded. */
bool fill_on_globe(const io_grid *grid, int *axis, double *beyond)
{
    static const double LOWEST[] = {-360, -90}, HIGHEST[] = {720, 90}, ROUNDED = 1e-3;
    double low[2], high[2];
    find_box(grid, low, high);
    for (int a = 0; a < 2; a++)
        if (low[a] < LOWEST[a] - ROUNDED || high[a] > HIGHEST[a] + ROUNDED) {
            *axis = a;
            *beyond = low[a] < LOWEST[a] - ROUNDED ? low[a] : high[a];
            return false;
        }
    return true;
}

/* Nowhere are distances east and west wrong by more than a twentieth; a raster that is one line is none. */
bool fill_is_region(const io_grid *grid)
{
    static const double WIDE = 20 /* degrees */, WRONG = 0.05;
    double low[2], high[2];
    find_box(grid, low, high);
    double degree = acos(-1) / 180, middle = cos((low[1] + high[1]) / 2 * degree), wrong = 0,
           lat[3] = {low[1], high[1], low[1] * high[1] < 0 ? 0 : low[1]};
    for (int i = 0; i < 3; i++)
        wrong = fmax(wrong, fabs(middle / cos(lat[i] * degree) - 1));
    return grid->rows > 1 && grid->columns > 1 && high[0] - low[0] < WIDE && low[1] > -90 && high[1] < 90 &&
           wrong < WRONG;
}

void fill_frame_new(const io_grid *grid, fill_surface surface, fill_frame *frame)
{
    static const double EARTH = 6371.0088; /* km, mean radius, IUGG */
    const double *t = grid->transform, degree = acos(-1) / 180;
    *frame = (fill_frame){.grid = *grid, .surface = surface, .d = 3};
    if (surface != FILL_SPHERE)
        frame->d = grid->rows == 1 || grid->columns == 1 ? 1 : 2;
    io_grid_center(grid, grid->columns / 2, grid->rows / 2, frame->middle);
    frame->km[0] = EARTH * degree * cos(frame->middle[1] * degree);
    frame->km[1] = EARTH * degree;
    surekrig_sphere_new(frame->middle, &frame->space);
    frame->wraps = surface == FILL_SPHERE && t[2] == 0 && t[4] == 0 &&
                   fabs(fabs(t[1] * (double)grid->columns) - 360) < 0.5 * fabs(t[1]);
}

void fill_place(const fill_frame *frame, int64_t column, int64_t row, double *x)
{
    double xy[2];
    io_grid_center(&frame->grid, column, row, xy);
    if (frame->surface == FILL_SPHERE) {
        surekrig_sphere_places(&frame->space, 1, xy, x);
    } else if (frame->d == 1) { /* along the line */
        const double *t = frame->grid.transform;
        x[0] = frame->grid.rows == 1 ? (double)column * hypot(t[1], t[4]) : (double)row * hypot(t[2], t[5]);
    } else {
        bool region = frame->surface == FILL_REGION;
        for (int a = 0; a < 2; a++)
            x[a] = region ? (xy[a] - frame->middle[a]) * frame->km[a] : xy[a];
    }
}

const char *fill_axis_name(const fill_frame *frame, int axis)
{
    static const char *const PLANE[] = {"x", "y"}, *const DEGREES[] = {"lon", "lat"}, *const SPACE[] = {"X", "Y", "Z"};
    static const char *const REGION[] = {"east", "north"};
    return frame->surface == FILL_SPHERE   ? SPACE[axis]
           : frame->surface == FILL_REGION ? REGION[axis]
           : frame->grid.geographic        ? DEGREES[axis]
                                           : PLANE[axis];
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
