/* The lattice of nodes from which places in the plane are kriged (nodes.c): made once, while training, and the order of
 * places by its cells. Around a node its neighbours reach r in all directions, and the pitch is r / sqrt 2 where data are
 * dense: no place is farther than r / 2 from a node. */
#include "predict/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t sk_nodes_neighbors(const surekrig_model *m)
{
    int64_t more = m->info.neighbors + m->info.neighbors / 2;
    return more < m->data.n ? more : m->data.n;
}

bool sk_has_nodes(const surekrig_model *m)
{
    return m->lattice[2] > 0;
}

/* ---- the lattice: made once, while training */

/* How far a sample of the rows have to look for a node's neighbours. */
static surekrig_status find_reaches(const surekrig_model *m, int64_t n, double *reach, surekrig_error *error)
{
    int64_t k = sk_nodes_neighbors(m), *row = sk_alloc(n, sizeof *row), *neighbor = sk_alloc(n * k, sizeof *neighbor);
    double *x = sk_doubles(2 * n);
    surekrig_status status = row && neighbor && x ? sk_rows_sample(&m->data, m->settings->seed, n, row, error)
                                                  : sk_fail_memory(error, 8.0 * (double)(n * (k + 3)), "the lattice");
    sk_model_derive(m);
    for (int64_t i = 0; i < n && !status; i++)
        memcpy(x + 2 * i, m->kriged.x + 2 * row[i], 2 * sizeof *x);
    surekrig_neighbor_query query = {.n = n, .x = x, .k = k, .threads = sk_thread_setting(m->settings)};
    if (!status)
        status = sk_model_find(m, &query, neighbor, NULL, error);
    for (int64_t i = 0; i < n && !status; i++)
        reach[i] = sk_frame_distance(&m->frame, x + 2 * i, m->kriged.x + 2 * neighbor[i * k + k - 1]);
    free(row);
    free(neighbor);
    free(x);
    return status;
}

surekrig_status sk_nodes_train(surekrig_model *m, surekrig_error *error)
{
    enum { SAMPLE = 512 };
    bool plane = m->kriged.d == 2 && isfinite(m->frame.side[0]) && isfinite(m->frame.side[1]);
    bool wanted = m->settings->nodes == SK_NODES_YES || (m->settings->nodes == SK_NODES_AUTO && m->settings->sectors);
    m->lattice[2] = 0;
    if (!plane || !wanted)
        return SUREKRIG_OK;
    double reach[SAMPLE];
    int64_t n = m->data.n < SAMPLE ? m->data.n : SAMPLE;
    surekrig_status status = find_reaches(m, n, reach, error);
    if (status)
        return status;
    sk_sort(n, reach);
    memcpy(m->lattice, m->frame.lower, 2 * sizeof(double));
    m->lattice[2] = reach[n / 10] / sqrt(2); /* where data are dense */
    if (m->partner)
        memcpy(m->partner->lattice, m->lattice, sizeof m->lattice);
    return SUREKRIG_OK;
}

/* Farther out there are no cells: their numbers must fit a key. */
bool sk_in_lattice(const double u[2])
{
    return fabs(u[0]) < 1e9 && fabs(u[1]) < 1e9;
}

void sk_lattice_at(const surekrig_model *m, const double *place, double u[2])
{
    for (int a = 0; a < 2; a++)
        u[a] = (place[a] - m->lattice[a]) / (m->frame.side[a] * m->lattice[2]);
}

void sk_lattice_place(const surekrig_model *m, const double u[2], double *place)
{
    for (int a = 0; a < 2; a++)
        place[a] = m->lattice[a] + u[a] * m->frame.side[a] * m->lattice[2];
}

/* Cells in squares of 16 x 16, so that nodes are shared by most of what follows. Only speed hangs on this order. */
typedef struct keyed {
    uint64_t key;
    int64_t place;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *p = a, *q = b;
    return p->key != q->key ? (p->key > q->key) - (p->key < q->key) : (p->place > q->place) - (p->place < q->place);
}

static uint64_t key_of(const surekrig_model *m, const double *place)
{
    enum { FAR = 1 << 30, BITS = 4, PART = (1 << BITS) - 1 };
    double u[2];
    sk_lattice_at(m, place, u);
    if (!sk_in_lattice(u))
        return UINT64_MAX;
    uint64_t x = (uint64_t)((int64_t)floor(u[0]) + FAR), y = (uint64_t)((int64_t)floor(u[1]) + FAR);
    return (y >> BITS << (32 + BITS)) | (x >> BITS << (2 * BITS)) | ((y & PART) << BITS) | (x & PART);
}

surekrig_status sk_nodes_order(const surekrig_model *m, int64_t n, const double *place, int64_t *order,
                               surekrig_error *error)
{
    keyed *at = sk_alloc(n, sizeof *at);
    if (!at)
        return sk_fail_memory(error, 16.0 * (double)n, "the order of places");
    for (int64_t i = 0; i < n; i++)
        at[i] = (keyed){key_of(m, place + 2 * i), i};
    qsort(at, (size_t)n, sizeof *at, by_key);
    for (int64_t i = 0; i < n; i++)
        order[i] = at[i].place;
    free(at);
    return SUREKRIG_OK;
}
