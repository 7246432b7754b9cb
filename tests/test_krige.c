/* Kriging against a dense Gaussian process by LAPACK, its leave-one-out identity, and its invariances. Whatever goes
 * through krige() runs on every back end. */
#include "krige_support.h"

#include <lapacke.h>

/* -------------------------------------------------------------------------------------------------- dense oracle */

/* (M1) in long double, as a share of gamma2, without nugget. */
static double covariance(const problem *p, const double *x, const double *other)
{
    long double sum = 0;
    for (int t = 0; t < p->theta.terms; t++) {
        long double square = 0;
        for (int64_t a = 0; a < p->data.d; a++) {
            long double step = ((long double)x[a] - other[a]) / p->term[t].rho[a];
            square += step * step;
        }
        double nu = p->term[t].nu;
        sum += p->term[t].weight * sk_matern_exact(nu, sqrtl(isinf(nu) ? square : 2 * (long double)nu * square)).value;
    }
    return (double)sum;
}

/* The covariance of rows row[0..count), of observations (M3): [count][count]. */
static double *dense_covariance(const problem *p, const int64_t *row, int64_t count)
{
    double *k = sk_doubles(count * count);
    int64_t d = p->data.d;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = i; j < count; j++)
            k[i * count + j] = k[j * count + i] = covariance(p, p->x + row[i] * d, p->x + row[j] * d);
    for (int64_t i = 0; i < count; i++)
        k[i * count + i] += p->theta.tau2 + (p->data.noise ? p->data.noise[row[i]] / p->theta.gamma2 : 0);
    return k;
}

/* (M4) with K^-1 c by dposv: mean = (K^-1 c)'y, variance = k0 - c'K^-1 c. */
static void dense_answer(const problem *p, int64_t i, double *mean, double *variance)
{
    const int64_t *row = p->neighbor + i * p->hoods.k;
    int64_t count = p->hoods.count ? p->hoods.count[i] : p->hoods.k, d = p->data.d, l = p->data.l;
    double *k = dense_covariance(p, row, count), *c = sk_doubles(count), *w = sk_doubles(count);
    const double *at = p->target + i * d;
    for (int64_t j = 0; j < count; j++)
        w[j] = c[j] = covariance(p, at, p->x + row[j] * d);
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', (lapack_int)count, 1, k, (lapack_int)count, w, 1), 0);
    *variance = covariance(p, at, at);
    for (int64_t q = 0; q < l; q++)
        mean[q] = 0;
    for (int64_t j = 0; j < count; j++) {
        *variance -= c[j] * w[j];
        for (int64_t q = 0; q < l; q++)
            mean[q] += w[j] * p->y[row[j] * l + q];
    }
    free(k);
    free(c);
    free(w);
}

/* Means of order 1; a variance may cancel down from 1. */
static void agrees_with_dense(problem *p)
{
    answer a = krige(p);
    double mean[8], variance;
    for (int64_t i = 0; i < p->hoods.n; i++) {
        dense_answer(p, i, mean, &variance);
        for (int64_t q = 0; q < p->data.l; q++)
            close_within(a.mean[i * p->data.l + q], mean[q], 1e-10, 1e-10);
        close_within(a.variance[i], variance, 1e-10, 1e-14);
        assert_true(a.jitter[i] == 0);
    }
    free_answer(&a);
}

static void neighbourhoods_agree_with_a_dense_process(void **state)
{
    (void)state;
    const double smoothness[] = {0.135, 0.5, 1.3, 2.5, INFINITY};
    for (int64_t d = 1; d <= 4; d++)
        for (int i = 0; i < 5; i++)
            for (int64_t l = 1; l <= 3; l += 2) {
                problem p = new_problem((shape){100, d, l, 8, 30}, smoothness[i], (uint64_t)(100 * d + 10 * i + l));
                agrees_with_dense(&p);
                p.hoods.count = p.count; /* ragged, and what stands beyond is not looked at */
                for (int64_t at = 0; at < p.hoods.n * p.hoods.k; at++)
                    if (at % p.hoods.k >= p.count[at / p.hoods.k])
                        p.neighbor[at] = -1;
                agrees_with_dense(&p);
                free_problem(&p);
            }
}

static void noises_and_two_terms_agree_with_a_dense_process(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        problem p = new_problem((shape){100, 2, 1, 10, 40}, 0.85, 500 + (uint64_t)i);
        p.data.noise = i % 2 ? p.noise : NULL;
        p.theta.tau2 = i == 1 ? 0 : 1e-3;
        if (i >= 2) {
            p.theta.terms = 2;
            p.term[0].weight = 0.4;
            p.term[1] = (surekrig_term){0.6, 2.5, p.rho + 2};
        }
        agrees_with_dense(&p);
        free_problem(&p);
    }
}

