/* Rows dealt out by space (cuts.c), and the memory that they lie in. */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HEAD = 4096 }; /* bytes before what is reserved, a page */

/* ---- memory */

void *sk_reserve(int64_t count, size_t size)
{
    size_t bytes = (size_t)count * size + HEAD;
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    memcpy(at, &bytes, sizeof bytes);
    return at + HEAD;
}

void sk_unreserve(void *reserved)
{
    size_t bytes;
    if (!reserved)
        return;
    memcpy(&bytes, (char *)reserved - HEAD, sizeof bytes);
    munmap((char *)reserved - HEAD, bytes);
}

void sk_rows_keep(surekrig_ranks *of)
{
    of->rows->owners++;
}

void sk_rows_free(surekrig_ranks *of)
{
    if (!of || !of->rows || --of->rows->owners > 0)
        return;
    struct sk_rows *rows = of->rows;
    void *reserved[] = {rows->x, rows->y, rows->noise, rows->group, rows->of.number, rows->place};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        sk_unreserve(reserved[i]);
    sk_homes_free(rows->homes);
    free(rows->places.within_sd);
    free(rows->table);
    free(rows);
}

/* ---- rows to their ranks */

typedef struct dealing {
    const sk_cuts *c;
    const surekrig_data *part;
    struct sk_rows *rows;
    int64_t first;            /* number of the part's first row */
    uint16_t *owner;          /* [part] */
    int64_t *cursor;          /* [ranks] where the next row from each goes */
    int64_t *bytes, *in, *at; /* [ranks] */
    double *point;            /* [features] */
} dealing;

static void pack(const dealing *g, int64_t i, sk_word *to)
{
    const surekrig_data *part = g->part;
    to[0].count = g->first + i;
    to[1].count = part->group ? part->group[i] : 0;
    to[2].count = g->first + i;
    to[3].value = part->noise ? part->noise[i] : 0;
    memcpy(to + SK_ROW_HEAD, part->x + i * part->d, (size_t)part->d * sizeof *to);
    memcpy(to + SK_ROW_HEAD + part->d, part->y + i * part->l, (size_t)part->l * sizeof *to);
}

/* Rows begin .. end-1 of the part. */
static surekrig_status deal_some(dealing *g, int64_t begin, int64_t end, surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(g->part);
    int64_t words = sk_row_words(g->rows), sum = 0;
    sk_word *out = sk_alloc((end - begin) * words, sizeof *out);
    for (int r = 0; r < ranks->size; r++)
        g->bytes[r] = 0;
    for (int64_t i = begin; i < end; i++)
        g->bytes[g->owner[i]]++;
    for (int r = 0; r < ranks->size; r++) {
        g->at[r] = sum;
        sum += g->bytes[r];
        g->bytes[r] *= words * (int64_t)sizeof *out;
    }
    for (int64_t i = begin; i < end && out; i++)
        pack(g, i, out + g->at[g->owner[i]]++ * words);
    sk_word *in = out ? sk_exchange(ranks, out, g->bytes, g->in) : NULL, *at = in;
    free(out);
    if (!in)
        return sk_fail_memory(error, 16.0 * (double)((end - begin) * words), "rows on their way");
    for (int r = 0; r < ranks->size; r++)
        for (int64_t left = g->in[r] / (int64_t)sizeof *in / words; left > 0; left--, at += words)
            sk_row_put(g->rows, g->cursor[r]++, at);
    free(in);
    return SUREKRIG_OK;
}

/* How many rows come from each rank, and so where each one's begin. */
static surekrig_status count_rows(dealing *g, surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(g->part);
    int64_t sum = 0;
    for (int64_t i = 0; i < g->part->n; i++) {
        g->owner[i] = (uint16_t)sk_cuts_rank(g->c, ranks->size, g->part->x + i * g->part->d, g->point);
        g->bytes[g->owner[i]]++;
    }
    for (int r = 0; r < ranks->size; r++)
        g->in[r] = sizeof *g->bytes;
    ranks->exchange(ranks, g->bytes, g->in, g->cursor, g->in);
    for (int r = 0; r < ranks->size; r++) {
        int64_t here = g->cursor[r];
        g->cursor[r] = sum;
        sum += here;
    }
    g->rows->of.own = g->rows->of.held = g->rows->of.kept = sum;
    return sum < INT32_MAX ? SUREKRIG_OK
                           : sk_fail(error, SUREKRIG_INVALID, "rank %d has %lld rows: start more ranks", ranks->rank,
                                     (long long)sum);
}

