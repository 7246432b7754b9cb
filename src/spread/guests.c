/* What an approximate search looks into, where no rank has all rows. Which boxes it passes over depends on the leaves
 * of one tree of all rows (neighbors/search.simd.c): so the homes of that tree (grow.c) are dealt out whole, and with
 * each go the coordinates of its rows, the guests, to be searched there. Each rank has the next homes, and as many as
 * the others. No rank then has an index of its own rows: every question goes to guests, which tell numbers and who has
 * these rows. */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sk_guests_free(sk_guests *g)
{
    if (!g)
        return;
    surekrig_index_free(g->index);
    sk_homes_free(g->homes);
    void *owned[] = {g->number, g->owner, g->group, g->place, g->other, g->box};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(g);
}

static int64_t first_home(const sk_guests *g, int rank)
{
    return rank * sk_homes_count(g->homes) / g->ranks->size;
}

int sk_guests_rank(const sk_guests *g, int64_t home)
{
    return (int)(((home + 1) * g->ranks->size - 1) / sk_homes_count(g->homes));
}

/* Rows in the homes before this one. */
static int64_t rows_before(const sk_guests *g, int64_t home)
{
    int64_t rows = home * SK_HOME_ROWS;
    return rows < g->homes->n ? rows : g->homes->n;
}

int64_t sk_guest_find(const sk_guests *g, int64_t number)
{
    int64_t at = sk_count_below(g->n, g->number, number);
    return at < g->n && g->number[at] == number ? at : -1;
}

/* ---- rows on their way */

enum { HOME, NUMBER, GROUP, PLACE, HEAD }; /* then the coordinates */

typedef struct arrived {
    int64_t number, group, place;
    uint16_t owner;
} arrived;

typedef struct moving {
    sk_guests *g;
    const surekrig_data *data;
    double *x;      /* [guests][d] in coordinates, home by home */
    arrived *of;    /* [guests] likewise */
    uint32_t *row;  /* [guests] likewise, which guest each is */
    uint16_t *here; /* [own homes] rows that have come */
    int64_t *bytes, *in, *at;
} moving;

static void pack(const moving *m, int64_t row, sk_word *to)
{
    const struct sk_rows *rows = m->data->ranks->rows;
    to[HOME].count = m->g->homes->of[row];
    to[NUMBER].count = rows->of.number[row];
    to[GROUP].count = rows->group ? rows->group[row] : 0;
    to[PLACE].count = rows->place ? rows->place[row] : 0;
    memcpy(to + HEAD, m->data->x + row * m->data->d, (size_t)m->data->d * sizeof *to);
}

static void unpack(const moving *m, int owner, const sk_word *from)
{
    const sk_guests *g = m->g;
    int64_t d = m->data->d, home = from[HOME].count;
    int64_t slot = rows_before(g, home) - rows_before(g, g->first) + m->here[home - g->first]++;
    m->of[slot] = (arrived){from[NUMBER].count, from[GROUP].count, from[PLACE].count, (uint16_t)owner};
    memcpy(m->x + slot * d, from + HEAD, (size_t)d * sizeof *from);
}

/* Own rows begin .. end-1. */
static bool move_some(const moving *m, int64_t begin, int64_t end)
{
    const sk_ranks *ranks = m->g->ranks;
    int64_t w = HEAD + m->data->d, sum = 0;
    sk_word *out = sk_alloc((end - begin) * w, sizeof *out);
    memset(m->bytes, 0, (size_t)ranks->size * sizeof *m->bytes);
    for (int64_t i = begin; i < end; i++)
        m->bytes[sk_guests_rank(m->g, m->g->homes->of[i])]++;
    for (int r = 0; r < ranks->size; r++) {
        m->at[r] = sum;
        sum += m->bytes[r];
        m->bytes[r] *= w * (int64_t)sizeof *out;
    }
    for (int64_t i = begin; i < end && out; i++)
        pack(m, i, out + m->at[sk_guests_rank(m->g, m->g->homes->of[i])]++ * w);
    sk_word *in = out ? sk_exchange(ranks, out, m->bytes, m->in) : NULL;
    const sk_word *from = in;
    for (int r = 0; r < ranks->size && in; r++)
        for (int64_t i = m->in[r] / (int64_t)sizeof *in / w; i > 0; i--, from += w)
            unpack(m, r, from);
    free(out);
    free(in);
    return in != NULL;
}

static bool move_all(const moving *m)
{
    int64_t own = sk_own(m->data), at_once = sk_rows_at_once(m->g->ranks);
    double rounds = ceil((double)own / (double)at_once);
    bool room = true;
    sk_most(m->g->ranks, 1, &rounds);
    for (int64_t begin = 0; rounds-- > 0 && room; begin += at_once) {
        int64_t from = begin < own ? begin : own, to = from + at_once < own ? from + at_once : own;
        room = move_some(m, from, to);
    }
    return room;
}

/* ---- guests by their numbers, as the index knows them */

