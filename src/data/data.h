/* Point sets: are they usable, and in what frame do we look at them. */
#ifndef SK_DATA_H
#define SK_DATA_H

#include "base/base.h"

/* Where distances are measured: (x - lower) / side, axis by axis. */
typedef struct sk_frame {
    int64_t d;
    double *lower, *upper; /* [d] the box of the data */
    double *side;          /* [d] what each axis is divided by; infinite where an axis does not count */
} sk_frame;

typedef enum sk_scaling { SK_SCALING_BOX, SK_SCALING_AXIS, SK_SCALING_NONE } sk_scaling;

/* Shape, finite values, no constant column or response, noise not negative. */
surekrig_status sk_data_check(const surekrig_data *data, surekrig_error *error);
/* "lon" or "feature 1", for sentences; buffer: [72]. */
const char *sk_x_name(const surekrig_data *data, int64_t axis, char *buffer);
const char *sk_y_name(const surekrig_data *data, int64_t response, char *buffer);

/* counts: [d] which axes do, or NULL: all. */
surekrig_status sk_frame_new(const surekrig_data *data, sk_scaling scaling, const bool *counts, sk_frame *frame,
                             surekrig_error *error);
void sk_frame_free(sk_frame *frame);
double sk_frame_distance(const sk_frame *frame, const double *x, const double *y);
double sk_frame_square(const sk_frame *frame, const double *x, const double *y); /* of the distance */

/* Mean and standard deviation of response q, two passes. */
void sk_response_moments(const surekrig_data *data, int64_t q, double *mean, double *sd);

#endif
