/* One trial: fit (twice where a method says so), predict the test points, score, and the same scores for a model that
 * knows the truth. Each runs on one thread, since trials run beside each other. */
#include "inside.h"

#include "io.h"

#include <stdlib.h>
#include <string.h>

void ex_bench_free(ex_bench *b)
{
    ex_dataset_free(&b->data);
    free(b->mean);
    free(b->sd);
    *b = (ex_bench){0};
}

static surekrig_status make_settings(const char *words[], int count, surekrig_settings **settings,
                                     surekrig_error *error)
{
    surekrig_status status = surekrig_settings_new(settings, error);
    if (!status) /* the studies are of the coverage constraint: what they call default is that preset */
        status = ex_apply_words(*settings, "preset=coverage optimizer=bayes", error);
    for (int i = 0; i < count && !status; i++)
        status = ex_apply_words(*settings, words[i], error);
    return status;
}

static surekrig_status fit(const ex_bench *b, const surekrig_settings *settings, const surekrig_progress *progress,
                           surekrig_model **model, surekrig_error *error)
{
    surekrig_data data = {.n = b->data.n, .d = b->data.d, .l = 1, .x = b->data.x, .y = b->data.y};
    return surekrig_fit(&data, settings, progress, model, error);
}

static surekrig_status predict(ex_bench *b, const surekrig_model *model, const surekrig_progress *progress,
                               surekrig_error *error)
{
    surekrig_query query = {.n = b->data.m, .x = b->data.x + b->data.n * b->data.d, .threads = 1};
    return surekrig_predict(model, &query, progress, &(surekrig_prediction){.mean = b->mean, .sd = b->sd}, error);
}

/* Intervals are the model's own: normal or conformal. */
static surekrig_scored scored(const ex_bench *b, const surekrig_model *model)
{
    double quantile = surekrig_model_quantile(model, 0, EX_FIVE_LEVELS[EX_TARGET]);
    return (surekrig_scored){b->data.m, b->data.y + b->data.n, b->mean, b->sd, quantile, NULL, NULL};
}

static double covered(const ex_bench *b, const surekrig_model *model, double level)
{
    double quantile = surekrig_model_quantile(model, 0, level);
    int64_t count = 0;
    for (int64_t i = 0; i < b->data.m; i++)
        count += fabs(b->data.y[b->data.n + i] - b->mean[i]) < quantile * b->sd[i];
    return (double)count / (double)b->data.m;
}

/* ---- the data, and how well they can be predicted */

/* As the trial's own model where it is not the truth that differs: neighbours and back end. */
static surekrig_status truth_settings(const ex_scenario *s, const surekrig_settings *trained,
                                      surekrig_settings **settings, surekrig_error *error)
{
    static const char *const SAME[] = {"neighbors", "backend"};
    const char *words[] = {s->truth, "coverage=none threads=1"};
    surekrig_status status = make_settings(words, 2, settings, error);
    for (int i = 0; i < 2 && !status; i++)
        status = surekrig_settings_set(*settings, SAME[i], surekrig_settings_get(trained, SAME[i]), error);
    return status;
}

static surekrig_status score_truth(ex_bench *b, const surekrig_settings *trained, surekrig_error *error)
{
    surekrig_settings *settings = NULL;
    surekrig_model *model = NULL;
    surekrig_status status = truth_settings(b->scenario, trained, &settings, error);
    if (!status)
        status = fit(b, settings, NULL, &model, error);
    if (!status)
        status = predict(b, model, NULL, error);
    if (!status) {
        surekrig_scored both = scored(b, model);
        status = surekrig_score(&both, EX_FIVE_LEVELS[EX_TARGET], &b->data.truth, error);
    }
    surekrig_model_free(model);
    surekrig_settings_free(settings);
    return status;
}

static surekrig_status prepare(const ex_run *r, ex_bench *b, const ex_trial *t, const surekrig_settings *settings,
                               surekrig_error *error)
{
    if (b->scenario == t->scenario && b->data_seed == t->data_seed)
        return SUREKRIG_OK;
    ex_bench_free(b);
    surekrig_status status = r->study->draw(r, t->scenario, t->data_seed, &b->data, error);
    if (status)
        return status;
    size_t size = ((size_t)b->data.m + 1) * sizeof(double);
    b->mean = malloc(size);
    b->sd = malloc(size);
    if (!b->mean || !b->sd)
        return ex_no_memory(error);
    b->scenario = t->scenario;
    b->data.truth = (surekrig_scores){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (t->scenario->truth)
        status = score_truth(b, settings, error);
    if (!status)
        b->data_seed = t->data_seed;
    else
        b->scenario = NULL; /* not to be used by the next trial */
    return status;
}

/* ---- what a trial leaves */

static double estimate(const surekrig_info *info, const char *name)
{
    for (int i = 0; i < info->estimates; i++)
        if (!strcmp(info->estimate[i].name, name))
            return info->estimate[i].value;
    return NAN;
}

static void take_estimates(const surekrig_info *info, ex_trial *t)
{
    t->nu = estimate(info, "nu");
    t->rho = estimate(info, "rho");
    t->tau2 = estimate(info, "tau2");
    t->gamma2 = estimate(info, "gamma2");
    t->mean = estimate(info, "mean");
    t->batch_cov = info->scores.cov;
    t->evaluations = (double)info->evaluations;
    t->rounds = info->rounds;
    t->outcome = info->outcome;
    t->bounds = 0;
    for (int i = 0; i < info->estimates; i++)
        t->bounds += info->estimate[i].at_bound != 0;
}

static surekrig_status take_scores(const ex_bench *b, const surekrig_model *model, ex_trial *t, surekrig_error *error)
{
    surekrig_scores s, o = b->data.truth;
    surekrig_scored both = scored(b, model);
    surekrig_status status = surekrig_score(&both, EX_FIVE_LEVELS[EX_TARGET], &s, error);
    if (status)
        return status;
    for (int j = 0; j < EX_CURVE; j++)
        t->curve[j] = covered(b, model, 0.05 * (j + 1));
    for (int j = 0; j < EX_FIVE; j++)
        t->five[j] = covered(b, model, EX_FIVE_LEVELS[j]);
    double from[][2] = {{s.mae, o.mae},   {s.rmse, o.rmse},         {s.cov, o.cov},
                        {s.crps, o.crps}, {s.interval, o.interval}, {s.logdensity, o.logdensity}};
    double *to[][2] = {{&t->mae, &t->true_mae},           {&t->rmse, &t->true_rmse},
                       {&t->cov, &t->true_cov},           {&t->crps, &t->true_crps},
                       {&t->interval, &t->true_interval}, {&t->logdensity, &t->true_logdensity}};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 2; k++)
            *to[i][k] = from[i][k];
    t->squares = 0;
    for (int j = 0; j < EX_FIVE; j++)
        t->squares += (t->five[j] - EX_FIVE_LEVELS[j]) * (t->five[j] - EX_FIVE_LEVELS[j]);
    return SUREKRIG_OK;
}

