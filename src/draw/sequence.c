/* The places of a conditional simulation in random order, which is coarse to fine, each with its neighbours: the data
 * that predict would take, and half as many of the places before it, the nearest. (Of the k nearest among both a place
 * within a gap would soon have places alone, and what the data say would reach it by hearsay: docs/decisions.md.)
 *
 * Neighbours come generation by generation. A generation is a quarter of what was before it; an index holds it and all
 * before, of its answers those that come too late in the order are dropped, and where too few remain more are asked
 * for: exact, at about n log n.
 *
 * Whom a place has for neighbours does not depend on what is drawn. So all that are on one level, those whose
 * neighbours are all on lower ones, can be kriged at once: some hundred batches whatever n. */
#include "draw/draw.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024, FIRST = 1024 };

void sk_sequence_free(sk_sequence *s)
{
    void *owned[] = {s->place, s->point, s->x, s->neighbor, s->count, s->first, s->turn};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    *s = (sk_sequence){0};
}

/* ---- which places */

/* first: [n] the least point at the same place as each. */
static surekrig_status find_same(const surekrig_model *m, const sk_places *p, int64_t *first, surekrig_error *error)
{
    surekrig_index *index = NULL;
    surekrig_status status = sk_index_new(&(sk_points){p->n, m->kriged.d, p->x, &m->frame, p->threads}, &index, error);
    if (!status)
        status = surekrig_neighbors(index,
                                    &(surekrig_neighbor_query){.n = p->n, .x = p->x, .k = 1, .threads = p->threads},
                                    first, NULL, error);
    surekrig_index_free(index);
    return status;
}

/* place: -1 at a datum without noise, where the field is known; 0 elsewhere. */
static surekrig_status find_known(const surekrig_model *m, const sk_places *p, int64_t *place, surekrig_error *error)
{
    const surekrig_data *data = &m->kriged;
    memset(place, 0, (size_t)p->n * sizeof *place);
    if (m->hyper.tau2 > 0)
        return SUREKRIG_OK;
    surekrig_neighbor_query one = {.n = p->n, .x = p->x, .k = 1, .threads = p->threads};
    surekrig_status status = surekrig_neighbors(m->index, &one, place, NULL, error);
    for (int64_t i = 0; i < p->n && !status; i++) {
        bool noisy = data->noise && data->noise[place[i]] > 0;
        double distance = sk_frame_distance(&m->frame, p->x + i * data->d, data->x + place[i] * data->d);
        place[i] = distance > 0 || noisy ? 0 : -1;
    }
    return status;
}

static void set_order(const surekrig_model *m, const sk_places *p, const int64_t *first, sk_sequence *s)
{
    int64_t d = m->kriged.d;
    for (int64_t i = 0; i < p->n; i++)
        if (s->place[i] == 0 && first[i] == i)
            s->point[s->n++] = i;
    sk_shuffle(p->seed, s->n, s->point);
    for (int64_t j = 0; j < s->n; j++) {
        s->place[s->point[j]] = j;
        memcpy(s->x + j * d, p->x + s->point[j] * d, (size_t)d * sizeof *s->x);
    }
    for (int64_t i = 0; i < p->n; i++)
        s->place[i] = s->place[first[i]]; /* known places are known to all who are there */
}

static surekrig_status choose_places(const surekrig_model *m, const sk_places *p, sk_sequence *s, surekrig_error *error)
{
    int64_t *first = sk_alloc(p->n, sizeof *first);
    surekrig_status status = first ? find_same(m, p, first, error)
                                   : sk_fail_memory(error, 8.0 * (double)p->n, "the places");
    if (!status)
        status = find_known(m, p, s->place, error);
    if (!status)
        set_order(m, p, first, s);
    free(first);
    return status;
}

/* ---- neighbours */

/* A generation: an index of the places 0 .. end-1, and a block of those that ask. */
typedef struct generation {
    const surekrig_model *m;
    sk_sequence *s;
    surekrig_index *index;
    int64_t end;
    int threads;
    sk_ticker *ticker;
    int64_t from;     /* the block's first place */
    int64_t *data;    /* [BLOCK][k] its neighbours among the data */
    int64_t *pending; /* [BLOCK] places that want a longer list */
    double *x;        /* [BLOCK][d] of these */
} generation;

/* Predict's neighbours, and the nearest of the listed places that come before; false: the list is too short. */
static bool choose(const generation *g, int64_t place, const int64_t *listed, int64_t asked)
{
    int64_t k = g->m->info.neighbors, count = k, *to = g->s->neighbor + place * g->s->k;
    memcpy(to, g->data + (place - g->from) * k, (size_t)k * sizeof *to);
    for (int64_t at = 0; at < asked && count < g->s->k; at++)
        if (listed[at] < place)
            to[count++] = g->m->data.n + listed[at];
    g->s->count[place] = count;
    return count == g->s->k || asked == g->end;
}

/* One question for all that are pending; how many still are. */
static surekrig_status ask(const generation *g, int64_t asked, int64_t *pending, surekrig_error *error)
{
    int64_t d = g->m->kriged.d, still = 0, *listed = sk_alloc(*pending * asked, sizeof *listed);
    if (!listed)
        return sk_fail_memory(error, 8.0 * (double)(*pending * asked), "the neighbours of a simulation");
    for (int64_t j = 0; j < *pending; j++)
        memcpy(g->x + j * d, g->s->x + g->pending[j] * d, (size_t)d * sizeof *g->x);
    surekrig_neighbor_query query = {.n = *pending, .x = g->x, .k = asked, .threads = g->threads};
    surekrig_status status = surekrig_neighbors(g->index, &query, listed, NULL, error);
    for (int64_t j = 0; j < *pending && !status; j++)
        if (!choose(g, g->pending[j], listed + j * asked, asked))
            g->pending[still++] = g->pending[j];
    *pending = still;
    free(listed);
    return status;
}

