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

/* ---- model.c: the object itself */

struct surekrig_model {
    surekrig_data data; /* owned, names included */
    sk_frame frame;
    surekrig_index *index;
    double *center, *spread; /* [l] */
    double nu, tau2;
    double *rho;             /* [d], the user's units */
    double *gamma2;          /* [l], the user's units */
    surekrig_info info;      /* its pointers are owned */
};

/* An empty model holding copies of the data and the settings. */
surekrig_status sk_model_new(const surekrig_data *data, const surekrig_settings *settings, surekrig_model **model,
                             surekrig_error *error);
/* Frame, index and mean: what follows from the data and the settings alone. */
surekrig_status sk_model_prepare(surekrig_model *model, surekrig_error *error);
/* Room for the trace: estimates, levels and rounds, every number zero. */
surekrig_status sk_model_shape(surekrig_model *model, int estimates, int levels, int rounds, surekrig_error *error);
/* The estimates' names: "nu", "rho" or one "rho_NAME" an axis, "tau2", "gamma2", "mean". */
int sk_model_estimates(const surekrig_model *model, bool each_axis);
void sk_model_name_estimates(surekrig_model *model, bool each_axis);
surekrig_theta sk_model_theta(const surekrig_model *model, surekrig_term *term);

#endif
