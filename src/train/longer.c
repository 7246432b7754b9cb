/* Whether two features with one length scale want one each. Two coordinates are of one kind, and most fields are as long
 * along both; where one is plainly longer, or the two are no coordinates, as a year and a month, one length scale predicts
 * much worse. Three evaluations tell: as it is, twice as long along the first, along the second. */
#include "train/train.h"

#include <math.h>

bool sk_may_ask_longer(const surekrig_data *data, const surekrig_settings *s)
{
    return data->d == 2 && s->anisotropic == SK_ANISOTROPIC_AUTO && s->rho.how == SK_AUTO && isinf(s->seconds) &&
           s->coverage.count < 1;
}

static const double SURELY = 10; /* in twice the log likelihood: what it must gain */

/* The loss where coordinate a is twice as long as the other. */
static surekrig_status stretched(sk_training *t, int64_t a, double *loss, surekrig_error *error)
{
    sk_hyper_copy(&t->m->hyper, &t->trial);
    t->trial.rho[a] *= sqrt(2);
    t->trial.rho[1 - a] /= sqrt(2);
    sk_hyper_settle(&t->trial);
    surekrig_status status = sk_training_measure(t, loss, error);
    *loss = status == SUREKRIG_NUMERIC ? INFINITY : *loss;
    return status == SUREKRIG_NUMERIC ? SUREKRIG_OK : status;
}

surekrig_status sk_training_longer(sk_training *t, bool *longer, surekrig_error *error)
{
    double alike, other = INFINITY;
    sk_hyper_copy(&t->m->hyper, &t->trial); /* what was chosen: the report has tried others since */
    surekrig_status status = sk_training_measure(t, &alike, error);
    *longer = false;
    for (int64_t a = 0; a < 2 && !status && !*longer; a++) {
        status = stretched(t, a, &other, error);
        *longer = !status && other < alike - sk_training_in_mean(t, SURELY);
    }
    return status;
}
