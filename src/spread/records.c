/* Records of all ranks put in order: from a sample all ranks know which of them gets what, and each sorts what it got. */
#include "spread/inside.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 8 }; /* of each rank, times ranks: none gets much more than its share */

static _Thread_local int64_t keys; /* that count in what is being sorted */

static int by_keys(const void *a, const void *b)
{
    const double *x = a, *y = b;
    for (int64_t i = 0; i < keys; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Often they are in order: a file by time, what came from one rank. */
static void sort_here(const sk_records *r)
{
    int64_t i = 1;
    keys = r->keys;
    while (i < r->n && by_keys(r->value + (i - 1) * r->width, r->value + i * r->width) <= 0)
        i++;
    if (i < r->n)
        qsort(r->value, (size_t)r->n, (size_t)r->width * sizeof *r->value, by_keys);
}

surekrig_status sk_records_send(const sk_ranks *ranks, const int *to, sk_records *r, surekrig_error *error)
{
    if (ranks->size == 1)
        return SUREKRIG_OK;
    int64_t w = r->width, *bytes = sk_zeroed(3 * ranks->size, sizeof *bytes), sum = 0;
    double *out = sk_doubles(r->n * w), *in = NULL;
    size_t size = (size_t)w * sizeof *out;
    for (int64_t i = 0; i < r->n && bytes; i++)
        bytes[to[i]] += (int64_t)size;
    int64_t *next = bytes ? bytes + 2 * ranks->size : NULL;
    for (int k = 0; k < ranks->size && bytes; sum += bytes[k++])
        next[k] = sum;
    for (int64_t i = 0; i < r->n && bytes && out; i++, next[to[i - 1]] += (int64_t)size)
        memcpy((char *)out + next[to[i]], r->value + i * w, size);
    free(r->value); /* all of it is on its way */
    if (bytes && out)
        in = sk_exchange(ranks, out, bytes, bytes + ranks->size);
    free(out);
    r->value = in;
    r->n = 0;
    for (int k = 0; k < ranks->size && in; k++)
        r->n += bytes[ranks->size + k] / (int64_t)size;
    free(bytes);
    return in ? SUREKRIG_OK : sk_fail_memory(error, 2.0 * (double)sum, "rows on their way");
}

surekrig_status sk_records_home(const sk_ranks *ranks, sk_records *r, int64_t at, surekrig_error *error)
{
    int *to = sk_alloc(r->n, sizeof *to);
    for (int64_t i = 0; i < r->n && to; i++)
        to[i] = (int)r->value[i * r->width + at];
    surekrig_status status = to ? sk_records_send(ranks, to, r, error)
                                : sk_fail_memory(error, 4.0 * (double)r->n, "rows on their way");
    free(to);
    return status;
}

/* Of sorted records some, as far from each other, each with how many it stands for behind its keys. */
static sk_records take_sample(const sk_records *r, int64_t most)
{
    int64_t n = r->n < most ? r->n : most, w = r->keys + 1;
    sk_records some = {n, w, r->keys, sk_doubles(n * w)};
    for (int64_t i = 0; i < n && some.value; i++) {
        memcpy(some.value + i * w, r->value + (2 * i + 1) * r->n / (2 * n) * r->width,
               (size_t)r->keys * sizeof(double));
        some.value[i * w + r->keys] = (double)r->n / (double)n;
    }
    return some;
}

/* cut: [ranks - 1][keys] what is not before it goes to the next rank, or further. */
static bool find_cuts(const sk_ranks *ranks, const sk_records *r, double *cut)
{
    int64_t *bytes = sk_alloc(ranks->size, sizeof *bytes), most = sk_at_once(ranks), w = r->keys + 1;
    most = SAMPLES * ranks->size < most ? SAMPLES * ranks->size : most;
    sk_records own = take_sample(r, most), all = own;
    all.n = 0;
    all.value = own.value && bytes ? sk_gather(ranks, own.value, own.n * w * (int64_t)sizeof *own.value, bytes) : NULL;
    for (int k = 0; k < ranks->size && all.value; k++)
        all.n += bytes[k] / (int64_t)sizeof *own.value / w;
    double sum = 0, of = 0;
    for (int64_t i = 0; i < all.n; i++)
        sum += all.value[i * w + r->keys];
    sort_here(&all);
    for (int64_t i = 0, k = 1; i < all.n; of += all.value[i++ * w + r->keys])
        while (k < ranks->size && of + all.value[i * w + r->keys] >= sum * (double)k / ranks->size)
            memcpy(cut + (k++ - 1) * r->keys, all.value + i * w, (size_t)r->keys * sizeof *cut);
    bool room = all.value;
    free(all.value);
    free(own.value);
    free(bytes);
    return room;
}

surekrig_status sk_records_sort(const sk_ranks *ranks, sk_records *r, surekrig_error *error)
{
    sort_here(r);
    if (ranks->size == 1 || !sk_sum(ranks, r->n))
        return SUREKRIG_OK;
    int *to = sk_alloc(r->n, sizeof *to), rank = 0;
    double *cut = sk_doubles((ranks->size - 1) * r->keys);
    bool room = to && cut && find_cuts(ranks, r, cut);
    keys = r->keys;
    for (int64_t i = 0; i < r->n && room; to[i++] = rank)
        while (rank < ranks->size - 1 && by_keys(r->value + i * r->width, cut + rank * r->keys) >= 0)
            rank++;
    surekrig_status status = room ? sk_records_send(ranks, to, r, error)
                                  : sk_fail_memory(error, 8.0 * (double)r->n, "the order of rows");
    free(to);
    free(cut);
    if (!status)
        sort_here(r);
    return status;
}

surekrig_status sk_records_to_file(const surekrig_data *data, sk_records *r, surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(data);
    int64_t *came = sk_alloc(2 * ranks->size, sizeof *came), sum = 0;
    int *to = sk_alloc(r->n, sizeof *to);
    bool room = came && to;
    for (int k = 0; k < ranks->size && room; k++)
        came[ranks->size + k] = sizeof *came;
    if (room)
        ranks->gather(ranks, &data->ranks->came, came + ranks->size, came);
    for (int k = 0; k < ranks->size && room; k++)
        sum = came[k] += sum;
    for (int64_t i = 0; i < r->n && room; i++) /* ranks whose rows all come before */
        to[i] = (int)sk_count_below(ranks->size, came, (int64_t)r->value[i * r->width] + 1);
    surekrig_status status = room ? sk_records_send(ranks, to, r, error)
                                  : sk_fail_memory(error, 4.0 * (double)r->n, "rows on their way");
    if (!status)
        sort_here(r);
    free(came);
    free(to);
    return status;
}
