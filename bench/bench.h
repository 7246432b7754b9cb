/* What the drivers share: a clock that repeats, points to work on, models of them, and the back ends that are here. A
 * driver writes Markdown to standard output; whatever goes wrong ends it with a sentence. */
#ifndef BENCH_H
#define BENCH_H

#include "surekrig.h"

#include <stdbool.h>
#include <stdint.h>

enum { BENCH_BATCH = 1024, BENCH_NEIGHBORS = 50 };

/* Seconds of one call: the fastest of several runs, short work repeated within each; slow work runs once more only.
 * The fastest, for what else goes on in the machine only ever adds. */
double bench_seconds(void (*work)(void *context), void *context);

/* Runs the work in a process of its own, whose crash or memory is not ours; false where it ended badly. */
bool bench_apart(void (*work)(void *context, double *result), void *context, int count, double *result);
double bench_peak_bytes(void); /* of this process so far */

/* The k-th of the back ends this machine has, fastest first; NULL past the last. */
const char *bench_backend(int number);

/* ---- points: the caller frees them with bench_free */

surekrig_data bench_points(int64_t n, int64_t d); /* uniform in a cube, with a smooth noisy response */
surekrig_data bench_read(const char *path);       /* a CSV whose last column is the response */
void bench_free(surekrig_data *data);
double *bench_doubles(int64_t count);

/* ---- models */

typedef struct bench_choice {
    const char *backend;
    double nu; /* 0: searched */
    int64_t neighbors, batch;
    int evaluations, threads; /* threads 0: all */
} bench_choice;

/* Trained by an initial design alone: each evaluation costs what it costs in training, and nothing else is paid for. */
surekrig_model *bench_fit(const surekrig_data *data, bench_choice choice);
double bench_phase(const surekrig_model *model, const char *name); /* seconds */
double bench_objective(const surekrig_model *model);               /* seconds of one evaluation */
/* Seconds of the means and standard deviations at x [n][d], neighbours included. */
double bench_predict(const surekrig_model *model, int64_t n, const double *x, int threads);

/* Floating-point operations of a Cholesky factorisation and two solves, and Matérn values of one neighbourhood. */
double bench_flops(double k);
double bench_values(double k);

#endif
