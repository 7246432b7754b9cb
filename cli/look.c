/* What is not wrong in a table, but a user would like to know. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COMPARED = 1000 }; /* features, each with all others */

/* Whether feature b is a, perhaps in another unit: b - b0 = slope (a - a0) in all rows. */
static bool copies(const cli_training *t, int a, int b)
{
    double slope = NAN, largest = 0;
    for (int64_t i = 1; i < t->n; i++) {
        double along = t->x[i * t->d + a] - t->x[a], other = t->x[i * t->d + b] - t->x[b];
        if (isnan(slope) && along != 0)
            slope = other / along;
        largest = fmax(largest, fabs(other));
        if (fabs(other - (isnan(slope) ? 0 : slope * along)) > 1e-9 * largest)
            return false;
    }
    return largest > 0 && t->n > 2; /* of two rows any feature is */
}

static void look_at_features(const cli_call *call, const cli_training *t)
{
    const char *command = call->command->name;
    if (t->d > t->n && t->n > 1)
        fprintf(stderr, "surekrig %s: %d features and %lld row%s: which features matter can hardly be told\n", command,
                t->d, (long long)t->n, t->n == 1 ? "" : "s");
    for (int b = 1; b < t->d && t->d <= MOST_COMPARED; b++)
        for (int a = 0; a < b; a++)
            if (copies(t, a, b)) {
                fprintf(stderr, "surekrig %s: %s is a copy of %s, perhaps in another unit: one of them would do\n",
                        command, t->x_names[b], t->x_names[a]);
                break;
            }
}

/* 1, 2, 3, ... under a name that may be a feature's, or none in a table without names. A series may have no other
 * feature. */
static bool counts_rows(const cli_training *t, int a)
{
    for (int64_t i = 1; i < t->n; i++)
        if (t->x[i * t->d + a] != t->x[a] + (double)i)
            return false;
    return t->n > 2 && t->d > 1 && a != t->time;
}

/* Whole numbers that are all days of years from 1800 to 2199 as 20240301: dates, which are no evenly spaced numbers. */
static bool packs_dates(const cli_training *t, int a)
{
    for (int64_t i = 0; i < t->n; i++) {
        double value = t->x[i * t->d + a];
        if (!(value >= 18000101 && value <= 21991231) || value != floor(value))
            return false;
        int month = (int)value / 100 % 100, day = (int)value % 100;
        if (month < 1 || month > 12 || day < 1 || day > 31)
            return false;
    }
    return t->n > 2;
}

static void look_at_packed_dates(const cli_call *call, const cli_training *t)
{
    for (int a = 0; a < t->d; a++)
        if (packs_dates(t, a))
            fprintf(
                stderr,
                "surekrig %s: %s is taken as a number, though it looks like dates as 20240301: 70 lie between the last of "
                "January and the first of February; write 2024-03-01 and name the column by --time\n",
                call->command->name, t->x_names[a]);
}

/* What was taken because nobody named columns. */
static void look_at_columns(const cli_call *call, const cli_training *t)
{
    const char *command = call->command->name;
    for (int a = 0; a < t->d && !cli_value(call, "features"); a++)
        if (counts_rows(t, a))
            fprintf(stderr, "surekrig %s: %s counts the rows, and is taken as a feature: -x NAMES names the features\n",
                    command, t->x_names[a]);
    if (!cli_value(call, "response") && (cli_is_coordinate(t->y_names[0]) || cli_is_moment(t->y_names[0])))
        fprintf(stderr, "surekrig %s: the response is the last column, %s: -y NAME names another\n", command,
                t->y_names[0]);
}

/* What programs write where a value is missing: nines, as in logs of wells -999.25, the ends of short and long whole
 * numbers, what no measurement is. */
static bool is_mark(double value)
{
    static const double MARK[] = {99,      999,     9999,  99999,  999999, 9999999,    99999999,
                                  99.9,    99.99,   999.9, 999.99, 999.25, 9999.9,     9999.99,
                                  9999.25, 99999.9, 32767, 32768,  65535,  2147483647, 2147483648};
    for (size_t i = 0; i < sizeof MARK / sizeof *MARK; i++)
        if (fabs(value) == MARK[i])
            return true;
    return fabs(value) >= 1e20;
}

enum { FEW = 10, FAR = 100 }; /* rows; times */

/* Whether so many rows of n may be marked by it: one of few, or one 99, is as well a value. */
static bool marks_rows(double value, int64_t rows, int64_t n)
{
    return rows > 1 || (rows == 1 && n > FEW && fabs(value) > 100);
}

