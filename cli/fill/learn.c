/* Whose hyperparameters a band has: its own, those of a step beside it, or those that all share. */
#include "steps.h"

#include <stdlib.h>

bool fill_is_shared(const fill *f)
{
    return cli_value(f->call, "shared");
}

/* Where hyperparameters are learned for a band and the steps after it, jointly filled: at the last step to be filled that
 * still has this one in its window, for an end has help from one side alone. */
static const fill_band *choose_teacher(const fill *f, const fill_band *band)
{
    const fill_band *best = band;
    int reach = f->way == FILL_JOINT && fill_lasts(f) ? FILL_LENT : 0;
    for (const fill_band *b = band; b < f->band + f->bands; b++)
        if (b->wanted && b->number > best->number && b->number <= band->number + reach)
            best = b;
    return best;
}

/* So many of the wanted bands from one on, evenly among them, or fewer: where windows met, the same pixels would be in
 * the training twice, each time less another step's mean, and look like noise. */
static fill_teachers spread(const fill *f, const fill_band *band, int wanted, int count)
{
    fill_teachers chosen = {0};
    int next = 0, near = -1; /* steps up to this one are too near the last one chosen */
    for (const fill_band *b = band; b < f->band + f->bands && chosen.count < count; b++)
        if (b->wanted && next++ >= (2 * chosen.count + 1) * wanted / (2 * count) && b->number > near) {
            chosen.band[chosen.count++] = b;
            near = b->number + 2 * FILL_REACH;
        }
    return chosen;
}

/* For all steps from a band on: a week's field is not a year's. */
static fill_teachers choose_teachers(const fill *f, const fill_band *band)
{
    int wanted = 0, count = FILL_TEACHERS;
    for (const fill_band *b = band; b < f->band + f->bands; b++)
        wanted += b->wanted;
    while (count > 1 && spread(f, band, wanted, count).count < count)
        count--;
    return spread(f, band, wanted, count);
}

bool fill_serves(const fill *f, const surekrig_model *before)
{
    return before && fill_is_shared(f) && surekrig_model_info(before)->d == f->d;
}

bool fill_lends(const fill *f, const fill_band *band, const surekrig_model *before)
{
    return before && f->way == FILL_JOINT && fill_lasts(f) &&
           abs(band->number - f->teachers.band[0]->number) <= FILL_LENT;
}

/* Hyperparameters that are searched, for the band or, into before, for it and others. */
static surekrig_status learn(fill *f, const fill_band *band, surekrig_model **model, surekrig_model **before,
                             surekrig_error *error)
{
    bool all = fill_is_shared(f) && f->way == FILL_JOINT && fill_lasts(f);
    fill_teachers at = all ? choose_teachers(f, band) : (fill_teachers){1, {choose_teacher(f, band)}};
    bool own = at.count == 1 && at.band[0] == band;
    f->learned_on = band;
    f->teachers = at;
    f->trained_on = at.count > 1 ? NULL : fill_is_shared(f) ? at.band[0] : band;
    surekrig_status status = own ? SUREKRIG_OK : fill_begin(f, at.band[0], error);
    if (!status)
        status = fill_train(f, &at, NULL, own || fill_is_shared(f) ? model : before, error);
    return status || own ? status : fill_begin(f, band, error);
}

surekrig_status fill_learn(fill *f, const fill_band *band, surekrig_model **model, surekrig_error *error)
{
    surekrig_model *before = *model;
    surekrig_status status = SUREKRIG_OK;
    *model = NULL;
    if (!fill_lends(f, band, before)) {
        surekrig_model_free(before);
        before = NULL;
        status = learn(f, band, model, &before, error);
    }
    if (!status && !*model) {
        f->trained_on = band;
        status = fill_train(f, &(fill_teachers){1, {band}}, before, model, error);
    }
    surekrig_model_free(before);
    return !status && cli_interrupted() ? cli_error(error, SUREKRIG_STOPPED, "interrupted") : status;
}
