/* link: -Wl,--wrap=clock_gettime */
/* What is reported of calls that take long, by a clock of its own, by which each look at it takes a second: every
 * report that may come comes. */
#include "fit_support.h"

#include <stdatomic.h>
#include <time.h>

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    static atomic_int seconds;
    (void)clock;
    *now = (struct timespec){atomic_fetch_add(&seconds, 1), 0};
    return 0;
}

enum { MOST = 5000 };

typedef struct heard {
    const char *phase;
    int count, stop; /* stop: at that report; 0: at none */
    double done[MOST];
    int64_t evaluations[MOST];
} heard;

static heard all;

static int hear(void *user, const surekrig_progress_report *report)
{
    heard *h = user;
    assert_string_equal(report->phase, h->phase);
    assert_true(h->count < MOST && (!h->stop || h->count < h->stop)); /* none after a stop */
    h->done[h->count] = report->done;
    h->evaluations[h->count] = report->evaluations;
    return ++h->count == h->stop;
}

static surekrig_progress listen(const char *phase, int stop)
{
    all = (heard){.phase = phase, .stop = stop};
    return (surekrig_progress){hear, &all};
}

/* From some report on, up to a share. */
static void rises(int from, double to, double step)
{
    assert_true(all.count > from);
    for (int i = from; i < all.count; i++) {
        double before = i ? all.done[i - 1] : 0;
        if (!(all.done[i] >= before - 1e-12 && all.done[i] <= before + step))
            fail_msg("report %d: %g after %g", i, all.done[i], before);
    }
    near_to(all.done[all.count - 1], to, 1e-9);
}

/* Some report says so. */
static void comes_by(double share)
{
    double nearest = INFINITY;
    for (int i = 0; i < all.count; i++)
        nearest = fmin(nearest, fabs(all.done[i] - share));
    near_to(nearest, 0, 1e-9);
}

enum { ROWS = 120, ASKED = 9000, BLOCK = 4096 };

static points data;
static surekrig_model *model;
static double *places, *made;

static int set_up(void **state)
{
    (void)state;
    data = make_field(ROWS, 2, 1, 0.5, 0.3, 0.05, 1);
    model = fit(&data.data, "nu=0.5 rho=0.3 tau2=0.05 coverage=none neighbors=5 batch=20");
    places = make_places(ASKED, 2, 1, 2);
    made = sk_doubles(2 * ASKED);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    surekrig_model_free(model);
    free_points(&data);
    free(places);
    free(made);
    return 0;
}

static surekrig_status predict_some(int64_t n, int stop, surekrig_error *error)
{
    surekrig_progress progress = listen("prediction", stop);
    surekrig_prediction out = {.mean = made, .sd = made + ASKED};
    return surekrig_predict(model, &(surekrig_query){.n = n, .x = places, .threads = 1}, &progress, &out, error);
}

/* Block by block; a stop ends it, unless all is done. */
static void predictions(void **state)
{
    (void)state;
    surekrig_error error = {0};
    succeed(predict_some(ASKED, 0, &error), &error);
    rises(0, 1, 0.1);
    comes_by(1.0 / 3); /* of the blocks, of which the last is shorter */
    comes_by(2.0 / 3);
    int count = all.count;
    for (int stop = 1; stop <= count; stop += stop < count - 3 ? count / 5 : 1) {
        surekrig_status status = predict_some(ASKED, stop, &error);
        assert_int_equal(status, stop < count ? SUREKRIG_STOPPED : SUREKRIG_OK);
        assert_int_equal(all.count, stop);
    }
    succeed(predict_some(0, 0, &error), &error);
    assert_int_equal(all.count, 0);
}

static surekrig_status validate_some(int stop, surekrig_error *error)
{
    int64_t row[ROWS];
    double distance[ROWS];
    surekrig_progress progress = listen("validation", stop);
    surekrig_validated out = {.row = row, .mean = made, .sd = made + ROWS, .distance = distance};
    return surekrig_validate(model, &(surekrig_validation){.threads = 1}, &progress, &out, error);
}

