/* The model itself: data, coordinates, hyperparameters, the widths of its intervals, and what it reports.
 *
 * Units stand in names. NAME_share: a share of gamma2. NAME_std: standardised, over the response's spread or, of a
 * variance, over its square, so that it cannot overflow. Without either: the user's units. */
#ifndef SK_MODEL_H
#define SK_MODEL_H

#include "data/data.h"
#include "krige/krige.h"
#include "mean/mean.h"
#include "settings/settings.h"
#include "spread/spread.h"

/* ---- hyper.c: the hyperparameters, one vector and one table of them */
typedef struct sk_hyper {
    int64_t d, l, time;                      /* coordinates, responses; the coordinate of a factor in time, or -1 */
    double nu, tau2;                         /* tau2 is a share of gamma2 */
    double long_share, long_ratio, long_nu;  /* of the second term; share 0: there is none */
    double time_nu, time_mix;                /* of that factor; infinite: there is none */
    double *rho;                             /* [d]; infinite where a coordinate does not count in distances */
    double *long_rho, *space_rho, *time_rho; /* [d] ratio times rho, and that of each factor alone: sk_hyper_settle */
    double *gamma2_std;                      /* [l] */
} sk_hyper;

surekrig_status sk_hyper_new(int64_t d, int64_t l, sk_hyper *hyper, surekrig_error *error);
void sk_hyper_free(sk_hyper *hyper);
void sk_hyper_copy(const sk_hyper *from, sk_hyper *to); /* between two of one size */
void sk_hyper_settle(sk_hyper *hyper);                  /* sets what follows from the others */

/* A row: one kind of hyperparameter, as the user asks for it, as it is searched, reported and stored. Rows without a
 * setting follow from the data and the others; they are only reported. */
typedef struct sk_hyper_row {
    const char *name; /* of the setting, and of the estimates, with a column's name behind it where there are several */
    const sk_parameter *(*asked)(const surekrig_settings *settings);
    int turn;               /* in the search: the order of its axes */
    double start;           /* where a search in a range begins that names no start; NaN: in its middle */
    double lowest, highest; /* possible values */
    int64_t (*estimates)(const surekrig_model *model);
    double (*estimate)(const surekrig_model *model, const sk_hyper *hyper, int64_t i); /* in the user's units */
    void (*label)(const surekrig_model *model, int64_t i, char *name);                 /* [72] */
    int by;                         /* which derivative of kriging's (krige.h) is that of its logarithm; these below */
    double *(*at)(sk_hyper *hyper); /* where its values are, in the vector's units; NULL: not in it */
    int64_t (*count)(const sk_hyper *hyper); /* how many of them */
} sk_hyper_row;

enum { SK_HYPER_BY_NONE = -2, SK_HYPER_BY_RHO = -1 };               /* none; those of the coordinates */
enum { SK_HYPER_NU, SK_HYPER_RHO, SK_HYPER_TAU2, SK_HYPER_GAMMA2 }; /* the rows that others name */
const sk_hyper_row *sk_hyper_row_at(int number); /* in the order of the estimates; NULL past the last */
const sk_hyper_row *sk_hyper_in_turn(int turn);  /* likewise in the order of the search */
int64_t sk_hyper_first(const surekrig_model *model, const sk_hyper_row *row); /* which estimate is its first */
void sk_hyper_estimates(const surekrig_model *model, const sk_hyper *hyper, double *value); /* [estimates] */
int64_t sk_hyper_label(const surekrig_model *model, surekrig_estimate *estimate); /* names them, or only counts: NULL */
bool sk_hyper_possible(const sk_hyper *hyper);                                    /* numbers from a file */

/* ---- widths.c: held-out errors say how kriging's variance v, neighbours' scale s (krige.h) and scatter c tell
 *   log variance = b0 + b1 log v + b2 log^2 v + b3 log s + b4 log v log s + b5 log c
 * s and c with one neighbour more that has gamma2; all off their means and within what was seen. At v beyond the largest
 * seen, V, it fades into that of errors farther off, then into log(gamma2 v). Sorted |error| / sd are the scores. */
enum { SK_WIDTH_SIGNS = 3, SK_WIDTH_TERMS = 6 };
typedef struct sk_signs { /* what a point's surroundings tell of its error: v of an observation, s and c */
    double variance_share, scale_std, scatter_std;
} sk_signs;

typedef struct sk_widths {
    bool local;                  /* else gamma2 v */
    double *coefficient;         /* [l][SK_WIDTH_TERMS] */
    double *low, *high, *middle; /* [l][SK_WIDTH_SIGNS] of log v, log s and log c */
    int64_t scores;              /* 0: normal quantiles */
    double *score;               /* [l][scores] increasing */
    double *shared;    /* [l] of two models averaged: the factor of their mean variance, since errors cancel; else 1 */
    double *floor_std; /* [l] no observation's variance is less; NULL: none */
    struct sk_widths *farther; /* coefficients and ranges of errors farther from the data; NULL: none */
} sk_widths;

