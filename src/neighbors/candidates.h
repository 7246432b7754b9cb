/* Candidates, known by their places in the tree, by distance, then by row: the first k of many, in order. Quicksort
 * that looks at what it needs, down to short stretches, whose order is counted: rank of j = how many squares are
 * smaller. No branch there depends on the data. Included by *.simd.c alone. */
#ifndef SK_CANDIDATES_H
#define SK_CANDIDATES_H

#include "neighbors/lanes.h"

#include <math.h>

enum { SHORT = 64 }; /* a multiple of the lanes; ranks within fit a byte */

typedef struct candidates {
    int64_t count, capacity; /* one vector more may be written */
    double *square;
    uint32_t *place;
    double *spare_square; /* [capacity and a vector] scratch */
    uint32_t *spare_place;
    const uint32_t *row; /* of each place */
} candidates;

/* Among equal squares the row decides. */
static void settle_ties(candidates *c, int64_t begin, int64_t end)
{
    for (int64_t i = begin + 1; i < end; i++) {
        if (c->square[i] != c->square[i - 1])
            continue;
        uint32_t place = c->place[i], row = c->row[place];
        int64_t j = i;
        for (; j > begin && c->square[j - 1] == c->square[i] && c->row[c->place[j - 1]] > row; j--)
            c->place[j] = c->place[j - 1];
        c->place[j] = place;
    }
}

/* rank: [count] how many of the squares are smaller. Whole pairs of vectors are read and written. */
static void count_smaller(const double *square, int64_t count, int64_t *rank)
{
    for (int64_t j = 0; j < count; j += 2 * SK_LANES) {
        sk_vec low = load(square + j), high = load(square + j + SK_LANES);
        sk_mask below_low = {0}, below_high = {0};
        for (int64_t i = 0; i < count; i++) {
            below_low = count_less(below_low, sk_all(square[i]), low);
            below_high = count_less(below_high, sk_all(square[i]), high);
        }
        memcpy(rank + j, &below_low, sizeof below_low);
        memcpy(rank + j + SK_LANES, &below_high, sizeof below_high);
    }
}

static void sort_short(candidates *c, int64_t begin, int64_t end)
{
    int64_t rank[SHORT], count = end - begin;
    uint8_t taken[SHORT] = {0}; /* by equals that came before */
    double *square = c->square + begin;
    uint32_t *place = c->place + begin;
    count_smaller(square, count, rank);
    for (int64_t i = 0; i < count; i++) {
        int64_t to = rank[i] + taken[rank[i]]++;
        c->spare_square[to] = square[i];
        c->spare_place[to] = place[i];
    }
    memcpy(square, c->spare_square, (size_t)count * sizeof *square);
    memcpy(place, c->spare_place, (size_t)count * sizeof *place);
    settle_ties(c, begin, end);
}

/* Those below the pivot come first, or with or_equal those not above it; returns how far they go. */
static int64_t divide(candidates *c, int64_t begin, int64_t end, double pivot, bool or_equal)
{
    int64_t low = begin, high = 0, i = begin;
    for (; i + SK_LANES <= end; i += SK_LANES) {
        sk_vec s = load(c->square + i);
        unsigned first = or_equal ? at_most(s, sk_all(pivot)) : less(s, sk_all(pivot));
        unsigned rest = ~first & ((1u << SK_LANES) - 1);
        keep_doubles(c->spare_square + high, s, rest);
        keep_places(c->spare_place + high, c->place + i, rest);
        keep_places(c->place + low, c->place + i, first); /* low <= i: nothing unread is overwritten */
        keep_doubles(c->square + low, s, first);
        low += count_bits(first);
        high += count_bits(rest);
    }
    for (; i < end; i++) {
        double s = c->square[i];
        bool first = or_equal ? s <= pivot : s < pivot;
        uint32_t place = c->place[i];
        c->spare_square[high] = c->square[low] = s;
        c->spare_place[high] = c->place[low] = place;
        low += first;
        high += !first;
    }
    memcpy(c->square + low, c->spare_square, (size_t)high * sizeof *c->square);
    memcpy(c->place + low, c->spare_place, (size_t)high * sizeof *c->place);
    return low;
}

static double middle_of(double a, double b, double c)
{
    double low = fmin(a, b), high = fmax(a, b);
    return fmin(high, fmax(low, c));
}

static double choose_pivot(const candidates *c, int64_t begin, int64_t end)
{
    const double *s = c->square + begin;
    int64_t step = (end - begin) / 9;
    return middle_of(middle_of(s[0], s[step], s[2 * step]), middle_of(s[3 * step], s[4 * step], s[5 * step]),
                     middle_of(s[6 * step], s[7 * step], s[8 * step]));
}

static void sort_first(candidates *c, int64_t begin, int64_t end, int64_t wanted);

/* Many equal squares: the rows, which differ, stand in for them. */
static void sort_equal(candidates *c, int64_t begin, int64_t end, int64_t wanted)
{
    double square = c->square[begin];
    for (int64_t i = begin; i < end; i++)
        c->square[i] = c->row[c->place[i]];
    sort_first(c, begin, end, wanted);
    for (int64_t i = begin; i < end; i++)
        c->square[i] = square;
}

static void least_first(candidates *c, int64_t begin, int64_t end)
{
    int64_t least = begin;
    for (int64_t i = begin + 1; i < end; i++)
        if (c->square[i] < c->square[least] ||
            (c->square[i] == c->square[least] && c->row[c->place[i]] < c->row[c->place[least]]))
            least = i;
    double square = c->square[least];
    uint32_t place = c->place[least];
    c->square[least] = c->square[begin];
    c->place[least] = c->place[begin];
    c->square[begin] = square;
    c->place[begin] = place;
}

/* Brings those that belong to the first `wanted` of all into their places. */
static void sort_first(candidates *c, int64_t begin, int64_t end, int64_t wanted)
{
    if (wanted == begin + 1 && end > begin) {
        least_first(c, begin, end);
        return;
    }
    while (begin < wanted && end - begin > SHORT) {
        double pivot = choose_pivot(c, begin, end);
        int64_t cut = divide(c, begin, end, pivot, false);
        if (cut > begin) {
            sort_first(c, begin, cut, wanted);
        } else {
            cut = divide(c, begin, end, pivot, true);
            if (cut - begin > SHORT)
                sort_equal(c, begin, cut, wanted);
            else
                sort_short(c, begin, cut);
        }
        begin = cut;
    }
    if (begin < wanted && end - begin > 1)
        sort_short(c, begin, end);
}

#endif
