/* Widths of intervals: what was learnt from held-out errors (heldout/widths.c), and the variance that it gives. */
#include "model/inside.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sk_widths_free(sk_widths *w)
{
    free(w->coefficient);
    free(w->low);
    free(w->high);
    free(w->middle);
    free(w->score);
    free(w->shared);
    free(w->floor_std);
    if (w->farther)
        sk_widths_free(w->farther);
    free(w->farther);
    *w = (sk_widths){0};
}

surekrig_status sk_widths_new(int64_t l, bool local, int64_t scores, sk_widths *out, surekrig_error *error)
{
    sk_widths w = {local,
                   sk_zeroed(l * SK_WIDTH_TERMS, sizeof(double)),
                   sk_zeroed(SK_WIDTH_SIGNS * l, sizeof(double)),
                   sk_zeroed(SK_WIDTH_SIGNS * l, sizeof(double)),
                   sk_zeroed(SK_WIDTH_SIGNS * l, sizeof(double)),
                   scores,
                   sk_zeroed(l * scores, sizeof(double)),
                   sk_doubles(l),
                   NULL,
                   NULL};
    if (!w.coefficient || !w.low || !w.high || !w.middle || !w.score || !w.shared) {
        sk_widths_free(&w);
        return sk_fail_memory(error, 8.0 * (double)(l * (scores + SK_WIDTH_TERMS + 3 * SK_WIDTH_SIGNS + 1)),
                              "the widths of intervals");
    }
    for (int64_t q = 0; q < l; q++)
        w.shared[q] = 1;
    *out = w;
    return SUREKRIG_OK;
}

surekrig_status sk_widths_copy(const sk_widths *from, int64_t l, sk_widths *to, surekrig_error *error)
{
    if (!from->coefficient) /* there are none: gamma2 and normal quantiles */
        return SUREKRIG_OK;
    surekrig_status status = sk_widths_new(l, from->local, from->scores, to, error);
    if (status)
        return status;
    memcpy(to->coefficient, from->coefficient, (size_t)(l * SK_WIDTH_TERMS) * sizeof(double));
    memcpy(to->low, from->low, (size_t)(SK_WIDTH_SIGNS * l) * sizeof(double));
    memcpy(to->high, from->high, (size_t)(SK_WIDTH_SIGNS * l) * sizeof(double));
    memcpy(to->middle, from->middle, (size_t)(SK_WIDTH_SIGNS * l) * sizeof(double));
    memcpy(to->score, from->score, (size_t)(l * from->scores) * sizeof(double));
    memcpy(to->shared, from->shared, (size_t)l * sizeof(double));
    to->floor_std = from->floor_std ? sk_copy(from->floor_std, l, sizeof(double)) : NULL;
    to->farther = from->farther ? sk_zeroed(1, sizeof *to->farther) : NULL;
    if ((from->floor_std && !to->floor_std) || (from->farther && !to->farther))
        return sk_fail_memory(error, 8.0 * (double)l, "the widths of intervals");
    return from->farther ? sk_widths_copy(from->farther, l, to->farther, error) : SUREKRIG_OK;
}

/* The neighbours' own scale and scatter are taken with one more that has the model's gamma2: flat surroundings must not
 * promise certainty. */
double sk_widths_one_more(const surekrig_model *m, int64_t q)
{
    return m->hyper.gamma2_std[q] / (double)m->info.neighbors;
}

/* log v, log s and log c. */
void sk_widths_logarithms(const surekrig_model *m, int64_t q, sk_signs signs, double *u)
{
    double one_more = sk_widths_one_more(m, q);
    u[0] = log(fmax(signs.variance_share, DBL_MIN));
    u[1] = log(fmax(signs.scale_std + one_more, DBL_MIN));
    u[2] = log(fmax(signs.scatter_std + one_more, DBL_MIN));
}

/* The terms f of a point of response q; returns what log v has beyond what was seen. */
double sk_widths_terms(const surekrig_model *m, const sk_widths *w, int64_t q, sk_signs signs, double *f)
{
    double u[SK_WIDTH_SIGNS], within[SK_WIDTH_SIGNS], off[SK_WIDTH_SIGNS];
    sk_widths_logarithms(m, q, signs, u);
    for (int64_t a = 0, at = q * SK_WIDTH_SIGNS; a < SK_WIDTH_SIGNS; a++, at++) {
        within[a] = fmin(fmax(u[a], w->low[at]), w->high[at]);
        off[a] = within[a] - w->middle[at];
    }
    f[0] = 1;
    f[1] = off[0];
    f[2] = off[0] * off[0];
    f[3] = off[1];
    f[4] = off[0] * off[1];
    f[5] = off[2];
    return u[0] - within[0];
}

static double at_least(const surekrig_model *m, int64_t q, double variance)
{
    return m->widths.floor_std ? fmax(variance, m->widths.floor_std[q]) : variance;
}

/* Beyond the largest V seen this counts for V / v of the logarithm, or (V / v)^2 where errors farther from the data say
 * the rest. */
static double log_variance(const surekrig_model *m, const sk_widths *w, int64_t q, sk_signs signs)
{
    double f[SK_WIDTH_TERMS], sum = 0;
    double beyond = sk_widths_terms(m, w, q, signs, f);
    for (int a = 0; a < SK_WIDTH_TERMS; a++)
        sum += w->coefficient[q * SK_WIDTH_TERMS + a] * f[a];
    if (beyond <= 0)
        return sum + beyond;
    double known = exp(w->farther ? -2 * beyond : -beyond);
    double rest = w->farther ? log_variance(m, w->farther, q, signs)
                             : log(m->hyper.gamma2_std[q] * fmax(signs.variance_share, DBL_MIN));
    return known * (sum + beyond) + (1 - known) * rest;
}

double sk_widths_variance_std(const surekrig_model *m, int64_t q, sk_signs signs)
{
    return at_least(m, q,
                    m->widths.local ? exp(log_variance(m, &m->widths, q, signs))
                                    : m->hyper.gamma2_std[q] * signs.variance_share);
}

double sk_widths_average_std(const surekrig_model *m, int64_t q, double own, double partners)
{
    double unit = m->partner->spread[q] / m->spread[q];
    return at_least(m, q, m->widths.shared[q] * (own + unit * unit * partners) / 2);
}

/* The smallest score that at least a share `level` of one more than there are does not exceed. The share of a product
 * that rounding lifts above a whole number, 0.55 x 100, is that number. */
double surekrig_model_quantile(const surekrig_model *m, int64_t response, double level)
{
    if (!m || response < 0 || response >= m->data.l)
        return NAN;
    int64_t n = m->widths.scores;
    if (n == 0 && m->info.freedom > 0)
        return sk_student_quantile(level, m->info.freedom);
    if (n == 0 || !(level >= 0 && level <= 1))
        return surekrig_quantile(level);
    int64_t rank = (int64_t)ceil(level * (double)(n + 1) * (1 - 4 * DBL_EPSILON));
    return rank > n ? INFINITY : m->widths.score[response * n + (rank > 0 ? rank - 1 : 0)];
}
