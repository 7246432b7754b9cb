/* An index from its points to its boxes. */
#include "neighbors/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- frame */

/* The frame's sides, or 1, times the unit. */
static void set_sides(surekrig_index *t, const double *x, const sk_frame *frame)
{
    double longest = 0;
    for (int64_t a = 0; a < t->d; a++) {
        double low = x[a], high = x[a];
        for (int64_t i = 1; i < t->n; i++) {
            low = x[i * t->d + a] < low ? x[i * t->d + a] : low;
            high = x[i * t->d + a] > high ? x[i * t->d + a] : high;
        }
        t->origin[a] = frame ? frame->origin[a] : 0;
        t->side[a] = frame ? frame->side[a] : 1;
        longest = fmax(longest, (high / 2 - low / 2) / t->side[a]);
    }
    t->unit = longest > 0 ? ldexp(1, ilogb(longest) < -1000 ? -1000 : ilogb(longest)) : 1;
    for (int64_t a = 0; a < t->d; a++)
        t->side[a] *= t->unit;
}

typedef struct filling {
    surekrig_index *t;
    const double *from; /* [n][d] the caller's */
    const uint32_t *row;
    double *turned; /* [threads][d][LEAF] */
    int level;
} filling;

static void run_copy(void *context, int64_t begin, int64_t end, int worker)
{
    const filling *f = context;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        f->t->row[i] = f->row ? f->row[i] : (uint32_t)i;
        sk_to_frame(f->t, f->from + i * f->t->d, f->t->x + i * f->t->d);
    }
}

/* --------------------------------------------------------------------------------------------------------- boxes */

/* Points as rows become points as columns; those that are not there have no distance. */
static void turn_leaf(surekrig_index *t, int64_t leaf, double *turned)
{
    int64_t d = t->d, here = t->n - leaf * LEAF < LEAF ? t->n - leaf * LEAF : LEAF;
    double *x = t->x + leaf * LEAF * d;
    for (int64_t a = 0; a < d; a++)
        for (int64_t i = 0; i < LEAF; i++)
            turned[a * LEAF + i] = i < here ? x[i * d + a] : NAN;
    memcpy(x, turned, (size_t)(LEAF * d) * sizeof *x);
    for (int64_t i = here; i < LEAF; i++)
        t->row[leaf * LEAF + i] = UINT32_MAX;
}

/* The smallest and largest of count numbers, holes aside. */
static void range(const double *low, const double *high, int64_t count, double *lower, double *upper)
{
    *lower = INFINITY;
    *upper = -INFINITY;
    for (int64_t i = 0; i < count; i++) {
        *lower = low[i] < *lower ? low[i] : *lower;
        *upper = high[i] > *upper ? high[i] : *upper;
    }
}

static uint32_t least(const uint32_t *row, int64_t count)
{
    uint32_t smallest = UINT32_MAX;
    for (int64_t i = 0; i < count; i++)
        smallest = row[i] < smallest ? row[i] : smallest;
    return smallest;
}

/* Child c of a node gets its box from its own children's, or from its points. */
static void set_box(surekrig_index *t, int level, int64_t child, int64_t node, int64_t c)
{
    int64_t d = t->d, below = level > 1 ? t->first[level - 1] + child : child, wide = level > 1 ? WIDE : LEAF;
    int64_t count = level > 1 ? sk_children(t, level - 1, child) : LEAF;
    const double *low = level > 1 ? t->box + below * 2 * d * WIDE : t->x + below * d * LEAF;
    const double *high = level > 1 ? low + d * WIDE : low;
    double *lower = t->box + node * 2 * d * WIDE + c, *upper = lower + d * WIDE;
    for (int64_t a = 0; a < d; a++)
        range(low + a * wide, high + a * wide, count, lower + a * WIDE, upper + a * WIDE);
    t->least_row[node * WIDE + c] = least((level > 1 ? t->least_row : t->row) + below * wide, count);
}

