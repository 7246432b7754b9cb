/* Calls of the seam: jitter and its end, which point is singular, threads, the center, blocks, stops, and what is
 * refused. Whatever goes through krige() runs on every back end. */
#include "krige_support.h"

/* Every neighbour twice, at one place with one response: jitter, and the answer of each once. */
static void duplicates_without_nugget_get_jitter(void **state)
{
    (void)state;
    problem p = new_problem((shape){40, 2, 2, 20, 20}, 0.5, 1500);
    p.theta.tau2 = 0;
    for (int i = 0; i < 20; i++) { /* row 20 + i repeats row i */
        memcpy(p.x + 2 * (20 + i), p.x + 2 * i, 2 * sizeof(double));
        memcpy(p.y + 2 * (20 + i), p.y + 2 * i, 2 * sizeof(double));
    }
    for (int i = 0; i < 20 * 20; i++)
        p.neighbor[i] = i % 20;
    for (int i = 0; i < 20; i++)
        p.count[i] = 10;
    p.hoods.count = p.count;
    answer once = krige(&p);
    for (int i = 0; i < 20 * 20; i++)
        p.neighbor[i] = i % 20 / 2 + 20 * (i % 2);
    p.hoods.count = NULL;
    answer twice = krige(&p);
    for (int i = 0; i < 20; i++) {
        assert_true(once.jitter[i] == 0);
        assert_true(twice.jitter[i] > 0 && twice.jitter[i] <= 1e-12);
        assert_true(isfinite(twice.mean[2 * i]) && isfinite(twice.mean[2 * i + 1]) && isfinite(twice.variance[i]));
    }
    assert_true(mean_gap(&p, once.mean, twice.mean) <= 1e-6);
    assert_true(variance_gap(&p, once.variance, twice.variance) <= 1e-6);
    free_answer(&once);
    free_answer(&twice);
    free_problem(&p);
}

/* Nearly coincident points under smooth kernels: whatever jitter it takes, variances in [0, 1] and finite means. */
static void variances_are_never_negative(void **state)
{
    (void)state;
    const double smoothness[] = {0.5, 2.5, 20, INFINITY}, widths[] = {1, 1e-2, 1e-5, 1e-9, 0};
    int64_t jittered = 0;
    for (int i = 0; i < 4; i++)
        for (int w = 0; w < 5; w++) {
            problem p = new_problem((shape){100, 2, 1, 30, 40}, smoothness[i], 1600);
            p.theta.tau2 = 0;
            for (int at = 0; at < 200; at++)
                p.x[at] = 0.5 + widths[w] * (p.x[at] - 0.5);
            for (int at = 0; at < 60; at++)
                p.target[at] = at < 30 ? p.x[at] : 0.5 + widths[w] * (p.target[at] - 0.5);
            answer a = krige_on(&p, "reference");
            for (int at = 0; at < 30; at++) {
                assert_true(a.variance[at] >= 0 && a.variance[at] <= 1 && isfinite(a.mean[at]));
                assert_true(a.jitter[at] <= SK_JITTER_LIMIT);
                jittered += a.jitter[at] > 0;
            }
            free_answer(&a);
            free_problem(&p);
        }
    assert_true(jittered > 100);
}

/* --------------------------------------------------------------------------------------------------- at the seam */

/* One run of an opened back end, theta unchecked. */
static surekrig_status run_job_on(const problem *p, const char *backend, const sk_krige_points *points,
                                  sk_krige_job job, surekrig_error *error)
{
    const sk_backend *back = sk_backend_find(backend);
    assert_non_null(back);
    surekrig_theta theta = p->theta;
    theta.term = p->term;
    sk_kernel *kernel = NULL;
    void *opened = NULL;
    succeeded(sk_kernel_new(&theta, p->data.d, NULL, &kernel, error), error);
    succeeded(back->open(points, &opened, error), error);
    sk_krige_theta prepared = {kernel, theta.tau2, p->data.noise ? 1 / theta.gamma2 : 0};
    job.batch = &p->hoods;
    job.theta = &prepared;
    surekrig_status status = back->run(opened, &job, error);
    back->close(opened);
    sk_kernel_free(kernel);
    return status;
}

static surekrig_status run_on(const problem *p, const char *backend, const sk_krige_points *points, sk_ticker *ticker,
                              surekrig_kriged *out, surekrig_error *error)
{
    return run_job_on(p, backend, points, (sk_krige_job){.ticker = ticker, .out = out}, error);
}

