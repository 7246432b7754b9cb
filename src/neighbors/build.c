/* The order of the points in the tree, found in place: ranges of points are halved by selection along the longest side
 * of their box; points are moved, not numbers. Halves are whole children of a node: all leaves are full but the last.
 * n log n moves and no memory beside the index: x is [n][d] here, index.c turns the leaves when all is in order. */
#include "neighbors/tree.h"

#include <math.h>

/* ----------------------------------------------------------------------------------------------------- selection */

typedef struct pivot {
    double x;
    uint32_t row;
} pivot;

/* A total order along an axis: the tree does not depend on how ties were moved, and duplicates are halved too. */
static inline bool before(pivot a, pivot b)
{
    return (a.x < b.x) | ((a.x == b.x) & (a.row < b.row));
}

static inline pivot at(const surekrig_index *t, int64_t axis, int64_t i)
{
    return (pivot){t->x[i * t->d + axis], t->row[i]};
}

/* Points before p come first; returns how far they go. Every point is swapped, needed or not: nothing to mispredict. */
static inline int64_t partition(const surekrig_index *t, int64_t d, int64_t axis, int64_t begin, int64_t end, pivot p)
{
    double *x = t->x;
    uint32_t *row = t->row;
    int64_t to = begin;
    for (int64_t i = begin; i < end; i++) {
        uint32_t r = row[i];
        bool first = before((pivot){x[i * d + axis], r}, p);
        row[i] = row[to];
        row[to] = r;
        for (int64_t a = 0; a < d; a++) {
            double v = x[i * d + a];
            x[i * d + a] = x[to * d + a];
            x[to * d + a] = v;
        }
        to += first;
    }
    return to;
}

static int64_t partition_any(const surekrig_index *t, int64_t axis, int64_t begin, int64_t end, pivot p)
{
    switch (t->d) { /* the commonest, unrolled */
    case 1:
        return partition(t, 1, 0, begin, end, p);
    case 2:
        return partition(t, 2, axis, begin, end, p);
    case 3:
        return partition(t, 3, axis, begin, end, p);
    default:
        return partition(t, t->d, axis, begin, end, p);
    }
}

enum { SAMPLE = 63 };

/* The point of a sample that stands where middle stands in the range. */
static pivot choose(const surekrig_index *t, int64_t axis, int64_t begin, int64_t middle, int64_t end)
{
    pivot sample[SAMPLE];
    int64_t size = end - begin, count = size < 1000 ? size < 50 ? 1 : 9 : SAMPLE;
    uint64_t scatter = (uint64_t)begin * 0x9e3779b97f4a7c15u ^ (uint64_t)end; /* even steps would meet the data's own */
    for (int64_t i = 0; i < count; i++) {
        scatter = scatter * 0xd1342543de82ef95u + 0x9e3779b97f4a7c15u;
        pivot p = at(t, axis, begin + (int64_t)((scatter >> 32) * (uint64_t)size >> 32));
        int64_t j = i;
        for (; j > 0 && before(p, sample[j - 1]); j--)
            sample[j] = sample[j - 1];
        sample[j] = p;
    }
    return sample[(middle - begin) * (count - 1) / size];
}

/* Moves the points so that [begin, middle) come before [middle, end) along the axis. */
static void split(const surekrig_index *t, int64_t axis, int64_t begin, int64_t middle, int64_t end)
{
    while (end - begin > 1) {
        pivot p = choose(t, axis, begin, middle, end);
        int64_t cut = partition_any(t, axis, begin, end, p);
        if (cut == begin) { /* p is the first: the point itself moves there */
            p.row++;
            cut = partition_any(t, axis, begin, end, p);
        }
        if (middle < cut)
            end = cut;
        else if (middle > cut)
            begin = cut;
        else
            return;
    }
}

/* -------------------------------------------------------------------------------------------------------- growth */

/* Children begin .. end-1 of node j of a level: the unit of work. */
typedef struct piece {
    int level;
    int64_t j, begin, end;
} piece;

