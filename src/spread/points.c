/* Points that each rank has by itself go to where they lie, so that most of their neighbours are there, and what was made
 * of them comes back. No rank gets more than its share: what is too much goes to where there is room, first of all to the
 * rank that has it. */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many points that lie at a rank go to another, or there. */
typedef struct run {
    int home, to;
    int64_t count;
} run;

typedef struct plan {
    int size, rank;
    int64_t *count; /* [ranks][ranks] points that each rank has, by where they lie */
    int64_t *room;  /* [ranks] */
    run *own;       /* of this rank's points, by home; at most [4 ranks] */
    int runs;
} plan;

static void give(plan *p, int from, int home, int to)
{
    int64_t *left = &p->count[from * p->size + home], some = *left < p->room[to] ? *left : p->room[to];
    *left -= some;
    p->room[to] -= some;
    if (some && from == p->rank)
        p->own[p->runs++] = (run){home, to, some};
}

static int by_home(const void *a, const void *b)
{
    const run *p = a, *q = b;
    return p->home != q->home ? p->home - q->home : p->to - q->to;
}

/* Every rank goes through all of it, and so knows its own. */
static void make_plan(plan *p)
{
    int64_t all = 0;
    for (int i = 0; i < p->size * p->size; i++)
        all += p->count[i];
    for (int r = 0; r < p->size; r++)
        p->room[r] = (all + p->size - 1) / p->size;
    for (int home = 0; home < p->size; home++)
        for (int r = 0; r < p->size; r++)
            give(p, r, home, home);
    for (int home = 0; home < p->size; home++)
        for (int r = 0; r < p->size; r++)
            give(p, r, home, r);
    for (int home = 0, to = 0; home < p->size; home++)
        for (int r = 0; r < p->size; r++)
            while (p->count[r * p->size + home] > 0) {
                while (!p->room[to])
                    to++;
                give(p, r, home, to);
            }
    qsort(p->own, (size_t)p->runs, sizeof *p->own, by_home);
}

/* home: [n], in; out: where each goes. Those without one stay. */
static bool find_ways(const sk_ranks *ranks, int64_t n, int *home)
{
    int size = ranks->size;
    int64_t *mine = sk_zeroed(3 * size, sizeof *mine), *bytes = mine ? mine + size : NULL;
    for (int64_t i = 0; i < n && mine; i++)
        if (home[i] >= 0)
            mine[home[i]]++;
    plan p = {size, ranks->rank, NULL, mine ? mine + 2 * size : NULL, sk_zeroed(4 * size, sizeof *p.own), 0};
    if (mine && p.own)
        p.count = sk_gather(ranks, mine, size * (int64_t)sizeof *mine, bytes);
    bool room = p.count;
    if (room)
        make_plan(&p);
    for (int i = 0, h = 0; h < size && room; h++) { /* where each home's runs begin */
        while (i < p.runs && p.own[i].home < h)
            i++;
        bytes[h] = i;
    }
    for (int64_t i = 0; i < n && room; i++) {
        if (home[i] < 0) {
            home[i] = ranks->rank;
            continue;
        }
        run *of = p.own + bytes[home[i]];
        bytes[home[i]] += --of->count == 0;
        home[i] = of->to;
    }
    free(mine);
    free(p.own);
    free(p.count);
    return room;
}

void sk_visitors_free(sk_visitors *m)
{
    free(m->order);
    free(m->rows);
    free(m->value);
    *m = (sk_visitors){0};
}

/* The order in which points leave: by rank. */
static void set_order(sk_visitors *m, int size, const int *to)
{
    int64_t *at = m->rows + size, sum = 0; /* filled in with what comes, later */
    for (int64_t i = 0; i < m->n; i++)
        m->rows[to[i]]++;
    for (int r = 0; r < size; r++) {
        at[r] = sum;
        sum += m->rows[r];
    }
    for (int64_t i = 0; i < m->n; i++)
        m->order[at[to[i]]++] = i;
}

surekrig_status sk_points_move(const sk_seek *seek, const sk_points_asked *asked, sk_visitors *out,
                               surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(seek->data);
    int64_t n = asked->n, width = asked->width, d = seek->data->d, *bytes = sk_zeroed(2 * ranks->size, sizeof *bytes);
    sk_visitors m = {n, 0, sk_alloc(n, sizeof *m.order), sk_zeroed(2 * ranks->size, sizeof *m.rows), NULL};
    double *leaving = sk_doubles(n * width);
    int *home = sk_alloc(n, sizeof *home);
    bool room = bytes && m.order && m.rows && leaving && home;
    for (int64_t i = 0; i < n && room; i++) {
        home[i] = 0;
        for (int64_t a = 0; a < d; a++)
            home[i] = isnan(asked->place[i * d + a]) ? -1 : home[i];
        home[i] = home[i] < 0 ? -1 : sk_seek_home(seek, asked->place + i * d);
    }
    room = room && find_ways(ranks, n, home);
    if (room)
        set_order(&m, ranks->size, home);
    for (int64_t i = 0; i < n && room; i++)
        memcpy(leaving + i * width, asked->value + m.order[i] * width, (size_t)width * sizeof *leaving);
    for (int r = 0; r < ranks->size && room; r++)
        bytes[r] = m.rows[r] * width * (int64_t)sizeof *leaving;
    if (room)
        m.value = sk_exchange(ranks, leaving, bytes, bytes + ranks->size);
    for (int r = 0; r < ranks->size && m.value; r++) {
        m.rows[ranks->size + r] = bytes[ranks->size + r] / (int64_t)sizeof *leaving / width;
        m.came += m.rows[ranks->size + r];
    }
    free(bytes);
    free(leaving);
    free(home);
    *out = m;
    return m.value ? SUREKRIG_OK : sk_fail_memory(error, 16.0 * (double)(n * width), "points on their way");
}

surekrig_status sk_points_return(const sk_ranks *ranks, const sk_visitors *m, int64_t width, const double *made,
                                 double *out, surekrig_error *error)
{
    int64_t *bytes = sk_alloc(2 * ranks->size, sizeof *bytes);
    double *come = sk_doubles(m->n * width);
    bool room = bytes && come;
    for (int r = 0; r < 2 * ranks->size && room; r++)
        bytes[r] = m->rows[r] * width * (int64_t)sizeof *come;
    if (room)
        ranks->exchange(ranks, made, bytes + ranks->size, come, bytes);
    for (int64_t i = 0; i < m->n && room; i++)
        memcpy(out + m->order[i] * width, come + i * width, (size_t)width * sizeof *out);
    free(bytes);
    free(come);
    return room ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)(m->n * width), "points on their way back");
}
