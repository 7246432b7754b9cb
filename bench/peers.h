/* The libraries beside which the stages are timed. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#ifdef __cplusplus
extern "C" {
#endif

double bench_boost_bessel_k(double nu, double u); /* boost.cpp */
const char *bench_boost_version(void);

#ifdef __cplusplus
}
#endif

/* ---- openblas.c: the library is opened by path, for it would replace the LAPACK of the tests if linked */

typedef struct bench_openblas {
    char core[32];  /* the core type it worked as */
    double seconds; /* of dpotrf and dtrtrs with two right-hand sides; infinite where the library is not there */
} bench_openblas;

/* The fastest of its core types on this machine, one thread. */
bench_openblas bench_openblas_cholesky(int k);
const char *bench_openblas_path(void); /* NULL: not installed */

/* K = exp(-|i - c|/10) + I with two columns of ones beside it, [k][k + 2]; the caller frees it. */
double *bench_covariance(int k);

#endif
