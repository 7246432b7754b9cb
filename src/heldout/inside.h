/* What the files of this room share. */
#ifndef SK_HELDOUT_INSIDE_H
#define SK_HELDOUT_INSIDE_H

#include "heldout/heldout.h"

/* ---- holdout.c */

uint64_t sk_holdout_seed(const surekrig_model *model, sk_holdout_wish wish);
/* Which rows, without neighbours yet. */
surekrig_status sk_holdout_choose(const surekrig_model *model, sk_holdout_wish wish, sk_holdout *holdout,
                                  surekrig_error *error);
void sk_holdout_places(const surekrig_model *model, sk_holdout *holdout); /* of the rows, into x */
/* The nearest of points from .. from+n-1, beyond a distance or 0; none of a point's own group. */
surekrig_status sk_holdout_nearest(const surekrig_model *model, sk_holdout *holdout, int64_t from, int64_t n,
                                   double beyond, surekrig_error *error);
/* Points without a neighbour leave: nothing to predict from. weight: [n] of each, or NULL. */
void sk_holdout_drop_lonely(const surekrig_model *model, sk_holdout *holdout, double *weight);

/* ---- apart.c: means, variances and scales of points without neighbours, which are found on the way; all ranks together.
 * *lacking: some have fewer than k, and nothing is kriged */

surekrig_status sk_krige_apart(sk_machine *machine, const sk_holdout *holdout, sk_kriging *kriging, bool *lacking,
                               surekrig_error *error);

/* ---- distances.c: from places to what is nearest to them */

typedef struct sk_among {
    const surekrig_index *index;
    const double *x; /* [..][coordinates] its points */
} sk_among;

/* far: [n] of each place of the query, which says n, x and what else is not usual. among: NULL, the data. */
surekrig_status sk_distances(const surekrig_model *model, const sk_among *among, surekrig_neighbor_query query,
                             double *far, surekrig_error *error);
/* All targets, where n is their number, or n of them at random; the caller's to free. NULL: no memory. */
double *sk_some_targets(const surekrig_model *model, uint64_t seed, int64_t n);
/* Of n such targets, in increasing order. */
surekrig_status sk_target_distances(const surekrig_model *model, uint64_t seed, int64_t n, double *far,
                                    surekrig_error *error);
/* Of as many rows as wished, each left out: to the nearest of their neighbours, in increasing order. */
surekrig_status sk_row_distances(const surekrig_model *model, sk_holdout_wish wish, int64_t *n, double *far,
                                 surekrig_error *error);
/* Whether targets lie among the data as the data do themselves: then leaving out one row at a time is the task itself,
 * with all rows to learn from. */
surekrig_status sk_targets_are_as_rows(const surekrig_model *model, bool *alike, surekrig_error *error);

/* ---- hands.c: the points dealt in hands, each with neighbours of its own kind */

surekrig_status sk_surround_beyond(const surekrig_model *model, uint64_t seed, sk_holdout *holdout,
                                   surekrig_error *error);
surekrig_status sk_surround_thinned(const surekrig_model *model, sk_holdout *holdout, surekrig_error *error);
/* weight: [n] what each point's error is worth beside others. n = 0: none, where even twice the usual distance between
 * rows holds too many of the data, or most rows share their places. */
surekrig_status sk_surround_farther(const surekrig_model *model, sk_holdout *holdout, double *weight,
                                    surekrig_error *error);

/* ---- transplant.c: leaves the rows that were accepted. like: the very points to come out, or NULL */

surekrig_status sk_transplant(const surekrig_model *model, uint64_t seed, const sk_holdout *like, sk_holdout *holdout,
                              surekrig_error *error);

/* ---- widths.c: the widths of intervals from errors */

/* Errors of points that lie farther from the data than those before: widths there follow them. */
typedef struct sk_farther {
    const sk_errors *errors;
    const double *weight; /* [n] what each is worth */
} sk_farther;

/* farther: may be NULL. Without it widths beyond what the errors have seen become the model's own. */
surekrig_status sk_widths_train(surekrig_model *model, const sk_errors *errors, const sk_farther *farther,
                                surekrig_error *error);
/* |error| / sd of response q at point i. */
double sk_widths_size(const surekrig_model *model, const sk_errors *errors, int64_t i, int64_t q);
void sk_widths_widen(surekrig_model *model, int64_t q, double factor); /* intervals of response q */

/* ---- calibrate.c: scores of several responses as one's */

void sk_scores_add(const surekrig_scores *one, int64_t l, surekrig_scores *all); /* of l; all begins as zeros */

/* ---- unfound.c: the report's scores of held-out points h, with those of the targets that have found no place. seed: h's */

surekrig_status sk_unfound_add(surekrig_model *model, uint64_t seed, const sk_holdout *holdout, const sk_errors *errors,
                               surekrig_error *error);

/* ---- times.c: the places and times of all rows, and of some targets; the same calls on all ranks */

typedef struct sk_times {
    const surekrig_model *m;
    const sk_ranks *ranks;
    int64_t own, targets;
    int64_t *place;   /* [own + targets] the number of the first row at each one's place; of a target without one, -1 */
    int64_t *series;  /* [own] own rows, place by place, each in the order of time */
    sk_records order; /* times and numbers of rows, in order; each rank has the next of them */
    int64_t before;   /* how many are on ranks before this one */
    double first, last, step; /* step: the mean one */
    int64_t places;
} sk_times;

/* target: [targets][coordinates]. */
surekrig_status sk_times_open(const surekrig_model *model, int64_t targets, const double *target, sk_times *times,
                              surekrig_error *error);
void sk_times_close(sk_times *times);
static inline double sk_time_of(const sk_times *t, int64_t row)
{
    return t->m->kriged.x[row * t->m->kriged.d + t->m->metric.time];
}
/* The last time that is not after, and the first that is not before; infinite where there is none. Or at a place. */
void sk_times_near(const sk_times *times, int64_t n, double *at_most, double *at_least);
void sk_times_near_at(const sk_times *times, int64_t n, const int64_t *place, double *at_most, double *at_least);
/* How many rows come before a time, and have it; and the number of the row that so many come before, -1 where -1 is
 * asked. */
void sk_times_range(const sk_times *times, int64_t n, const double *at, double *first, double *count);
void sk_times_row(const sk_times *times, int64_t n, double *place);
int64_t sk_times_series(const sk_times *times, int64_t place); /* where its own rows begin in the series */
surekrig_status sk_times_places(const sk_times *times, int64_t n, const int64_t *row, int64_t *place,
                                surekrig_error *error); /* of rows that are held */

/* ---- task.c: whether there is a time and the targets have a shape in it; and points in that shape */

surekrig_status sk_task_fits(const surekrig_model *model, uint64_t seed, bool *fits, surekrig_error *error);
surekrig_status sk_task_surround(const surekrig_model *model, uint64_t seed, sk_holdout *holdout,
                                 surekrig_error *error);

#endif
