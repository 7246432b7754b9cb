/* Rows dealt out over ranks by space: who has which, rows fetched from others, and neighbours among all of them, the
 * same as one process finds. */
#ifndef SK_SPREAD_H
#define SK_SPREAD_H

#include "neighbors/neighbors.h"

/* ---- deal.c */

/* Data whose ranks have parts of a file are checked, and become rows that lie together; whole: all of them, n rows, of
 * which the held ones can be looked at. Other data stay as they are. time, distance: names of features, as the settings
 * say. Once they are dealt out, the parts are not needed any more. sk_dealt gives the whole back. */
surekrig_status sk_deal(const surekrig_data *data, const char *time, const char *distance, surekrig_data *whole,
                        surekrig_error *error);
void sk_dealt(surekrig_data *whole);
void sk_rows_keep(surekrig_ranks *of);        /* one owner more, */
void sk_rows_free(surekrig_ranks *of);        /* one less; of the last, all goes. NULL: nothing */
void *sk_reserve(int64_t count, size_t size); /* zeros, of which memory is what was written; NULL: none */
void sk_unreserve(void *reserved);

/* ---- rows.c: the same call on all ranks */

/* Rows by their numbers in the file become rows that are held. */
surekrig_status sk_rows_take(const surekrig_data *data, int64_t count, int64_t *row, surekrig_error *error);
/* count of all rows, in the file's order. */
surekrig_status sk_rows_sample(const surekrig_data *data, uint64_t seed, int64_t count, int64_t *row,
                               surekrig_error *error);
void sk_rows_forget(const surekrig_data *data); /* what was fetched since sk_rows_mark */
void sk_rows_mark(const surekrig_data *data);
/* places.c. Rows at one place: those of each rank, as all ranks count them. */
surekrig_status sk_rows_places(const surekrig_data *data, const sk_frame *frame, sk_repeats *places,
                               surekrig_error *error);
/* alike.c. group: [own] the number of the first row with the same features, of which chosen [d] says which count, or with
 * the same number given [own]; *largest: how many rows are alike, at the most. */
surekrig_status sk_rows_alike(const surekrig_data *data, const bool *chosen, const int64_t *given, int64_t *group,
                              int64_t *largest, surekrig_error *error);
/* Such rows become groups, those of rows that are dealt out. */
surekrig_status sk_rows_group(surekrig_data *data, const bool *chosen, surekrig_error *error);

/* ---- nth.c: of what each rank has some of; counted from 0. Values are sorted, and not negative */

typedef struct sk_sorted {
    int64_t n;
    const int64_t *number; /* increasing */
} sk_sorted;
surekrig_status sk_rows_nth(const surekrig_data *data, sk_sorted own, int64_t count, const int64_t *nth,
                            int64_t *number, surekrig_error *error);
surekrig_status sk_values_nth(const surekrig_data *data, int64_t n, double *value, int64_t nth, double *found,
                              surekrig_error *error);

/* ---- common.c, ask.c, answer.c, boxes.c: neighbours */

typedef struct sk_seek {
    const surekrig_data *data;   /* by coordinates */
    const surekrig_index *index; /* of own rows; NULL: there are none, or guests instead */
    const sk_frame *frame;
    const double *box;       /* [ranks][2][d] of each rank's rows */
    void (*ready)(void *of); /* rows were fetched: their coordinates are wanted */
    void *of;
    struct sk_guests *guests; /* rows to look into where some questions have a slack, or NULL: own ones */
} sk_seek;

/* guests.c: by the seek's data and frame; the same call on all ranks. */
typedef struct sk_guests sk_guests;
surekrig_status sk_guests_new(const sk_seek *seek, int threads, sk_guests **guests, surekrig_error *error);
void sk_guests_free(sk_guests *guests); /* accepts NULL */

/* box: [ranks][2][d] */
surekrig_status sk_seek_boxes(const surekrig_data *data, double *box, surekrig_error *error);
/* As surekrig_neighbors, of all rows: the same questions on all ranks, or each rank's own (apart). */
surekrig_status sk_seek_neighbors(const sk_seek *seek, const surekrig_neighbor_query *query, int64_t *neighbor,
                                  int64_t *count, surekrig_error *error);
/* A rank that asks no more answers the others until none does. */
surekrig_status sk_seek_serve(const sk_seek *seek, surekrig_error *error);

int sk_seek_home(const sk_seek *seek, const double *x); /* the rank where a point lies, or the nearest */

/* ---- thin.c: a sample of rows that are dealt out, to be searched alone; the same calls on all ranks */

typedef struct sk_sample {
    uint64_t seed;
    int64_t size;
    int threads; /* for its index */
} sk_sample;
typedef struct sk_thin {
    surekrig_data data; /* coordinates alone */
    surekrig_index *index;
    double *box;
    sk_seek seek;
} sk_thin;
/* data: by coordinates. To be closed after a failure too. */
surekrig_status sk_thin_open(const surekrig_data *data, const sk_frame *frame, sk_sample of, sk_thin *thin,
                             surekrig_error *error);
/* The query's rows are of the data, and so are the neighbours, which are held from then on. */
surekrig_status sk_thin_neighbors(const sk_thin *thin, const surekrig_data *data, surekrig_neighbor_query query,
                                  int64_t *neighbor, int64_t *count, surekrig_error *error);
void sk_thin_close(sk_thin *thin);

/* ---- points.c: each rank's own points to where they lie, and what was made of them back; the same calls on all ranks */

typedef struct sk_points_asked {
    int64_t n, width;
    const double *place; /* [n][d] in coordinates; a point with a NaN stays */
    const double *value; /* [n][width] that go with them */
} sk_points_asked;
typedef struct sk_visitors {
    int64_t n, came; /* points that left and those that are here now */
    int64_t *order;  /* [n] which left one after another */
    int64_t *rows;   /* [2][ranks] to and from each */
    double *value;   /* [came][width] */
} sk_visitors;
/* To be freed after a failure too. */
surekrig_status sk_points_move(const sk_seek *seek, const sk_points_asked *asked, sk_visitors *moved,
                               surekrig_error *error);
/* made: [came][width]; out: [n][width]. */
surekrig_status sk_points_return(const sk_ranks *ranks, const sk_visitors *moved, int64_t width, const double *made,
                                 double *out, surekrig_error *error);
void sk_visitors_free(sk_visitors *moved);

/* ---- records.c: numbers that go together, of each rank some */

typedef struct sk_records {
    int64_t n, width,
        keys;      /* keys: the first of each record's numbers; they put it in its place, and no two have the same */
    double *value; /* [n][width], to be freed; replaced */
} sk_records;
/* to: [n] the rank that each goes to; those of the first rank come first. */
surekrig_status sk_records_send(const sk_ranks *ranks, const int *to, sk_records *records, surekrig_error *error);
/* Each to the rank that is its number at this place. */
surekrig_status sk_records_home(const sk_ranks *ranks, sk_records *records, int64_t at, surekrig_error *error);
/* By their keys: the first rank then has the first ones, the next what follows, about as many each. */
surekrig_status sk_records_sort(const sk_ranks *ranks, sk_records *records, surekrig_error *error);

/* Each to the rank that its row came from, there in the file's order; the first number of a record is its row's. */
surekrig_status sk_records_to_file(const surekrig_data *data, sk_records *records, surekrig_error *error);

/* ---- order.c: as sk_index_order of one index of all rows; the same points on all ranks. Of the seek: data, index and
 * frame */

surekrig_status sk_seek_order(const sk_seek *seek, int64_t n, const double *x, int threads, int64_t *order,
                              surekrig_error *error);

#endif
