/* Ranks: processes that run the same program on parts of the same rows, and take the same decisions from the same
 * numbers. What they say to one another goes through two functions, for which mpi/ has MPI's; a process alone has its
 * own here, so that nothing else knows how many there are. */
#ifndef SK_RANKS_H
#define SK_RANKS_H

#include "base/base.h"

/* Every rank calls each of these in the same order. What cannot be told to the caller, for want of some bytes, ends all
 * ranks. */
typedef struct sk_ranks {
    int rank, size;
    void *with; /* the transport's own */
    /* all: what each rank gives, one after another; bytes: [size] how much each does. */
    void (*gather)(const struct sk_ranks *ranks, const void *own, const int64_t *bytes, void *all);
    /* out: what goes to each rank, one after another, in: what comes; bytes: [size] of each. */
    void (*exchange)(const struct sk_ranks *ranks, const void *out, const int64_t *out_bytes, void *in,
                     const int64_t *in_bytes);
    void (*fail)(const struct sk_ranks *ranks, const char *sentence); /* ends all ranks; does not return */
} sk_ranks;

/* What surekrig_data points to. A caller's has the link alone; that of a model knows its rows (spread/). A row is known
 * by its place among those that are held here: own rows first, in the file's order, then others' that were fetched. */
struct surekrig_ranks {
    sk_ranks link;
    void (*dealt)(void *of); /* of a caller's, or NULL: rows that it gave are not needed any more */
    void *giver;             /* for it */
    int64_t own, held;       /* rows */
    int64_t kept;            /* the first so many stay when rows are forgotten */
    int64_t forgotten;       /* how often rows were; then new ones come to their places, */
    int64_t least;           /* of which the first was this one, of all these times */
    int64_t *number;         /* [held] in the file, from 0 */
    bool apart;              /* ranks ask questions of their own now; else all ask the same */
    bool alike;              /* each has all rows, as one process: only what is kriged is shared out */
    struct sk_rows *rows;
    /* Values of own rows to where the rows came from, there in the file's order; to be freed, NULL: no memory. */
    double *(*to_file)(const struct sk_rows *rows, const double *value, int64_t stride);
    int64_t came; /* rows from here: of the file, each rank has had the next */
};

bool sk_is_spread(const surekrig_data *data);              /* ranks have parts of the rows */
const sk_ranks *sk_ranks_of(const surekrig_data *data);    /* those that have parts; else one */
int64_t sk_own(const surekrig_data *data);                 /* rows, which come first */
int64_t sk_held(const surekrig_data *data);                /* rows that can be looked at */
int64_t sk_number(const surekrig_data *data, int64_t row); /* in the file */
/* A column of x or y in the file's order, as far as its rows came from here. */
typedef struct sk_column {
    int64_t n;
    const double *value;
    int64_t stride;
    double *made; /* to be freed, or NULL */
} sk_column;
sk_column sk_file_column(const surekrig_data *data, const double *value, int64_t stride);

surekrig_status sk_refuse_many(const surekrig_data *data, const char *what, surekrig_error *error); /* if there are */
/* Each rank's status becomes that of the first that failed, and its sentence. */
surekrig_status sk_agree(const sk_ranks *ranks, surekrig_status status, surekrig_error *error);
/* Likewise of the rank that failed at the least number. */
surekrig_status sk_agree_least(const sk_ranks *ranks, surekrig_status status, int64_t number, surekrig_error *error);
/* What the first rank says, such as of its clock, which others' differ from; of NULL or ranks apart, what this one
 * says. */
bool sk_first_says(const surekrig_ranks *of, bool own);
int64_t sk_at_once(const sk_ranks *ranks); /* things that each rank tells all, lest what comes be large */
void sk_least(const sk_ranks *ranks, int64_t n, double *value); /* of all ranks, number by number */
void sk_most(const sk_ranks *ranks, int64_t n, double *value);
void sk_add(const sk_ranks *ranks, int64_t n, double *value); /* whole numbers up to 2^53 */
int64_t sk_sum(const sk_ranks *ranks, int64_t value);
int64_t sk_before(const sk_ranks *ranks, int64_t value); /* the sum of those of the ranks before this one */
/* One rank after another adds its own to the values: sums in the file's order, whoever holds what of it. */
void sk_in_turn(const sk_ranks *ranks, void (*add)(void *context, double *value), void *context, int64_t n,
                double *value);
/* Of n numbers, or rows of them, each rank makes a slice, from its first to that of the next; all then have all. */
bool sk_in_common(const surekrig_data *data); /* ranks work on the same points now */
int64_t sk_slice(const sk_ranks *ranks, int64_t n, int rank);
typedef struct sk_shared {
    double *value; /* [n][width]; NULL: nothing */
    int64_t width;
} sk_shared;
/* In one message; no value counts where a rank has failed: the status is then that of the first, as of sk_agree. */
surekrig_status sk_share(const sk_ranks *ranks, int64_t n, int parts, const sk_shared *part, surekrig_status status,
                         surekrig_error *error);
/* What all ranks give, one after another, to be freed; bytes: [size], out. NULL: no memory. */
void *sk_gather(const sk_ranks *ranks, const void *own, int64_t count, int64_t *bytes);
/* Likewise what others have for this rank: out_bytes [size] to each. */
void *sk_exchange(const sk_ranks *ranks, const void *out, const int64_t *out_bytes, int64_t *in_bytes);

#endif
