/* Settings, training, prediction and the model file: where the rooms to the left are put together. */
#ifndef SK_MODEL_H
#define SK_MODEL_H

#include "base/base.h"
#include "data/data.h"
#include "krige/krige.h"
#include "loss/loss.h"
#include "mean/mean.h"
#include "neighbors/neighbors.h"
#include "optimize/optimize.h"

/* ---- heldout/widths.c: how wide intervals are */

/* Held-out errors say how the variance v that kriging gives, the neighbours' own scale s (krige.h) and their scatter c
 * (scatter.c) tell the error's: log variance = b0 + b1 log v + b2 log^2 v + b3 log s + b4 log v log s + b5 log c s and
 * c with one neighbour more that has the model's gamma2; all logarithms taken off their means and held within what was
 * seen; farther out it goes as v. And the errors' sorted sizes |error| / sd are the conformal quantiles. */
enum { SK_WIDTH_SIGNS = 3, SK_WIDTH_TERMS = 6 };

/* What a point's surroundings tell of its error: v, as a share of gamma2; s and c over the spread squared. */
typedef struct sk_signs {
    double variance, scale, scatter;
} sk_signs;

typedef struct sk_widths {
    bool local;                  /* else gamma2 v */
    double *coefficient;         /* [l][SK_WIDTH_TERMS] */
    double *low, *high, *middle; /* [l][SK_WIDTH_SIGNS] of log v, log s and log c */
    int64_t scores;              /* 0: normal quantiles */
    double *score;               /* [l][scores] increasing */
    double *shared; /* [l] of two models averaged: what the mean of their variances is multiplied by, since their errors
                       in part cancel; else 1 */
} sk_widths;

/* ---- settings.c */

enum { SK_LIST_MAX = 64 };
_Static_assert(SK_LIST_MAX <= SK_LEVELS_MAX, "as many levels can be judged as can be asked");

typedef enum sk_how { SK_AUTO, SK_FIXED, SK_RANGE } sk_how;

/* A hyperparameter as the user asks for it: "auto", "0.5", "0.1,0.4", "0.05:2.5" or, with a start, "0.05:0.5:2.5". */
typedef struct sk_parameter {
    sk_how how;
    int count; /* fixed values given */
    double fixed[SK_LIST_MAX];
    double lower, start, upper; /* start NaN: not given */
} sk_parameter;

typedef struct sk_levels {
    int count;
    double alpha[SK_LIST_MAX];
} sk_levels;

/* The parsed values; -1 stands for "auto" in the counts. */
struct surekrig_settings {
    int64_t neighbors, batch, terms, calibration;
    int sectors, loss, constraint, anisotropic, mean, holdout, variance, interval, choose, scaling, optimizer,
        acquisition, select, backend;
    int trend, distance; /* names: their text */
    double huber, tolerance, beta, growth, kappa, seconds;
    sk_levels coverage;
    sk_parameter nu, rho, tau2, gamma2, long_ratio, long_share, long_nu;
    int64_t rounds, initial, evaluations, polish, threads;
    uint64_t seed;
    char **text;    /* [settings] as given */
    uint64_t given; /* bit i: row i of the table was set, be it to its default */
};

surekrig_status sk_settings_copy(const surekrig_settings *from, surekrig_settings **to, surekrig_error *error);
const char *sk_backend_name(const surekrig_settings *settings);
bool sk_setting_given(const surekrig_settings *settings, const char *name); /* by the caller or by a preset */
int sk_thread_setting(const surekrig_settings *settings);                   /* 0: as many as the machine has */

/* ---- minimize.c */

/* The plan that settings make for a search; resolution: the smallest step a constraint can make. */
sk_plan sk_plan_from(const surekrig_settings *settings, int axes, int constraints, double resolution);

/* ---- model.c: the object itself */

enum { SK_PHASES = 3, SK_TRIALS = 12 };

