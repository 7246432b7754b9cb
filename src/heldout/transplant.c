/* Held-out points with a target's surroundings: the neighbours of a target, moved with it onto a point of the data,
 * each to the datum nearest to where it then is. Where too few find one of their own nearby, another point is tried.
 *   transplant   nine in ten must find one, as on a raster
 *   similar      scattered data lie nowhere twice alike, but gaps among them have the same shapes elsewhere: a datum may
 *                be twice as far off, and where it is taken the next nearest serves; of the farther neighbours half are
 *                enough; and the nearest must not be much nearer than the target's
 * Where rows share places, a point is left out with its whole place, unless the target itself lies at a datum: then it is
 * one more reading there. */
#include "heldout/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 12, BLOCK = 1024, CHOICES = 4 };
static const double DISTINCT = 0.9; /* share of a target's neighbours that must find a datum of their own */
static const double HOPELESS = 0.1; /* share of the first block's targets: with fewer the others are not tried */

/* similar: */
enum { NEARER = 3 };               /* within the nearest third of the neighbours no more may miss one than above */
static const double FARTHER = 0.5; /* share of all of them that must */
static const double AS_FAR = 0.8;  /* times the target's distance to its nearest: no datum may be nearer */

typedef struct transplant {
    const surekrig_model *m;
    sk_holdout *h;
    uint64_t seed;
    const sk_holdout *like; /* the points that must come out, or NULL: any */
    bool similar;
    int64_t choices;     /* data looked at for each neighbour */
    double spacing;      /* of the data: the median distance to the nearest */
    int64_t block;       /* targets at a time */
    const double **from; /* [block] the targets */
    int64_t *offset;     /* [block][k] their neighbours */
    int64_t *many;       /* [block] how many */
    int64_t first;       /* the block's first target */
    int attempt;
    int64_t *pending;             /* [block] those without a place yet */
    int64_t *row;                 /* [block] a candidate for each of these */
    double *place;                /* [block * k][d] where its neighbours ought to be */
    int64_t *leave_out, *snapped; /* [block * k], [block * k][choices] */
    int64_t *own_place;           /* [block * k] left out as well, -1: none; NULL: no two rows share one */
    int64_t *kept, *count;        /* [block][k], [block] what came about of each candidate; 0: too little */
    int64_t *seen, slots;         /* [threads][slots] rows that a candidate has, from 1, by a hash; 0: none */
    int64_t accepted;
} transplant;

static void free_transplant(transplant *t)
{
    void *owned[] = {t->from,      t->offset,  t->many, t->pending, t->row,  t->place,
                     t->leave_out, t->snapped, t->kept, t->count,   t->seen, t->own_place};
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
    t->snapped = sk_alloc(block * k * t->choices, sizeof *t->snapped);
    t->own_place = t->m->repeats.of ? sk_alloc(block * k, sizeof *t->own_place) : NULL;
    t->kept = sk_alloc(block * k, sizeof *t->kept);
    t->count = sk_alloc(block, sizeof *t->count);
    for (t->slots = 2; t->slots < 2 * k; t->slots *= 2)
        ;
    t->seen = sk_alloc(sk_threads(sk_thread_setting(t->m->settings)) * t->slots, sizeof *t->seen);
    if (t->from && t->offset && t->many && t->pending && t->row && t->place && t->leave_out && t->snapped && t->kept &&
        t->count && t->seen && (t->own_place || !t->m->repeats.of))
        return SUREKRIG_OK;
    return sk_fail_memory(error, 8.0 * (double)(block * k * (d + 3 + t->choices)), "the transplanted neighbourhoods");
}

/* Half of the data's points have another, at another place, at least as near. */
static surekrig_status measure_spacing(transplant *t, surekrig_error *error)
{
    const sk_holdout *h = t->h;
    const int64_t *of = t->m->repeats.of;
    double *near = sk_doubles(h->n);
    int64_t *own = sk_alloc(h->n, sizeof *own);
    surekrig_neighbor_query each = {.n = h->n, .x = h->x, .row = h->row, .group = of, .own_group = of ? own : NULL};
    surekrig_status status = near && own ? SUREKRIG_OK
                                         : sk_fail_memory(error, 16.0 * (double)h->n, "the data's spacing");
    for (int64_t i = 0; i < h->n && of && !status; i++)
        own[i] = of[h->row[i]];
    if (!status)
        status = sk_distances(t->m, NULL, each, near, error);
    if (!status) {
        sk_sort(h->n, near);
        t->spacing = near[h->n / 2];
    }
    free(near);
    free(own);
    return status;
}

