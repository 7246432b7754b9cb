/* Rows at one place, of all ranks: such rows are of one rank, and what is counted of them is added up. */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>

typedef struct measuring {
    struct sk_rows *rows;
    const int64_t *first; /* [own] the row that is the first at each one's place */
    int64_t *count;       /* [own] rows there, of the first */
    double *sum, *term;   /* [own] */
} measuring;

static void add_up(void *column, double *sum)
{
    const sk_column *of = column;
    for (int64_t i = 0; i < of->n; i++)
        *sum += of->value[i];
}

/* The terms of own rows, and all others', in the file's order. */
static bool add_terms(const measuring *g, double *square)
{
    const struct sk_rows *rows = g->rows;
    double *column = sk_rows_to_file(rows, g->term, 1);
    if (column)
        sk_in_turn(&rows->of.link, add_up, &(sk_column){rows->of.came, column, 1, NULL}, 1, square);
    free(column);
    return column != NULL;
}

/* What each row adds to the squares within places, then what its place takes off them. */
static bool measure_response(measuring *g, int64_t q, int64_t freedom, double *sd)
{
    const struct sk_rows *rows = g->rows;
    const sk_ranks *ranks = &rows->of.link;
    const double *y = rows->y + q;
    int64_t n = rows->of.own, l = rows->l;
    double unit = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        unit = fmax(unit, fabs(y[i * l] - y[g->first[i] * l]));
        g->sum[i] = 0;
    }
    sk_most(ranks, 1, &unit);
    for (int64_t i = 0; i < n; i++) {
        double off = unit > 0 ? (y[i * l] - y[g->first[i] * l]) / unit : 0;
        g->sum[g->first[i]] += off;
        g->term[i] = off * off;
    }
    if (!add_terms(g, &square))
        return false;
    for (int64_t i = 0; i < n; i++)
        g->term[i] = g->count[i] > 1 ? -(g->sum[i] * g->sum[i] / (double)g->count[i]) : 0;
    if (!add_terms(g, &square))
        return false;
    *sd = unit * sqrt(fmax(square, 0) / (double)freedom);
    return true;
}

static bool measure(measuring *g, sk_repeats *p)
{
    struct sk_rows *rows = g->rows;
    const sk_ranks *ranks = &rows->of.link;
    int64_t freedom = 0;
    for (int64_t i = 0; i < rows->of.own; i++) {
        int64_t here = ++g->count[g->first[i]];
        p->shared_places += here == 2;
        p->shared_rows += here == 2 ? 2 : here > 2;
        p->most = here > p->most ? here : p->most;
        freedom += here > 1;
    }
    double most = (double)p->most;
    sk_most(ranks, 1, &most);
    p->most = (int64_t)most;
    p->shared_places = sk_sum(ranks, p->shared_places);
    p->shared_rows = sk_sum(ranks, p->shared_rows);
    freedom = sk_sum(ranks, freedom);
    for (int64_t q = 0; q < rows->l; q++)
        if (!measure_response(g, q, freedom, &p->within_sd[q]))
            return false;
    return true;
}

static surekrig_status find_places(struct sk_rows *rows, const surekrig_data *own, const sk_frame *frame,
                                   surekrig_error *error)
{
    int64_t n = own->n, *first = sk_alloc(n, sizeof *first);
    measuring g = {rows, first, sk_zeroed(n, sizeof *g.count), sk_doubles(n), sk_doubles(n)};
    sk_repeats p = {NULL, 0, 0, 0, sk_doubles(rows->l)};
    bool room = first && g.count && g.sum && g.term && p.within_sd;
    int64_t found = room ? sk_repeats_first(own, frame, 1, first) : -1;
    if (found >= 0 && sk_sum(&rows->of.link, found) > 0) {
        room = measure(&g, &p) && (rows->place = sk_reserve(rows->n, sizeof *rows->place));
        for (int64_t i = 0; i < n && room; i++)
            rows->place[i] = rows->of.number[first[i]];
        p.of = rows->place;
        rows->places = p;
    } else {
        free(p.within_sd);
    }
    free(first);
    free(g.count);
    free(g.sum);
    free(g.term);
    return room && found >= 0 ? SUREKRIG_OK : sk_fail_memory(error, 32.0 * (double)n, "rows that share a place");
}

surekrig_status sk_rows_places(const surekrig_data *data, const sk_frame *frame, sk_repeats *places,
                               surekrig_error *error)
{
    struct sk_rows *rows = data->ranks->rows;
    surekrig_data own = *data;
    surekrig_status status = SUREKRIG_OK;
    own.n = rows->of.own;
    own.ranks = NULL;
    if (!rows->looked) {
        int64_t found = sk_repeats_first(&own, frame, sk_repeats_every(data->n), NULL);
        status = found < 0 ? sk_fail_memory(error, 8.0 * (double)own.n, "rows that share a place") : SUREKRIG_OK;
        if (!status && sk_sum(&rows->of.link, found) > 0)
            status = find_places(rows, &own, frame, error);
        rows->looked = true;
    }
    *places = rows->places;
    return status;
}