static int64_t first_point(const surekrig_index *t, const piece *p, int64_t child)
{
    int64_t point = (WIDE * p->j + child) * (int64_t)LEAF << 3 * (p->level - 1);
    return point < t->n ? point : t->n;
}

static int64_t longest_axis(const surekrig_index *t, int64_t begin, int64_t end)
{
    int64_t longest = 0;
    double length = -1;
    for (int64_t a = 0; a < t->d && t->d > 1; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = begin; i < end; i++) {
            double x = t->x[i * t->d + a];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        longest = high - low > length ? a : longest;
        length = high - low > length ? high - low : length;
    }
    return longest;
}

/* A lone child becomes the piece of its own children; false when it is a leaf. */
static bool go_down(const surekrig_index *t, piece *p)
{
    while (p->end - p->begin == 1 && p->level > 1) {
        int64_t j = WIDE * p->j + p->begin;
        *p = (piece){p->level - 1, j, 0, sk_children(t, p->level - 1, j)};
    }
    return p->end - p->begin > 1;
}

/* p keeps the lower half, the upper one is returned. */
static piece halve(const surekrig_index *t, piece *p)
{
    int64_t middle = p->begin + (p->end - p->begin + 1) / 2;
    int64_t begin = first_point(t, p, p->begin), end = first_point(t, p, p->end);
    split(t, longest_axis(t, begin, end), begin, first_point(t, p, middle), end);
    piece upper = {p->level, p->j, middle, p->end};
    p->end = middle;
    return upper;
}

static void grow(const surekrig_index *t, piece p)
{
    while (go_down(t, &p))
        grow(t, halve(t, &p));
}

typedef struct growth {
    const surekrig_index *t;
    piece *lower, *upper; /* one for one */
} growth;

static void run_halve(void *context, int64_t begin, int64_t end, int worker)
{
    growth *g = context;
    (void)worker;
    for (int64_t i = begin; i < end; i++)
        g->upper[i] = go_down(g->t, &g->lower[i]) ? halve(g->t, &g->lower[i]) : (piece){0};
}

static void run_grow(void *context, int64_t begin, int64_t end, int worker)
{
    growth *g = context;
    (void)worker;
    for (int64_t i = begin; i < end; i++)
        grow(g->t, g->lower[i]);
}

/* Node by node of level 2, or of the root where that is lower. */
static void run_homes(void *context, int64_t begin, int64_t end, int worker)
{
    const surekrig_index *t = context;
    int level = t->levels < 2 ? t->levels : 2;
    (void)worker;
    for (int64_t j = begin; j < end; j++)
        grow(t, (piece){level, j, 0, sk_children(t, level, j)});
}

enum { MOST_PIECES = 512, WORTH_IT = 2048 }; /* points, for a thread */

/* All pieces are halved at once until there are enough for everyone. */
void sk_grow(surekrig_index *t, bool homes, int threads)
{
    if (homes) {
        int64_t count = t->width[t->levels < 2 ? t->levels : 2];
        sk_parallel(&(sk_task){.count = count, .grain = 1, .threads = threads, .run = run_homes, .context = t});
        return;
    }
    piece pieces[MOST_PIECES] = {{t->levels, 0, 0, sk_children(t, t->levels, 0)}};
    growth g = {t, pieces, pieces};
    int64_t count = 1, before = 0, enough = threads > 1 ? 8 * threads : 1;
    enough = enough < t->n / WORTH_IT ? enough : t->n / WORTH_IT;
    while (count > before && count < enough && 2 * count <= MOST_PIECES) {
        before = count;
        g.upper = pieces + count;
        sk_parallel(&(sk_task){.count = count, .grain = 1, .threads = threads, .run = run_halve, .context = &g});
        for (int64_t i = 0; i < before; i++)
            if (g.upper[i].level)
                pieces[count++] = g.upper[i];
    }
    sk_parallel(&(sk_task){.count = count, .grain = 1, .threads = threads, .run = run_grow, .context = &g});
}
