/* Held-out points with a target's surroundings: the neighbours of a target, moved with it onto a point of the data,
 * each to the datum nearest to where it then is. Where too few find one of their own nearby, another point is tried. */
#include "heldout/heldout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 12, BLOCK = 1024 };
static const double DISTINCT = 0.9; /* share of a target's neighbours that must find a datum of their own */

typedef struct transplant {
    const surekrig_model *m;
    sk_holdout *h;
    uint64_t seed;
    const sk_holdout *like;       /* the points that must come out, or NULL: any */
    double spacing;               /* of the data: the median distance to the nearest */
    int64_t block;                /* targets at a time */
    const double **from;          /* [block] the targets */
    int64_t *offset;              /* [block][k] their neighbours */
    int64_t *many;                /* [block] how many */
    int64_t *pending;             /* [block] those without a place yet */
    int64_t *row;                 /* [block] a candidate for each of these */
    double *place;                /* [block * k][d] where its neighbours ought to be */
    int64_t *leave_out, *snapped; /* [block * k] */
    int64_t accepted;
} transplant;

static void free_transplant(transplant *t)
{
    void *owned[] = {t->from, t->offset, t->many, t->pending, t->row, t->place, t->leave_out, t->snapped};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

static surekrig_status open_transplant(transplant *t, surekrig_error *error)
{
    int64_t d = t->m->kriged.d, k = t->h->k, block = t->block;
    t->from = sk_alloc(block, sizeof *t->from);
    t->offset = sk_alloc(block * k, sizeof *t->offset);
    t->many = sk_alloc(block, sizeof *t->many);
    t->pending = sk_alloc(block, sizeof *t->pending);
    t->row = sk_alloc(block, sizeof *t->row);
    t->place = sk_doubles(block * k * d);
    t->leave_out = sk_alloc(block * k, sizeof *t->leave_out);
    t->snapped = sk_alloc(block * k, sizeof *t->snapped);
    if (t->from && t->offset && t->many && t->pending && t->row && t->place && t->leave_out && t->snapped)
        return SUREKRIG_OK;
    return sk_fail_memory(error, 8.0 * (double)(block * k * (d + 3)), "the transplanted neighbourhoods");
}

/* Half of the data's points have another at least as near. */
static surekrig_status measure_spacing(transplant *t, surekrig_error *error)
{
    const surekrig_model *m = t->m;
    sk_holdout *h = t->h;
    double *near = sk_doubles(h->n);
    if (!near)
        return sk_fail_memory(error, 8.0 * (double)h->n, "the data's spacing");
    surekrig_neighbor_query one = {
        .n = h->n, .x = h->x, .k = 1, .row = h->row, .threads = sk_thread_setting(m->settings)};
    surekrig_status status = surekrig_neighbors(m->index, &one, h->neighbor, NULL, error);
    for (int64_t i = 0; i < h->n && !status; i++)
        near[i] = sk_frame_distance(&m->frame, h->x + i * m->kriged.d, m->kriged.x + h->neighbor[i] * m->kriged.d);
    if (!status) {
        sk_sort(h->n, near);
        t->spacing = near[h->n / 2];
    }
    free(near);
    return status;
}

/* The block's targets and their neighbours. */
static surekrig_status look_at_targets(transplant *t, int64_t first, surekrig_error *error)
{
    const surekrig_model *m = t->m;
    int64_t d = m->kriged.d;
    for (int64_t i = 0; i < t->block; i++) {
        t->from[i] = sk_holdout_target(m, t->seed, t->like ? t->like->target[first + i] - 1 : first + i);
        t->pending[i] = i;
        memcpy(t->place + i * d, t->from[i], (size_t)d * sizeof(double));
    }
    return sk_model_neighbors(m, (surekrig_neighbor_query){.n = t->block, .x = t->place}, t->offset, t->many, error);
}

/* Where the neighbours of pending target p would be around a candidate row. */
static void place_neighbours(transplant *t, int64_t p, int64_t first, int attempt)
{
    const surekrig_data *data = &t->m->kriged;
    int64_t k = t->h->k, target = t->pending[p];
    uint64_t number = (uint64_t)((first + target) * ATTEMPTS + attempt);
    int64_t pick = (int64_t)(sk_uniform(t->seed, SK_STREAM_ORDER, number) * (double)t->h->n);
    t->row[p] = t->like ? t->like->row[first + target] : t->h->row[pick];
    for (int64_t j = 0; j < k; j++) {
        const double *neighbour = data->x + t->offset[target * k + (j < t->many[target] ? j : 0)] * data->d;
        t->leave_out[p * k + j] = t->row[p];
        for (int64_t a = 0; a < data->d; a++)
            t->place[(p * k + j) * data->d + a] = data->x[t->row[p] * data->d + a] +
                                                  (neighbour[a] - t->from[target][a]);
    }
}

static bool known(const int64_t *list, int64_t count, int64_t row)
{
    for (int64_t i = 0; i < count; i++)
        if (list[i] == row)
            return true;
    return false;
}

/* Keeps the neighbourhood in the holdout's next place, if enough of it came about. A datum will do that lies within the
 * data's spacing, or a quarter of the way to the point, from where it should be. */
static bool accept(transplant *t, int64_t p)
{
    const surekrig_data *data = &t->m->kriged;
    sk_holdout *h = t->h;
    int64_t k = h->k, target = t->pending[p], *kept = h->neighbor + t->accepted * k, count = 0;
    const double *origin = data->x + t->row[p] * data->d;
    for (int64_t j = 0; j < t->many[target]; j++) {
        const double *place = t->place + (p * k + j) * data->d;
        int64_t row = t->snapped[p * k + j];
        double off = sk_frame_distance(&t->m->frame, place, data->x + row * data->d);
        if (off <= fmax(t->spacing, 0.25 * sk_frame_distance(&t->m->frame, place, origin)) && !known(kept, count, row))
            kept[count++] = row;
    }
    if (t->like && count == 0)
        kept[count++] = t->snapped[p * k];
    h->count[t->accepted] = count;
    return t->like || (count > 0 && (double)count >= DISTINCT * (double)t->many[target]);
}

static surekrig_status attempt_block(transplant *t, int64_t first, int64_t *rows, surekrig_error *error)
{
    int64_t k = t->h->k, waiting = t->block;
    surekrig_status status = look_at_targets(t, first, error);
    for (int attempt = 0; attempt < ATTEMPTS && waiting > 0 && !status; attempt++) {
        int64_t still = 0;
        for (int64_t p = 0; p < waiting; p++)
            place_neighbours(t, p, first, attempt);
        surekrig_neighbor_query one = {
            .n = waiting * k, .x = t->place, .k = 1, .row = t->leave_out, .threads = sk_thread_setting(t->m->settings)};
        status = surekrig_neighbors(t->m->index, &one, t->snapped, NULL, error);
        for (int64_t p = 0; p < waiting && !status; p++) {
            if (accept(t, p)) {
                if (!t->like)
                    t->h->target[t->accepted] = first + t->pending[p] + 1;
                rows[t->accepted++] = t->row[p];
            } else
                t->pending[still++] = t->pending[p];
        }
        waiting = still;
    }
    return status;
}

surekrig_status sk_transplant(const surekrig_model *m, uint64_t seed, const sk_holdout *like, sk_holdout *h,
                              surekrig_error *error)
{
    int64_t n = h->n, *rows = sk_alloc(n, sizeof *rows);
    transplant t = {.m = m, .h = h, .seed = seed, .like = like, .block = n < BLOCK ? n : BLOCK};
    surekrig_status status = rows ? open_transplant(&t, error)
                                  : sk_fail_memory(error, 8.0 * (double)n, "held-out points");
    sk_holdout_places(m, h);
    if (!status)
        status = measure_spacing(&t, error);
    for (int64_t first = 0; first < n && !status; first += BLOCK) {
        t.block = n - first < BLOCK ? n - first : BLOCK;
        status = attempt_block(&t, first, rows, error);
    }
    if (!status) {
        h->n = t.accepted;
        h->accepted = (double)t.accepted / (double)n;
        memcpy(h->row, rows, (size_t)t.accepted * sizeof *rows);
        sk_holdout_places(m, h);
    }
    free_transplant(&t);
    free(rows);
    return status;
}
