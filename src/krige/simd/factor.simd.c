/* Panels of L by tiles, and means and variances from the last. */
#include "krige/simd/group.h"

#include <math.h>

/* A tile stays in registers only where the compiler sees that every index is a constant. */
#define UNROLL _Pragma("GCC unroll 4")

typedef sk_vec tile[TILE][TILE]; /* [column][row], in registers */

/* Columns of the panel applied together: 16 KiB at most, so that they stay in the first cache while panels pass by. */
enum { CHUNK = 16 * 1024 / (TILE * (int)sizeof(sk_vec)) / TILE * TILE };

SK_INLINE void load(const sk_vec *from, tile out)
{
    UNROLL
    for (int c = 0; c < TILE; c++)
        UNROLL
    for (int r = 0; r < TILE; r++)
        out[c][r] = from[c * TILE + r];
}

SK_INLINE void save(tile from, sk_vec *out)
{
    UNROLL
    for (int c = 0; c < TILE; c++)
        UNROLL
    for (int r = 0; r < TILE; r++)
        out[c * TILE + r] = from[c][r];
}

/* out -= a b', for panels of n columns; of a tile on the diagonal, the lower triangle. */
SK_INLINE void subtract_product(const sk_vec *a, const sk_vec *b, int64_t n, bool diagonal, tile out)
{
    for (int64_t p = 0; p < n; p++, a += TILE, b += TILE)
        UNROLL
    for (int c = 0; c < TILE; c++)
        UNROLL
    for (int r = diagonal ? c : 0; r < TILE; r++)
        out[c][r] -= a[r] * b[c];
}

/* The tile on the diagonal: its first `width` columns become columns of L. */
SK_INLINE void factor(group *g, sk_vec *inverse, int width, tile out)
{
    UNROLL
    for (int c = 0; c < TILE && c < width; c++) {
        g->sound &= out[c][c] > g->smallest;
        inverse[c] = 1 / sk_sqrt(out[c][c]);
        UNROLL
        for (int r = c; r < TILE; r++)
            out[c][r] *= inverse[c];
        UNROLL
        for (int q = c + 1; q < TILE; q++) /* a column beyond width is not used */
            UNROLL
        for (int r = q; r < TILE; r++)
            out[q][r] -= out[c][r] * out[c][q];
    }
    UNROLL
    for (int c = width; c < TILE; c++)
        inverse[c] = sk_all(0);
}

/* A tile below the diagonal tile `top`:  out <- out top'^-1; a column beyond the last of L becomes 0. */
SK_INLINE void solve(const sk_vec *top, const sk_vec *inverse, tile out)
{
    UNROLL
    for (int c = 0; c < TILE; c++)
        UNROLL
    for (int r = 0; r < TILE; r++) {
        UNROLL
        for (int q = 0; q < c; q++)
            out[c][r] -= out[q][r] * top[q * TILE + c];
        out[c][r] *= inverse[c];
    }
}

/* tile(I,J), given all columns of L before its own but those from `from` on. */
static void end_tile(group *g, int64_t I, int64_t J, int64_t from, sk_vec *panel)
{
    const sk_vec *above = g->w->panel + panel_start(J, g->k), *a = panel + from * TILE;
    sk_vec *inverse = g->w->inverse + J * TILE, *own = panel + J * TILE * TILE;
    int64_t missing = J * TILE - from, left = g->k - J * TILE;
    tile block;
    load(own, block);
    if (I > J) {
        subtract_product(a, above + from * TILE, missing, false, block);
        solve(above + J * TILE * TILE, inverse, block);
    } else {
        subtract_product(a, a, missing, true, block);
        if (left >= TILE)
            factor(g, inverse, TILE, block); /* nearly always; the bound known to the compiler */
        else
            factor(g, inverse, (int)left, block);
    }
    save(block, own);
}

