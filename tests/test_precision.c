/* What each back end loses to round-off: kriging again in 113-bit arithmetic, with the closed Matérn forms of nu = 1/2,
 * 3/2 and 5/2, on neighbourhoods of 50 in the plane. With the nugget at 1e-3 all agree to 1e-11; at 1e-10 the figures
 * printed here stand in docs/algorithm.md. */
#include "krige/krige.h"
#include "support.h"

#if defined __aarch64__
typedef long double quad; /* 113 bits there */
#else
typedef __float128 quad;
#endif

enum { N = 2000, D = 2, K = 50, POINTS = 64, WIDTH = K + 2 };

typedef struct field {
    double x[N * D], y[N], target[POINTS * D];
    int64_t neighbor[POINTS * K];
} field;

static void make_field(field *f)
{
    draws d = {61, 0};
    surekrig_index *index = NULL;
    fill_uniform(&d, N * D, 0, 1, f->x);
    fill_uniform(&d, POINTS * D, 0, 1, f->target);
    for (int i = 0; i < N; i++)
        f->y[i] = sin(9 * f->x[D * i]) + cos(7 * f->x[D * i + 1]);
    assert_int_equal(surekrig_index_new(N, D, f->x, &index, NULL), SUREKRIG_OK);
    surekrig_neighbor_query near = {.n = POINTS, .x = f->target, .k = K};
    assert_int_equal(surekrig_neighbors(index, &near, f->neighbor, NULL, NULL), SUREKRIG_OK);
    surekrig_index_free(index);
}

/* ---- 113 bits */

static quad quad_sqrt(quad s)
{
    quad root = sqrt((double)s);
    for (int i = 0; i < 3 && s > 0; i++)
        root = (root + s / root) / 2;
    return root;
}

static quad quad_exp(quad x) /* e^x = (e^(x/1024))^1024 */
{
    quad small = x / 1024, term = 1, sum = 1;
    for (int i = 1; i < 24; i++) {
        term *= small / i;
        sum += term;
    }
    for (int i = 0; i < 10; i++)
        sum *= sum;
    return sum;
}

static quad covariance(double nu, double rho, const double *p, const double *q)
{
    quad dx = (quad)p[0] - q[0], dy = (quad)p[1] - q[1];
    quad u = quad_sqrt((dx * dx + dy * dy) * (quad)(2 * nu)) / rho;
    quad polynomial = nu == 0.5 ? 1 : nu == 1.5 ? 1 + u : 1 + u + u * u / 3;
    return polynomial * quad_exp(-u);
}

/* U'U = K with c and y carried, as the reference does it. */
static void krige_quad(const field *f, int point, surekrig_term term, double tau2, double out[2])
{
    static quad a[K][WIDTH];
    const int64_t *row = f->neighbor + point * K;
    for (int i = 0; i < K; i++) {
        const double *p = f->x + row[i] * D;
        for (int j = i; j < K; j++)
            a[i][j] = covariance(term.nu, term.rho[0], p, f->x + row[j] * D) + (i == j ? tau2 : 0);
        a[i][K] = covariance(term.nu, term.rho[0], p, f->target + point * D);
        a[i][K + 1] = f->y[row[i]];
    }
    quad mean = 0, variance = 1;
    for (int j = 0; j < K; j++) {
        quad pivot = quad_sqrt(a[j][j]);
        for (int c = j; c < WIDTH; c++)
            a[j][c] /= pivot;
        for (int i = j + 1; i < K; i++)
            for (int c = i; c < WIDTH; c++)
                a[i][c] -= a[j][i] * a[j][c];
        mean += a[j][K] * a[j][K + 1];
        variance -= a[j][K] * a[j][K];
    }
    out[0] = (double)mean;
    out[1] = (double)variance;
}

/* ---- the back ends beside it */

typedef struct losses {
    double mean, variance; /* the largest: of a mean over the largest |y|, of a variance relative to itself */
} losses;

static losses losses_of(const field *f, surekrig_term term, double tau2, const char *backend, double exact[][2])
{
    double mean[POINTS], variance[POINTS];
    surekrig_data data = {.n = N, .d = D, .l = 1, .x = f->x, .y = f->y};
    surekrig_neighborhoods hoods = {POINTS, K, f->neighbor, NULL, f->target};
    surekrig_theta theta = {1, &term, tau2, 1};
    surekrig_error error = {0};
    succeeded(surekrig_krige(&data, &hoods, &theta, backend, &(surekrig_kriged){mean, variance, NULL}, &error), &error);
    losses lost = {0, 0};
    for (int i = 0; i < POINTS; i++) {
        lost.mean = fmax(lost.mean, fabs(mean[i] - exact[i][0]) / 2);
        lost.variance = fmax(lost.variance, fabs(variance[i] / exact[i][1] - 1));
    }
    return lost;
}

static void measure(double tau2, const double mean_bar[3], const double variance_bar[3])
{
    static field f;
    static double exact[POINTS][2];
    const char *const backends[] = {"reference", "portable", "avx2", "avx512"};
    const double nu[] = {0.5, 1.5, 2.5}, rho[] = {0.3, 0.3};
    make_field(&f);
    for (int i = 0; i < 3; i++) {
        surekrig_term term = {1, nu[i], rho};
        for (int p = 0; p < POINTS; p++)
            krige_quad(&f, p, term, tau2, exact[p]);
        for (int b = 0; b < 4; b++) {
            if (!sk_backend_find(backends[b])) {
                printf("skipped: back end %s, which this machine cannot run\n", backends[b]);
                continue;
            }
            losses lost = losses_of(&f, term, tau2, backends[b], exact);
            printf("           tau2 = %g, nu = %g, %-9s lost: mean %.1e, variance %.1e\n", tau2, nu[i], backends[b],
                   lost.mean, lost.variance);
            assert_true(lost.mean < mean_bar[i] && lost.variance < variance_bar[i]);
        }
    }
}

static void with_an_ordinary_nugget(void **state)
{
    (void)state;
    measure(1e-3, (double[]){1e-11, 1e-11, 1e-11}, (double[]){1e-11, 1e-11, 1e-11});
}

/* The covariance's condition number is up to 5e11 here. */
static void with_hardly_a_nugget(void **state)
{
    (void)state;
    measure(1e-10, (double[]){1e-13, 1e-12, 1e-11}, (double[]){1e-12, 1e-8, 1e-5});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_an_ordinary_nugget),
        cmocka_unit_test(with_hardly_a_nugget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
