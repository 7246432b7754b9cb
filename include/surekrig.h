/* surekrig: Gaussian-process regression by nearest-neighbour kriging, with intervals that points left out have set.
 *
 * Three calls do the job: surekrig_fit, surekrig_predict, surekrig_score. Below them stand the stages they are made of.
 *
 *   - Arrays are row-major double; counts are int64_t. Inputs are borrowed and never written; outputs come last.
 *   - A function that can fail returns a surekrig_status and, if the caller passes a surekrig_error, a sentence with
 *     the numbers in it. A failed call leaves its outputs untouched, but where a function says otherwise. The library
 *     never prints or exits.
 *   - Whatever a function gives out through a pointer-to-pointer belongs to the caller; its free function accepts NULL.
 *   - Same data, settings and seed: the same bits, whatever the number of threads.
 *   - A model, an index or settings may be used by many threads at once, as long as none changes or frees them.
 *   - NULL does for settings (all defaults), progress (none) and error (no sentence wanted). Any other pointer that is
 *     needed and is NULL is refused with a sentence where a call can fail; where it cannot, the answer is NULL, NAN or 0.
 *   - What a process has once: a pool of threads, made when first wanted and kept to its end (with signals blocked; a
 *     child of fork makes its own), which is why the shared library is never unloaded; and what control groups allow of
 *     the machine, read once. Where threads is 0 the environment's OMP_NUM_THREADS is read, at each call. Numbers as
 *     text are those of the C locale whatever the program's, which is left as it is. Model files are SQLite's, which
 *     keeps a little of its own. Results do not depend on any of it.
 *   - A model keeps a copy of the data and of the features once more in its index; training keeps batch x responses
 *     doubles for each evaluation.
 *
 * How structs grow. Those that the caller makes are to be zero where nothing is said: use designated initialisers, as
 * (surekrig_query){.n = n, .x = x}, or {0}. A new field comes last, and its zero means what was before it, so that a
 * program that is compiled again goes on working. One that is not is safe, too: structs grow only with
 * SUREKRIG_VERSION_MINOR, which the shared library's name has (libsurekrig.so.0.1) and every symbol (SUREKRIG_0.1), so
 * the loader never joins it to a library with longer ones. surekrig_info alone, which the library makes and the caller
 * reads through a pointer, may grow at its end with any version.
 *
 * Matérn parametrisation everywhere: u = sqrt(2 nu) |x - x'| / rho,  M(u) = 2^(1-nu)/Gamma(nu) u^nu K_nu(u).
 * nu = INFINITY is the Gaussian kernel exp(-|x - x'|^2 / (2 rho^2)), as the kernel "gaussian" is.  Equations (M1)...
 * are in docs/algorithm.md. */
#ifndef SUREKRIG_H
#define SUREKRIG_H

#include <stddef.h>
#include <stdint.h>

