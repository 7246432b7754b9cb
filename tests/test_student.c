/* Intervals of few rows: Student's, with a degree of freedom less for each number that was learned. */
#include "fit_support.h"
#include "model/inside.h"

#include <gsl/gsl_cdf.h>
#include <unistd.h>

static void quantiles_agree_with_gsl(void **state)
{
    (void)state;
    const int64_t freedom[] = {1, 2, 3, 4, 7, 10, 31, 100, 999, 1000, 10000, 10001, 1000000};
    const double level[] = {0.001, 0.3, 0.5, 0.9, 0.95, 0.99, 0.9999};
    for (size_t i = 0; i < sizeof freedom / sizeof *freedom; i++)
        for (size_t j = 0; j < sizeof level / sizeof *level; j++)
            close_to(sk_student_quantile(level[j], freedom[i]),
                     gsl_cdf_tdist_Pinv((1 + level[j]) / 2, (double)freedom[i]), freedom[i] > 10000 ? 1e-10 : 1e-8);
    assert_true(sk_student_quantile(0, 5) == 0 && isinf(sk_student_quantile(1, 5)) && isnan(sk_student_quantile(2, 5)));
}

#define DEFAULT "preset=default threads=1"

/* gamma2 is the mean square over the degrees of freedom; all else is as with normal intervals. */
static void a_degree_less_for_each_number(void **state)
{
    (void)state;
    points p = make_field(12, 2, 2, 1, 0.4, 0.01, 3);
    surekrig_model *few = fit(&p.data, DEFAULT), *normal = fit(&p.data, DEFAULT " interval=gaussian coverage=none");
    const surekrig_info *info = surekrig_model_info(few);
    assert_string_equal(surekrig_settings_get(info->settings, "interval"), "student");
    assert_int_equal(info->freedom, 12 - 4); /* nu, rho, tau2 and gamma2 */
    assert_int_equal(surekrig_model_info(normal)->freedom, 0);
    predicted a = predict(few, 12, p.x, 0, 1), b = predict(normal, 12, p.x, 0, 1);
    for (int64_t i = 0; i < 24; i++) {
        close_to(a.mean[i], b.mean[i], 1e-14);
        close_to(a.sd[i], sqrt(12 / 8.0) * b.sd[i], 1e-12);
    }
    for (int i = 0; i < info->estimates; i++) {
        bool scale = !strncmp(info->estimate[i].name, "gamma2", 6);
        close_to(info->estimate[i].value, (scale ? 12 / 8.0 : 1) * surekrig_model_info(normal)->estimate[i].value,
                 1e-12);
    }
    close_to(surekrig_model_quantile(few, 1, 0.95), gsl_cdf_tdist_Pinv(0.975, 8), 1e-12);
    free_predicted(&a);
    free_predicted(&b);
    surekrig_model_free(few);
    surekrig_model_free(normal);
    free_points(&p);
}

/* What is given is not learned: nothing but gamma2 here, and not even that. */
static void what_is_given_costs_nothing(void **state)
{
    (void)state;
    points p = make_field(10, 2, 1, 1, 0.4, 0.01, 4);
    surekrig_model *scale = fit(&p.data, DEFAULT " nu=1 rho=0.4 tau2=0.01"),
                   *given = fit(&p.data, DEFAULT " nu=1 rho=0.4 tau2=0.01 gamma2=2");
    assert_int_equal(surekrig_model_info(scale)->freedom, 9);
    close_to(given->hyper.gamma2_std[0] * given->spread[0] * given->spread[0], 2, 1e-14);
    surekrig_model_free(scale);
    surekrig_model_free(given);
    free_points(&p);
}

/* More was learned than there are rows: three degrees are left, and never as many as rows. */
static void the_fewest_rows(void **state)
{
    (void)state;
    for (int64_t n = 2; n <= 6; n++) {
        points p = make_field(n, 2, 1, 1, 0.4, 0.01, 6);
        surekrig_model *m = fit(&p.data, DEFAULT);
        assert_int_equal(surekrig_model_info(m)->freedom, n < 4 ? n - 1 : 3);
        surekrig_model_free(m);
        free_points(&p);
    }
}

