/* New data under the hyperparameters of an old model, its trend and the widths of its intervals: nothing is trained, so
 * that on the old data it predicts as the old model does. */
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Appends to list, "; missing: x, y", those of the names that are not among others; NULL: these are not known. */
static void list_missing(int64_t count, const char *const *name, int64_t of, const char *const *others, char list[200])
{
    for (int64_t a = 0; a < count && others; a++) {
        int64_t b = 0;
        while (b < of && strcmp(name[a], others[b]))
            b++;
        size_t used = strlen(list);
        if (b == of && used < 199)
            snprintf(list + used, 200 - used, "%s %s", used ? "," : "; missing:", name[a]);
    }
}

static surekrig_status check_same_columns(const surekrig_data *data, const surekrig_model *from, surekrig_error *error)
{
    const surekrig_data *old = &from->data;
    char missing[200] = "";
    list_missing(old->d, old->x_names, data->d, data->x_names, missing);
    list_missing(old->l, old->y_names, data->l, data->y_names, missing);
    if (data->d != old->d || data->l != old->l)
        return sk_fail(error, SUREKRIG_DATA,
                       "the data have %lld feature%s and %lld response%s, the model %lld and %lld%s",
                       (long long)data->d, data->d == 1 ? "" : "s", (long long)data->l, data->l == 1 ? "" : "s",
                       (long long)old->d, (long long)old->l, missing);
    if (data->noise && from->widths.local)
        return sk_fail(error, SUREKRIG_INVALID,
                       "the model has a local variance, which does not go with known noise variances");
    return SUREKRIG_OK;
}

/* Columns are the same by their place; trend and distance name theirs. */
static surekrig_status check_same_roles(const surekrig_model *m, const surekrig_model *from, surekrig_error *error)
{
    bool same = m->trend.columns == from->trend.columns;
    for (int64_t c = 0; c < m->trend.columns && same; c++)
        same = m->trend.feature[c] == from->trend.feature[c];
    for (int64_t a = 0; a < m->kriged.d && same; a++)
        same = isinf(m->frame.start[a]) == isinf(from->frame.start[a]);
    return same ? SUREKRIG_OK
                : sk_fail(error, SUREKRIG_DATA,
                          "the features of trend and distance, '%s' and '%s', are in other "
                          "columns than the model's",
                          sk_setting_names(m->settings, "trend"), sk_setting_names(m->settings, "distance"));
}

/* Centers and spreads are the old data's: new responses may be far off, but not beyond what a file of them may hold. */
static surekrig_status check_responses(const surekrig_data *data, const surekrig_model *from, surekrig_error *error)
{
    char name[72];
    int64_t l = data->l, before = sk_before(sk_ranks_of(data), data->n);
    for (int64_t i = 0; i < data->n * l; i++)
        if (isfinite(data->y[i]) && !sk_model_can_hold(from, i % l, data->y[i]))
            return sk_fail(error, SUREKRIG_DATA, "%s, row %lld: %g is too far from the model's responses, %g +- %g",
                           sk_y_name(data, i % l, name), (long long)(before + i / l) + 1, data->y[i],
                           from->center[i % l], from->spread[i % l]);
    return SUREKRIG_OK;
}

static void take_hyperparameters(const surekrig_model *from, surekrig_model *m)
{
    size_t l = (size_t)m->data.l * sizeof(double);
    sk_hyper_copy(&from->hyper, &m->hyper);
    memcpy(m->center, from->center, l);
    memcpy(m->spread, from->spread, l);
    sk_trend_take(&from->trend, &m->trend);
    sk_model_detrend(m);
}

