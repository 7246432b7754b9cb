/* Kriging against a dense Gaussian process by LAPACK, its leave-one-out identity, and its invariances; jitter and its
 * end. Whatever goes through krige() below runs on every back end. */
#include "krige/krige.h"
#include "support.h"

#include <lapacke.h>

static const char *BACKENDS[8] = {"reference"}; /* and those that this machine has, auto last */
static int backends = 1;

static int find_backends(void **state)
{
    const char *const fast[] = {"portable", "avx2", "avx512", "auto"};
    (void)state;
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++)
        if (sk_backend_find(fast[i]))
            BACKENDS[backends++] = fast[i];
        else
            printf("skipped: back end %s, which this machine cannot run\n", fast[i]);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------ problems */

/* Data, neighbourhoods and theta, each of the caller's making; the arrays are the problem's. */
typedef struct problem {
    surekrig_data data;
    surekrig_neighborhoods hoods;
    surekrig_theta theta;
    surekrig_term term[2];
    double *x, *y, *noise, *target, *rho;
    int64_t *neighbor, *count;
} problem;

typedef struct shape {
    int64_t n, d, l, points, k;
} shape;

/* Uniform points and targets, normal responses, each neighbourhood k distinct rows at random; nugget 1e-3. */
static problem new_problem(shape s, double nu, uint64_t seed)
{
    problem p = {.x = sk_doubles(s.n * s.d),
                 .y = sk_doubles(s.n * s.l),
                 .noise = sk_doubles(s.n),
                 .target = sk_doubles(s.points * s.d),
                 .rho = sk_doubles(2 * s.d),
                 .neighbor = sk_alloc(s.points * s.k, sizeof(int64_t)),
                 .count = sk_alloc(s.points, sizeof(int64_t))};
    draws d = {seed, 0};
    fill_uniform(&d, s.n * s.d, 0, 1, p.x);
    fill_normal(&d, s.n * s.l, p.y);
    fill_uniform(&d, s.n, 0, 0.3, p.noise);
    fill_uniform(&d, s.points * s.d, -0.1, 1.1, p.target);
    fill_uniform(&d, 2 * s.d, 0.3, 0.6, p.rho);
    for (int64_t i = 0; i < s.points; i++) {
        int64_t *row = p.neighbor + i * s.k;
        assert_int_equal(sk_sample_rows(seed + (uint64_t)i, s.n, s.k, row, NULL), SUREKRIG_OK);
        for (int64_t j = s.k - 1; j > 0; j--) { /* in no order */
            int64_t other = draw_below(&d, j + 1), held = row[j];
            row[j] = row[other];
            row[other] = held;
        }
        p.count[i] = 1 + draw_below(&d, s.k);
    }
    p.data = (surekrig_data){.n = s.n, .d = s.d, .l = s.l, .x = p.x, .y = p.y};
    p.hoods = (surekrig_neighborhoods){s.points, s.k, p.neighbor, NULL, p.target};
    p.term[0] = (surekrig_term){1, nu, p.rho};
    p.theta = (surekrig_theta){1, NULL, 1e-3, 1.7};
    return p;
}

static void free_problem(problem *p)
{
    void *owned[] = {p->x, p->y, p->noise, p->target, p->rho, p->neighbor, p->count};
    for (int i = 0; i < 7; i++)
        free(owned[i]);
}

typedef struct answer {
    double *mean, *variance, *jitter; /* [points][l], [points], [points] */
} answer;

static answer new_answer(const problem *p)
{
    int64_t points = p->hoods.n;
    return (answer){sk_doubles(points * p->data.l), sk_doubles(points), sk_doubles(points)};
}

static void free_answer(answer *a)
{
    free(a->mean);
    free(a->variance);
    free(a->jitter);
}

static answer krige_on(problem *p, const char *backend)
{
    answer a = new_answer(p);
    surekrig_kriged out = {a.mean, a.variance, a.jitter};
    surekrig_error error = {0};
    p->theta.term = p->term;
    succeeded(surekrig_krige(&p->data, &p->hoods, &p->theta, backend, &out, &error), &error);
    for (int64_t i = 0; i < p->hoods.n; i++)
        assert_true(a.variance[i] >= 0 && a.jitter[i] >= 0);
    return a;
}

/* Largest absolute differences; NaN where either has one. */
static double mean_gap(const problem *p, const double *a, const double *b)
{
    double gap = 0;
    for (int64_t i = 0; i < p->hoods.n * p->data.l; i++)
        gap = fabs(a[i] - b[i]) <= gap ? gap : fabs(a[i] - b[i]);
    return gap;
}

static double variance_gap(const problem *p, const double *a, const double *b)
{
    double gap = 0;
    for (int64_t i = 0; i < p->hoods.n; i++)
        gap = fabs(a[i] - b[i]) <= gap ? gap : fabs(a[i] - b[i]);
    return gap;
}

/* On every back end, which must agree; the fastest one's answer is returned. */
static answer krige(problem *p)
{
    answer first = krige_on(p, BACKENDS[0]);
    for (int b = 1; b < backends; b++) {
        answer other = krige_on(p, BACKENDS[b]);
        assert_true(mean_gap(p, first.mean, other.mean) <= 1e-11);
        assert_true(variance_gap(p, first.variance, other.variance) <= 1e-11);
        free_answer(&first);
        first = other;
    }
    return first;
}

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

/* -------------------------------------------------------------------------------------------------------- jitter */

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
        cmocka_unit_test(covariances_at_every_distance),
        cmocka_unit_test(interpolates_the_data),
        cmocka_unit_test(far_away_is_the_prior),
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