static void large_and_smallest_neighbourhoods(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 64, 65, 150};
    for (int i = 0; i < 5; i++) {
        problem p = new_problem((shape){150, 2, 2, 3, sizes[i]}, 0.7, 600);
        agrees_with_dense(&p);
        free_problem(&p);
    }
}

/* Places that share a neighbourhood, none to seven of them, get what each would get alone. */
static void targets_share_a_factorisation(void **state)
{
    (void)state;
    enum { HOODS = 21, K = 30, N = 100, MOST = 8 };
    for (int i = 0; i < 16; i++) {
        bool ragged = i & 1, unknown = i & 2, singular = i & 4;
        int64_t l = i & 8 ? 3 : 1, first[HOODS + 1] = {0}, row[HOODS * MOST * K], count[HOODS * MOST];
        problem p = new_problem((shape){N, 2, l, HOODS * MOST, K}, 0.8, 900 + (uint64_t)i), each = p;
        for (int64_t h = 0; h < HOODS; h++)
            first[h + 1] = first[h] + h % MOST;
        if (singular)
            memcpy(p.x + 2 * p.neighbor[5 * K + 1], p.x + 2 * p.neighbor[5 * K], 2 * sizeof *p.x);
        p.theta.tau2 = singular ? 0 : 1e-3;
        p.theta.unknown_mean = unknown;
        for (int64_t h = 0; h < HOODS; h++)
            for (int64_t at = first[h]; at < first[h + 1]; at++) {
                memcpy(row + at * K, p.neighbor + h * K, K * sizeof *row);
                count[at] = p.count[h];
            }
        each.theta = p.theta;
        each.hoods = (surekrig_neighborhoods){first[HOODS], K, row, ragged ? count : NULL, p.target};
        answer alone = krige(&each), shared = new_answer(&each);
        for (int b = 0; b < backends; b++) {
            const sk_backend *back = sk_backend_find(BACKENDS[b]);
            surekrig_error error = {0};
            void *opened = NULL;
            sk_kernel *kernel = NULL;
            surekrig_neighborhoods hoods = {HOODS, K, p.neighbor, ragged ? p.count : NULL, p.target};
            sk_krige_targets targets = {first, p.target, shared.mean, shared.variance};
            p.theta.term = p.term;
            succeeded(sk_kernel_new(&p.theta, 2, NULL, &kernel, &error), &error);
            succeeded(back->open(&(sk_krige_points){&p.data, NULL, K, 2, unknown, NULL}, &opened, &error), &error);
            sk_krige_theta theta = {kernel, p.theta.tau2, 0};
            sk_krige_job job = {&hoods, &theta, NULL, &(surekrig_kriged){0}, NULL, NULL, &targets};
            succeeded(back->run(opened, &job, &error), &error);
            double off = singular ? 1e-5 : 1e-11; /* another jitter's round-off */
            assert_true(mean_gap(&each, alone.mean, shared.mean) <= off);
            assert_true(variance_gap(&each, alone.variance, shared.variance) <= off);
            back->close(opened);
            sk_kernel_free(kernel);
        }
        free_answer(&alone);
        free_answer(&shared);
        free_problem(&p);
    }
}

/* With all other points for neighbours:  mean_i = y_i - [K^-1 y]_i / [K^-1]_ii,  variance of y_i = 1 / [K^-1]_ii. */
static void all_but_one_is_the_exact_leave_one_out(void **state)
{
    (void)state;
    enum { N = 80, L = 3 };
    for (int noisy = 0; noisy < 2; noisy++) {
        int64_t l = noisy ? 1 : L, all[N];
        problem p = new_problem((shape){N, 2, l, N, N - 1}, 0.9, 700);
        p.data.noise = noisy ? p.noise : NULL;
        memcpy(p.target, p.x, N * 2 * sizeof(double));
        for (int64_t i = 0; i < N; i++) {
            all[i] = i;
            for (int64_t j = 0; j < N - 1; j++)
                p.neighbor[i * (N - 1) + j] = j < i ? j : j + 1;
        }
        answer a = krige(&p);
        double *inverse = dense_covariance(&p, all, N);
        assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', N, inverse, N), 0);
        assert_int_equal(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'U', N, inverse, N), 0);
        for (int64_t i = 0; i < N; i++) {
            double diagonal = inverse[i * N + i], nugget = 1e-3 + (noisy ? p.noise[i] / p.theta.gamma2 : 0);
            close_within(a.variance[i] + nugget, 1 / diagonal, 1e-10, 0);
            for (int64_t q = 0; q < l; q++) {
                double sum = 0;
                for (int64_t j = 0; j < N; j++)
                    sum += (j < i ? inverse[j * N + i] : inverse[i * N + j]) * p.y[j * l + q];
                close_within(a.mean[i * l + q], p.y[i * l + q] - sum / diagonal, 1e-10, 1e-10);
            }
        }
        free(inverse);
        free_answer(&a);
        free_problem(&p);
    }
}

