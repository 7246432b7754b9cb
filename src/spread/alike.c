/* Rows that are alike in some numbers, of features or given: put in the order of these, they follow one another. A
 * record of each: the numbers, its own in the file, its rank, and which it is there. */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEHIND = 3 };

/* Of the run that the last record is in: its numbers, the first one's number, how many; then the largest run. Each
 * record's number becomes the first one's. */
static void go_through(void *context, double *run)
{
    const sk_records *r = context;
    int64_t k = r->keys - 1;
    for (int64_t i = 0; i < r->n; i++) {
        double *at = r->value + i * r->width;
        bool same = run[k + 1] > 0;
        for (int64_t a = 0; a < k && same; a++)
            same = at[a] == run[a];
        if (!same) {
            memcpy(run, at, (size_t)(k + 1) * sizeof *run);
            run[k + 1] = 0;
        }
        run[k + 2] = fmax(run[k + 2], ++run[k + 1]);
        at[k] = run[k];
    }
}

static surekrig_status find_runs(const sk_ranks *ranks, sk_records *r, int64_t *group, int64_t *largest,
                                 surekrig_error *error)
{
    double *run = sk_zeroed(r->width, sizeof *run);
    surekrig_status status = run ? sk_records_sort(ranks, r, error)
                                 : sk_fail_memory(error, 8.0 * (double)r->width, "the groups");
    if (!status) {
        sk_in_turn(ranks, go_through, r, r->width, run);
        *largest = (int64_t)run[r->keys + 1];
        status = sk_records_home(ranks, r, r->keys, error);
    }
    for (int64_t i = 0; i < r->n && !status; i++)
        group[(int64_t)r->value[i * r->width + r->keys + 1]] = (int64_t)r->value[i * r->width + r->keys - 1];
    free(run);
    return status;
}

static bool write_records(const surekrig_data *data, const bool *chosen, const int64_t *given, sk_records *r)
{
    int64_t own = sk_own(data), d = data->d, k = given ? 2 : 0;
    for (int64_t a = 0; a < d && !given; a++)
        k += chosen[a];
    *r = (sk_records){own, k + BEHIND, k + 1, sk_doubles(own * (k + BEHIND))};
    for (int64_t i = 0; i < own && r->value; i++) {
        double *at = r->value + i * r->width;
        for (int64_t a = 0; a < d && !given; a++)
            if (chosen[a])
                *at++ = data->x[i * d + a];
        if (given) { /* in halves, as a double does not tell numbers beyond 2^53 from one another */
            *at++ = (double)((uint64_t)given[i] >> 32);
            *at++ = (double)((uint64_t)given[i] & UINT32_MAX);
        }
        *at++ = (double)sk_number(data, i);
        *at++ = sk_ranks_of(data)->rank;
        *at = (double)i;
    }
    return r->value;
}

surekrig_status sk_rows_alike(const surekrig_data *data, const bool *chosen, const int64_t *given, int64_t *group,
                              int64_t *largest, surekrig_error *error)
{
    sk_records r;
    surekrig_status status = write_records(data, chosen, given, &r)
                                 ? find_runs(sk_ranks_of(data), &r, group, largest, error)
                                 : sk_fail_memory(error, 8.0 * (double)(r.n * r.width), "the groups");
    free(r.value);
    return status;
}

/* Once: models of the same rows have the same groups, and rows that were fetched have theirs. */
surekrig_status sk_rows_group(surekrig_data *data, const bool *chosen, surekrig_error *error)
{
    struct sk_rows *rows = data->ranks->rows;
    int64_t largest;
    surekrig_status status = SUREKRIG_OK;
    if (!rows->group) {
        rows->group = sk_reserve(rows->n, sizeof *rows->group);
        status = rows->group ? sk_rows_alike(data, chosen, NULL, rows->group, &largest, error)
                             : sk_fail_memory(error, 8.0 * (double)rows->of.own, "the groups");
    }
    data->group = rows->group;
    return status;
}