/* Gives tile(I,J) the CHUNK columns of L from `from` on. */
static void advance_tile(const group *g, int64_t I, int64_t J, int64_t from, sk_vec *panel)
{
    const sk_vec *above = I == J ? panel : g->w->panel + panel_start(J, g->k);
    tile block;
    load(panel + J * TILE * TILE, block);
    subtract_product(panel + from * TILE, above + from * TILE, CHUNK, false, block);
    save(block, panel + J * TILE * TILE);
}

void SK_HERE(sk_factor_panel)(group *g, int64_t I, sk_vec *panel)
{
    int64_t J = 0, count = columns(I, g->k);
    for (int64_t from = 0; J < count; from += CHUNK) {
        for (; J < count && J * TILE < from + CHUNK; J++)
            end_tile(g, I, J, from, panel);
        for (int64_t later = J; later < count; later++)
            advance_tile(g, I, later, from, panel);
    }
}

/* mu: of the unknown mean, gg: its g.g. */
static void store_response(const group *g, int64_t q, sk_vec mean, sk_vec mu, sk_vec gg)
{
    surekrig_kriged *out = g->job->out;
    const surekrig_neighborhoods *batch = g->job->batch;
    int64_t l = g->points->data->l, side = g->sides - l + q;
    sk_krige_block *block = g->job->block;
    double unit = sk_krige_unit(g->points, q);
    sk_vec square = out->scale || block ? side_square(g, side, unit) : sk_all(0),
           left = square - unit * mu * (unit * mu) * gg;
    for (int lane = 0; lane < L; lane++) {
        int64_t i = g->point[lane], freedom = (batch->count ? batch->count[i] : batch->k) - g->points->unknown_mean;
        if (out->mean)
            out->mean[i * l + q] = mean[lane];
        if (out->scale)
            out->scale[i * l + q] = sk_krige_scale(left[lane], freedom);
        if (block)
            block->square[i * l + q] = square[lane];
    }
}

/* added: by an unknown mean. */
static void store_variance(const group *g, sk_vec variance, sk_vec added)
{
    surekrig_kriged *out = g->job->out;
    for (int lane = 0; lane < L; lane++) {
        int64_t i = g->point[lane];
        if (out->variance) /* below 0 is round-off, where the point is one of its neighbours */
            out->variance[i] = fmax(variance[lane], 0) + added[lane];
        if (out->jitter)
            out->jitter[i] = 0;
    }
}

/* log det K = -2 sum of log(1 / L(p,p)): a logarithm for every few, whose product cannot overflow. A missing neighbour
 * has L(p,p) = 1 and e(p) = 0. */
static void store_determinant(const group *g)
{
    enum { FEW = 8 };
    sk_vec sum = sk_all(0);
    for (int64_t p = 0; p < g->k; p += FEW) {
        sk_vec product = sk_all(1);
        for (int64_t q = p; q < g->k && q < p + FEW; q++)
            product *= g->w->inverse[q];
        for (int lane = 0; lane < L; lane++)
            sum[lane] -= 2 * log(product[lane]);
    }
    for (int lane = 0; lane < L; lane++)
        g->job->block->log_determinant[g->point[lane]] = sum[lane];
}

void SK_HERE(sk_finish_group)(const group *g)
{
    bool unknown = g->points->unknown_mean;
    const sk_vec *a = row_of(g, g->k);
    sk_vec variance = sk_all(sk_kernel_at_zero(g->kernel));
    sk_vec gg = unknown ? side_dot(g, 1, 1) : sk_all(1), h = unknown ? 1 - side_dot(g, 0, 1) : sk_all(0);
    for (int64_t p = 0; p < g->k; p++)
        variance -= a[p * TILE] * a[p * TILE];
    store_variance(g, variance, h * h / gg);
    if (g->job->block)
        store_determinant(g);
    for (int64_t q = 0; q < g->points->data->l; q++) {
        int64_t e = g->sides - g->points->data->l + q;
        sk_vec mu = unknown ? side_dot(g, 1, e) / gg : sk_all(0);
        store_response(g, q, side_dot(g, 0, e) + h * mu, mu, gg);
    }
}
