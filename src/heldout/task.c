/* Held-out points in the shape of the task, where there is a time: what a target has no data from, a point that stands
 * for it is predicted without.
 *   station   a place without data, at a time that has some: without all rows at the point's own place
 *   hole      a place with data, between two of its times: without the rows at its place as near in time as that
 *   outage    a time at which no place has data: without any rows in a stretch of time as long
 *   ahead     after the last time of all: without any rows after a cut; behind: before the first, likewise
 * Points go in folds, each a set of rows that are left out; one of holes has a stretch at each place. Of many ranks each
 * leaves out its own rows; what is asked of all of them is asked at once, for all targets or points (times.c). */
#include "heldout/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 512, FOLDS = 16, NOWHERE = -1 };
static const double LONG = 5;     /* mean steps of time: a longer one without data is an outage */
static const double BEFORE = 0.3; /* share of the range of time that a cut leaves at least */

typedef enum kind { STATION, HOLE, OUTAGE, AHEAD, BEHIND } kind;
enum { KINDS = BEHIND + 1 };

typedef struct aim { /* what a target asks of a point that stands for it */
    kind kind;
    double before, after; /* from its time to what is known: infinite where nothing is */
} aim;

typedef struct point {
    int64_t which;      /* of the points, as they were drawn */
    int64_t row, place; /* numbers in the file, of the row and of the first at its place */
    int64_t fold;       /* 0: stations; then FOLDS of each kind; then holes; NOWHERE */
    aim aim;
} point;

typedef struct stretch {
    double from, to;
} stretch;

typedef struct task {
    const surekrig_model *m;
    uint64_t seed;
    sk_times times;
    int64_t *group; /* [own] what a fold leaves out */
    int64_t count[KINDS];
    aim aim[SAMPLE];
    stretch out[KINDS][FOLDS];                           /* of folds of outages, times ahead and times behind */
    double first[SAMPLE * FOLDS], among[SAMPLE * FOLDS]; /* rows for each target, in each fold of its kind: where */
    double at_most[SAMPLE * FOLDS], at_least[SAMPLE * FOLDS]; /* they begin in time, and how many; scratch */
} task;

static void close_task(task *t)
{
    if (!t)
        return;
    sk_times_close(&t->times);
    free(t->group);
    free(t);
}

static double draw(const task *t, int64_t number)
{
    return sk_uniform(t->seed, SK_STREAM_ORDER, (uint64_t)number);
}

/* ---- targets */

static const double *place_of(const task *t, int64_t target)
{
    return sk_holdout_target(t->m, t->seed, target);
}

/* Of a target's time, and of what is known next to it, at any place. */
static aim aim_at(const task *t, double at, double before, double after)
{
    double farthest = (t->times.last - t->times.first) / 2; /* more cannot be tried */
    before = at - before;
    after = after - at;
    if (isinf(before) || isinf(after))
        return isinf(after) ? (aim){AHEAD, fmin(before, farthest), after}
                            : (aim){BEHIND, before, fmin(after, farthest)};
    return (aim){before + after > LONG * t->times.step ? OUTAGE : STATION, before, after};
}

static void take_aims(task *t)
{
    const int64_t *place = t->times.place + t->times.own;
    for (int64_t i = 0; i < SAMPLE; i++)
        t->at_most[i] = t->at_least[i] = place_of(t, i)[t->m->metric.time];
    sk_times_near(&t->times, SAMPLE, t->at_most, t->at_least);
    for (int64_t i = 0; i < SAMPLE; i++) {
        double at = place_of(t, i)[t->m->metric.time];
        t->aim[i] = aim_at(t, at, t->at_most[i], t->at_least[i]);
        t->at_most[i] = t->at_least[i] = at;
    }
    sk_times_near_at(&t->times, SAMPLE, place, t->at_most, t->at_least);
    for (int64_t i = 0; i < SAMPLE; i++) {
        double at = place_of(t, i)[t->m->metric.time];
        if (t->aim[i].kind == STATION)
            t->aim[i] = place[i] < 0 ? (aim){STATION, 0, 0} : (aim){HOLE, at - t->at_most[i], t->at_least[i] - at};
        t->count[t->aim[i].kind]++;
    }
}

