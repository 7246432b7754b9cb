/* Questions answered one after another, each beginning with what it learned from those before, or many at once. */
#include "neighbors/walk.h"

_Static_assert(SK_SLACK >= SHORT + LEAF + 2 * SK_LANES, "vectors are read and written to their end");

static search start(const surekrig_index *t, const surekrig_neighbor_query *q, double *scratch)
{
    double least = q->min_distance / t->unit;
    int64_t k = sk_nearest_first(t, q), room = 2 * k + SHORT, whole = 2 * k + SK_SLACK;
    search s = {.t = t, .query = q, .k = k, .asked = q->k, .least = least * least, .point = scratch};
    s.reach = INFINITY;
    double *square = scratch + t->d, *spare = square + whole;
    uint32_t *place = (uint32_t *)(spare + whole);
    s.found = (candidates){0, room, square, place, spare, place + whole, t->row};
    s.sectors = sk_sectors(t->d);
    s.quota = q->sectors ? q->k / s.sectors : 0;
    s.gathered = spare + 2 * whole;
    s.in_sector = (int64_t *)(s.gathered + SK_LANES * t->d);
    s.sector = (sk_sector *)(s.in_sector + k + SK_LANES);
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

/* The second search, for what sectors want beyond the nearest; the first one's bounds stay. */
static void balance(search *s)
{
    double least = s->least, bound = s->bound;
    if (!count_sectors(s))
        return;
    if (open_sectors(s))
        visit(s, (waiting){0, 0, 0, s->t->levels});
    close_sectors(s);
    s->least = least;
    s->bound = bound;
}

static void answer(search *s, const sk_batch *b, int64_t i)
{
    candidates *c = &s->found;
    int64_t *neighbor = b->neighbor + i * s->asked;
    tighten(s);
    balance(s);
    c->count = c->count < s->asked ? c->count : s->asked;
    s->nearest = c->count ? c->place[0] : 0;
    for (int64_t j = 0; j < c->count; j++)
        neighbor[j] = c->row[c->place[j]];
    for (int64_t j = c->count; j < s->asked; j++)
        neighbor[j] = -1;
    if (b->count)
        b->count[i] = c->count;
}

/* What the points before say about the next one. */
typedef struct guess {
    double usual;  /* square of the k-th distance, INFINITY at first */
    double margin; /* how much of it is added for chance */
} guess;

/* Is all that is within the bound inside the box of node j, and so in no other of its level? */
static bool holds_all(const search *s, int level, int64_t j)
{
    int64_t d = s->t->d, parent = s->t->first[level + 1] + j / WIDE;
    const double *lower = s->t->box + parent * 2 * d * WIDE + j % WIDE, *upper = lower + d * WIDE;
    for (int64_t a = 0; a < d; a++) {
        double down = s->point[a] - lower[a * WIDE], up = upper[a * WIDE] - s->point[a], least = down < up ? down : up;
        if (!(least > 0 && least * least > s->bound))
            return false;
    }
    return true;
}

/* Of few points the root is lower. */
static int home_level(const surekrig_index *t)
{
    return t->levels < SK_HOME_LEVEL ? t->levels : SK_HOME_LEVEL;
}

/* The next point is often in a node around the last one's nearest, and its neighbours too: the way from the root is
 * spared. */
static void look_within(search *s, int64_t i, double bound)
{
    ask(s, i, bound);
    int level = home_level(s->t);
    int64_t j = s->nearest / (LEAF * WIDE * WIDE);
    while (level < s->t->levels && !holds_all(s, level, j)) {
        level++;
        j /= WIDE;
    }
    visit(s, (waiting){0, 0, (uint32_t)(level < s->t->levels ? j : 0), level});
}

/* Begins anew, wider, where the guess has found too few; in the end takes all that comes. The margin settles where one
 * guess in fourteen misleads (0.97^13 * 1.5 = 1): among random points near 2/sqrt(k), on a grid much less. */
static void one(search *s, const sk_batch *b, int64_t i, guess *g)
{
    double bound = g->usual * (1 + g->margin), widest = 1000 * bound;
    look_within(s, i, bound);
    g->margin *= s->found.count < s->k ? 1.5 : 0.97;
    while (s->found.count < s->k && bound < INFINITY) {
        bound = bound > 0 && bound < widest ? 4 * bound : INFINITY;
        look_within(s, i, bound);
    }
    bool enough = s->found.count >= s->k;
    answer(s, b, i);
    if (enough)
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

/* -------------------------------------------------------------------------------------------------- many at once */

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

/* What the home of question i tells; where that is asked elsewhere, the bound that came of it. With a slack, the bound
 * says which boxes are passed over from then on: who is looked into first does not matter, and who holds which homes. */
static uint32_t look_home(search *s, const sk_batch *b, int64_t i)
{
    const sk_part_asked *part = b->part;
    double slack = b->query->slack * b->query->slack, unit = b->index->unit;
    uint32_t home = UINT32_MAX;
    s->reach = INFINITY;
    ask(s, i, INFINITY);
    if (part && part->bound) {
        s->bound = part->bound[i] / unit / unit;
    } else {
        home = part ? part->home[i] : find_home(s);
        s->bound = INFINITY;
        visit(s, (waiting){0, 0, home, home_level(s->t)});
    }
    if (slack > 1) {
        tighten(s);
        s->reach = s->bound / slack;
    }
    return home;
}

/* The homes around which node j of the level above them is; home: [count] have been looked into. */
static void look_around(search *many, int64_t count, uint32_t j, const uint32_t *home)
{
    const surekrig_index *t = many->t;
    int level = home_level(t), children = sk_children(t, level + 1, j);
    unsigned near[SK_TOGETHER];
    double square[WIDE];
    for (int64_t q = 0; q < count; q++)
        near[q] = near_children(many + q, t->first[level + 1] + j, square);
    for (uint32_t c = 0; c < (uint32_t)children; c++)
        for (int64_t q = 0; q < count; q++)
            if (near[q] >> c & 1 && WIDE * j + c != home[q])
                visit(many + q, (waiting){0, 0, WIDE * j + c, level});
}

/* Questions whose answers are all over the tree share each part of it while it is in the cache, their homes first. */
static void sweep(search *many, const sk_batch *b, int64_t begin, int64_t count)
{
    const surekrig_index *t = b->index;
    bool home_alone = b->part && b->part->home;
    int level = home_level(t);
    uint32_t home[SK_TOGETHER];
    for (int64_t q = 0; q < count; q++)
        home[q] = look_home(many + q, b, in_order(b, begin + q));
    if (t->levels == level && !home_alone) /* one home, which a bound alone has not looked into */
        for (int64_t q = 0; q < count; q++)
            if (home[q])
                visit(many + q, (waiting){0, 0, 0, level});
    for (uint32_t j = 0; t->levels > level && j < t->width[level + 1] && !home_alone; j++)
        look_around(many, count, j, home);
    for (int64_t q = 0; q < count; q++)
        answer(many + q, b, in_order(b, begin + q));
}

/* Where one question alone looks into more than a cache holds, the next ones had better be asked with it. Measured with
 * uniform points, n = 1e5, k = 50, in us alone and together: d = 8, 16 and 20 (alone: less than 1 MB each); d = 16, 540
 * and 220; d = 32, 1500 and 440, which is blocked brute force as it would be without a tree. */
static bool touches_much(const search *s)
{
    return s->leaves * LEAF * s->t->d * 8 > SK_CACHED;
}

void SK_HERE(sk_search)(const sk_batch *batch, int64_t begin, int64_t end, double *scratch)
{
    search many[SK_TOGETHER];
    guess g = {INFINITY, 2 / sqrt((double)batch->query->k)};
    int64_t size = sk_search_scratch(batch->index, batch->query), i = begin;
    bool exact = !(batch->query->slack > 1); /* else an answer must not hang on what those before it have taught */
    int together = exact ? 1 : batch->together;
    for (int q = 0; q < batch->together; q++)
        many[q] = start(batch->index, batch->query, scratch + q * size);
    for (; i < end && together == 1 && exact; i++) {
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
    search s = {.t = t, .reach = INFINITY, .point = scratch};
    for (int64_t i = 0; i < n; i++) {
        sk_to_frame(t, x + i * t->d, scratch);
        /* Neighbours in turn are often in one home: one strictly inside its box is in no other. */
        bool same = i > 0 && t->levels > SK_HOME_LEVEL && holds_all(&s, SK_HOME_LEVEL, home[i - 1]);
        home[i] = same ? home[i - 1] : find_home(&s);
    }
}
