/* Derivatives by the parameters, of a group (sk_krige_slopes), pair by pair of its points. A neighbour that a lane does
 * not have has w = zeta = o = 0 and is apart in K^-1, so whatever its covariances' derivatives are, they do not count. */
#include "krige/simd/group.h"

/* x <- L'^-1 x; x: [k]. */
static void back_solve(const group *g, sk_vec *x)
{
    for (int64_t r = g->k - 1; r >= 0; r--) {
        const sk_vec *row = row_of(g, r);
        x[r] *= g->w->inverse[r];
        for (int64_t p = 0; p < r; p++)
            x[p] -= row[p * TILE] * x[r];
    }
}

/* x += times a right-hand side. */
static void add_side(const group *g, int64_t side, sk_vec times, sk_vec *x)
{
    const sk_vec *from = row_of(g, g->k + side);
    for (int64_t p = 0; p < g->k; p++)
        x[p] += times * from[p * TILE];
}

static void clear(int64_t n, sk_vec *x)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = sk_all(0);
}

/* A number of each lane's point, out of [n][stride]. */
static sk_vec of_points(const group *g, const double *from, int64_t stride, int64_t at)
{
    sk_vec v;
    for (int lane = 0; lane < L; lane++)
        v[lane] = from[g->point[lane] * stride + at];
    return v;
}

/* w from a + (h/g.g) g, zeta from sum m (e - mu g), o from p e, p a power of two (krige.h);  h = 1 - a.g,  mu = g.e/g.g.
 * The target's are -1, 0, 0. */
static void weights(const group *g)
{
    const sk_krige_slopes *by = g->job->slopes;
    bool unknown = g->points->unknown_mean;
    int64_t l = g->points->data->l, stride = g->k + 1;
    sk_vec gg = unknown ? side_dot(g, 1, 1) : sk_all(1), h = unknown ? 1 - side_dot(g, 0, 1) : sk_all(0);
    clear(stride, g->w->weight);
    clear(stride, g->w->zeta);
    add_side(g, 0, sk_all(1), g->w->weight);
    if (unknown)
        add_side(g, 1, h / gg, g->w->weight);
    back_solve(g, g->w->weight);
    g->w->weight[g->k] = sk_all(-1);
    for (int64_t q = 0; q < l; q++) {
        int64_t e = g->sides - l + q;
        sk_vec m = of_points(g, by->by_mean, l, q), *o = g->w->o + q * stride;
        add_side(g, e, m, g->w->zeta);
        if (unknown)
            add_side(g, 1, -m * side_dot(g, 1, e) / gg, g->w->zeta);
        if (!by->by_square)
            continue;
        clear(stride, o);
        add_side(g, e, sk_all(sk_krige_power(g->points, q)), o);
        back_solve(g, o);
    }
    back_solve(g, g->w->zeta);
}

