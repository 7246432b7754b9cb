/* Rows that are held: own ones, by number, and those fetched from other ranks behind them, found by a hash. */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t sk_row_words(const struct sk_rows *rows)
{
    return SK_ROW_HEAD + rows->d + rows->l;
}

void sk_row_pack(const struct sk_rows *rows, int64_t row, sk_word *to)
{
    to[0].count = rows->of.number[row];
    to[1].count = rows->group ? rows->group[row] : 0;
    to[2].count = rows->place ? rows->place[row] : rows->of.number[row];
    to[3].value = rows->noise ? rows->noise[row] : 0;
    memcpy(to + SK_ROW_HEAD, rows->x + row * rows->d, (size_t)rows->d * sizeof *to);
    memcpy(to + SK_ROW_HEAD + rows->d, rows->y + row * rows->l, (size_t)rows->l * sizeof *to);
}

void sk_row_put(struct sk_rows *rows, int64_t row, const sk_word *from)
{
    rows->of.number[row] = from[0].count;
    if (rows->group)
        rows->group[row] = from[1].count;
    if (rows->place)
        rows->place[row] = from[2].count;
    if (rows->noise)
        rows->noise[row] = from[3].value;
    memcpy(rows->x + row * rows->d, from + SK_ROW_HEAD, (size_t)rows->d * sizeof *from);
    memcpy(rows->y + row * rows->l, from + SK_ROW_HEAD + rows->d, (size_t)rows->l * sizeof *from);
}

static int64_t slot_of(const struct sk_rows *rows, int64_t number)
{
    int64_t slot = (int64_t)((uint64_t)number * 0x9e3779b97f4a7c15u >> 20) & (rows->room - 1);
    while (rows->table[slot] && rows->of.number[rows->of.own + rows->table[slot] - 1] != number)
        slot = (slot + 1) & (rows->room - 1);
    return slot;
}

int64_t sk_row_find(const struct sk_rows *rows, int64_t number)
{
    int64_t own = sk_count_below(rows->of.own, rows->of.number, number);
    if (own < rows->of.own && rows->of.number[own] == number)
        return own;
    uint32_t at = rows->room ? rows->table[slot_of(rows, number)] : 0;
    return at ? rows->of.own + at - 1 : -1;
}

/* The table as it is to be with what is held. */
static bool fill_table(struct sk_rows *rows)
{
    int64_t fetched = rows->of.held - rows->of.own, room = rows->room ? rows->room : 1024;
    while (room < 2 * fetched + 2)
        room *= 2;
    if (room > rows->room) {
        free(rows->table);
        rows->table = sk_alloc(room, sizeof *rows->table);
        rows->room = rows->table ? room : 0;
    }
    if (!rows->table)
        return false;
    memset(rows->table, 0, (size_t)room * sizeof *rows->table);
    for (int64_t i = 0; i < fetched; i++)
        rows->table[slot_of(rows, rows->of.number[rows->of.own + i])] = (uint32_t)i + 1;
    return true;
}

int64_t sk_row_add(struct sk_rows *rows, const sk_word *from)
{
    int64_t known = sk_row_find(rows, from[0].count), fetched = rows->of.held - rows->of.own;
    if (known >= 0)
        return known;
    if (2 * fetched + 2 >= rows->room && !fill_table(rows))
        return -1;
    sk_row_put(rows, rows->of.held, from);
    rows->table[slot_of(rows, from[0].count)] = (uint32_t)fetched + 1;
    return rows->of.held++;
}

void sk_rows_mark(const surekrig_data *data)
{
    if (data->ranks)
        data->ranks->rows->kept = data->ranks->held;
}

void sk_rows_forget(const surekrig_data *data)
{
    if (!data->ranks || data->ranks->held == data->ranks->rows->kept)
        return;
    data->ranks->held = data->ranks->rows->kept;
    fill_table(data->ranks->rows);
}

/* ---- by number */

