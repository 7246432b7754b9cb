/* Intervals, mean +- half sd: the only place where they are made. half is the model's own quantile, normal or
 * conformal. */
#include "predict/predict.h"

#include <stdlib.h>

static surekrig_status check(const sk_intervals *asked, bool wanted, surekrig_error *error)
{
    if (asked->levels < 0 || (wanted && asked->levels == 0))
        return sk_fail(error, SUREKRIG_INVALID, "%d levels given for lower and upper: at least 1 is needed",
                       asked->levels);
    surekrig_status status = sk_check_arrays((sk_array[]){{"level", asked->level, {asked->levels, 1, 1}}, {0}}, error);
    if (status)
        return status;
    for (int j = 0; j < asked->levels; j++)
        if (!(asked->level[j] > 0 && asked->level[j] < 1))
            return sk_fail(error, SUREKRIG_INVALID, "level = %g is not possible: it is between 0 and 1",
                           asked->level[j]);
    return SUREKRIG_OK;
}

surekrig_status sk_intervals_open(const surekrig_model *m, bool wanted, sk_intervals *s, surekrig_error *error)
{
    int64_t l = m->data.l;
    s->half = NULL;
    surekrig_status status = check(s, wanted, error);
    if (status || !wanted)
        return status;
    s->half = sk_doubles(l * s->levels);
    if (!s->half)
        return sk_fail_memory(error, 8.0 * (double)(l * s->levels), "the widths of intervals");
    for (int64_t i = 0; i < l * s->levels; i++)
        s->half[i] = surekrig_model_quantile(m, i / s->levels, s->level[i % s->levels]);
    return SUREKRIG_OK;
}

void sk_intervals_write(const sk_intervals *s, sk_prediction of, int64_t at, double *lower, double *upper)
{
    for (int j = 0; j < s->levels && s->half; j++) {
        double half = s->half[of.q * s->levels + j];
        if (lower)
            lower[at * s->levels + j] = of.mean - half * of.sd;
        if (upper)
            upper[at * s->levels + j] = of.mean + half * of.sd;
    }
}

void sk_intervals_close(sk_intervals *s)
{
    free(s->half);
}
