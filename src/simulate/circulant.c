/* Draws on a grid of step h by circulant embedding (Dietrich and Newsam 1997; Wood and Chan 1994).
 *
 * On a torus of m >= 2(n-1) points per axis the covariance of (M3) / gamma2 at the wrapped lags,
 *     c_j = k(h min(j, m - j)) + tau2 [j = 0],
 * is a circulant matrix. Its eigenvalues are lambda = FFT(c), and with independent standard normals a, b
 *     Re FFT( sqrt(lambda / N) (a + i b) )
 * has covariance (1/N) sum_k lambda_k cos(2 pi j k / N) = c_j: exact on the grid, if no lambda is negative. The torus
 * starts at the smallest power of two and doubles until that holds. A negative eigenvalue is never clipped.
 *
 * Unless it is round-off: the FFT errs by up to eps log2(N) max(lambda), so a zero eigenvalue, of which a smooth field
 * has many to double precision, may come out below zero by that much. Such negatives are taken for zeros if, besides,
 * their mean is at most eps log2(N) |c|_2, |c|_2 = sqrt(sum c_j^2) being also the root mean square of lambda: no
 * covariance moves by more than that mean, and the errors of the other eigenvalues move it as far. */
#include "simulate/simulate.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 512, GRAIN = 1 << 12 }; /* lags a kernel call; frequencies a grain */

typedef struct lags {
    const sk_grid *grid;
    const sk_torus *torus;
    const sk_kernel *kernel;
    int64_t chunks; /* of a row of lags 0..m/2 */
} lags;

static int64_t values(const int64_t size[SK_AXES])
{
    return size[0] * size[1] * size[2];
}

/* c at lag (i, j, l) stands at (+-i, +-j, +-l), modulo the torus. */
static void mirror(const sk_torus *torus, const int64_t lag[SK_AXES], double c)
{
    const int64_t *m = torus->size;
    for (int side = 0; side < 1 << SK_AXES; side++) {
        int64_t at = 0;
        for (int a = 0; a < SK_AXES; a++)
            at = at * m[a] + (side >> a & 1 ? (m[a] - lag[a]) & (m[a] - 1) : lag[a]);
        torus->value[at] = (sk_complex){c, 0};
    }
}

/* Covariances between (i h0, j h1, 0) and (0, 0, l h2): chunks begin..end-1 of all rows (i, j). */
static void fill_part(void *context, int64_t begin, int64_t end, int worker)
{
    const lags *l = context;
    const double *h = l->grid->step;
    int64_t skip = SK_AXES - l->grid->d, count = l->torus->size[2] / 2 + 1; /* a line has no axes 0 and 1 */
    int64_t across = l->torus->size[1] / 2 + 1;
    double x[SK_AXES * CHUNK] = {0}, scratch[CHUNK], c[CHUNK];
    (void)worker;
    for (int64_t item = begin; item < end; item++) {
        int64_t row = item / l->chunks, from = item % l->chunks * CHUNK;
        int64_t n = count - from < CHUNK ? count - from : CHUNK, lag[SK_AXES] = {row / across, row % across, 0};
        double point[SK_AXES] = {(double)lag[0] * h[0], (double)lag[1] * h[1], 0};
        for (int64_t j = 0; j < n; j++)
            x[(SK_AXES - 1) * CHUNK + j] = (double)(from + j) * h[2];
        sk_kernel_row(l->kernel, point + skip, (sk_columns){n, CHUNK, x + skip * CHUNK}, scratch, c);
        for (int64_t j = 0; j < n; j++) {
            lag[2] = from + j;
            mirror(l->torus, lag, c[j]);
        }
    }
}

/* Writes c. The kernel's tables are made for the lags of this torus. */
static surekrig_status fill(const sk_grid *grid, const surekrig_theta *theta, sk_torus *torus, surekrig_error *error)
{
    double far = 0, near = INFINITY; /* near stays infinite where the grid is one point */
    for (int a = 0; a < SK_AXES; a++) {
        far = hypot(far, (double)(torus->size[a] / 2) * grid->step[a]);
        near = grid->size[a] > 1 ? fmin(near, grid->step[a]) : near;
    }
    sk_kernel *kernel;
    surekrig_status status = sk_kernel_new(theta, grid->d, isinf(near) ? NULL : (double[2]){near, far}, &kernel, error);
    if (status)
        return status;
    lags l = {grid, torus, kernel, torus->size[2] / 2 / CHUNK + 1};
    sk_parallel(&(sk_task){.count = (torus->size[0] / 2 + 1) * (torus->size[1] / 2 + 1) * l.chunks,
                           .grain = 4,
                           .threads = grid->threads,
                           .run = fill_part,
                           .context = &l});
    torus->value[0].re += theta->tau2;
    sk_kernel_free(kernel);
    return SUREKRIG_OK;
}

typedef struct spectrum {
    double smallest, largest, rms;
    double negative; /* mean of max(0, -lambda) */
} spectrum;

static spectrum spectrum_of(const sk_torus *torus)
{
    int64_t total = values(torus->size);
    spectrum s = {INFINITY, -INFINITY, 0, 0};
    for (int64_t k = 0; k < total; k++) {
        double lambda = torus->value[k].re;
        s.smallest = fmin(s.smallest, lambda);
        s.largest = fmax(s.largest, lambda);
        s.rms += lambda * lambda;
        s.negative += fmax(0, -lambda);
    }
    s.rms = sqrt(s.rms / (double)total);
    s.negative /= (double)total;
    return s;
}

