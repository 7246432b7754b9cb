/* Columns that name what rows have in common, as a cruise or a station. Where such groups have offsets of their own, a new
 * group is predicted worse than a row left out of its group tells: --by COLUMN makes training leave out whole groups.
 * Whether that matters, some rows tell, each predicted without itself, and without its group:
 *   z = error in units of its interval, so that z^2 is 1 in the mean where intervals are right
 *   R = mean z^2 without the group / mean z^2 without the row, or 1 if that is less
 * Errors of a group go together, at worst entirely; then the mean of z^2 over G groups is chi-square with G degrees of
 * freedom, over G, where intervals are right for whole groups. Where R is beyond what that is in 19 of 20 cases, they are
 * not. Distance alone does not raise R, as intervals grow with it: of 177 made sets without offsets none was beyond. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1 << 18, SAMPLE = 512, LEAST_GROUPS = 3, ROWS_EACH = 3 };
static const double LEVEL = 0.95, LEAST_RATIO = 1.2, LEAST_LOSS = 0.03;

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
        for (int j = 0; j < t->l + t->noise + t->d; j++)
            taken |= t->column[j] == i;
        if (!taken)
            ids->column[ids->columns++] = i;
    }
    surekrig_error none;
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

/* Each cell ends with a comma; one in quotes may hold others. */
void cli_ids_take(cli_ids *ids, const char *cells)
{
    char cell[128];
    if (ids->rows >= MOST_ROWS || !make_room(ids)) { /* beyond, cells take too much of the time to read a table */
        cli_ids_free(ids);
        return;
    }
    for (int c = 0; c < ids->columns; c++) {
        size_t length = 0;
        bool quoted = false;
        for (; *cells && (quoted || *cells != ','); cells++) {
            quoted ^= *cells == '"';
            if (length + 1 < sizeof cell)
                cell[length++] = *cells;
        }
        cell[length] = 0;
        cells += *cells == ',';
        int64_t group = !ids->group[c] || !is_name(cell) ? -1 : cli_group_number(&ids->of[c], cell);
        if (group < 0 || group > 1000 + ids->rows / ROWS_EACH)
            drop(ids, c);
        else
            ids->group[c][ids->rows] = group;
    }
    ids->rows++;
}

void cli_ids_check(cli_training *t)
{
    bool any = false;
    surekrig_error none;
    for (int c = 0; c < t->ids.columns; c++)
        any |= t->ids.group[c] != NULL;
    if (any || !t->ids.kept)
        return;
    cli_ids_free(&t->ids);
    t->ids.kept = io_keep(t->reader, 0, t->ids.column, &none) != SUREKRIG_OK;
}

/* ---- what they do to errors */

/* Rows drawn at random, predicted without others. */
typedef struct left_out {
    int64_t n, l;
    int64_t *row;            /* [n] */
    double *number;          /* of which the others are parts */
    surekrig_validated made; /* [n][l] */
    double square, inside;   /* the means of z^2 and of being inside its interval */
    double *rmse;            /* [l] */
} left_out;

static bool open_left_out(left_out *o, int64_t n, int64_t l)
{
    *o = (left_out){.n = n, .l = l, .row = malloc((size_t)n * sizeof *o->row)};
    double *at = o->number = malloc((size_t)(n * (4 * l + 1) + l) * sizeof *o->number);
    if (!at || !o->row)
        return false;
    double *each[] = {at, at + n * l, at + 2 * n * l, at + 3 * n * l, at + 4 * n * l};
    o->made = (surekrig_validated){
        .row = o->row, .mean = each[0], .sd = each[1], .lower = each[2], .upper = each[3], .distance = each[4]};
    o->rmse = each[4] + n;
    return true;
}

static void close_left_out(left_out *o)
{
    free(o->row);
    free(o->number);
}

static void measure(left_out *o, const double *y)
{
    double z = surekrig_quantile(LEVEL), share = 1 / (double)(o->n * o->l);
    for (int64_t q = 0; q < o->l; q++)
        o->rmse[q] = 0;
    o->square = o->inside = 0;
    for (int64_t i = 0; i < o->n * o->l; i++) {
        int64_t q = i % o->l;
        double error = y[o->row[i / o->l] * o->l + q] - o->made.mean[i],
               half = (o->made.upper[i] - o->made.lower[i]) / 2, score = z * error / half;
        o->square += share * score * score;
        o->inside += share * (fabs(error) <= half);
        o->rmse[q] = hypot(o->rmse[q], error);
    }
}

