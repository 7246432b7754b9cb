/* The surrogate of Bayesian optimisation: a zero-mean GP over the unit cube,
 *   cov(x, x') = a^2 [ (1 + sqrt5 r + 5/3 r^2) exp(-sqrt5 r) + noise [x = x'] ],   r^2 = sum_axes ((x-x')/length)^2,
 * with length (one per axis) and noise by maximum marginal likelihood, a^2 in closed form:
 *   -log likelihood = n/2 log a^2 + sum log U_ii,   a^2 = |U'^-1 y|^2 / n,   K = U'U.
 * Values are bent before they are modelled: log(1 + (L - min)/unit), unit being how far the few best lie apart. That
 * leaves the order, keeps far, huge values from flattening the neighbourhood of the minimum, and looks closer as the
 * search closes in. A plan may ask for plain values. */
#include "optimize/optimize.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

struct sk_surrogate {
    int axes;
    int64_t capacity, n;
    double *x;         /* [n][axes] */
    double *y;         /* [n] bent, centred and scaled */
    double *matrix;    /* [n][n + 1]: U, and U'^-1 y */
    double *cross;     /* [n] */
    double *log_shape; /* [axes + 1]: log lengths, log noise */
    double *inverse;   /* [axes]: 1/length of the shape last factored */
    double amplitude2;
};

surekrig_status sk_surrogate_new(int axes, int64_t capacity, sk_surrogate **out, surekrig_error *error)
{
    sk_surrogate *s = sk_zeroed(1, sizeof *s);
    if (s) {
        s->axes = axes;
        s->capacity = capacity;
        s->x = sk_doubles(capacity * axes);
        s->y = sk_doubles(capacity);
        s->matrix = sk_doubles(capacity * (capacity + 1));
        s->cross = sk_doubles(capacity);
        s->log_shape = sk_doubles(axes + 1);
        s->inverse = sk_doubles(axes);
    }
    if (!s || !s->x || !s->y || !s->matrix || !s->cross || !s->log_shape || !s->inverse) {
        sk_surrogate_free(s);
        return sk_fail_memory(error, 8.0 * (double)(capacity * capacity), "the surrogate");
    }
    for (int a = 0; a < axes; a++)
        s->log_shape[a] = log(0.3);
    s->log_shape[axes] = log(1e-4);
    *out = s;
    return SUREKRIG_OK;
}

void sk_surrogate_free(sk_surrogate *s)
{
    if (!s)
        return;
    free(s->x);
    free(s->y);
    free(s->matrix);
    free(s->cross);
    free(s->log_shape);
    free(s->inverse);
    free(s);
}

static double covariance(const sk_surrogate *s, const double *p, const double *q)
{
    double sum = 0;
    for (int a = 0; a < s->axes; a++) {
        double gap = (p[a] - q[a]) * s->inverse[a];
        sum += gap * gap;
    }
    double r = sqrt(5 * sum);
    return (1 + r + r * r / 3) * exp(-r);
}

/* Factors the covariance; -log likelihood less a weak pull of the shape towards its middle, or infinity. */
static double negative_log_likelihood(sk_surrogate *s, const double *log_shape)
{
    int64_t n = s->n, width = n + 1;
    double noise = exp(log_shape[s->axes]), squares = 0, log_pivots = 0, pull = 0;
    for (int a = 0; a < s->axes; a++)
        s->inverse[a] = exp(-log_shape[a]);
    for (int64_t i = 0; i < n; i++) {
        double *row = s->matrix + i * width;
        row[i] = 1 + noise;
        for (int64_t j = i + 1; j < n; j++)
            row[j] = covariance(s, s->x + i * s->axes, s->x + j * s->axes);
        row[n] = s->y[i];
    }
    if (sk_cholesky(n, width, s->matrix, 1e-12, 1))
        return HUGE_VAL;
    for (int64_t i = 0; i < n; i++) {
        squares += s->matrix[i * width + n] * s->matrix[i * width + n];
        log_pivots += log(s->matrix[i * width + i]);
    }
    s->amplitude2 = squares / (double)n;
    for (int a = 0; a < s->axes; a++)
        pull += 0.5 * (log_shape[a] - log(0.4)) * (log_shape[a] - log(0.4));
    return 0.5 * (double)n * log(s->amplitude2) + log_pivots + 0.5 * pull;
}