/* In as many digits as --na needs to know it. */
static void tell_far(const cli_call *call, const char *name, double value, int64_t rows, const char *meaning)
{
    char mark[32];
    snprintf(mark, sizeof mark, "%.10g", value);
    if (strtod(mark, NULL) != value)
        snprintf(mark, sizeof mark, "%.17g", value);
    fprintf(stderr, "surekrig %s: %s is %s in %lld row%s, far from all others: if that %s, say --na %s\n",
            call->command->name, name, mark, (long long)rows, rows == 1 ? "" : "s", meaning, mark);
}

/* One end of the values: the outermost, in how many rows, and the next one inside. */
typedef struct outer {
    double value, next;
    int64_t rows;
} outer;

/* sign: 1 for the largest values, -1 for the least. */
static void take_outer(outer *end, double value, double sign)
{
    if (sign * value > sign * end->value)
        *end = (outer){value, end->value, 1};
    else if (value == end->value)
        end->rows++;
    else if (sign * value > sign * end->next)
        end->next = value;
}

/* A mark that is farther from all other values than these are from one another, and any value of a single row that is so
 * a hundred times over: it would decide the scale of everything. */
static void look_for_marks(const cli_call *call, const char *name, int64_t n, const double *value, int stride)
{
    outer end[2] = {{INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, 0}}; /* the least and the largest */
    for (int64_t i = 0; i < n; i++) {
        take_outer(&end[0], value[i * stride], -1);
        take_outer(&end[1], value[i * stride], 1);
    }
    for (int e = 0; e < 2; e++) {
        double apart = fabs(end[e].value - end[e].next), span = fabs(end[1 - e].value - end[e].next);
        if (is_mark(end[e].value) && marks_rows(end[e].value, end[e].rows, n) && apart > span)
            tell_far(call, name, end[e].value, end[e].rows, "means missing");
        else if (end[e].rows == 1 && n > FEW && span > 0 && apart > FAR * span)
            tell_far(call, name, end[e].value, 1, "is an error");
    }
}

/* ---- profiles: rows that share all features but one, as soundings along a depth or stations along days */

enum { ROWS_EACH = 5, LEAST_PLACES = 10, MOST_ROWS = 1 << 20, MOST_FEATURES = 6 };

static bool same_but(const cli_training *t, int along, int64_t i, int64_t j)
{
    bool same = true;
    for (int a = 0; a < t->d; a++)
        same &= a == along || t->x[i * t->d + a] == t->x[j * t->d + a];
    return same;
}

