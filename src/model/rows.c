/* A model on many ranks: its index is of own rows, or there are guests instead (spread/guests.c), what it looks for is
 * among all rows, and what follows from them (coordinates, the trend's columns) is made when they come. */
#include "model/inside.h"

#include <stdlib.h>
#include <string.h>

struct sk_held {
    sk_seek seek;
    double *box;
    sk_guests *guests; /* for an approximate search */
    int64_t derived;   /* rows that have coordinates and trend, */
    int64_t forgotten; /* when rows had been forgotten so often */
};

void sk_held_free(struct sk_held *held)
{
    if (held) {
        free(held->box);
        sk_guests_free(held->guests);
    }
    free(held);
}

void sk_held_empty(struct sk_held *held)
{
    if (!held)
        return;
    sk_guests_free(held->guests);
    held->guests = NULL;
    held->seek = (sk_seek){0};
}

static void derive(const surekrig_model *m)
{
    int64_t l = m->data.l, width = m->kriged.l, d = m->data.d, held = sk_held(&m->data);
    double *y = (double *)m->kriged.y, *z = (double *)m->kriged.x;
    const surekrig_ranks *of = m->data.ranks;
    bool others = m->held->forgotten != of->forgotten && of->least < m->held->derived; /* in the places of old ones */
    int64_t from = others ? of->least : m->held->derived;
    if (!m->metric.same)
        sk_metric_map(&m->metric, held - from, m->data.x + from * d, z + from * m->kriged.d);
    for (int64_t i = from; i < held && m->trend.columns > 0; i++) {
        double *at = y + i * width;
        sk_trend_features(&m->trend, m->data.x + i * d, at + l);
        for (int64_t q = 0; q < l; q++)
            at[q] = m->data.y[i * l + q] - sk_trend_at(&m->trend, q, at + l);
    }
    m->held->derived = held;
    m->held->forgotten = of->forgotten;
}

void sk_model_derive(const surekrig_model *m)
{
    if (m->held)
        derive(m);
    if (m->held && m->partner)
        derive(m->partner);
}

static void ready(void *model)
{
    sk_model_derive(model);
}

surekrig_status sk_held_new(surekrig_model *m, surekrig_error *error)
{
    int64_t boxes = sk_ranks_of(&m->data)->size * 2 * m->kriged.d;
    m->held = sk_zeroed(1, sizeof *m->held);
    if (!m->held || !(m->held->box = sk_doubles(boxes)))
        return sk_fail_memory(error, 8.0 * (double)boxes, "boxes of rows");
    m->held->derived = sk_held(&m->data);
    m->held->forgotten = m->data.ranks->forgotten;
    return SUREKRIG_OK;
}

/* Rows to be searched, of all ranks: by their boxes, or by guests. */
static surekrig_status prepare_seek(surekrig_model *m, bool guests, surekrig_error *error)
{
    struct sk_held *held = m->held;
    held->seek = (sk_seek){&m->kriged, m->index, &m->frame, held->box, ready, m, NULL};
    surekrig_status status = sk_seek_boxes(&m->kriged, held->box, error);
    if (!status && guests)
        status = sk_guests_new(&held->seek, sk_thread_setting(m->settings), &held->guests, error);
    held->seek.guests = held->guests;
    return status;
}

surekrig_status sk_model_index(surekrig_model *m, surekrig_error *error)
{
    int64_t own = sk_own(&m->data);
    sk_points points = {own, m->kriged.d, m->kriged.x, &m->frame, sk_thread_setting(m->settings)};
    bool guests = m->data.ranks && sk_model_slack(m) > 1;
    if (m->indexed)
        return SUREKRIG_OK;
    surekrig_status status = own && !guests ? sk_index_new(&points, &m->index, error) : SUREKRIG_OK;
    if (!status && m->data.ranks)
        status = prepare_seek(m, guests, error);
    m->indexed = !status;
    return status;
}

surekrig_status sk_model_find(const surekrig_model *m, const surekrig_neighbor_query *query, int64_t *neighbor,
                              int64_t *count, surekrig_error *error)
{
    return m->held ? sk_seek_neighbors(&m->held->seek, query, neighbor, count, error)
                   : surekrig_neighbors(m->index, query, neighbor, count, error);
}

const sk_seek *sk_model_seek(const surekrig_model *m)
{
    return &m->held->seek;
}
