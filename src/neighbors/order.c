/* Points by the small node of the tree that they are in, for the caches and guesses of who asks for them in turn. */
#include "neighbors/search.h"

#include <stdlib.h>
#include <string.h>

#define FIND_HOMES(isa) sk_find_homes_##isa,
static sk_find_homes *const FIND[] = {SK_EACH_ISA(FIND_HOMES)};

typedef struct finding {
    const surekrig_index *index;
    const double *x;
    double *scratch; /* [threads][d] */
    uint32_t *home;  /* [n] */
    sk_find_homes *find;
} finding;

static void run(void *context, int64_t begin, int64_t end, int worker)
{
    finding *h = context;
    int64_t d = h->index->d;
    h->find(h->index, h->x + begin * d, end - begin, h->scratch + worker * d, h->home + begin);
}

/* A counting sort: those of a home in the order in which they came. bin: [bins + 1] zeros. */
static void sort(const uint32_t *home, int64_t n, int shift, int64_t bins, int64_t *bin, int64_t *order)
{
    for (int64_t i = 0; i < n; i++)
        bin[(home[i] >> shift) + 1]++;
    for (int64_t b = 0; b < bins; b++)
        bin[b + 1] += bin[b];
    for (int64_t i = 0; i < n; i++)
        order[bin[home[i] >> shift]++] = i;
}

surekrig_status sk_index_order(const surekrig_index *index, int64_t n, const double *x, int threads, int64_t *order,
                               surekrig_error *error)
{
    int64_t homes = index->levels > 1 ? index->width[2] : 1, bins;
    int shift = 0;
    while ((bins = ((homes - 1) >> shift) + 1) > n && bins > 1) /* no more bins than points */
        shift++;
    threads = sk_threads(threads);
    finding h = {index, x, sk_doubles(threads * index->d), sk_alloc(n, sizeof(uint32_t)), FIND[sk_isa_best()]};
    int64_t *bin = sk_zeroed(bins + 1, sizeof *bin);
    surekrig_status status = SUREKRIG_OK;
    if (h.scratch && h.home && bin) {
        sk_parallel(&(sk_task){.count = n, .grain = 1024, .threads = threads, .run = run, .context = &h});
        sort(h.home, n, shift, bins, bin, order);
    } else {
        status = sk_fail_memory(error, 12.0 * (double)n, "the order of a search");
    }
    free(h.scratch);
    free(h.home);
    free(bin);
    return status;
}
