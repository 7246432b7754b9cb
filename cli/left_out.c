/* Features that tell nothing are left out: those that are the same in all rows, and those that number the rows, as
 * programs put them before a table. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What each rank has, [ranks][bytes], the caller's to free. NULL: without memory, which ends all ranks. */
static void *gather(const void *own, size_t bytes)
{
    void *all = malloc((size_t)cli_on.size * bytes);
    if (all)
        cli_on.gather(own, bytes, all);
    else
        cli_on.fail("", "out of memory");
    return all;
}

/* ---- constants */

bool cli_is_constant(const cli_training *t, int a, double *value)
{
    double own[2] = {t->n ? t->x[a] : NAN, 0}; /* and whether it varies */
    for (int64_t i = 1; i < t->n && !own[1]; i++)
        own[1] = t->x[i * t->d + a] != t->x[a];
    *value = own[0];
    if (t->ranks == cli_on.alike)
        return !own[1];
    double *all = gather(own, sizeof own);
    bool varies = false;
    for (int r = 0; all && r < cli_on.size; r++) {
        *value = isnan(*value) ? all[2 * r] : *value;
        varies |= all[2 * r + 1] || (!isnan(all[2 * r]) && all[2 * r] != *value);
    }
    free(all);
    return !varies;
}

/* ---- numbers of rows */