static uint64_t hash_but(const cli_training *t, int along, int64_t i)
{
    uint64_t hash = 0;
    for (int a = 0; a < t->d; a++) {
        double value = a == along ? 0 : t->x[i * t->d + a] + 0.0; /* -0 is 0 */
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Places, without one feature; n of them also where there is no memory to tell. */
static int64_t places_but(const cli_training *t, int along)
{
    int64_t slots = 16, places = 0;
    while (slots < 2 * t->n)
        slots *= 2;
    int64_t *row = calloc((size_t)slots, sizeof *row); /* the first at a place, from 1; 0: none */
    if (!row)
        return t->n;
    for (int64_t i = 0; i < t->n; i++) {
        int64_t at = (int64_t)(hash_but(t, along, i) & (uint64_t)(slots - 1));
        while (row[at] && !same_but(t, along, i, row[at] - 1))
            at = (at + 1) & (slots - 1);
        places += !row[at];
        row[at] = row[at] ? row[at] : i + 1;
    }
    free(row);
    return places;
}

/* Three features; or a few more, where two are of a map, as heights of stations are beside their places. */
static bool may_be_profiles(const cli_training *t)
{
    int coordinates = 0;
    for (int a = 0; a < t->d; a++)
        coordinates += cli_is_coordinate(t->x_names[a]);
    return t->d == 3 || (t->d > 3 && t->d <= MOST_FEATURES && coordinates == 2);
}

/* On a grid each of the features would do. */
static void look_at_profiles(const cli_call *call, const cli_training *t)
{
    int along = -1, many = 0;
    int64_t places = 0;
    if (!call->command->settings || !may_be_profiles(t) || t->time >= 0 || t->from || t->n > MOST_ROWS ||
        cli_value(call, "quiet"))
        return;
    for (int a = 0; a < t->d; a++) {
        int64_t here = places_but(t, a);
        if (here < LEAST_PLACES || here * ROWS_EACH > t->n)
            continue;
        along = a;
        places = here;
        many++;
    }
    if (many != 1)
        return;
    fprintf(stderr, "surekrig %s: %lld places (", call->command->name, (long long)places);
    for (int a = 0, said = 0; a < t->d; a++)
        if (a != along)
            fprintf(stderr, "%s%s", said++ ? ", " : "", t->x_names[a]);
    fprintf(
        stderr,
        ") have %.0f rows each along %s: if these are profiles or series, --time %s gives it a smoothness of its own, "
        "which is better between the places\n",
        (double)t->n / (double)places, t->x_names[along], t->x_names[along]);
}

void cli_look_at_training(const cli_call *call, const cli_training *t)
{
    look_at_features(call, t);
    look_at_packed_dates(call, t);
    look_at_profiles(call, t);
    if (!cli_value(call, "quiet"))
        look_at_columns(call, t);
    for (int q = 0; q < t->l; q++)
        look_for_marks(call, t->y_names[q], t->n, t->y + q, t->l);
    for (int a = 0; a < t->d; a++)
        look_for_marks(call, t->x_names[a], t->n, t->x + a, t->d);
}

/* ---- targets beyond the rows */

/* The feature's values in the rows, and a little to both sides, which a grid around them has. */
static void reach_of(const surekrig_data *data, int64_t a, double reach[2])
{
    const double aside = 0.02;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < data->n; i++) {
        low = fmin(low, data->x[i * data->d + a]);
        high = fmax(high, data->x[i * data->d + a]);
    }
    reach[0] = low - aside * (high - low);
    reach[1] = high + aside * (high - low);
}

void cli_look_beyond(const cli_call *call, const surekrig_data *data)
{
    if (!data->targets || cli_value(call, "quiet") || cli_on.size > 1) /* all rows must be here */
        return;
    const char *time = surekrig_settings_get(call->settings, "time"), *in = NULL;
    bool *beyond = calloc((size_t)data->targets + 1, sizeof *beyond);
    int64_t count = 0, features = 0;
    for (int64_t a = 0; a < data->d && beyond; a++) {
        double reach[2];
        int64_t here = 0;
        if (!strcmp(time, data->x_names[a]) || cli_is_longitude(data->x_names[a])) /* forecasts; the date line */
            continue;
        reach_of(data, a, reach);
        for (int64_t i = 0; i < data->targets; i++) {
            double x = data->target[i * data->d + a];
            bool is = x < reach[0] || x > reach[1];
            here += is;
            count += is && !beyond[i];
            beyond[i] |= is;
        }
        features += here > 0;
        in = in || !here ? in : data->x_names[a];
    }
    free(beyond);
    if (20 * count < data->targets || !count)
        return;
    fprintf(stderr, "surekrig %s: %lld of %lld targets lie beyond the rows in %s", call->command->name,
            (long long)count, (long long)data->targets, in);
    if (features > 1)
        fprintf(stderr, " and %lld other feature%s", (long long)features - 1, features == 2 ? "" : "s");
    fputs(": no row left out can tell how large errors are there, and intervals may hold less than they say\n", stderr);
}

/* Whether row i of the test file is row j of the training data, its first response included. */
static bool is_row(const surekrig_data *data, const cli_scored *s, int64_t i, int64_t j)
{
    bool same = s->y[i] == data->y[j * data->l];
    for (int64_t a = 0; a < data->d && same; a++)
        same = s->test[a * s->n + i] == data->x[j * data->d + a];
    return same;
}

static bool is_scored(const surekrig_data *data, const cli_scored *s, int64_t i)
{
    bool there = !isnan(s->y[i]);
    for (int64_t a = 0; a < data->d; a++)
        there &= !isnan(s->test[a * s->n + i]);
    return there;
}

/* Scores of such rows say how well the model remembers. Rows that miss a value are not in the model. */
void cli_look_at_test(const cli_call *call, const cli_scored *s)
{
    const surekrig_data *data = surekrig_model_data(s->model);
    int64_t found = 0, scored = 0;
    char which[64] = "these rows";
    if (cli_on.size > 1)
        return;
    for (int64_t i = 0; i < s->n; i++) {
        scored += is_scored(data, s, i);
        found += found < data->n && is_row(data, s, i, found);
    }
    if (found < data->n)
        return;
    if (found < scored)
        snprintf(which, sizeof which, "%lld of these %lld rows", (long long)found, (long long)scored);
    fprintf(stderr,
            "surekrig %s: the model was trained on %s: each is predicted from its own value, too; 'surekrig cv' leaves "
            "it out\n",
            call->command->name, which);
}
