/* A = U'U by rows of U, right-looking: after row j is final,  a_i -= u_ji u_j  for every later row i.
 * Rows are contiguous, so the updates are plain vector loops; four rows of U are applied at a time, and in blocks of
 * BLOCK rows and TILE columns, so that a large matrix is read from cache. Each element sees its updates in the order of
 * j whatever the blocking and the threads: the bits depend on neither. */
#include "base/base.h"

#include <math.h>

enum { BLOCK = 64, TILE = 512 };

/* row[from..to) -= sum over j in [j0, j1) of u_j[pivot] u_j[from..to). */
static void subtract_rows(double *restrict row, const double *restrict a, int64_t width, int64_t pivot,
                          const int64_t j01[2], int64_t from, int64_t to)
{
    int64_t j = j01[0];
    for (; j + 4 <= j01[1]; j += 4) {
        const double *u0 = a + j * width, *u1 = u0 + width, *u2 = u1 + width, *u3 = u2 + width;
        double f0 = u0[pivot], f1 = u1[pivot], f2 = u2[pivot], f3 = u3[pivot];
        for (int64_t c = from; c < to; c++)
            row[c] = row[c] - f0 * u0[c] - f1 * u1[c] - f2 * u2[c] - f3 * u3[c];
    }
    for (; j < j01[1]; j++) {
        const double *u = a + j * width;
        double f = u[pivot];
        for (int64_t c = from; c < to; c++)
            row[c] -= f * u[c];
    }
}

/* Makes rows j0..j1-1 final, given that all earlier rows have been applied to them. */
static int64_t finish_rows(int64_t width, double *a, const int64_t j01[2], double smallest)
{
    for (int64_t j = j01[0]; j < j01[1]; j++) {
        double *row = a + j * width;
        subtract_rows(row, a, width, j, (int64_t[2]){j01[0], j}, j, width);
        if (!(row[j] > smallest) || !isfinite(row[j]))
            return j + 1;
        double u = sqrt(row[j]);
        row[j] = u;
        for (int64_t c = j + 1; c < width; c++)
            row[c] /= u;
    }
    return 0;
}

typedef struct trailing {
    int64_t n, width, j01[2];
    double *a;
} trailing;

static void update_trailing(void *context, int64_t begin, int64_t end, int worker)
{
    trailing *t = context;
    (void)worker;
    for (int64_t tile = t->j01[1]; tile < t->width; tile += TILE)
        for (int64_t i = t->j01[1] + begin; i < t->j01[1] + end; i++) {
            int64_t to = tile + TILE < t->width ? tile + TILE : t->width;
            if (to > i)
                subtract_rows(t->a + i * t->width, t->a, t->width, i, t->j01, tile > i ? tile : i, to);
        }
}

int64_t sk_cholesky(int64_t n, int64_t width, double *a, double smallest, int threads)
{
    for (int64_t j = 0; j < n; j += BLOCK) {
        trailing t = {n, width, {j, j + BLOCK < n ? j + BLOCK : n}, a};
        int64_t failed = finish_rows(width, a, t.j01, smallest);
        if (failed)
            return failed;
        if (t.j01[1] < n)
            sk_parallel(&(sk_task){.count = n - t.j01[1], .grain = 16, .threads = n < 512 ? 1 : threads,
                                   .run = update_trailing, .context = &t});
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

void sk_solve_upper(int64_t n, int64_t width, const double *u, double *b)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        const double *row = u + i * width;
        for (int64_t j = i + 1; j < n; j++)
            b[i] -= row[j] * b[j];
        b[i] /= row[i];
    }
}
