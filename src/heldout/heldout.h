/* Points of the data left out: their neighbours, their errors, the widths that these ask for, and how they judge
 * models. */
#ifndef SK_HELDOUT_H
#define SK_HELDOUT_H

#include "predict/predict.h"

/* ---- holdout.c: points of the data left out, with neighbours like a target's */

typedef struct sk_holdout {
    int64_t n, k;
    int64_t *row, *neighbor; /* [n], [n][k]; no neighbours: the nearest, to be found when they are kriged */
    int64_t *target; /* [n] transplant: the number of the draw whose target a row stands for, from 1; else 0. Row and
                        number together name a point: under other settings it is the same one */
    int64_t *count;  /* [n], or NULL: k each */
    double *x;       /* [n][coordinates] */
    sk_geometry geometry; /* as it came out */
    double accepted;      /* transplant: share of the targets for which there was a place */
    int64_t drawn;        /* transplant: how many were asked for one; else 0 */
} sk_holdout;

typedef struct sk_holdout_wish {
    int64_t n;               /* at most */
    uint64_t part;           /* another number, other rows */
    const sk_holdout *avoid; /* not these rows, where there are enough others; may be NULL */
    bool told; /* their scores are told as those at the targets: like these, however few the rows. Else something is
                  learned from them */
    bool once; /* only their errors are wanted: where rows are dealt out, the nearest neighbours are left for later */
} sk_holdout_wish;

surekrig_status sk_holdout_new(const surekrig_model *model, sk_holdout_wish wish, sk_holdout *holdout,
                               surekrig_error *error);
/* These rows, each with its nearest neighbours, others at its place among them. */
surekrig_status sk_holdout_rows(const surekrig_model *model, int64_t n, const int64_t *row, sk_holdout *holdout,
                                surekrig_error *error);
void sk_holdout_free(sk_holdout *holdout);
/* The same points, with neighbours in another model's metric: SUREKRIG_DATA where it has none for some. */
surekrig_status sk_holdout_again(const surekrig_model *model, sk_holdout_wish wish, const sk_holdout *like,
                                 sk_holdout *holdout, surekrig_error *error);
/* A target at random, the i-th of this seed: its number, and where it is in coordinates. */
int64_t sk_holdout_target_number(const surekrig_model *model, uint64_t seed, int64_t i);
const double *sk_holdout_target(const surekrig_model *model, uint64_t seed, int64_t i);

/* ---- errors.c: what predicting held-out points comes to (M5) */

typedef struct sk_errors {
    int64_t n;
    sk_kriging kriging;
    double *residual_std;      /* [n][l] */
    double *variance_share;    /* [n] of an observation, not below round-off */
    double neighbours;         /* of all points together */
    bool lacking;              /* nothing is known: points were given without neighbours, and some have too few */
    struct sk_errors *partner; /* of the model's partner at the same points, or NULL; its kriging is in ours */
} sk_errors;

surekrig_status sk_errors_new(const surekrig_model *model, int64_t n, int wants, sk_errors *errors,
                              surekrig_error *error);
void sk_errors_free(sk_errors *errors);
surekrig_status sk_errors_fill(sk_machine *machine, const sk_holdout *holdout, sk_errors *errors,
                               surekrig_error *error);
/* Of response q at point i: the error, and the variance that the model's widths give an observation; scales wanted.
 * Where there is a partner: of the two averaged. */
double sk_errors_residual_std(const surekrig_model *model, const sk_errors *errors, int64_t i, int64_t q);
double sk_errors_variance_std(const surekrig_model *model, const sk_errors *errors, int64_t i, int64_t q);
sk_signs sk_errors_signs(const surekrig_model *model, const sk_errors *errors, int64_t i, int64_t q); /* of one alone */

/* ---- regions.c: held-out points by regions of the data, as new targets are another draw of regions */

typedef struct sk_regions {
    int64_t n, regions;
    int64_t *of;    /* [n] the region of each point */
    double targets; /* so many regions' worth the targets are spread over */
    int64_t asked;  /* how many they are; 0: not known */
    bool shared;    /* they lie among the rows */
} sk_regions;

surekrig_status sk_regions_new(const surekrig_model *model, const sk_holdout *holdout, sk_regions *regions,
                               surekrig_error *error);
void sk_regions_free(sk_regions *regions);
/* Of the mean over the points, its standard error; and the sd of the difference between it and that over the targets,
 * whose regions differ by an sd of at least so much, and single points with the variance that chance gives at least. NaN:
 * points are too few to tell. */
double sk_regions_error(const sk_regions *regions, const double *value, double *mean);
double sk_regions_deviation(const sk_regions *regions, const double *value, double least, double chance);

/* ---- shores.c: whether errors are larger beside the targets than elsewhere */

typedef struct sk_shores {
    double factor; /* what errors, and widths, are multiplied by; at least 1 */
    double error;  /* standard error of its logarithm */
    double spread; /* sd of the logarithm between regions whose points are left out together; 0: not known */
    bool none;     /* the targets lie among the rows as these do among each other, or there are none */
} sk_shores;

/* h, e: held-out points like the targets, elsewhere, and their errors. */
surekrig_status sk_shores_measure(const surekrig_model *model, sk_machine *machine, const sk_holdout *holdout,
                                  const sk_errors *errors, sk_shores *shores, surekrig_error *error);

/* ---- margins.c: how far scores at the targets may be from those of held-out points, into the model's report */

/* each: [l] of each response, too; or NULL. Its scores are in the report. */
surekrig_status sk_margins_measure(surekrig_model *model, const sk_holdout *holdout, const sk_errors *errors,
                                   sk_shores shores, surekrig_scores *each, surekrig_error *error);

/* ---- floor.c: the least variance, from rows that lie nearest to others. batch: other errors, scales wanted */

surekrig_status sk_floor_train(surekrig_model *model, sk_machine *machine, const sk_errors *batch,
                               surekrig_error *error);

/* ---- calibrate.c: widths from points beside the batch, where that is wanted; scores of others again, and of the
 * batch */

surekrig_status sk_calibrate(surekrig_model *model, const sk_holdout *batch, sk_machine *machine,
                             surekrig_error *error);

/* ---- judge.c: how good models are at the same points, each with neighbours in its own metric; one alone or two
 * averaged */

typedef struct sk_judges {
    sk_holdout points;
    int64_t l;      /* responses */
    bool noise;     /* variances are known, whatever the errors say */
    int64_t *order; /* [points] such that points near one another follow one another */
} sk_judges;

/* What the points say of a model. */
typedef struct sk_judged {
    double *residual_std, *sd_std; /* [n][l] */
} sk_judged;

/* judges: zero at first. data: for its targets. The model's gamma2 and widths become those that the points want. */
surekrig_status sk_try_model(sk_judges *judges, surekrig_model *model, const surekrig_data *data, sk_judged *judged,
                             surekrig_error *error);
void sk_judges_free(sk_judges *judges);
void sk_judged_free(sk_judged *judged);
/* The mean CRPS and its standard error, from regions of the data, into the trial. other: averaged with, or NULL. */
surekrig_status sk_judged_score(const sk_judges *judges, const sk_judged *one, const sk_judged *other,
                                surekrig_trial *trial, surekrig_error *error);
/* By how much the mean CRPS falls from one model to another, and the standard error of that. */
surekrig_status sk_judged_gain(const sk_judges *judges, const sk_judged *from, const sk_judged *to, double *gain,
                               double *of_gain, surekrig_error *error);

#endif