/* log det K and y' K^-1 y by the chain rule: each neighbour kriged from those before it. */
static void blocks_by_the_chain_rule(void **state)
{
    (void)state;
    problem p = new_problem((shape){60, 2, 2, 21, 11}, 0.8, 2300);
    p.hoods.count = p.count;
    p.data.noise = p.noise;
    double log_determinant[21], square[42];
    sk_krige_block block = {log_determinant, square};
    surekrig_kriged nothing = {0};
    sk_krige_points points = {&p.data, NULL, 11, 1};
    p.theta.term = p.term;
    for (int b = 0; b < backends; b++) {
        surekrig_error error = {0};
        succeeded(run_job_on(&p, BACKENDS[b], &points, (sk_krige_job){.out = &nothing, .block = &block}, &error),
                  &error);
        for (int64_t i = 0; i < 21; i++) {
            double logs = 0, squares[2] = {0, 0};
            for (int64_t j = 0; j < p.count[i]; j++) {
                int64_t row = p.neighbor[i * 11 + j];
                double mean[2] = {0, 0}, variance = 1;
                surekrig_neighborhoods before = {1, j, p.neighbor + i * 11, NULL, p.x + 2 * row};
                surekrig_kriged out = {mean, &variance, NULL};
                if (j > 0)
                    succeeded(surekrig_krige(&p.data, &before, &p.theta, "reference", &out, &error), &error);
                variance += p.theta.tau2 + p.noise[row] / p.theta.gamma2;
                logs += log(variance);
                for (int q = 0; q < 2; q++)
                    squares[q] += pow(p.y[2 * row + q] - mean[q], 2) / variance;
            }
            close_within(log_determinant[i], logs, 1e-10, 1e-10);
            for (int q = 0; q < 2; q++)
                close_to(square[2 * i + q], squares[q], 1e-9);
        }
    }
    free_problem(&p);
}

/* A negative tau2 makes one neighbour's covariance 1 + tau2 as far from positive as one likes: the smallest jitter that
 * lifts it above round-off is taken, to the limit itself, and beyond there is a sentence. */
static void the_smallest_jitter_up_to_its_limit(void **state)
{
    (void)state;
    problem p = new_problem((shape){5, 2, 1, 1, 1}, 0.5, 1700);
    p.target[0] = 0.25;
    p.target[1] = -3;
    double jitter;
    surekrig_kriged out = {.jitter = &jitter};
    sk_krige_points points = {&p.data, NULL, 1, 1};
    for (int b = 0; b < backends; b++) {
        surekrig_error error = {0};
        for (int power = -17; power <= -6; power++) {
            double expected = power < -16 ? 0 : pow(10, power); /* 1 + tau2: two, one, no round-offs; then below 0 */
            p.theta.tau2 = power <= -15 ? -1 + (-15 - power) * 0x1p-52 : -1 - expected / 2;
            succeeded(run_on(&p, BACKENDS[b], &points, NULL, &out, &error), &error);
            close_to(jitter, expected, 1e-12);
        }
        p.theta.tau2 = -1 - 2e-6;
        refused(run_on(&p, BACKENDS[b], &points, NULL, &out, &error), &error, SUREKRIG_NUMERIC,
                "neighbours of (0.25, -3) is singular even with jitter 1e-06");
        assert_non_null(strstr(error.sentence, "tau2"));
    }
    free_problem(&p);
}

/* Points 3, 57 and 98 have two neighbours and an indefinite covariance, the others one: the first is named, whoever
 * comes to it first. */
static void the_first_singular_point_is_named(void **state)
{
    (void)state;
    problem p = new_problem((shape){50, 5, 1, 100, 2}, 0.5, 1800);
    for (int a = 0; a < 5; a++)
        p.rho[a] = 100;
    p.theta.tau2 = -0.5;
    for (int i = 0; i < 100; i++)
        p.count[i] = i == 3 || i == 57 || i == 98 ? 2 : 1;
    p.hoods.count = p.count;
    char where[100];
    snprintf(where, sizeof where, "neighbours of (%.6g, %.6g, %.6g, %.6g, ...) is", p.target[15], p.target[16],
             p.target[17], p.target[18]);
    answer a = new_answer(&p);
    surekrig_kriged out = {a.mean, a.variance, a.jitter};
    for (int b = 0; b < backends; b++)
        for (int threads = 1; threads < 9; threads += 3) {
            surekrig_error error = {0};
            refused(run_on(&p, BACKENDS[b], &(sk_krige_points){&p.data, NULL, 2, threads}, NULL, &out, &error), &error,
                    SUREKRIG_NUMERIC, where);
        }
    free_answer(&a);
    free_problem(&p);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 7};
    problem p = new_problem((shape){200, 2, 2, 300, 20}, 0.8, 1900);
    for (int b = 0; b < backends; b++) {
        answer a[3];
        for (int t = 0; t < 3; t++) {
            surekrig_error error = {0};
            a[t] = new_answer(&p);
            surekrig_kriged out = {a[t].mean, a[t].variance, a[t].jitter};
            succeeded(run_on(&p, BACKENDS[b], &(sk_krige_points){&p.data, NULL, 20, threads[t]}, NULL, &out, &error),
                      &error);
            assert_memory_equal(a[t].mean, a[0].mean, 600 * sizeof(double));
            assert_memory_equal(a[t].variance, a[0].variance, 300 * sizeof(double));
        }
        for (int t = 0; t < 3; t++)
            free_answer(&a[t]);
    }
    free_problem(&p);
}

