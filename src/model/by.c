/* Rows that are left out together: alike in some of the features. */
#include "model/inside.h"

#include <math.h>
#include <stdlib.h>

/* They share a place in a frame where no other feature counts. */
surekrig_status sk_model_group_rows(surekrig_model *m, const bool *chosen, surekrig_error *error)
{
    int64_t n = m->data.n, d = m->data.d;
    sk_frame frame = {.d = d, .start = sk_doubles(d)};
    int64_t *group = sk_alloc(n, sizeof *group);
    sk_repeats alike = {0};
    surekrig_status status = SUREKRIG_OK;
    if (!frame.start || !group)
        status = sk_fail_memory(error, 8.0 * (double)(n + d), "the groups of rows");
    for (int64_t a = 0; a < d && !status; a++)
        frame.start[a] = chosen[a] ? 1 : INFINITY;
    if (!status)
        status = sk_repeats_find(&m->data, &frame, &alike, error);
    for (int64_t i = 0; i < n && !status; i++)
        group[i] = alike.of ? alike.of[i] : i;
    sk_repeats_free(&alike);
    free(frame.start);
    if (status)
        free(group);
    else
        m->data.group = group;
    return status;
}
