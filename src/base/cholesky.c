/* A = U'U by rows of U, right-looking: after row j is final,  a_i -= u_ji u_j  for every later row i.
 * Rows are contiguous, so the updates are plain vector loops; four rows of U are applied at a time, and in blocks of
 * BLOCK rows and TILE columns, so that a large matrix is read from cache. Each element sees its updates in the order of
 * j whatever the blocking and the threads: the bits depend on neither. */
#include "base/base.h"

#include <math.h>

enum { BLOCK = 64, TILE = 512 };

/* Rows j0..j1-1 of U, of the given width. */
typedef struct panel {
    double *a; /* the whole matrix */
    int64_t width, j0, j1;
} panel;

/* Applies the panel to columns from..to-1 of row i:  a_i -= sum over its j of u_ji u_j. */
static void apply(const panel *p, int64_t i, int64_t from, int64_t to)
{
    int64_t j = p->j0, width = p->width;
    double *restrict row = p->a + i * width;
    for (; j + 4 <= p->j1; j += 4) {
        const double *u0 = p->a + j * width, *u1 = u0 + width, *u2 = u1 + width, *u3 = u2 + width;
        double f0 = u0[i], f1 = u1[i], f2 = u2[i], f3 = u3[i];
        for (int64_t c = from; c < to; c++)
            row[c] = row[c] - f0 * u0[c] - f1 * u1[c] - f2 * u2[c] - f3 * u3[c];
    }
    for (; j < p->j1; j++) {
        const double *u = p->a + j * width;
        double f = u[i];
        for (int64_t c = from; c < to; c++)
            row[c] -= f * u[c];
    }
}

/* Makes the panel's rows final, given that all earlier rows have been applied to them. */
static int64_t finish_rows(const panel *p, double smallest)
{
    for (int64_t j = p->j0; j < p->j1; j++) {
        double *row = p->a + j * p->width;
        apply(&(panel){p->a, p->width, p->j0, j}, j, j, p->width);
        if (!(row[j] > smallest) || !isfinite(row[j]))
            return j + 1;
        double u = sqrt(row[j]);
        row[j] = u;
        for (int64_t c = j + 1; c < p->width; c++)
            row[c] /= u;
    }
    return 0;
}

static void update_trailing(void *context, int64_t begin, int64_t end, int worker)
{
    const panel *p = context;
    (void)worker;
    for (int64_t tile = p->j1; tile < p->width; tile += TILE)
        for (int64_t i = p->j1 + begin; i < p->j1 + end; i++) {
            int64_t to = tile + TILE < p->width ? tile + TILE : p->width;
            if (to > i)
                apply(p, i, tile > i ? tile : i, to);
        }
}

int64_t sk_cholesky(int64_t n, int64_t width, double *a, double smallest, int threads)
{
    for (int64_t j = 0; j < n; j += BLOCK) {
        panel p = {a, width, j, j + BLOCK < n ? j + BLOCK : n};
        int64_t failed = finish_rows(&p, smallest);
        if (failed)
            return failed;
        if (p.j1 < n)
            sk_parallel(&(sk_task){.count = n - p.j1,
                                   .grain = 16,
                                   .threads = n < 512 ? 1 : threads,
                                   .run = update_trailing,
                                   .context = &p});
    }
    return 0;
}

void sk_solve_lower(int64_t n, int64_t width, const double *u, double *b)
{
    for (int64_t j = 0; j < n; j++) {
        const double *row = u + j * width;
        b[j] /= row[j];
        for (int64_t i = j + 1; i < n; i++)
            b[i] -= b[j] * row[i];
    }
}
