/* theta's unit covariance between points: sum_t weight_t M_t(u_t),  u_t^2 = sum_axes (scale_ta (x_a - x'_a))^2, or of
 * space and time p^(a/2) M_0(sqrt(p) u_0) M_1(u_1) with p of their distance in time (T. Gneiting, Nonseparable,
 * stationary covariance functions for space-time data, JASA 2002): his psi is 1/p, and a factor in time alone keeps it
 * a covariance. */
#include "kernel/inside.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static surekrig_status check_family(double nu, const char *name, surekrig_error *error)
{
    if (sk_family_of(nu, name))
        return SUREKRIG_OK;
    if (name && !sk_family_named(name))
        return sk_fail(error, SUREKRIG_INVALID, "there is no kernel '%s': it can be %s", name,
                       SK_ROW_CHOICES(SK_EACH_FAMILY));
    return sk_fail(error, SUREKRIG_INVALID, "nu = %g: the smoothness must be from %g to %g, or infinite", nu, SK_NU_MIN,
                   SK_NU_MAX);
}

static surekrig_status check_term(const surekrig_term *t, int number, int64_t d, surekrig_error *error)
{
    surekrig_status status = check_family(t->nu, t->kernel, error);
    if (status)
        return status;
    if (!(t->weight > 0) || !isfinite(t->weight))
        return sk_fail(error, SUREKRIG_INVALID, "term %d: its weight %g must be positive", number + 1, t->weight);
    if (!t->rho)
        return sk_fail(error, SUREKRIG_INVALID, "term %d has no rho", number + 1);
    for (int64_t a = 0; a < d; a++)
        if (!(t->rho[a] >= 1e-300))
            return sk_fail(error, SUREKRIG_INVALID, "rho = %g on axis %lld: a length scale must be at least 1e-300",
                           t->rho[a], (long long)a + 1);
    for (int64_t a = 0; a < d; a++)
        if (isfinite(t->rho[a]))
            return SUREKRIG_OK;
    return sk_fail(error, SUREKRIG_INVALID, "term %d: no axis has a finite rho", number + 1);
}

/* Scales one term's axes and builds its table where its scaled distances are expected. */
static surekrig_status open_term(sk_kernel *kernel, int t, const surekrig_term *from, const double distance[2],
                                 surekrig_error *error)
{
    const sk_family *family = sk_family_of(from->nu, from->kernel);
    double *scale = kernel->scale + t * kernel->d, least = INFINITY, most = 0;
    for (int64_t a = 0; a < kernel->d; a++) {
        scale[a] = sqrt(family->unit(from->nu)) / from->rho[a];
        least = scale[a] > 0 ? fmin(least, scale[a]) : least; /* an infinite rho: the axis does not count */
        most = fmax(most, scale[a]);
    }
    kernel->term[t].weight = from->weight;
    double usual = least < 0x1p-30 ? least * 0x1p-30
                                   : 0x1p-30; /* the former: a vast rho, where all distances are tiny */
    double low = distance && isfinite(least) ? least * distance[0] : usual;
    double high = distance ? most * distance[1] : 0x1p10;
    if (low * low < SK_TINY_SQUARE)
        kernel->term[t].flat = family->exact(from->nu, sqrtl(SK_TINY_SQUARE)).complement < 0x1p-55L;
    return sk_table_new(family, from->nu, low * low, high * high, &kernel->term[t].table, error);
}

static surekrig_status check_product(const surekrig_theta *theta, int64_t d, surekrig_error *error)
{
    if (theta->terms != 2 || theta->term[0].weight != 1 || theta->term[1].weight != 1)
        return sk_fail(error, SUREKRIG_INVALID, "a product of space and time has two terms of weight 1");
    if (!(theta->mix >= 0 && theta->mix <= 1))
        return sk_fail(error, SUREKRIG_INVALID, "mix = %g: space and time meet from 0 to 1", theta->mix);
    for (int64_t a = 0; a < d; a++)
        if (isfinite(theta->term[0].rho[a]) && isfinite(theta->term[1].rho[a]))
            return sk_fail(error, SUREKRIG_INVALID, "axis %lld is of space and of time: one rho must be infinite",
                           (long long)a + 1);
    return SUREKRIG_OK;
}

/* p = (1 + u^2)^-mix of the distance over rho: as a family its smoothness is the mix. */
static sk_pair mix_exact(double mix, long double u)
{
    long double log_p = -mix * log1pl(u * u);
    return (sk_pair){expl(log_p), -expm1l(log_p)};
}

static const sk_family MIX = {.name = "mix", .end = INFINITY, .exact = mix_exact};