/* All but the names, which are the new data's. */
static void take_estimates(const surekrig_model *from, surekrig_model *m)
{
    for (int i = 0; i < m->info.estimates; i++) {
        m->estimate[i].value = from->estimate[i].value;
        m->estimate[i].lower = from->estimate[i].lower;
        m->estimate[i].upper = from->estimate[i].upper;
        m->estimate[i].at_bound = from->estimate[i].at_bound;
        memcpy(m->estimate[i].as_good, from->estimate[i].as_good, sizeof from->estimate[i].as_good);
    }
    m->info.outcome = SUREKRIG_NOT_TRAINED;
    m->info.seen_share = from->info.seen_share;
    m->info.freedom = from->info.freedom;
    memcpy(m->lattice, from->lattice, sizeof m->lattice); /* a raster's tiles share it */
    m->info.loss = NAN;
    m->info.scores = (surekrig_scores){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

/* What was left to the old data is not asked of the new ones again. */
static surekrig_status settle_settings(const surekrig_data *data, const surekrig_model *from,
                                       surekrig_settings **settings, surekrig_error *error)
{
    static const char *const SCALING[] = {
        [SK_SCALING_BOX] = "box", [SK_SCALING_AXIS] = "axis", [SK_SCALING_NONE] = "none"};
    surekrig_status status = sk_settings_copy(from->settings, settings, error);
    if (!status) /* which concerns the training */
        status = surekrig_settings_set(*settings, "by", "none", error);
    if (!status && from->settings->anisotropic == SK_ANISOTROPIC_AUTO)
        status = surekrig_settings_set(*settings, "anisotropic", from->anisotropic ? "yes" : "no", error);
    if (!status && from->settings->scaling == SK_SCALING_AUTO)
        status = surekrig_settings_set(*settings, "scaling", SCALING[from->scaling], error);
    if (!status && from->info.neighbors >= from->data.n - 1 && data->n > 1 && data->n <= from->info.neighbors) {
        char all[24]; /* rows were its neighbours, and are those of fewer rows */
        snprintf(all, sizeof all, "%lld", (long long)data->n - 1);
        status = surekrig_settings_set(*settings, "neighbors", all, error);
    }
    return status;
}

static surekrig_status refit_one(const surekrig_data *data, const surekrig_model *from, surekrig_model **model,
                                 surekrig_error *error)
{
    surekrig_model *m = NULL;
    surekrig_settings *settings = NULL;
    surekrig_status status = settle_settings(data, from, &settings, error);
    if (!status)
        status = sk_model_new(data, settings, &m, error);
    surekrig_settings_free(settings);
    if (!status)
        status = check_same_roles(m, from, error);
    if (!status && sk_model_has_metric(from))
        sk_model_set_sides(m, from->frame.side);
    if (!status)
        status = sk_model_shape(m, 0, 0, error);
    if (!status)
        status = sk_widths_copy(&from->widths, data->l, &m->widths, error);
    if (status) {
        surekrig_model_free(m);
        return status;
    }
    take_hyperparameters(from, m);
    take_estimates(from, m);
    *model = m;
    return SUREKRIG_OK;
}

surekrig_status surekrig_refit(const surekrig_data *data, const surekrig_model *from, surekrig_model **model,
                               surekrig_error *error)
{
    surekrig_model *made = NULL, *partner = NULL;
    surekrig_data whole = {0};
    if (sk_check_needed((sk_needed[]){{"data", data}, {"from", from}, {"model", model}, {0}}, error))
        return SUREKRIG_INVALID;
    const char *time = sk_setting_names(from->settings, "time"),
               *distance = sk_setting_names(from->settings, "distance");
    surekrig_status status = check_same_columns(data, from, error);
    if (!status && from->partner)
        status = check_same_columns(data, from->partner, error);
    if (!status)
        status = sk_data_arrays(data, error);
    if (!status)
        status = sk_agree(sk_ranks_of(data), check_responses(data, from, error), error);
    if (!status)
        status = sk_deal(data, time, distance, &whole, error);
    if (!status)
        status = refit_one(&whole, from, &made, error);
    double start = sk_now();
    if (!status)
        status = sk_model_index(made, error);
    if (!status)
        made->phase[0].seconds += sk_now() - start;
    if (!status && from->partner) /* whose index is the first's */
        status = refit_one(&whole, from->partner, &partner, error);
    sk_dealt(&whole);
    if (partner)
        sk_model_join(made, partner);
    if (status)
        surekrig_model_free(made);
    else
        *model = made;
    return status;
}
