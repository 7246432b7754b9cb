/* Two models averaged, as auto makes them: what is predicted, validated, drawn, saved and refitted of the pair. */
#include "fit_support.h"
#include "heldout/inside.h"
#include "train/train.h"

#include <time.h>
#include <unistd.h>

/* Twice as long a range along one axis, and a disc without data: anisotropy pays, and half of it is not much worse. */
static points make_gap(int64_t l, double *target, uint64_t seed)
{
    points p = make_field(900, 2, l, 0.7, 0.2, 0.01, seed);
    for (int64_t i = 0; i < p.data.n; i++)
        p.x[2 * i] *= 1.7;
    cut_disc(&p, (double[]){0.9, 0.5}, 0.25, target);
    return p;
}

/* With a limit on seconds the plain model does not ask for a second length scale, which is then tried on top of it. */
#define PAIR "auto=yes neighbors=30 terms=1 threads=1 evaluations=20 batch=150 seconds=1e6"

static points data;
static double target[2 * 900];
static surekrig_model *pair;

static int set_up(void **state)
{
    (void)state;
    data = make_gap(2, target, 1);
    pair = fit(&data.data, PAIR);
    return pair->partner && surekrig_model_info(pair)->partner_estimates > 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    surekrig_model_free(pair);
    free_points(&data);
    return 0;
}

/* The pair's mean is the mean of both; its variance a constant multiple, below 1 or about, of the mean of both. */
static void it_is_the_mean_of_both(void **state)
{
    (void)state;
    surekrig_model *partner = pair->partner;
    int64_t n = data.data.targets;
    predicted both = predict(pair, n, target, 0, 1), second = predict(partner, n, target, 0, 1);
    pair->partner = NULL;
    predicted first = predict(pair, n, target, 0, 1);
    pair->partner = partner;
    for (int64_t i = 0; i < 2 * n; i++) {
        double mean = (first.sd[i] * first.sd[i] + second.sd[i] * second.sd[i]) / 2;
        close_to(both.mean[i], (first.mean[i] + second.mean[i]) / 2, 1e-12);
        close_to(both.sd[i] * both.sd[i], pair->widths.shared[i % 2] * mean, 1e-12);
    }
    assert_true(pair->widths.shared[0] > 0.5 && pair->widths.shared[0] < 1.2);
    for (int i = 0; i < partner->info.estimates; i++) /* of which values alone are kept */
        assert_true(isnan(partner->estimate[i].lower) && isnan(partner->estimate[i].upper) &&
                    !partner->estimate[i].at_bound);
    free_predicted(&both);
    free_predicted(&first);
    free_predicted(&second);
}

/* One response's intervals by a factor, the other's not: as they are, and of normal intervals. */
static void it_is_widened(void **state)
{
    (void)state;
    int64_t n = data.data.targets, scores = pair->widths.scores;
    bool local = pair->widths.local;
    for (int normal = 0; normal < 2; normal++) {
        pair->widths.scores = normal ? 0 : scores;
        pair->widths.local = local && !normal;
        predicted before = predict(pair, n, target, 0, 1);
        const double quantile[2] = {surekrig_model_quantile(pair, 0, 0.9), surekrig_model_quantile(pair, 1, 0.9)};
        sk_widths_widen(pair, 1, 2);
        predicted after = predict(pair, n, target, 0, 1);
        for (int64_t i = 0; i < 2 * n; i++) {
            double was = before.sd[i] * quantile[i % 2];
            close_to(after.sd[i] * surekrig_model_quantile(pair, i % 2, 0.9), i % 2 ? 2 * was : was, 1e-12);
            assert_true(after.mean[i] == before.mean[i]);
        }
        sk_widths_widen(pair, 1, 0.5);
        free_predicted(&before);
        free_predicted(&after);
    }
    pair->widths.scores = scores;
    pair->widths.local = local;
}