static surekrig_status open_mix(sk_kernel *kernel, const surekrig_theta *theta, surekrig_error *error)
{
    kernel->product = theta->product != 0;
    for (int64_t a = 0; a < kernel->d && theta->product; a++)
        kernel->space += isfinite(theta->term[0].rho[a]);
    if (!theta->product || theta->mix == 0)
        return SUREKRIG_OK;
    const surekrig_term *time = &theta->term[1];
    const sk_table *table = kernel->term[1].table;
    double unit = sk_family_of(time->nu, time->kernel)->unit(time->nu);
    kernel->mix_scale = 1 / unit;
    return sk_table_new(&MIX, theta->mix, table->low / unit, fmax(table->high, table->reach) / unit, &kernel->mix,
                        error);
}

surekrig_status sk_kernel_new(const surekrig_theta *theta, int64_t d, const double distance[2], sk_kernel **out,
                              surekrig_error *error)
{
    if (theta->terms < 1 || !theta->term)
        return sk_fail(error, SUREKRIG_INVALID, "a covariance needs at least one Matérn term, %d given",
                       theta->term ? theta->terms : 0);
    surekrig_status status = SUREKRIG_OK;
    double weights = 0;
    for (int t = 0; t < theta->terms && !status; t++) {
        status = check_term(&theta->term[t], t, d, error);
        weights += theta->term[t].weight;
    }
    if (!status && theta->product)
        status = check_product(theta, d, error);
    if (!status && !theta->product && !(fabs(weights - 1) < 1e-9))
        status = sk_fail(error, SUREKRIG_INVALID, "the terms' weights add to %g, not to 1", weights);
    if (status)
        return status;
    sk_kernel *kernel = sk_zeroed(1, sizeof *kernel);
    if (kernel) {
        kernel->d = d;
        kernel->terms = theta->terms;
        kernel->term = sk_zeroed(theta->terms, sizeof *kernel->term);
        kernel->scale = sk_doubles(theta->terms * d);
    }
    if (!kernel || !kernel->term || !kernel->scale)
        status = sk_fail_memory(error, 64.0 * theta->terms * (double)d, "the covariance");
    for (int t = 0; t < theta->terms && !status; t++)
        status = open_term(kernel, t, &theta->term[t], distance, error);
    if (!status)
        status = open_mix(kernel, theta, error);
    if (status)
        sk_kernel_free(kernel);
    else
        *out = kernel;
    return status;
}

void sk_kernel_free(sk_kernel *kernel)
{
    if (!kernel)
        return;
    for (int t = 0; kernel->term && t < kernel->terms; t++)
        sk_table_free(kernel->term[t].table);
    sk_table_free(kernel->mix);
    free(kernel->term);
    free(kernel->scale);
    free(kernel);
}

surekrig_status sk_kernel_slopes(const sk_kernel *kernel, int threads, sk_slopes *slopes[SK_SLOPED],
                                 surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (int t = 0; t < SK_SLOPED; t++)
        slopes[t] = NULL;
    if (kernel->terms > SK_SLOPED)
        return sk_fail(error, SUREKRIG_INVALID, "derivatives are known for one Matérn term or two, %d given",
                       kernel->terms);
    for (int t = 0; t < kernel->terms && !status; t++) {
        const sk_table *table = kernel->term[t].table;
        sk_slopes_range fast = {table->low, fmax(table->high, table->reach), threads};
        status = sk_slopes_new(table->family, table->nu, fast, &slopes[t], error);
    }
    for (int t = 0; t < SK_SLOPED && status; t++) {
        sk_slopes_free(slopes[t]);
        slopes[t] = NULL;
    }
    return status;
}

double sk_kernel_at_zero(const sk_kernel *kernel)
{
    double sum = 0;
    for (int t = 0; t < kernel->terms; t++)
        sum += kernel->term[t].weight;
    return kernel->product ? 1 : sum;
}

/* The distance by scaling, then the exact function. */
double sk_kernel_close(const sk_kernel *kernel, int term, sk_place p, sk_place q)
{
    const double *scale = kernel->scale + term * kernel->d;
    double largest = 0, sum = 0;
    if (kernel->term[term].flat)
        return 1;
    for (int64_t a = 0; a < kernel->d; a++)
        largest = fmax(largest, fabs(scale[a] * (p.x[a * p.stride] - q.x[a * q.stride])));
    if (largest == 0)
        return 1;
    for (int64_t a = 0; a < kernel->d; a++) {
        double ratio = scale[a] * (p.x[a * p.stride] - q.x[a * q.stride]) / largest;
        sum += ratio * ratio;
    }
    const sk_table *table = kernel->term[term].table;
    return (double)table->family->exact(table->nu, (long double)largest * sqrtl(sum)).value;
}

static void squares(const double *scale, int64_t d, const double *point, sk_columns points, double *restrict s)
{
    for (int64_t a = 0; a < d; a++) {
        const double *x = points.x + a * points.stride;
        for (int64_t j = 0; j < points.n; j++) {
            double difference = scale[a] * (point[a] - x[j]);
            s[j] = (a ? s[j] : 0) + difference * difference;
        }
    }
}

