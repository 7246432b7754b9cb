/* The places and times of all rows, of which each rank has some. Times are records in order, of which each rank has the
 * next ones; the rows at a place are found on each rank by itself, and what they say is put together. */
#include "heldout/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 2 }; /* of a record: the time, and the row's number in the file */

void sk_times_close(sk_times *t)
{
    free(t->place);
    free(t->series);
    free(t->order.value);
    *t = (sk_times){0};
}

/* ---- made */

typedef struct dated {
    int64_t place, row;
    double at;
} dated;

static int by_place(const void *a, const void *b)
{
    const dated *x = a, *y = b;
    if (x->place != y->place)
        return x->place > y->place ? 1 : -1;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->row > y->row) - (x->row < y->row);
}

static bool sort_series(sk_times *t)
{
    dated *row = sk_alloc(t->own, sizeof *row);
    for (int64_t i = 0; i < t->own && row; i++) {
        row[i] = (dated){t->place[i], i, sk_time_of(t, i)};
        t->places += t->place[i] == sk_number(&t->m->data, i);
    }
    if (row && t->own > 1)
        qsort(row, (size_t)t->own, sizeof *row, by_place);
    for (int64_t i = 0; i < t->own && row; i++)
        t->series[i] = row[i].row;
    t->places = sk_sum(t->ranks, t->places);
    free(row);
    return row;
}

/* At the last record, its time; in the next number, how many times there were after the first one. */
static void count_steps(void *context, double *last)
{
    const sk_records *r = context;
    for (int64_t i = 0; i < r->n; i++) {
        double at = r->value[i * WIDTH];
        last[1] += at > last[0] && isfinite(last[0]);
        last[0] = at;
    }
}

static surekrig_status sort_times(sk_times *t, surekrig_error *error)
{
    sk_records *r = &t->order;
    *r = (sk_records){t->own, WIDTH, WIDTH, sk_doubles(t->own * WIDTH)};
    if (!r->value)
        return sk_fail_memory(error, 16.0 * (double)t->own, "the rows in time");
    t->first = INFINITY;
    for (int64_t i = 0; i < t->own; i++) {
        r->value[i * WIDTH] = sk_time_of(t, i);
        r->value[i * WIDTH + 1] = (double)sk_number(&t->m->data, i);
        t->first = fmin(t->first, r->value[i * WIDTH]);
    }
    surekrig_status status = sk_records_sort(t->ranks, r, error);
    if (status)
        return status;
    double last[2] = {-INFINITY, 0};
    t->before = sk_before(t->ranks, r->n);
    sk_least(t->ranks, 1, &t->first);
    sk_in_turn(t->ranks, count_steps, r, 2, last);
    t->last = last[0];
    t->step = (t->last - t->first) / last[1];
    return SUREKRIG_OK;
}

/* Own rows and targets together, in a frame without time; first: [own + targets]. */
static surekrig_status find_here(const sk_times *t, const double *target, const sk_frame *frame, int64_t *first,
                                 surekrig_error *error)
{
    int64_t d = frame->d, all = t->own + t->targets;
    double *x = sk_doubles(all * d);
    if (!x)
        return sk_fail_memory(error, 8.0 * (double)(all * d), "places");
    memcpy(x, t->m->kriged.x, (size_t)(t->own * d) * sizeof *x);
    memcpy(x + t->own * d, target, (size_t)(t->targets * d) * sizeof *x);
    int64_t found = sk_repeats_first(&(surekrig_data){.n = all, .d = d, .x = x}, frame, 1, first);
    free(x);
    return found < 0 ? sk_fail_memory(error, 8.0 * (double)all, "places") : SUREKRIG_OK;
}

/* A target without a row at its place, on any rank, has none. */
static surekrig_status take_places(sk_times *t, const sk_frame *frame, const int64_t *first, surekrig_error *error)
{
    int64_t d = frame->d, largest;
    bool *counts = sk_alloc(d, sizeof *counts);
    double *of = sk_doubles(t->targets);
    surekrig_status status = counts && of ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)t->targets, "places");
    for (int64_t a = 0; a < d && !status; a++)
        counts[a] = isfinite(frame->start[a]);
    if (!status && t->ranks->size > 1)
        status = sk_rows_alike(&t->m->kriged, counts, NULL, t->place, &largest, error);
    else if (!status)
        memcpy(t->place, first, (size_t)t->own * sizeof *first);
    for (int64_t i = 0; i < t->targets && !status; i++)
        of[i] = first[t->own + i] < t->own ? (double)t->place[first[t->own + i]] : -1;
    if (!status)
        sk_most(t->ranks, t->targets, of);
    for (int64_t i = 0; i < t->targets && !status; i++)
        t->place[t->own + i] = (int64_t)of[i];
    free(counts);
    free(of);
    return status;
}

