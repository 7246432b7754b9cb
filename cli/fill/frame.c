/* Coordinates of pixels. In the plane, x and y of the raster's coordinate system. On the sphere, the point in space in
 * km: distances are chords, for which every Matérn kernel is valid (on great circles only those with nu <= 1/2 are).
 *
 * The axes in space are turned so that the raster's centre lies on the diagonal (1, 1, 1): the surface there cuts the
 * six sectors of three dimensions, one for each axis and sign, in six equal angles. Along the axis of the earth or of
 * the centre itself two of the six would be empty. Distances do not change. */
#include "fill.h"

#include <math.h>

static const double EARTH_KM = 6371.0088; /* mean radius, IUGG */

static void point_in_space(const double xy[2], double p[3])
{
    double radian = acos(-1) / 180, lon = xy[0] * radian, lat = xy[1] * radian;
    p[0] = cos(lat) * cos(lon);
    p[1] = cos(lat) * sin(lon);
    p[2] = sin(lat);
}

/* The rotation that takes the point c to (1, 1, 1)/sqrt(3). A sector's middle is m; east is 7.5 degrees from one, so
 * that neither the raster's lines nor its diagonals run along an edge between two sectors, where rounding would
 * decide. */
static void turn_to_diagonal(const double c[3], double turn[3][3])
{
    const double up[3] = {1 / sqrt(3), 1 / sqrt(3), 1 / sqrt(3)}, m[3] = {2 / sqrt(6), -1 / sqrt(6), -1 / sqrt(6)},
                 q[3] = {0, 1 / sqrt(2), -1 / sqrt(2)}; /* up x m */
    double angle = 7.5 * acos(-1) / 180, flat = hypot(c[0], c[1]);
    double east[3] = {flat > 0 ? -c[1] / flat : 0, flat > 0 ? c[0] / flat : 1, 0};
    double north[3] = {-c[2] * east[1], c[2] * east[0], c[0] * east[1] - c[1] * east[0]}; /* c x east */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            turn[i][j] = up[i] * c[j] + (cos(angle) * m[i] - sin(angle) * q[i]) * east[j] +
                         (sin(angle) * m[i] + cos(angle) * q[i]) * north[j];
}

void fill_frame_new(const io_grid *grid, bool sphere, fill_frame *frame)
{
    const double *t = grid->transform;
    double middle[2], c[3];
    *frame = (fill_frame){.grid = *grid, .sphere = sphere, .d = 3};
    if (!sphere)
        frame->d = grid->rows == 1 || grid->columns == 1 ? 1 : 2;
    io_grid_center(grid, grid->columns / 2, grid->rows / 2, middle);
    point_in_space(middle, c);
    turn_to_diagonal(c, frame->turn);
    frame->wraps = sphere && t[2] == 0 && t[4] == 0 &&
                   fabs(fabs(t[1] * (double)grid->columns) - 360) < 0.5 * fabs(t[1]);
}

void fill_place(const fill_frame *frame, int64_t column, int64_t row, double *x)
{
    double xy[2], p[3];
    io_grid_center(&frame->grid, column, row, xy);
    if (!frame->sphere && frame->d == 1) { /* along the line */
        const double *t = frame->grid.transform;
        x[0] = frame->grid.rows == 1 ? (double)column * hypot(t[1], t[4]) : (double)row * hypot(t[2], t[5]);
    } else if (!frame->sphere) {
        x[0] = xy[0];
        x[1] = xy[1];
    } else {
        point_in_space(xy, p);
        for (int i = 0; i < 3; i++)
            x[i] = EARTH_KM * (frame->turn[i][0] * p[0] + frame->turn[i][1] * p[1] + frame->turn[i][2] * p[2]);
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
