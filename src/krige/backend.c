/* The back ends by name, and the public stage on top of them. */
#include "krige/krige.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ENTRY(name) &sk_backend_##name,
static const sk_backend *const BACKENDS[] = {SK_EACH_BACKEND(ENTRY, ENTRY, ENTRY)};
enum { ROWS = sizeof BACKENDS / sizeof *BACKENDS };

const sk_backend *sk_backend_find(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if ((!strcmp(name, "auto") || !strcmp(name, BACKENDS[i]->name)) && BACKENDS[i]->usable())
            return BACKENDS[i];
    return NULL;
}

surekrig_status sk_backend_choose(const char *name, const sk_backend **backend, surekrig_error *error)
{
    bool known = false;
    for (int i = 0; i < ROWS; i++)
        known |= !strcmp(name, BACKENDS[i]->name);
    *backend = sk_backend_find(name);
    if (*backend)
        return SUREKRIG_OK;
    if (known)
        return sk_fail(error, SUREKRIG_INVALID,
                       "backend = %s: this machine cannot run it; auto takes the fastest that it can", name);
    return sk_fail(error, SUREKRIG_INVALID,
                   "there is no back end '%s': it can be auto, " SK_ROW_CHOICES(SK_EACH_BACKEND), name);
}

void sk_keep_first(atomic_int_fast64_t *first, int64_t point)
{
    int_fast64_t known = atomic_load(first);
    while (point < known && !atomic_compare_exchange_weak(first, &known, point))
        ;
}

surekrig_status sk_fail_singular(const sk_krige_job *job, int64_t point, int64_t d, surekrig_error *error)
{
    char where[128] = "";
    for (int64_t a = 0, at = 0; a < d && a < 4; a++)
        at += snprintf(where + at, sizeof where - (size_t)at, "%s%.6g", a ? ", " : "", job->batch->x[point * d + a]);
    return sk_fail(error, SUREKRIG_NUMERIC,
                   "the covariance of the neighbours of (%s%s) is singular even with jitter %g "
                   "on its diagonal; set a larger nugget (tau2) or drop duplicate points",
                   where, d > 4 ? ", ..." : "", SK_JITTER_LIMIT);
}

/* A neighbour's row: there, with a place and a noise that can be. */
static surekrig_status check_row(const surekrig_data *data, int64_t point, int64_t row, surekrig_error *error)
{
    if (row < 0 || row >= data->n)
        return sk_fail(error, SUREKRIG_INVALID, "point %lld has row %lld for a neighbour, of %lld rows",
                       (long long)point + 1, (long long)row, (long long)data->n);
    for (int64_t a = 0; a < data->d; a++)
        if (!isfinite(data->x[row * data->d + a]))
            return sk_fail(error, SUREKRIG_DATA, "row %lld, feature %lld: %g is not a finite number",
                           (long long)row + 1, (long long)a + 1, data->x[row * data->d + a]);
    if (data->noise && !(data->noise[row] >= 0 && isfinite(data->noise[row])))
        return sk_fail(error, SUREKRIG_DATA, "noise, row %lld: %g is not a variance", (long long)row + 1,
                       data->noise[row]);
    return SUREKRIG_OK;
}

static surekrig_status check(const surekrig_data *data, const surekrig_neighborhoods *batch,
                             const surekrig_theta *theta, surekrig_error *error)
{
    if (data->n < 1 || data->d < 1 || data->l < 1 || batch->n < 0 || batch->k < 1)
        return sk_fail(error, SUREKRIG_INVALID, "%lld data points, %lld points of %lld neighbours: nothing to krige",
                       (long long)data->n, (long long)batch->n, (long long)batch->k);
    if (!(theta->tau2 >= 0) || !(theta->gamma2 > 0) || !isfinite(theta->tau2 + theta->gamma2))
        return sk_fail(error, SUREKRIG_INVALID, "tau2 = %g must not be negative and gamma2 = %g must be positive",
                       theta->tau2, theta->gamma2);
    const sk_array arrays[] = {{"the data's x", data->x, {data->n, data->d, 1}},
                               {"y", data->y, {data->n, data->l, 1}},
                               {"neighbor", batch->neighbor, {batch->n, batch->k, 1}},
                               {"the neighborhoods' x", batch->x, {batch->n, data->d, 1}},
                               {0}};
    if (sk_check_arrays(arrays, error))
        return SUREKRIG_INVALID;
    for (int64_t i = 0; i < batch->n; i++) {
        int64_t count = batch->count ? batch->count[i] : batch->k;
        if (count < 1 || count > batch->k)
            return sk_fail(error, SUREKRIG_INVALID, "point %lld has %lld neighbours of at most %lld", (long long)i + 1,
                           (long long)count, (long long)batch->k);
        for (int64_t a = 0; a < data->d; a++)
            if (!isfinite(batch->x[i * data->d + a]))
                return sk_fail(error, SUREKRIG_DATA, "point %lld, feature %lld: %g is not a finite number",
                               (long long)i + 1, (long long)a + 1, batch->x[i * data->d + a]);
        for (int64_t j = 0; j < count; j++) {
            surekrig_status status = check_row(data, i, batch->neighbor[i * batch->k + j], error);
            if (status)
                return status;
        }
    }
    return SUREKRIG_OK;
}

surekrig_status surekrig_krige(const surekrig_data *data, const surekrig_neighborhoods *neighborhoods,
                               const surekrig_theta *theta, const char *backend, surekrig_kriged *kriged,
                               surekrig_error *error)
{
    const sk_backend *back = NULL;
    const sk_needed needed[] = {{"data", data},     {"neighborhoods", neighborhoods},
                                {"theta", theta},   {"backend", backend},
                                {"kriged", kriged}, {0}};
    surekrig_status status = sk_check_needed(needed, error);
    if (!status)
        status = sk_backend_choose(backend, &back, error);
    if (status)
        return status;
    status = check(data, neighborhoods, theta, error);
    sk_kernel *kernel = NULL;
    void *state = NULL;
    if (!status)
        status = sk_kernel_new(theta, data->d, NULL, &kernel, error);
    if (!status)
        status = back->open(&(sk_krige_points){data, NULL, neighborhoods->k, 0, theta->unknown_mean != 0}, &state,
                            error);
    if (!status) {
        sk_krige_theta prepared = {kernel, theta->tau2, data->noise ? 1 / theta->gamma2 : 0};
        status = back->run(state, &(sk_krige_job){neighborhoods, &prepared, NULL, kriged}, error);
    }
    back->close(state);
    sk_kernel_free(kernel);
    return status;
}
