/* Fits, verified (verify.h). */
#include "verify.h"

#define ALIKE "anisotropic=no " /* what verify recomputes has no metric of its own */
#define FIVE "coverage=0.9,0.925,0.95,0.975,0.99 "

static void fit_and_verify(const points *p, const char *words)
{
    surekrig_model *model = fit(&p->data, words);
    verify(&p->data, model);
    surekrig_model_free(model);
}

static void fits_of_one_response(void **state)
{
    (void)state;
    points p = make_field(300, 2, 1, 0.7, 0.2, 0.01, 11);
    for (int64_t i = 0; i < p.data.n; i++) { /* sides of 3 and 0.5, and a mean */
        p.x[2 * i] *= 3;
        p.x[2 * i + 1] /= 2;
        p.y[i] += 2;
    }
    fit_and_verify(&p, SMALL ALIKE FIVE);
    fit_and_verify(&p, SMALL ALIKE "coverage=none seed=2");
    fit_and_verify(&p, SMALL ALIKE "coverage=0.95 mean=zero");
    fit_and_verify(&p, SMALL ALIKE FIVE "loss=mse");
    fit_and_verify(&p, SMALL ALIKE "loss=mse coverage=none");
    fit_and_verify(&p, SMALL ALIKE "loss=huber huber=0.05 coverage=0.8");
    fit_and_verify(&p, SMALL ALIKE FIVE "loss=huber constraint=penalty");
    fit_and_verify(&p, SMALL ALIKE FIVE "loss=lool");
    fit_and_verify(&p, SMALL ALIKE "coverage=none backend=reference");
    fit_and_verify(&p, SMALL ALIKE FIVE "loss=crps");
    fit_and_verify(&p, SMALL ALIKE "loss=crps coverage=none");
    fit_and_verify(&p, SMALL ALIKE FIVE "loss=looph");
    fit_and_verify(&p, SMALL ALIKE "loss=looph huber=0.5 coverage=none");
    fit_and_verify(&p, SMALL FIVE "anisotropic=yes metric=start");
    fit_and_verify(&p, SMALL FIVE "loss=lool anisotropic=yes optimizer=lbfgs metric=start");
    fit_and_verify(&p, SMALL ALIKE "coverage=0.95 loss=crps optimizer=lbfgs");
    fit_and_verify(&p, SMALL ALIKE "coverage=0.9 scaling=axis");
    fit_and_verify(&p, SMALL "coverage=none scaling=axis anisotropic=yes metric=start");
    fit_and_verify(&p, SMALL "coverage=0.9 scaling=none rho=0.01:0.3:3 optimizer=local");
    fit_and_verify(&p, SMALL "coverage=0.9 nu=inf tau2=0.01 rho=0.01:3 acquisition=ucb");
    fit_and_verify(&p, SMALL "coverage=0.95 nu=0.5 rho=0.5,0.1 metric=start tau2=0.02 gamma2=1.3");
    fit_and_verify(&p, SMALL "coverage=none nu=0.5 rho=0.3 tau2=0.02");
    fit_and_verify(&p, SMALL FIVE "nu=0.5 rho=0.5 gamma2=0.01:0.02 tau2=0.001:1");
    fit_and_verify(&p, SMALL "preset=paper batch=100 neighbors=10 seed=18446744073709551615");
    free_points(&p);
}

static void fits_of_three_responses(void **state)
{
    (void)state;
    points p = make_field(250, 2, 3, 1.1, 0.3, 0.05, 12);
    fit_and_verify(&p, SMALL FIVE);
    fit_and_verify(&p, SMALL "coverage=none");
    fit_and_verify(&p, SMALL "coverage=0.95 loss=mse mean=zero");
    fit_and_verify(&p, SMALL FIVE "loss=huber gamma2=2 nu=1.5");
    fit_and_verify(&p, SMALL FIVE "loss=lool");
    fit_and_verify(&p, SMALL FIVE "loss=crps");
    fit_and_verify(&p, SMALL "coverage=0.95 loss=looph");
    fit_and_verify(&p, SMALL FIVE "loss=crps optimizer=lbfgs");
    free_points(&p);
}

static void fits_with_given_noise(void **state)
{
    (void)state;
    points p = make_field(250, 3, 1, 0.6, 0.5, 0, 13);
    add_noise(&p, 14);
    fit_and_verify(&p, SMALL FIVE "anisotropic=no");
    fit_and_verify(&p, SMALL "coverage=0.95 loss=mse tau2=0 anisotropic=no");
    fit_and_verify(&p, SMALL "coverage=none tau2=0.01 gamma2=0.8 anisotropic=no");
    fit_and_verify(&p, SMALL "coverage=0.9 tau2=0 gamma2=0.1:10 anisotropic=yes metric=start");
    fit_and_verify(&p, SMALL "coverage=0.95 loss=lool anisotropic=no");
    free_points(&p);
}

/* All points as neighbours: mean_i = y_i - [K^-1 y]_i / [K^-1]_ii,  var_i = 1 / [K^-1]_ii. */
static void all_neighbours_are_the_exact_process(void **state)
{
    (void)state;
    enum { N = 40 };
    points p = make_field(N, 2, 1, 0.7, 0.3, 0.02, 15);
    surekrig_model *model = fit(&p.data, "neighbors=39 mean=zero nu=0.7 rho=0.3 tau2=0.02 gamma2=1.2 coverage=none");
    verify(&p.data, model);
    double matrix[N * N], solved[N], square = 0, density = 0, rho[2] = {0.3, 0.3};
    oracle o = {&p.data, 0.7, 0.02, 0, rho, NULL};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            matrix[i * N + j] = 1.2 * (oracle_covariance(&o, p.x + 2 * i, p.x + 2 * j) + (i == j ? 0.02 : 0));
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', N, matrix, N), 0);
    assert_int_equal(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'U', N, matrix, N), 0);
    for (int i = 0; i < N; i++) {
        solved[i] = 0;
        for (int j = 0; j < N; j++)
            solved[i] += matrix[i < j ? i * N + j : j * N + i] * p.y[j];
        double inverse = matrix[i * N + i], e = solved[i] / inverse;
        square += e * e / N;
        density -= (e * e * inverse + log(2 * M_PI / inverse)) / 2 / N;
    }
    close_to(surekrig_model_info(model)->scores.rmse, sqrt(square), 1e-10);
    close_to(surekrig_model_info(model)->scores.logdensity, density, 1e-10);
    surekrig_model_free(model);
    free_points(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_of_one_response),
        cmocka_unit_test(fits_of_three_responses),
        cmocka_unit_test(fits_with_given_noise),
        cmocka_unit_test(all_neighbours_are_the_exact_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