static bool among(const char *const *names, const char *name)
{
    while (*names && strcasecmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* "...1" and "Unnamed: 0" are what readers of tables make of no name. */
static bool is_surely_identifier(const io_reader *reader, int column)
{
    static const char *const NAMES[] = {"id",       "fid",        "oid",       "gid",        "pid",       "uid",
                                        "objectid", "ogc_fid",    "index",     "idx",        "rowid",     "rowname",
                                        "rownames", "rownum",     "rownumber", "row_number", "row.names", "row_names",
                                        "...1",     "unnamed: 0", NULL};
    const char *name = io_column_name(reader, column), *end = strrchr(name, '_');
    return among(NAMES, name) || io_column_nameless(reader, column) || (end && !strcasecmp(end, "_id"));
}

/* A measurement may have these names, too. */
bool cli_is_identifier(const io_reader *reader, int column)
{
    static const char *const NAMES[] = {"number", "no", "nr", "num", "#", "row", NULL};
    return is_surely_identifier(reader, column) || among(NAMES, io_column_name(reader, column));
}

/* Whole numbers that rise from row to row, on all ranks: by more than one where rows were taken out. */
static bool numbers_rows(const cli_training *t, const double *value, int stride)
{
    double own[3] = {0, t->n ? value[0] : NAN, t->n ? value[(t->n - 1) * stride] : NAN}; /* faults, first, last */
    for (int64_t i = 0; i < t->n && !own[0]; i++)
        own[0] = value[i * stride] != floor(value[i * stride]) || (i && value[i * stride] <= value[(i - 1) * stride]);
    if (t->ranks == cli_on.alike)
        return !own[0];
    double *all = gather(own, sizeof own);
    double faults = 0, last = -INFINITY;
    for (const double *r = all; all && r < all + 3 * cli_on.size; r += 3) {
        faults += r[0] || r[1] <= last;
        last = fmax(last, r[2]); /* of a rank without rows NaN, which fmax passes over */
    }
    free(all);
    return !faults;
}

enum { WORDS = 1 << 17, BITS = 64, SLICES = 8 };
static const double SLICE = (double)WORDS * BITS;

/* Bit i: a row has the number from + i. The last word: two have, or one that is none. */
static void mark(const cli_training *t, const double *value, double from, uint64_t bit[WORDS + 1])
{
    memset(bit, 0, (WORDS + 1) * sizeof *bit);
    for (int64_t i = 0; i < t->n; i++) {
        double number = value[i * t->d] - from;
        bit[WORDS] |= !(value[i * t->d] >= 0 && value[i * t->d] < SLICES * SLICE && number == floor(number));
        if (!(number >= 0 && number < SLICE))
            continue;
        uint64_t *word = &bit[(size_t)number / BITS], one = (uint64_t)1 << (size_t)number % BITS;
        bit[WORDS] |= (*word & one) != 0;
        *word |= one;
    }
}

/* The same of all ranks' rows. */
static bool are_apart(const cli_training *t, const uint64_t bit[WORDS + 1])
{
    if (t->ranks == cli_on.alike)
        return !bit[WORDS];
    uint64_t *all = gather(bit, (WORDS + 1) * sizeof *bit);
    bool apart = all != NULL;
    for (size_t i = 0; i <= WORDS && all; i++) {
        uint64_t seen = 0;
        for (int r = 0; r < cli_on.size; r++) {
            uint64_t more = all[(size_t)r * (WORDS + 1) + i];
            apart &= i == WORDS ? !more : !(seen & more);
            seen |= more;
        }
    }
    free(all);
    return apart;
}

/* Whole numbers below some 67 million, no two the same: numbers of rows that came into another order, as where some were
 * drawn for a test. */
static bool are_distinct(const cli_training *t, const double *value)
{
    uint64_t *bit = malloc((WORDS + 1) * sizeof *bit);
    bool distinct = bit != NULL;
    if (!bit && cli_on.size > 1)
        cli_on.fail("", "out of memory");
    for (int slice = 0; slice < SLICES && distinct; slice++) {
        mark(t, value, slice * SLICE, bit);
        distinct = are_apart(t, bit);
    }
    free(bit);
    return distinct;
}

static bool is_number(const cli_call *call, const cli_training *t, int a)
{
    int column = t->column[t->l + t->noise + a];
    return t->seen > 2 && cli_is_identifier(t->reader, column) &&
           !cli_in_list(surekrig_settings_get(call->settings, "by"), t->x_names[a]) &&
           (numbers_rows(t, t->x + a, t->d) || (is_surely_identifier(t->reader, column) && are_distinct(t, t->x + a)));
}

/* ---- dropped */

enum { MOST_TOLD = 8 };

bool cli_tells_left_out(const cli_call *call, cli_training *t)
{
    return t->left_out++ < MOST_TOLD && !cli_value(call, "quiet");
}

/* Those of the features that are marked, of which it leaves so many. */
static void drop_features(cli_training *t, const bool *drop, int left)
{
    int *column = t->column + t->l + t->noise, to = 0;
    int64_t kept = 0;
    for (int64_t i = 0; i < t->n * t->d; i++)
        if (!drop[i % t->d])
            t->x[kept++] = t->x[i];
    for (int a = 0, time = t->time; a < t->d; a++) {
        column[to] = column[a];
        t->x_names[to] = t->x_names[a];
        to += !drop[a];
        t->time -= drop[a] && a < time;
    }
    t->d = left;
}

surekrig_status cli_drop_features(const cli_call *call, cli_training *t, surekrig_error *error)
{
    const char *command = call->command->name;
    bool *drop = calloc((size_t)t->d + 1, sizeof *drop);
    int left = t->d;
    double value;
    if (!drop)
        return cli_no_memory(error);
    for (int a = t->d - 1; a >= 0 && t->seen > 1; a--)
        if (left > 1 && a != t->time && cli_is_constant(t, a, &value)) {
            drop[a] = left--;
            if (cli_tells_left_out(call, t))
                fprintf(stderr, "surekrig %s: column %s is %g in all rows and left out\n", command, t->x_names[a],
                        value);
        }
    for (int a = t->d - 1; a >= 0; a--)
        if (left > 1 && a != t->time && !drop[a] && is_number(call, t, a)) {
            drop[a] = left--;
            if (cli_tells_left_out(call, t))
                fprintf(stderr,
                        "surekrig %s: column %s numbers the rows and is left out: to take it as a feature, name all "
                        "features by -x\n",
                        command, t->x_names[a]);
        }
    drop_features(t, drop, left);
    free(drop);
    if (t->left_out > MOST_TOLD && !cli_value(call, "quiet"))
        fprintf(stderr, "surekrig %s: so are %d more columns\n", command, t->left_out - MOST_TOLD);
    return SUREKRIG_OK;
}

surekrig_status cli_check_response(const cli_call *call, const cli_training *t, surekrig_error *error)
{
    if (cli_value(call, "response") || t->seen <= 2 || !cli_is_identifier(t->reader, t->column[0]) ||
        !numbers_rows(t, t->y, t->l))
        return SUREKRIG_OK;
    return cli_error(error, SUREKRIG_DATA,
                     "%s: the last column, %s, would be the response, but it numbers the rows: name the response by -y",
                     io_path(t->reader), t->y_names[0]);
}