struct surekrig_model {
    surekrig_data data; /* owned, names included */
    sk_frame frame;
    surekrig_index *index;
    surekrig_data
        kriged;     /* the responses without the trend and its columns as further ones; y owned where there is one */
    double *center; /* [l + trend columns] */
    double *spread; /* likewise; 1 for a trend's column */
    sk_trend trend;
    double nu, tau2;
    double *rho; /* [d], the user's units; infinite where a feature does not count in distances */
    double long_share, long_ratio, long_nu; /* of the second term; share 0: there is none */
    double *long_rho;                       /* [d] ratio times rho */
    sk_widths widths;
    double *scale; /* [l]: gamma2 / spread^2, which has no units and so cannot overflow */
    surekrig_settings *settings;
    surekrig_info info; /* its pointers lead to what follows and above */
    char version[32];
    double *box; /* [2][d] */
    surekrig_estimate *estimate;
    double *level, *coverage;
    surekrig_round *round;
    double *history; /* [evaluations][1 + levels], or NULL */
    double *trace;   /* [rounds][2 levels + estimates]: lambda, coverage, theta of each round */
    surekrig_phase phase[SK_PHASES];
    surekrig_trial trial[SK_TRIALS];
    surekrig_model *partner; /* a simpler model on the same data, with which predictions are averaged in equal parts; or
                                NULL. Owned, but for its data, frame and index, which are this one's */
};

/* A model holding copies of the data and the settings, with its frame, index and mean: all that follows from these. */
surekrig_status sk_model_new(const surekrig_data *data, const surekrig_settings *settings, surekrig_model **model,
                             surekrig_error *error);
/* Room for the report, every number zero, the estimates named: "nu", "rho" or "rho_NAME", "tau2", "gamma2", "mean". */
surekrig_status sk_model_shape(surekrig_model *model, int levels, int rounds, surekrig_error *error);
/* columns.c: which features count in distances, which in the trend, and the data as they are kriged. */
surekrig_status sk_model_columns(surekrig_model *model, surekrig_error *error);
void sk_model_detrend(surekrig_model *model); /* takes the trend as it now is off the responses that are kriged */
const char *sk_setting_names(const surekrig_settings *settings, const char *name); /* "all" or "lon,lat" */
/* Whether each feature has a length scale of its own to report. */
bool sk_model_rho_differs(const surekrig_settings *settings);
/* The hyperparameters in the order of the estimates, out of the model's fields. */
void sk_model_values(const surekrig_model *model, double *value);
double sk_model_gamma2(const surekrig_model *model, int64_t response); /* in the user's units */
/* The covariance's shape, and what the data's noise variances are multiplied by (krige.h). */
surekrig_theta sk_model_theta(const surekrig_model *model, surekrig_term term[2]);
double sk_model_noise_share(const surekrig_model *model);
/* Sets what follows from rho and the ratio. */
void sk_model_set_long_rho(surekrig_model *model);
bool sk_model_unknown_mean(const surekrig_model *model);
/* Takes over the partner, which must have been made from the same data; of these one copy remains. */
void sk_model_join(surekrig_model *model, surekrig_model *partner);

/* n points' neighbours as the settings ask for them; row: left out of each, or NULL. */
surekrig_status sk_model_neighbors(const surekrig_model *model, surekrig_neighbor_query query, int64_t *neighbor,
                                   int64_t *count, surekrig_error *error);

/* ---- scatter.c: [n][l] how far the neighbours' responses lie apart, over the spread squared */

surekrig_status sk_scatter(const surekrig_model *model, const surekrig_neighborhoods *at, int threads, double *scatter,
                           surekrig_error *error);

/* ---- block.c: points kriged under the model, for prediction and validation alike */

typedef struct sk_block {
    const surekrig_model *m;
    const sk_backend *back;
    void *state;
    sk_kernel *kernel;
    int threads;
    double *x;                 /* [capacity][d], for the caller to fill */
    int64_t *neighbor;         /* [capacity][k], likewise */
    double *mean;              /* [capacity][l and trend columns] without the center */
    double *scale;             /* likewise, or NULL: the widths do not need it */
    double *scatter;           /* [capacity][l] likewise */
    double *trend;             /* [trend columns] */
    double *variance, *jitter; /* [capacity] of the field, as a share of gamma2 */
    struct sk_block *partner;  /* likewise of the model's, with the same x and neighbours; or NULL */
} sk_block;

typedef struct sk_wanted {
    bool mean, sd;
} sk_wanted;

/* As the model's settings say, or the fastest where it comes from another machine. */
const sk_backend *sk_block_backend(const surekrig_model *model);
surekrig_status sk_block_open(const surekrig_model *model, int64_t capacity, int threads, sk_block *block,
                              surekrig_error *error); /* to be closed also after a failure */
void sk_block_close(sk_block *block);
surekrig_status sk_block_krige(sk_block *block, int64_t count, sk_wanted wanted, sk_ticker *ticker,
                               surekrig_error *error);