static surekrig_status surround_block(generation *g, int64_t from, surekrig_error *error)
{
    int64_t pending = g->end - from < BLOCK ? g->end - from : BLOCK, drawn = g->s->k - g->m->info.neighbors;
    int64_t asked = drawn + drawn / 2 + 16;
    surekrig_neighbor_query query = {.n = pending, .x = g->s->x + from * g->m->kriged.d, .threads = g->threads};
    surekrig_status status = sk_model_neighbors(g->m, query, g->data, NULL, error);
    g->from = from;
    for (int64_t j = 0; j < pending; j++)
        g->pending[j] = from + j;
    for (; pending > 0 && !status; asked *= 2)
        status = ask(g, asked < g->end ? asked : g->end, &pending, error);
    return status;
}

static surekrig_status surround_all(generation *g, surekrig_error *error)
{
    int64_t n = g->s->n, d = g->m->kriged.d;
    surekrig_status status = SUREKRIG_OK;
    for (int64_t begin = 0; begin < n && !status; begin = g->end) {
        int64_t many = begin / 4 > FIRST ? begin / 4 : FIRST;
        g->end = begin + many < n ? begin + many : n;
        status = sk_index_new(&(sk_points){g->end, d, g->s->x, &g->m->frame, g->threads}, &g->index, error);
        for (int64_t from = begin; from < g->end && !status; from += BLOCK)
            status = sk_tick(g->ticker, (double)from / (double)n) ? sk_fail(error, SUREKRIG_STOPPED, "stopped")
                                                                  : surround_block(g, from, error);
        surekrig_index_free(g->index);
        g->index = NULL;
    }
    return status;
}

static surekrig_status find_neighbours(const surekrig_model *m, const sk_places *p, sk_sequence *s,
                                       surekrig_error *error)
{
    generation g = {.m = m,
                    .s = s,
                    .threads = p->threads,
                    .ticker = p->ticker,
                    .data = sk_alloc(BLOCK * m->info.neighbors, sizeof *g.data),
                    .pending = sk_alloc(BLOCK, sizeof *g.pending),
                    .x = sk_doubles(BLOCK * m->kriged.d)};
    s->neighbor = sk_zeroed(s->n * s->k, sizeof *s->neighbor);
    s->count = sk_alloc(s->n, sizeof *s->count);
    surekrig_status status = g.data && g.pending && g.x && s->neighbor && s->count
                                 ? surround_all(&g, error)
                                 : sk_fail_memory(error, 8.0 * (double)((s->n + BLOCK) * s->k),
                                                  "the neighbours of a simulation");
    free(g.data);
    free(g.pending);
    free(g.x);
    return status;
}

/* ---- levels */

static surekrig_status find_levels(const surekrig_model *m, sk_sequence *s, surekrig_error *error)
{
    int64_t *level = sk_alloc(s->n, sizeof *level);
    s->turn = sk_alloc(s->n, sizeof *s->turn);
    for (int64_t p = 0; p < s->n && level; p++) {
        level[p] = 0;
        for (int64_t j = 0; j < s->count[p]; j++) {
            int64_t other = s->neighbor[p * s->k + j] - m->data.n;
            if (other >= 0 && level[other] >= level[p])
                level[p] = level[other] + 1;
        }
        s->levels = level[p] + 1 > s->levels ? level[p] + 1 : s->levels;
    }
    s->first = sk_zeroed(s->levels + 2, sizeof *s->first);
    if (!level || !s->turn || !s->first) {
        free(level);
        return sk_fail_memory(error, 24.0 * (double)s->n, "the order of a simulation");
    }
    for (int64_t p = 0; p < s->n;
         p++) /* first[i + 2]: how many on level i, and after the sums where level i + 1 begins */
        s->first[level[p] + 2]++;
    for (int64_t i = 2; i <= s->levels + 1; i++)
        s->first[i] += s->first[i - 1];
    for (int64_t p = 0; p < s->n; p++)
        s->turn[s->first[level[p] + 1]++] = p;
    free(level);
    return SUREKRIG_OK;
}

surekrig_status sk_sequence_new(const surekrig_model *m, const sk_places *p, sk_sequence *out, surekrig_error *error)
{
    sk_sequence s = {.points = p->n, .k = m->info.neighbors + (m->info.neighbors + 1) / 2};
    s.place = sk_alloc(p->n, sizeof *s.place);
    s.point = sk_alloc(p->n, sizeof *s.point);
    s.x = sk_doubles(p->n * m->kriged.d);
    surekrig_status status = s.place && s.point && s.x ? SUREKRIG_OK
                                                       : sk_fail_memory(error, 8.0 * (double)(p->n * (m->kriged.d + 2)),
                                                                        "the places of a simulation");
    if (!status && p->n > 0)
        status = choose_places(m, p, &s, error);
    if (!status)
        status = find_neighbours(m, p, &s, error);
    if (!status)
        status = find_levels(m, &s, error);
    if (status)
        sk_sequence_free(&s);
    else
        *out = s;
    return status;
}
