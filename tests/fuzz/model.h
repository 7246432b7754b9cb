/* What is done with a model that loads, whoever made it: it says what it is, predicts, and is saved and loaded again. */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include "fuzz.h"

#include <math.h>

static inline void fuzz_predict(const surekrig_model *model)
{
    enum { POINTS = 3, MOST = 64 };
    static const double LEVEL[2] = {0.5, 0.95};
    const surekrig_info *info = surekrig_model_info(model);
    surekrig_error error = {0};
    double x[POINTS * MOST], mean[POINTS * MOST], sd[POINTS * MOST], lower[2 * POINTS * MOST], upper[2 * POINTS * MOST];
    if (info->d > MOST || info->l > MOST)
        return;
    for (int i = 0; i < POINTS * info->d; i++)
        x[i] = 0.37 * i;
    surekrig_query query = {.n = POINTS, .x = x, .threads = 1, .levels = 2, .level = LEVEL};
    surekrig_prediction out = {.mean = mean, .sd = sd, .lower = lower, .upper = upper};
    surekrig_status status = surekrig_predict(model, &query, NULL, &out, &error);
    if (status)
        fuzz_failed(status, &error);
    for (int i = 0; i < POINTS * info->l && !status; i++)
        FUZZ_HOLDS(!(sd[i] < 0) && !(upper[2 * i] < lower[2 * i]), "an interval that is upside down");
}

static inline surekrig_model *fuzz_load(const char *path)
{
    surekrig_error error = {0};
    surekrig_model *model = NULL;
    surekrig_status status = surekrig_model_load(path, &model, &error);
    if (status)
        fuzz_failed(status, &error);
    return model;
}

/* Frees it; accepts NULL. */
static inline void fuzz_use(surekrig_model *model)
{
    surekrig_error error = {0};
    if (!model)
        return;
    fuzz_predict(model);
    FUZZ_HOLDS(!surekrig_model_save(model, "again.model", &error), "what was loaded cannot be saved");
    surekrig_model_free(model);
    model = NULL;
    if (surekrig_model_load("again.model", &model, &error))
        fprintf(stderr, "%s\n", error.sentence);
    FUZZ_HOLDS(model, "what was loaded and saved cannot be loaded");
    surekrig_model_free(model);
}

#endif