/* --------------------------------------------------------------------------------------------------- invariances */

/* Responses 0, 1 and 2 = 0.3 of the first less 4 times the second; also each alone as when together, to the bit. */
static void the_mean_is_linear_in_y(void **state)
{
    (void)state;
    problem p = new_problem((shape){100, 2, 3, 40, 30}, 0.6, 800);
    for (int64_t i = 0; i < 100; i++)
        p.y[i * 3 + 2] = 0.3 * p.y[i * 3] - 4 * p.y[i * 3 + 1];
    answer a = krige(&p);
    for (int64_t i = 0; i < 40; i++)
        close_within(a.mean[i * 3 + 2], 0.3 * a.mean[i * 3] - 4 * a.mean[i * 3 + 1], 0, 1e-12);
    double alone[100];
    for (int q = 0; q < 3; q++) {
        for (int64_t i = 0; i < 100; i++)
            alone[i] = p.y[i * 3 + q];
        problem one = p;
        one.data.l = 1;
        one.data.y = alone;
        answer b = krige(&one);
        for (int64_t i = 0; i < 40; i++)
            assert_true(b.mean[i] == a.mean[i * 3 + q] && b.variance[i] == a.variance[i]);
        free_answer(&b);
    }
    free_answer(&a);
    free_problem(&p);
}

static void the_order_of_neighbours_does_not_matter(void **state)
{
    (void)state;
    problem p = new_problem((shape){100, 3, 2, 40, 30}, 0.6, 900);
    p.theta.tau2 = 1e-2;
    answer a = krige(&p);
    for (int64_t i = 0; i < p.hoods.n; i++)
        for (int64_t j = 0; j < 15; j++) { /* the other way round */
            int64_t held = p.neighbor[i * 30 + j];
            p.neighbor[i * 30 + j] = p.neighbor[i * 30 + 29 - j];
            p.neighbor[i * 30 + 29 - j] = held;
        }
    answer b = krige(&p);
    assert_true(mean_gap(&p, a.mean, b.mean) <= 1e-12);
    assert_true(variance_gap(&p, a.variance, b.variance) <= 1e-12);
    free_answer(&a);
    free_answer(&b);
    free_problem(&p);
}

/* x <- R x + shift, R a rotation of the first two axes and of the last two. */
static void move(int64_t n, int64_t d, double *x)
{
    const double c = cos(0.7), s = sin(0.7);
    for (int64_t i = 0; i < n; i++) {
        double *p = x + i * d;
        for (int64_t a = 0; a + 1 < d; a += d > 2 ? d - 2 : 1) {
            double u = p[a], v = p[a + 1];
            p[a] = c * u - s * v;
            p[a + 1] = s * u + c * v;
        }
        for (int64_t a = 0; a < d; a++)
            p[a] += 3.5 - (double)a;
    }
}

static void shift_and_rotation_change_nothing(void **state)
{
    (void)state;
    for (int64_t d = 2; d <= 3; d++) {
        problem p = new_problem((shape){100, d, 1, 40, 30}, 0.8, 1000 + (uint64_t)d);
        for (int64_t a = 0; a < d; a++)
            p.rho[a] = 0.4;
        answer a = krige(&p);
        double first = p.x[0];
        move(100, d, p.x);
        move(40, d, p.target);
        assert_true(fabs(p.x[0] - first) > 0.5);
        answer b = krige(&p);
        assert_true(mean_gap(&p, a.mean, b.mean) <= 1e-10);
        assert_true(variance_gap(&p, a.variance, b.variance) <= 1e-10);
        free_answer(&a);
        free_answer(&b);
        free_problem(&p);
    }
}

