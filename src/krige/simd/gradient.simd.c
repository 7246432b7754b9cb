/* Derivatives of a group's means and variances (sk_krige_slopes), pair by pair of its points. A neighbour that a lane
 * does not have has w = z = 0, so whatever its covariances' derivatives are, they do not count. */
#include "krige/simd/group.h"

/* x <- L'^-1 x, x: [k]. */
static void back_solve(const group *g, sk_vec *x)
{
    for (int64_t r = g->k - 1; r >= 0; r--) {
        const sk_vec *row = row_of(g, r);
        x[r] *= g->w->inverse[r];
        for (int64_t p = 0; p < r; p++)
            x[p] -= row[p * TILE] * x[r];
    }
}

/* x <- L'^-1 (side + times g), the latter where the mean is unknown. */
static void solve_side(const group *g, int64_t side, sk_vec times, sk_vec *x)
{
    const sk_vec *from = row_of(g, g->k + side), *ones = row_of(g, g->k + 1);
    for (int64_t p = 0; p < g->k; p++)
        x[p] = g->points->unknown_mean ? from[p * TILE] + times * ones[p * TILE] : from[p * TILE];
    back_solve(g, x);
}

/* w from a + (h/g.g) g, z from e - mu g,  h = 1 - a.g,  mu = g.e/g.g; the target's are -1 and 0. */
static void weights(const group *g)
{
    bool unknown = g->points->unknown_mean;
    int64_t l = g->points->data->l;
    sk_vec gg = unknown ? side_dot(g, 1, 1) : sk_all(1), h = unknown ? 1 - side_dot(g, 0, 1) : sk_all(0);
    solve_side(g, 0, h / gg, g->w->weight);
    g->w->weight[g->k] = sk_all(-1);
    for (int64_t q = 0; q < l; q++) {
        int64_t e = g->sides - l + q;
        sk_vec *z = g->w->z + q * (g->k + 1);
        solve_side(g, e, unknown ? -side_dot(g, 1, e) / gg : sk_all(0), z);
        z[g->k] = sk_all(0);
    }
}

/* E and N where some lane is outside the buckets. */
static void __attribute__((noinline)) rare_slopes(const sk_slopes *t, sk_vec s, sk_vec *e, sk_vec *n)
{
    for (int lane = 0; lane < L; lane++) {
        double by[2];
        sk_slopes_at(t, s[lane], by);
        (*e)[lane] = by[0];
        (*n)[lane] = by[1];
    }
}

SK_INLINE void slopes_of(const sk_slopes *t, sk_vec s, bool gathers, sk_vec *e, sk_vec *n)
{
    if (sk_any(~((s >= t->low) & (s < t->high)))) {
        rare_slopes(t, s, e, n);
        return;
    }
    *e = sk_polynomial_lanes((sk_lane_buckets){t->e, t->first, SK_BUCKET_BITS, gathers}, &s);
    *n = sk_polynomial_lanes((sk_lane_buckets){t->n, t->first, SK_BUCKET_BITS, gathers}, &s);
}

/* Adds one parameter's dM of the pair i, j: twice in w'dM w, as w z' + z w' in the means. */
SK_INLINE void add(const group *g, int64_t i, int64_t j, int64_t l, sk_vec slope, sk_vec *sum)
{
    const sk_vec *w = g->w->weight, *z = g->w->z;
    int64_t parameters = sk_krige_parameters(g->points->data);
    sum[0] += 2 * w[i] * w[j] * slope;
    for (int64_t q = 0; q < l; q++, z += g->k + 1)
        sum[(1 + q) * parameters] -= (w[i] * z[j] + w[j] * z[i]) * slope;
}

/* All pairs; d and l as constants where the caller knows them. */
SK_INLINE void add_pairs(const group *g, int64_t d, int64_t l, bool gathers)
{
    const sk_slopes *t = g->job->slopes->kernel;
    const double *scale = g->job->theta->kernel->scale;
    const sk_vec *x = g->w->x;
    int64_t stride = g->k + 1;
    for (int64_t i = 1; i <= g->k; i++)
        for (int64_t j = 0; j < i; j++) {
            sk_vec s = sk_all(0), e, n;
            for (int64_t a = 0; a < d; a++) {
                sk_vec away = scale[a] * (x[a * stride + i] - x[a * stride + j]);
                s += away * away;
            }
            slopes_of(t, s, gathers, &e, &n);
            if (t->by_nu)
                add(g, i, j, l, t->nu * n + e, g->w->sum + d + SK_BY_NU);
            sk_vec by = sk_select(s > 0, -2 * e / s, sk_all(0));
            for (int64_t a = 0; a < d; a++) {
                sk_vec away = scale[a] * (x[a * stride + i] - x[a * stride + j]);
                add(g, i, j, l, by * away * away, g->w->sum + a);
            }
        }
}

/* The nugget's and the noise's, of one lane. */
static void add_diagonal(const group *g, int lane)
{
    const surekrig_data *data = g->points->data;
    const surekrig_neighborhoods *batch = g->job->batch;
    const sk_krige_theta *theta = g->job->theta;
    int64_t i = g->point[lane], count = batch->count ? batch->count[i] : batch->k, p = sk_krige_parameters(data);
    for (int64_t j = 0; j < count; j++) {
        double share = data->noise ? data->noise[batch->neighbor[i * batch->k + j]] * theta->noise_share : 0;
        for (int64_t q = -1; q < data->l; q++) {
            double w = g->w->weight[j][lane], product = q < 0 ? w * w : -w * g->w->z[q * (g->k + 1) + j][lane];
            sk_vec *sum = g->w->sum + (1 + q) * p + data->d;
            sum[SK_BY_TAU2][lane] += theta->tau2 * product;
            sum[SK_BY_NOISE][lane] += share * product;
        }
    }
}

static void store(const group *g, int lane)
{
    int64_t l = g->points->data->l, p = sk_krige_parameters(g->points->data), i = g->point[lane];
    for (int64_t j = 0; j < p; j++)
        g->job->slopes->variance[i * p + j] = g->w->sum[j][lane];
    for (int64_t j = 0; j < l * p; j++)
        g->job->slopes->mean[i * l * p + j] = g->w->sum[p + j][lane];
}

void SK_HERE(sk_differentiate_group)(const group *g)
{
    const surekrig_data *data = g->points->data;
    bool gathers = g->job->slopes->kernel->gathers;
    for (int64_t j = 0; j < (1 + data->l) * sk_krige_parameters(data); j++)
        g->w->sum[j] = sk_all(0);
    weights(g);
    if (data->d == 2 && data->l == 1 && !gathers)
        add_pairs(g, 2, 1, false);
    else if (data->d == 2 && data->l == 1)
        add_pairs(g, 2, 1, true);
    else
        add_pairs(g, data->d, data->l, gathers);
    for (int lane = 0; lane < L; lane++) {
        add_diagonal(g, lane);
        store(g, lane);
    }
}
