/* Depth first, nearest child first. The children of a node are tested together, the points of a leaf measured together;
 * those near enough join the candidates, and when these are twice too many the k best remain and tighten the bound.
 * Squares and their lower bounds are rounded the same way, axis by axis and never fused, so that pruning never loses a
 * tie and every instruction set finds the same neighbours. */
#include "neighbors/candidates.h"
#include "neighbors/search.h"

enum { MOST_WAITING = MOST_LEVELS * WIDE };

typedef struct search {
    const surekrig_index *t;
    const surekrig_neighbor_query *query;
    int64_t k, own_group;
    uint32_t without;    /* a row, or UINT32_MAX */
    double least;        /* square of an allowed distance */
    double bound;        /* squares above it are of no use */
    uint32_t worst_row;  /* nor is a square equal to it with a greater row */
    int64_t leaves;      /* looked into */
    double *point;       /* [d] in the frame */
    candidates found;
} search;

/* -------------------------------------------------------------------------------------------------------------- leaves */

/* The k best remain. */
static void tighten(search *s)
{
    candidates *c = &s->found;
    sort_first(c, 0, c->count, s->k);
    if (c->count < s->k)
        return;
    c->count = s->k;
    s->bound = c->square[s->k - 1];
    s->worst_row = c->row[s->k - 1];
}

/* Candidates from `from` on are new: are they allowed? What a square and a row alone decide, measure() has asked; quotas
 * by sector would be asked here. */
static void admit(search *s, int64_t from)
{
    candidates *c = &s->found;
    int64_t kept = from;
    for (int64_t i = from; i < c->count; i++) {
        c->square[kept] = c->square[i];
        c->row[kept] = c->row[i];
        kept += s->query->group[c->row[i]] != s->own_group;
    }
    c->count = kept;
}

static inline void measure(search *s, int64_t leaf, int64_t d)
{
    enum { VECTORS = LEAF / SK_LANES };
    candidates *c = &s->found;
    const double *x = s->t->x + leaf * d * LEAF;
    const uint32_t *row = s->t->row + leaf * LEAF;
    sk_vec sum[VECTORS] = {{0}};
    for (int64_t a = 0; a < d; a++)
        for (int v = 0; v < VECTORS; v++) {
            sk_vec gap = load(x + a * LEAF + v * SK_LANES) - s->point[a];
            sum[v] += gap * gap;
        }
    for (int v = 0; v < VECTORS; v++) {
        unsigned keep = at_most(sum[v], all(s->bound)) & at_most(all(s->least), sum[v]) &
                        ~rows_equal(row + v * SK_LANES, s->without);
        keep_doubles(c->square + c->count, sum[v], keep);
        keep_rows(c->row + c->count, row + v * SK_LANES, keep);
        c->count += __builtin_popcount(keep);
    }
}

static void look_into(search *s, int64_t leaf)
{
    int64_t before = s->found.count;
    s->leaves++;
    switch (s->t->d) { /* the commonest, unrolled */
    case 1: measure(s, leaf, 1); break;
    case 2: measure(s, leaf, 2); break;
    case 3: measure(s, leaf, 3); break;
    default: measure(s, leaf, s->t->d);
    }
    if (s->query->group)
        admit(s, before);
    if (s->found.count > s->found.capacity - LEAF)
        tighten(s);
}

/* --------------------------------------------------------------------------------------------------------------- nodes */

/* square: [WIDE] of the distance to each child's box; returns those that may hold a neighbour, as bits. */
static inline unsigned near_boxes(const search *s, int64_t node, int64_t d, double *square)
{
    const double *lower = s->t->box + node * 2 * d * WIDE, *upper = lower + d * WIDE;
    unsigned near = 0;
    for (int v = 0; v < WIDE; v += SK_LANES) {
        sk_vec sum = {0};
        for (int64_t a = 0; a < d; a++) {
            sk_vec x = all(s->point[a]);
            sk_vec gap = greater(greater(load(lower + a * WIDE + v) - x, x - load(upper + a * WIDE + v)), all(0));
            sum += gap * gap;
        }
        store(square + v, sum);
        near |= at_most(sum, all(s->bound)) << v;
    }
    return near;
}

/* Of these children, those with a corner beyond the least distance. */
static unsigned far_corners(const search *s, int64_t node, unsigned near)
{
    int64_t d = s->t->d;
    const double *lower = s->t->box + node * 2 * d * WIDE, *upper = lower + d * WIDE;
    unsigned inside = 0;
    for (int v = 0; v < WIDE; v += SK_LANES) {
        sk_vec sum = {0};
        for (int64_t a = 0; a < d; a++) {
            sk_vec x = all(s->point[a]);
            sk_vec gap = greater(x - load(lower + a * WIDE + v), load(upper + a * WIDE + v) - x);
            sum += gap * gap;
        }
        inside |= less(sum, all(s->least)) << v;
    }
    return near & ~inside;
}