static surekrig_status open_task(const surekrig_model *m, uint64_t seed, task **out, surekrig_error *error)
{
    int64_t d = m->kriged.d;
    task *t = sk_zeroed(1, sizeof *t);
    double *target = sk_doubles(SAMPLE * d);
    if (t)
        *t = (task){.m = m, .seed = seed, .group = sk_alloc(sk_own(&m->data), sizeof *t->group)};
    surekrig_status status = t && target && t->group
                                 ? SUREKRIG_OK
                                 : sk_fail_memory(error, 8.0 * (double)sk_own(&m->data), "the shape of the task");
    for (int64_t i = 0; i < SAMPLE && !status; i++)
        memcpy(target + i * d, place_of(t, i), (size_t)d * sizeof *target);
    if (!status)
        status = sk_times_open(m, SAMPLE, target, &t->times, error);
    free(target);
    if (status) {
        close_task(t);
        return status;
    }
    take_aims(t);
    *out = t;
    return SUREKRIG_OK;
}

surekrig_status sk_task_fits(const surekrig_model *m, uint64_t seed, bool *fits, surekrig_error *error)
{
    task *t = NULL;
    *fits = false;
    if (m->metric.time < 0 || m->kriged.targets < 1)
        return SUREKRIG_OK;
    surekrig_status status = open_task(m, seed, &t, error);
    if (status)
        return status;
    *fits = 2 * t->times.places <= m->data.n || 2 * (t->count[OUTAGE] + t->count[AHEAD] + t->count[BEHIND]) > SAMPLE;
    close_task(t);
    return SUREKRIG_OK;
}

/* ---- stretches of time that folds leave out */

/* From one of the times on, or up to one: not yet as they are, but where one is looked for. Its length is a target's, its
 * place anywhere; of a cut, where enough is left. */
static stretch lay_stretch(const task *t, kind of, int64_t fold)
{
    double u = draw(t, -1 - of * FOLDS - fold), range = t->times.last - t->times.first, length = (1 - BEFORE) * range;
    int64_t which = of == OUTAGE ? fold % t->count[OUTAGE] : 0, at = 0;
    while (of == OUTAGE && (t->aim[at].kind != OUTAGE || which-- > 0))
        at++;
    if (of == OUTAGE)
        length = fmin(t->aim[at].before + t->aim[at].after, range / 2);
    double from = t->times.first + (of == AHEAD    ? BEFORE * range + u * length
                                    : of == BEHIND ? u * length
                                                   : u * (range - length));
    return (stretch){from, of == AHEAD ? INFINITY : length};
}

static void lay_stretches(task *t)
{
    int64_t n = 0;
    for (kind of = OUTAGE; of <= BEHIND; of++)
        for (int64_t fold = 0; fold < FOLDS; fold++, n++) {
            t->out[of][fold] = t->count[of] ? lay_stretch(t, of, fold) : (stretch){t->times.first, 0};
            t->at_most[n] = t->at_least[n] = t->out[of][fold].from;
        }
    sk_times_near(&t->times, n, t->at_most, t->at_least);
    n = 0;
    for (kind of = OUTAGE; of <= BEHIND; of++)
        for (int64_t fold = 0; fold < FOLDS; fold++, n++)
            t->out[of][fold] = of == BEHIND ? (stretch){-INFINITY, t->at_least[n]}
                                            : (stretch){t->at_most[n], t->at_most[n] + t->out[of][fold].to};
}

/* Inside a fold's stretch, as far from what is left as the target is. */
static double time_in(const task *t, aim a, int64_t fold)
{
    stretch out = t->out[a.kind][fold];
    return a.kind == AHEAD    ? out.from + a.before
           : a.kind == BEHIND ? out.to - a.after
                              : out.from + (out.to - out.from) * a.before / (a.before + a.after);
}

