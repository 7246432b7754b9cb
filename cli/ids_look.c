/* Columns that name what rows have in common, as a cruise or a station. Where such groups have offsets of their own, a
 * new group is predicted worse than a row left out of its group tells: --by COLUMN makes training leave out whole
 * groups. Whether that matters, some rows tell, each predicted without itself, and without its group:
 *   z = error in units of its interval, so that z^2 is 1 in the mean where intervals are right
 *   R = mean z^2 without the group / mean z^2 without the row, or 1 if that is less
 * Errors of a group go together, at worst entirely; then the mean of z^2 over G groups is chi-square with G degrees of
 * freedom, over G, where intervals are right for whole groups. Where R is beyond what that is in 19 of 20 cases, they
 * are not. Distance alone does not raise R, as intervals grow with it: of 177 made sets without offsets none was
 * beyond. Classes of the response itself raise R, but no prediction is wanted for a new one: they are known by rows
 * that follow one another when put in the order of the response. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 512, LEAST_GROUPS = 3 };
static const double LEVEL = 0.95, LEAST_RATIO = 1.2, LEAST_LOSS = 0.03, MOST_ORDERED = 0.5;

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

/* Of the rows that are in a group. */
static void measure(left_out *o, const double *y, const int64_t *group)
{
    double z = surekrig_quantile(LEVEL), share = 0;
    for (int64_t q = 0; q < o->l; q++)
        o->rmse[q] = 0;
    o->square = o->inside = 0;
    for (int64_t i = 0; i < o->n * o->l; i++) {
        int64_t q = i % o->l, row = o->row[i / o->l];
        double error = y[row * o->l + q] - o->made.mean[i], half = (o->made.upper[i] - o->made.lower[i]) / 2,
               score = z * error / half;
        if (group[row] < 0)
            continue;
        share++;
        o->square += score * score;
        o->inside += fabs(error) <= half;
        o->rmse[q] = hypot(o->rmse[q], error);
    }
    o->square /= share;
    o->inside /= share;
}

/* False where it cannot be: the groups are too large for the number of neighbours. */
static bool leave_out(const surekrig_model *model, const int64_t *group, left_out *o)
{
    const surekrig_data *data = surekrig_model_data(model);
    surekrig_validation how = {.rows = o->n < data->n ? o->n : 0,
                               .seed = 1,
                               .threads = (int)cli_setting_number(surekrig_model_info(model)->settings, "threads"),
                               .levels = 1,
                               .level = &LEVEL,
                               .group = group};
    return !surekrig_validate(model, &how, NULL, &o->made, NULL);
}

/* Of rows in groups: n, and sum n_g^2 / n^2, which of G equal groups is 1/G. NaN: no memory. */
typedef struct shares {
    double rows, square, largest; /* largest: n_g / n, at the most */
} shares;

/* row: [n] of which the groups are counted, or NULL: all. */
static shares count_groups(const cli_ids *ids, int c, int64_t n, const int64_t *row)
{
    double *rows = calloc((size_t)cli_groups_count(ids->of[c]) + 1, sizeof *rows);
    shares s = {0, rows ? 0 : NAN, 0};
    for (int64_t i = 0; i < n && rows; i++) {
        int64_t group = ids->group[c][row ? row[i] : i];
        if (group < 0)
            continue;
        s.rows++;
        s.square += 2 * rows[group] + 1; /* (n_g + 1)^2 - n_g^2 */
        s.largest = fmax(s.largest, ++rows[group]);
    }
    free(rows);
    s.square /= s.rows * s.rows;
    s.largest /= s.rows;
    return s;
}

/* ---- classes of the response */

typedef struct ordered {
    double y;
    uint32_t chance; /* among equals */
    int64_t group;
} ordered;

static int by_response(const void *a, const void *b)
{
    const ordered *p = a, *q = b;
    return p->y != q->y ? (p->y > q->y) - (p->y < q->y) : (p->chance > q->chance) - (p->chance < q->chance);
}

/* How often the next row in the order of a response is of the same group, where 0 is as often as by chance and 1 always:
 * the most of all responses. NaN: no memory. */
static double order_of(const left_out *o, const double *y, const int64_t *group, double by_chance)
{
    ordered *row = malloc((size_t)(o->n + 1) * sizeof *row);
    double most = row ? 0 : NAN;
    for (int64_t q = 0; q < o->l && row; q++) {
        int64_t n = 0, same = 0;
        for (int64_t i = 0; i < o->n; i++)
            if (group[o->row[i]] >= 0)
                row[n++] = (ordered){y[o->row[i] * o->l + q], (uint32_t)i * 2654435761U, group[o->row[i]]};
        qsort(row, (size_t)n, sizeof *row, by_response);
        for (int64_t i = 1; i < n; i++)
            same += row[i].group == row[i - 1].group;
        most = fmax(most, ((double)same / (double)(n - 1) - by_chance) / (1 - by_chance));
    }
    free(row);
    return most;
}

/* ---- what groups do to errors */

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

/* Several groups with several rows each. --by takes rows without a name as one: then neither they nor any other group
 * may be most rows. */
static bool may_be_groups(const cli_ids *ids, int c)
{
    int64_t groups = ids->group[c] ? cli_groups_count(ids->of[c]) : 0;
    if (groups < LEAST_GROUPS)
        return false;
    shares all = count_groups(ids, c, ids->rows, NULL);
    return (double)(groups * CLI_IDS_ROWS) <= all.rows && 2 * all.rows > (double)ids->rows && all.largest < 0.5;
}

/* By how much R exceeds chance; 0: it does not, or cannot be told. */
static double excess(const cli_ids *ids, int c, const surekrig_model *model, left_out *alone, left_out *group)
{
    const double *y = surekrig_model_data(model)->y;
    if (!may_be_groups(ids, c) || !leave_out(model, ids->group[c], group))
        return 0;
    measure(alone, y, ids->group[c]);
    measure(group, y, ids->group[c]);
    shares s = count_groups(ids, c, group->n, group->row);
    double ratio = group->square / fmax(alone->square, 1), chance = most_by_chance(1 / s.square);
    bool clear = isfinite(ratio) && ratio > fmax(chance, LEAST_RATIO * LEAST_RATIO) &&
                 group->inside < LEVEL - LEAST_LOSS && order_of(alone, y, ids->group[c], s.square) < MOST_ORDERED;
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
            double by = excess(&t->ids, c, model, &alone, &group);
            worst = by > most ? c : worst;
            most = fmax(by, most);
        }
        if (worst >= 0 && excess(&t->ids, worst, model, &alone, &group) > 0) /* its measures once more */
            tell(call, io_column_name(t->reader, t->ids.column[worst]), &alone, &group);
    }
    close_left_out(&alone);
    close_left_out(&group);
}