static void files_and_refits_keep_it(void **state)
{
    (void)state;
    char path[] = "/tmp/surekrig-student-XXXXXX";
    surekrig_error error;
    points p = make_field(9, 1, 1, 1, 0.4, 0.01, 5);
    surekrig_model *m = fit(&p.data, DEFAULT), *loaded = NULL, *again = NULL;
    close(mkstemp(path));
    succeed(surekrig_model_save(m, path, &error), &error);
    succeed(surekrig_model_load(path, &loaded, &error), &error);
    succeed(surekrig_refit(&p.data, m, &again, &error), &error);
    assert_true(surekrig_model_quantile(loaded, 0, 0.9) == surekrig_model_quantile(m, 0, 0.9));
    assert_true(surekrig_model_quantile(again, 0, 0.9) == surekrig_model_quantile(m, 0, 0.9));
    predicted a = predict(m, 9, p.x, 0, 1), b = predict(loaded, 9, p.x, 0, 1);
    for (int64_t i = 0; i < 9; i++)
        assert_true(a.sd[i] == b.sd[i]);
    free_predicted(&a);
    free_predicted(&b);
    surekrig_model_free(m);
    surekrig_model_free(loaded);
    surekrig_model_free(again);
    unlink(path);
    free_points(&p);
}

/* Fewer than ten rows a feature: one length scale, in shares of the extents. More: each its own, and of these all but one
 * count twice. */
static void few_rows_of_many_features_have_one_length_scale(void **state)
{
    (void)state;
    for (int64_t n = 29; n <= 30; n++) {
        points p = make_field(n, 3, 1, 1, 0.8, 0.01, 6);
        for (int64_t i = 0; i < n; i++)
            p.x[3 * i] *= 1000;
        surekrig_model *m = fit(&p.data, DEFAULT " evaluations=20");
        const surekrig_info *info = surekrig_model_info(m);
        bool few = n == 29;
        assert_string_equal(surekrig_settings_get(info->settings, "anisotropic"), few ? "no" : "auto");
        double shares[3];
        for (int a = 0; a < 3; a++)
            shares[a] = m->hyper.rho[a] / (info->box[3 + a] - info->box[a]);
        assert_true(few ==
                    (fabs(shares[0] - shares[1]) < 1e-9 * shares[0] && fabs(shares[1] - shares[2]) < 1e-9 * shares[1]));
        if (few)
            assert_int_equal(info->freedom, 29 - 4);
        surekrig_model_free(m);
        free_points(&p);
    }
}

/* Of ten rows, over many fields: the share of new values in 95 % intervals. Normal ones held 0.8. So few are no choice of
 * models. */
static void they_hold(void **state)
{
    (void)state;
    enum { N = 10, ALL = 60, FIELDS = 40 };
    int64_t inside = 0;
    for (uint64_t seed = 1; seed <= FIELDS; seed++) {
        points p = make_field(ALL, 2, 1, 1, 0.4, 0.01, 100 + seed);
        p.data.n = N;
        surekrig_model *m = fit(&p.data, DEFAULT " auto=yes");
        assert_int_equal(surekrig_model_info(m)->trials, 0);
        predicted at = predict(m, ALL - N, p.x + 2 * N, 0, 1);
        double half = surekrig_model_quantile(m, 0, 0.95);
        for (int64_t i = 0; i < ALL - N; i++)
            inside += fabs(p.y[N + i] - at.mean[i]) <= half * at.sd[i];
        free_predicted(&at);
        surekrig_model_free(m);
        p.data.n = ALL;
        free_points(&p);
    }
    near_to((double)inside / (FIELDS * (ALL - N)), 0.95, 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_agree_with_gsl),
        cmocka_unit_test(a_degree_less_for_each_number),
        cmocka_unit_test(what_is_given_costs_nothing),
        cmocka_unit_test(the_fewest_rows),
        cmocka_unit_test(files_and_refits_keep_it),
        cmocka_unit_test(few_rows_of_many_features_have_one_length_scale),
        cmocka_unit_test(they_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