static inline unsigned near_children(const search *s, int64_t node, double *square)
{
    switch (s->t->d) {
    case 1: return near_boxes(s, node, 1, square);
    case 2: return near_boxes(s, node, 2, square);
    case 3: return near_boxes(s, node, 3, square);
    default: return near_boxes(s, node, s->t->d, square);
    }
}

static inline bool of_use(const search *s, double square, uint32_t least_row)
{
    return square < s->bound || (square == s->bound && least_row < s->worst_row);
}

typedef struct waiting {
    double square;
    uint32_t least_row, j;
    int level;
} waiting;

/* The children wait, farthest at the bottom; of equals, the later, whose rows are greater among duplicates. */
static int push(const search *s, waiting *stack, int top, unsigned near, const double *square)
{
    waiting parent = stack[top];
    int bottom = top;
    const uint32_t *least_row = s->t->least_row + (s->t->first[parent.level] + parent.j) * WIDE;
    for (; near; near &= near - 1) {
        int c = __builtin_ctz(near), to = top++;
        for (; to > bottom && stack[to - 1].square <= square[c]; to--)
            stack[to] = stack[to - 1];
        stack[to] = (waiting){square[c], least_row[c], WIDE * parent.j + (uint32_t)c, parent.level - 1};
    }
    return top;
}

static void visit(search *s, waiting root)
{
    const surekrig_index *t = s->t;
    waiting stack[MOST_WAITING];
    stack[0] = root;
    for (int top = 1; top > 0;) {
        waiting at = stack[--top];
        double square[WIDE];
        if (!of_use(s, at.square, at.least_row))
            continue;
        int64_t node = t->first[at.level] + at.j;
        unsigned near = near_children(s, node, square) & ((1u << sk_children(t, at.level, at.j)) - 1);
        if (s->least > 0)
            near = far_corners(s, node, near);
        if (at.level > 1) {
            top = push(s, stack, top, near, square);
            continue;
        }
        for (; near; near &= near - 1) {
            int c = __builtin_ctz(near);
            if (of_use(s, square[c], t->least_row[node * WIDE + c]))
                look_into(s, WIDE * (int64_t)at.j + c);
        }
    }
}

/* ----------------------------------------------------------------------------------------------------------- questions */

static search start(const surekrig_index *t, const surekrig_neighbor_query *q, double *scratch)
{
    double least = q->min_distance / t->unit;
    int64_t room = 2 * q->k + SHORT, whole = room + SHORT;
    search s = {.t = t, .query = q, .k = q->k, .least = least * least, .point = scratch};
    double *square = scratch + t->d, *spare = square + whole;
    uint32_t *row = (uint32_t *)(spare + whole);
    s.found = (candidates){0, room, square, row, spare, row + whole};
    return s;
}

/* Question i, of which nothing is known but the bound. */
static void ask(search *s, int64_t i, double bound)
{
    const surekrig_neighbor_query *q = s->query;
    sk_to_frame(s->t, q->x + i * s->t->d, s->point);
    s->without = q->row && q->row[i] >= 0 && q->row[i] < s->t->n ? (uint32_t)q->row[i] : UINT32_MAX;
    s->own_group = q->group ? q->own_group[i] : 0;
    s->found.count = s->leaves = 0;
    s->bound = bound;
    s->worst_row = UINT32_MAX;
}

static void answer(search *s, const sk_batch *b, int64_t i)
{
    const candidates *c = &s->found;
    int64_t *neighbor = b->neighbor + i * s->k;
    tighten(s);
    for (int64_t j = 0; j < c->count; j++)
        neighbor[j] = c->row[j];
    for (int64_t j = c->count; j < s->k; j++)
        neighbor[j] = -1;
    if (b->count)
        b->count[i] = c->count;
}

/* What the points before say about the next one. */
typedef struct guess {
    double usual;  /* square of the k-th distance, INFINITY at first */
    double margin; /* how much of it is added for chance */
} guess;

static void look_within(search *s, int64_t i, double bound)
{
    ask(s, i, bound);
    visit(s, (waiting){0, 0, 0, s->t->levels});
}

/* Begins anew, wider, where the guess has found too few; in the end takes all that comes. The margin settles where one
 * guess in fourteen misleads (0.97^13 * 1.5 = 1): random places need some 2/sqrt(k), smooth changes on a grid much less. */
