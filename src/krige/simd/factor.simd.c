/* Panels of L by tiles, and means and variances from the last. */
#include "krige/simd/group.h"

#include <math.h>

typedef sk_vec tile[TILE][TILE]; /* [column][row] */

/* Columns of the panel applied together: 16 KiB at most, so that they stay in the first cache while panels pass by. */
enum { CHUNK = 16 * 1024 / (TILE * (int)sizeof(sk_vec)) / TILE * TILE };

/* out -= a b', for panels of n columns. */
SK_INLINE void subtract_product(const sk_vec *a, const sk_vec *b, int64_t n, tile out)
{
    tile sum;
    memcpy(sum, out, sizeof sum);
    for (int64_t p = 0; p < n; p++, a += TILE, b += TILE)
        for (int c = 0; c < TILE; c++)
            for (int r = 0; r < TILE; r++)
                sum[c][r] -= a[r] * b[c];
    memcpy(out, sum, sizeof sum);
}

/* The tile on the diagonal: its first `width` columns become columns of L. */
SK_INLINE void factor(group *g, sk_vec *inverse, int width, tile out)
{
    for (int c = 0; c < TILE && c < width; c++) {
        g->sound &= out[c][c] > g->smallest;
        inverse[c] = 1 / sk_sqrt(out[c][c]);
        for (int r = c; r < TILE; r++)
            out[c][r] *= inverse[c];
        for (int q = c + 1; q < TILE; q++) /* a column beyond width is not used */
            for (int r = q; r < TILE; r++)
                out[q][r] -= out[c][r] * out[c][q];
    }
}

/* A tile below the diagonal tile `top`:  out <- out top'^-1. */
SK_INLINE void solve(const sk_vec *top, const sk_vec *inverse, int width, tile out)
{
    for (int c = 0; c < TILE && c < width; c++)
        for (int r = 0; r < TILE; r++) {
            for (int q = 0; q < c; q++)
                out[c][r] -= out[q][r] * top[q * TILE + c];
            out[c][r] *= inverse[c];
        }
}

/* The columns of L that a tile is given. */
typedef struct span {
    int64_t from, to;
} span;

/* tile(I,J) -= L(I,p) L(J,p)' for the columns p of the span. */
SK_INLINE void advance(const group *g, int64_t I, int64_t J, span p, const sk_vec *panel, tile block)
{
    const sk_vec *above = I == J ? panel : g->w->panel + panel_start(J, g->k);
    memcpy(block, panel + J * TILE * TILE, sizeof(tile));
    subtract_product(panel + p.from * TILE, above + p.from * TILE, p.to - p.from, block);
}

/* What ends a tile that has had all columns before its own. */
SK_INLINE void end(group *g, int64_t I, int64_t J, tile block)
{
    sk_vec *inverse = g->w->inverse + J * TILE;
    int width = g->k - J * TILE < TILE ? (int)(g->k - J * TILE) : TILE;
    if (I == J)
        factor(g, inverse, width, block);
    else
        solve(g->w->panel + panel_start(J, g->k) + J * TILE * TILE, inverse, width, block);
}

void SK_HERE(sk_factor_panel)(group *g, int64_t I, sk_vec *panel)
{
    int64_t J = 0, count = columns(I, g->k);
    tile block;
    for (int64_t from = 0; J < count; from += CHUNK) {
        for (; J < count && J * TILE < from + CHUNK; J++) {
            advance(g, I, J, (span){from, J * TILE}, panel, block);
            end(g, I, J, block);
            memcpy(panel + J * TILE * TILE, block, sizeof block);
        }
        for (int64_t later = J; later < count; later++) {
            advance(g, I, later, (span){from, from + CHUNK}, panel, block);
            memcpy(panel + later * TILE * TILE, block, sizeof block);
        }
    }
}

/* Where row i of L begins; its next element is TILE vectors on. */
static const sk_vec *row_of(const group *g, int64_t i)
{
    return g->w->panel + panel_start(i / TILE, g->k) + i % TILE;
}

static void store(const group *g, int64_t q, const sk_vec *mean, const sk_vec *variance)
{
    surekrig_kriged *out = g->job->out;
    int64_t l = g->points->data->l;
    for (int lane = 0; lane < L; lane++) {
        int64_t i = g->point[lane];
        if (mean && out->mean)
            out->mean[i * l + q] = (*mean)[lane];
        if (variance && out->variance)
            out->variance[i] = fmax((*variance)[lane], 0); /* round-off, where the point is one of its neighbours */
        if (variance && out->jitter)
            out->jitter[i] = 0;
    }
}

void SK_HERE(sk_finish_group)(const group *g)
{
    const sk_vec *a = row_of(g, g->k);
    sk_vec variance = sk_all(sk_kernel_at_zero(g->job->theta->kernel));
    for (int64_t p = 0; p < g->k; p++)
        variance -= a[p * TILE] * a[p * TILE];
    store(g, 0, NULL, &variance);
    for (int64_t q = 0; q < g->points->data->l; q++) {
        const sk_vec *e = row_of(g, g->k + 1 + q);
        sk_vec mean = sk_all(0);
        for (int64_t p = 0; p < g->k; p++)
            mean += a[p * TILE] * e[p * TILE];
        store(g, q, &mean, NULL);
    }
}
