/* The factorisation of a back end alone: a vector of covariances with their right-hand sides, filled once, then copied
 * and factored again and again. */
#include "factor.h"
#include "krige/simd/group.h"

#include <stdlib.h>

struct bench_factoring {
    group g;
    workspace w;
    int64_t rows, vectors;
    sk_vec *from; /* as the panels, before they are factored */
};

static void *aligned(size_t bytes)
{
    void *room = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!room)
        abort();
    return room;
}

static sk_vec *vectors(int64_t count)
{
    return aligned((size_t)count * sizeof(sk_vec));
}

/* Row i, column p of the covariance and, below it, of the right-hand sides; the same in every lane. */
static double element(const double *a, int64_t k, int64_t i, int64_t p)
{
    return p >= k || i >= k + 2 ? 0 : i < k ? a[i * (k + 2) + p] : a[p * (k + 2) + i];
}

static bench_factoring *open(int k, const double *a)
{
    bench_factoring *f = aligned(sizeof *f);
    f->rows = tiles(k + 2);
    f->vectors = panel_start(f->rows, k);
    f->w = (workspace){.inverse = vectors(tiles(k) * TILE), .panel = vectors(f->vectors)};
    f->from = vectors(f->vectors);
    f->g = (group){.w = &f->w, .k = k, .sound = ~(sk_mask){0}};
    for (int64_t I = 0; I < f->rows; I++)
        for (int64_t p = 0; p < columns(I, k) * TILE; p++)
            for (int r = 0; r < TILE; r++)
                f->from[panel_start(I, k) + p * TILE + r] = sk_all(element(a, k, I * TILE + r, p));
    return f;
}

static void run(bench_factoring *f, bool copy_alone)
{
    for (int64_t I = 0; I < f->rows; I++) {
        int64_t at = panel_start(I, f->g.k), next = panel_start(I + 1, f->g.k);
        memcpy(f->w.panel + at, f->from + at, (size_t)(next - at) * sizeof *f->from);
        if (!copy_alone)
            SK_HERE(sk_factor_panel)(&f->g, I, f->w.panel + at);
    }
}

/* L^-1 of the first right-hand side, squared: what a variance is made of. */
static double check(const bench_factoring *f)
{
    int64_t k = f->g.k;
    const sk_vec *row = f->w.panel + panel_start(k / TILE, k) + k % TILE;
    double sum = 0;
    for (int64_t p = 0; p < k; p++)
        sum += row[p * TILE][0] * row[p * TILE][0];
    return sum;
}

static void close(bench_factoring *f)
{
    free(f->w.inverse);
    free(f->w.panel);
    free(f->from);
    free(f);
}

const bench_factor SK_HERE(bench_factor) = {SK_ISA_TEXT, SK_LANES, open, run, check, close};