static double mix_factor(double p, int space)
{
    return space == 2 ? p : pow(p, 0.5 * space);
}

/* M of a term, whose square is scaled by p where that is not 1. */
static double term_at(const sk_kernel *kernel, int t, const double *point, sk_place at, double s, double p)
{
    if (s < SK_TINY_SQUARE && kernel->product && s == 0)
        return 1;
    return p * s < SK_TINY_SQUARE ? sk_kernel_close(kernel, t, (sk_place){point, 1}, at)
                                  : sk_table_at(kernel->term[t].table, p * s, NULL);
}

/* Space and time apart. */
static void product_row(const sk_kernel *kernel, const double *point, sk_columns points, double *scratch, double *value)
{
    squares(kernel->scale + kernel->d, kernel->d, point, points, scratch);
    squares(kernel->scale, kernel->d, point, points, value);
    for (int64_t j = 0; j < points.n; j++) {
        sk_place at = {points.x + j, points.stride};
        double s = kernel->mix_scale * scratch[j], p = kernel->mix && s > 0 ? sk_table_at(kernel->mix, s, NULL) : 1;
        double time = term_at(kernel, 1, point, at, scratch[j], 1);
        value[j] = mix_factor(p, kernel->space) * term_at(kernel, 0, point, at, value[j], p) * time;
    }
}

void sk_kernel_row(const sk_kernel *kernel, const double *point, sk_columns points, double *scratch, double *value)
{
    if (kernel->product) {
        product_row(kernel, point, points, scratch, value);
        return;
    }
    for (int t = 0; t < kernel->terms; t++) {
        const sk_kernel_term *from = &kernel->term[t];
        squares(kernel->scale + t * kernel->d, kernel->d, point, points, scratch);
        for (int64_t j = 0; j < points.n; j++) {
            double m = scratch[j] < SK_TINY_SQUARE
                           ? sk_kernel_close(kernel, t, (sk_place){point, 1}, (sk_place){points.x + j, points.stride})
                           : sk_table_at(from->table, scratch[j], NULL);
            value[j] = (t ? value[j] : 0) + from->weight * m;
        }
    }
}

#define ENTRY(isa) sk_table_values_##isa,
sk_values_function *const sk_table_values_by[SK_ISA_COUNT] = {SK_EACH_ISA(ENTRY)};

void sk_table_values(const sk_table *table, int64_t n, const double *s, double *value, double *complement)
{
    sk_table_values_by[sk_isa_best()](table, n, s, value, complement);
}

enum { CHUNK = 512 };

/* u, and M and 1 - M unless NULL, for at most CHUNK values. */
static void matern_chunk(const sk_table *table, int64_t n, const double *u, double *value, double *complement)
{
    double s[CHUNK], m[CHUNK], other[CHUNK];
    for (int64_t i = 0; i < n; i++)
        s[i] = fmax(u[i] * u[i], SK_TINY_SQUARE);
    sk_table_values(table, n, s, value ? value : m, complement ? complement : other);
    for (int64_t i = 0; i < n; i++) {
        if (s[i] > SK_TINY_SQUARE)
            continue;
        sk_pair exact = table->family->exact(table->nu, u[i]);
        if (value)
            value[i] = (double)exact.value;
        if (complement)
            complement[i] = (double)exact.complement;
    }
}

surekrig_status surekrig_matern(double nu, int64_t n, const double *u, double *value, double *complement,
                                surekrig_error *error)
{
    surekrig_status status = n < 0 ? sk_fail(error, SUREKRIG_INVALID, "%lld distances given", (long long)n)
                                   : sk_check_arrays((sk_array[]){{"u", u, {n, 1, 1}}, {0}}, error);
    if (!status)
        status = check_family(nu, NULL, error);
    double low = INFINITY, high = 0;
    for (int64_t i = 0; i < n && !status; i++) {
        if (!(u[i] >= 0))
            status = sk_fail(error, SUREKRIG_INVALID, "u[%lld] = %g: a distance cannot be negative", (long long)i,
                             u[i]);
        low = u[i] > 0 && u[i] < low ? u[i] : low;
        high = fmax(high, u[i]);
    }
    sk_table *table = NULL;
    if (status || (status = sk_table_new(sk_family_of(nu, NULL), nu, low * low, high * high, &table, error)))
        return status;
    for (int64_t i = 0; i < n; i += CHUNK)
        matern_chunk(table, n - i < CHUNK ? n - i : CHUNK, u + i, value ? value + i : NULL,
                     complement ? complement + i : NULL);
    sk_table_free(table);
    return SUREKRIG_OK;
}
