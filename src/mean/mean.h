/* What is taken off the responses before kriging and put back after. */
#ifndef SK_MEAN_H
#define SK_MEAN_H

#include "data/data.h"

typedef enum sk_mean { SK_MEAN_ZERO, SK_MEAN_CONSTANT } sk_mean;

/* center: [l]; spread: [l] the scale by which residuals are standardised in training. */
void sk_mean_fit(sk_mean kind, const surekrig_data *data, double *center, double *spread);

#endif
