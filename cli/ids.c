/* Columns that may name what rows have in common, as a cruise or a station: which group each row is in, as far as a
 * column's cells are names at all. A row whose cell is missing is in none. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_ROWS = 1 << 18, LONGEST = 128 }; /* a longer cell is no name, but a text or a shape */

static void drop(cli_ids *ids, int c)
{
    cli_groups_free(ids->of[c]);
    free(ids->group[c]);
    ids->of[c] = NULL;
    ids->group[c] = NULL;
}

void cli_ids_free(cli_ids *ids)
{
    for (int c = 0; c < CLI_IDS; c++)
        drop(ids, c);
    ids->columns = 0;
}

/* Text, and where features are named numbers too. */
void cli_ids_choose(const cli_call *call, cli_training *t)
{
    cli_ids *ids = &t->ids;
    bool named = cli_value(call, "features");
    if (!call->command->settings || cli_value(call, "quiet") || t->from || t->each || cli_on.size > 1)
        return;
    for (int i = 0; i < io_columns(t->reader) && ids->columns < CLI_IDS; i++) {
        bool taken = io_column_dates(t->reader, i) || (io_column_numeric(t->reader, i) && !named);
        for (int j = 0; j < t->l + t->noise + t->d && !taken; j++)
            taken = t->column[j] == i;
        if (!taken)
            ids->column[ids->columns++] = i;
    }
    surekrig_error none;
    ids->missing = cli_value(call, "na");
    ids->kept = ids->columns && !io_keep(t->reader, ids->columns, ids->column, &none);
    ids->columns = ids->kept ? ids->columns : 0; /* a format without text */
}

static bool make_room(cli_ids *ids)
{
    if (ids->rows < ids->room)
        return true;
    ids->room = 2 * ids->room + 4096;
    for (int c = 0; c < ids->columns; c++) {
        int64_t *grown = ids->rows && !ids->group[c] ? NULL : realloc(ids->group[c], (size_t)ids->room * sizeof *grown);
        if (!grown)
            drop(ids, c);
        else
            ids->group[c] = grown;
    }
    return ids->room <= 2 * MOST_ROWS + 4096;
}

/* A number with a fraction is a measurement. */
static bool is_name(const char *cell)
{
    size_t digits = strspn(cell, "+-0123456789");
    return cell[digits] != '.' && cell[digits] != ',';
}

static bool is_missing(const cli_ids *ids, const char *cell)
{
    return io_means_missing(cell, strlen(cell)) || (ids->missing && cli_in_list(ids->missing, cell));
}

/* The next cell, which ends with a comma; one in quotes may hold others. False: it is too long. */
static bool take_cell(const char **cells, char cell[LONGEST])
{
    const char *at = *cells;
    bool quoted = false;
    for (; *at && (quoted || *at != ','); at++)
        quoted ^= *at == '"';
    size_t length = (size_t)(at - *cells);
    bool fits = length < LONGEST;
    memcpy(cell, *cells, fits ? length : 0);
    cell[fits ? length : 0] = 0;
    *cells = at + (*at == ',');
    return fits;
}

void cli_ids_take(cli_ids *ids, const char *cells)
{
    char cell[LONGEST];
    if (ids->rows >= MOST_ROWS || !make_room(ids)) { /* beyond, cells take too much of the time to read a table */
        cli_ids_free(ids);
        return;
    }
    for (int c = 0; c < ids->columns; c++) {
        bool fits = take_cell(&cells, cell), is_there = fits && !is_missing(ids, cell);
        if (!ids->group[c])
            continue;
        int64_t group = !is_there ? 0 : is_name(cell) ? cli_group_number(&ids->of[c], cell) : -1;
        if (!fits || group < 0 || group > 1000 + ids->rows / CLI_IDS_ROWS)
            drop(ids, c);
        else
            ids->group[c][ids->rows] = is_there ? group : -1 - ids->rows;
    }
    ids->rows++;
}

int64_t cli_ids_at_once(const cli_ids *ids, int64_t most)
{
    int64_t rows = 64 + 2 * ids->rows;
    return ids->kept && rows < most ? rows : most;
}

void cli_ids_check(cli_training *t)
{
    cli_ids *ids = &t->ids;
    int left = 0;
    surekrig_error none;
    for (int c = 0; c < ids->columns && ids->rows; c++)
        if (ids->group[c]) {
            cli_groups *of = ids->of[c];
            int64_t *group = ids->group[c];
            ids->of[c] = NULL;
            ids->group[c] = NULL;
            ids->of[left] = of;
            ids->group[left] = group;
            ids->column[left++] = ids->column[c];
        }
    if (!ids->kept || (ids->columns && (!ids->rows || left == ids->columns)))
        return;
    ids->columns = left;
    ids->kept = !io_keep(t->reader, left, ids->column, &none) && left > 0;
    if (!ids->kept)
        cli_ids_free(ids);
}
