/* Counter-based random numbers: block(seed, stream, index) = Philox4x32-10, so any thread can make any number. */
#include "base/base.h"

#include <math.h>
#include <Random123/philox.h>
#include <stdlib.h>

static philox4x32_ctr_t block(uint64_t seed, uint32_t stream, uint64_t index)
{
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), stream, 0}};
    return philox4x32(counter, key);
}

/* The 2^52 midpoints of equal cells of (0, 1): never 0, never 1. */
static double open_unit(uint32_t high, uint32_t low)
{
    uint64_t bits = ((uint64_t)high << 32 | low) >> 12;
    return ((double)bits + 0.5) * 0x1p-52;
}

double sk_uniform(uint64_t seed, uint32_t stream, uint64_t index)
{
    philox4x32_ctr_t r = block(seed, stream, index);
    return open_unit(r.v[0], r.v[1]);
}

void sk_normal_pair(uint64_t seed, uint32_t stream, uint64_t index, double pair[2])
{
    philox4x32_ctr_t r = block(seed, stream, index); /* Box and Muller */
    double radius = sqrt(-2 * log(open_unit(r.v[0], r.v[1])));
    double angle = 6.283185307179586476925 * open_unit(r.v[2], r.v[3]);
    pair[0] = radius * cos(angle);
    pair[1] = radius * sin(angle);
}

/* True if row was not in the open-addressing set yet. slot: [mask + 1], -1 where empty. */
static bool insert(int64_t *slot, uint64_t mask, int64_t row)
{
    uint64_t at = (uint64_t)row * 0x9e3779b97f4a7c15u & mask;
    while (slot[at] >= 0 && slot[at] != row)
        at = (at + 1) & mask;
    bool fresh = slot[at] < 0;
    slot[at] = row;
    return fresh;
}

/* Floyd's sample without replacement: O(count) whatever n. */
surekrig_status sk_sample_rows(uint64_t seed, int64_t n, int64_t count, int64_t *row, surekrig_error *error)
{
    uint64_t slots = 4;
    while (slots < 2 * (uint64_t)count)
        slots *= 2;
    int64_t *slot = sk_alloc((int64_t)slots, sizeof *slot);
    if (!slot)
        return sk_fail_memory(error, 8.0 * (double)slots, "the sample of the batch");
    for (uint64_t i = 0; i < slots; i++)
        slot[i] = -1;
    for (int64_t i = 0, j = n - count; j < n; i++, j++) {
        int64_t pick = (int64_t)(sk_uniform(seed, SK_STREAM_BATCH, (uint64_t)i) * (double)(j + 1));
        row[i] = insert(slot, slots - 1, pick) ? pick : j;
        if (row[i] == j && pick != j)
            insert(slot, slots - 1, j);
    }
    free(slot);
    sk_sort_numbers(count, row);
    return SUREKRIG_OK;
}

void sk_sample_marks(uint64_t seed, int64_t n, int64_t count, uint64_t *mark)
{
    for (int64_t i = 0, j = n - count; j < n; i++, j++) {
        int64_t pick = (int64_t)(sk_uniform(seed, SK_STREAM_BATCH, (uint64_t)i) * (double)(j + 1));
        int64_t row = mark[pick / 64] >> pick % 64 & 1 ? j : pick;
        mark[row / 64] |= (uint64_t)1 << row % 64;
    }
}

/* Fisher and Yates: each changes places with one before it, or none. */
void sk_shuffle(uint64_t seed, int64_t n, int64_t *row)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)(sk_uniform(seed, SK_STREAM_ORDER, (uint64_t)i) * (double)(i + 1)), held = row[i];
        row[i] = row[j];
        row[j] = held;
    }
}
