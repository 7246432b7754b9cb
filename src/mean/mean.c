#include "mean/mean.h"

#include <math.h>

void sk_mean_fit(sk_mean kind, const surekrig_data *data, double *center, double *spread)
{
    for (int64_t q = 0; q < data->l; q++) {
        double mean, sd;
        sk_response_moments(data, q, &mean, &sd);
        center[q] = kind == SK_MEAN_ZERO ? 0 : mean;
        spread[q] = kind == SK_MEAN_ZERO ? hypot(mean, sd) : sd; /* root mean square about the center */
    }
}
