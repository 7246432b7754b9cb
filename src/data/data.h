/* Point sets: are they usable, in which coordinates are they, and in what frame do we look at them. */
#ifndef SK_DATA_H
#define SK_DATA_H

#include "base/ranks.h"

/* Before anything is read of x and y: they are there, and no larger than can be. */
surekrig_status sk_data_arrays(const surekrig_data *data, surekrig_error *error);
/* Shape, finite values, no constant response or column but that of this name, noise not negative. */
surekrig_status sk_data_check(const surekrig_data *data, const char *time, surekrig_error *error);
/* "lon" or "feature 1", for sentences; buffer: [72]. */
const char *sk_x_name(const surekrig_data *data, int64_t axis, char *buffer);
const char *sk_y_name(const surekrig_data *data, int64_t response, char *buffer);

/* Mean and standard deviation of response q or of a feature, two passes in the file's order. */
void sk_response_moments(const surekrig_data *data, int64_t q, double *mean, double *sd);
void sk_feature_moments(const surekrig_data *data, int64_t feature, double *mean, double *sd);

/* ---- metric.c: how features become coordinates, whose Euclidean distances are those that count */

/* Features that have a length scale in common: one alone, a group, longitude and latitude. */
typedef struct sk_metric_part {
    const struct sk_metric_row *row;
    int64_t features, coordinates;
    int64_t *feature, *coordinate; /* [features], [coordinates] which ones */
    surekrig_sphere sphere;        /* how its axes lie */
    double direction[2];           /* of a turned coordinate: what it takes of each feature */
} sk_metric_part;

/* A kind of metric: lines of a plane, turned ones, the sphere. A new one is a row of METRICS in metric.c. */
typedef struct sk_metric_row {
    const char *name;
    /* What is wrong with a point, and with which of the features; NULL: nothing can be. */
    const char *(*fault)(const sk_metric_part *part, const double *x, int *which);
    void (*prepare)(const surekrig_data *data, sk_metric_part *part);    /* what follows from the data; NULL: nothing */
    void (*map)(const sk_metric_part *part, const double *x, double *z); /* of one point: the part's coordinates */
} sk_metric_row;

typedef struct sk_metric {
    int64_t features, coordinates;
    int64_t parts;
    sk_metric_part *part; /* the sphere first, then as the features stand, a group with its first one */
    int64_t *lists;       /* theirs */
    bool same;            /* coordinates are the features: nothing is mapped */
    int64_t time;         /* the coordinate that is time, or -1 */
} sk_metric;

/* What becomes of features; those that are in neither are lines of a plane, each for itself. */
typedef struct sk_metric_roles {
    bool on_sphere;
    int64_t sphere[2]; /* longitude and latitude, in degrees */
    int64_t *group;    /* [d] the number of each feature's group, from 1; 0: none */
    int64_t time;      /* which one is time, or -1 */
    double turn;       /* degrees by which the coordinates of a plane are turned; 0: they are the two features */
} sk_metric_roles;
surekrig_status sk_metric_new(const surekrig_data *data, const sk_metric_roles *roles, sk_metric *metric,
                              surekrig_error *error);
void sk_metric_free(sk_metric *metric);
bool sk_metric_has_sphere(const sk_metric *metric);
/* Whether points can be: x [n][features], what they are called in a sentence. */
typedef struct sk_metric_points {
    const char *what;
    int64_t n;
    const double *x;
    const int64_t *number; /* [n] of each point, from 0; NULL: in order */
} sk_metric_points;
surekrig_status sk_metric_check(const sk_metric *metric, const surekrig_data *names, sk_metric_points points,
                                surekrig_error *error);
void sk_metric_map(const sk_metric *metric, int64_t n, const double *x,
                   double *z); /* [n][features], [n][coordinates] */
/* "lon, lat": its features, what stands between them, for a name of at most room bytes. */
void sk_metric_part_name(const sk_metric_part *part, const surekrig_data *names, const char *between, size_t room,
                         char *name);
/* Whether the data are plainly longitude and latitude in degrees, by name and by value, of so much of the earth that a
 * plane is a poor map of it; which features then. */
bool sk_metric_is_globe(const surekrig_data *data, int64_t sphere[2]);

/* The one feature of few that has a name of times or of their parts, beside two that are called as coordinates of a map
 * are; -1. */
int sk_metric_moment(int64_t d, const char *const *x_names);

/* ---- frame.c: what coordinates are divided by before neighbours are looked for */

typedef struct sk_frame {
    int64_t d;
    double *lower, *upper; /* [d] the box of the points */
    double *side;          /* [d] what each axis is divided by; infinite where an axis does not count */
    double *start;         /* [d] the same as the scaling says it, before a metric was fitted */
    double *origin;        /* [d] from where axes are measured: lower; without scaling 0, wherever the points are */
} sk_frame;

typedef enum sk_scaling { SK_SCALING_BOX, SK_SCALING_AXIS, SK_SCALING_NONE, SK_SCALING_AUTO } sk_scaling;

void sk_extents(const surekrig_data *data, double *lower, double *upper); /* [d] of all rows */
/* counts: [d] which axes do, or NULL: all. */
surekrig_status sk_frame_new(const surekrig_data *data, sk_scaling scaling, const bool *counts, sk_frame *frame,
                             surekrig_error *error);
void sk_frame_free(sk_frame *frame);
double sk_frame_distance(const sk_frame *frame, const double *x, const double *y);
double sk_frame_square(const sk_frame *frame, const double *x, const double *y); /* of the distance */
double sk_frame_diagonal(const sk_frame *frame);                                 /* of the box */
double sk_frame_extent(const sk_frame *frame, const sk_metric_part *part);       /* the box's longest side in it */
bool sk_frame_alike(const sk_frame *frame); /* the axes that count have extents of one order */
/* The coordinates' own unit where all are divided by one number, else 1. */
double sk_frame_unit(const sk_frame *frame);

/* ---- repeats.c: rows that share a place */

typedef struct sk_repeats {
    int64_t *of; /* [n] the first row at each row's place; NULL: no two rows share one, and all below is 0 */
    int64_t shared_rows, shared_places, most; /* most: rows at one place */
    double *within_sd;                        /* [l] of responses at one place */
} sk_repeats;

surekrig_status sk_repeats_find(const surekrig_data *data, const sk_frame *frame, sk_repeats *places,
                                surekrig_error *error);
void sk_repeats_free(sk_repeats *places);
/* Among every so many places, those of n rows by their hash: first [n], or NULL, the first row at each one's. Returns how
 * many rows are not the first; -1: no memory. */
uint64_t sk_repeats_every(int64_t n);
int64_t sk_repeats_first(const surekrig_data *data, const sk_frame *frame, uint64_t every, int64_t *first);

#endif
