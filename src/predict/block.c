/* A block of points kriged under a model, mean and sd in the user's units: what prediction, validation and draws do
 * alike. */
#include "predict/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Places that the lattice of nodes leaves alone: a block of their own, by the same machine. */
struct sk_rest {
    bool *alone; /* [count] of the whole block's */
    int64_t n;
    sk_block block;
};

static void free_rest(struct sk_rest *r)
{
    if (!r)
        return;
    free(r->alone);
    sk_block_close(&r->block);
    free(r);
}

void sk_block_close(sk_block *b)
{
    if (!b->lent)
        sk_machine_close(&b->machine);
    sk_kriging_free(&b->kriging);
    if (b->place != b->x)
        free(b->place);
    free(b->x);
    free(b->neighbor);
    sk_nodes_free(b->nodes);
    free_rest(b->rest);
    *b = (sk_block){0};
}

static surekrig_status make_room(sk_block *b, int64_t capacity, surekrig_error *error)
{
    const surekrig_model *m = b->m;
    int64_t k = m->info.neighbors;
    surekrig_status status = sk_kriging_new(m, capacity, sk_any_local(m) ? SK_WANT_SCALE : 0, &b->kriging, error);
    if (status)
        return status;
    b->capacity = capacity;
    b->x = sk_doubles(capacity * m->data.d);
    b->place = m->metric.same ? b->x : sk_doubles(capacity * m->kriged.d);
    b->neighbor = sk_alloc(capacity * k, sizeof *b->neighbor);
    return b->x && b->place && b->neighbor
               ? SUREKRIG_OK
               : sk_fail_memory(error, 8.0 * (double)(capacity * (k + m->data.d)), "a block of predictions");
}

surekrig_status sk_block_open(const surekrig_model *m, int64_t capacity, int threads, sk_block *b,
                              surekrig_error *error)
{
    *b = (sk_block){.m = m};
    surekrig_status status = sk_machine_open(m, false, threads, &b->machine, error);
    if (!status)
        status = sk_machine_set(&b->machine, &m->hyper, error);
    return status ? status : make_room(b, capacity, error);
}

surekrig_status sk_block_beside(const sk_block *of, int64_t capacity, sk_block *b, surekrig_error *error)
{
    *b = (sk_block){.m = of->m, .machine = of->machine, .lent = true};
    return make_room(b, capacity, error);
}

surekrig_status sk_block_neighbors(sk_block *b, surekrig_neighbor_query query, surekrig_error *error)
{
    if (b->place != b->x)
        sk_metric_map(&b->m->metric, query.n, b->x, b->place);
    query.x = b->place;
    query.threads = b->machine.threads;
    return sk_model_neighbors(b->m, query, b->neighbor, NULL, error);
}

surekrig_status sk_block_krige(sk_block *b, int64_t count, sk_wanted wanted, sk_ticker *ticker, surekrig_error *error)
{
    sk_asked asked = {{count, b->m->info.neighbors, b->neighbor, NULL, b->place}, b->x, NULL};
    b->machine.ticker = ticker;
    return sk_machine_krige(&b->machine, &asked, wanted, &b->kriging, error);
}

/* Row `at` from another's row. */
static void take_row(const surekrig_model *m, const sk_kriging *from, int64_t row, sk_kriging *to, int64_t at)
{
    int64_t width = m->kriged.l, l = m->data.l;
    memcpy(to->mean + at * width, from->mean + row * width, (size_t)width * sizeof(double));
    to->variance_share[at] = from->variance_share[row];
    to->jitter[at] = from->jitter[row];
    if (to->scale_std) {
        memcpy(to->scale_std + at * width, from->scale_std + row * width, (size_t)width * sizeof(double));
        memcpy(to->scatter_std + at * l, from->scatter_std + row * l, (size_t)l * sizeof(double));
    }
    if (to->partner)
        take_row(m->partner, from->partner, row, to->partner, at);
}

