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
} column;

/* Every value finite, and not all the same. */
static surekrig_status check_column(column c, int64_t n, const char *constant_advice, surekrig_error *error)
{
    bool varies = !constant_advice; /* or may be constant */
    for (int64_t i = 0; i < n; i++) {
        double value = c.value[i * c.stride];
        if (!isfinite(value))
            return sk_fail(error, SUREKRIG_DATA, "%s, row %lld: %g is not a finite number", c.name, (long long)i + 1,
                           value);
        varies |= value != c.value[0];
    }
    if (!varies)
        return sk_fail(error, SUREKRIG_DATA, "%s is constant (%g in all %lld rows): %s", c.name, c.value[0],
                       (long long)n, constant_advice);
    return SUREKRIG_OK;
}

static surekrig_status check_noise(const surekrig_data *data, surekrig_error *error)
{
    if (data->l != 1)
        return sk_fail(error, SUREKRIG_INVALID,
                       "noise variances go with one response, %lld are given: fit the responses one at a time",
                       (long long)data->l);
    for (int64_t i = 0; i < data->n; i++)
        if (!(data->noise[i] >= 0) || isinf(data->noise[i]))
            return sk_fail(error, SUREKRIG_DATA, "noise, row %lld: %g is not a variance", (long long)i + 1,
                           data->noise[i]);
    return SUREKRIG_OK;
}

surekrig_status sk_data_check(const surekrig_data *data, const char *time, surekrig_error *error)
{
    char name[72];
    surekrig_status status = SUREKRIG_OK;
    if (data->d < 1 || data->l < 1 || data->n < 0)
        return sk_fail(error, SUREKRIG_INVALID,
                       "%lld rows, %lld features and %lld responses: there must be at least "
                       "one of each",
                       (long long)data->n, (long long)data->d, (long long)data->l);
    if (data->n < 2)
        return sk_fail(error, SUREKRIG_DATA, "%lld complete row%s: kriging needs at least 2", (long long)data->n,
                       data->n == 1 ? "" : "s");
    for (int64_t a = 0; a < data->d && !status; a++) {
        bool is_time = !strcmp(sk_x_name(data, a, name), time) && data->d > 1;
        status = check_column((column){data->x + a, data->d, name}, data->n,
                              is_time ? NULL : "it tells nothing about distances; leave it out of the features", error);
    }
    for (int64_t q = 0; q < data->l && !status; q++)
        status = check_column((column){data->y + q, data->l, sk_y_name(data, q, name)}, data->n,
                              "there is nothing to learn from it", error);
    return status || !data->noise ? status : check_noise(data, error);
}

/* Divided by n before they are added, so that values near the largest double do not overflow. */
void sk_response_moments(const surekrig_data *data, int64_t q, double *mean, double *sd)
{
    double n = (double)data->n, sum = 0, largest = 0, squares = 0;
    for (int64_t i = 0; i < data->n; i++)
        sum += data->y[i * data->l + q] / n;
    for (int64_t i = 0; i < data->n; i++)
        largest = fmax(largest, fabs(data->y[i * data->l + q] - sum));
    for (int64_t i = 0; i < data->n; i++) {
        double ratio = (data->y[i * data->l + q] - sum) / largest;
        squares += ratio * ratio / n;
    }
    *mean = sum;
    *sd = largest * sqrt(squares);
}