#define SUREKRIG_VERSION_MAJOR 0
#define SUREKRIG_VERSION_MINOR 1
#define SUREKRIG_VERSION_PATCH 0
#define SUREKRIG_TEXT_OF(word) #word
#define SUREKRIG_TEXT(macro) SUREKRIG_TEXT_OF(macro)
#define SUREKRIG_VERSION                                                                                               \
    SUREKRIG_TEXT(SUREKRIG_VERSION_MAJOR)                                                                              \
    "." SUREKRIG_TEXT(SUREKRIG_VERSION_MINOR) "." SUREKRIG_TEXT(SUREKRIG_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------------- outcome of a call */

typedef enum surekrig_status {
    SUREKRIG_OK = 0,
    SUREKRIG_INVALID, /* an argument or a setting is not possible */
    SUREKRIG_DATA,    /* the data do not allow what was asked: no rows, a constant column, an infinite value */
    SUREKRIG_MEMORY,
    SUREKRIG_FILE,    /* a file cannot be read or written, or is not what it should be */
    SUREKRIG_NUMERIC, /* a covariance stays singular whatever the jitter */
    SUREKRIG_STOPPED  /* the progress callback asked to stop before there was anything to return */
} surekrig_status;

typedef struct surekrig_error {
    surekrig_status status;
    char sentence[512];
} surekrig_error;

const char *surekrig_version(void); /* of the library that runs: "0.1.0" */

/* What is going on, a few times a second, always from the calling thread. */
typedef struct surekrig_progress_report {
    const char *phase;   /* "training", "prediction", "validation" or "simulation" */
    double done;         /* share of the phase, 0 to 1 */
    int64_t evaluations; /* training: objective evaluations so far */
    double objective;    /* training: best value of L so far; NaN before the first */
    double coverage;     /* training: coverage there at the level nearest 0.95; NaN without a constraint */
} surekrig_progress_report;

/* An answer other than 0 stops the call. A fit that has evaluated something then returns its best model, unless it was
 * still choosing between models (auto), settling a trend, or about to give two features a length scale each. */
typedef struct surekrig_progress {
    int (*report)(void *user, const surekrig_progress_report *report);
    void *user;
} surekrig_progress;

/* ------------------------------------------------------------------------------------------------------ settings */

/* One row of the table that drives defaults, checks, command-line options and docs/settings.md. */
typedef struct surekrig_setting {
    const char *name;
    const char *fallback; /* default, as text */
    const char *takes;    /* what values it takes, as text */
    const char *sentence;
} surekrig_setting;

typedef struct surekrig_settings surekrig_settings;

/* The table's rows, numbered from 0; NULL past the last. */
const surekrig_setting *surekrig_settings_row(int number);
surekrig_status surekrig_settings_new(surekrig_settings **settings, surekrig_error *error);
void surekrig_settings_free(surekrig_settings *settings);
/* value as on the command line: "50", "0.05:2.5", "auto", "0.9,0.95". "preset" sets every other setting, those it does
 * not speak of to their defaults: set it first. */
surekrig_status surekrig_settings_set(surekrig_settings *settings, const char *name, const char *value,
                                      surekrig_error *error);
/* The current value as text, owned by settings; NULL for an unknown name. */
const char *surekrig_settings_get(const surekrig_settings *settings, const char *name);
/* 1: it was set by name, be it to its default; what a preset says does not count. */
int surekrig_settings_given(const surekrig_settings *settings, const char *name);
/* The feature that is plainly time: one called time, date, day, year or the like, beside the two coordinates of a map and
 * at most one feature more. -1: none, or one of time, group, anisotropic, distance, rho, turn and terms was set by name,
 * or the preset is coverage or paper. surekrig_fit takes it as if `time` named it. */
int surekrig_settings_time(const surekrig_settings *settings, int64_t d, const char *const *x_names);

/* ---------------------------------------------------------------------------------------- fit, predict and score */

typedef struct surekrig_ranks surekrig_ranks;

typedef struct surekrig_data {
    int64_t n, d, l;            /* points, features, responses */
    const double *x;            /* [n][d] */
    const double *y;            /* [n][l] */
    const double *noise;        /* [n] known noise variances in units of y^2 (l = 1), or NULL */
    const char *const *x_names; /* [d] or NULL */
    const char *const *y_names; /* [l] or NULL */
    int64_t targets;            /* where predictions will be wanted, so that training can look at points like these; */
    const double *target;       /* [targets][d] or NULL. surekrig_fit alone uses it */
    const int64_t *group; /* [n] a number of rows that are left out together, or NULL: none, or what the setting by says
                             of features */
    surekrig_ranks *ranks; /* of which each has a part of the rows, one after another, of which these are this one's
                              (surekrig_mpi.h); NULL: all rows are here */
} surekrig_data;

typedef struct surekrig_model surekrig_model;

surekrig_status surekrig_fit(const surekrig_data *data, const surekrig_settings *settings,
                             const surekrig_progress *progress, surekrig_model **model, surekrig_error *error);
/* New data under the hyperparameters of an old model, with its trend and the widths of its intervals: nothing is
 * trained, and on the old data it predicts as the old one. */
surekrig_status surekrig_refit(const surekrig_data *data, const surekrig_model *from, surekrig_model **model,
                               surekrig_error *error);

/* New widths of the model's intervals: for n places x: [n][d], from errors at points of its own data that are left out
 * with surroundings like theirs. Its hyperparameters and means stay. From 200 data on, intervals become local and
 * conformal. After a failure the model is of no more use. */
surekrig_status surekrig_calibrate(surekrig_model *model, int64_t n, const double *x, surekrig_error *error);
void surekrig_model_free(surekrig_model *model);

typedef struct surekrig_query {
    int64_t n;           /* points asked */
    const double *x;     /* [n][d]; a row with a NaN gets NaN */
    int latent;          /* 0: sd of a new observation; 1: sd of the field without the nugget */
    int threads;         /* 0: as many as the machine has */
    const double *noise; /* [n] noise variances of the new observations, added to the nugget's, or NULL (l = 1) */
    int levels;          /* of lower and upper; 0: no intervals */
    const double *level; /* [levels] each between 0 and 1 */
    int apart;           /* 1: of many ranks each asks for points of its own, as many as it likes, and learns of these
                            alone; 0: all ask for the same, and all learn all */
} surekrig_query;

typedef struct surekrig_prediction {
    double *mean;      /* [n][l], the caller's; NULL if not wanted */
    double *sd;        /* [n][l], likewise; without it, lower and upper the variance is not computed */
    int64_t jittered;  /* out: neighbourhoods whose covariance needed jitter */
    double max_jitter; /* out: the largest, as a share of gamma2 */
    double *lower;     /* [n][l][levels] mean - surekrig_model_quantile sd, the caller's; NULL if not wanted */
    double *upper;     /* [n][l][levels] mean + ..., likewise */
    int64_t beyond;    /* out, where sd or an interval is wanted: points with less to go by than those left out among
                          the data (seen_share): errors are larger there, and intervals less sure */
} surekrig_prediction;

/* Works in spans of points, 2^18 or, where places share a lattice's nodes, as many as there are rows (2^22 at most):
 * memory does not grow with n beyond a span's. A call that fails or is stopped midway leaves the arrays
 * half written. */
surekrig_status surekrig_predict(const surekrig_model *model, const surekrig_query *query,
                                 const surekrig_progress *progress, surekrig_prediction *prediction,
                                 surekrig_error *error);

/* Which points' predictions are made without the first `fence` rows of the model's data: within [query.n], 1 or 0; of a
 * point without all its features, which has no prediction, 1. Whoever holds a part of the data learns where it
 * suffices: the first rows are a fence, at the places where the part ends, and the part follows. Of equally near rows the
 * first is taken, so that a row beyond the fence is never as near as those that were. */
surekrig_status surekrig_within(const surekrig_model *model, const surekrig_query *query, int64_t fence, int *within,
                                surekrig_error *error);

/* Cross-validation of a model on its own data. Nothing is trained again: the hyperparameters have seen all of them. */
typedef struct surekrig_validation {
    int64_t blocks; /* 0: each point is predicted without itself; else the data are cut into so many compact blocks of
                       about equal size, and each point is predicted without its own */
    int64_t rows;   /* so many of the data's rows, drawn at random; 0: all */
    uint64_t seed;  /* of that draw */
    int threads;    /* 0: as many as the machine has */
    int levels;     /* of lower and upper; 0: no intervals */
    const double *level;  /* [levels] each between 0 and 1 */
    const char *by;       /* each point is predicted without its group: what the model's setting by says, or features
                            that are alike, as "lon,lat"; or NULL */
    const double *after;  /* only points after this time are predicted, each from those that are not; or NULL */
    const int64_t *group; /* [n] a number of each row: each point is predicted without the rows that have its number; or
                             NULL. Not where ranks have parts of the rows */
} surekrig_validation;

typedef struct surekrig_validated {
    int64_t *row;      /* [rows] which they are, increasing; all arrays are the caller's */
    double *mean, *sd; /* [rows][l] of an observation, its own noise included */
    double
        *distance; /* [rows] to the nearest datum used, in the features' unit; where each is divided by a number of its
                          own (scaling axis, a fitted metric): in these */
    int64_t jittered; /* as of a prediction */
    double max_jitter;
    double *lower, *upper; /* [rows][l][levels], or NULL */
    int64_t count;         /* out: of the rows, how many there are; with after they may be fewer */
    double *x, *y;         /* [rows][d] their features and [rows][l] responses, or NULL */
} surekrig_validated;

/* Memory beside the outputs is 8 bytes a row; with blocks 8 (6 + d) more, with by of k features 8 (k + 4) more, with
 * groups 48 more. As with a prediction, a failure leaves the arrays half written. Of many ranks that have parts of the
 * rows each is told of those that it gave, or read: info.part of them at the most. */
surekrig_status surekrig_validate(const surekrig_model *model, const surekrig_validation *validation,
                                  const surekrig_progress *progress, surekrig_validated *validated,
                                  surekrig_error *error);

/* Half the width of the model's interval, in sd: the normal quantile, Student's, or the conformal one. */
double surekrig_model_quantile(const surekrig_model *model, int64_t response, double level);

/* |z| < surekrig_quantile(level) has probability level for a standard normal z: 0.95 -> 1.9599... */
double surekrig_quantile(double level);

typedef struct surekrig_scores {
    int64_t n;
    double mae, rmse;
    double cov;        /* share of y inside its interval */
    double crps;       /* (M10), mean */
    double interval;   /* (M11), mean */
    double logdensity; /* mean log of the Gaussian density */
    double level;      /* of cov and interval */
} surekrig_scores;

/* Observations and what was predicted for them. Rows with a NaN are left out and not counted. */
typedef struct surekrig_scored {
    int64_t n;
    const double *y, *mean, *sd; /* [n] each; NULL where n = 0 */
    double quantile;             /* half an interval's width in sd; 0: the normal one */
    const double *lower,
        *upper; /* [n] intervals of their own, of which surekrig_score takes cov and interval; or NULL */
    const surekrig_ranks
        *ranks; /* for surekrig_score: each has the next n of the rows, and gets the scores of all; or NULL */
} surekrig_scored;

surekrig_status surekrig_score(const surekrig_scored *scored, double level, surekrig_scores *scores,
                               surekrig_error *error);
/* Empirical coverage at each nominal level. */
surekrig_status surekrig_calibration(const surekrig_scored *scored, int levels, const double *level, double *coverage,
                                     surekrig_error *error);
/* Scores of one response, of all points and by classes of their distance, as many points in each; what differs in the
 * last digits is one distance. Of validated: row, y, mean, sd and distance, which may be NULL where count = 0. */
typedef struct surekrig_class {
    double from, to; /* distances */
    double sd;       /* mean */
    surekrig_scores scores;
} surekrig_class;

typedef struct surekrig_by_distance {
    surekrig_scores all;
    int classes;
    surekrig_class of[6]; /* [classes] */
} surekrig_by_distance;

surekrig_status surekrig_score_distances(const surekrig_model *model, const surekrig_validated *validated,
                                         int64_t response, double level, surekrig_by_distance *scores,
                                         surekrig_error *error);

/* ----------------------------------------------------------------------------------------------------- the model */

typedef enum surekrig_outcome {
    SUREKRIG_CONVERGED = 0,
    SUREKRIG_COVERAGE_NOT_MET, /* no evaluated theta brings every level within the tolerance */
    SUREKRIG_BUDGET_SPENT,     /* evaluations or seconds ran out first */
    SUREKRIG_STOPPED_EARLY,    /* by the caller */
    SUREKRIG_NOT_TRAINED       /* every hyperparameter was given, or taken over from another model */
} surekrig_outcome;

const char *surekrig_outcome_sentence(surekrig_outcome outcome);

typedef enum surekrig_bound {
    SUREKRIG_BOUND_LOWER = -1,
    SUREKRIG_BOUND_NONE = 0,
    SUREKRIG_BOUND_UPPER = 1
} surekrig_bound;

/* A hyperparameter in the user's units. (For responses beyond about 1e154 gamma2 itself overflows here; predictions do
 * not depend on it.) */
typedef struct surekrig_estimate {
    char name[72]; /* "nu", "rho" or "rho_lon", "tau2", "gamma2_temp", "mean_temp" */
    double value;
    double lower, upper;     /* where it was searched; both NaN where it was not */
    surekrig_bound at_bound; /* none: inside, or not searched */
    double as_good[2]; /* least and largest among evaluations that the likelihood hardly tells from this one; NaN: not
                          searched */
} surekrig_estimate;

/* One round of the multipliers. */
typedef struct surekrig_round {
    const double *lambda;   /* [levels] during the round */
    double beta;            /* likewise */
    const double *coverage; /* [levels] at the round's best theta */
    const double *theta;    /* [estimates] values there, in the order of estimate[] */
    double loss;            /* Q there, as a mean over the batch */
    double objective;       /* L there */
    int64_t evaluations;    /* so far */
} surekrig_round;

typedef struct surekrig_phase {
    const char *name;
    double seconds;
} surekrig_phase;

/* One of the variants that auto = yes tried on held-out points. */
typedef struct surekrig_trial {
    char what[48]; /* "mean = trend" */
    double crps;   /* mean over the held-out points, in units of each response's standard deviation */
    double error;  /* its standard error, from regions of the data */
    double seconds;
    int kept; /* 1 where it is part of the model */
} surekrig_trial;

/* How points were held out that stand for the targets. */
typedef enum surekrig_holdout {
    SUREKRIG_HOLDOUT_NONE = 0,
    SUREKRIG_HOLDOUT_NEAREST,    /* each with its nearest neighbours */
    SUREKRIG_HOLDOUT_TRANSPLANT, /* with neighbours placed as around a target */
    SUREKRIG_HOLDOUT_DISTANCE,   /* with neighbours as far as a target's */
    SUREKRIG_HOLDOUT_THINNED,    /* with neighbours out of a sample of the data */
    SUREKRIG_HOLDOUT_SIMILAR,    /* with neighbours placed roughly as around a target */
    SUREKRIG_HOLDOUT_TASK,       /* without the station, or the stretch of time, that a target has no data from */
    SUREKRIG_HOLDOUT_GROUP       /* without the other rows of its group */
} surekrig_holdout;

/* All of it is the model's. Made by the library, which adds to its end: read it through the pointer. */
typedef struct surekrig_info {
    const char *version; /* of the library that trained it */
    int64_t n, d, l, neighbors, batch;
    const double *box; /* [2][d]: smallest and largest of each feature */
    const char *const *x_names;
    const char *const *y_names;
    int noise; /* 1 where the data came with noise variances */
    int estimates;
    const surekrig_estimate *estimate;
    int partner_estimates; /* of the simpler model that auto averages this one with, in equal parts; 0: it stands
                            * alone */
    const surekrig_estimate *partner_estimate;
    surekrig_outcome outcome;
    double loss; /* Q at the estimates, as a mean over the batch, responses standardised */
    int levels;
    const double *level;    /* coverage asked */
    const double *coverage; /* coverage reached on the batch, leave-one-out */
    int rounds;
    const surekrig_round *round;
    int64_t evaluations;
    const double *history; /* [evaluations][1 + levels]: of each in turn L, as the last round judged it, and its
                              coverage; NaN where it failed. NULL: not kept, as in files of older versions */
    int64_t jittered;      /* neighbourhoods of the batch that needed jitter at the estimates */
    double max_jitter;
    surekrig_scores scores; /* leave-one-out over the batch, in the user's units, responses pooled */
    surekrig_scores
        held_out; /* of points beside these, like the targets; with what targets without such a place add, as
                                 their sd tells; n = 0: none were looked at */
    surekrig_holdout holdout; /* how these were held out */
    double accepted;          /* transplant: share of targets whose surroundings were found elsewhere in the data */
    int trials;
    const surekrig_trial *trial;
    int phases;
    const surekrig_phase *phase;
    const surekrig_settings *settings;
    double recall;                      /* share of the nearest neighbours that an approximate search found; 1: exact */
    int64_t shared_rows, shared_places; /* rows that share their place with others, and how many such places */
    const double *within_sd;            /* [l] of responses at one place; NULL: there are no such rows */
    double seen_share;      /* 99 in 100 of the points left out among the data had a variance below this share of
                          gamma2; 0: not known, as in files of older versions */
    surekrig_scores margin; /* by how much scores at the targets may differ from held_out's, in nineteen of twenty sets
                               of targets, as n regions of the data tell; n = 0: not known */
    double beside; /* what held_out's errors, and widths, are multiplied by, since errors are larger beside the targets
                      than elsewhere; at most 1: they are not */
    const surekrig_scores *held_out_each; /* [2][l] held_out of each of several responses, then the margins; NULL: there
                                             is one response, or none were looked at, or the file is older */
    int64_t freedom;                      /* of Student's intervals, its degrees; 0: they are normal or conformal */
    int64_t part;      /* of many ranks, rows that this one gave, or read from the file; n where each has all */
    int fitted_metric; /* 1: neighbours are the nearest where each feature is divided by its length scale, as training
                          found it; 0: training left the metric as scaling says */
    const double
        *lattice; /* [3] of the nodes whose neighbourhoods places in the plane share: origin and pitch; pitch 0:
                              there is none. Where there is one, many places in one call take less time each */
} surekrig_info;

const surekrig_info *surekrig_model_info(const surekrig_model *model);
const surekrig_data *surekrig_model_data(const surekrig_model *model); /* its own copy */
/* The file is one SQLite database: it appears whole or not at all, and replaces an old one only when complete. */
surekrig_status surekrig_model_save(const surekrig_model *model, const char *path, surekrig_error *error);
/* Likewise, but the data's rows are in files of their own in the folder PATH.parts, one of each rank that writes it,
 * which belongs beside the file and is of no use without it. It is loaded as any, by one process or by as many ranks. */
surekrig_status surekrig_model_save_parts(const surekrig_model *model, const char *path, surekrig_error *error);
surekrig_status surekrig_model_load(const char *path, surekrig_model **model, surekrig_error *error);

/* ------------------------------------------------------------------------------------------------ stages: metric */

/* Longitude and latitude in degrees as points in space, in km, whose distances are chords: what the setting sphere does
 * with two features. The axes are turned so that sectors around the middle are alike. */
typedef struct surekrig_sphere {
    double turn[9]; /* a rotation, row by row */
} surekrig_sphere;

void surekrig_sphere_new(const double middle[2], surekrig_sphere *sphere);
/* degrees: [n][2]; place: [n][3] */
void surekrig_sphere_places(const surekrig_sphere *sphere, int64_t n, const double *degrees, double *place);

/* ------------------------------------------------------------------------------------------------ stages: kernel */

/* M and 1 - M at u >= 0 (M1, M2), each to a relative 1e-13; either output may be NULL. */
surekrig_status surekrig_matern(double nu, int64_t n, const double *u, double *value, double *complement,
                                surekrig_error *error);

typedef struct surekrig_term {
    double weight; /* share of gamma2; the weights of all terms add to 1 */
    double nu;
    const double *rho;  /* [d] */
    const char *kernel; /* family's name, as of the setting `kernel`; NULL: matern */
} surekrig_term;

typedef struct surekrig_theta {
    int terms;
    const surekrig_term *term;
    double tau2;      /* nugget as a share of gamma2 */
    double gamma2;    /* variance of the field */
    int unknown_mean; /* 0: the mean is zero; 1: unknown in each neighbourhood and estimated there (ordinary kriging) */
    int product;      /* 0: the terms are added; 1: they are two and multiplied, of space and of time, each of weight 1
                         and with an infinite rho on the other's axes */
    double mix;       /* of a product, 0 to 1: how much the two meet (Gneiting). With p = (1 + (t/rho_t)^2)^-mix, t the
                         distance in time, it is  p^(a/2) M(sqrt(p) u) T,  a the axes of space; 0: separable */
} surekrig_theta;

/* -------------------------------------------------------------------------------------------- stages: neighbours */

typedef struct surekrig_index surekrig_index;

/* Keeps a copy of x, reordered. */
surekrig_status surekrig_index_new(int64_t n, int64_t d, const double *x, surekrig_index **index,
                                   surekrig_error *error);
void surekrig_index_free(surekrig_index *index);

typedef struct surekrig_neighbor_query {
    int64_t n;
    const double *x; /* [n][d] */
    int64_t k;
    const int64_t *row;       /* [n] a row of the index left out of each point's neighbours (-1: none), or NULL */
    double min_distance;      /* leave out neighbours nearer than this; 0: none */
    const int64_t *group;     /* [rows of the index] group of each, or NULL */
    const int64_t *own_group; /* [n] the group left out of each point's neighbours, where group is given */
    int threads;              /* 0: as many as the machine has */
    int sectors;              /* 0: the k nearest; else equal shares by direction, as below */
    double slack;             /* more than 1: a part of the data is passed over where its box is beyond the k-th nearest
                                 of the thousand points around, over this; several times faster in many dimensions, and
                                 a few of the nearest are missed. 0 or 1: exact. Not with sectors */
} surekrig_neighbor_query;

/* neighbor: [n][k] rows by increasing distance, ties by row; -1 from count[i] on, where fewer than k were allowed.
 * With sectors a point in a gap of the data has neighbours from all sides, not from the nearest alone. Around each
 * point there are S sectors: in the plane eight, i holding the angles from 45 i to below 45 (i + 1) degrees; in one
 * dimension or from three on 2 d, one for each axis and sign, a neighbour being in that of its longest gap (of equals
 * the first axis's). A neighbour at the point itself is in the first sector. Each sector gives its floor(k/S) nearest;
 * the nearest of all others take the places left over, and those of sectors that have too few within 32 times the
 * distance of the k-th nearest of all. k < S: the k nearest. */
surekrig_status surekrig_neighbors(const surekrig_index *index, const surekrig_neighbor_query *query, int64_t *neighbor,
                                   int64_t *count, surekrig_error *error);

/* ----------------------------------------------------------------------------------------------- stages: kriging */

typedef struct surekrig_neighborhoods {
    int64_t n, k;
    const int64_t *neighbor; /* [n][k] rows of the data */
    const int64_t *count;    /* [n] how many of the k are used, or NULL: all */
    const double *x;         /* [n][d] the points predicted */
} surekrig_neighborhoods;

typedef struct surekrig_kriged {
    double *mean;     /* [n][l] or NULL */
    double *variance; /* [n] latent, as a share of gamma2 (M4), or NULL */
    double *jitter;   /* [n] added to the diagonal, or NULL */
    double *scale; /* [n][l] gamma2 as the neighbours alone would estimate it, or NULL; 0 of one with an unknown mean */
} surekrig_kriged;

/* Simple or ordinary kriging of each point from its neighbours. backend: "auto", "avx512", "avx2", "portable",
 * "reference". Where a covariance is singular, the other points' outputs may have been written. */
surekrig_status surekrig_krige(const surekrig_data *data, const surekrig_neighborhoods *neighborhoods,
                               const surekrig_theta *theta, const char *backend, surekrig_kriged *kriged,
                               surekrig_error *error);

/* -------------------------------------------------------------------------------------------------- stages: loss */

typedef struct surekrig_residuals {
    int64_t n;
    const double *residual, *variance; /* [n] each; "mse" and "huber" need no variance */
} surekrig_residuals;

/* name: a word of the setting "loss", but "block", which needs more than these; sums over n (M6). delta: the boundary
 * of "huber", in units of the residuals, and of "looph", in units of the sd; unused by the others. */
surekrig_status surekrig_loss(const char *name, const surekrig_residuals *residuals, double delta, double *loss,
                              surekrig_error *error);

/* ------------------------------------------------------------------------------------------ stages: minimisation */

typedef struct surekrig_axis {
    double lower, upper, start;
    int log; /* searched in log scale */
} surekrig_axis;

typedef struct surekrig_problem {
    int axes;
    const surekrig_axis *axis;
    int constraints;
    /* Writes the loss and the constraints' residuals (0 where met). Other than 0 stops. NaN marks a failed theta. */
    int (*evaluate)(void *user, const double *theta, double *loss, double *residual);
    void *user;
} surekrig_problem;

typedef struct surekrig_minimum {
    double *theta;    /* [axes], the caller's */
    double *residual; /* [constraints], the caller's, or NULL */
    double loss;
    int64_t evaluations;
    surekrig_outcome outcome;
} surekrig_minimum;

/* Without constraints: the optimiser that settings name. With them: the method of multipliers around it (M8, M9). */
surekrig_status surekrig_minimize(const surekrig_problem *problem, const surekrig_settings *settings,
                                  surekrig_minimum *minimum, surekrig_error *error);

/* -------------------------------------------------------------------------------------------- stages: simulation */

typedef struct surekrig_sample {
    int64_t d;                 /* 1 to 3 for a grid, any for points */
    int64_t size[3];           /* grid: points along each axis; 0: scattered points */
    double lower[3], upper[3]; /* grid: its first and last coordinates */
    int64_t n;                 /* scattered: how many */
    const double *x;           /* scattered: [n][d] */
    uint64_t seed;
    int threads;
} surekrig_sample;

/* y: [n] or [size0][size1][size2], the last axis fastest: one exact draw of a zero-mean GP with theta's covariance
 * (M3). */
surekrig_status surekrig_simulate(const surekrig_sample *sample, const surekrig_theta *theta, double *y,
                                  surekrig_error *error);

typedef struct surekrig_draws {
    int64_t n;       /* points */
    const double *x; /* [n][d]; a row with a NaN gets NaN */
    int64_t draws;
    uint64_t seed;
    int latent;  /* 0: new observations; 1: the field without the nugget */
    int threads; /* 0: as many as the machine has */
} surekrig_draws;

/* y: [n][l][draws]: joint draws at new points, given the model's data. Their mean is surekrig_predict's, their sd too
 * as nearly as the model's number of neighbours allows; together they vary as the field does. The first draws are the
 * same however many are asked for. Beside y it takes about 12 k + 8 l draws bytes a point, and 8 l draws for each datum
 * that is a neighbour. */
surekrig_status surekrig_simulate_given(const surekrig_model *model, const surekrig_draws *draws,
                                        const surekrig_progress *progress, double *y, surekrig_error *error);

#ifdef __cplusplus
}
#endif
#endif