static surekrig_status find_places(sk_times *t, const double *target, surekrig_error *error)
{
    int64_t d = t->m->kriged.d, *first = sk_alloc(t->own + t->targets, sizeof *first);
    sk_frame frame = {.d = d, .start = sk_copy(t->m->frame.start, d, sizeof(double))};
    surekrig_status status = SUREKRIG_OK;
    if (!first || !frame.start)
        status = sk_fail_memory(error, 8.0 * (double)t->own, "places");
    if (!status) {
        frame.start[t->m->metric.time] = INFINITY;
        status = find_here(t, target, &frame, first, error);
    }
    if (!status)
        status = take_places(t, &frame, first, error);
    free(first);
    free(frame.start);
    return status;
}

surekrig_status sk_times_open(const surekrig_model *m, int64_t targets, const double *target, sk_times *t,
                              surekrig_error *error)
{
    int64_t own = sk_own(&m->data);
    *t = (sk_times){.m = m,
                    .ranks = sk_ranks_of(&m->data),
                    .own = own,
                    .targets = targets,
                    .place = sk_alloc(own + targets, sizeof *t->place),
                    .series = sk_alloc(own, sizeof *t->series)};
    surekrig_status status = t->place && t->series ? find_places(t, target, error)
                                                   : sk_fail_memory(error, 16.0 * (double)own, "the shape of the task");
    if (!status)
        status = sort_series(t) ? sort_times(t, error) : sk_fail_memory(error, 24.0 * (double)own, "the rows in time");
    if (status)
        sk_times_close(t);
    return status;
}

/* ---- asked */

/* How many of the records here have a time of at most `at`, or below it. */
static int64_t until(const sk_times *t, double at, bool below)
{
    int64_t low = 0, high = t->order.n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        double time = t->order.value[middle * WIDTH];
        if (below ? time < at : time <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sk_times_near(const sk_times *t, int64_t n, double *at_most, double *at_least)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t before = until(t, at_most[i], false), from = until(t, at_least[i], true);
        at_most[i] = before > 0 ? t->order.value[(before - 1) * WIDTH] : -INFINITY;
        at_least[i] = from < t->order.n ? t->order.value[from * WIDTH] : INFINITY;
    }
    sk_most(t->ranks, n, at_most);
    sk_least(t->ranks, n, at_least);
}

void sk_times_range(const sk_times *t, int64_t n, const double *at, double *first, double *count)
{
    for (int64_t i = 0; i < n; i++) {
        first[i] = (double)until(t, at[i], true);
        count[i] = (double)until(t, at[i], false) - first[i];
    }
    sk_add(t->ranks, n, first);
    sk_add(t->ranks, n, count);
}

void sk_times_row(const sk_times *t, int64_t n, double *place)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t here = (int64_t)place[i] - t->before;
        place[i] = place[i] >= 0 && here >= 0 && here < t->order.n ? t->order.value[here * WIDTH + 1] : -1;
    }
    sk_most(t->ranks, n, place);
}

int64_t sk_times_series(const sk_times *t, int64_t place)
{
    int64_t low = 0, high = t->own;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (t->place[t->series[middle]] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many of the rows in a range of the series, all at one place, have a time of at most `at`, or below it. */
static int64_t until_in(const sk_times *t, const int64_t range[2], double at, bool below)
{
    int64_t low = range[0], high = range[1];
    while (low < high) {
        int64_t middle = (low + high) / 2;
        double time = sk_time_of(t, t->series[middle]);
        if (below ? time < at : time <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low - range[0];
}

void sk_times_near_at(const sk_times *t, int64_t n, const int64_t *place, double *at_most, double *at_least)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t range[2] = {sk_times_series(t, place[i]), sk_times_series(t, place[i] + 1)};
        int64_t before = until_in(t, range, at_most[i], false), from = range[0] + until_in(t, range, at_least[i], true);
        at_most[i] = before > 0 ? sk_time_of(t, t->series[range[0] + before - 1]) : -INFINITY;
        at_least[i] = from < range[1] ? sk_time_of(t, t->series[from]) : INFINITY;
    }
    sk_most(t->ranks, n, at_most);
    sk_least(t->ranks, n, at_least);
}

surekrig_status sk_times_places(const sk_times *t, int64_t n, const int64_t *row, int64_t *place, surekrig_error *error)
{
    double *of = sk_doubles(n);
    if (!of)
        return sk_fail_memory(error, 8.0 * (double)n, "places");
    for (int64_t i = 0; i < n; i++)
        of[i] = row[i] < t->own ? (double)t->place[row[i]] : -1;
    sk_most(t->ranks, n, of);
    for (int64_t i = 0; i < n; i++)
        place[i] = (int64_t)of[i];
    free(of);
    return SUREKRIG_OK;
}
