#include "floors.h"

#include "base/base.h"
#include "bench.h"

#include <stdlib.h>

#define DECLARE(isa)                                                                                                   \
    double bench_fma_##isa(int64_t steps, double factor, double term);                                                 \
    double bench_gather_##isa(int64_t steps, const double *table, int64_t buckets, const int64_t *bucket);             \
    double bench_load_##isa(int64_t steps, const double *table, int64_t buckets, const int64_t *bucket);
SK_EACH_ISA(DECLARE)

typedef struct loops {
    const char *name;
    int lanes, chains;
    double (*fma)(int64_t steps, double factor, double term);
    double (*gather)(int64_t steps, const double *table, int64_t buckets, const int64_t *bucket);
    double (*load)(int64_t steps, const double *table, int64_t buckets, const int64_t *bucket);
} loops;

enum { LANES_avx512 = 8, LANES_avx2 = 4, LANES_portable = 2, CHAINS = 12 };
#define ROW(isa) {#isa, LANES_##isa, CHAINS, bench_fma_##isa, bench_gather_##isa, bench_load_##isa},
static const loops LOOPS[] = {SK_EACH_ISA(ROW)};

enum { STEPS = 20000, BUCKETS = 512 }; /* a table of 20 KiB stays in the first cache */

typedef struct job {
    const loops *loop;
    double *table, sink;
    int64_t *bucket; /* [VALUES] */
} job;
enum { VALUES = 4096 };

static void multiply(void *context)
{
    job *j = context;
    j->sink += j->loop->fma(STEPS, 0.999, 1e-3);
}

static void gather(void *context)
{
    job *j = context;
    j->sink += j->loop->gather(VALUES / j->loop->lanes, j->table, BUCKETS, j->bucket);
}

static void load(void *context)
{
    job *j = context;
    j->sink += j->loop->load(VALUES / j->loop->lanes, j->table, BUCKETS, j->bucket);
}

bench_floor bench_floor_of(sk_isa isa)
{
    job j = {.loop = &LOOPS[isa], .table = bench_doubles(BENCH_LOOKUP_GATHERS * BUCKETS),
             .bucket = (int64_t *)bench_doubles(VALUES)};
    for (int i = 0; i < BENCH_LOOKUP_GATHERS * BUCKETS; i++)
        j.table[i] = 1 + i;
    for (int i = 0; i < VALUES; i++)
        j.bucket[i] = (int64_t)(BUCKETS * sk_uniform(1, 1, (uint64_t)i));
    bench_floor floor = {
        .name = j.loop->name,
        .flops = 2.0 * j.loop->lanes * j.loop->chains * STEPS / bench_seconds(multiply, &j),
        .gather = bench_seconds(gather, &j) / VALUES,
        .load = bench_seconds(load, &j) / VALUES,
    };
    free(j.table);
    free(j.bucket);
    return floor;
}

double bench_lookup(bench_floor floor)
{
    return floor.gather < floor.load ? floor.gather : floor.load;
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
