/* A piece of a step kriged in memory, one way or another. */
#include "trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A model of the valid pixels with the others as targets. Hyperparameters are learned once for each way: they change
 * little from step to step, and training is most of the time. A trend is each step's own. */
static surekrig_status learn(trial *t, const surekrig_data *data, surekrig_model **model, surekrig_error *error)
{
    const fill *f = t->f;
    surekrig_model **learned = &t->learned[f->way];
    bool lasting = fill_lasts(f);
    if (lasting && *learned)
        return surekrig_refit(data, *learned, model, error);
    surekrig_status status = surekrig_fit(data, f->call->settings, &f->bar, model, error);
    return status || !lasting ? status : surekrig_refit(data, *model, learned, error);
}

/* Puts what the valid pixels say of the others into mean and sd. */
static surekrig_status krige(trial *t, const fill_points *valid, const fill_points *gaps, surekrig_error *error)
{
    const fill *f = t->f;
    const char *response = io_raster_band_name(f->raster, t->band);
    surekrig_data data = {valid->n, f->d,     1,         valid->x, valid->y,
                          NULL,     f->names, &response, gaps->n,  gaps->n ? gaps->x : NULL};
    data.ranks = cli_on.alike;
    surekrig_model *model = NULL;
    double *mean = malloc((size_t)(gaps->n + 1) * sizeof *mean), *sd = malloc((size_t)(gaps->n + 1) * sizeof *sd);
    surekrig_prediction made = {.mean = mean, .sd = sd};
    surekrig_status status = mean && sd ? learn(t, &data, &model, error) : cli_no_memory(error);
    if (!status && gaps->n)
        status = surekrig_predict(model, &(surekrig_query){.n = gaps->n, .x = gaps->x, .threads = f->threads}, NULL,
                                  &made, error);
    for (int64_t i = 0; i < gaps->n && !status; i++) {
        t->mean[gaps->pixel[i]] = mean[i];
        t->sd[gaps->pixel[i]] = sd[i];
    }
    surekrig_model_free(model);
    free(mean);
    free(sd);
    return status;
}

/* The step from its own pixels, and jointly from those of the others. */
static surekrig_status krige_step(trial *t, int step, surekrig_error *error)
{
    fill *f = t->f;
    fill_points valid = {0}, gaps = {0};
    surekrig_status status = fill_give_roles(f, error);
    memcpy(t->layers, t->seen[step - t->first], (size_t)t->pixels * sizeof *t->layers);
    if (!status)
        status = fill_take(f, &(fill_patch){step, t->at, t->layers}, &valid, &gaps, error);
    for (int64_t i = 0; i < valid.n; i++)
        t->mean[valid.pixel[i]] = valid.y[i];
    for (int s = t->first; s <= t->last && !status && f->way == FILL_JOINT; s++) {
        if (s == step)
            continue;
        memcpy(t->layers, t->seen[s - t->first], (size_t)t->pixels * sizeof *t->layers);
        status = fill_take(f, &(fill_patch){s, t->at, t->layers}, &valid, NULL, error);
    }
    if (!status)
        status = valid.n > f->neighbors ? krige(t, &valid, &gaps, error)
                                        : cli_error(error, SUREKRIG_DATA, "too few pixels");
    fill_free_points(&valid);
    fill_free_points(&gaps);
    return status;
}

/* The steps beside it, filled alone, then the step itself around them. */
static surekrig_status krige_beside(trial *t, surekrig_error *error)
{
    fill *f = t->f;
    int beside[] = {t->band - 1, t->band + 1, t->band == t->first ? t->band + 2 : t->band - 2}, found = 0;
    double *filled = malloc((size_t)(FILL_PARTNERS * t->pixels) * sizeof *filled);
    surekrig_status status = filled ? SUREKRIG_OK : cli_no_memory(error);
    f->way = FILL_ALONE;
    for (int i = 0; i < 3 && found < FILL_PARTNERS && !status; i++) {
        if (beside[i] < t->first || beside[i] > t->last)
            continue;
        status = krige_step(t, beside[i], error);
        memcpy(filled + found++ * t->pixels, t->mean, (size_t)t->pixels * sizeof *filled);
    }
    f->way = FILL_COVARIATES;
    for (int i = 0; i < found; i++) {
        fill_add_partner(f, NULL, 0);
        memcpy(t->layers + f->covariates * t->pixels, filled + i * t->pixels, (size_t)t->pixels * sizeof *filled);
    }
    free(filled);
    if (!status)
        status = krige_step(t, t->band, error);
    fill_drop_partners(f);
    return status;
}

static void align(trial *t)
{
    for (int s = t->first; s <= t->last; s++) {
        double sum[3] = {0, 0, 0};
        fill_compare(t->seen[t->band - t->first], t->seen[s - t->first], t->pixels, sum);
        t->f->shift[s] = fill_shift(t->f, t->band, s, sum);
    }
}

surekrig_status trial_krige(trial *t, fill_way way, surekrig_error *error)
{
    t->f->way = way;
    if (way == FILL_COVARIATES)
        return krige_beside(t, error);
    if (way == FILL_JOINT)
        align(t);
    return krige_step(t, t->band, error);
}
