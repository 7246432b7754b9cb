/* Points of each rank's own: they go to the ranks where they lie, are predicted there, and what was predicted comes
 * back. */
#include "predict/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct journey {
    const surekrig_model *m;
    const surekrig_query *query;
    sk_visitors moved;
    surekrig_query here; /* what is asked of points that are here now */
    surekrig_prediction made;
    double *note; /* [came][NOTE] */
    double *x, *noise;
    double *packed, *back; /* [came] and [n][width] */
    int64_t width;         /* of a prediction: what is wanted, and its note */
} journey;

enum { KINDS = 4, NOTE = 2 };

/* What is wanted of l responses and so many levels, and how many numbers each. */
static void list_kinds(const journey *g, const surekrig_prediction *p, sk_shared kind[KINDS])
{
    int64_t l = g->m->data.l, levels = l * g->query->levels;
    const sk_shared all[KINDS] = {{p->mean, l}, {p->sd, l}, {p->lower, levels}, {p->upper, levels}};
    memcpy(kind, all, sizeof all);
}

static surekrig_status leave(journey *g, surekrig_error *error)
{
    const surekrig_model *m = g->m;
    const surekrig_query *q = g->query;
    int64_t n = q->n, d = m->data.d, width = d + (q->noise != NULL);
    double *value = sk_doubles(n * width), *place = m->metric.same ? NULL : sk_doubles(n * m->kriged.d);
    surekrig_status status = value && (place || m->metric.same)
                                 ? SUREKRIG_OK
                                 : sk_fail_memory(error, 8.0 * (double)(n * width), "points on their way");
    for (int64_t i = 0; i < n && !status; i++) {
        memcpy(value + i * width, q->x + i * d, (size_t)d * sizeof *value);
        if (q->noise)
            value[i * width + d] = q->noise[i];
    }
    if (!status && place)
        sk_metric_map(&m->metric, n, q->x, place);
    sk_points_asked asked = {n, width, place ? place : q->x, value};
    if (!status)
        status = sk_points_move(sk_model_seek(m), &asked, &g->moved, error);
    free(value);
    free(place);
    return status;
}

static surekrig_status make_room(journey *g, const surekrig_prediction *wanted, surekrig_error *error)
{
    int64_t came = g->moved.came, d = g->m->data.d;
    double **made[KINDS] = {&g->made.mean, &g->made.sd, &g->made.lower, &g->made.upper};
    sk_shared kind[KINDS];
    list_kinds(g, wanted, kind);
    g->width = NOTE + sk_columns_width(KINDS, kind);
    g->note = sk_zeroed(NOTE * came, sizeof *g->note);
    g->x = sk_doubles(came * d);
    g->noise = g->query->noise ? sk_doubles(came) : NULL;
    bool room = g->note && g->x && (g->noise || !g->query->noise);
    for (int i = 0; i < KINDS; i++)
        if (kind[i].value)
            room &= (*made[i] = sk_doubles(came * kind[i].width)) != NULL;
    g->packed = sk_doubles(came * g->width);
    g->back = sk_doubles(g->query->n * g->width);
    return room && g->packed && g->back
               ? SUREKRIG_OK
               : sk_fail_memory(error, 8.0 * (double)(came * (d + g->width)), "points of other ranks");
}

static surekrig_status predict(journey *g, const surekrig_progress *progress, surekrig_error *error)
{
    int64_t d = g->m->data.d, width = d + (g->noise != NULL);
    for (int64_t i = 0; i < g->moved.came; i++) {
        memcpy(g->x + i * d, g->moved.value + i * width, (size_t)d * sizeof *g->x);
        if (g->noise)
            g->noise[i] = g->moved.value[i * width + d];
    }
    g->here = *g->query;
    g->here.n = g->moved.came;
    g->here.x = g->x;
    g->here.noise = g->noise;
    return sk_predict_here(g->m, &g->here, progress, &g->made, g->note, error);
}

static surekrig_status come_back(journey *g, surekrig_prediction *made, surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(&g->m->data);
    int64_t n = g->query->n;
    sk_shared kind[KINDS];
    list_kinds(g, &g->made, kind);
    sk_columns_pack(KINDS, kind, (sk_laid){g->moved.came, g->width, g->packed + NOTE});
    for (int64_t i = 0; i < g->moved.came; i++)
        memcpy(g->packed + i * g->width, g->note + NOTE * i, NOTE * sizeof *g->note);
    surekrig_status status = sk_points_return(ranks, &g->moved, g->width, g->packed, g->back, error);
    if (status)
        return status;
    list_kinds(g, made, kind);
    sk_columns_unpack(KINDS, kind, (sk_laid){n, g->width, g->back + NOTE});
    for (int64_t i = 0; i < n; i++) {
        const double *note = g->back + i * g->width;
        made->jittered += note[0] > 0;
        made->max_jitter = fmax(made->max_jitter, note[0]);
        made->beyond += note[1] > 0;
    }
    return SUREKRIG_OK;
}

surekrig_status sk_predict_apart(const surekrig_model *m, const surekrig_query *query,
                                 const surekrig_progress *progress, surekrig_prediction *made, surekrig_error *error)
{
    journey g = {.m = m, .query = query};
    surekrig_status status = leave(&g, error);
    if (!status)
        status = make_room(&g, made, error);
    if (!status)
        status = predict(&g, progress, error);
    if (!status)
        status = come_back(&g, made, error);
    double *owned[] = {g.made.mean, g.made.sd, g.made.lower, g.made.upper, g.note, g.x, g.noise, g.packed, g.back};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    sk_visitors_free(&g.moved);
    return status;
}