/* False where it cannot be told: the groups are too large for the number of neighbours. */
static bool leave_out(const surekrig_model *model, const int64_t *group, left_out *o)
{
    const surekrig_data *data = surekrig_model_data(model);
    surekrig_validation how = {.rows = o->n < data->n ? o->n : 0,
                               .seed = 1,
                               .threads = (int)cli_setting_number(surekrig_model_info(model)->settings, "threads"),
                               .levels = 1,
                               .level = &LEVEL,
                               .group = group};
    if (surekrig_validate(model, &how, NULL, &o->made, NULL))
        return false;
    measure(o, data->y);
    return isfinite(o->square);
}

/* n^2 / sum n_g^2 of the rows left out: of equal groups their number. NaN: no memory. */
static double effective_groups(const left_out *o, const cli_groups *groups, const int64_t *group)
{
    double *rows = calloc((size_t)cli_groups_count(groups), sizeof *rows), sum = 0;
    for (int64_t i = 0; i < o->n && rows; i++)
        sum += 2 * rows[group[o->row[i]]]++ + 1; /* (c + 1)^2 - c^2 */
    free(rows);
    return rows ? (double)o->n * (double)o->n / sum : NAN;
}

/* Chi-square over its degrees of freedom, at 0.95 (Wilson and Hilferty). */
static double most_by_chance(double freedom)
{
    double part = 2 / (9 * freedom);
    return pow(1 - part + 1.645 * sqrt(part), 3);
}

static void tell(const cli_call *call, const char *name, const left_out *alone, const left_out *group)
{
    double times = 0;
    for (int64_t q = 0; q < alone->l; q++)
        times += group->rmse[q] / alone->rmse[q] / (double)alone->l;
    fprintf(
        stderr,
        "surekrig %s: where a whole %s is left out, errors are %.1f times as large as where one row is, and %g %% intervals "
        "hold %.0f %%: to predict for new ones, add --by %s\n",
        call->command->name, name, times, 100 * LEVEL, 100 * group->inside, name);
}

/* By how much R exceeds chance; 0: it does not, or cannot be told. */
static double excess(const cli_training *t, int c, const surekrig_model *model, const left_out *alone, left_out *group)
{
    const cli_ids *ids = &t->ids;
    int64_t groups = ids->group[c] ? cli_groups_count(ids->of[c]) : 0;
    if (groups < LEAST_GROUPS || groups * ROWS_EACH > ids->rows || !leave_out(model, ids->group[c], group))
        return 0;
    double ratio = group->square / fmax(alone->square, 1),
           chance = most_by_chance(effective_groups(group, ids->of[c], ids->group[c]));
    bool clear = ratio > fmax(chance, LEAST_RATIO * LEAST_RATIO) && group->inside < LEVEL - LEAST_LOSS;
    return clear ? ratio / chance : 0;
}

void cli_ids_look(const cli_call *call, const cli_training *t, const surekrig_model *model)
{
    const surekrig_info *info = surekrig_model_info(model);
    int64_t n = info->n < SAMPLE ? info->n : SAMPLE;
    left_out alone = {0}, group = {0};
    double most = 0;
    bool any = t->ids.columns > 0 && t->ids.rows == info->n;
    if (any && open_left_out(&alone, n, info->l) && open_left_out(&group, n, info->l) &&
        leave_out(model, NULL, &alone)) {
        int worst = -1;
        for (int c = 0; c < t->ids.columns; c++) {
            double by = excess(t, c, model, &alone, &group);
            worst = by > most ? c : worst;
            most = fmax(by, most);
        }
        if (worst >= 0 && leave_out(model, t->ids.group[worst], &group))
            tell(call, io_column_name(t->reader, t->ids.column[worst]), &alone, &group);
    }
    close_left_out(&alone);
    close_left_out(&group);
}
