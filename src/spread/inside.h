/* What the files of this room share. */
#ifndef SK_SPREAD_INSIDE_H
#define SK_SPREAD_INSIDE_H

#include "spread/spread.h"

/* A row on its way: number, group, place and noise, then x and y. */
typedef union sk_word {
    int64_t count;
    double value;
} sk_word;

enum { SK_ROW_HEAD = 4 };

struct sk_rows {
    surekrig_ranks of; /* what data point to */
    int owners;
    int64_t n, d, l;
    double *x, *y, *noise; /* [held], as in surekrig_data; noise and group may be NULL */
    int64_t *group;
    int64_t *place; /* [held] the number of the first row at each one's; NULL: no two share one */
    sk_repeats places;
    bool looked;            /* for these */
    int64_t room;           /* a power of two */
    struct sk_homes *homes; /* of the tree of all rows, in the frame that was last asked for (order.c); may be NULL */
    uint32_t *table;        /* [room] rows fetched, by the hash of their numbers, from 1; 0: none */
};

int64_t sk_rows_at_once(const sk_ranks *ranks); /* that a rank sends: all may send theirs to one */
double *sk_rows_to_file(const struct sk_rows *rows, const double *value, int64_t stride); /* file.c */
int64_t sk_row_words(const struct sk_rows *rows);                                         /* of a row on its way */
void sk_row_pack(const struct sk_rows *rows, int64_t row, sk_word *to);
int64_t sk_row_find(const struct sk_rows *rows, int64_t number); /* -1: not held */
/* The row, held from now on; -1: no memory. */
int64_t sk_row_add(struct sk_rows *rows, const sk_word *from);
void sk_row_put(struct sk_rows *rows, int64_t row, const sk_word *from);

/* ---- fetch.c */

typedef struct sk_row_at {
    int64_t number, owner;
} sk_row_at;
/* Rows that other ranks have; put in order. All ranks together. False: no memory. */
bool sk_rows_fetch(struct sk_rows *rows, int64_t count, sk_row_at *of);

/* ---- cuts.c: which rank a row belongs to, by space */

typedef struct sk_cuts {
    const surekrig_data *part;
    int64_t features;
    int64_t *feature; /* [features] that count */
    double *sample;   /* [samples][features] */
    int64_t samples;
    double *extent; /* [features] of the sample */
    int64_t *axis;  /* [ranks] of the cut before each rank but the first, */
    double *at;     /* [ranks][features] and where */
} sk_cuts;

/* distance: "lon,lat", the features that count; all where none is named. Freed after a failure too. */
surekrig_status sk_cuts_make(sk_cuts *cuts, const char *distance, surekrig_error *error);
int sk_cuts_rank(const sk_cuts *cuts, int ranks, const double *x, double *point); /* point: [features] scratch */
void sk_cuts_free(sk_cuts *cuts);

/* ---- order.c: a tree of all rows, of which boxes are kept; grow.c makes it */

enum { SK_LEAF = 16, SK_WIDE = 8, SK_HOMES = 2, SK_MOST_LEVELS = 12 }; /* as in neighbors/tree.h */
enum { SK_HOME_ROWS = SK_LEAF * SK_WIDE * SK_WIDE };

typedef struct sk_homes {
    int64_t d, n;
    int levels;
    int64_t width[SK_MOST_LEVELS + 1];
    double *box[SK_MOST_LEVELS + 1]; /* [width][2][d] from level SK_HOMES on */
    double *origin, *side;           /* [d] */
    double *frame_side;              /* [d] as the frame has them */
    uint32_t *of;                    /* [own] the home of each row, or NULL: that was not asked */
} sk_homes;

int64_t sk_homes_children(const sk_homes *homes, int level, int64_t j); /* of node j of a level */
/* In the seek's frame; rows: with the home of each own row. */
surekrig_status sk_homes_find(const sk_seek *seek, bool rows, sk_homes **homes, surekrig_error *error);
int64_t sk_homes_count(const sk_homes *homes);
int64_t sk_homes_at(const sk_homes *homes, const double *place); /* the home where a point lies, or the nearest */
/* What the homes of own rows hold, into their boxes; all ranks together. False: no memory. */
bool sk_homes_grow(sk_homes *homes, const surekrig_data *data);
void sk_homes_free(sk_homes *homes);

