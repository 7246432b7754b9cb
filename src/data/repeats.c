/* Rows that share a place: all coordinates that count are the same number. A table of places by their hash, which has
 * room for each; where the rows are very many, first one for a sample of the places, so that data without such rows pay
 * next to nothing. */
#include "data/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLED = 1 << 20, AHEAD = 16 }; /* rows, about; and how many rows ahead the table is fetched */

static uint64_t hash_of(const surekrig_data *data, const sk_frame *frame, int64_t row)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int64_t a = 0; a < data->d; a++) {
        double x = data->x[row * data->d + a] + 0.0; /* -0 is 0 */
        uint64_t bits;
        if (isinf(frame->start[a]))
            continue;
        memcpy(&bits, &x, sizeof bits);
        h = (h ^ bits) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h * 0xc4ceb9fe1a85ec53u;
}

static bool same_place(const surekrig_data *data, const sk_frame *frame, int64_t one, int64_t other)
{
    for (int64_t a = 0; a < data->d; a++)
        if (isfinite(frame->start[a]) && data->x[one * data->d + a] != data->x[other * data->d + a])
            return false;
    return true;
}

uint64_t sk_repeats_every(int64_t n)
{
    return n > SAMPLED ? (uint64_t)(n / SAMPLED) : 1;
}

/* Among places whose hash is in the lowest of `every` parts: first[row] <- the first row at its place, where first is
 * given. Returns how many rows are not the first at theirs; -1: no memory. */
int64_t sk_repeats_first(const surekrig_data *data, const sk_frame *frame, uint64_t every, int64_t *first)
{
    int64_t room = 16, repeats = 0;
    while (room < (every > 1 ? 4 : 2) * (data->n / (int64_t)every)) /* of a sample, more may come */
        room *= 2;
    uint32_t *at = sk_zeroed(room, sizeof *at); /* rows from 1; 0: free */
    uint64_t hash[AHEAD] = {0};
    int64_t held = 0;
    for (int64_t j = 0; at && j < data->n + AHEAD && held < room / 2; j++) {
        int64_t i = j - AHEAD;
        uint64_t h = hash[j % AHEAD];
        int64_t slot = (int64_t)(h >> 20) & (room - 1);
        if (j < data->n) {
            hash[j % AHEAD] = hash_of(data, frame, j);
            __builtin_prefetch(at + ((int64_t)(hash[j % AHEAD] >> 20) & (room - 1)));
        }
        if (i < 0 || (h >> 32) * every >> 32 != 0)
            continue;
        while (at[slot] && !same_place(data, frame, (int64_t)at[slot] - 1, i))
            slot = (slot + 1) & (room - 1);
        repeats += at[slot] != 0;
        held += at[slot] == 0;
        if (!at[slot])
            at[slot] = (uint32_t)(i + 1);
        if (first)
            first[i] = (int64_t)at[slot] - 1;
    }
    free(at);
    return at ? repeats : -1;
}

/* The largest difference from a place's first response: its square may be more than a double holds. */
static double largest_off(const surekrig_data *data, const sk_repeats *p, int64_t q)
{
    double largest = 0;
    for (int64_t i = 0; i < data->n; i++)
        largest = fmax(largest, fabs(data->y[i * data->l + q] - data->y[p->of[i] * data->l + q]));
    return largest;
}

/* Sizes of places and the responses' sd within them, from the first row of each. */
static void measure(const surekrig_data *data, sk_repeats *p, int64_t *count, double *sum)
{
    int64_t l = data->l, freedom = 0;
    for (int64_t i = 0; i < data->n; i++) {
        int64_t here = ++count[p->of[i]];
        p->shared_places += here == 2;
        p->shared_rows += here == 2 ? 2 : here > 2;
        p->most = here > p->most ? here : p->most;
        freedom += here > 1;
    }
    for (int64_t q = 0; q < l; q++) {
        double unit = largest_off(data, p, q), square = 0;
        for (int64_t i = 0; i < data->n; i++)
            sum[i] = 0;
        for (int64_t i = 0; i < data->n && unit > 0; i++) { /* off the first one's, lest squares cancel */
            double off = (data->y[i * l + q] - data->y[p->of[i] * l + q]) / unit;
            sum[p->of[i]] += off;
            square += off * off;
        }
        for (int64_t i = 0; i < data->n; i++)
            square -= count[i] > 1 ? sum[i] * sum[i] / (double)count[i] : 0;
        p->within_sd[q] = unit * sqrt(fmax(square, 0) / (double)freedom);
    }
}

void sk_repeats_free(sk_repeats *p)
{
    free(p->of);
    free(p->within_sd);
    *p = (sk_repeats){0};
}

surekrig_status sk_repeats_find(const surekrig_data *data, const sk_frame *frame, sk_repeats *out,
                                surekrig_error *error)
{
    uint64_t every = sk_repeats_every(data->n);
    int64_t n = data->n, repeats = sk_repeats_first(data, frame, every, NULL);
    *out = (sk_repeats){0};
    if (repeats == 0)
        return SUREKRIG_OK;
    sk_repeats p = {sk_alloc(n, sizeof *p.of), 0, 0, 0, sk_doubles(data->l)};
    int64_t *count = sk_zeroed(n, sizeof *count);
    double *sum = sk_doubles(n);
    bool room = repeats > 0 && p.of && p.within_sd && count && sum;
    if (room)
        repeats = sk_repeats_first(data, frame, 1, p.of);
    if (room && repeats > 0) {
        measure(data, &p, count, sum);
        *out = p;
        p = (sk_repeats){0};
    }
    free(count);
    free(sum);
    sk_repeats_free(&p);
    return room && repeats >= 0 ? SUREKRIG_OK : sk_fail_memory(error, 24.0 * (double)n, "rows that share a place");
}
