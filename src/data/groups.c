/* Rows that are alike in some of the features. */
#include "data/data.h"

#include <math.h>
#include <stdlib.h>

/* They share a place in a frame where no other feature counts. */
surekrig_status sk_alike_rows(const surekrig_data *data, const bool *chosen, int64_t **out, surekrig_error *error)
{
    int64_t n = data->n, d = data->d, *group = sk_alloc(n, sizeof *group);
    sk_frame frame = {.d = d, .start = sk_doubles(d)};
    sk_repeats alike = {0};
    surekrig_status status = SUREKRIG_OK;
    if (!frame.start || !group)
        status = sk_fail_memory(error, 8.0 * (double)(n + d), "the groups of rows");
    for (int64_t a = 0; a < d && !status; a++)
        frame.start[a] = chosen[a] ? 1 : INFINITY;
    if (!status)
        status = sk_repeats_find(data, &frame, &alike, error);
    for (int64_t i = 0; i < n && !status; i++)
        group[i] = alike.of ? alike.of[i] : i;
    sk_repeats_free(&alike);
    free(frame.start);
    if (status)
        free(group);
    else
        *out = group;
    return status;
}
