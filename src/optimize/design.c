/* Points spread evenly over the unit cube, and the initial design made of them. */
#include "optimize/optimize.h"

#include <math.h>

sk_design sk_design_of(int axes, uint64_t seed, uint32_t stream)
{
    double g = 2;
    for (int step = 0; step < 60; step++)
        g = pow(1 + g, 1.0 / (axes + 1));
    return (sk_design){axes, seed, stream, g};
}

void sk_design_point(const sk_design *s, int64_t i, double *unit)
{
    double power = 1;
    for (int a = 0; a < s->axes; a++) {
        power /= s->root;
        double value = sk_uniform(s->seed, s->stream, (uint64_t)a) + (double)(i + 1) * power;
        unit[a] = value - floor(value);
    }
}

surekrig_status sk_search_design(sk_search *search, double *unit, surekrig_error *error)
{
    sk_design design = sk_design_of(search->objective->axes, search->plan->seed, SK_STREAM_DESIGN);
    surekrig_status status = SUREKRIG_OK;
    int64_t first = search->first, initial = search->plan->initial; /* each round goes on in the sequence */
    for (int64_t i = 0; search->count - first < initial && !status && !sk_search_over(search); i++) {
        if (i == 0)
            sk_search_start(search, unit);
        else
            sk_design_point(&design, first + i, unit);
        status = sk_search_evaluate(search, unit, NULL, error);
        if (!status)
            status = sk_search_follow(search, error);
    }
    return status;
}