/* The rows that may stand for a target in a fold of its kind: those of the time in the stretch that is nearest to where
 * one is wanted, within a step; or none. */
static void find_rows(task *t)
{
    for (int64_t i = 0; i < SAMPLE * FOLDS; i++) {
        aim a = t->aim[i / FOLDS];
        double at = a.kind < OUTAGE ? INFINITY : time_in(t, a, i % FOLDS);
        stretch out = t->out[a.kind][i % FOLDS];
        t->at_most[i] = nextafter(fmin(at, out.to), -INFINITY);
        t->at_least[i] = fmax(at, nextafter(out.from, INFINITY));
    }
    sk_times_near(&t->times, SAMPLE * FOLDS, t->at_most, t->at_least);
    for (int64_t i = 0; i < SAMPLE * FOLDS; i++) {
        aim a = t->aim[i / FOLDS];
        stretch out = t->out[a.kind][i % FOLDS];
        double at = a.kind < OUTAGE ? INFINITY : time_in(t, a, i % FOLDS), before = t->at_most[i],
               after = t->at_least[i];
        bool earlier = !(after < out.to) || (before > out.from && at - before < after - at);
        double found = earlier ? before : after;
        bool there = a.kind >= OUTAGE && found > out.from && found < out.to && fabs(found - at) <= t->times.step;
        t->at_most[i] = there ? found : INFINITY; /* which no row has */
    }
    sk_times_range(&t->times, SAMPLE * FOLDS, t->at_most, t->first, t->among);
}

/* ---- points */

/* The i-th point stands for the i-th target. Where stretches are left out it is another row, in a fold that has one; or
 * nowhere. *place: that row's among all in time, or -1. */
static void set_point(const task *t, point *p, double *place)
{
    int64_t fold = (int64_t)(draw(t, 2 * p->which) * FOLDS), tried = 0, target = p->which % SAMPLE;
    p->aim = t->aim[target];
    p->fold = 0;
    *place = -1;
    if (p->aim.kind < OUTAGE) /* folds of holes are set when all are known */
        return;
    while (tried < FOLDS && !(t->among[target * FOLDS + (fold + tried) % FOLDS] > 0))
        tried++;
    p->fold = tried == FOLDS ? NOWHERE : 1 + p->aim.kind * FOLDS + (fold + tried) % FOLDS;
    int64_t at = target * FOLDS + (fold + tried) % FOLDS;
    if (tried < FOLDS)
        *place = t->first[at] + (double)(int64_t)(draw(t, 2 * p->which + 1) * t->among[at]);
}

static int by_place(const void *a, const void *b)
{
    const point *x = a, *y = b;
    if (x->place != y->place)
        return x->place > y->place ? 1 : -1;
    return (x->which > y->which) - (x->which < y->which);
}

static int by_fold(const void *a, const void *b)
{
    const point *x = a, *y = b;
    return x->fold != y->fold ? (x->fold > y->fold) - (x->fold < y->fold) : (x->row > y->row) - (x->row < y->row);
}

/* A fold has one hole at a place. */
static void part_holes(int64_t n, point *p)
{
    int64_t seen = 0;
    qsort(p, (size_t)n, sizeof *p, by_place);
    for (int64_t i = 0; i < n; i++) {
        seen = i > 0 && p[i].place == p[i - 1].place ? seen : 0;
        if (p[i].aim.kind == HOLE)
            p[i].fold = 1 + KINDS * FOLDS + seen++;
    }
}