/* Of response q at a point of the block, in the user's units. field: without the nugget; noise: a variance added. */
double sk_block_mean(const sk_block *block, int64_t at, int64_t q);
/* The gamma2 that the variance there comes of, over the spread squared: with local widths or a partner that of an
 * observation over its share, so that the field has the same part of it as kriging says. */
double sk_block_gamma2(const sk_block *block, int64_t at, int64_t q);
double sk_block_sd(const sk_block *block, int64_t at, int64_t q, bool field, double noise);

/* ---- interval.c */

typedef struct sk_intervals {
    int levels;
    const double *level; /* [levels] as the caller gave them */
    double *half;        /* [l][levels] of the width, in sd; NULL: not wanted */
} sk_intervals;

/* Of response q. */
typedef struct sk_prediction {
    int64_t q;
    double mean, sd;
} sk_prediction;

/* levels and level are given, and checked even if no interval is wanted. To be closed also after a failure. */
surekrig_status sk_intervals_open(const surekrig_model *model, bool wanted, sk_intervals *intervals,
                                  surekrig_error *error);
/* Into lower and upper [..][levels], either of which may be NULL, at place `at`. */
void sk_intervals_write(const sk_intervals *intervals, sk_prediction of, int64_t at, double *lower, double *upper);
void sk_intervals_close(sk_intervals *intervals);

/* ---- draw/sequence.c: new places one after another in random order, and whom each is drawn from */

typedef struct sk_places {
    int64_t n;       /* points */
    const double *x; /* [n][d] */
    uint64_t seed;
    int threads;
    sk_ticker *ticker;
} sk_places;

typedef struct sk_sequence {
    int64_t points, n; /* n: different places among the points, without those that are known */
    int64_t k;         /* neighbours: the model's number of data, and half as many places */
    int64_t *place;    /* [points] where in the sequence each is; -1: at a datum without noise */
    int64_t *point;    /* [n] one point there */
    double *x;         /* [n][d] */
    int64_t *neighbor; /* [n][k] data and places before: a row, or the data's rows + a place */
    int64_t *count;    /* [n] how many of the k there are */
    int64_t levels;    /* a place's neighbours among the places are on lower levels than its own, */
    int64_t *first;    /* [levels + 1] where each level begins in */
    int64_t *turn;     /* [n], the places level by level */
} sk_sequence;

surekrig_status sk_sequence_new(const surekrig_model *model, const sk_places *places, sk_sequence *sequence,
                                surekrig_error *error);
void sk_sequence_free(sk_sequence *sequence);

/* ---- heldout/holdout.c: points of the data left out, with neighbours like a target's */

typedef enum sk_geometry {
    SK_GEOMETRY_AUTO,
    SK_GEOMETRY_NEAREST,
    SK_GEOMETRY_TRANSPLANT,
    SK_GEOMETRY_DISTANCE,
    SK_GEOMETRY_THINNED
} sk_geometry;

typedef struct sk_holdout {
    int64_t n, k;
    int64_t *row, *neighbor; /* [n], [n][k] */
    int64_t *target; /* [n] transplant: the number of the draw whose target a row stands for, from 1; else 0. Row and
                        number together name a point: under other settings it is the same one */
    int64_t *count;  /* [n], or NULL: k each */
    double *x;       /* [n][d] */
    sk_geometry geometry; /* as it came out */
    double accepted;      /* transplant: share of the targets for which there was a place */
} sk_holdout;

typedef struct sk_holdout_wish {
    int64_t n;               /* at most */
    uint64_t part;           /* another number, other rows */
    const sk_holdout *avoid; /* not these rows, where there are enough others; may be NULL */
} sk_holdout_wish;

surekrig_status sk_holdout_new(const surekrig_model *model, sk_holdout_wish wish, sk_holdout *holdout,
                               surekrig_error *error);
void sk_holdout_free(sk_holdout *holdout);
/* Inside: a target at random, the i-th of this seed; the places of the rows, into x; and transplant.c, which leaves the
 * rows that were accepted. */
const double *sk_holdout_target(const surekrig_model *model, uint64_t seed, int64_t i);
void sk_holdout_places(const surekrig_model *model, sk_holdout *holdout);
surekrig_status sk_transplant(const surekrig_model *model, uint64_t seed, sk_holdout *holdout, surekrig_error *error);

/* ---- heldout/errors.c: what predicting held-out points comes to */