surekrig_status sk_rows_take(const surekrig_data *data, int64_t count, int64_t *row, surekrig_error *error)
{
    if (!data->ranks)
        return SUREKRIG_OK;
    struct sk_rows *rows = data->ranks->rows;
    const sk_ranks *ranks = &rows->of.link;
    int64_t words = sk_row_words(rows), own = 0, *bytes = sk_zeroed(ranks->size, sizeof *bytes), total = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t at = sk_row_find(rows, row[i]);
        own += at >= 0 && at < rows->of.own;
    }
    sk_word *mine = sk_alloc(own * words, sizeof *mine), *all = NULL;
    for (int64_t i = 0, to = 0; i < count && mine; i++) {
        int64_t at = sk_row_find(rows, row[i]);
        if (at >= 0 && at < rows->of.own)
            sk_row_pack(rows, at, mine + to++ * words);
    }
    if (mine && bytes)
        all = sk_gather(ranks, mine, own * words * (int64_t)sizeof *mine, bytes);
    bool whole = all != NULL;
    for (int r = 0; r < ranks->size && whole; r++)
        total += bytes[r] / (int64_t)sizeof *all / words;
    for (int64_t i = 0; i < total && whole; i++)
        whole = sk_row_add(rows, all + i * words) >= 0;
    for (int64_t i = 0; i < count && whole; i++)
        row[i] = sk_row_find(rows, row[i]);
    free(mine);
    free(all);
    free(bytes);
    return whole ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)(count * words), "rows of other ranks");
}

surekrig_status sk_rows_sample(const surekrig_data *data, uint64_t seed, int64_t count, int64_t *row,
                               surekrig_error *error)
{
    surekrig_status status = sk_sample_rows(seed, data->n, count, row, error);
    return status ? status : sk_rows_take(data, count, row, error);
}

/* ---- places */

/* What each own row adds to the squares within places, and what its place takes off them, back in the file's order. */
typedef struct terms {
    int64_t n;
    double *value; /* [n][2] */
} terms;

static void add_first(void *context, double *sum)
{
    const terms *t = context;
    for (int64_t i = 0; i < t->n; i++)
        *sum += t->value[2 * i];
}

static void take_second(void *context, double *sum)
{
    const terms *t = context;
    for (int64_t i = 0; i < t->n; i++)
        *sum -= t->value[2 * i + 1];
}

typedef struct numbered {
    int64_t number;
    double value[2];
} numbered;

/* own: [own rows], in the order of their numbers; out: [part]. */
static bool to_file(const struct sk_rows *rows, const numbered *own, terms *out)
{
    const sk_ranks *ranks = &rows->of.link;
    int64_t size = ranks->size, part = rows->of.part->n, first = sk_before(ranks, part), at = 0, all = 0;
    int64_t *bytes = sk_zeroed(3 * size, sizeof *bytes), *in = bytes + size;
    int64_t *parts = bytes ? sk_gather(ranks, &part, sizeof part, in + size) : NULL, end = 0;
    for (int64_t r = 0; parts && r < size; r++) {
        int64_t begin = at;
        end += parts[r];
        while (at < rows->of.own && own[at].number < end)
            at++;
        bytes[r] = (at - begin) * (int64_t)sizeof *own;
    }
    numbered *back = parts ? sk_exchange(ranks, own, bytes, in) : NULL;
    for (int64_t r = 0; back && r < size; r++)
        all += in[r] / (int64_t)sizeof *back;
    for (int64_t i = 0; i < all; i++)
        memcpy(out->value + 2 * (back[i].number - first), back[i].value, sizeof back[i].value);
    free(parts);
    free(bytes);
    free(back);
    return back != NULL;
}

typedef struct measuring {
    struct sk_rows *rows;
    const int64_t *first; /* [own] the row that is the first at each one's place */
    int64_t *count;       /* [own] rows there, of the first */
    double *sum;          /* [own] */
    numbered *own;
    terms part;
} measuring;

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
        g->own[i] = (numbered){rows->of.number[i], {off * off, 0}};
    }
    for (int64_t i = 0; i < n; i++)
        g->own[i].value[1] = g->count[i] > 1 ? g->sum[i] * g->sum[i] / (double)g->count[i] : 0;
    if (!to_file(rows, g->own, &g->part))
        return false;
    sk_in_turn(ranks, add_first, &g->part, 1, &square);
    sk_in_turn(ranks, take_second, &g->part, 1, &square);
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
    int64_t n = own->n, part = rows->of.part ? rows->of.part->n : 0, *first = sk_alloc(n, sizeof *first);
    measuring g = {rows,
                   first,
                   sk_zeroed(n, sizeof *g.count),
                   sk_doubles(n),
                   sk_alloc(n, sizeof *g.own),
                   {part, sk_doubles(2 * part)}};
    sk_repeats p = {NULL, 0, 0, 0, sk_doubles(rows->l)};
    bool room = first && g.count && g.sum && g.own && g.part.value && p.within_sd;
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
    free(g.own);
    free(g.part.value);
    return room && found >= 0 ? SUREKRIG_OK : sk_fail_memory(error, 48.0 * (double)n, "rows that share a place");
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