/* Sets negatives that are round-off to zero. False: some are not. */
static bool nonnegative(sk_torus *torus, const spectrum *s)
{
    int64_t total = values(torus->size);
    double unit = DBL_EPSILON * log2((double)total);
    if (s->smallest < -unit * s->largest || s->negative > unit * s->rms)
        return false;
    for (int64_t k = 0; k < total; k++)
        torus->value[k].re = fmax(0, torus->value[k].re);
    return true;
}

void sk_torus_free(sk_torus *torus)
{
    if (!torus)
        return;
    free(torus->value);
    free(torus->roots);
    free(torus);
}

static sk_torus *torus_alloc(const int64_t size[SK_AXES], int threads)
{
    sk_torus *torus = sk_zeroed(1, sizeof *torus);
    if (!torus)
        return NULL;
    memcpy(torus->size, size, sizeof torus->size);
    torus->value = sk_alloc(values(size), sizeof *torus->value);
    int64_t longest = size[0] > size[1] ? size[0] : size[1];
    torus->roots = sk_fft_roots(longest > size[2] ? longest : size[2], threads);
    if (torus->value && torus->roots)
        return torus;
    sk_torus_free(torus);
    return NULL;
}

/* "n" for a line, "n0 x n1" for a plane. */
typedef struct label {
    char text[72];
} label;

static label label_of(int64_t d, const int64_t size[SK_AXES])
{
    label l = {""};
    size_t used = 0;
    for (int64_t a = SK_AXES - d; a < SK_AXES; a++)
        used += (size_t)snprintf(l.text + used, sizeof l.text - used, "%s%lld", used ? " x " : "", (long long)size[a]);
    return l;
}

/* The eigenvalues on a torus of this size. */
static surekrig_status torus_of_size(const sk_grid *grid, const surekrig_theta *theta, const int64_t size[SK_AXES],
                                     sk_torus **out, surekrig_error *error)
{
    sk_torus *torus = torus_alloc(size, grid->threads);
    if (!torus)
        return sk_fail_memory(error, (double)values(size) * sizeof(sk_complex), "the embedding of the grid");
    surekrig_status status = fill(grid, theta, torus, error);
    if (status) {
        sk_torus_free(torus);
        return status;
    }
    sk_fft(torus->roots, size, torus->value, grid->threads);
    *out = torus;
    return SUREKRIG_OK;
}

/* enough: the tau2 with which one of the embeddings would have done */
static surekrig_status no_torus(const sk_grid *grid, double enough, const int64_t first[SK_AXES],
                                const int64_t last[SK_AXES], const spectrum *s, surekrig_error *error)
{
    return sk_fail(error, SUREKRIG_NUMERIC,
                   "grid of %s points: its circulant embeddings, %s to %s values, all have negative eigenvalues, the "
                   "last down to %.2g of the largest; a shorter rho, a smaller nu or tau2 = %.3g would help, or "
                   "drawing up to %d points as scattered ones",
                   label_of(grid->d, grid->size).text, label_of(grid->d, first).text, label_of(grid->d, last).text,
                   s->smallest / s->largest, 1.01 * enough, SK_DENSE_LARGEST);
}

/* The smallest power of two >= 2(n - 1). */
static int64_t smallest_torus(int64_t n)
{
    int64_t m = 1;
    while (m < 2 * (n - 1))
        m *= 2;
    return m;
}

surekrig_status sk_torus_new(const sk_grid *grid, const surekrig_theta *theta, sk_torus **out, surekrig_error *error)
{
    int64_t first[SK_AXES], size[SK_AXES], last[SK_AXES];
    for (int a = 0; a < SK_AXES; a++)
        size[a] = first[a] = smallest_torus(grid->size[a] < grid->largest ? grid->size[a] : grid->largest);
    if ((double)size[0] * (double)size[1] * (double)size[2] > (double)grid->largest)
        return sk_fail(error, SUREKRIG_INVALID, "grid of %s points: its embedding would exceed %lld values (%.3g GB)",
                       label_of(grid->d, grid->size).text, (long long)grid->largest,
                       (double)grid->largest * sizeof(sk_complex) / 1e9);
    spectrum s = {0};
    double enough = INFINITY;
    while (values(size) <= grid->largest) {
        sk_torus *torus = NULL;
        surekrig_status status = torus_of_size(grid, theta, size, &torus, error);
        if (status)
            return status;
        s = spectrum_of(torus);
        if (nonnegative(torus, &s)) {
            *out = torus;
            return SUREKRIG_OK;
        }
        sk_torus_free(torus);
        enough = fmin(enough, theta->tau2 - s.smallest); /* tau2 lifts all eigenvalues alike */
        for (int a = 0; a < SK_AXES; a++) {
            last[a] = size[a];
            size[a] *= grid->size[a] > 1 ? 2 : 1; /* across a single point the field does not vary */
        }
    }
    return no_torus(grid, enough, first, last, &s, error);
}

typedef struct draw {
    sk_torus *torus;
    uint64_t seed;
} draw;

static void draw_part(void *context, int64_t begin, int64_t end, int worker)
{
    const draw *d = context;
    double total = (double)values(d->torus->size), pair[2];
    (void)worker;
    for (int64_t k = begin; k < end; k++) {
        double s = sqrt(d->torus->value[k].re / total);
        sk_normal_pair(d->seed, SK_STREAM_FIELD, (uint64_t)k, pair);
        d->torus->value[k] = (sk_complex){s * pair[0], s * pair[1]}; /* sqrt(lambda / N) (a + i b) */
    }
}

void sk_torus_draw(sk_torus *torus, uint64_t seed, int threads)
{
    draw d = {torus, seed};
    sk_parallel(
        &(sk_task){.count = values(torus->size), .grain = GRAIN, .threads = threads, .run = draw_part, .context = &d});
    sk_fft(torus->roots, torus->size, torus->value, threads);
}