static double shape_objective(unsigned count, const double *log_shape, double *gradient, void *context)
{
    (void)count;
    (void)gradient;
    return fmin(negative_log_likelihood(context, log_shape), 1e300);
}

static void fit_shape(sk_surrogate *s)
{
    nlopt_opt optimizer = nlopt_create(NLOPT_LN_NELDERMEAD, (unsigned)s->axes + 1);
    double value;
    if (!optimizer)
        return; /* the last shape still serves */
    nlopt_set_min_objective(optimizer, shape_objective, s);
    for (int a = 0; a <= s->axes; a++) {
        bool noise = a == s->axes;
        nlopt_set_lower_bound(optimizer, a, log(noise ? 1e-8 : 0.03));
        nlopt_set_upper_bound(optimizer, a, log(noise ? 1.0 : 5.0));
    }
    nlopt_set_initial_step1(optimizer, 0.5);
    nlopt_set_ftol_abs(optimizer, 1e-2);
    nlopt_set_maxeval(optimizer, 30 * (s->axes + 1));
    nlopt_optimize(optimizer, s->log_shape, &value);
    nlopt_destroy(optimizer);
}

/* Bends, centres and scales the sorted y in place; few: how many of the lowest set the unit of the bend. */
static void transform(double *y, int64_t n, int64_t few, bool bent)
{
    double low = y[0], worst = low, mean = 0, square = 0, unit = 0;
    for (int64_t i = 0; i < n && isfinite(y[i]); i++) {
        worst = y[i];
        if (i <= few)
            unit = y[i] - low;
    }
    if (!(unit > 0))
        unit = worst > low ? worst - low : 1;
    for (int64_t i = 0; i < n; i++) {
        double above = (fmin(y[i], worst) - low) / unit;
        y[i] = bent ? log1p(above) : above;
        mean += y[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        square += (y[i] - mean) * (y[i] - mean) / (double)n;
    for (int64_t i = 0; i < n; i++)
        y[i] = (y[i] - mean) / (square > 0 ? sqrt(square) : 1);
}

/* The k-th lowest value's evaluation, by repeated scans: archives are small. */
static int64_t next_lowest(const sk_search *search, double after, int64_t after_index)
{
    int64_t next = -1;
    for (int64_t i = search->first; i < search->count; i++) {
        double v = search->value[i];
        if ((v > after || (v == after && i > after_index)) && (next < 0 || v < search->value[next]))
            next = i;
    }
    return next;
}

bool sk_surrogate_fit(sk_surrogate *s, const sk_search *search)
{
    int64_t at = -1;
    double value = -INFINITY;
    int64_t known = search->count - search->first;
    s->n = known < s->capacity ? known : s->capacity;
    for (int64_t i = 0; i < s->n; i++) {
        at = next_lowest(search, value, at);
        value = search->value[at];
        s->y[i] = value;
        memcpy(s->x + i * s->axes, search->unit + at * s->axes, (size_t)s->axes * sizeof *s->x);
    }
    if (!isfinite(s->y[0]))
        return false;
    transform(s->y, s->n, s->axes + 1, !search->plan->plain_values);
    fit_shape(s);
    return isfinite(negative_log_likelihood(s, s->log_shape)) && s->amplitude2 > 0;
}

void sk_surrogate_predict(sk_surrogate *s, const double *unit, double *mean, double *sd)
{
    int64_t width = s->n + 1;
    for (int64_t i = 0; i < s->n; i++)
        s->cross[i] = covariance(s, unit, s->x + i * s->axes);
    sk_solve_lower(s->n, width, s->matrix, s->cross);
    double variance = 1;
    *mean = 0;
    for (int64_t i = 0; i < s->n; i++) {
        *mean += s->cross[i] * s->matrix[i * width + s->n];
        variance -= s->cross[i] * s->cross[i];
    }
    *sd = sqrt(s->amplitude2 * fmax(variance, 1e-12));
}

double sk_surrogate_best(const sk_surrogate *s)
{
    return s->y[0];
}
