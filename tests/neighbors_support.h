/* Neighbours found by sorting all points, and the comparison of every instruction set's with them. */
#ifndef NEIGHBORS_SUPPORT_H
#define NEIGHBORS_SUPPORT_H

#include "neighbors/neighbors.h"
#include "support.h"

typedef struct candidate {
    double square;
    int64_t row;
    bool chosen;
} candidate;

typedef struct cloud {
    int64_t n, d;
    double *x;             /* [n][d] */
    const sk_frame *frame; /* NULL: as they are */
} cloud;

/* The gap from the question to a point, along an axis of the frame. */
static inline double gap_along(const cloud *c, const double *p, const double *q, int64_t a)
{
    double origin = c->frame ? c->frame->lower[a] : 0, side = c->frame ? c->frame->side[a] : 1;
    return (p[a] - origin) / side - (q[a] - origin) / side;
}

static inline double square_between(const cloud *c, const double *p, const double *q)
{
    double sum = 0;
    for (int64_t a = 0; a < c->d; a++)
        sum += gap_along(c, p, q, a) * gap_along(c, p, q, a);
    return sum;
}

static inline int nearer(const void *a, const void *b)
{
    const candidate *p = a, *q = b;
    if (p->square != q->square)
        return p->square < q->square ? -1 : 1;
    return p->row < q->row ? -1 : 1;
}

/* In the plane by the signs of two cross products; elsewhere by the longest gap. */
static inline int64_t plain_sector(const cloud *c, const double *p, const double *q)
{
    static const double edge[9][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}};
    int64_t longest = 0;
    for (int64_t i = 0; i < 8 && c->d == 2; i++) {
        double x = gap_along(c, p, q, 0), y = gap_along(c, p, q, 1);
        if (edge[i][0] * y - edge[i][1] * x >= 0 && x * edge[i + 1][1] - y * edge[i + 1][0] > 0)
            return i;
    }
    if (c->d == 2)
        return 0; /* at the point itself */
    for (int64_t a = c->d - 1; a >= 0; a--)
        if (fabs(gap_along(c, p, q, a)) >= fabs(gap_along(c, p, q, longest)))
            longest = a;
    return 2 * longest + (gap_along(c, p, q, longest) < 0);
}

/* all: [allowed] in order; marks those that their sectors give and as many of the nearest others as make k. */
static inline void plain_choice(const cloud *c, const surekrig_neighbor_query *q, const double *x, candidate *all,
                                int64_t allowed)
{
    int64_t sectors = c->d == 2 ? 8 : 2 * c->d, left = q->k;
    int64_t *given = sk_zeroed(sectors, sizeof *given);
    bool shared = q->sectors && allowed > q->k;
    for (int64_t j = 0; j < allowed && shared && all[j].square <= 32 * 32 * all[q->k - 1].square; j++) {
        int64_t in = plain_sector(c, c->x + all[j].row * c->d, x);
        all[j].chosen = given[in] < q->k / sectors;
        given[in] += all[j].chosen;
        left -= all[j].chosen;
    }
    for (int64_t j = 0; j < allowed && left > 0; j++) {
        left -= !all[j].chosen;
        all[j].chosen = true;
    }
    free(given);
}

/* all: [n] scratch; answer: [k]. */
static inline int64_t plain_answer(const cloud *c, const surekrig_neighbor_query *q, int64_t i, candidate *all,
                                   int64_t *answer)
{
    int64_t allowed = 0, found = 0;
    for (int64_t r = 0; r < c->n; r++) {
        double square = square_between(c, c->x + r * c->d, q->x + i * c->d);
        if ((q->row && q->row[i] == r) || sqrt(square) < q->min_distance ||
            (q->group && q->group[r] == q->own_group[i]))
            continue;
        all[allowed++] = (candidate){square, r, false};
    }
    qsort(all, (size_t)allowed, sizeof *all, nearer);
    plain_choice(c, q, q->x + i * c->d, all, allowed);
    for (int64_t j = 0; j < allowed; j++)
        if (all[j].chosen)
            answer[found++] = all[j].row;
    for (int64_t j = found; j < q->k; j++)
        answer[j] = -1;
    return found;
}

static inline surekrig_index *index_of(const cloud *c)
{
    surekrig_index *index = NULL;
    surekrig_error error = {0};
    succeeded(c->frame ? sk_index_new(&(sk_points){c->n, c->d, c->x, c->frame, 2}, &index, &error)
                       : surekrig_index_new(c->n, c->d, c->x, &index, &error),
              &error);
    int64_t d;
    assert_true(sk_index_size(index, &d) == c->n && d == c->d);
    return index;
}

static inline void compare(const cloud *c, const surekrig_neighbor_query *q, const int64_t *neighbor,
                           const int64_t *count, const char *what)
{
    int64_t *answer = sk_alloc(q->k, sizeof(int64_t));
    candidate *all = sk_alloc(c->n, sizeof *all);
    for (int64_t i = 0; i < q->n; i++) {
        int64_t right = plain_answer(c, q, i, all, answer);
        if (count[i] != right || memcmp(answer, neighbor + i * q->k, (size_t)q->k * sizeof(int64_t)))
            fail_msg("%s, n = %lld, d = %lld, k = %lld, point %lld: %lld found, %lld right; the first %lld, %lld", what,
                     (long long)c->n, (long long)c->d, (long long)q->k, (long long)i, (long long)count[i],
                     (long long)right, (long long)neighbor[i * q->k], (long long)answer[0]);
    }
    free(answer);
    free(all);
}

#define NAME(isa) #isa,
static const char *const ISA[] = {SK_EACH_ISA(NAME)};

static inline void same_as_plain(const cloud *c, const surekrig_index *index, const surekrig_neighbor_query *q)
{
    int64_t *neighbor = sk_alloc(q->n * q->k, sizeof(int64_t)), *count = sk_alloc(q->n, sizeof(int64_t));
    int64_t *other = sk_alloc(q->n * q->k, sizeof(int64_t)), *other_count = sk_alloc(q->n, sizeof(int64_t));
    surekrig_error error = {0};
    succeeded(surekrig_neighbors(index, q, neighbor, count, &error), &error);
    compare(c, q, neighbor, count, "the best set");
    for (int isa = 0; isa < SK_ISA_COUNT; isa++) {
        if (!sk_isa_here((sk_isa)isa))
            continue;
        succeeded(sk_neighbors(index, q, (sk_isa)isa, other, other_count, &error), &error);
        if (memcmp(neighbor, other, (size_t)(q->n * q->k) * sizeof(int64_t)) ||
            memcmp(count, other_count, (size_t)q->n * sizeof(int64_t)))
            compare(c, q, other, other_count, ISA[isa]);
    }
    free(neighbor);
    free(count);
    free(other);
    free(other_count);
}

/* Rows 0, 1, ... : each point left out of its own neighbours. */
static inline int64_t *own_rows(int64_t n)
{
    int64_t *row = sk_alloc(n, sizeof *row);
    for (int64_t i = 0; i < n; i++)
        row[i] = i;
    return row;
}

#endif