typedef struct sk_errors {
    int64_t n;
    double *kriged;            /* [n][responses and trend columns] scratch: means without the center */
    double *residual;          /* [n][l] over the response's spread */
    double *variance;          /* [n] of an observation, as a share of gamma2 */
    double *jitter;            /* [n] */
    double *scale;             /* [n][l] the neighbours' own gamma2 over the spread squared, or NULL: not wanted */
    double *scatter;           /* [n][l] of the neighbours, likewise */
    sk_krige_block block;      /* likewise standardised, or of NULLs */
    double neighbours;         /* of all points together */
    struct sk_errors *partner; /* of the model's partner at the same points, or NULL */
} sk_errors;

enum { SK_WANT_SCALE = 1, SK_WANT_BLOCK = 2 };

/* A back end opened on the model's data. */
typedef struct sk_runner {
    const sk_backend *back;
    void *state;
    const double *distance; /* [2] smallest and largest inside neighbourhoods, or NULL: anything */
    sk_ticker *ticker;
    struct sk_runner *partner; /* on the model's partner's, or NULL */
} sk_runner;

surekrig_status sk_runner_open(const surekrig_model *model, sk_runner *runner, surekrig_error *error);
void sk_runner_close(sk_runner *runner);
surekrig_status sk_errors_new(const surekrig_model *model, int64_t n, int wants, sk_errors *errors,
                              surekrig_error *error);
void sk_errors_free(sk_errors *errors);
surekrig_status sk_errors_fill(const surekrig_model *model, const sk_holdout *holdout, const sk_runner *runner,
                               sk_errors *errors, surekrig_error *error);
/* Of response q at point i, over the spread and its square: the error, and the variance that the model's widths give an
 * observation; scales wanted. Where there is a partner: of the two averaged. */
double sk_errors_residual(const surekrig_model *model, const sk_errors *errors, int64_t i, int64_t q);
double sk_errors_variance(const surekrig_model *model, const sk_errors *errors, int64_t i, int64_t q);
sk_signs sk_errors_signs(const surekrig_model *model, const sk_errors *errors, int64_t i,
                         int64_t q); /* without a partner */

typedef enum sk_variance { SK_VARIANCE_GLOBAL, SK_VARIANCE_LOCAL } sk_variance;
typedef enum sk_interval { SK_INTERVAL_GAUSSIAN, SK_INTERVAL_CONFORMAL } sk_interval;
surekrig_status sk_widths_new(int64_t l, bool local, int64_t scores, sk_widths *widths, surekrig_error *error);
surekrig_status sk_widths_copy(const sk_widths *from, int64_t l, sk_widths *to, surekrig_error *error);
void sk_widths_free(sk_widths *widths);
surekrig_status sk_widths_train(surekrig_model *model, const sk_errors *errors, surekrig_error *error);
/* The variance of an observation of response q in units of the spread squared. A partner does not count here. */
double sk_widths_variance(const surekrig_model *model, int64_t q, sk_signs signs);
/* That of two models averaged, from that of each, in units of the first one's spread squared. */
double sk_widths_average(const surekrig_model *model, int64_t q, double own, double partners);

/* ---- heldout/calibrate.c: widths from points beside the batch, where that is wanted; scores of others again, and of
 * the batch */

surekrig_status sk_calibrate(surekrig_model *model, const sk_holdout *batch, const sk_runner *runner,
                             surekrig_error *error);

/* ---- heldout/judge.c: how good models with the same neighbours are, one alone or two averaged */

typedef struct sk_judges {
    sk_holdout points;
    int64_t l;      /* responses */
    bool noise;     /* variances are known, whatever the errors say */
    int64_t *order; /* [points] such that points near one another follow one another */
} sk_judges;

/* What the points say of a model. */
typedef struct sk_judged {
    double *residual, *sd; /* [n][l] over the response's spread */
} sk_judged;

/* judges: zero at first. data: for its targets. The model's gamma2 and widths become those that the points want. */
surekrig_status sk_try_model(sk_judges *judges, surekrig_model *model, const surekrig_data *data, sk_judged *judged,
                             surekrig_error *error);
void sk_judges_free(sk_judges *judges);
void sk_judged_free(sk_judged *judged);
/* The mean CRPS and its standard error, from regions of the data, into the trial. other: averaged with, or NULL. */
surekrig_status sk_judged_score(const sk_judges *judges, const sk_judged *one, const sk_judged *other,
                                surekrig_trial *trial, surekrig_error *error);