/* Without noise gamma2 does not enter; with noise only its ratio to the noise does. */
static void only_the_share_of_noise_matters(void **state)
{
    (void)state;
    problem p = new_problem((shape){100, 2, 1, 20, 30}, 0.8, 1100);
    answer a = krige(&p);
    p.theta.gamma2 *= 16;
    answer b = krige(&p);
    p.data.noise = p.noise;
    answer c = krige(&p);
    p.theta.gamma2 *= 4;
    for (int i = 0; i < 100; i++)
        p.noise[i] *= 4;
    answer e = krige(&p);
    assert_true(mean_gap(&p, a.mean, b.mean) == 0 && variance_gap(&p, a.variance, b.variance) == 0);
    assert_true(mean_gap(&p, c.mean, e.mean) == 0 && variance_gap(&p, c.variance, e.variance) == 0);
    assert_true(mean_gap(&p, a.mean, c.mean) > 1e-3 && variance_gap(&p, a.variance, c.variance) > 1e-3);
    answer *all[] = {&a, &b, &c, &e};
    for (int i = 0; i < 4; i++)
        free_answer(all[i]);
    free_problem(&p);
}

static void each_output_alone_has_the_same_bits(void **state)
{
    (void)state;
    problem p = new_problem((shape){100, 2, 3, 50, 30}, 0.8, 1200);
    for (int b = 0; b < backends; b++) {
        answer a = krige_on(&p, BACKENDS[b]), alone = new_answer(&p);
        surekrig_kriged mean = {.mean = alone.mean}, variance = {.variance = alone.variance}, none = {0};
        surekrig_kriged *out[] = {&mean, &variance, &none};
        for (int i = 0; i < 3; i++)
            assert_int_equal(surekrig_krige(&p.data, &p.hoods, &p.theta, BACKENDS[b], out[i], NULL), SUREKRIG_OK);
        assert_memory_equal(a.mean, alone.mean, 50 * 3 * sizeof(double));
        assert_memory_equal(a.variance, alone.variance, 50 * sizeof(double));
        free_answer(&a);
        free_answer(&alone);
    }
    free_problem(&p);
}

/* Neighbourhoods of every size around a tile and a vector, all of one size or each its own. */
static void every_size_agrees(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 31, 32, 33, 50, 64, 97, 150};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int64_t l = 1; l <= 5; l += 2)
            for (int64_t d = 1; d <= 3; d++) {
                problem p = new_problem((shape){200, d, l, 1 + (int64_t)i % 21, sizes[i]}, i % 5 ? 0.8 : INFINITY,
                                        1250 + i);
                answer whole = krige(&p);
                p.hoods.count = p.count;
                answer ragged = krige(&p);
                free_answer(&whole);
                free_answer(&ragged);
                free_problem(&p);
            }
}

/* A point's bits do not depend on those that it is kriged with. */
static void company_changes_nothing(void **state)
{
    (void)state;
    problem p = new_problem((shape){200, 2, 2, 37, 21}, 0.8, 1270);
    p.hoods.count = p.count;
    for (int b = 0; b < backends; b++) {
        answer all = krige_on(&p, BACKENDS[b]);
        for (int64_t i = 0; i < 37; i++) {
            problem one = p;
            one.hoods = (surekrig_neighborhoods){1, 21, p.neighbor + i * 21, p.count + i, p.target + i * 2};
            answer alone = krige_on(&one, BACKENDS[b]);
            assert_memory_equal(alone.mean, all.mean + 2 * i, 2 * sizeof(double));
            assert_memory_equal(alone.variance, all.variance + i, sizeof(double));
            free_answer(&alone);
        }
        free_answer(&all);
    }
    free_problem(&p);
}

/* Length scales from far below the neighbours' distances to far above. */
static void every_length_scale_agrees(void **state)
{
    (void)state;
    const double rho[] = {1e-5, 1e-3, 3e-3, 0.01, 0.03, 0.1, 1, 10, 1000};
    for (int i = 0; i < 9; i++) {
        problem p = new_problem((shape){400, 2, 1, 40, 40}, 0.7, 1280);
        for (int a = 0; a < 4; a++)
            p.rho[a] = rho[i];
        memcpy(p.target, p.x + 2 * p.neighbor[0], 2 * sizeof(double)); /* the first point is its own neighbour */
        answer a = krige(&p);
        free_answer(&a);
        p.theta.terms = 2;
        p.term[0].weight = 0.4;
        p.term[1] = (surekrig_term){0.6, 2.2, (double[]){0.3, 0.3}};
        a = krige(&p);
        free_answer(&a);
        free_problem(&p);
    }
}

