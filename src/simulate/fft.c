/* The discrete Fourier transform, z_k <- sum_j z_j exp(-2 pi i j k / n), n a power of two, in place.
 *
 * The z_j are coefficients of a polynomial, wanted at the n-th roots of one, and reduced by halves towards them:
 *
 *     u(x) + x^len v(x)  mod  x^(2 len) - w^2     ->     u + w v  mod  x^len - w,      u - w v  mod  x^len + w
 *
 * The w of block b is exp(-pi i phi_b), phi_b = the bits of b mirrored behind the binary point, in every stage and for
 * every n: one table serves all, is read from its front, and w is constant along the inner loop. The values leave in
 * mirrored order and are swapped into place. An axis of an array [outer][n][inner] goes the same way, with `inner`
 * numbers for each z_j. The butterflies of a stage touch different numbers, so threads change nothing. */
#include "simulate/simulate.h"

#include <math.h>
#include <stdlib.h>

enum { CACHED = 1 << 13, GRAIN = 1 << 13 }; /* complex values that stay in a core's cache; butterflies a grain */

typedef struct axis {
    sk_complex *z;
    const sk_complex *roots;
    int64_t n, inner, total; /* total = outer * n * inner */
    int64_t len;             /* of the stage at hand */
    int threads;
} axis;

/* The 64 bits of i in reverse. */
static uint64_t mirrored(uint64_t i)
{
    i = (i >> 1 & 0x5555555555555555u) | (i & 0x5555555555555555u) << 1;
    i = (i >> 2 & 0x3333333333333333u) | (i & 0x3333333333333333u) << 2;
    i = (i >> 4 & 0x0f0f0f0f0f0f0f0fu) | (i & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(i);
}

/* exp(-pi i phi), 0 <= phi < 1; sine and cosine see angles up to pi/4 only, where pi phi is rounded least. */
static sk_complex root(double phi)
{
    if (phi > 0.5) { /* cos(pi phi) = -cos(pi (1 - phi)) */
        sk_complex r = root(1 - phi);
        return (sk_complex){-r.re, r.im};
    }
    if (phi > 0.25) /* cos(pi phi) = sin(pi (1/2 - phi)) */
        return (sk_complex){sin(M_PI * (0.5 - phi)), -cos(M_PI * (0.5 - phi))};
    return (sk_complex){cos(M_PI * phi), -sin(M_PI * phi)};
}

static void fill_roots(void *context, int64_t begin, int64_t end, int worker)
{
    sk_complex *roots = context;
    (void)worker;
    for (int64_t b = begin; b < end; b++)
        roots[b] = root((double)mirrored((uint64_t)b) * 0x1p-64);
}

sk_complex *sk_fft_roots(int64_t longest, int threads)
{
    int64_t count = longest > 1 ? longest / 2 : 1;
    sk_complex *roots = sk_alloc(count, sizeof *roots);
    if (roots)
        sk_parallel(
            &(sk_task){.count = count, .grain = GRAIN, .threads = threads, .run = fill_roots, .context = roots});
    return roots;
}

/* u, v <- u + w v, u - w v */
static void butterflies(sk_complex *restrict u, sk_complex *restrict v, sk_complex w, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        double re = w.re * v[i].re - w.im * v[i].im, im = w.re * v[i].im + w.im * v[i].re;
        v[i] = (sk_complex){u[i].re - re, u[i].im - im};
        u[i] = (sk_complex){u[i].re + re, u[i].im + im};
    }
}

/* Butterflies begin..end-1 of the total/2 of a stage. */
static void stage(const axis *a, int64_t len, int64_t begin, int64_t end)
{
    int64_t half = len * a->inner, blocks = a->n / (2 * len);
    for (int64_t block = begin / half, at = begin % half; begin < end; block++, at = 0) {
        int64_t count = half - at < end - begin ? half - at : end - begin;
        sk_complex *u = a->z + 2 * half * block + at;
        butterflies(u, u + half, a->roots[block & (blocks - 1)], count);
        begin += count;
    }
}

static void one_stage(void *context, int64_t begin, int64_t end, int worker)
{
    const axis *a = context;
    (void)worker;
    stage(a, a->len, begin, end);
}

/* All stages from len on, one block after the other: each is read into cache once. */
static void last_stages(void *context, int64_t begin, int64_t end, int worker)
{
    const axis *a = context;
    int64_t half = a->len * a->inner;
    (void)worker;
    for (int64_t block = begin; block < end; block++)
        for (int64_t len = a->len; len >= 1; len /= 2)
            stage(a, len, half * block, half * (block + 1));
}

/* Elements begin..end-1 of outer * n change places with their mirror images. */
static void reorder(void *context, int64_t begin, int64_t end, int worker)
{
    const axis *a = context;
    int shift = __builtin_clzll((unsigned long long)a->n) + 1; /* n = 2^(64 - shift) */
    (void)worker;
    for (int64_t e = begin; e < end; e++) {
        int64_t i = e & (a->n - 1), k = (int64_t)(mirrored((uint64_t)i) >> shift);
        sk_complex *x = a->z + e * a->inner, *y = x + (k - i) * a->inner;
        for (int64_t j = 0; i < k && j < a->inner; j++) {
            sk_complex t = x[j];
            x[j] = y[j];
            y[j] = t;
        }
    }
}

static void transform(axis a)
{
    if (a.n == 1)
        return;
    sk_task task = {.count = a.total / 2, .grain = GRAIN, .threads = a.threads, .run = one_stage, .context = &a};
    for (a.len = a.n / 2; a.len >= 1 && 2 * a.len * a.inner > CACHED; a.len /= 2)
        sk_parallel(&task);
    if (a.len >= 1) {
        task.count = a.total / (2 * a.len * a.inner);
        task.grain = 1 + GRAIN / (2 * a.len * a.inner);
        task.run = last_stages;
        sk_parallel(&task);
    }
    task.count = a.total / a.inner;
    task.grain = 1 + GRAIN / a.inner;
    task.run = reorder;
    sk_parallel(&task);
}

void sk_fft(const sk_complex *roots, const int64_t size[SK_AXES], sk_complex *z, int threads)
{
    int64_t inner = size[0] * size[1] * size[2];
    axis a = {.z = z, .roots = roots, .total = inner, .threads = threads};
    for (int i = 0; i < SK_AXES; i++) {
        inner /= size[i];
        a.n = size[i], a.inner = inner;
        transform(a);
    }
}
