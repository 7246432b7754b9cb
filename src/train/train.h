/* Training: what is searched, the objective over held-out points, its gradient, and the choice between models. */
#ifndef SK_TRAIN_H
#define SK_TRAIN_H

#include "heldout/heldout.h"

#define SK_TAU2_LOWEST 1e-8 /* where an automatic nugget is searched */
#define SK_TAU2_HIGHEST 100.0
#define SK_SCALE_EXPECTED 10.0 /* an automatic gamma2 above this, in the response's variance, costs */
#define SK_SCALE_PRICE 0.01    /* this, times its log squared, in units of the mean loss: docs/decisions.md */

/* An axis of the search: which hyperparameters it moves. */
typedef struct sk_moved {
    const sk_hyper_row *row;
    int64_t part;  /* rho: of which part of the metric; -1: of all alike */
    bool relative; /* tau2 over what the neighbours do not share of the field's variance, 1 - M */
} sk_moved;

typedef struct sk_training {
    surekrig_model *m;
    const double *before; /* as in sk_fitting */
    sk_hyper trial;       /* the hyperparameters that are being tried; the model's are untouched until one is adopted */
    sk_machine machine;
    sk_holdout batch;
    sk_errors errors;     /* of the latest evaluation */
    double *variance_rel; /* [b] of these, relative to the scale that the loss profiles: a share of gamma2 or, where
                             noise is given and gamma2 searched, standardised */
    double distance[2];   /* smallest and largest between the points of a neighbourhood */
    double *offset;       /* [coordinates]: root mean square from a point to its neighbours, axis by axis */
    double *rho_unit;     /* [coordinates]: what a searched rho is multiplied by */
    int axes;
    surekrig_axis *axis; /* [axes] */
    sk_moved *moved;     /* [axes] */
    sk_loss loss;
    double *z, *scale_range; /* [levels], [2][l] */
    sk_verdict verdict;
    double *theta;              /* [capacity][axes] of all evaluations */
    sk_evaluation **evaluation; /* [capacity]; NULL where the covariance was singular */
    int64_t count, capacity;
    const double *best_lambda;  /* the multipliers of the progress report's objective */
    int64_t planned, forgotten; /* evaluations, for the progress report */
    sk_ticker ticker;
} sk_training;

/* ---- open.c: draws the batch, finds its neighbours, lays out what is searched. t holds nothing after a failure */

surekrig_status sk_training_open(surekrig_model *model, const surekrig_progress *progress, sk_training *training,
                                 surekrig_error *error);
void sk_training_close(sk_training *training);

/* ---- training.c: one evaluation after another */

void sk_training_forget(sk_training *training); /* its evaluations */
sk_objective sk_training_objective(sk_training *training);
/* The trial's share in the objective, of which the levels must be 0: a likelihood, or the logarithm of an error. */
surekrig_status sk_training_measure(sk_training *training, double *loss, surekrig_error *error);

/* ---- metric.c: neighbours in the metric that is fitted. The training is opened anew where they change, and begins then
 * where the last one ended; closed after a failure */

surekrig_status sk_take_given_metric(surekrig_model *model, surekrig_error *error); /* of fixed length scales */
surekrig_status sk_training_settle_metric(sk_training *training, const sk_plan *plan, surekrig_error *error);
double sk_training_in_mean(const sk_training *training, double gain); /* in twice the log likelihood, as a mean loss */

/* ---- seen.c: a part of the metric of which the first neighbours tell nothing is shortened until they do. Likewise */

surekrig_status sk_training_see_all(sk_training *training, surekrig_error *error);

/* ---- space.c: the axes, the fixed values of what is not searched, and the hyperparameters that a point of the search
 * means */

surekrig_status sk_training_space(sk_training *training, surekrig_error *error);
void sk_training_try(sk_training *training, const double *theta);     /* sets the trial */
void sk_training_begin(sk_training *training, const sk_hyper *hyper); /* the search begins there, as far as it may */

/* ---- gradient.c: the smoothed Lagrangian of the latest evaluation, and its derivatives by theta (optimize.h) */