/* (K^-1)_ij for i >= j and ABREAST columns from j on, which share what they read of L and wait for themselves alone. */
static void invert_columns(const group *g, int64_t j)
{
    sk_vec(*x)[ABREAST] = g->w->column, sum[ABREAST];
    for (int64_t r = j; r < g->k; r++) { /* L x = e_j, e_(j+1), ... */
        const sk_vec *row = row_of(g, r);
        for (int c = 0; c < ABREAST; c++)
            sum[c] = sk_all(r == j + c);
        for (int64_t p = j; p < r; p++)
            for (int c = 0; c < ABREAST; c++)
                sum[c] -= row[p * TILE] * x[p][c];
        for (int c = 0; c < ABREAST; c++)
            x[r][c] = sum[c] * g->w->inverse[r];
    }
    for (int64_t p = g->k - 1; p >= j; p--) { /* x <- L'^-1 x */
        for (int c = 0; c < ABREAST; c++)
            sum[c] = x[p][c];
        for (int64_t I = (g->k - 1) / TILE; I >= (p + 1) / TILE; I--) {
            const sk_vec *there = g->w->panel + panel_start(I, g->k) + p * TILE;
            int64_t end = I * TILE > p + 1 ? I * TILE : p + 1, r = I * TILE + TILE < g->k ? I * TILE + TILE : g->k;
            while (--r >= end)
                for (int c = 0; c < ABREAST; c++)
                    sum[c] -= there[r - I * TILE] * x[r][c];
        }
        for (int c = 0; c < ABREAST; c++)
            x[p][c] = sum[c] * g->w->inverse[p];
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

/* N only where it is asked for. */
SK_INLINE void slopes_of(const sk_slopes *t, sk_vec s, bool by_nu, bool gathers, sk_vec *e, sk_vec *n)
{
    if (sk_any(~((s >= t->low) & (s < t->high)))) {
        rare_slopes(t, s, e, n);
        return;
    }
    *e = sk_polynomial_lanes((sk_lane_buckets){t->e, t->first, SK_BUCKET_BITS, gathers}, &s);
    if (by_nu)
        *n = sk_polynomial_lanes((sk_lane_buckets){t->n, t->first, SK_BUCKET_BITS, gathers}, &s);
}

/* What multiplies w, K^-1 and o in G_ij (krige.h). */
typedef struct pull {
    sk_vec variance, determinant;
    const sk_vec *square; /* [l], or NULL */
} pull;

/* G_ij, half of it where i = j. */
SK_INLINE sk_vec pair_weight(const group *g, const pull *by, int64_t i, int64_t j)
{
    const sk_vec *w = g->w->weight, *zeta = g->w->zeta;
    sk_vec sum = 2 * by->variance * w[i] * w[j] - (w[i] * zeta[j] + w[j] * zeta[i]);
    if (by->square) {
        const sk_vec *o = g->w->o;
        for (int64_t q = 0; q < g->points->data->l; q++, o += g->k + 1)
            sum -= 2 * by->square[q] * o[i] * o[j];
        if (i < g->k)
            sum += 2 * by->determinant * g->w->column[i][j % ABREAST];
    }
    return i == j ? sum / 2 : sum;
}

/* Two points, and what the caller knows as constants. */
typedef struct pair {
    int64_t i, j, d;
    bool gathers;
} pair;

SK_INLINE sk_vec value_of(const group *g, int term, pair at, sk_vec s)
{
    const sk_table *table = g->kernel->term[term].table;
    sk_vec other;
    if (sk_any(sk_outside_reach(table, s)))
        return SK_HERE(sk_term_value)(g, term, s, at.i, at.j);
    return sk_near_lanes(table, s, at.gathers, &other);
}

/* One term's part; weight: G_ij. */
SK_INLINE void add_term(const group *g, int term, pair at, sk_vec weight)
{
    const sk_kernel *kernel = g->kernel;
    const sk_slopes *t = g->job->slopes->kernel[term];
    const double *scale = kernel->scale + term * at.d;
    const sk_vec *x = g->w->x;
    sk_vec *sum = g->w->sum, *others = sum + at.d, *along = g->w->along, s = sk_all(0), e, n;
    int64_t stride = g->k + 1;
    bool by_nu = t->by_nu && !g->job->slopes->nu_held[term];
    for (int64_t a = 0; a < at.d; a++) {
        sk_vec away = scale[a] * (x[a * stride + at.i] - x[a * stride + at.j]);
        along[a] = away * away;
        s += along[a];
    }
    slopes_of(t, s, by_nu, at.gathers, &e, &n);
    if (term)
        others[SK_BY_LONG_SHARE] += weight * value_of(g, term, at, s);
    weight *= kernel->term[term].weight;
    if (by_nu)
        others[term ? SK_BY_LONG_NU : SK_BY_NU] += weight * (t->nu * n + e);
    if (term)
        others[SK_BY_LONG_RATIO] -= 2 * weight * e;
    weight *= sk_select(s > 0, -2 * e / s, sk_all(0));
    for (int64_t a = 0; a < at.d; a++)
        sum[a] += weight * along[a];
}

/* All pairs with j. */
SK_INLINE void add_pairs(const group *g, const pull *by, pair at)
{
    for (at.i = at.j + 1; at.i <= g->k; at.i++) {
        sk_vec weight = pair_weight(g, by, at.i, at.j);
        add_term(g, 0, at, weight);
        if (g->kernel->terms > 1)
            add_term(g, 1, at, weight);
    }
}

/* Of two terms, dF/dlog p = p sum_pairs G_ij (M'_ij - M_ij) = p/(1 - p) (sum_pairs G_ij M'_ij - T), T = sum_pairs G_ij
 * K_ij off the diagonal. M itself is not needed for that: were all covariances multiplied by a number, variances and
 * determinants would go with it and squares against it, so that with the diagonal
 *   T + sum_j G_jj K_jj = v (variance - k(0)) + t k - sum_q s_q square_q. */
static sk_vec scaled_by_all(const group *g, const pull *by)
{
    bool unknown = g->points->unknown_mean;
    int64_t l = g->points->data->l;
    sk_vec h = unknown ? 1 - side_dot(g, 0, 1) : sk_all(0), gg = unknown ? side_dot(g, 1, 1) : sk_all(1);
    sk_vec sum = by->variance * (h * h / gg - side_dot(g, 0, 0)) + (double)g->k * by->determinant;
    for (int64_t q = 0; q < l && by->square; q++)
        sum -= by->square[q] * side_square(g, g->sides - l + q, sk_krige_power(g->points, q));
    return sum;
}

/* The nugget's and the noise's, of neighbour j, and its part in what the second term's share needs. */
static void add_diagonal(const group *g, const pull *by, int64_t j)
{
    const surekrig_data *data = g->points->data;
    const surekrig_neighborhoods *batch = g->job->batch;
    const sk_krige_theta *theta = g->job->theta;
    sk_vec weight = pair_weight(g, by, j, j), *sum = g->w->sum + g->kernel->d;
    sum[SK_BY_LONG_SHARE] += weight * g->w->diagonal[j];
    for (int lane = 0; lane < L; lane++) {
        int64_t i = g->point[lane], count = batch->count ? batch->count[i] : batch->k;
        if (j >= count)
            continue;
        sum[SK_BY_TAU2][lane] += theta->tau2 * weight[lane];
        if (data->noise)
            sum[SK_BY_NOISE][lane] += data->noise[batch->neighbor[i * batch->k + j]] * theta->noise_share *
                                      weight[lane];
    }
}

static void set_pull(const group *g, pull *by, sk_vec *square)
{
    const sk_krige_slopes *from = g->job->slopes;
    int64_t l = g->points->data->l;
    *by = (pull){.variance = of_points(g, from->by_variance, 1, 0), .square = from->by_square ? square : NULL};
    if (from->by_determinant)
        by->determinant = of_points(g, from->by_determinant, 1, 0);
    for (int64_t q = 0; q < l && from->by_square; q++) {
        double unit = sk_krige_unit(g->points, q) / sk_krige_power(g->points, q); /* o has the rest */
        square[q] = unit * unit * of_points(g, from->by_square, l, q);
    }
}

void SK_HERE(sk_differentiate_group)(const group *g)
{
    const surekrig_data *data = g->points->data;
    bool gathers = g->job->slopes->kernel[0]->gathers;
    int64_t p = sk_krige_parameters(data), d = g->kernel->d;
    sk_vec *others = g->w->sum + d;
    pull by;
    set_pull(g, &by, g->w->square);
    clear(p, g->w->sum);
    weights(g);
    others[SK_BY_LONG_SHARE] = -scaled_by_all(g, &by);
    for (int64_t j = 0; j < g->k; j++) {
        if (by.square && j % ABREAST == 0)
            invert_columns(g, j);
        add_diagonal(g, &by, j);
        if (d == 2 && !gathers)
            add_pairs(g, &by, (pair){0, j, 2, false});
        else if (d == 2)
            add_pairs(g, &by, (pair){0, j, 2, true});
        else
            add_pairs(g, &by, (pair){0, j, d, gathers});
    }
    const sk_kernel *kernel = g->kernel;
    others[SK_BY_LONG_SHARE] *= kernel->terms > 1 ? kernel->term[1].weight / kernel->term[0].weight : 0;
    for (int lane = 0; lane < L; lane++) {
        double *gradient = g->job->slopes->gradient + g->point[lane] * p;
        for (int64_t a = 0; a < data->d; a++)
            gradient[a] = 0; /* of an axis that does not count */
        for (int64_t a = 0; a < d; a++)
            gradient[g->axis[a]] = g->w->sum[a][lane];
        for (int o = 0; o < SK_BY_OTHERS; o++)
            gradient[data->d + o] = others[o][lane];
    }
}