static surekrig_status reserve(struct sk_rows *rows, const surekrig_data *part, surekrig_error *error)
{
    rows->of.number = sk_reserve(rows->n, sizeof(int64_t));
    rows->x = sk_reserve(rows->n * rows->d, sizeof(double));
    rows->y = sk_reserve(rows->n * rows->l, sizeof(double));
    rows->noise = part->noise ? sk_reserve(rows->n, sizeof(double)) : NULL;
    rows->group = part->group ? sk_reserve(rows->n, sizeof(int64_t)) : NULL;
    return rows->of.number && rows->x && rows->y && (rows->noise || !part->noise) && (rows->group || !part->group)
               ? SUREKRIG_OK
               : sk_fail_memory(error, 8.0 * (double)(rows->n * (rows->d + rows->l)), "room for rows");
}

static surekrig_status deal_all(dealing *g, surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(g->part);
    int64_t n = g->part->n;
    int64_t at_once = sk_rows_at_once(ranks);
    double rounds = ceil((double)n / (double)at_once);
    g->owner = sk_alloc(n, sizeof *g->owner);
    g->cursor = sk_zeroed(4 * ranks->size, sizeof *g->cursor);
    g->bytes = g->cursor + ranks->size;
    g->in = g->bytes + ranks->size;
    g->at = g->in + ranks->size;
    g->point = sk_doubles(g->part->d);
    surekrig_status status = g->owner && g->cursor && g->point ? reserve(g->rows, g->part, error)
                                                               : sk_fail_memory(error, 2.0 * (double)n, "owners");
    if (!status)
        status = count_rows(g, error);
    sk_most(ranks, 1, &rounds);
    for (int64_t begin = 0; rounds-- > 0 && !status; begin += at_once) {
        int64_t from = begin < n ? begin : n, to = from + at_once < n ? from + at_once : n;
        status = deal_some(g, from, to, error);
    }
    free(g->owner);
    free(g->cursor);
    free(g->point);
    return status;
}

static surekrig_status deal(const surekrig_data *part, const char *distance, surekrig_data *whole,
                            surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(part);
    sk_cuts c = {.part = part};
    struct sk_rows *rows = sk_zeroed(1, sizeof *rows);
    surekrig_status status = rows ? SUREKRIG_OK : sk_fail_memory(error, sizeof *rows, "rows");
    if (status)
        return status;
    *rows = (struct sk_rows){.of = {.link = *ranks, .rows = rows, .to_file = sk_rows_to_file, .came = part->n}};
    rows->owners = 1;
    rows->n = sk_sum(ranks, part->n);
    rows->d = part->d;
    rows->l = part->l;
    dealing g = {.c = &c, .part = part, .rows = rows, .first = sk_before(ranks, part->n)};
    status = sk_cuts_make(&c, distance, error);
    if (!status)
        status = deal_all(&g, error);
    sk_cuts_free(&c);
    if (status) {
        sk_rows_free(&rows->of);
        return status;
    }
    *whole = *part;
    whole->n = rows->n;
    whole->x = rows->x;
    whole->y = rows->y;
    whole->noise = rows->noise;
    whole->group = rows->group;
    whole->ranks = &rows->of;
    return SUREKRIG_OK;
}

surekrig_status sk_deal(const surekrig_data *data, const char *time, const char *distance, surekrig_data *whole,
                        surekrig_error *error)
{
    *whole = *data;
    if (!data->ranks || data->ranks->link.size == 1)
        whole->ranks = NULL;
    if (!whole->ranks || !sk_is_spread(whole))
        return sk_data_arrays(data, error);
    if (data->ranks->link.size > UINT16_MAX + 1)
        return sk_fail(error, SUREKRIG_INVALID,
                       "rows are dealt out to at most %d ranks, not %d: run fewer, with more threads each",
                       UINT16_MAX + 1, data->ranks->link.size);
    void (*dealt)(void *of) = data->ranks->dealt;
    data->ranks->dealt = NULL; /* once */
    surekrig_status status = sk_data_arrays(data, error);
    if (!status)
        status = sk_data_check(data, time, error);
    if (!status)
        status = deal(data, distance, whole, error);
    if (!status && dealt)
        dealt(data->ranks->giver);
    return status;
}

void sk_dealt(surekrig_data *whole)
{
    if (sk_is_spread(whole))
        sk_rows_free(whole->ranks);
    whole->ranks = NULL;
}