static void validations(void **state)
{
    (void)state;
    surekrig_error error = {0};
    succeed(validate_some(0, &error), &error);
    rises(0, 1, 1);
    int count = all.count;
    for (int stop = 1; stop <= count; stop++)
        assert_int_equal(validate_some(stop, &error), stop < count ? SUREKRIG_STOPPED : SUREKRIG_OK);
}

static surekrig_status draw_some(int64_t n, int stop, surekrig_error *error)
{
    surekrig_progress progress = listen("simulation", stop);
    surekrig_draws how = {.n = n, .x = places, .draws = 2, .seed = 1, .threads = 1};
    return surekrig_simulate_given(model, &how, &progress, made, error);
}

/* A fifth is done when all is predicted, two when all have their neighbours. */
static void draws(void **state)
{
    (void)state;
    enum { DRAWN = 4500, GENERATION = 1024 };
    surekrig_error error = {0};
    succeed(draw_some(DRAWN, 0, &error), &error);
    rises(0, 1, 0.1);
    comes_by(0.2 * BLOCK / DRAWN);
    comes_by(0.2);
    for (int i = 1; i < 4; i++) /* generations of as many, later of a quarter of those before, in blocks of as many */
        comes_by(0.2 + 0.2 * i * GENERATION / DRAWN);
    comes_by(0.4 + 0.6 / DRAWN); /* the first place is alone on its level */
    int count = all.count;
    for (int stop = 1; stop <= count; stop += stop < count - 3 ? count / 7 : 1) {
        made[0] = -7;
        surekrig_status status = draw_some(DRAWN, stop, &error);
        assert_int_equal(status, stop < count ? SUREKRIG_STOPPED : SUREKRIG_OK);
        assert_true((made[0] == -7) == (stop < count));
    }
}

/* Each evaluation is a share of those planned, and what is known by a stop is the model. */
static void trainings(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"optimizer=local evaluations=12 polish=0 nu=0.5",
                                        "optimizer=bayes evaluations=9 initial=5 polish=3 nu=0.5",
                                        "optimizer=local evaluations=6 polish=0 mean=trend"};
    for (int w = 0; w < 3; w++) {
        char words[200];
        snprintf(words, sizeof words, "preset=coverage neighbors=5 batch=40 threads=1 coverage=none %s", WORDS[w]);
        surekrig_settings *settings = settings_of(words);
        surekrig_model *m = NULL;
        surekrig_error error = {0};
        surekrig_progress progress = listen("training", 0);
        succeed(surekrig_fit(&data.data, settings, &progress, &m, &error), &error);
        rises(0, all.done[all.count - 1], 0.2);
        assert_true(all.done[all.count - 1] > 0.5 && all.done[all.count - 1] <= 1);
        int64_t evaluations = surekrig_model_info(m)->evaluations;
        assert_int_equal(all.evaluations[all.count - 1], evaluations - 1); /* reported before it is counted */
        for (int i = 1; i < all.count && w < 2; i++)
            assert_true(all.evaluations[i] == all.evaluations[i - 1] ||
                        all.evaluations[i] == all.evaluations[i - 1] + 1);
        surekrig_model_free(m);
        int count = all.count;
        for (int stop = 1; stop < count && w < 2; stop += 1 + count / 9) {
            m = NULL;
            progress = listen("training", stop);
            surekrig_status status = surekrig_fit(&data.data, settings, &progress, &m, &error);
            int64_t known = all.evaluations[all.count - 1];
            assert_int_equal(status, m ? SUREKRIG_OK : SUREKRIG_STOPPED);
            assert_true(m || !known); /* the evaluation that is under way may be done by then */
            if (!m)
                continue;
            int64_t made_by_then = surekrig_model_info(m)->evaluations;
            assert_int_equal(surekrig_model_info(m)->outcome, SUREKRIG_STOPPED_EARLY);
            assert_true(made_by_then == known || made_by_then == known + 1);
            surekrig_model_free(m);
        }
        surekrig_settings_free(settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions),
        cmocka_unit_test(validations),
        cmocka_unit_test(draws),
        cmocka_unit_test(trainings),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