static surekrig_validated validate(const surekrig_model *m)
{
    int64_t rows = m->data.n, l = m->data.l;
    surekrig_validated v = {.row = sk_alloc(rows, sizeof *v.row),
                            .mean = sk_doubles(rows * l),
                            .sd = sk_doubles(rows * l),
                            .distance = sk_doubles(rows)};
    surekrig_error error;
    succeed(surekrig_validate(m, &(surekrig_validation){.threads = 1}, NULL, &v, &error), &error);
    return v;
}

static void free_validated(surekrig_validated *v)
{
    free(v->row);
    free(v->mean);
    free(v->sd);
    free(v->distance);
}

static void so_is_cross_validation(void **state)
{
    (void)state;
    surekrig_model *partner = pair->partner;
    surekrig_validated both = validate(pair), second = validate(partner);
    pair->partner = NULL;
    surekrig_validated first = validate(pair);
    pair->partner = partner;
    for (int64_t i = 0; i < 2 * data.data.n; i++)
        close_to(both.mean[i], (first.mean[i] + second.mean[i]) / 2, 1e-12);
    free_validated(&both);
    free_validated(&first);
    free_validated(&second);
}

/* Held-out scores are of the pair: better than those of the simpler kind alone, and covering about what is said. */
static void its_scores_are_of_both(void **state)
{
    (void)state;
    const surekrig_scores *s = &surekrig_model_info(pair)->held_out;
    surekrig_model *plain = fit(&data.data,
                                "mean=local sectors=yes neighbors=30 variance=local interval=conformal coverage=none "
                                "optimizer=local threads=1 batch=150 anisotropic=no");
    near_to(s->cov, 0.95, 0.02);
    assert_true(s->n > 500 && s->rmse < surekrig_model_info(plain)->held_out.rmse);
    surekrig_model_free(plain);
}

static void same_predictions(const surekrig_model *a, const surekrig_model *b, int64_t n, const double *x)
{
    predicted one = predict(a, n, x, 0, 1), other = predict(b, n, x, 0, 2);
    same_bits(one.mean, other.mean, 2 * n);
    same_bits(one.sd, other.sd, 2 * n);
    assert_true(surekrig_model_quantile(a, 0, 0.95) == surekrig_model_quantile(b, 0, 0.95));
    free_predicted(&one);
    free_predicted(&other);
}

/* Loaded or refitted on the same data, it predicts the same bits; a damaged second model is refused. */
static void files_and_refits_keep_both(void **state)
{
    (void)state;
    surekrig_model *again = NULL, *refitted = NULL;
    char path[] = "/tmp/surekrig-test-XXXXXX";
    surekrig_error error;
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    succeed(surekrig_model_save(pair, path, &error), &error);
    succeed(surekrig_model_load(path, &again, &error), &error);
    same_predictions(pair, again, data.data.targets, target);
    const surekrig_info *a = surekrig_model_info(pair), *b = surekrig_model_info(again);
    assert_int_equal(a->partner_estimates, b->partner_estimates);
    for (int i = 0; i < a->partner_estimates; i++) {
        assert_string_equal(a->partner_estimate[i].name, b->partner_estimate[i].name);
        same_bits(&a->partner_estimate[i].value, &b->partner_estimate[i].value, 1);
        assert_true(isnan(a->partner_estimate[i].lower) && isnan(b->partner_estimate[i].lower));
    }
    succeed(surekrig_refit(&data.data, again, &refitted, &error), &error);
    same_predictions(pair, refitted, data.data.targets, target);
    surekrig_model_free(refitted);
    again->partner->hyper.tau2 = -1;
    succeed(surekrig_model_save(again, path, &error), &error);
    surekrig_model_free(again);
    assert_int_equal(surekrig_model_load(path, &again, &error), SUREKRIG_FILE);
    mentions(&error, "covariance");
    remove(path);
}

