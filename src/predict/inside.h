/* What the files of this room share. */
#ifndef SK_PREDICT_INSIDE_H
#define SK_PREDICT_INSIDE_H

#include "predict/predict.h"

/* ---- many ranks: who shares the kriging, and whether they ask the same now */

static inline const sk_ranks *sk_sharers(const surekrig_model *m)
{
    return m->sharers ? &m->sharers->link : sk_ranks_of(&m->data);
}

/* Some milliseconds of a processor, for n points with k neighbours: else messages would take longer. */
static inline bool sk_is_worth_sharing(int64_t n, int64_t k)
{
    enum { COVARIANCES = 1 << 21 };
    return n * k * k >= COVARIANCES;
}

static inline bool sk_shares(const surekrig_model *m, const surekrig_neighborhoods *at)
{
    return m->sharers ? !m->sharers->apart && sk_is_worth_sharing(at->n, at->k) : sk_in_common(&m->data);
}

/* From now on each rank asks its own, or all ask the same again. */
static inline void sk_part_ways(const surekrig_model *m, bool apart)
{
    surekrig_ranks *ranks = m->sharers ? m->sharers : m->data.ranks;
    if (ranks)
        ranks->apart = apart;
}

/* Does the variance follow what neighbours say of it? */
static inline bool sk_any_local(const surekrig_model *m)
{
    return m->widths.local || (m->partner && m->partner->widths.local);
}

/* ---- lattice.c, cells.c, blur.c, nodes.c: nodes, whose neighbourhoods places share */

bool sk_has_nodes(const surekrig_model *model);
int64_t sk_nodes_neighbors(const surekrig_model *model);                              /* of a node */
void sk_lattice_at(const surekrig_model *model, const double *place, double u[2]);    /* in units of the pitch */
void sk_lattice_place(const surekrig_model *model, const double u[2], double *place); /* and back */
bool sk_in_lattice(const double u[2]);
/* Finds the nodes of the block's first count places, then kriges these, but for those that are to be kriged alone: alone
 * [count]. Places of one cell should follow one another: order [n] of n places by sk_nodes_order. */
surekrig_status sk_nodes_find(sk_block *block, int64_t count, sk_wanted wanted, bool *alone, surekrig_error *error);
surekrig_status sk_nodes_krige(sk_block *block, int64_t count, sk_wanted wanted, surekrig_error *error);
void sk_nodes_free(struct sk_found *nodes); /* accepts NULL */
/* Whether none of the first `fence` rows is among the nodes' neighbours, and whether the place's own are what counts. */
typedef struct sk_within {
    bool within, alone;
} sk_within;
surekrig_status sk_nodes_within(sk_block *block, int64_t count, int64_t fence, sk_within *of, surekrig_error *error);
surekrig_status sk_nodes_order(const surekrig_model *model, int64_t n, const double *place, int64_t *order,
                               surekrig_error *error);

/* ---- block.c, ahead.c: blocks one after another */

surekrig_status sk_block_beside(const sk_block *of, int64_t capacity, sk_block *block,
                                surekrig_error *error); /* with the machine of another */

typedef struct sk_blocks {
    void *work; /* for the three functions, which have block i to do */
    int64_t count;
    surekrig_status (*find)(void *work, sk_block *block, int64_t i, surekrig_error *error); /* what is needed for it */
    /* Perhaps on another thread, while the next is found; ticker: or NULL. */
    surekrig_status (*krige)(void *work, sk_block *block, int64_t i, sk_ticker *ticker, surekrig_error *error);
    void (*write)(void *work, const sk_block *block, int64_t i);
    sk_ticker *ticker;
    double from, span; /* of its phase */
} sk_blocks;
surekrig_status sk_blocks_run(const sk_blocks *blocks, sk_block *block, surekrig_error *error);

/* ---- predict.c: points, and what cannot be asked of them */

/* note: NULL, or [n][2] for a rank's own points: jitter of each, and whether it is beyond what was seen. */
surekrig_status sk_predict_here(const surekrig_model *model, const surekrig_query *query,
                                const surekrig_progress *progress, surekrig_prediction *made, double *note,
                                surekrig_error *error);
/* apart.c: points of each rank's own, predicted where they lie. */
surekrig_status sk_predict_apart(const surekrig_model *model, const surekrig_query *query,
                                 const surekrig_progress *progress, surekrig_prediction *made, surekrig_error *error);
surekrig_status sk_query_check(const surekrig_model *model, const surekrig_query *query, surekrig_error *error);

/* ---- what validate.c leaves out: groups of own rows */

/* Rows that are predicted: of all ranks, and this one's, by where they are held. */
typedef struct sk_own_rows {
    int64_t all, own;
    int64_t *row; /* [own], increasing */
} sk_own_rows;

/* group: [own rows], to be freed: those given, the model's own where `by` is its setting, or rows alike in features. */
surekrig_status sk_rows_by(const surekrig_model *model, const surekrig_validation *how, int64_t **group,
                           surekrig_error *error);
/* Rows after a time are group 1, the others 0; and those, into rows, which have room for all own. */
surekrig_status sk_rows_after(const surekrig_model *model, double after, int64_t *group, sk_own_rows *rows,
                              surekrig_error *error);
/* blocks.c: so many compact ones. */
surekrig_status sk_rows_blocks(const surekrig_model *model, int64_t blocks, int64_t *group, surekrig_error *error);

/* ---- columns.c: what is said of a row, on its way between an array of each kind and records of all */

int64_t sk_columns_width(int columns,
                         const sk_shared *column); /* numbers of a row; a column without a value has none */
/* Into the records, or out of them. record: of the first row, where its columns begin; they lie stride numbers apart. */
typedef struct sk_laid {
    int64_t n, stride;
    double *record;
} sk_laid;
void sk_columns_pack(int columns, const sk_shared *column, sk_laid to);
void sk_columns_unpack(int columns, const sk_shared *column, sk_laid from);

/* ---- validated.c: what was found of rows. Only what is not NULL is filled in or goes anywhere */

/* Room for what is wanted, of so many rows. To be freed also after a failure. */
surekrig_status sk_validated_new(const surekrig_model *model, const surekrig_validated *wanted, int levels,
                                 int64_t rows, surekrig_validated *room, surekrig_error *error);
void sk_validated_free(surekrig_validated *room);
/* Which rows they are, with their features and responses. */
void sk_validated_rows(const surekrig_model *model, const sk_own_rows *rows, surekrig_validated *of);
/* Each rank's slice becomes everyone's, as by sk_share. */
surekrig_status sk_validated_share(const surekrig_model *model, surekrig_validated *of, int levels, int64_t rows,
                                   surekrig_status status, surekrig_error *error);
/* What each rank found of its own rows goes to where they came from; mine is freed. */
surekrig_status sk_validated_to_file(const surekrig_model *model, surekrig_validated *mine, int levels,
                                     surekrig_validated *out, surekrig_error *error);

#endif