surekrig_status sk_training_gradient(void *training, const double *lambda, double beta, double *value, double *by_theta,
                                     surekrig_error *error);
/* by: [coordinates] the derivatives of the trial's loss, without levels, by log rho. */
surekrig_status sk_training_by_rho(sk_training *training, double *by, surekrig_error *error);

/* ---- report.c */

/* Sets the trial to an evaluation, judged under a round's multipliers. */
void sk_training_retry(sk_training *training, int64_t evaluation, const sk_round *round);
/* The model takes the trial's hyperparameters over. */
void sk_training_adopt(sk_training *training);
/* Adopts the result and fills the model's report, but for what sk_calibrate adds to it. */
surekrig_status sk_training_report(sk_training *training, const sk_result *result, surekrig_error *error);

/* ---- fit.c: a model trained as its settings say, auto = no */

/* Where another training on the same data ended, to begin there. */
typedef struct sk_start {
    sk_hyper hyper;
    double *side; /* [coordinates] where its neighbours were nearest */
    bool by_feature;
} sk_start;

typedef struct sk_fitting {
    const sk_start *start; /* may be NULL */
    const double *before;  /* [coordinates] its sides, of fewer neighbours; infinite: left out, asked again; or NULL */
    bool calibrated;       /* else still without widths and scores */
    bool trial;            /* another training will begin where it ends: it need not end sharply */
    bool parts;            /* one length scale of the start is where each of two begins */
    struct sk_longer
        *longer; /* asks whether two features want a length scale each: then it is not calibrated; or NULL */
} sk_fitting;

surekrig_status sk_start_at(const surekrig_model *model, sk_start *start, surekrig_error *error);
void sk_start_free(sk_start *start);
void sk_start_with_all(const surekrig_model *model, sk_start *start); /* metric.c: what it left out too, far away */
surekrig_status sk_fit_plain(const surekrig_data *data, const surekrig_settings *settings, sk_fitting how,
                             const surekrig_progress *progress, surekrig_model **model, surekrig_error *error);

/* ---- choose.c: auto = yes, but for the training of what it chose (auto.c) */

enum { SK_CHOOSABLE = 30 }; /* rows: fewer cannot tell which of two models is better, and choosing does harm */
enum { SK_ENOUGH = 200 };   /* points for local and conformal intervals: a hundred scores even where halved */
/* auto.c: a setting whose text is auto. */
surekrig_status sk_settle(surekrig_settings *settings, const char *name, const char *value, surekrig_error *error);
/* A coverage that is asked for is that of normal intervals. */
const char *sk_interval_for(const surekrig_data *data, const surekrig_settings *asked);
/* Few rows do not tell which of many features matter: with fewer than ten a feature, one length scale for all, in shares
 * of their extents, predicts better and promises less (docs/decisions.md). */
bool sk_few_for_scales(const surekrig_data *data, const surekrig_settings *asked);
surekrig_status sk_settle_scales(const surekrig_data *data, surekrig_settings *settings, surekrig_error *error);

#define SK_CHOSEN 0.5 /* share of the progress, when this is done */

typedef struct sk_choice {
    surekrig_settings *settings; /* those to train with */
    surekrig_settings *partner;  /* those of a simpler model to average with, or NULL */
    sk_start start, beside;      /* where the chosen trial ended, and the partner's */
    int trials;
    surekrig_trial trial[SK_TRIALS];
} sk_choice;

enum { SK_FEW_FEATURES = 3 }; /* which gain nothing by more neighbours */
/* widen.c: more neighbours for a trained model, where held-out points gain by them: trained with them, and another model
 * then, or for predictions alone. asked: by the user. Its widths are to be calibrated afterwards. */
surekrig_status sk_widen(const surekrig_data *data, const surekrig_settings *asked, surekrig_model **model,
                         sk_choice *choice, const surekrig_progress *progress, surekrig_error *error);

surekrig_status sk_choose(const surekrig_data *data, const surekrig_settings *settings,
                          const surekrig_progress *progress, sk_choice *choice, surekrig_error *error);

#endif
