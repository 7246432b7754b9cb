/* What an approximate search looks into, where no rank has all rows. Which boxes it passes over depends on the leaves of one
 * tree of all rows (neighbors/search.simd.c): so the homes of that tree (grow.c) are dealt out whole, and with each go copies
 * of its rows, the guests, to be searched there. Each rank has the next homes, and as many as the others. */
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
    void *owned[] = {g->word, g->number, g->slot, g->group, g->place, g->other, g->box};
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

const sk_word *sk_guest(const sk_guests *g, int64_t guest)
{
    return g->word + g->slot[guest] * g->words;
}

int64_t sk_guest_find(const sk_guests *g, int64_t number)
{
    int64_t at = sk_count_below(g->n, g->number, number);
    return at < g->n && g->number[at] == number ? at : -1;
}

/* ---- rows on their way */

typedef struct moving {
    sk_guests *g;
    const surekrig_data *data;
    double *x;      /* [guests][d] in coordinates */
    uint16_t *here; /* [own homes] rows that have come */
    int64_t *bytes, *in, *at;
} moving;

/* Home, row and coordinates. */
static int64_t width_of(const moving *m)
{
    return 1 + m->g->words + m->data->d;
}

static void pack(const moving *m, int64_t row, sk_word *to)
{
    int64_t d = m->data->d;
    to[0].count = m->g->homes->of[row];
    sk_row_pack(m->data->ranks->rows, row, to + 1);
    memcpy(to + 1 + m->g->words, m->data->x + row * d, (size_t)d * sizeof *to);
}

static void unpack(const moving *m, const sk_word *from)
{
    const sk_guests *g = m->g;
    int64_t d = m->data->d, home = from[0].count;
    int64_t slot = rows_before(g, home) - rows_before(g, g->first) + m->here[home - g->first]++;
    memcpy(g->word + slot * g->words, from + 1, (size_t)g->words * sizeof *from);
    memcpy(m->x + slot * d, from + 1 + g->words, (size_t)d * sizeof *from);
}

/* Own rows begin .. end-1. */
static bool move_some(const moving *m, int64_t begin, int64_t end)
{
    const sk_ranks *ranks = m->g->ranks;
    int64_t w = width_of(m), sum = 0;
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
    int64_t come = 0;
    for (int r = 0; r < ranks->size && in; r++)
        come += m->in[r] / (int64_t)sizeof *in / w;
    for (int64_t i = 0; i < come; i++)
        unpack(m, in + i * w);
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

static bool number_guests(sk_guests *g, const struct sk_rows *rows, uint32_t *row)
{
    for (int64_t i = 0; i < g->n; i++)
        g->number[i] = g->word[i * g->words].count;
    sk_sort_numbers(g->n, g->number);
    g->group = rows->group ? sk_alloc(g->n, sizeof *g->group) : NULL;
    g->place = rows->place ? sk_alloc(g->n, sizeof *g->place) : NULL;
    if ((rows->group && !g->group) || (rows->place && !g->place))
        return false;
    for (int64_t i = 0; i < g->n; i++) {
        const sk_word *of = g->word + i * g->words;
        int64_t guest = sk_guest_find(g, of[0].count);
        row[i] = (uint32_t)guest;
        g->slot[guest] = (uint32_t)i;
        if (g->group)
            g->group[guest] = of[1].count;
        if (g->place)
            g->place[guest] = of[2].count;
    }
    return true;
}

static surekrig_status fill(sk_guests *g, const sk_seek *seek, int threads, surekrig_error *error)
{
    int64_t d = seek->data->d, homes = first_home(g, g->ranks->rank + 1) - g->first;
    int64_t *bytes = sk_alloc(3 * g->ranks->size, sizeof *bytes);
    moving m = {g, seek->data, sk_doubles(g->n * d), sk_zeroed(homes, sizeof *m.here), bytes};
    uint32_t *row = sk_alloc(g->n, sizeof *row);
    bool room = bytes && m.x && m.here && row;
    if (room) {
        m.in = bytes + g->ranks->size;
        m.at = m.in + g->ranks->size;
        room = move_all(&m) && number_guests(g, seek->data->ranks->rows, row);
    }
    sk_points points = {g->n, d, m.x, seek->frame, threads, row};
    surekrig_status status = room ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)(g->n * d), "rows to search");
    if (!status && g->n)
        status = sk_index_new(&points, &g->index, error);
    if (!status)
        status = sk_boxes_of(g->ranks, &points, g->box, error);
    free(bytes);
    free(m.x);
    free(m.here);
    free(row);
    return status;
}

static surekrig_status allocate(sk_guests *g, const surekrig_data *data, surekrig_error *error)
{
    g->ranks = sk_ranks_of(data);
    g->first = first_home(g, g->ranks->rank);
    g->words = sk_row_words(data->ranks->rows);
    g->n = rows_before(g, first_home(g, g->ranks->rank + 1)) - rows_before(g, g->first);
    g->word = sk_alloc(g->n * g->words, sizeof *g->word);
    g->number = sk_alloc(g->n, sizeof *g->number);
    g->slot = sk_alloc(g->n, sizeof *g->slot);
    g->box = sk_doubles(g->ranks->size * 2 * data->d);
    return g->word && g->number && g->slot && g->box
               ? SUREKRIG_OK
               : sk_fail_memory(error, 8.0 * (double)(g->n * g->words), "rows to search");
}

surekrig_status sk_guests_new(const sk_seek *seek, int threads, sk_guests **out, surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(seek->data);
    sk_guests *g = sk_zeroed(1, sizeof *g);
    surekrig_status status = g ? sk_homes_find(seek, true, &g->homes, error)
                               : sk_fail_memory(error, sizeof *g, "rows to search");
    if (!status)
        status = allocate(g, seek->data, error);
    status = sk_agree(ranks, status, error);
    if (g && !status)
        status = sk_agree(ranks, fill(g, seek, threads, error), error);
    if (status)
        sk_guests_free(g);
    else
        *out = g;
    return status;
}

/* Numbers and groups of own rows go where the guests are. */
surekrig_status sk_guests_group(sk_guests *g, const surekrig_data *data, const int64_t *group, surekrig_error *error)
{
    int64_t own = sk_own(data);
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
    free(to);
    free(r.value);
    return status;
}