surekrig_status sk_widths_new(int64_t l, bool local, int64_t scores, sk_widths *widths, surekrig_error *error);
surekrig_status sk_widths_copy(const sk_widths *from, int64_t l, sk_widths *to, surekrig_error *error);
void sk_widths_free(sk_widths *widths);
double sk_widths_one_more(const surekrig_model *model, int64_t q); /* what that neighbour adds to s and c */
void sk_widths_logarithms(const surekrig_model *model, int64_t q, sk_signs signs, double *u); /* [SK_WIDTH_SIGNS] */
/* The terms that b multiplies, into f; returns what log v has beyond what was seen. */
double sk_widths_terms(const surekrig_model *model, const sk_widths *widths, int64_t q, sk_signs signs, double *f);
/* The variance of an observation of response q, without a partner; and that of two models averaged, from each one's. */
double sk_widths_variance_std(const surekrig_model *model, int64_t q, sk_signs signs);
double sk_widths_average_std(const surekrig_model *model, int64_t q, double own, double partners);
double sk_student_scale(const surekrig_model *model); /* rows over degrees of freedom, at least 1; 1 without these */

/* ---- model.c: the object itself */
enum { SK_PHASES = 3, SK_TRIALS = 12 };

struct surekrig_model {
    surekrig_data data; /* as given: owned, names included; targets are the caller's, while training */
    sk_metric metric;
    bool anisotropic;      /* as the settings say, or as the data ask for it where that is auto */
    sk_scaling scaling;    /* likewise */
    surekrig_data kriged;  /* x: coordinates; y: responses less the trend, then its columns. Owned if not the data's */
    sk_frame frame;        /* of the coordinates */
    sk_repeats repeats;    /* rows that share a place */
    bool indexed;          /* what is looked into is there: */
    surekrig_index *index; /* of own rows, unless others are (rows.c) */
    double *center, *spread; /* [l + trend columns]; spread 1 for a trend's column */
    sk_trend trend;
    sk_hyper hyper;
    sk_widths widths;
    double lattice[3];       /* of nodes (predict/nodes.c): its origin, and its pitch in sides; 0: none */
    struct sk_held *held;    /* where rows are on many ranks (rows.c); NULL: all are here */
    surekrig_ranks *sharers; /* with whom, all having all rows, kriging is shared; or NULL */
    surekrig_settings *settings;
    surekrig_info info; /* its pointers lead to what follows and above */
    char version[32];
    surekrig_estimate *estimate;
    double *level, *coverage, *box; /* box: [2][features] */
    surekrig_round *round;
    double *history, *trace; /* [evaluations][1 + levels], or NULL; of each round lambda, coverage and theta */
    surekrig_phase phase[SK_PHASES];
    surekrig_trial trial[SK_TRIALS];
    surekrig_model *partner; /* a simpler one, to be averaged with, or NULL. Its data, frame and index are this one's */
};

/* A model holding copies of the data and the settings, with all that follows from these but the index. */
surekrig_status sk_model_new(const surekrig_data *data, const surekrig_settings *settings, surekrig_model **model,
                             surekrig_error *error);
surekrig_status sk_model_index(surekrig_model *model, surekrig_error *error); /* by its frame, if there is none yet */
bool sk_model_has_metric(const surekrig_model *model);                        /* a fitted one */
/* Neighbours are the nearest where coordinates are divided by side: of an index to come, or of one that is made anew. */
void sk_model_set_sides(surekrig_model *model, const double *side);
surekrig_status sk_model_reframe(surekrig_model *model, const double *side, surekrig_error *error);
surekrig_status sk_model_shape(surekrig_model *model, int levels, int rounds,
                               surekrig_error *error);              /* room for the report */
void sk_model_join(surekrig_model *model, surekrig_model *partner); /* takes over one made from the same data */
/* Where predictions will be wanted, while training lasts. */
surekrig_status sk_model_take_targets(surekrig_model *model, const surekrig_data *data, surekrig_error *error);
void sk_model_forget_targets(surekrig_model *model);
bool sk_model_unknown_mean(const surekrig_model *model);
/* Of all rows (rows.c): as settings ask, row (or NULL) being left out with its place; find: as the query says. */
surekrig_status sk_model_neighbors(const surekrig_model *model, surekrig_neighbor_query query, int64_t *neighbor,
                                   int64_t *count, surekrig_error *error);
surekrig_status sk_model_find(const surekrig_model *model, const surekrig_neighbor_query *query, int64_t *neighbor,
                              int64_t *count, surekrig_error *error);
void sk_model_derive(const surekrig_model *model);         /* coordinates and trend of rows that came since */
const sk_seek *sk_model_seek(const surekrig_model *model); /* among the rows of many ranks, where there are such */
double sk_model_slack(const surekrig_model *model);        /* of its search for neighbours; 0: exact */
void sk_model_detrend(surekrig_model *model); /* takes the trend as it now is off the responses that are kriged */
/* What hyperparameters mean to kriging: the covariance's shape, and what the noise variances are multiplied by. */
surekrig_theta sk_model_theta(const surekrig_model *model, const sk_hyper *hyper, surekrig_term term[2]);
const sk_family *sk_model_family(const surekrig_model *model, const sk_hyper *hyper); /* of the first term */
bool sk_model_can_hold(const surekrig_model *model, int64_t response, double y);      /* squares must not overflow */
double sk_model_gamma2(const surekrig_model *model, const sk_hyper *hyper, int64_t response);
double sk_model_noise_share(const surekrig_model *model, const sk_hyper *hyper);

#endif
