#include "floors.h"

#include "base/base.h"
#include "bench.h"

#include <math.h>
#include <stdlib.h>

#define ADDRESS(isa) &bench_loops_##isa,
static const bench_loops *const LOOPS[] = {SK_EACH_ISA(ADDRESS)};

enum { STEPS = 20000, VALUES = 4096, BUCKETS = 512 }; /* a table of 16 KiB stays in the first cache */

typedef struct job {
    const bench_loops *loops;
    bench_lookup_loop *lookup; /* the one in question */
    _Alignas(64) double table[BUCKETS * BENCH_WORDS];
    int64_t bucket[VALUES];
    double sink;
} job;

static void multiply(void *context)
{
    job *j = context;
    j->sink += j->loops->fma(STEPS, 0.999, 1e-3);
}

static void look_up(void *context)
{
    job *j = context;
    j->sink += j->lookup(VALUES / j->loops->lanes, j->table, BUCKETS, j->bucket);
}

static double seconds_of(job *j, bench_lookup_loop *lookup)
{
    j->lookup = lookup;
    return bench_seconds(look_up, j) / VALUES;
}

bench_floor bench_floor_of(sk_isa isa)
{
    static job j;
    const bench_loops *loops = j.loops = LOOPS[isa];
    for (int i = 0; i < BUCKETS * BENCH_WORDS; i++)
        j.table[i] = 1 + i;
    for (int i = 0; i < VALUES; i++)
        j.bucket[i] = (int64_t)(BUCKETS * sk_uniform(1, 1, (uint64_t)i));
    double flops = 2.0 * loops->lanes * loops->chains * STEPS;
    return (bench_floor){loops->name, flops / bench_seconds(multiply, &j), seconds_of(&j, loops->gather),
                         seconds_of(&j, loops->load), seconds_of(&j, loops->whole)};
}

double bench_lookup(bench_floor floor)
{
    return fmin(floor.gather, fmin(floor.load, floor.whole));
}

double bench_point_floor(bench_floor floor, double k)
{
    return bench_flops(k) / floor.flops + bench_values(k) * bench_lookup(floor);
}

/* ---- memory */

enum { PIECES = 64 };

typedef struct memory {
    int64_t n;
    int threads;
    const double *value;
    double sum[PIECES];
} memory;

static void read_piece(void *context, int64_t begin, int64_t end, int worker)
{
    memory *m = context;
    double part[16] = {0};
    (void)worker;
    for (int64_t i = begin * (m->n / PIECES); i < end * (m->n / PIECES); i += 16)
        for (int c = 0; c < 16; c++)
            part[c] += m->value[i + c];
    for (int c = 0; c < 16; c++)
        m->sum[begin] += part[c];
}

static void read_all(void *context)
{
    memory *m = context;
    sk_parallel(&(sk_task){.count = PIECES, .grain = 1, .threads = m->threads, .run = read_piece, .context = m});
}

double bench_bandwidth(int threads)
{
    memory m = {.n = 1 << 25, .threads = threads}; /* 256 MiB: more than any cache */
    double *value = bench_doubles(m.n);
    for (int64_t i = 0; i < m.n; i++)
        value[i] = 1;
    m.value = value;
    double bytes = 8.0 * (double)m.n / bench_seconds(read_all, &m);
    free(value);
    return bytes;
}
