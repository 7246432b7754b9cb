/* The floors: what one core of this machine gives a loop that does nothing else. */
#ifndef BENCH_FLOORS_H
#define BENCH_FLOORS_H

#include "base/simd.h"

#define BENCH_LOOKUP_GATHERS 5 /* coefficients fetched for a Matérn value */

typedef struct bench_floor {
    const char *name;      /* of the instruction set */
    double flops;          /* a second: a vector multiply-add counts two a lane */
    double gather, load;   /* seconds of a table lookup by gather instructions, and by single loads */
} bench_floor;

bench_floor bench_floor_of(sk_isa isa);
double bench_lookup(bench_floor floor); /* the faster way */
/* Seconds that k neighbours must cost one core: factorisation at the peak, and Matérn values by nothing but lookups. */
double bench_point_floor(bench_floor floor, double k);
double bench_bandwidth(int threads); /* bytes a second read from memory */

#endif