static void number_guests(sk_guests *g, const arrived *of, uint32_t *row)
{
    for (int64_t i = 0; i < g->n; i++)
        g->number[i] = of[i].number;
    sk_sort_numbers(g->n, g->number);
    for (int64_t i = 0; i < g->n; i++) {
        int64_t guest = sk_guest_find(g, of[i].number);
        row[i] = (uint32_t)guest;
        g->owner[guest] = of[i].owner;
        if (g->group)
            g->group[guest] = of[i].group;
        if (g->place)
            g->place[guest] = of[i].place;
    }
}

static surekrig_status allocate(moving *m, surekrig_error *error)
{
    sk_guests *g = m->g;
    const struct sk_rows *rows = m->data->ranks->rows;
    int64_t d = m->data->d, size = sk_ranks_of(m->data)->size;
    g->ranks = sk_ranks_of(m->data);
    g->first = first_home(g, g->ranks->rank);
    g->n = rows_before(g, first_home(g, g->ranks->rank + 1)) - rows_before(g, g->first);
    g->number = sk_alloc(g->n, sizeof *g->number);
    g->owner = sk_alloc(g->n, sizeof *g->owner);
    g->box = sk_doubles(size * 2 * d);
    g->group = rows->group ? sk_alloc(g->n, sizeof *g->group) : NULL;
    g->place = rows->place ? sk_alloc(g->n, sizeof *g->place) : NULL;
    m->x = sk_doubles(g->n * d);
    m->of = sk_alloc(g->n, sizeof *m->of);
    m->row = sk_alloc(g->n, sizeof *m->row);
    m->here = sk_zeroed(first_home(g, g->ranks->rank + 1) - g->first, sizeof *m->here);
    m->bytes = sk_alloc(3 * size, sizeof *m->bytes);
    bool room = g->number && g->owner && g->box && (g->group || !rows->group) && (g->place || !rows->place) && m->x &&
                m->of && m->row && m->here && m->bytes;
    if (!room)
        return sk_fail_memory(error, 8.0 * (double)(g->n * (d + 8)), "rows to search");
    m->in = m->bytes + size;
    m->at = m->in + size;
    return SUREKRIG_OK;
}

static surekrig_status fill(moving *m, const sk_seek *seek, int threads, surekrig_error *error)
{
    sk_guests *g = m->g;
    if (!move_all(m))
        return sk_fail_memory(error, 8.0 * (double)(g->n * m->data->d), "rows to search");
    number_guests(g, m->of, m->row);
    free(m->of); /* the index is larger */
    m->of = NULL;
    sk_points points = {g->n, m->data->d, m->x, seek->frame, threads, m->row};
    surekrig_status status = sk_boxes_of(g->ranks, &points, g->box, error);
    if (!status && g->n)
        status = sk_index_new(&points, &g->index, error);
    return status;
}

surekrig_status sk_guests_new(const sk_seek *seek, int threads, sk_guests **out, surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(seek->data);
    sk_guests *g = sk_zeroed(1, sizeof *g);
    moving m = {.g = g, .data = seek->data};
    surekrig_status status = g ? sk_homes_find(seek, true, &g->homes, error)
                               : sk_fail_memory(error, sizeof *g, "rows to search");
    if (!status)
        status = allocate(&m, error);
    status = sk_agree(ranks, status, error);
    if (m.at && !status) /* there is room */
        status = sk_agree(ranks, fill(&m, seek, threads, error), error);
    void *owned[] = {m.x, m.of, m.row, m.here, m.bytes};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    if (status)
        sk_guests_free(g);
    else
        *out = g;
    return status;
}

/* One number for all of them: validation asks block by block with the same groups, which are sent once. */
static uint64_t sum_of(int64_t n, const int64_t *group)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i++) { /* no step waits for the one before, as there are many rows */
        uint64_t mixed = ((uint64_t)group[i] + (uint64_t)i * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
        sum += (mixed ^ mixed >> 32) * 0x94d049bb133111ebu;
    }
    return sum;
}

/* Numbers and groups of own rows go where the guests are. */
surekrig_status sk_guests_group(sk_guests *g, const surekrig_data *data, const int64_t *group, surekrig_error *error)
{
    int64_t own = sk_own(data);
    uint64_t sum = sum_of(own, group);
    double known = g->other && sum == g->sum;
    sk_least(g->ranks, 1, &known);
    if (known > 0)
        return SUREKRIG_OK;
    sk_records r = {own, 2, 1, sk_doubles(2 * own)};
    int *to = sk_alloc(own, sizeof *to);
    if (!g->other)
        g->other = sk_alloc(g->n, sizeof *g->other);
    for (int64_t i = 0; i < own && r.value && to; i++) {
        r.value[2 * i] = (double)sk_number(data, i);
        memcpy(r.value + 2 * i + 1, group + i, sizeof *group);
        to[i] = sk_guests_rank(g, g->homes->of[i]);
    }
    surekrig_status status = r.value && to && g->other ? sk_records_send(g->ranks, to, &r, error)
                                                       : sk_fail_memory(error, 24.0 * (double)own, "groups");
    for (int64_t i = 0; i < r.n && !status; i++)
        memcpy(g->other + sk_guest_find(g, (int64_t)r.value[2 * i]), r.value + 2 * i + 1, sizeof *group);
    if (!status)
        g->sum = sum;
    free(to);
    free(r.value);
    return status;
}
