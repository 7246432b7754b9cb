/* Settings, data and targets thrown together at random: a fit succeeds or says why not, and what it makes predicts
 * finite numbers, comes back from its file and is the same when fitted again to its data. */
#include "fit_support.h"
#include "train/train.h"

#include <unistd.h>

typedef struct trial {
    uint64_t seed, at;
    points p;
    double target[4 * 12];
    char words[600];
} trial;

static double roll(trial *t)
{
    return sk_uniform(t->seed, STREAM_PLACES + 9, t->at++);
}

static int64_t dice(trial *t, int64_t sides)
{
    return (int64_t)(roll(t) * (double)sides);
}

/* Few points in up to four dimensions; some share places, some features are whole numbers, some responses steep or far
 * off. */
static void make_points(trial *t)
{
    int64_t n = 2 + dice(t, dice(t, 3) ? 60 : 6), d = 1 + dice(t, 4), l = 1 + dice(t, 2);
    points *p = &t->p;
    *p = make_field(n, d, l, 0.6, 0.4, 0.05, t->seed);
    double shift = dice(t, 4) ? 0 : 1e6, slope = dice(t, 3) ? 0 : 50;
    int64_t whole = dice(t, 3 * d);
    for (int64_t i = 0; i < n; i++) {
        if (dice(t, 8) == 0)
            memcpy(p->x + i * d, p->x + dice(t, n) * d, (size_t)d * sizeof *p->x);
        if (whole < d)
            p->x[i * d + whole] = (double)(i % 3);
        for (int64_t q = 0; q < l; q++)
            p->y[i * l + q] += shift + slope * p->x[i * d];
    }
    if (l == 1 && dice(t, 4) == 0)
        add_noise(p, t->seed);
    p->data.targets = dice(t, 2) ? dice(t, 12) : 0;
    p->data.target = t->target;
    for (int64_t i = 0; i < p->data.targets * d; i++)
        t->target[i] = dice(t, 3) ? 1.2 * roll(t) : dice(t, 6) ? p->x[dice(t, n * d)] : 1e5 * roll(t);
}

static void choose_words(trial *t)
{
    static const char *const CHOICES[][6] = {
        {"mean=zero", "mean=local", "mean=trend", "mean=trend trend=x1", "mean=constant", NULL},
        {"", "variance=local", NULL},
        {"", "interval=conformal", NULL},
        {"", "sectors=yes", NULL},
        {"", "terms=2", NULL},
        {"", "anisotropic=yes", "scaling=axis", "scaling=none", NULL},
        {"", "", "distance=x1", NULL},
        {"holdout=auto", "holdout=auto", "holdout=nearest", "holdout=thinned", "holdout=distance", NULL},
        {"", "", "", "", "auto=yes", NULL},
        {"", "tau2=0", "tau2=0.1", NULL},
        {"", "nu=0.5", "nu=2.5", "nu=inf", NULL},
        {"coverage=none", "coverage=0.9", NULL},
        {"optimizer=local", "optimizer=bayes", "optimizer=local", "optimizer=lbfgs loss=lool", NULL},
        {"", "", "loss=mse", "loss=crps", "loss=looph", NULL},
        {"threads=1", "threads=2", NULL},
        {"backend=auto", "backend=auto", "backend=reference", NULL},
    };
    snprintf(t->words, sizeof t->words, "batch=20 evaluations=5 initial=3 polish=0 rounds=3 calibration=%d seed=%d",
             20 + (int)dice(t, 20), (int)dice(t, 1000));
    for (size_t i = 0; i < sizeof CHOICES / sizeof *CHOICES; i++) {
        int64_t many = 0;
        while (CHOICES[i][many])
            many++;
        strcat(strcat(t->words, " "), CHOICES[i][dice(t, many)]);
    }
    if (dice(t, 2)) {
        char neighbors[32];
        snprintf(neighbors, sizeof neighbors, " neighbors=%d", 1 + (int)dice(t, t->p.data.n - 1));
        strcat(t->words, neighbors);
    }
}

static void same_predictions(const trial *t, const surekrig_model *a, const surekrig_model *b, const char *what)
{
    int64_t n = t->p.data.n, values = n * t->p.data.l;
    predicted p = predict(a, n, t->p.x, 0, 1), q = predict(b, n, t->p.x, 0, 1);
    if (memcmp(p.mean, q.mean, (size_t)values * sizeof *p.mean) || memcmp(p.sd, q.sd, (size_t)values * sizeof *p.sd))
        fail_msg("seed %llu: %s predicts otherwise (%s)", (unsigned long long)t->seed, what, t->words);
    for (int64_t i = 0; i < values; i++)
        if (!isfinite(p.mean[i]) || !isfinite(p.sd[i]) || p.sd[i] < 0)
            fail_msg("seed %llu, number %lld: mean %g, sd %g (%s)", (unsigned long long)t->seed, (long long)i,
                     p.mean[i], p.sd[i], t->words);
    free_predicted(&p);
    free_predicted(&q);
}

static void check_model(const trial *t, const surekrig_model *m, const char *path)
{
    surekrig_model *again = NULL, *refitted = NULL;
    surekrig_error error;
    succeed(surekrig_model_save(m, path, &error), &error);
    succeed(surekrig_model_load(path, &again, &error), &error);
    same_predictions(t, m, again, "its file");
    succeed(surekrig_refit(&t->p.data, again, &refitted, &error), &error);
    same_predictions(t, m, refitted, "its refit");
    surekrig_model_free(again);
    surekrig_model_free(refitted);
}

/* Whether it was fitted. */
static bool run(uint64_t seed, const char *path)
{
    trial t = {.seed = seed};
    make_points(&t);
    choose_words(&t);
    surekrig_settings *settings = settings_of(t.words);
    surekrig_model *m = (surekrig_model *)0x1234;
    surekrig_error error = {0};
    surekrig_status status = surekrig_fit(&t.p.data, settings, NULL, &m, &error);
    if (getenv("TELL"))
        printf("%llu %d n=%lld d=%lld %s (%s)\n", (unsigned long long)seed, (int)status, (long long)t.p.data.n,
               (long long)t.p.data.d, status ? error.sentence : "", t.words);
    if (status)
        assert_true(m == (void *)0x1234 && error.status == status && strlen(error.sentence) > 10);
    else
        check_model(&t, m, path);
    assert_true(status != SUREKRIG_MEMORY && status != SUREKRIG_FILE && status != SUREKRIG_STOPPED);
    if (!status)
        surekrig_model_free(m);
    surekrig_settings_free(settings);
    free_points(&t.p);
    return !status;
}

/* SEEDS=FIRST,LAST runs others. */
static void whatever_comes(void **state)
{
    (void)state;
    unsigned long first = 1, last = 60;
    char path[] = "/tmp/surekrig-test-XXXXXX";
    int descriptor = mkstemp(path), fitted = 0;
    assert_true(descriptor >= 0);
    close(descriptor);
    if (getenv("SEEDS"))
        assert_int_equal(sscanf(getenv("SEEDS"), "%lu,%lu", &first, &last), 2);
    for (uint64_t seed = first; seed <= last; seed++)
        fitted += run(seed, path);
    remove(path);
    assert_true(fitted > (int)(last - first) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whatever_comes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