/* A center is the same as responses from which it was taken. */
static void the_center_is_taken_off(void **state)
{
    (void)state;
    const double center[2] = {2, -0.5};
    problem p = new_problem((shape){100, 2, 2, 40, 20}, 0.8, 2000);
    for (int b = 0; b < backends; b++) {
        surekrig_error error = {0};
        answer with = new_answer(&p);
        surekrig_kriged out = {with.mean, with.variance, NULL};
        succeeded(run_on(&p, BACKENDS[b], &(sk_krige_points){&p.data, center, 20, 1}, NULL, &out, &error), &error);
        double *original = sk_copy(p.y, 200, sizeof(double));
        for (int i = 0; i < 200; i++)
            p.y[i] -= center[i % 2];
        answer without = krige_on(&p, BACKENDS[b]);
        assert_memory_equal(with.mean, without.mean, 80 * sizeof(double));
        assert_memory_equal(with.variance, without.variance, 40 * sizeof(double));
        memcpy(p.y, original, 200 * sizeof(double));
        free(original);
        free_answer(&with);
        free_answer(&without);
    }
    free_problem(&p);
}

static int stop_at_once(void *user, const surekrig_progress_report *report)
{
    (void)report;
    return ++*(int *)user;
}

static void stops_on_request(void **state)
{
    (void)state;
    problem p = new_problem((shape){100, 2, 1, 1000, 5}, 0.8, 2100);
    answer a = new_answer(&p);
    surekrig_kriged out = {a.mean, a.variance, NULL};
    for (int b = 0; b < backends; b++) {
        int calls = 0;
        surekrig_progress progress = {stop_at_once, &calls};
        surekrig_error error = {0};
        sk_ticker ticker;
        sk_ticker_start(&ticker, &progress, "prediction");
        a.mean[999] = -7;
        refused(run_on(&p, BACKENDS[b], &(sk_krige_points){&p.data, NULL, 5, 1}, &ticker, &out, &error), &error,
                SUREKRIG_STOPPED, "stopped");
        assert_int_equal(calls, 1);
        assert_true(a.mean[999] == -7);
    }
    free_answer(&a);
    free_problem(&p);
}

static void back_ends_by_name(void **state)
{
    (void)state;
    assert_string_equal(sk_backend_find("reference")->name, "reference");
    assert_non_null(sk_backend_find("auto"));
    assert_null(sk_backend_find("abacus"));
    assert_null(sk_backend_find(""));
}

/* ------------------------------------------------------------------------------------------------------ refusals */

static void call_refused(problem *p, const char *backend, const char *why)
{
    answer a = new_answer(p);
    surekrig_kriged out = {a.mean, a.variance, a.jitter};
    surekrig_error error = {0};
    for (int64_t i = 0; i < p->hoods.n; i++)
        a.mean[i] = a.variance[i] = a.jitter[i] = -7;
    p->theta.term = p->term;
    refused(surekrig_krige(&p->data, &p->hoods, &p->theta, backend, &out, &error), &error, SUREKRIG_INVALID, why);
    assert_int_equal(surekrig_krige(&p->data, &p->hoods, &p->theta, backend, &out, NULL), SUREKRIG_INVALID);
    for (int64_t i = 0; i < p->hoods.n; i++)
        assert_true(a.mean[i] == -7 && a.variance[i] == -7 && a.jitter[i] == -7);
    free_answer(&a);
}

