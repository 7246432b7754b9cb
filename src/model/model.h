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

/* ---- settings.c */

enum { SK_LIST_MAX = 64 };
_Static_assert(SK_LIST_MAX <= SK_LEVELS_MAX, "as many levels can be judged as can be asked");

typedef enum sk_how { SK_AUTO, SK_FIXED, SK_RANGE } sk_how;

/* A hyperparameter as the user asks for it: "auto", "0.5", "0.1,0.4", "0.05:2.5" or, with a start, "0.05:0.5:2.5". */
typedef struct sk_parameter {
    sk_how how;
    int count;                 /* fixed values given */
    double fixed[SK_LIST_MAX];
    double lower, start, upper; /* start NaN: not given */
} sk_parameter;

typedef struct sk_levels {
    int count;
    double alpha[SK_LIST_MAX];
} sk_levels;

/* The parsed values; -1 stands for "auto" in the counts. */
struct surekrig_settings {
    int64_t neighbors, batch;
    int loss, constraint, anisotropic, mean, scaling, optimizer, acquisition, select, backend;
    double huber, tolerance, beta, growth, kappa, seconds;
    sk_levels coverage;
    sk_parameter nu, rho, tau2, gamma2;
    int64_t rounds, initial, evaluations, polish, threads;
    uint64_t seed;
    char **text; /* [settings] as given */
};

surekrig_status sk_settings_copy(const surekrig_settings *from, surekrig_settings **to, surekrig_error *error);
const char *sk_backend_name(const surekrig_settings *settings);
int sk_thread_setting(const surekrig_settings *settings); /* 0: as many as the machine has */

/* ---- minimize.c */

/* The plan that settings make for a search; resolution: the smallest step a constraint can make. */
sk_plan sk_plan_from(const surekrig_settings *settings, int axes, int constraints, double resolution);

/* ---- model.c: the object itself */

enum { SK_PHASES = 3 };

struct surekrig_model {
    surekrig_data data; /* owned, names included */
    sk_frame frame;
    surekrig_index *index;
    double *center, *spread; /* [l] */
    double nu, tau2;
    double *rho;             /* [d], the user's units */
    double *scale;           /* [l]: gamma2 / spread^2, which has no units and so cannot overflow */
    surekrig_settings *settings;
    surekrig_info info;      /* its pointers lead to what follows and above */
    char version[32];
    double *box;             /* [2][d] */
    surekrig_estimate *estimate;
    double *level, *coverage;
    surekrig_round *round;
    double *trace;           /* [rounds][2 levels + estimates]: lambda, coverage, theta of each round */
    surekrig_phase phase[SK_PHASES];
};

/* A model holding copies of the data and the settings, with its frame, index and mean: all that follows from these. */
surekrig_status sk_model_new(const surekrig_data *data, const surekrig_settings *settings, surekrig_model **model,
                             surekrig_error *error);
/* Room for the report, every number zero, the estimates named: "nu", "rho" or "rho_NAME", "tau2", "gamma2", "mean". */
surekrig_status sk_model_shape(surekrig_model *model, int levels, int rounds, surekrig_error *error);
/* Whether each feature has a length scale of its own to report. */
bool sk_model_rho_differs(const surekrig_settings *settings);
/* The hyperparameters in the order of the estimates, out of the model's fields. */
void sk_model_values(const surekrig_model *model, double *value);
double sk_model_gamma2(const surekrig_model *model, int64_t response); /* in the user's units */
/* The covariance's shape, and what the data's noise variances are multiplied by (krige.h). */
surekrig_theta sk_model_theta(const surekrig_model *model, surekrig_term *term);
double sk_model_noise_share(const surekrig_model *model);

/* ---- training.c: the batch, the search space, and the leave-one-out objective over it */

/* Which hyperparameter an axis of the search is. */
typedef enum sk_role {
    SK_ROLE_NU,
    SK_ROLE_RHO,
    SK_ROLE_TAU2,
    SK_ROLE_NOISE, /* tau2 over the structural share of variance at the neighbours' distance, 1 - M */
    SK_ROLE_GAMMA2
} sk_role;

#define SK_TAU2_LOWEST 1e-8 /* where an automatic nugget is searched */
#define SK_TAU2_HIGHEST 1.0
#define SK_SCALE_EXPECTED 10.0 /* an automatic gamma2 above this, in the response's variance, costs */
#define SK_SCALE_PRICE 0.01    /* this, times its log squared, in units of the mean loss: docs/decisions.md */

typedef struct sk_training {
    surekrig_model *m;
    const sk_backend *back;
    void *state;
    int64_t b, k;
    int64_t *row, *neighbor; /* [b], [b][k] */
    double *x;               /* [b][d] */
    double distance[2];      /* smallest and largest between the points of a neighbourhood */
    double *offset;          /* [d]: root mean square from a point to its neighbours, axis by axis */
    double *mean, *variance, *jitter; /* [b][l], [b], [b] of the latest evaluation */
    double *residual;        /* [b][l], standardised */
    double *rho_unit;        /* [d]: what a searched rho is multiplied by */
    int axes;
    surekrig_axis *axis;     /* [axes] */
    sk_role *role;             /* [axes] */
    int64_t *rho_axis;       /* [axes]: the feature of a ROLE_RHO, or -1 for all */
    sk_loss loss;
    double *z, *scale_range; /* [levels], [2][l] */
    sk_verdict verdict;
    double *theta;           /* [capacity][axes] of all evaluations */
    sk_evaluation **evaluation; /* [capacity]; NULL where the covariance was singular */
    int64_t count, capacity;
    const double *best_lambda; /* the multipliers of the progress report's objective */
    int64_t planned;         /* evaluations, for the progress report */
    sk_ticker ticker;
} sk_training;

/* Draws the batch, finds its neighbours, lays out what is searched. t holds nothing after a failure. */
surekrig_status sk_training_open(surekrig_model *model, const surekrig_progress *progress, sk_training *training,
                                 surekrig_error *error);
void sk_training_close(sk_training *training);
sk_objective sk_training_objective(sk_training *training);
/* gradient.c: the smoothed Lagrangian of the latest evaluation, and its derivatives by theta (optimize.h). */
surekrig_status sk_training_gradient(void *training, const double *lambda, double beta, double *value, double *by_theta,
                                     surekrig_error *error);
/* space.c: the axes, the fixed values of what is not searched, and the hyperparameters that a point of the search means. */
surekrig_status sk_training_space(sk_training *training, surekrig_error *error);
void sk_training_set_theta(sk_training *training, const double *theta);
/* Mean, variance and residual of the batch under the model's hyperparameters. */
surekrig_status sk_training_krige(sk_training *training, surekrig_error *error);

#endif