/* The block's targets and their neighbours. */
static surekrig_status look_at_targets(transplant *t, surekrig_error *error)
{
    const surekrig_model *m = t->m;
    int64_t d = m->kriged.d, first = t->first;
    for (int64_t i = 0; i < t->block; i++) {
        t->from[i] = sk_holdout_target(m, t->seed, t->like ? t->like->target[first + i] - 1 : first + i);
        t->pending[i] = i;
        memcpy(t->place + i * d, t->from[i], (size_t)d * sizeof(double));
    }
    return sk_model_neighbors(m, (surekrig_neighbor_query){.n = t->block, .x = t->place}, t->offset, t->many, error);
}

static double distance_to(const transplant *t, const double *from, int64_t row)
{
    return sk_frame_distance(&t->m->frame, from, t->m->kriged.x + row * t->m->kriged.d);
}

/* Where the neighbours of pending target p would be around a candidate row. */
static void place_neighbours(transplant *t, int64_t p)
{
    const surekrig_data *data = &t->m->kriged;
    int64_t k = t->h->k, target = t->pending[p], first = t->first;
    uint64_t number = (uint64_t)((first + target) * ATTEMPTS + t->attempt);
    int64_t pick = (int64_t)(sk_uniform(t->seed, SK_STREAM_ORDER, number) * (double)t->h->n);
    t->row[p] = t->like ? t->like->row[first + target] : t->h->row[pick];
    bool at_datum = t->own_place && distance_to(t, t->from[target], t->offset[target * k]) == 0;
    for (int64_t j = 0; j < k; j++) {
        const double *neighbour = data->x + t->offset[target * k + (j < t->many[target] ? j : 0)] * data->d;
        t->leave_out[p * k + j] = t->row[p];
        if (t->own_place)
            t->own_place[p * k + j] = at_datum ? -1 : t->m->repeats.of[t->row[p]];
        for (int64_t a = 0; a < data->d; a++)
            t->place[(p * k + j) * data->d + a] = data->x[t->row[p] * data->d + a] +
                                                  (neighbour[a] - t->from[target][a]);
    }
}

/* Whether the row is new to those seen, and notes it. */
static bool is_new(int64_t *seen, int64_t slots, int64_t row)
{
    int64_t slot = (int64_t)((uint64_t)row * 0x9e3779b97f4a7c15u >> 20) & (slots - 1);
    while (seen[slot] && seen[slot] != row + 1)
        slot = (slot + 1) & (slots - 1);
    bool fresh = !seen[slot];
    seen[slot] = row + 1;
    return fresh;
}

/* The datum for neighbour j of pending target p: one that lies within the data's spacing, or a quarter of the way to the
 * point, from where it should be, and is not among those seen; -1: there is none. */
static int64_t datum_for(const transplant *t, int64_t p, int64_t j, int64_t *seen)
{
    const surekrig_data *data = &t->m->kriged;
    const double *place = t->place + (p * t->h->k + j) * data->d, *origin = data->x + t->row[p] * data->d;
    double reach = fmax(t->spacing * (t->similar ? 2 : 1), 0.25 * sk_frame_distance(&t->m->frame, place, origin));
    for (int64_t c = 0; c < t->choices; c++) {
        int64_t row = t->snapped[(p * t->h->k + j) * t->choices + c];
        if (row < 0 || sk_frame_distance(&t->m->frame, place, data->x + row * data->d) > reach)
            return -1;
        if (is_new(seen, t->slots, row))
            return row;
    }
    return -1;
}

/* So many of a target's neighbours may be without a datum after the first j. */
static double may_miss(const transplant *t, int64_t j, int64_t many)
{
    return t->similar && j > many / NEARER ? (1 - FARTHER) * (double)many : (1 - DISTINCT) * (double)many;
}

/* No datum kept is much nearer to the point than the nearest is to the target. */
static bool as_far(const transplant *t, int64_t p, const int64_t *kept, int64_t count)
{
    int64_t target = t->pending[p];
    const double *origin = t->m->kriged.x + t->row[p] * t->m->kriged.d;
    double least = AS_FAR * distance_to(t, t->from[target], t->offset[target * t->h->k]);
    for (int64_t i = 0; i < count; i++)
        if (distance_to(t, origin, kept[i]) < least)
            return false;
    return true;
}

/* The neighbourhood of a candidate; how many came about, 0 where they are too few. */
static int64_t gather(const transplant *t, int64_t p, int64_t *seen, int64_t *kept)
{
    memset(seen, 0, (size_t)t->slots * sizeof *seen);
    int64_t many = t->many[t->pending[p]], count = 0;
    for (int64_t j = 0; j < many; j++) {
        int64_t row = datum_for(t, p, j, seen);
        if (row >= 0)
            kept[count++] = row;
        else if (!t->like && (double)(j + 1 - count) > may_miss(t, j, many) + 1e-9)
            return 0;
    }
    if (t->like && count == 0)
        kept[count++] = t->snapped[p * t->h->k * t->choices];
    return t->like || !t->similar || as_far(t, p, kept, count) ? count : 0;
}

