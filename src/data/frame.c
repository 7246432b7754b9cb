/* Where distances are measured: (x - origin) / side, axis by axis. */
#include "data/data.h"

#include <math.h>
#include <stdlib.h>

void sk_extents(const surekrig_data *data, double *lower, double *upper)
{
    int64_t d = data->d, n = sk_own(data);
    for (int64_t a = 0; a < d; a++) {
        lower[a] = INFINITY;
        upper[a] = -INFINITY;
    }
    for (const double *x = data->x, *end = x + n * d; x < end; x += d)
        for (int64_t a = 0; a < d; a++) { /* not fmin and fmax, which are calls */
            lower[a] = x[a] < lower[a] ? x[a] : lower[a];
            upper[a] = x[a] > upper[a] ? x[a] : upper[a];
        }
    sk_least(sk_ranks_of(data), d, lower);
    sk_most(sk_ranks_of(data), d, upper);
}

surekrig_status sk_frame_new(const surekrig_data *data, sk_scaling scaling, const bool *counts, sk_frame *out,
                             surekrig_error *error)
{
    int64_t d = data->d;
    sk_frame frame = {d, sk_doubles(d), sk_doubles(d), sk_doubles(d), sk_doubles(d), sk_doubles(d)};
    if (!frame.lower || !frame.upper || !frame.origin || !frame.side || !frame.start) {
        sk_frame_free(&frame);
        return sk_fail_memory(error, 40.0 * (double)d, "the frame");
    }
    double longest = 0;
    sk_extents(data, frame.lower, frame.upper);
    for (int64_t a = 0; a < d; a++) {
        if (!counts || counts[a])
            longest = fmax(longest, frame.upper[a] - frame.lower[a]);
    }
    if (!isfinite(longest) || longest < 1e-290) {
        sk_frame_free(&frame);
        return sk_fail(error, SUREKRIG_DATA, "the longest side of the data's box is %g: rescale the features", longest);
    }
    for (int64_t a = 0; a < d; a++) {
        frame.origin[a] = scaling == SK_SCALING_NONE ? 0 : frame.lower[a];
        frame.start[a] = frame.side[a] = counts && !counts[a]         ? INFINITY
                                         : scaling == SK_SCALING_NONE ? 1
                                         : scaling == SK_SCALING_BOX  ? longest
                                                                      : frame.upper[a] - frame.lower[a];
    }
    *out = frame;
    return SUREKRIG_OK;
}

void sk_frame_free(sk_frame *frame)
{
    free(frame->lower);
    free(frame->upper);
    free(frame->origin);
    free(frame->side);
    free(frame->start);
    *frame = (sk_frame){0};
}

double sk_frame_square(const sk_frame *frame, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t a = 0; a < frame->d; a++) {
        double gap = (x[a] - y[a]) / frame->side[a];
        sum += gap * gap;
    }
    return sum;
}

double sk_frame_distance(const sk_frame *frame, const double *x, const double *y)
{
    return sqrt(sk_frame_square(frame, x, y));
}

double sk_frame_diagonal(const sk_frame *frame)
{
    double sum = 0;
    for (int64_t a = 0; a < frame->d; a++)
        sum = hypot(sum, (frame->upper[a] - frame->lower[a]) / frame->side[a]);
    return sum;
}

double sk_frame_extent(const sk_frame *frame, const sk_metric_part *part)
{
    double longest = 0;
    for (int64_t i = 0; i < part->coordinates; i++)
        longest = fmax(longest, frame->upper[part->coordinate[i]] - frame->lower[part->coordinate[i]]);
    return longest;
}

double sk_frame_unit(const sk_frame *frame)
{
    double unit = INFINITY;
    for (int64_t a = 0; a < frame->d; a++) {
        if (isinf(frame->side[a]))
            continue;
        if (isfinite(unit) && frame->side[a] != unit)
            return 1;
        unit = frame->side[a];
    }
    return unit;
}

bool sk_frame_alike(const sk_frame *frame)
{
    double least = INFINITY, most = 0;
    for (int64_t a = 0; a < frame->d; a++) {
        double side = frame->upper[a] - frame->lower[a];
        least = isinf(frame->start[a]) ? least : fmin(least, side);
        most = isinf(frame->start[a]) ? most : fmax(most, side);
    }
    return most <= 10 * least;
}
