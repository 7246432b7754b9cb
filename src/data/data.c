#include "data/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_or_number(const char *const *names, int64_t at, const char *kind, char *buffer)
{
    if (names && names[at])
        snprintf(buffer, 72, "%s", names[at]);
    else
        snprintf(buffer, 72, "%s %lld", kind, (long long)at + 1);
    return buffer;
}

const char *sk_x_name(const surekrig_data *data, int64_t axis, char *buffer)
{
    return name_or_number(data->x_names, axis, "feature", buffer);
}

const char *sk_y_name(const surekrig_data *data, int64_t response, char *buffer)
{
    return name_or_number(data->y_names, response, "response", buffer);
}

typedef struct column {
    const double *value;
    int64_t stride;
    const char *name;
    const sk_ranks *ranks;
    int64_t before; /* rows, of other ranks */
} column;

static surekrig_status check_finite(column c, int64_t n, double *lowest, double *highest, surekrig_error *error)
{
    for (int64_t i = 0; i < n; i++) {
        double value = c.value[i * c.stride];
        if (!isfinite(value))
            return sk_fail(error, SUREKRIG_DATA, "%s, row %lld: %g is not a finite number", c.name,
                           (long long)(c.before + i) + 1, value);
        *lowest = value < *lowest ? value : *lowest;
        *highest = value > *highest ? value : *highest;
    }
    return SUREKRIG_OK;
}

/* Every value finite, and not all the same. */
static surekrig_status check_column(column c, int64_t n, const char *constant_advice, surekrig_error *error)
{
    static const double WHOLE = 9007199254740992; /* 2^53: beyond it a double does not hold all whole numbers */
    double lowest = INFINITY, highest = -INFINITY;
    surekrig_status status = sk_agree(c.ranks, check_finite(c, n, &lowest, &highest, error), error);
    if (status)
        return status;
    sk_least(c.ranks, 1, &lowest);
    sk_most(c.ranks, 1, &highest);
    if (constant_advice && !(lowest < highest)) /* else it may be constant */
        return sk_fail(error, SUREKRIG_DATA, "%s is constant (%g in all %lld rows%s): %s", c.name, lowest,
                       (long long)sk_sum(c.ranks, n),
                       fabs(lowest) >= WHOLE ? "; the last digits of whole numbers beyond 2^53 are lost" : "",
                       constant_advice);
    return SUREKRIG_OK;
}

static surekrig_status check_noise(const surekrig_data *data, int64_t before, surekrig_error *error)
{
    if (data->l != 1)
        return sk_fail(error, SUREKRIG_INVALID,
                       "noise variances go with one response, %lld are given: fit the responses one at a time",
                       (long long)data->l);
    for (int64_t i = 0; i < data->n; i++)
        if (!(data->noise[i] >= 0) || isinf(data->noise[i]))
            return sk_fail(error, SUREKRIG_DATA, "noise, row %lld: %g is not a variance", (long long)(before + i) + 1,
                           data->noise[i]);
    return SUREKRIG_OK;
}

surekrig_status sk_data_arrays(const surekrig_data *data, surekrig_error *error)
{
    const sk_array all[] = {{"x", data->x, {data->n, data->d, 1}}, {"y", data->y, {data->n, data->l, 1}}, {0}};
    return sk_agree(sk_ranks_of(data), sk_check_arrays(all, error), error);
}

surekrig_status sk_data_check(const surekrig_data *data, const char *time, surekrig_error *error)
{
    char name[72];
    surekrig_status status = SUREKRIG_OK;
    const sk_ranks *ranks = sk_ranks_of(data);
    if (data->d < 1 || data->l < 1 || data->n < 0)
        return sk_fail(error, SUREKRIG_INVALID,
                       "%lld rows, %lld features and %lld responses: there must be at least "
                       "one of each",
                       (long long)data->n, (long long)data->d, (long long)data->l);
    int64_t n = sk_sum(ranks, data->n), before = sk_before(ranks, data->n);
    if (n < 2)
        return sk_fail(error, SUREKRIG_DATA, "%lld complete row%s: kriging needs at least 2", (long long)n,
                       n == 1 ? "" : "s");
    for (int64_t a = 0; a < data->d && !status; a++) {
        bool is_time = !strcmp(sk_x_name(data, a, name), time) && data->d > 1;
        status = check_column((column){data->x + a, data->d, name, ranks, before}, data->n,
                              is_time ? NULL : "it tells nothing about distances; leave it out of the features", error);
    }
    for (int64_t q = 0; q < data->l && !status; q++)
        status = check_column((column){data->y + q, data->l, sk_y_name(data, q, name), ranks, before}, data->n,
                              "there is nothing to learn from it", error);
    return status || !data->noise ? status : sk_agree(ranks, check_noise(data, before, error), error);
}

typedef struct moments {
    sk_column of;
    double n, mean, largest;
} moments;

/* Divided by n before they are added, so that values near the largest double do not overflow. */
static void add_mean(void *context, double *sum)
{
    const moments *m = context;
    for (int64_t i = 0; i < m->of.n; i++)
        *sum += m->of.value[i * m->of.stride] / m->n;
}

static void add_squares(void *context, double *sum)
{
    const moments *m = context;
    for (int64_t i = 0; i < m->of.n; i++) {
        double ratio = (m->of.value[i * m->of.stride] - m->mean) / m->largest;
        *sum += ratio * ratio / m->n;
    }
}

static void column_moments(const surekrig_data *data, sk_column of, double *mean, double *sd)
{
    const sk_ranks *ranks = sk_ranks_of(data);
    moments m = {of, (double)data->n, 0, 0};
    double squares = 0;
    sk_in_turn(ranks, add_mean, &m, 1, &m.mean);
    for (int64_t i = 0; i < of.n; i++)
        m.largest = fmax(m.largest, fabs(of.value[i * of.stride] - m.mean));
    sk_most(ranks, 1, &m.largest);
    sk_in_turn(ranks, add_squares, &m, 1, &squares);
    *mean = m.mean;
    *sd = m.largest * sqrt(squares);
    free(of.made);
}

void sk_response_moments(const surekrig_data *data, int64_t q, double *mean, double *sd)
{
    column_moments(data, sk_file_column(data, data->y + q, data->l), mean, sd);
}

void sk_feature_moments(const surekrig_data *data, int64_t a, double *mean, double *sd)
{
    column_moments(data, sk_file_column(data, data->x + a, data->d), mean, sd);
}
