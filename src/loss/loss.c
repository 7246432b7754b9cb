/* The table of losses, and the public stage on top of it. */
#include "loss/loss.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ENTRY(name, what) &sk_loss_##name,
static const sk_loss_row *const LOSSES[] = {SK_LOSS_LIST(ENTRY, ENTRY, ENTRY)};
enum { COUNT = sizeof LOSSES / sizeof *LOSSES };

const sk_loss_row *sk_loss_at(int number)
{
    return number >= 0 && number < COUNT ? LOSSES[number] : NULL;
}

const sk_loss_row *sk_loss_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(name, LOSSES[i]->name))
            return LOSSES[i];
    return NULL;
}

double sk_loss_sum(const sk_loss_row *row, const surekrig_residuals *of, double delta)
{
    double sum = 0;
    for (int64_t i = 0; i < of->n; i++)
        sum += row->value(of->residual[i], row->needs_variance ? of->variance[i] : NAN, delta);
    return sum;
}

/* "lool, mse or crps": the losses that are sums of values at points. */
static void list_sums(size_t size, char *text)
{
    int left = 0;
    for (int i = 0; i < COUNT; i++)
        left += LOSSES[i]->value != NULL;
    *text = 0;
    for (int i = 0; i < COUNT; i++) {
        size_t at = strlen(text);
        if (LOSSES[i]->value)
            snprintf(text + at, size - at, "%s%s", at == 0 ? "" : left == 1 ? " or " : ", ", LOSSES[i]->name);
        left -= LOSSES[i]->value != NULL;
    }
}

static surekrig_status refuse(const char *name, surekrig_error *error)
{
    char others[256];
    list_sums(sizeof others, others);
    if (sk_loss_find(name))
        return sk_fail(error, SUREKRIG_INVALID, "the loss '%s' needs more than residuals and variances: take %s", name,
                       others);
    return sk_fail(error, SUREKRIG_INVALID, "there is no loss '%s': %s", name, others);
}

surekrig_status surekrig_loss(const char *name, const surekrig_residuals *residuals, double delta, double *loss,
                              surekrig_error *error)
{
    if (sk_check_needed((sk_needed[]){{"name", name}, {"residuals", residuals}, {"loss", loss}, {0}}, error))
        return SUREKRIG_INVALID;
    const double *residual = residuals->residual, *variance = residuals->variance;
    const sk_loss_row *row = sk_loss_find(name);
    if (!row || !row->value)
        return refuse(name, error);
    if (row->needs_delta && !(delta > 0))
        return sk_fail(error, SUREKRIG_INVALID, "the pseudo-Huber boundary must be positive, %g given", delta);
    sk_array arrays[] = {{"residual", residual, {residuals->n, 1, 1}},
                         {"variance", variance, {row->needs_variance ? residuals->n : 0, 1, 1}},
                         {0}};
    if (sk_check_arrays(arrays, error))
        return SUREKRIG_INVALID;
    for (int64_t i = 0; i < residuals->n; i++) {
        if (!isfinite(residual[i]))
            return sk_fail(error, SUREKRIG_INVALID, "residual %lld is %g", (long long)i + 1, residual[i]);
        if (row->needs_variance && !(variance[i] > 0 && isfinite(variance[i])))
            return sk_fail(error, SUREKRIG_INVALID, "variance %lld is %g: it must be positive and finite",
                           (long long)i + 1, variance[i]);
    }
    *loss = sk_loss_sum(row, residuals, delta);
    return SUREKRIG_OK;
}