static void run_box(void *context, int64_t begin, int64_t end, int worker)
{
    const filling *f = context;
    surekrig_index *t = f->t;
    for (int64_t j = begin; j < end; j++)
        for (int64_t c = 0; c < sk_children(t, f->level, j); c++) {
            if (f->level == 1)
                turn_leaf(t, WIDE * j + c, f->turned + worker * LEAF * t->d);
            set_box(t, f->level, WIDE * j + c, t->first[f->level] + j, c);
        }
}

/* ---------------------------------------------------------------------------------------------------------- life */

static void fill(filling *f, int threads)
{
    surekrig_index *t = f->t;
    sk_parallel(&(sk_task){.count = t->n, .grain = 1 << 14, .threads = threads, .run = run_copy, .context = f});
    sk_grow(t, f->row, threads);
    for (f->level = 1; f->level <= t->levels; f->level++)
        sk_parallel(
            &(sk_task){.count = t->width[f->level], .grain = 64, .threads = threads, .run = run_box, .context = f});
}

/* Levels upon levels, until one node holds all; returns how many nodes there are. */
static int64_t shape(surekrig_index *t)
{
    int64_t nodes = 0;
    t->width[0] = (t->n + LEAF - 1) / LEAF;
    do {
        t->levels++;
        t->first[t->levels] = nodes;
        t->width[t->levels] = (t->width[t->levels - 1] + WIDE - 1) / WIDE;
        nodes += t->width[t->levels];
    } while (t->width[t->levels] > 1);
    return nodes;
}

static bool allocate(surekrig_index *t, int64_t nodes)
{
    int64_t room = t->width[0] * LEAF, corners = nodes * 2 * WIDE;
    t->origin = sk_doubles(t->d);
    t->side = sk_doubles(t->d);
    t->row = sk_alloc(room, sizeof *t->row);
    t->least_row = sk_alloc(nodes * WIDE, sizeof *t->least_row);
    if (t->d < INT64_MAX / 16 / room) {
        t->x = sk_aligned(room * t->d, sizeof(double));
        t->box = sk_aligned(corners * t->d, sizeof(double));
        if (t->box)
            memset(t->box, 0, (size_t)(corners * t->d) * sizeof(double)); /* what no child fills */
    }
    return t->origin && t->side && t->row && t->least_row && t->x && t->box;
}

surekrig_status sk_index_new(const sk_points *p, surekrig_index **index, surekrig_error *error)
{
    if (p->n >= UINT32_MAX)
        return sk_fail(error, SUREKRIG_INVALID, "%lld points given: an index holds fewer than %lld", (long long)p->n,
                       (long long)UINT32_MAX);
    int threads = sk_threads(p->threads);
    surekrig_index *t = sk_zeroed(1, sizeof *t);
    double *turned = sk_doubles(threads * LEAF * p->d);
    if (t) {
        t->n = p->n;
        t->d = p->d;
    }
    if (!t || !turned || !allocate(t, shape(t))) {
        free(turned);
        surekrig_index_free(t);
        return sk_fail_memory(error, (double)p->n * (8.0 * (double)p->d + 4), "the index of neighbours");
    }
    set_sides(t, p->x, p->frame);
    fill(&(filling){t, p->x, p->row, turned, 0}, threads);
    free(turned);
    *index = t;
    return SUREKRIG_OK;
}

void surekrig_index_free(surekrig_index *t)
{
    if (!t)
        return;
    free(t->origin);
    free(t->side);
    free(t->x);
    free(t->row);
    free(t->box);
    free(t->least_row);
    free(t);
}

int64_t sk_index_size(const surekrig_index *index, int64_t *d)
{
    *d = index->d;
    return index->n;
}

int64_t sk_index_bytes(const surekrig_index *t)
{
    int64_t points = t->width[0] * LEAF, boxes = (t->first[t->levels] + 1) * WIDE;
    return points * (8 * t->d + 4) + boxes * (16 * t->d + 4);
}