/* What a pair without targets has learned farther from the data is in files and refits, too. With targets it has none. */
static void both_know_what_lies_farther_off(void **state)
{
    (void)state;
    surekrig_data without = data.data;
    without.targets = 0;
    surekrig_model *m = fit(&without, PAIR), *again = NULL, *refitted = NULL;
    char path[] = "/tmp/surekrig-test-XXXXXX";
    surekrig_error error;
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_true(!pair->widths.farther && !pair->partner->widths.farther);
    assert_non_null(m->partner);
    assert_true(m->widths.farther && m->partner->widths.farther);
    succeed(surekrig_model_save(m, path, &error), &error);
    succeed(surekrig_model_load(path, &again, &error), &error);
    same_bits(again->partner->widths.farther->coefficient, m->partner->widths.farther->coefficient, SK_WIDTH_TERMS);
    same_predictions(m, again, data.data.targets, target);
    succeed(surekrig_refit(&without, again, &refitted, &error), &error);
    same_predictions(m, refitted, data.data.targets, target);
    surekrig_model_free(m);
    surekrig_model_free(again);
    surekrig_model_free(refitted);
    remove(path);
}

/* Draws have the pair's mean and sd. */
static void draws_agree_with_predictions(void **state)
{
    (void)state;
    enum { DRAWS = 400, PLACES = 12 };
    double y[PLACES * 2 * DRAWS];
    surekrig_error error;
    predicted q = predict(pair, PLACES, target, 0, 1);
    surekrig_draws how = {.n = PLACES, .x = target, .draws = DRAWS, .seed = 5, .threads = 1};
    succeed(surekrig_simulate_given(pair, &how, NULL, y, &error), &error);
    for (int64_t i = 0; i < 2 * PLACES; i++) {
        double sum = 0, squares = 0;
        for (int64_t j = 0; j < DRAWS; j++) {
            double z = (y[i * DRAWS + j] - q.mean[i]) / q.sd[i];
            sum += z / DRAWS;
            squares += z * z / DRAWS;
        }
        near_to(sum, 0, 5 / sqrt(DRAWS));
        near_to(sqrt(squares), 1, 5 / sqrt(2 * DRAWS));
    }
    free_predicted(&q);
}

/* ---- what a fit says of the pair */

/* The coverage is the pair's, as the points left out one after another tell; all of them are the batch. It is what is
 * asked: one level exactly, two about. */
static void its_coverage_is_of_both(void **state)
{
    (void)state;
    static const char *const ASKED[] = {"0.8", "0.5,0.9"};
    points p = make_gap(1, target, 3);
    p.data.n = 180; /* too few for conformal intervals, which set coverage otherwise */
    p.data.targets = 0;
    for (int levels = 1; levels <= 2; levels++) {
        char words[160];
        snprintf(words, sizeof words, "auto=yes neighbors=20 terms=1 threads=1 evaluations=20 mean=local coverage=%s",
                 ASKED[levels - 1]);
        surekrig_model *m = fit(&p.data, words);
        const surekrig_info *info = surekrig_model_info(m);
        assert_true(info->partner_estimates > 0 && info->batch == p.data.n && info->levels == levels);
        surekrig_validated v = validate(m);
        for (int j = 0; j < levels; j++) {
            int64_t inside = 0;
            for (int64_t i = 0; i < p.data.n; i++)
                inside += fabs(p.y[v.row[i]] - v.mean[i]) <= surekrig_quantile(info->level[j]) * v.sd[i];
            near_to(info->coverage[j], (double)inside / (double)p.data.n, 1e-12);
            near_to(info->coverage[j], info->level[j], levels > 1 ? 0.04 : 1e-12); /* 144 of 180 */
            assert_true(info->outcome != SUREKRIG_CONVERGED || fabs(info->coverage[j] - info->level[j]) <= 0.01);
        }
        free_validated(&v);
        surekrig_model_free(m);
    }
    free_points(&p);
}

