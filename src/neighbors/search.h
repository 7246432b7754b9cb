/* A batch of questions and the searches for it, one per instruction set. */
#ifndef SK_SEARCH_H
#define SK_SEARCH_H

#include "neighbors/tree.h"

typedef struct sk_batch {
    const surekrig_index *index;
    const surekrig_neighbor_query *query;
    const int64_t *order;      /* [query->n] in which to answer, or NULL */
    int64_t *neighbor, *count; /* as surekrig_neighbors */
    int together;              /* questions that one worker may ask at once, at most SK_TOGETHER */
    double *scratch;           /* [threads][together][sk_search_scratch()] */
    const sk_part_asked *part; /* NULL: all of it */
} sk_batch;

enum {
    SK_SLACK = 128,    /* candidates beyond twice k */
    SK_HOME_LEVEL = 2, /* 1024 points: they stay in the nearest cache while their neighbours are asked for */
    SK_TOGETHER = 16,
    SK_CACHED = 1 << 20 /* bytes */
};

/* How many of the nearest are looked for first: what sectors want is often not far behind the k-th. */
static inline int64_t sk_nearest_first(const surekrig_index *index, const surekrig_neighbor_query *query)
{
    return query->sectors && query->k >= sk_sectors(index->d) ? query->k + query->k / 2 : query->k;
}

/* The nearest of a sector beyond the k nearest of all: [quota] squares and places, in order, among the spare ones. */
typedef struct sk_sector {
    double bound;       /* squares above it are of no use; negative: it wants nothing */
    uint32_t worst_row; /* nor is a square equal to it with a greater row */
    int64_t among;      /* how many of the k nearest of all are in this sector */
    int64_t want, have; /* beyond them */
} sk_sector;

int64_t sk_search_scratch(const surekrig_index *index, const surekrig_neighbor_query *query); /* in doubles */

/* Answers the questions begin .. end-1 of the order. */
typedef void sk_search(const sk_batch *batch, int64_t begin, int64_t end, double *scratch);
/* home: [n] the number of the node of SK_HOME_LEVEL around or nearest to each point. */
typedef void sk_find_homes(const surekrig_index *index, const double *x, int64_t n, double *scratch, uint32_t *home);

#define SK_DECLARE_SEARCH(isa)                                                                                         \
    sk_search sk_search_##isa;                                                                                         \
    sk_find_homes sk_find_homes_##isa;
SK_EACH_ISA(SK_DECLARE_SEARCH)
#undef SK_DECLARE_SEARCH

#endif
