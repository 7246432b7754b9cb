/* The boxes of ranks' rows, and in which of them a point lies. */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>

surekrig_status sk_boxes_of(const sk_ranks *ranks, const sk_points *points, double *box, surekrig_error *error)
{
    int64_t d = points->d, *bytes = sk_alloc(ranks->size, sizeof *bytes);
    double *mine = sk_doubles(2 * d);
    if (!bytes || !mine) {
        free(bytes);
        free(mine);
        return sk_fail_memory(error, 16.0 * (double)d, "boxes of rows");
    }
    for (int64_t a = 0; a < d; a++) {
        mine[a] = INFINITY;
        mine[d + a] = -INFINITY;
    }
    for (int64_t i = 0; i < points->n * d; i++) {
        mine[i % d] = fmin(mine[i % d], points->x[i]);
        mine[d + i % d] = fmax(mine[d + i % d], points->x[i]);
    }
    for (int r = 0; r < ranks->size; r++)
        bytes[r] = 2 * d * (int64_t)sizeof *mine;
    ranks->gather(ranks, mine, bytes, box);
    free(bytes);
    free(mine);
    return SUREKRIG_OK;
}

surekrig_status sk_seek_boxes(const surekrig_data *data, double *box, surekrig_error *error)
{
    return sk_boxes_of(sk_ranks_of(data), &(sk_points){.n = sk_own(data), .d = data->d, .x = data->x}, box, error);
}

/* The rank in whose box the point is; of several the first. */
int sk_seek_home(const sk_seek *seek, const double *x)
{
    int home = 0;
    double least = INFINITY;
    for (int r = 0; r < sk_ranks_of(seek->data)->size && least > 0; r++) {
        double square = sk_box_square(seek, r, x);
        home = square < least ? r : home;
        least = fmin(square, least);
    }
    return home;
}