/* ---- choose.c: auto = yes */

#define SK_CHOSEN 0.5 /* share of the progress, when this is done */

typedef struct sk_choice {
    surekrig_settings *settings; /* those to train with */
    surekrig_settings *partner;  /* those of a simpler model to average with, or NULL */
    int trials;
    surekrig_trial trial[SK_TRIALS];
} sk_choice;

surekrig_status sk_choose(const surekrig_data *data, const surekrig_settings *settings,
                          const surekrig_progress *progress, sk_choice *choice, surekrig_error *error);
/* fit.c: a model trained as its settings say, auto = no; calibrated, or still without widths and scores. */
surekrig_status sk_fit_plain(const surekrig_data *data, const surekrig_settings *settings, bool calibrated,
                             const surekrig_progress *progress, surekrig_model **model, surekrig_error *error);

/* ---- training.c: the batch, the search space, and the leave-one-out objective over it */

/* Which hyperparameter an axis of the search is. */
typedef enum sk_role {
    SK_ROLE_NU,
    SK_ROLE_RHO,
    SK_ROLE_TAU2,
    SK_ROLE_NOISE, /* tau2 over the structural share of variance at the neighbours' distance, 1 - M */
    SK_ROLE_GAMMA2,
    SK_ROLE_LONG_SHARE,
    SK_ROLE_LONG_RATIO,
    SK_ROLE_LONG_NU
} sk_role;

#define SK_TAU2_LOWEST 1e-8 /* where an automatic nugget is searched */
#define SK_TAU2_HIGHEST 1.0
#define SK_SCALE_EXPECTED 10.0 /* an automatic gamma2 above this, in the response's variance, costs */
#define SK_SCALE_PRICE 0.01    /* this, times its log squared, in units of the mean loss: docs/decisions.md */

typedef struct sk_training {
    surekrig_model *m;
    sk_runner run;
    sk_holdout batch;
    sk_errors errors;   /* of the latest evaluation; with given noise its variances are times gamma2 */
    double distance[2]; /* smallest and largest between the points of a neighbourhood */
    double *offset;     /* [d]: root mean square from a point to its neighbours, axis by axis */
    double *rho_unit;   /* [d]: what a searched rho is multiplied by */
    int axes;
    surekrig_axis *axis; /* [axes] */
    sk_role *role;       /* [axes] */
    int64_t *rho_axis;   /* [axes]: the feature of a ROLE_RHO, or -1 for all */
    sk_loss loss;
    double *z, *scale_range; /* [levels], [2][l] */
    sk_verdict verdict;
    double *theta;              /* [capacity][axes] of all evaluations */
    sk_evaluation **evaluation; /* [capacity]; NULL where the covariance was singular */
    int64_t count, capacity;
    const double *best_lambda; /* the multipliers of the progress report's objective */
    int64_t planned;           /* evaluations, for the progress report, and those forgotten */
    int64_t forgotten;
    sk_ticker ticker;
} sk_training;

/* Draws the batch, finds its neighbours, lays out what is searched. t holds nothing after a failure. */
surekrig_status sk_training_open(surekrig_model *model, const surekrig_progress *progress, sk_training *training,
                                 surekrig_error *error);
void sk_training_close(sk_training *training);
void sk_training_forget(sk_training *training); /* its evaluations */
sk_objective sk_training_objective(sk_training *training);
/* gradient.c: the smoothed Lagrangian of the latest evaluation, and its derivatives by theta (optimize.h). */
surekrig_status sk_training_gradient(void *training, const double *lambda, double beta, double *value, double *by_theta,
                                     surekrig_error *error);
/* space.c: the axes, the fixed values of what is not searched, and the hyperparameters that a point of the search
 * means. */
surekrig_status sk_training_space(sk_training *training, surekrig_error *error);
void sk_training_set_theta(sk_training *training, const double *theta);
/* report.c: sets the model's hyperparameters to an evaluation's, judged under a round's multipliers. */
void sk_training_adopt(sk_training *training, int64_t evaluation, const sk_round *round);
/* Adopts the result and fills the model's report, but for what sk_calibrate adds to it. */
surekrig_status sk_training_report(sk_training *training, const sk_result *result, surekrig_error *error);
/* The batch's errors under the model's hyperparameters. */
surekrig_status sk_training_krige(sk_training *training, surekrig_error *error);

#endif
