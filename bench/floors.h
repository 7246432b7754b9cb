/* The floors: what one core of this machine gives a loop that does nothing else. */
#ifndef BENCH_FLOORS_H
#define BENCH_FLOORS_H

#include "base/simd.h"

enum { BENCH_WORDS = 4 }; /* of a table lookup, as in kernel/inside.h */

typedef struct bench_floor {
    const char *name; /* of the instruction set */
    double flops;     /* a second: a vector multiply-add counts two a lane */
    /* Seconds of a table lookup: by gather instructions, by single loads, by whole buckets that are transposed. */
    double gather, load, whole;
} bench_floor;

bench_floor bench_floor_of(sk_isa isa);
double bench_lookup(bench_floor floor); /* by the fastest way */
/* Seconds that k neighbours must cost one core: factorisation at the peak, and Matérn values by nothing but lookups. */
double bench_point_floor(bench_floor floor, double k);
double bench_bandwidth(int threads); /* bytes a second read from memory */

/* ---- floor.simd.c, once per instruction set */

typedef double bench_fma_loop(int64_t steps, double factor, double term);
/* bucket: [steps * lanes] numbers of buckets in a table of that many, aligned as a cache line. */
typedef double bench_lookup_loop(int64_t steps, const double *table, int64_t buckets, const int64_t *bucket);

typedef struct bench_loops {
    const char *name;
    int lanes, chains;
    bench_fma_loop *fma;
    bench_lookup_loop *gather, *load, *whole;
} bench_loops;

#define BENCH_DECLARE_LOOPS(isa) extern const bench_loops bench_loops_##isa;
SK_EACH_ISA(BENCH_DECLARE_LOOPS)

#endif
