/* Derivatives by the parameters, of one neighbourhood (sk_krige_slopes), pair by pair of its points. */
#include "kernel/inside.h"
#include "krige/reference/reference.h"

#include <math.h>

typedef struct context {
    const sk_krige_points *points;
    const sk_krige_job *job;
    int64_t point, count, width; /* the batch's point, its neighbours, and what stands in a row of U */
    const double *target;        /* [d] */
    sk_reference_space *w;
    double *gradient; /* [parameters] */
} context;

/* x <- U^-1 x */
static void back_solve(const context *c, int64_t first, double *x)
{
    for (int64_t j = c->count - 1; j >= first; j--) {
        const double *row = c->w->matrix + j * c->width;
        for (int64_t i = j + 1; i < c->count; i++)
            x[j] -= row[i] * x[i];
        x[j] /= row[j];
    }
}

/* x += times the column of right-hand sides that stands beside U. */
static void add_side(const context *c, int64_t side, double times, double *x)
{
    for (int64_t j = 0; j < c->count; j++)
        x[j] += times * c->w->matrix[j * c->width + c->count + side];
}

static double side_dot(const context *c, int64_t a, int64_t b)
{
    double sum = 0;
    for (int64_t j = 0; j < c->count; j++)
        sum += c->w->matrix[j * c->width + c->count + a] * c->w->matrix[j * c->width + c->count + b];
    return sum;
}

/* w, zeta and o out of a, g and e:  U w = a + (h/g.g) g,  U z = e - mu g,  U o = p e,  h = 1 - a.g,  mu = g.e/g.g, p a
 * power of two (krige.h). */
static void weights(const context *c)
{
    const sk_krige_slopes *by = c->job->slopes;
    bool unknown = c->points->unknown_mean;
    int64_t l = c->points->data->l, first = 1 + unknown;
    double gg = unknown ? side_dot(c, 1, 1) : 1, h = unknown ? 1 - side_dot(c, 0, 1) : 0;
    for (int64_t j = 0; j < c->count; j++)
        c->w->w[j] = c->w->zeta[j] = 0;
    add_side(c, 0, 1, c->w->w);
    if (unknown)
        add_side(c, 1, h / gg, c->w->w);
    back_solve(c, 0, c->w->w);
    for (int64_t q = 0; q < l; q++) {
        double m = by->by_mean[c->point * l + q], *o = c->w->o + q * c->count;
        add_side(c, first + q, m, c->w->zeta);
        if (unknown)
            add_side(c, 1, -m * side_dot(c, 1, first + q) / gg, c->w->zeta);
        for (int64_t j = 0; j < c->count && by->by_square; j++)
            o[j] = 0;
        if (by->by_square) {
            add_side(c, first + q, sk_krige_power(c->points, q), o);
            back_solve(c, 0, o);
        }
    }
    back_solve(c, 0, c->w->zeta);
}

/* (K^-1)_ij for i >= j. */
static void invert_column(const context *c, int64_t j)
{
    const double *u = c->w->matrix;
    double *x = c->w->column;
    for (int64_t r = j; r < c->count; r++) { /* U'x = e_j */
        double sum = r == j;
        for (int64_t p = j; p < r; p++)
            sum -= u[p * c->width + r] * x[p];
        x[r] = sum / u[r * c->width + r];
    }
    back_solve(c, j, x);
}

/* G_ij (krige.h), half of it where i = j; i = count: the target. */
static double pair_weight(const context *c, int64_t i, int64_t j)
{
    const sk_krige_slopes *by = c->job->slopes;
    const sk_reference_space *w = c->w;
    bool target = i == c->count;
    int64_t l = c->points->data->l;
    double wi = target ? -1 : w->w[i], zi = target ? 0 : w->zeta[i];
    double sum = 2 * by->by_variance[c->point] * wi * w->w[j] - (wi * w->zeta[j] + w->w[j] * zi);
    for (int64_t q = 0; q < l && !target && by->by_square; q++) {
        double unit = sk_krige_unit(c->points, q) / sk_krige_power(c->points, q),
               s = unit * unit * by->by_square[c->point * l + q];
        sum -= 2 * s * w->o[q * c->count + i] * w->o[q * c->count + j];
    }
    if (!target && by->by_determinant)
        sum += 2 * by->by_determinant[c->point] * w->column[i];
    return i == j ? sum / 2 : sum;
}

/* s, and s_a into along. */
static double square(const context *c, int term, int64_t i, int64_t j)
{
    int64_t d = c->points->data->d;
    const double *scale = c->job->theta->kernel->scale + term * d;
    double s = 0;
    for (int64_t a = 0; a < d; a++) {
        double there = i == c->count ? c->target[a] : c->w->x[a * c->count + i];
        double away = scale[a] * (there - c->w->x[a * c->count + j]);
        c->w->along[a] = away * away;
        s += away * away;
    }
    return s;
}

/* One term's part; weight: G_ij. */
static void add_term(const context *c, int term, double s, double weight)
{
    const sk_kernel *kernel = c->job->theta->kernel;
    const sk_slopes *slopes = c->job->slopes->kernel[term];
    int64_t d = c->points->data->d;
    double by[2], *others = c->gradient + d;
    sk_slopes_at(slopes, s, by);
    if (kernel->terms > 1) {
        double m = s < SK_TINY_SQUARE ? 1 : sk_table_at(kernel->term[term].table, s, NULL);
        others[SK_BY_LONG_SHARE] += (term ? weight : -weight) * kernel->term[1].weight * m;
    }
    weight *= kernel->term[term].weight;
    if (slopes->by_nu)
        others[term ? SK_BY_LONG_NU : SK_BY_NU] += weight * (slopes->nu * by[1] + by[0]);
    if (term)
        others[SK_BY_LONG_RATIO] -= 2 * weight * by[0];
    for (int64_t a = 0; a < d && s > 0; a++)
        c->gradient[a] += weight * (-2 * by[0] / s) * c->w->along[a];
}

static void add_pair(const context *c, int64_t i, int64_t j)
{
    double weight = pair_weight(c, i, j);
    for (int term = 0; term < c->job->theta->kernel->terms; term++)
        add_term(c, term, square(c, term, i, j), weight);
}

static void add_diagonal(const context *c, int64_t row, int64_t j)
{
    const surekrig_data *data = c->points->data;
    const sk_krige_theta *theta = c->job->theta;
    double weight = pair_weight(c, j, j);
    c->gradient[data->d + SK_BY_TAU2] += theta->tau2 * weight;
    if (data->noise)
        c->gradient[data->d + SK_BY_NOISE] += data->noise[row] * theta->noise_share * weight;
}

void sk_reference_differentiate(const sk_reference *s, const sk_krige_job *job, int64_t i, sk_hood h,
                                sk_reference_space *w)
{
    int64_t p = sk_krige_parameters(s->points.data);
    context c = {
        &s->points, job, i, h.count, h.count + sk_krige_sides(&s->points), h.target, w, job->slopes->gradient + i * p};
    for (int64_t j = 0; j < p; j++)
        c.gradient[j] = 0;
    weights(&c);
    for (int64_t j = 0; j < h.count; j++) {
        if (job->slopes->by_determinant)
            invert_column(&c, j);
        add_diagonal(&c, h.row[j], j);
        for (int64_t other = j + 1; other <= h.count; other++)
            add_pair(&c, other, j);
    }
}
