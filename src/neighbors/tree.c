/* A k-d tree over points moved into leaf order. Node 1 holds all points; node i's children 2i and 2i+1 hold the lower and
 * upper half along the longest side of its box. Leaves hold at most LEAF points, contiguous in memory.
 * Distances and their lower bounds are rounded the same way, axis by axis, so pruning never loses a tie. */
#include "neighbors/neighbors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 16 };

struct surekrig_index {
    int64_t n, d;
    int levels;      /* splits between the root and a leaf */
    double *origin;  /* [d], and side [d]: the frame, its sides times unit */
    double *side;
    double unit;     /* a power of two near the longest side, so that no square overflows or underflows */
    double *x;       /* [n][d] in the frame, in leaf order */
    int64_t *row;    /* [n] the caller's row of each */
    double *box;     /* [nodes][2][d] */
};

static void swap_points(surekrig_index *t, int64_t i, int64_t j)
{
    int64_t row = t->row[i];
    t->row[i] = t->row[j];
    t->row[j] = row;
    for (int64_t a = 0; a < t->d; a++) {
        double x = t->x[i * t->d + a];
        t->x[i * t->d + a] = t->x[j * t->d + a];
        t->x[j * t->d + a] = x;
    }
}

/* A total order along an axis, so that the tree does not depend on how the selection moves ties. */
static bool before(const surekrig_index *t, int64_t axis, int64_t i, double x, int64_t row)
{
    double xi = t->x[i * t->d + axis];
    return xi < x || (xi == x && t->row[i] < row);
}

static bool after(const surekrig_index *t, int64_t axis, int64_t i, double x, int64_t row)
{
    double xi = t->x[i * t->d + axis];
    return xi > x || (xi == x && t->row[i] > row);
}

/* Moves the points so that [begin, middle) come before [middle, end) along the axis. */
static void split(surekrig_index *t, int64_t axis, int64_t begin, int64_t middle, int64_t end)
{
    while (end - begin > 1) {
        /* Scattered pivots: the middle one makes points that go out and come back quadratic. */
        uint64_t scatter = ((uint64_t)begin * 0x9e3779b97f4a7c15u ^ (uint64_t)end) * 0xbf58476d1ce4e5b9u >> 20;
        int64_t pivot = begin + (int64_t)(scatter % (uint64_t)(end - begin)), i = begin, j = end - 1;
        double x = t->x[pivot * t->d + axis];
        int64_t row = t->row[pivot];
        while (i <= j) {
            while (before(t, axis, i, x, row))
                i++;
            while (after(t, axis, j, x, row))
                j--;
            if (i <= j)
                swap_points(t, i++, j--);
        }
        if (middle <= j)
            end = j + 1;
        else if (middle >= i)
            begin = i;
        else
            return;
    }
}

static void fit_box(surekrig_index *t, int64_t node, int64_t begin, int64_t end)
{
    double *lower = t->box + node * 2 * t->d, *upper = lower + t->d;
    for (int64_t a = 0; a < t->d; a++) {
        lower[a] = INFINITY;
        upper[a] = -INFINITY;
    }
    for (int64_t i = begin; i < end; i++)
        for (int64_t a = 0; a < t->d; a++) {
            lower[a] = fmin(lower[a], t->x[i * t->d + a]);
            upper[a] = fmax(upper[a], t->x[i * t->d + a]);
        }
}

static void build(surekrig_index *t, int64_t node, int level, int64_t begin, int64_t end)
{
    fit_box(t, node, begin, end);
    if (level == t->levels)
        return;
    const double *lower = t->box + node * 2 * t->d, *upper = lower + t->d;
    int64_t axis = 0, middle = begin + (end - begin) / 2;
    for (int64_t a = 1; a < t->d; a++)
        if (upper[a] - lower[a] > upper[axis] - lower[axis])
            axis = a;
    split(t, axis, begin, middle, end);
    build(t, 2 * node, level + 1, begin, middle);
    build(t, 2 * node + 1, level + 1, middle, end);
}

/* The frame's sides, or 1, times the unit. */
static void set_sides(surekrig_index *t, const double *x, const sk_frame *frame)
{
    double longest = 0;
    for (int64_t a = 0; a < t->d; a++) {
        double low = x[a], high = x[a];
        for (int64_t i = 1; i < t->n; i++) {
            low = fmin(low, x[i * t->d + a]);
            high = fmax(high, x[i * t->d + a]);
        }
        t->origin[a] = frame ? frame->lower[a] : 0;
        t->side[a] = frame ? frame->side[a] : 1;
        longest = fmax(longest, (high / 2 - low / 2) / t->side[a]);
    }
    t->unit = longest > 0 ? ldexp(1, ilogb(longest) < -1000 ? -1000 : ilogb(longest)) : 1;
    for (int64_t a = 0; a < t->d; a++)
        t->side[a] *= t->unit;
}

