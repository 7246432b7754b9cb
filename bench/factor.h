/* The factorisations of the back ends, each apart from the rest of its work. */
#ifndef BENCH_FACTOR_H
#define BENCH_FACTOR_H

#include "base/simd.h"

typedef struct bench_factoring bench_factoring;

typedef struct bench_factor {
    const char *name;
    int matrices;                                     /* that a run factors */
    bench_factoring *(*open)(int k, const double *a); /* a: [k][k + 2], two right-hand sides as its last columns */
    void (*run)(bench_factoring *factoring, bool copy_alone); /* copies what open was given, and factors it */
    double (*check)(const bench_factoring *factoring);        /* |L^-1 b|^2 of the first right-hand side */
    void (*close)(bench_factoring *factoring);
} bench_factor;

#define BENCH_DECLARE_FACTOR(isa) extern const bench_factor bench_factor_##isa;
SK_EACH_ISA(BENCH_DECLARE_FACTOR)

#endif
