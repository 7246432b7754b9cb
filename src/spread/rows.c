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
        data->ranks->kept = data->ranks->held;
}

void sk_rows_forget(const surekrig_data *data)
{
    if (!data->ranks || data->ranks->held == data->ranks->kept)
        return;
    surekrig_ranks *of = data->ranks;
    of->held = of->kept;
    of->least = of->forgotten && of->least < of->kept ? of->least : of->kept;
    of->forgotten++;
    fill_table(of->rows);
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
