/* What is known of the field's mean: a center taken off before kriging, and a trend in some of the features. */
#ifndef SK_MEAN_H
#define SK_MEAN_H

#include "data/data.h"
#include "krige/krige.h"
#include "spread/spread.h"

typedef enum sk_mean { SK_MEAN_ZERO, SK_MEAN_CONSTANT, SK_MEAN_LOCAL, SK_MEAN_TREND } sk_mean;

/* center: [l]; spread: [l] the scale by which residuals are standardised in training. */
void sk_mean_fit(sk_mean kind, const surekrig_data *data, double *center, double *spread);

/* A trend linear in some features f, each standardised: mean(x) = f(x)'beta + the neighbourhood's own.
 * What is kriged is y - f'beta, so that the neighbours' own scale is that of the field, and f along with it; with
 * delta = f(x) - kriged f
 *   mean = kriged (y - f'beta) + f(x)'beta,   variance += delta' C delta,   C gamma2 the covariance of beta. */
typedef struct sk_trend {
    int64_t columns, responses; /* no columns: no trend */
    int64_t *feature;           /* [columns] */
    double *mean, *sd;          /* [columns] of the feature */
    double *beta;               /* [responses][columns] */
    double *covariance;         /* [columns][columns] as a share of gamma2 */
} sk_trend;

/* Room, and how its features are standardised; beta is zero. */
surekrig_status sk_trend_new(const surekrig_data *data, int64_t columns, const int64_t *feature, sk_trend *trend,
                             surekrig_error *error);
void sk_trend_free(sk_trend *trend);
void sk_trend_take(const sk_trend *from, sk_trend *to); /* the same slopes in to's units, and their covariance */
void sk_trend_features(const sk_trend *trend, const double *x, double *f);
double sk_trend_at(const sk_trend *trend, int64_t response, const double *f); /* f'beta */
/* kriged: [responses + columns] at a point with features f: the first ones become means with the trend; returns what
 * the trend adds to the variance. */
double sk_trend_add(const sk_trend *trend, const double *f, double *kriged);
/* The derivatives of that by the columns kriged: [columns], times another. */
void sk_trend_slopes(const sk_trend *trend, const double *f, const double *kriged, double times, double *slope);

typedef struct sk_trend_job {
    const surekrig_data *data;
    const sk_metric *metric; /* where the points are, in the frame's axes */
    const sk_frame *frame;
    const sk_backend *back;
    const sk_krige_theta *theta;
    int64_t neighbors; /* at most */
    uint64_t seed;
    int threads;
} sk_trend_job;

/* beta and its covariance by generalised least squares on a sample. */
surekrig_status sk_trend_fit(const sk_trend_job *job, sk_trend *trend, surekrig_error *error);

#endif