/* Points given twice, and a second model without a nugget: its jitter is the pair's. */
static void its_jitter_is_of_both(void **state)
{
    (void)state;
    points p = make_field(80, 2, 1, 0.5, 0.3, 0.01, 4);
    memcpy(p.x + 80, p.x, 80 * sizeof *p.x);
    surekrig_model *m = fit(&p.data, "nu=0.5 rho=0.3 tau2=0.01 coverage=none neighbors=10 threads=1");
    surekrig_model *second = fit(&p.data, "nu=0.5 rho=0.3 tau2=0 coverage=none neighbors=10 threads=1");
    surekrig_info alone = *surekrig_model_info(second);
    assert_true(alone.jittered > 0 && alone.max_jitter > 0 && surekrig_model_info(m)->jittered == 0);
    sk_model_join(m, second);
    sk_holdout batch = {0};
    sk_machine machine = {0};
    surekrig_error error;
    succeed(sk_holdout_new(m, (sk_holdout_wish){.n = 80}, &batch, &error), &error);
    succeed(sk_machine_open(m, true, 0, &machine, &error), &error);
    succeed(sk_machine_set(&machine, &m->hyper, &error), &error);
    succeed(sk_calibrate(m, &batch, &machine, &error), &error);
    assert_int_equal(surekrig_model_info(m)->jittered, alone.jittered);
    same_bits(&surekrig_model_info(m)->max_jitter, &alone.max_jitter, 1);
    sk_machine_close(&machine);
    sk_holdout_free(&batch);
    surekrig_model_free(m);
    free_points(&p);
}

/* ---- stopping */

#define FIRST SK_CHOSEN /* shares of the progress at which the first model's training begins, */
#define SECOND (SK_CHOSEN + 0.7 * (1 - SK_CHOSEN)) /* and the second's */

typedef struct patience {
    double share;
    int64_t evaluations;
} patience;

static int stop_there(void *user, const surekrig_progress_report *report)
{
    const patience *p = user;
    if (report->done < p->share)
        return 0;
    nanosleep(&(struct timespec){0, 110000000}, NULL); /* reports come ten times a second: the next tick is one */
    return report->evaluations >= p->evaluations;
}

static surekrig_model *stopped_at(double share, int64_t evaluations)
{
    surekrig_settings *settings = settings_of(PAIR);
    surekrig_model *m = NULL;
    surekrig_error error;
    patience user = {share, evaluations};
    succeed(surekrig_fit(&data.data, settings, &(surekrig_progress){stop_there, &user}, &m, &error), &error);
    assert_int_equal(surekrig_model_info(m)->outcome, SUREKRIG_STOPPED_EARLY);
    surekrig_settings_free(settings);
    return m;
}

/* A model without its second one does not say that it is an average. */
static void stopped_while_they_are_trained_there_is_a_model(void **state)
{
    (void)state;
    if (getenv("BACKEND")) /* it waits for reports, and is the same on all of them */
        return;
    const struct {
        double share;
        int64_t evaluations;
        bool both;
    } cases[] = {{FIRST, 2, false}, {SECOND, 0, false}, {SECOND, 2, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        surekrig_model *m = stopped_at(cases[i].share, cases[i].evaluations);
        const surekrig_info *info = surekrig_model_info(m);
        const surekrig_trial *last = &info->trial[info->trials - 1];
        assert_true(!strncmp(last->what, "average with ", 13));
        assert_true((info->partner_estimates > 0) == cases[i].both && last->kept == cases[i].both);
        assert_true(info->held_out.n > 0 && isfinite(info->held_out.crps));
        surekrig_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_mean_of_both),
        cmocka_unit_test(it_is_widened),
        cmocka_unit_test(so_is_cross_validation),
        cmocka_unit_test(its_scores_are_of_both),
        cmocka_unit_test(files_and_refits_keep_both),
        cmocka_unit_test(both_know_what_lies_farther_off),
        cmocka_unit_test(draws_agree_with_predictions),
        cmocka_unit_test(its_coverage_is_of_both),
        cmocka_unit_test(its_jitter_is_of_both),
        cmocka_unit_test(stopped_while_they_are_trained_there_is_a_model),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