static void impossible_calls_are_refused(void **state)
{
    (void)state;
    problem good = new_problem((shape){20, 2, 1, 4, 5}, 0.5, 2200), p = good;
    call_refused(&p, "abacus", "'abacus'");
    p.theta.tau2 = -1e-9;
    call_refused(&p, "auto", "tau2 = -1e-09");
    p = good;
    p.theta.tau2 = NAN;
    call_refused(&p, "auto", "tau2 = nan");
    p = good;
    p.theta.gamma2 = 0;
    call_refused(&p, "auto", "gamma2 = 0");
    p.theta.gamma2 = INFINITY;
    call_refused(&p, "auto", "gamma2 = inf");
    p = good;
    p.term[0].nu = 0;
    call_refused(&p, "auto", "nu = 0");
    p = good;
    p.hoods.k = 0;
    call_refused(&p, "auto", "0 neighbours");
    p = good;
    p.data.n = 0;
    call_refused(&p, "auto", "0 data points");
    p = good;
    p.hoods.count = p.count;
    const int64_t bad_counts[] = {0, -1, 6};
    for (int i = 0; i < 3; i++) {
        p.count[0] = p.count[1] = 5;
        p.count[2] = bad_counts[i];
        call_refused(&p, "auto", "point 3 has");
    }
    p = good;
    p.neighbor[2 * 5 + 4] = 20;
    call_refused(&p, "auto", "point 3 has row 20 for a neighbour, of 20 rows");
    p.neighbor[2 * 5 + 4] = -1;
    call_refused(&p, "auto", "point 3 has row -1");
    free_problem(&good);
}

static void no_points_are_no_work(void **state)
{
    (void)state;
    problem p = new_problem((shape){20, 2, 1, 1, 5}, 0.5, 2300);
    surekrig_kriged out = {0};
    p.hoods.n = 0;
    p.theta.term = p.term;
    assert_int_equal(surekrig_krige(&p.data, &p.hoods, &p.theta, "auto", &out, NULL), SUREKRIG_OK);
    free_problem(&p);
}

static void what_cannot_be_kriged_is_refused(void **state)
{
    (void)state;
    double x[3] = {0, 1, 2}, y[3] = {1, 2, 3}, noise[3] = {0, 0, 0}, place = 0.5, mean = -7, rho = 1;
    int64_t neighbor[2] = {0, 1};
    surekrig_data data = {.n = 3, .d = 1, .l = 1, .x = x, .y = y, .noise = noise};
    surekrig_neighborhoods hood = {1, 2, neighbor, NULL, &place};
    surekrig_term term = {1, 0.5, &rho};
    surekrig_theta theta = {1, &term, 0.1, 1};
    surekrig_kriged out = {.mean = &mean};
    surekrig_error error;
    struct {
        double *at, value;
        surekrig_status status;
        const char *why;
    } bad[] = {
        {&x[1], NAN, SUREKRIG_DATA, "row 2, feature 1"},    {&place, INFINITY, SUREKRIG_DATA, "point 1, feature 1"},
        {&noise[0], -3, SUREKRIG_DATA, "noise, row 1"},     {&theta.tau2, -1, SUREKRIG_INVALID, "tau2 = -1"},
        {&theta.gamma2, 0, SUREKRIG_INVALID, "gamma2 = 0"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double before = *bad[i].at;
        *bad[i].at = bad[i].value;
        refused(surekrig_krige(&data, &hood, &theta, "auto", &out, &error), &error, bad[i].status, bad[i].why);
        *bad[i].at = before;
    }
    neighbor[1] = 3;
    refused(surekrig_krige(&data, &hood, &theta, "auto", &out, &error), &error, SUREKRIG_INVALID, "row 3");
    neighbor[1] = 1;
    refused(surekrig_krige(&data, &hood, &theta, "abacus", &out, &error), &error, SUREKRIG_INVALID, "abacus");
    assert_true(mean == -7);
    succeeded(surekrig_krige(&data, &hood, &theta, "auto", &out, &error), &error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duplicates_without_nugget_get_jitter),
        cmocka_unit_test(variances_are_never_negative),
        cmocka_unit_test(the_smallest_jitter_up_to_its_limit),
        cmocka_unit_test(the_first_singular_point_is_named),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(the_center_is_taken_off),
        cmocka_unit_test(blocks_by_the_chain_rule),
        cmocka_unit_test(stops_on_request),
        cmocka_unit_test(back_ends_by_name),
        cmocka_unit_test(impossible_calls_are_refused),
        cmocka_unit_test(what_cannot_be_kriged_is_refused),
        cmocka_unit_test(no_points_are_no_work),
    };
    return cmocka_run_group_tests(tests, find_backends, NULL);
}