static void to_frame(const surekrig_index *t, const double *point, double *scaled)
{
    for (int64_t a = 0; a < t->d; a++)
        scaled[a] = (point[a] - t->origin[a]) / t->side[a];
}

surekrig_status sk_index_new(int64_t n, int64_t d, const double *x, const sk_frame *frame, surekrig_index **index,
                             surekrig_error *error)
{
    surekrig_index *t = sk_zeroed(1, sizeof *t);
    if (!t)
        return sk_fail_memory(error, sizeof *t, "the index");
    t->n = n;
    t->d = d;
    while ((n >> t->levels) > LEAF)
        t->levels++;
    t->origin = sk_doubles(d);
    t->side = sk_doubles(d);
    t->x = sk_doubles(n * d);
    t->row = sk_alloc(n, sizeof *t->row);
    t->box = sk_doubles(((int64_t)4 << t->levels) * d);
    if (!t->origin || !t->side || !t->x || !t->row || !t->box) {
        surekrig_index_free(t);
        return sk_fail_memory(error, 8.0 * (double)n * (double)(d + 1), "the index of neighbours");
    }
    set_sides(t, x, frame);
    for (int64_t i = 0; i < n; i++) {
        t->row[i] = i;
        to_frame(t, x + i * d, t->x + i * d);
    }
    build(t, 1, 0, 0, n);
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
    free(t);
}

/* ------------------------------------------------------------------------------------------------------------- search */

typedef struct search {
    const surekrig_index *t;
    const sk_near *near;
    const double *scaled;  /* the point in the frame */
    double least_square;   /* of an allowed distance */
    sk_candidate *heap;    /* the worst candidate on top */
    int64_t found;
} search;

static bool worse(sk_candidate a, sk_candidate b)
{
    return a.square > b.square || (a.square == b.square && a.row > b.row);
}

static void sift_down(sk_candidate *heap, int64_t count, sk_candidate c)
{
    int64_t at = 0, child;
    while ((child = 2 * at + 1) < count) {
        if (child + 1 < count && worse(heap[child + 1], heap[child]))
            child++;
        if (!worse(heap[child], c))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = c;
}

static void sift_up(sk_candidate *heap, int64_t at, sk_candidate c)
{
    while (at > 0 && worse(c, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = c;
}

static bool allowed(const search *s, sk_candidate c)
{
    const sk_near *near = s->near;
    return c.row != near->without_row && c.square >= s->least_square &&
           !(near->group && near->group[c.row] == near->without_group);
}

static void offer(search *s, sk_candidate c)
{
    bool full = s->found == s->near->k;
    if ((full && !worse(s->heap[0], c)) || !allowed(s, c))
        return;
    if (full)
        sift_down(s->heap, s->found, c);
    else
        sift_up(s->heap, s->found++, c);
}

static double box_square(const search *s, int64_t node)
{
    const double *lower = s->t->box + node * 2 * s->t->d, *upper = lower + s->t->d;
    double sum = 0;
    for (int64_t a = 0; a < s->t->d; a++) {
        double gap = fmax(fmax(lower[a] - s->scaled[a], s->scaled[a] - upper[a]), 0);
        sum += gap * gap;
    }
    return sum;
}

static void scan(search *s, int64_t begin, int64_t end)
{
    const surekrig_index *t = s->t;
    for (int64_t i = begin; i < end; i++) {
        double sum = 0;
        for (int64_t a = 0; a < t->d; a++) {
            double gap = t->x[i * t->d + a] - s->scaled[a];
            sum += gap * gap;
        }
        offer(s, (sk_candidate){sum, t->row[i]});
    }
}

static void visit(search *s, int64_t node, int level, int64_t begin, int64_t end)
{
    if (level == s->t->levels) {
        scan(s, begin, end);
        return;
    }
    int64_t middle = begin + (end - begin) / 2;
    double square[2] = {box_square(s, 2 * node), box_square(s, 2 * node + 1)};
    for (int turn = 0, side = square[1] < square[0]; turn < 2; turn++, side = !side) {
        if (s->found == s->near->k && square[side] > s->heap[0].square)
            continue;
        visit(s, 2 * node + side, level + 1, side ? middle : begin, side ? end : middle);
    }
}

int64_t sk_nearest(const surekrig_index *index, const sk_near *near, sk_candidate *heap, double *scaled)
{
    double least = near->min_distance / index->unit;
    search s = {index, near, scaled, least * least, heap, 0};
    to_frame(index, near->point, scaled);
    visit(&s, 1, 0, 0, index->n);
    for (int64_t last = s.found - 1; last > 0; last--) { /* the heap becomes a list, nearest first */
        sk_candidate c = heap[last];
        heap[last] = heap[0];
        sift_down(heap, last, c);
    }
    return s.found;
}

int64_t sk_index_size(const surekrig_index *index, int64_t *d)
{
    *d = index->d;
    return index->n;
}