/* ---- guests.c: rows by homes, for an approximate search */

struct sk_guests {
    const sk_ranks *ranks;
    sk_homes *homes;
    int64_t n, first;               /* first: home that is here */
    surekrig_index *index;          /* of the guests, in the order of their numbers; NULL: there are none */
    int64_t *number;                /* [n] increasing */
    uint16_t *owner;                /* [n] the rank that has the row */
    int64_t *group, *place, *other; /* [n] as of rows, or of what was asked last (sk_guests_group); or NULL */
    uint64_t sum;                   /* of own rows' others */
    double *box;                    /* [ranks][2][d] of each rank's guests */
};

int sk_guests_rank(const sk_guests *guests, int64_t home);      /* that has it */
int64_t sk_guest_find(const sk_guests *guests, int64_t number); /* -1: not here */
/* group: [own]; the guests' are then others. All ranks together. */
surekrig_status sk_guests_group(sk_guests *guests, const surekrig_data *data, const int64_t *group,
                                surekrig_error *error);
/* box: [ranks][2][d] of n points of each rank. */
surekrig_status sk_boxes_of(const sk_ranks *ranks, const sk_points *points, double *box, surekrig_error *error);

/* ---- select.c: the neighbours of one point out of candidates that hold them */

typedef struct sk_candidate {
    double square; /* of the distance, as the index measures it */
    int64_t number, row, sector;
} sk_candidate;

typedef struct sk_selection {
    const sk_seek *seek;
    int64_t k, quota; /* quota 0: directions do not matter */
    const double *x;  /* the point */
} sk_selection;

/* Measures candidates of these rows and puts them in order, each once; how many. */
int64_t sk_candidates(const sk_selection *s, int64_t count, const int64_t *row, sk_candidate *of);
double sk_square(const sk_selection *s, int64_t row);                           /* to a row */
bool sk_sectors_full(const sk_selection *s, int64_t count, const int64_t *row); /* each has its quota of these rows */
/* Within what square others may still matter. */
double sk_reach(const sk_selection *s, int64_t count, const sk_candidate *of);
int64_t sk_choose_neighbors(const sk_selection *s, int64_t count, sk_candidate *of, int64_t *neighbor);
double sk_box_square(const sk_seek *seek, int rank, const double *x); /* to a rank's box */

/* ---- ask.c: sk_seek_neighbors of each rank's own questions */

surekrig_status sk_seek_apart(const sk_seek *seek, const surekrig_neighbor_query *query, int64_t *neighbor,
                              int64_t *count, surekrig_error *error);

/* ---- answer.c: questions of other ranks */

/* All rows that are looked into here; or, with a slack, those of the home where the point lies, then those within the
 * bound that came of it. */
typedef enum sk_stage { SK_STAGE_EXACT, SK_STAGE_HOME, SK_STAGE_BEYOND } sk_stage;

typedef struct sk_questions {
    const sk_seek *seek;
    const surekrig_neighbor_query *query; /* what is asked, of which n, x, row and own_group are all of this rank's */
    bool over;                            /* it asks no more */
    sk_stage stage;
    const double *aim; /* [n] of an approximate search: the home, or the bound */
} sk_questions;

bool sk_asks_other_groups(const sk_seek *seek, const surekrig_neighbor_query *query); /* than the rows' own */

typedef struct sk_answers {
    int64_t count, room;
    int64_t *question, *row; /* [count] a candidate each */
    bool all_over;
} sk_answers;

/* pair: [count] question and rank, by rank. What ranks say joins the answers. */
typedef struct sk_pair {
    int64_t question;
    int rank;
} sk_pair;
surekrig_status sk_ask(const sk_questions *of, int64_t count, const sk_pair *pair, sk_answers *answers,
                       surekrig_error *error);
bool sk_answers_add(sk_answers *answers, int64_t question, int64_t row);
int64_t sk_rows_unique(int64_t n, int64_t *row); /* in order, each once, without those below 0; how many */

#endif
