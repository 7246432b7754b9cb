/* The n-th of numbers of which each rank has some: halving what it may be, and counting how many are not above. */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool find(const sk_ranks *ranks, int64_t n, const int64_t *number, int64_t count, const int64_t *nth,
                 int64_t *found)
{
    int64_t *high = sk_alloc(count, sizeof *high), *bytes = sk_alloc(ranks->size, sizeof *bytes);
    int64_t *own = sk_alloc(count, sizeof *own), *all = NULL;
    bool room = high && own && bytes;
    for (int64_t i = 0; i < count && room; i++) {
        found[i] = 0;
        high[i] = INT64_MAX;
    }
    for (int bit = 0; bit < 63 && room; bit++) {
        for (int64_t i = 0; i < count; i++)
            own[i] = sk_count_below(n, number, found[i] + (high[i] - found[i]) / 2 + 1);
        all = sk_gather(ranks, own, count * (int64_t)sizeof *own, bytes);
        room = all;
        for (int64_t i = 0; i < count && room; i++) {
            int64_t sum = 0, middle = found[i] + (high[i] - found[i]) / 2;
            for (int r = 0; r < ranks->size; r++)
                sum += all[r * count + i];
            if (found[i] < high[i] && sum > nth[i])
                high[i] = middle;
            else if (found[i] < high[i])
                found[i] = middle + 1;
        }
        free(all);
    }
    free(high);
    free(own);
    free(bytes);
    return room;
}

surekrig_status sk_rows_nth(const surekrig_data *data, sk_sorted own, int64_t count, const int64_t *nth,
                            int64_t *number, surekrig_error *error)
{
    bool room = true;
    for (int64_t i = 0; i < count && !data->ranks; i++)
        number[i] = own.number[nth[i]];
    if (data->ranks)
        room = find(sk_ranks_of(data), own.n, own.number, count, nth, number);
    return room ? SUREKRIG_OK : sk_fail_memory(error, 24.0 * (double)count, "numbers in order");
}

/* Doubles that are not negative are in the order of their bits. */
surekrig_status sk_values_nth(const surekrig_data *data, int64_t n, double *value, int64_t nth, double *found,
                              surekrig_error *error)
{
    _Static_assert(sizeof(double) == sizeof(int64_t), "bits of one are those of the other");
    sk_sort(n, value);
    int64_t *bits = data->ranks ? sk_copy(value, n, sizeof *value) : NULL, it = 0;
    if (!data->ranks) {
        *found = value[nth];
        return SUREKRIG_OK;
    }
    surekrig_status status = bits ? sk_rows_nth(data, (sk_sorted){n, bits}, 1, &nth, &it, error)
                                  : sk_fail_memory(error, 8.0 * (double)n, "values in order");
    memcpy(found, &it, sizeof it);
    free(bits);
    return status;
}