/* The places that the lattice of nodes leaves alone, and their neighbours. */
static surekrig_status find_rest(sk_block *b, int64_t count, surekrig_error *error)
{
    struct sk_rest *r = b->rest;
    int64_t d = b->m->data.d;
    for (int64_t j = 0; j < count; j++)
        r->n += r->alone[j];
    if (!r->n)
        return SUREKRIG_OK;
    surekrig_status status = sk_block_beside(b, r->n, &r->block, error);
    for (int64_t j = 0, at = 0; j < count && !status; j++)
        if (r->alone[j])
            memcpy(r->block.x + at++ * d, b->x + j * d, (size_t)d * sizeof *b->x);
    return status ? status : sk_block_neighbors(&r->block, (surekrig_neighbor_query){.n = r->n}, error);
}

surekrig_status sk_block_find(sk_block *b, int64_t count, sk_wanted wanted, surekrig_error *error)
{
    if (!sk_has_nodes(b->m))
        return sk_block_neighbors(b, (surekrig_neighbor_query){.n = count}, error);
    struct sk_rest *r = b->rest = sk_zeroed(1, sizeof *r);
    if (r) {
        r->alone = sk_zeroed(count, sizeof *r->alone);
        r->block.lent = true;
    }
    surekrig_status status = r && r->alone ? sk_nodes_find(b, count, wanted, r->alone, error)
                                           : sk_fail_memory(error, (double)count, "a block of predictions");
    return status ? status : find_rest(b, count, error);
}

static surekrig_status krige_rest(sk_block *b, int64_t count, sk_wanted wanted, surekrig_error *error)
{
    struct sk_rest *r = b->rest;
    r->block.machine = b->machine;
    surekrig_status status = r->n ? sk_block_krige(&r->block, r->n, wanted, NULL, error) : SUREKRIG_OK;
    for (int64_t j = 0, at = 0; j < count && r->n && !status; j++)
        if (r->alone[j])
            take_row(b->m, &r->block.kriging, at++, &b->kriging, j);
    free_rest(r);
    b->rest = NULL;
    return status;
}

surekrig_status sk_block_krige_found(sk_block *b, int64_t count, sk_wanted wanted, sk_ticker *ticker,
                                     surekrig_error *error)
{
    if (!sk_has_nodes(b->m))
        return sk_block_krige(b, count, wanted, ticker, error);
    b->machine.ticker = ticker;
    surekrig_status status = sk_nodes_krige(b, count, wanted, error);
    return status ? status : krige_rest(b, count, wanted, error);
}

surekrig_status sk_block_predict(sk_block *b, int64_t count, sk_wanted wanted, sk_ticker *ticker, surekrig_error *error)
{
    surekrig_status status = sk_block_find(b, count, wanted, error);
    return status ? status : sk_block_krige_found(b, count, wanted, ticker, error);
}

/* ---- in the user's units */

static double mean_of(const surekrig_model *m, const sk_kriging *k, int64_t at, int64_t q)
{
    double own = m->center[q] + k->mean[at * m->kriged.l + q];
    return k->partner ? own / 2 + mean_of(m->partner, k->partner, at, q) / 2 : own;
}

double sk_block_mean(const sk_block *b, int64_t at, int64_t q)
{
    return mean_of(b->m, &b->kriging, at, q);
}

/* Of an observation, without what its own noise adds. */
static double observed_std(const surekrig_model *m, const sk_kriging *k, int64_t at, int64_t q)
{
    sk_signs signs = {.variance_share = k->variance_share[at] + m->hyper.tau2};
    if (k->scale_std) {
        signs.scale_std = k->scale_std[at * m->kriged.l + q];
        signs.scatter_std = k->scatter_std[at * m->data.l + q];
    }
    double own = sk_widths_variance_std(m, q, signs);
    return k->partner ? sk_widths_average_std(m, q, own, observed_std(m->partner, k->partner, at, q)) : own;
}

double sk_block_gamma2_std(const sk_block *b, int64_t at, int64_t q)
{
    double whole = b->kriging.variance_share[at] + b->m->hyper.tau2;
    if (!b->m->widths.local && !b->m->widths.floor_std && !b->kriging.partner)
        return b->m->hyper.gamma2_std[q];
    return whole > 0 ? observed_std(b->m, &b->kriging, at, q) / whole : 0;
}

double sk_block_sd(const sk_block *b, int64_t at, int64_t q, bool field, double noise)
{
    double share = b->kriging.variance_share[at] + (field ? 0 : b->m->hyper.tau2);
    return hypot(b->m->spread[q] * sqrt(sk_block_gamma2_std(b, at, q) * share), sqrt(noise));
}