/* Features without an end to their length scale do not count, whichever they are. */
static void endless_features_agree_with_a_dense_process(void **state)
{
    (void)state;
    for (int64_t d = 2; d <= 4; d++)
        for (int counts = 1; counts < 1 << d; counts++) {
            problem p = new_problem((shape){90, d, 1, 9, 12}, 1.3, 1700 + (uint64_t)counts);
            for (int64_t a = 0; a < d; a++)
                p.rho[a] = counts >> a & 1 ? p.rho[a] : INFINITY;
            agrees_with_dense(&p);
            free_problem(&p);
        }
}

/* From one neighbour with response 1 and no nugget, the mean is the covariance itself. */
static void covariances_at_every_distance(void **state)
{
    (void)state;
    enum { POINTS = 4000 };
    const double smoothness[] = {0.05, 0.5, 0.965, 2.5, 3, 9.9, 12, INFINITY}, rho = 1;
    double x = 0, y = 1;
    static double target[POINTS], mean[POINTS];
    static int64_t neighbor[POINTS];
    surekrig_data data = {.n = 1, .d = 1, .l = 1, .x = &x, .y = &y};
    surekrig_neighborhoods hoods = {POINTS, 1, neighbor, NULL, target};
    for (int i = 0; i < POINTS; i++)
        target[i] = exp(-20 + 0.008 * i); /* to 1.6e5 */
    for (int b = 0; b < backends; b++)
        for (int j = 0; j < 8; j++) {
            double nu = smoothness[j];
            surekrig_theta theta = {1, &(surekrig_term){1, nu, &rho}, 0, 1};
            surekrig_error error = {0};
            succeeded(surekrig_krige(&data, &hoods, &theta, BACKENDS[b], &(surekrig_kriged){.mean = mean}, &error),
                      &error);
            for (int i = 0; i < POINTS; i++) {
                long double exact = sk_matern_exact(nu, isinf(nu) ? target[i] : sqrt(2 * nu) * target[i]).value;
                assert_true(fabsl(mean[i] - exact) <= 3e-16L + 1e-14L * exact);
            }
        }
}

/* tau2 = 0: the data come back, and nothing is left to know there. */
static void interpolates_the_data(void **state)
{
    (void)state;
    const double smoothness[] = {0.3, 0.5, 1.5};
    for (int i = 0; i < 3; i++) {
        problem p = new_problem((shape){60, 2, 2, 60, 30}, smoothness[i], 1300);
        p.theta.tau2 = 0;
        memcpy(p.target, p.x, 60 * 2 * sizeof(double));
        for (int64_t j = 0; j < 60; j++) {
            bool in = false;
            for (int64_t h = 0; h < 30; h++)
                in |= p.neighbor[j * 30 + h] == j;
            if (!in)
                p.neighbor[j * 30 + j % 30] = j;
        }
        answer a = krige(&p);
        assert_true(mean_gap(&p, a.mean, p.y) <= 1e-9);
        for (int64_t j = 0; j < 60; j++)
            assert_true(a.variance[j] <= 1e-12 && a.jitter[j] == 0);
        free_answer(&a);
        free_problem(&p);
    }
}

/* Far from all data there is only the prior: mean 0, variance 1. */
static void far_away_is_the_prior(void **state)
{
    (void)state;
    problem p = new_problem((shape){50, 2, 2, 5, 20}, 0.5, 1400);
    for (int i = 0; i < 10; i++)
        p.target[i] = 1e6;
    answer a = krige(&p);
    for (int i = 0; i < 10; i++)
        assert_true(a.mean[i] == 0 && a.variance[i / 2] == 1);
    free_answer(&a);
    free_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbourhoods_agree_with_a_dense_process),
        cmocka_unit_test(noises_and_two_terms_agree_with_a_dense_process),
        cmocka_unit_test(targets_share_a_factorisation),
        cmocka_unit_test(large_and_smallest_neighbourhoods),
        cmocka_unit_test(all_but_one_is_the_exact_leave_one_out),
        cmocka_unit_test(the_mean_is_linear_in_y),
        cmocka_unit_test(the_order_of_neighbours_does_not_matter),
        cmocka_unit_test(shift_and_rotation_change_nothing),
        cmocka_unit_test(only_the_share_of_noise_matters),
        cmocka_unit_test(each_output_alone_has_the_same_bits),
        cmocka_unit_test(every_size_agrees),
        cmocka_unit_test(company_changes_nothing),
        cmocka_unit_test(every_length_scale_agrees),
        cmocka_unit_test(endless_features_agree_with_a_dense_process),
        cmocka_unit_test(covariances_at_every_distance),
        cmocka_unit_test(interpolates_the_data),
        cmocka_unit_test(far_away_is_the_prior),
    };
    return cmocka_run_group_tests(tests, find_backends, NULL);
}
