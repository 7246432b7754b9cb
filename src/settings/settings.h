/* What the user asks for: one table of settings, their parsed values, and the plan of a search that follows from them.
 */
#ifndef SK_SETTINGS_H
#define SK_SETTINGS_H

#include "base/base.h"
#include "kernel/kernel.h"
#include "krige/krige.h"
#include "loss/loss.h"
#include "optimize/optimize.h"

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

/* The words of settings that the rooms to the right ask about. */
typedef enum sk_nodes { SK_NODES_NO, SK_NODES_YES, SK_NODES_AUTO } sk_nodes;
typedef enum sk_anisotropic { SK_ANISOTROPIC_NO, SK_ANISOTROPIC_YES, SK_ANISOTROPIC_AUTO } sk_anisotropic;
typedef enum sk_metric_choice { SK_METRIC_FITTED, SK_METRIC_START } sk_metric_choice;
typedef enum sk_nearest { SK_SEARCH_AUTO, SK_SEARCH_EXACT, SK_SEARCH_APPROXIMATE } sk_nearest;
#define SK_FIVE_LEVELS "0.9,0.925,0.95,0.975,0.99"
#define SK_TOLD_LEVEL 0.95 /* of the intervals that a fit tells of */
typedef enum sk_variance { SK_VARIANCE_GLOBAL, SK_VARIANCE_LOCAL, SK_VARIANCE_AUTO } sk_variance;
typedef enum sk_interval {
    SK_INTERVAL_GAUSSIAN,
    SK_INTERVAL_CONFORMAL,
    SK_INTERVAL_AUTO,
    SK_INTERVAL_STUDENT
} sk_interval;
typedef enum sk_spacetime { SK_SPACETIME_AUTO, SK_GEOMETRIC, SK_SEPARABLE, SK_GNEITING } sk_spacetime;
/* What the search has beyond the paper's: bits of the setting aids, in the order of its words. */
typedef enum sk_aid {
    SK_AID_SUGGEST = 1,
    SK_AID_ARCHIVE = 2,
    SK_AID_LIMITS = 4,
    SK_AID_BEND = 8,
    SK_AID_LOG = 16,
    SK_AID_STOP = 32
} sk_aid;
typedef enum sk_geometry {
    SK_GEOMETRY_AUTO,
    SK_GEOMETRY_NEAREST,
    SK_GEOMETRY_TRANSPLANT,
    SK_GEOMETRY_DISTANCE,
    SK_GEOMETRY_THINNED,
    SK_GEOMETRY_SIMILAR,
    SK_GEOMETRY_TASK,
    SK_GEOMETRY_GROUP /* not a word of the setting */
} sk_geometry;

/* The parsed values; -1 stands for "auto" in the counts. */
struct surekrig_settings {
    int64_t neighbors, batch, terms, calibration;
    int sectors, nodes, search, loss, constraint, anisotropic, mean, holdout, variance, interval, choose, scaling,
        optimizer, acquisition, select, backend, kernel, metric, spacetime, time_unit, aids;
    int trend, distance, sphere, group, time, by; /* names: their text */
    double huber, tolerance, beta, growth, kappa, seconds;
    double turn; /* degrees; infinite: auto */
    sk_levels coverage;
    sk_parameter nu, rho, tau2, gamma2, long_ratio, long_share, long_nu, time_nu, time_mix;
    int64_t rounds, initial, evaluations, polish, threads;
    uint64_t seed;
    char **text;    /* [settings] as given */
    uint64_t given; /* bit i: row i of the table was set, be it to its default */
};

surekrig_status sk_settings_copy(const surekrig_settings *from, surekrig_settings **to, surekrig_error *error);
const char *sk_backend_name(const surekrig_settings *settings);
const char *sk_kernel_name(const surekrig_settings *settings);
const char *sk_setting_names(const surekrig_settings *settings, const char *name); /* "all" or "lon,lat" */
bool sk_setting_given(const surekrig_settings *settings, const char *name);        /* by the caller or by a preset */
int sk_thread_setting(const surekrig_settings *settings);                          /* 0: as many as the machine has */

/* ---- minimize.c */

/* The plan that settings make for a search, by an automatic optimizer where they leave it open; resolution: the smallest
 * step a constraint can make. */
sk_plan sk_plan_from(const surekrig_settings *settings, sk_optimizer automatic, int axes, int constraints,
                     double resolution);

#endif
