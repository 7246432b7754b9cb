/* Exact draws of a zero-mean Gaussian process: on grids by circulant embedding, at scattered points by Cholesky. */
#ifndef SK_SIMULATE_H
#define SK_SIMULATE_H

#include "base/base.h"
#include "kernel/kernel.h"

enum { SK_AXES = 3 }; /* of a grid; one of fewer dimensions has its axes last, and 1 point along the others */

/* ---- fft.c: powers of two, in place */

typedef struct sk_complex {
    double re, im;
} sk_complex;

/* The twiddle factors for axes up to longest; free() them. NULL: no memory. */
sk_complex *sk_fft_roots(int64_t longest, int threads);
/* z[k0][k1][k2] = sum z[j0][j1][j2] exp(-2 pi i (j0 k0 / size0 + j1 k1 / size1 + j2 k2 / size2)) */
void sk_fft(const sk_complex *roots, const int64_t size[SK_AXES], sk_complex *z, int threads);

/* ---- circulant.c */

typedef struct sk_grid {
    int64_t d, size[SK_AXES];
    double step[SK_AXES];
    int64_t largest; /* values that an embedding may have */
    int threads;
} sk_grid;

/* The periodic grid that holds the grid: value is [size0][size1][size2]. */
typedef struct sk_torus {
    int64_t size[SK_AXES];
    sk_complex *value, *roots;
} sk_torus;

#define SK_TORUS_LARGEST ((int64_t)1 << 26) /* 1 GiB, and half as much again for the roots of a line */

/* value[k].re: the eigenvalues of the circulant covariance (M3) / gamma2, none of them negative. */
surekrig_status sk_torus_new(const sk_grid *grid, const surekrig_theta *theta, sk_torus **torus, surekrig_error *error);
void sk_torus_free(sk_torus *torus);
/* Turns the eigenvalues into a draw: value[j].re is the field, value[j].im a second, independent one. */
void sk_torus_draw(sk_torus *torus, uint64_t seed, int threads);

/* ---- dense.c */

#define SK_DENSE_LARGEST 8192 /* points; their covariance takes 512 MiB */

/* One draw at sample's scattered points. */
surekrig_status sk_dense_draw(const surekrig_sample *sample, const surekrig_theta *theta, double *y,
                              surekrig_error *error);

#endif