static surekrig_status make_points(task *t, sk_holdout *h, point *p, surekrig_error *error)
{
    double *moved = sk_doubles(h->n);
    int64_t *place = sk_alloc(h->n, sizeof *place);
    surekrig_status status = moved && place ? sk_times_places(&t->times, h->n, h->row, place, error)
                                            : sk_fail_memory(error, 16.0 * (double)h->n, "held-out points");
    for (int64_t i = 0; i < h->n && !status; i++) {
        p[i] = (point){.which = i, .row = sk_number(&t->m->data, h->row[i]), .place = place[i]};
        set_point(t, &p[i], &moved[i]);
    }
    if (!status)
        sk_times_row(&t->times, h->n, moved);
    for (int64_t i = 0; i < h->n && !status; i++)
        p[i].row = moved[i] >= 0 ? (int64_t)moved[i] : p[i].row;
    free(moved);
    free(place);
    if (status)
        return status;
    part_holes(h->n, p);
    qsort(p, (size_t)h->n, sizeof *p, by_fold);
    for (int64_t i = 0; i < h->n; i++)
        h->row[i] = p[i].row;
    status = sk_rows_take(&t->m->data, h->n, h->row, error);
    sk_model_derive(t->m);
    sk_holdout_places(t->m, h);
    return status;
}

/* What a fold leaves out, into group; x: [points][coordinates] of the points, own: [points] what each is without. */
static void leave_out(const task *t, int64_t points, const point *p, const double *x, int64_t *own)
{
    const sk_times *all = &t->times;
    kind of = p->aim.kind;
    stretch out = of < OUTAGE ? (stretch){0, 0} : t->out[of][(p->fold - 1) % FOLDS];
    for (int64_t i = 0; i < all->own; i++) {
        double at = sk_time_of(all, i);
        t->group[i] = of == STATION ? all->place[i] : of == HOLE ? -1 : at > out.from && at < out.to;
    }
    for (int64_t i = 0; i < points; i++)
        own[i] = of < OUTAGE ? p[i].place : 1;
    for (int64_t i = 0; i < points && of == HOLE; i++) {
        double at = x[i * t->m->kriged.d + t->m->metric.time];
        for (int64_t j = sk_times_series(all, own[i]); j < all->own && all->place[all->series[j]] == own[i]; j++) {
            double gap = sk_time_of(all, all->series[j]) - at;
            if (gap > -p[i].aim.before && gap < p[i].aim.after)
                t->group[all->series[j]] = own[i];
        }
    }
}

/* The neighbours of some points, which are of one fold: those of the holdout from this one on. */
static surekrig_status surround_fold(const task *t, int64_t points, const point *p, sk_holdout *h, int64_t from,
                                     surekrig_error *error)
{
    const double *x = h->x + from * t->m->kriged.d;
    int64_t *own = sk_alloc(points, sizeof *own);
    if (!own)
        return sk_fail_memory(error, 8.0 * (double)points, "held-out points");
    leave_out(t, points, p, x, own);
    surekrig_neighbor_query query = {.n = points, .x = x, .row = h->row + from, .group = t->group, .own_group = own};
    surekrig_status status = sk_model_neighbors(t->m, query, h->neighbor + from * h->k, h->count + from, error);
    free(own);
    return status;
}

surekrig_status sk_task_surround(const surekrig_model *m, uint64_t seed, sk_holdout *h, surekrig_error *error)
{
    task *t = NULL;
    surekrig_status status = open_task(m, seed, &t, error);
    if (status)
        return status;
    lay_stretches(t);
    find_rows(t);
    point *p = sk_alloc(h->n, sizeof *p);
    status = p ? make_points(t, h, p, error) : sk_fail_memory(error, 56.0 * (double)h->n, "held-out points");
    int64_t lost = 0; /* they come first */
    for (; lost < h->n && !status && p[lost].fold == NOWHERE; lost++)
        h->count[lost] = 0;
    h->accepted = (double)(h->n - lost) / (double)h->n;
    for (int64_t from = lost, end; from < h->n && !status; from = end) {
        for (end = from + 1; end < h->n && p[end].fold == p[from].fold;)
            end++;
        status = surround_fold(t, end - from, p + from, h, from, error);
    }
    free(p);
    close_task(t);
    return status;
}