static void one(search *s, const sk_batch *b, int64_t i, guess *g)
{
    double bound = g->usual * (1 + g->margin), widest = 1000 * bound;
    look_within(s, i, bound);
    g->margin *= s->found.count < s->k ? 1.5 : 0.97;
    while (s->found.count < s->k && bound < INFINITY) {
        bound = bound > 0 && bound < widest ? 4 * bound : INFINITY;
        look_within(s, i, bound);
    }
    answer(s, b, i);
    if (s->found.count == s->k)
        g->usual = g->usual < INFINITY ? (g->usual + 2 * s->bound) / 3 : s->bound;
}

/* In the caller's arrays the points in order are anywhere: fetched ahead of time. */
static void prefetch(const sk_batch *b, int64_t i)
{
    const int64_t *neighbor = b->neighbor + i * b->query->k;
    __builtin_prefetch(b->query->x + i * b->index->d);
    for (int64_t j = 0; j < b->query->k; j += 8)
        __builtin_prefetch(neighbor + j, 1);
}

static int64_t in_order(const sk_batch *b, int64_t i)
{
    return b->order ? b->order[i] : i;
}

/* --------------------------------------------------------------------------------------------------------- many at once */

/* The child around the point, else the nearest. */
static uint32_t home_child(search *s, int level, uint32_t j)
{
    double square[WIDE];
    int count = sk_children(s->t, level, j), nearest = 0;
    unsigned around = near_children(s, s->t->first[level] + j, square) & ((1u << count) - 1);
    if (around)
        return WIDE * j + (uint32_t)__builtin_ctz(around);
    for (int c = 1; c < count; c++)
        nearest = square[c] < square[nearest] ? c : nearest;
    return WIDE * j + (uint32_t)nearest;
}

static uint32_t find_home(search *s)
{
    uint32_t j = 0;
    s->bound = 0; /* only what is around the point is near */
    for (int level = s->t->levels; level > SK_HOME_LEVEL; level--)
        j = home_child(s, level, j);
    return j;
}

/* Questions whose answers are all over the tree share each part of it while it is in the cache, their homes first. */
static void sweep(search *many, const sk_batch *b, int64_t begin, int64_t count)
{
    const surekrig_index *t = b->index;
    int level = t->levels < SK_HOME_LEVEL ? t->levels : SK_HOME_LEVEL;
    uint32_t home[SK_TOGETHER];
    for (int64_t q = 0; q < count; q++) {
        ask(many + q, in_order(b, begin + q), INFINITY);
        home[q] = find_home(many + q);
        many[q].bound = INFINITY;
        visit(many + q, (waiting){0, 0, home[q], level});
    }
    for (uint32_t j = 0; j < t->width[level]; j++)
        for (int64_t q = 0; q < count; q++)
            if (j != home[q])
                visit(many + q, (waiting){0, 0, j, level});
    for (int64_t q = 0; q < count; q++)
        answer(many + q, b, in_order(b, begin + q));
}

/* Where one question alone looks into more than a cache holds, the next ones had better be asked with it. Measured with
 * uniform points, n = 1e5, k = 50, alone and together: d = 8, 16 us (each looks into 0.4 MB) and 20; d = 16, 540 and 220;
 * d = 32, 1500 and 440, which is blocked brute force as it would be without a tree. */
static bool touches_much(const search *s)
{
    return s->leaves * LEAF * s->t->d * 8 > SK_CACHED;
}

void SK_HERE(sk_search)(const sk_batch *batch, int64_t begin, int64_t end, double *scratch)
{
    search many[SK_TOGETHER];
    guess g = {INFINITY, 2 / sqrt((double)batch->query->k)};
    int64_t size = sk_search_scratch(batch->index, batch->query->k), i = begin;
    int together = 1;
    for (int q = 0; q < batch->together; q++)
        many[q] = start(batch->index, batch->query, scratch + q * size);
    for (; i < end && together == 1; i++) {
        if (batch->order && i + 1 < end)
            prefetch(batch, batch->order[i + 1]);
        one(many, batch, in_order(batch, i), &g);
        together = touches_much(many) ? batch->together : 1;
    }
    for (; i < end; i += together)
        sweep(many, batch, i, end - i < together ? end - i : together);
}

void SK_HERE(sk_find_homes)(const surekrig_index *t, const double *x, int64_t n, double *scratch, uint32_t *home)
{
    search s = {.t = t, .point = scratch};
    for (int64_t i = 0; i < n; i++) {
        sk_to_frame(t, x + i * t->d, scratch);
        home[i] = find_home(&s);
    }
}