static void run_place(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    for (int64_t p = begin; p < end; p++)
        place_neighbours(context, p);
}

static void run_gather(void *context, int64_t begin, int64_t end, int worker)
{
    transplant *t = context;
    for (int64_t p = begin; p < end; p++)
        t->count[p] = gather(t, p, t->seen + worker * t->slots, t->kept + p * t->h->k);
}

static void for_each(transplant *t, int64_t waiting, void (*run)(void *, int64_t, int64_t, int))
{
    int threads = sk_threads(sk_thread_setting(t->m->settings));
    sk_parallel(&(sk_task){.count = waiting, .grain = 32, .threads = threads, .run = run, .context = t});
}

/* Those that came about go into the holdout's next places; returns how many of the others are left. */
static int64_t accept(transplant *t, int64_t waiting, int64_t *rows)
{
    int64_t k = t->h->k, still = 0;
    for (int64_t p = 0; p < waiting; p++) {
        if (t->count[p] == 0) {
            t->pending[still++] = t->pending[p];
            continue;
        }
        if (!t->like)
            t->h->target[t->accepted] = t->first + t->pending[p] + 1;
        memcpy(t->h->neighbor + t->accepted * k, t->kept + p * k, (size_t)t->count[p] * sizeof *t->kept);
        t->h->count[t->accepted] = t->count[p];
        rows[t->accepted++] = t->row[p];
    }
    return still;
}

static surekrig_status attempt_block(transplant *t, int64_t *rows, surekrig_error *error)
{
    int64_t waiting = t->block;
    surekrig_status status = look_at_targets(t, error);
    for (t->attempt = 0; t->attempt < ATTEMPTS && waiting > 0 && !status; t->attempt++) {
        for_each(t, waiting, run_place);
        surekrig_neighbor_query one = {.n = waiting * t->h->k,
                                       .x = t->place,
                                       .k = t->choices,
                                       .row = t->leave_out,
                                       .group = t->m->repeats.of,
                                       .own_group = t->own_place,
                                       .threads = sk_thread_setting(t->m->settings)};
        status = sk_model_find(t->m, &one, t->snapped, NULL, error);
        if (!status) {
            for_each(t, waiting, run_gather);
            waiting = accept(t, waiting, rows);
        }
    }
    return status;
}

/* Data looked at for each neighbour: where places have several rows, as many more as may be neighbours at one place. */
static int64_t choices(const surekrig_model *m, bool similar)
{
    const sk_repeats *r = &m->repeats;
    int64_t sectors = m->settings->sectors ? 8 : 1;
    int64_t rows = r->of ? (r->shared_rows + r->shared_places - 1) / r->shared_places : 1;
    int64_t share = (m->info.neighbors + sectors - 1) / sectors;
    int64_t many = (rows < share ? rows : share) - 1 + (similar ? CHOICES : 1);
    return many < m->data.n - 1 ? many : m->data.n - 1;
}

surekrig_status sk_transplant(const surekrig_model *m, uint64_t seed, const sk_holdout *like, sk_holdout *h,
                              surekrig_error *error)
{
    int64_t n = h->n, *rows = sk_alloc(n, sizeof *rows);
    bool similar = h->geometry == SK_GEOMETRY_SIMILAR;
    transplant t = {.m = m, .h = h, .seed = seed, .like = like, .similar = similar};
    t.choices = choices(m, similar);
    t.block = n < BLOCK ? n : BLOCK;
    surekrig_status status = rows ? open_transplant(&t, error)
                                  : sk_fail_memory(error, 8.0 * (double)n, "held-out points");
    sk_holdout_places(m, h);
    if (!status)
        status = measure_spacing(&t, error);
    for (int64_t first = 0; first < n && !status; first += BLOCK) {
        t.block = n - first < BLOCK ? n - first : BLOCK;
        t.first = first;
        status = attempt_block(&t, rows, error);
        if (!like && (double)t.accepted < HOPELESS * (double)t.block && first == 0)
            break;
    }
    if (!status) {
        h->drawn = n;
        h->n = t.accepted;
        h->accepted = (double)t.accepted / (double)n; /* of a first block without hope: next to none */
        memcpy(h->row, rows, (size_t)t.accepted * sizeof *rows);
        sk_holdout_places(m, h);
    }
    free_transplant(&t);
    free(rows);
    return status;
}