bool ex_trace_wanted(const ex_trial *t)
{
    return t->number == 1 && !strncmp(t->method->loss, "mm", 2);
}

void ex_trace_name(const ex_trial *t, char name[128])
{
    snprintf(name, 128, "figures/trace-%s-%s-%s.csv", t->scenario->name, t->method->loss, t->method->preset);
}

static surekrig_status keep_trace(const ex_run *r, const ex_trial *t, const surekrig_info *info, surekrig_error *error)
{
    char name[128];
    ex_output o;
    ex_trace_name(t, name);
    surekrig_status status = ex_output_open(r, name, &o, error);
    if (status)
        return status;
    report_trace_data(o.to, info);
    return ex_output_commit(&o, error);
}

/* Where maps are drawn from. */
static surekrig_status keep_predictions(const ex_run *r, const ex_trial *t, const ex_bench *b, surekrig_error *error)
{
    static const char *const NAMES[] = {"mean", "sd"};
    char name[128], path[EX_PATH_SIZE];
    io_writer *writer = NULL;
    ex_predictions_name(r, t, name);
    if (!*name)
        return SUREKRIG_OK;
    ex_path_in(r, name, path);
    surekrig_status status = io_create(path, 2, NAMES, &writer, error);
    for (int64_t i = 0; i < b->data.m && !status; i++) {
        double trend = b->data.trend ? b->data.trend[b->data.n + i] : 0;
        status = io_write(writer, 1, (double[]){b->mean[i] + trend, b->sd[i]}, error);
    }
    if (!status)
        return io_commit(writer, error);
    io_discard(writer);
    return status;
}

/* ---- all of it */

static surekrig_status use(const ex_run *r, ex_bench *b, const surekrig_model *model, ex_trial *t,
                           surekrig_error *error)
{
    double start = ex_now();
    const surekrig_info *info = surekrig_model_info(model);
    take_estimates(info, t);
    surekrig_status status = predict(b, model, NULL, error);
    t->predict_seconds = ex_now() - start;
    if (!status)
        status = take_scores(b, model, t, error);
    if (!status && ex_trace_wanted(t))
        status = keep_trace(r, t, info, error);
    return status ? status : keep_predictions(r, t, b, error);
}

/* With the first model's hyperparameters, but for what the method's second settings free again. */
static surekrig_status fit_again(const ex_bench *b, const ex_method *m, surekrig_settings *settings,
                                 surekrig_model **model, surekrig_error *error)
{
    const surekrig_info *info = surekrig_model_info(*model);
    surekrig_model *again = NULL;
    char held[160];
    snprintf(held, sizeof held, "nu=%.17g rho=%.17g tau2=%.17g gamma2=%.17g", estimate(info, "nu"),
             estimate(info, "rho"), estimate(info, "tau2"), estimate(info, "gamma2"));
    surekrig_status status = ex_apply_words(settings, held, error);
    if (!status)
        status = ex_apply_words(settings, m->then, error);
    if (!status)
        status = fit(b, settings, NULL, &again, error);
    if (!status) {
        surekrig_model_free(*model);
        *model = again;
    }
    return status;
}

surekrig_status ex_run_trial(const ex_run *r, ex_bench *b, const surekrig_progress *progress, ex_trial *t,
                             surekrig_error *error)
{
    char seed[64];
    surekrig_settings *settings = NULL;
    surekrig_model *model = NULL;
    const ex_method *m = t->method;
    const char *words[] = {m->settings, t->scenario->settings, m->last ? m->last : "", r->words, seed};
    snprintf(seed, sizeof seed, "seed=%llu threads=1", (unsigned long long)t->seed);
    surekrig_status status = make_settings(words, 5, &settings, error);
    if (!status)
        status = prepare(r, b, t, settings, error);
    double start = ex_now();
    if (!status)
        status = fit(b, settings, progress, &model, error);
    double made = status ? 0 : (double)surekrig_model_info(model)->evaluations;
    if (!status && m->then && surekrig_model_info(model)->outcome != SUREKRIG_STOPPED_EARLY)
        status = fit_again(b, m, settings, &model, error);
    t->seconds = ex_now() - start;
    if (!status && surekrig_model_info(model)->outcome == SUREKRIG_STOPPED_EARLY)
        status = ex_fail(error, SUREKRIG_STOPPED, "interrupted");
    if (!status)
        status = use(r, b, model, t, error);
    t->evaluations = made;
    surekrig_model_free(model);
    surekrig_settings_free(settings);
    return status;
}
