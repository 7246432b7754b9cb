/* The Matérn kernel against a table of 20 digits (matern_table.py), closed forms, its recurrence, and GSL's Bessel
 * functions; its tables against its exact form; covariances of points against the definition (M1). */
#include "kernel/inside.h"
#include "support.h"

#include <float.h>
#include <gsl/gsl_sf_bessel.h>
#include <gsl/gsl_sf_gamma.h>

/* ----------------------------------------------------------------------------------------------------- one value */

typedef struct worst {
    double error, nu, u;
} worst;

static double relative_error(double got, long double right)
{
    return (double)fabsl(((long double)got - right) / right);
}

static void keep_worst(worst *w, double error, double nu, double u)
{
    if (!(error <= w->error))
        *w = (worst){error, nu, u};
}

static void judge(const worst *w, const char *what, double limit)
{
    print_message("           %s: worst relative error %.3g at nu = %.17g, u = %.17g\n", what, w->error, w->nu, w->u);
    if (!(w->error <= limit))
        fail_msg("%s: %g is above %g", what, w->error, limit);
}

static double matern(double nu, double u, double *complement)
{
    double value;
    surekrig_error error = {0};
    succeeded(surekrig_matern(nu, 1, &u, &value, complement, &error), &error);
    return value;
}

enum { ROW = 50 };

static void matern_row(double nu, const double *u, double *value, double *complement)
{
    surekrig_error error = {0};
    succeeded(surekrig_matern(nu, ROW, u, value, complement, &error), &error);
}

/* ----------------------------------------------------------------------------------------- twenty digits on file */

typedef struct line {
    double nu, u;
    long double value, complement;
} line;

static bool read_line(FILE *file, line *l)
{
    char nu[40], u[40], value[60], complement[60];
    if (fscanf(file, "%39s %39s %59s %59s", nu, u, value, complement) != 4)
        return false;
    *l = (line){strtod(nu, NULL), strtod(u, NULL), strtold(value, NULL), strtold(complement, NULL)};
    return true;
}

/* The public function on all u of one nu at once, and on some of them alone: one table wide, the others narrow. */
static void check_group(const line *l, int count, worst of[2])
{
    enum { MOST = 200 };
    double u[MOST], value[MOST], complement[MOST];
    surekrig_error error = {0};
    assert_true(count <= MOST);
    for (int i = 0; i < count; i++)
        u[i] = l[i].u;
    succeeded(surekrig_matern(l->nu, count, u, value, complement, &error), &error);
    for (int i = 0; i < count; i += 5)
        value[i] = matern(l->nu, u[i], &complement[i]);
    for (int i = 0; i < count; i++) {
        if (l[i].value >= DBL_MIN)
            keep_worst(&of[0], relative_error(value[i], l[i].value), l->nu, u[i]);
        if (l[i].complement >= DBL_MIN)
            keep_worst(&of[1], relative_error(complement[i], l[i].complement), l->nu, u[i]);
    }
}

static void agrees_with_the_table_on_file(void **state)
{
    (void)state;
    static line l[4000];
    int count = 0, groups = 0;
    FILE *file = fopen("matern_table.txt", "r");
    assert_non_null(file);
    while (count < 4000 && read_line(file, &l[count]))
        count++;
    fclose(file);
    worst of[2] = {{0}};
    for (int begin = 0, end = 1; begin < count; begin = end++, groups++) {
        while (end < count && l[end].nu == l[begin].nu)
            end++;
        check_group(l + begin, end - begin, of);
    }
    print_message("           %d rows, %d smoothnesses\n", count, groups);
    assert_true(count > 1500 && groups > 25);
    judge(&of[0], "M", 1e-13);
    judge(&of[1], "1 - M", 1e-13);
}

/* The long double functions from which tables are built have no table's error; from u = 1 on 1 - M is a difference, and
 * still small for a large nu. */
static void the_exact_form_agrees_with_the_table_on_file(void **state)
{
    (void)state;
    FILE *file = fopen("matern_table.txt", "r");
    assert_non_null(file);
    worst of[2] = {{0}};
    for (line l; read_line(file, &l);) {
        sk_pair exact = sk_matern_exact(l.nu, l.u);
        if (l.value >= DBL_MIN)
            keep_worst(&of[0], (double)fabsl((exact.value - l.value) / l.value), l.nu, l.u);
        if (l.complement >= DBL_MIN)
            keep_worst(&of[1], (double)fabsl((exact.complement - l.complement) / l.complement), l.nu, l.u);
    }
    fclose(file);
    judge(&of[0], "exact M", 1e-16);
    judge(&of[1], "exact 1 - M", 1e-14);
}

/* ------------------------------------------------------------------------------------------- table against exact */

static sk_table *table_of(double nu, double low, double high)
{
    sk_table *table = NULL;
    surekrig_error error = {0};
    succeeded(sk_table_new(sk_family_of(nu, NULL), nu, low, high, &table, &error), &error);
    assert_true(sk_table_nu(table) == nu);
    return table;
}

/* Half of the smoothnesses log-uniform in [0.01, 50], the others near integers and half-integers. */
static double draw_nu(draws *d)
{
    if (draw(d, 0, 1) < 0.5)
        return exp(draw(d, log(SK_NU_MIN), log(SK_NU_MAX)));
    double nu = 0.5 * (double)(1 + draw_below(d, 99)) + (draw(d, 0, 1) < 0.5 ? -1 : 1) * exp(draw(d, -35, -3));
    return fmin(nu, SK_NU_MAX);
}

static void tables_agree_with_the_exact_form(void **state)
{
    (void)state;
    enum { TABLES = 200, POINTS = 500 };
    draws d = {21, 0};
    worst of[2] = {{0}};
    for (int i = 0; i < TABLES; i++) {
        double nu = draw_nu(&d);
        sk_table *table = table_of(nu, 0x1p-60, 0x1p19);
        for (int j = 0; j < POINTS; j++) {
            double s = exp(draw(&d, -40, j % 2 ? 6 : 13)), complement, value = sk_table_at(table, s, &complement);
            sk_pair exact = sk_matern_exact(nu, sqrtl(s));
            if (exact.value >= DBL_MIN)
                keep_worst(&of[0], relative_error(value, exact.value), nu, sqrt(s));
            keep_worst(&of[1], relative_error(complement, exact.complement), nu, sqrt(s));
            assert_true(sk_table_at(table, s, NULL) == value);
        }
        sk_table_free(table);
    }
    judge(&of[0], "table M", 1e-13);
    judge(&of[1], "table 1 - M", 1e-13);
}

static double error_of_buckets(const double c[SK_TERMS], double t)
{
    const double half = ldexp(1, -1 - SK_PIECE_BITS), h = half / SK_SPLIT;
    sk_bucket bucket[SK_SPLIT];
    sk_fill_buckets(c, SK_PIECE_BITS, bucket);
    int q = (int)((t + half) / (2 * h));
    long double exact = 0;
    for (int m = SK_TERMS - 1; m >= 0; m--)
        exact = exact * t + c[m];
    return (double)fabsl(sk_polynomial(&bucket[q], t - (2 * q + 1 - SK_SPLIT) * h) - exact);
}

/* Coefficients of size 1 lose at most 8e-15 to the bits that the last two are left. */
static void a_piece_and_its_buckets_are_one(void **state)
{
    (void)state;
    const double half = ldexp(1, -1 - SK_PIECE_BITS);
    draws d = {25, 0};
    for (int i = 0; i < 2000; i++) {
        double c[SK_TERMS] = {0};
        for (int m = 0; m < 1 + i % SK_TERMS; m++)
            c[m] = draw(&d, -1, 1);
        assert_true(error_of_buckets(c, draw(&d, -half, half)) <= (i % SK_TERMS ? 1e-14 : 0));
    }
    double most = 0, sixth[SK_TERMS] = {[6] = 1}; /* for which the best even polynomial stands in */
    for (int i = 0; i <= 512; i++)
        most = fmax(most, error_of_buckets(sixth, half * (i / 256. - 1) * (1 - 1e-9)));
    assert_true(most <= 1.01 * 0x1p-53); /* h^6 / 32, h = 2^-8 */
    double cancelled[SK_TERMS] = {0, 0, 10 * 0x1p-24,
                                  0, 0, -1}; /* in a bucket with middle 2^-8 a second coefficient of 0 */
    assert_true(error_of_buckets(cancelled, 0x1.1p-8) <= 1e-17);
}

/* By each instruction set, vectors whose lanes lie near, far, below and beyond the buckets, in any mixture. */
static void vectors_agree_with_the_table(void **state)
{
    (void)state;
    enum { MOST = 203 };
    draws d = {24, 0};
    for (int isa = 0; isa < SK_ISA_COUNT; isa++) {
        worst of[2] = {{0}};
        for (int i = 0; i < 100 && sk_isa_here((sk_isa)isa); i++) {
            double nu = i % 10 ? draw_nu(&d) : INFINITY, s[MOST], value[MOST + 1], complement[MOST + 1];
            sk_table *table = table_of(nu, 1e-6, 1e4);
            int n = (int)draw_below(&d, MOST + 1);
            for (int j = 0; j < n; j++)
                s[j] = i % 3 == 0   ? exp(draw(&d, -13, 4))
                       : i % 3 == 1 ? exp(draw(&d, 4.2, 9.2))
                                    : exp(draw(&d, -60, 20));
            value[n] = complement[n] = -7; /* nothing is written behind the end */
            sk_table_values_by[isa](table, n, s, value, complement);
            assert_true(value[n] == -7 && complement[n] == -7);
            for (int j = 0; j < n; j++) {
                double other, plain = sk_table_at(table, s[j], &other);
                if (plain >= DBL_MIN)
                    keep_worst(&of[0], relative_error(value[j], plain), nu, sqrt(s[j]));
                keep_worst(&of[1], relative_error(complement[j], other), nu, sqrt(s[j]));
            }
            sk_table_free(table);
        }
        judge(&of[0], "vectors of M against the table", 1e-14);
        judge(&of[1], "vectors of 1 - M against the table", 1e-14);
    }
}

/* Where a table is fast is the builder's choice; what it says is not. */
static void a_narrow_table_says_the_same(void **state)
{
    (void)state;
    draws d = {22, 0};
    for (int i = 0; i < 60; i++) {
        double nu = draw_nu(&d), low = exp(draw(&d, -30, 8)), high = low * exp(draw(&d, 0, 6));
        sk_table *narrow = table_of(nu, low, high), *wide = table_of(nu, 0x1p-199, 0x1p20);
        for (int j = 0; j < 200; j++) {
            double s = j == 0 ? low : j == 1 ? high : j < 100 ? draw(&d, low, high) : exp(draw(&d, -130, 12));
            double other, wide_other, value = sk_table_at(narrow, s, &other);
            double wide_value = sk_table_at(wide, s, &wide_other);
            bool inside = s >= low && s <= high;
            close_to(value, wide_value, inside ? 1e-15 : 1e-13);
            close_to(other, wide_other, inside ? 1e-15 : 1e-13);
        }
        sk_table_free(narrow);
        sk_table_free(wide);
    }
}

static void beyond_every_table(void **state)
{
    (void)state;
    const double smoothness[] = {0.01, 0.5, 1, 10.5, 50, INFINITY};
    for (int i = 0; i < 6; i++) {
        sk_table *table = table_of(smoothness[i], 1, 4);
        const double far[] = {0x1p20, 1e7, 1e300, INFINITY};
        for (int j = 0; j < 4; j++) {
            double complement;
            assert_true(sk_table_at(table, far[j], &complement) == 0 && complement == 1);
        }
        double complement, value = sk_table_at(table, 0x1p-300, &complement); /* below any bucket */
        sk_pair exact = sk_matern_exact(smoothness[i], 0x1p-150L);
        close_to(value, (double)exact.value, 1e-15);
        close_to(complement, (double)exact.complement, 1e-15);
        sk_table_free(table);
    }
    sk_table_free(NULL);
}

/* ---------------------------------------------------------------------------------------------------- identities */

/* e^-u, (1 + u) e^-u, (1 + u + u^2/3) e^-u. */
static long double closed_form(double nu, long double u)
{
    return expl(-u) * (1 + (nu > 1 ? u : 0) + (nu > 2 ? u * u / 3 : 0));
}

static void half_integers_have_closed_forms(void **state)
{
    (void)state;
    const double smoothness[] = {0.5, 1.5, 2.5};
    worst w = {0};
    for (int i = 0; i < 3; i++)
        for (int begin = 0; begin < 2000; begin += ROW) {
            double u[ROW], value[ROW];
            for (int j = 0; j < ROW; j++)
                u[j] = 1e-6 * exp((begin + j) * log(7e8) / 2000);
            matern_row(smoothness[i], u, value, NULL);
            for (int j = 0; j < ROW; j++)
                keep_worst(&w, relative_error(value[j], closed_form(smoothness[i], u[j])), smoothness[i], u[j]);
        }
    judge(&w, "closed forms", 1e-13);
    double u[ROW], complement[ROW];
    for (int j = 0; j < ROW; j++)
        u[j] = pow(10, 1.5 - 6.0 * j);
    matern_row(0.5, u, NULL, complement);
    for (int j = 0; j < ROW; j++)
        assert_true(relative_error(complement[j], -expm1l(-(long double)u[j])) <= 1e-13);
}

/* K_(nu+1) = K_(nu-1) + 2 nu/u K_nu, times 2^-nu/Gamma(nu+1) u^(nu+1). */
static void smoothnesses_are_linked_by_the_recurrence(void **state)
{
    (void)state;
    draws d = {23, 0};
    worst w = {0};
    for (int i = 0; i < 120; i++) {
        double nu = i % 3 ? draw(&d, 1.02, 49) : 2 + (double)draw_below(&d, 46);
        double u[ROW], below[ROW], at[ROW], above[ROW];
        for (int j = 0; j < ROW; j++)
            u[j] = exp(draw(&d, -6, 6.4));
        matern_row(nu - 1, u, below, NULL);
        matern_row(nu, u, at, NULL);
        matern_row(nu + 1, u, above, NULL);
        for (int j = 0; j < ROW; j++)
            if (below[j] >= DBL_MIN)
                keep_worst(&w, fabs(above[j] / (at[j] + u[j] * u[j] / (4 * nu * (nu - 1)) * below[j]) - 1), nu, u[j]);
    }
    judge(&w, "recurrence", 1e-13);
}

/* In logarithms, which lose digits as they grow; GSL's own error estimate says where it is good enough to judge by. */
static void agrees_with_gsl(void **state)
{
    (void)state;
    draws d = {24, 0};
    worst w = {0};
    int judged = 0;
    for (int i = 0; i < 120; i++) {
        double nu = draw_nu(&d), u[ROW], value[ROW];
        for (int j = 0; j < ROW; j++)
            u[j] = exp(draw(&d, -3, 6));
        matern_row(nu, u, value, NULL);
        for (int j = 0; j < ROW; j++) {
            gsl_sf_result k;
            if (gsl_sf_bessel_Knu_scaled_e(nu, u[j], &k) || !(k.err < 1e-13 * k.val))
                continue;
            double power = nu * log(u[j]), gamma = gsl_sf_lngamma(nu);
            double right = log(k.val) - u[j] + power + (1 - nu) * M_LN2 - gamma;
            keep_worst(&w, fabs(log(value[j]) - right) / (1 + u[j] + fabs(power) + fabs(gamma)), nu, u[j]);
            judged++;
        }
    }
    print_message("           %d values judged by GSL\n", judged);
    assert_true(judged > 1000);
    judge(&w, "against GSL", 1e-14);
}

static void infinite_smoothness_is_gaussian(void **state)
{
    (void)state;
    for (double u = 1e-160; u < 37; u *= 1.1) { /* without a table: cheap */
        double complement, value = matern(INFINITY, u, &complement);
        long double s = (long double)u * u;
        assert_true(relative_error(value, expl(-s / 2)) <= 1e-13);
        if (s / 2 >= DBL_MIN)
            assert_true(relative_error(complement, -expm1l(-s / 2)) <= 1e-13);
    }
    assert_true(fabs(matern(50, 3, NULL) - exp(-9.0 / 2)) > 1e-3);   /* in the scaled distance u they are not alike */
    close_within(matern(50, sqrt(100.0), NULL), exp(-0.5), 0, 0.01); /* at |x - x'| = rho they nearly are */
}

static void decreases_from_one(void **state)
{
    (void)state;
    const double smoothness[] = {0.01, 0.135, 0.5, 1, 1.5, 2.5, 10, 10.5, 26.5, 50, INFINITY};
    enum { STEPS = 4000 };
    static double u[STEPS], value[STEPS], complement[STEPS];
    for (int i = 0; i < 11; i++) {
        for (int j = 0; j < STEPS; j++)
            u[j] = j ? 1e-6 * exp(j * log(7e8) / STEPS) : 0;
        assert_int_equal(surekrig_matern(smoothness[i], STEPS, u, value, complement, NULL), SUREKRIG_OK);
        assert_true(value[0] == 1 && complement[0] == 0);
        for (int j = 1; j < STEPS; j++) {
            assert_true(value[j] < value[j - 1] || value[j - 1] == 0 || complement[j] < 1e-12);
            assert_true(complement[j] > complement[j - 1] || value[j] < 1e-12);
            assert_true(value[j] >= 0 && value[j] <= value[j - 1] && complement[j] >= complement[j - 1]);
            close_within(value[j] + complement[j], 1, 0, 2.3e-16);
        }
        assert_true(value[STEPS - 1] < 1e-200);
    }
}

static void either_output_may_be_absent(void **state)
{
    (void)state;
    double u[3] = {0, 1, 1e-200}, value[3], complement[3], alone[3];
    assert_int_equal(surekrig_matern(0.3, 3, u, value, complement, NULL), SUREKRIG_OK);
    assert_int_equal(surekrig_matern(0.3, 3, u, alone, NULL, NULL), SUREKRIG_OK);
    assert_memory_equal(value, alone, sizeof value);
    assert_int_equal(surekrig_matern(0.3, 3, u, NULL, alone, NULL), SUREKRIG_OK);
    assert_memory_equal(complement, alone, sizeof value);
    assert_int_equal(surekrig_matern(0.3, 0, u, NULL, NULL, NULL), SUREKRIG_OK);
    u[0] = INFINITY;
    assert_int_equal(surekrig_matern(0.3, 3, u, alone, NULL, NULL), SUREKRIG_OK);
    assert_true(alone[0] == 0 && alone[1] == value[1]);
}

/* ------------------------------------------------------------------------------------ covariances between points */

static sk_kernel *kernel_of(const surekrig_theta *theta, int64_t d, const double *distance)
{
    sk_kernel *kernel = NULL;
    surekrig_error error = {0};
    succeeded(sk_kernel_new(theta, d, distance, &kernel, &error), &error);
    return kernel;
}

/* The definition (M1) in long double. */
static long double covariance(const surekrig_theta *theta, int64_t d, const double *p, const double *q)
{
    long double sum = 0;
    for (int t = 0; t < theta->terms; t++) {
        const surekrig_term *term = &theta->term[t];
        long double square = 0;
        for (int64_t a = 0; a < d; a++) {
            long double step = ((long double)p[a] - q[a]) / term->rho[a];
            square += step * step;
        }
        long double u = sqrtl(isinf(term->nu) ? square : 2 * (long double)term->nu * square);
        sum += term->weight * sk_matern_exact(term->nu, u).value;
    }
    return sum;
}

static void rows_follow_the_definition(void **state)
{
    (void)state;
    enum { D = 3, N = 50 };
    const double rho0[D] = {0.2, 1.5, 30}, rho1[D] = {4, 0.7, 0.01}, rho2[D] = {1, 2, 3};
    double x[D * N], point[D], row[D], scratch[N], value[N], distance[2] = {0.1, 2};
    draws d = {25, 0};
    for (int terms = 1; terms <= 3; terms++)
        for (int known = 0; known < 2; known++) { /* distances outside those announced are right too */
            const surekrig_term term[3] = {{terms == 1 ? 1 : 0.5, 0.85, rho0},
                                           {terms == 2 ? 0.5 : 0.3, 2.5, rho1},
                                           {0.2, INFINITY, rho2}};
            surekrig_theta theta = {terms, term, 0, 1};
            sk_kernel *kernel = kernel_of(&theta, D, known ? distance : NULL);
            for (int trial = 0; trial < 20; trial++) {
                double width = exp(draw(&d, -20, 4));
                fill_uniform(&d, D * N, -width, width, x);
                fill_uniform(&d, D, -width, width, point);
                sk_kernel_row(kernel, point, (sk_columns){N, N, x}, scratch, value);
                for (int j = 0; j < N; j++) {
                    for (int a = 0; a < D; a++)
                        row[a] = x[a * N + j];
                    close_within(value[j], (double)covariance(&theta, D, point, row), 2e-13, 1e-300);
                }
            }
            sk_kernel_free(kernel);
        }
}

/* A stride larger than n, as the triangle of a matrix uses it: the same bits, and nothing written past n. */
static void part_of_a_row(void **state)
{
    (void)state;
    const double rho[2] = {0.3, 0.4};
    surekrig_theta theta = {1, &(surekrig_term){1, 0.7, rho}, 0, 1};
    sk_kernel *kernel = kernel_of(&theta, 2, NULL);
    double x[20], point[2] = {0.1, 0.2}, scratch[10], whole[10], part[10];
    draws d = {26, 0};
    fill_uniform(&d, 20, 0, 1, x);
    sk_kernel_row(kernel, point, (sk_columns){10, 10, x}, scratch, whole);
    part[6] = -7;
    sk_kernel_row(kernel, point, (sk_columns){6, 10, x + 4}, scratch, part);
    assert_memory_equal(part, whole + 4, 6 * sizeof(double));
    assert_true(part[6] == -7);
    sk_kernel_free(kernel);
}

/* Steps of 1e-200 and 1e-160, whose squares underflow: with nu = 0.01, 1 - M goes as u^0.02 and is far from 0. */
static void tiny_distances_are_not_zero(void **state)
{
    (void)state;
    const double rho[2] = {0.5, 2}, smooth_rho[2] = {1, 1};
    const surekrig_term term[2] = {{0.6, 0.01, rho}, {0.4, 1.5, smooth_rho}};
    surekrig_theta theta = {2, term, 0, 1};
    sk_kernel *kernel = kernel_of(&theta, 2, NULL);
    const double steps[] = {1e-300, 1e-200, 1e-162, 1e-160, 1e-145, 0.99e-140, 1.01e-140, 1e-130, 1e-100};
    double before = sk_kernel_at_zero(kernel);
    for (int i = 0; i < 9; i++) {
        double x[2] = {steps[i], -3 * steps[i]}, zero[2] = {0, 0}, scratch, value;
        sk_kernel_row(kernel, zero, (sk_columns){1, 1, x}, &scratch, &value);
        close_to(value, (double)covariance(&theta, 2, zero, x), 1e-15);
        assert_true(value < before && value > 0.9 && value < 0.9999995);
        before = value;
    }
    sk_kernel_free(kernel);
}

static void identical_points_are_fully_correlated(void **state)
{
    (void)state;
    const double rho[2] = {1e-3, 1e3};
    for (int terms = 1; terms <= 3; terms++) {
        const surekrig_term term[3] = {{terms == 1 ? 1 : 0.75, 0.01, rho},
                                       {terms == 2 ? 0.25 : 0.125, 3, rho},
                                       {0.125, INFINITY, rho}};
        surekrig_theta theta = {terms, term, 0, 1};
        sk_kernel *kernel = kernel_of(&theta, 2, NULL);
        double x[4] = {1e9, 0.25, -1e-300, 7}, point[2] = {1e9, -1e-300}, scratch[2], value[2];
        sk_kernel_row(kernel, point, (sk_columns){2, 2, x}, scratch, value);
        assert_true(value[0] == 1 && sk_kernel_at_zero(kernel) == 1);
        assert_true(value[1] < 1);
        sk_kernel_free(kernel);
    }
}

/* ------------------------------------------------------------------------------------------------------ refusals */

static void impossible_arguments_are_refused(void **state)
{
    (void)state;
    const double bad_nu[] = {0, -1, 0.0099, 50.1, NAN, -INFINITY};
    surekrig_error error = {0};
    double u[3] = {0, 1, 2}, value[3] = {-7, -7, -7}, other[3] = {-7, -7, -7};
    for (int i = 0; i < 6; i++)
        refused(surekrig_matern(bad_nu[i], 3, u, value, other, &error), &error, SUREKRIG_INVALID, "nu = ");
    const double bad_u[] = {-1, NAN, -1e-300};
    for (int i = 0; i < 3; i++) {
        u[2] = bad_u[i];
        refused(surekrig_matern(0.5, 3, u, value, other, &error), &error, SUREKRIG_INVALID, "u[2] = ");
    }
    assert_int_equal(surekrig_matern(0.5, 3, u, value, other, NULL), SUREKRIG_INVALID);
    for (int i = 0; i < 3; i++)
        assert_true(value[i] == -7 && other[i] == -7);
}

static void impossible_covariances_are_refused(void **state)
{
    (void)state;
    const double good[2] = {1, 2}, zero[2] = {1, 0}, negative[2] = {-3, 1};
    const double endless[2] = {INFINITY, INFINITY}, lost[2] = {NAN, 1}, tiny[2] = {1, 1e-310};
    const struct {
        surekrig_term term;
        const char *why;
    } bad[] = {
        {{1, 0, good}, "nu = 0"},
        {{1, 60, good}, "nu = 60"},
        {{1, NAN, good}, "nu = nan"},
        {{0, 1, good}, "term 2: its weight 0"},
        {{-0.5, 1, good}, "weight -0.5"},
        {{NAN, 1, good}, "weight nan"},
        {{INFINITY, 1, good}, "weight inf"},
        {{1, 1, zero}, "rho = 0 on axis 2"},
        {{1, 1, negative}, "rho = -3 on axis 1"},
        {{1, 1, endless}, "no axis has a finite rho"},
        {{1, 1, lost}, "rho = nan on axis 1"},
        {{1, 1, tiny}, "at least 1e-300"},
        {{1, 1, good}, "weights add to 2"},
    };
    surekrig_error error = {0};
    sk_kernel *kernel = (sk_kernel *)&error; /* must stay */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        surekrig_term term[2] = {{1, 0.5, good}, bad[i].term};
        surekrig_theta theta = {2, term, 0, 1};
        refused(sk_kernel_new(&theta, 2, NULL, &kernel, &error), &error, SUREKRIG_INVALID, bad[i].why);
        assert_int_equal(sk_kernel_new(&theta, 2, NULL, &kernel, NULL), SUREKRIG_INVALID);
    }
    surekrig_theta none = {0, NULL, 0, 1};
    refused(sk_kernel_new(&none, 2, NULL, &kernel, &error), &error, SUREKRIG_INVALID, "0 given");
    assert_ptr_equal(kernel, &error);
    sk_kernel_free(NULL);
}

/* Buckets that covariances take where single values have others, out to s = 16384 for a nu of 3 or less. */
static void buckets_for_covariances_reach_far(void **state)
{
    (void)state;
    const double nus[] = {0.01, 0.3, 0.5, 1, 1.5, 2.9, 3};
    for (size_t i = 0; i < sizeof nus / sizeof *nus; i++) {
        sk_table *table = NULL;
        surekrig_error error = {0};
        succeeded(sk_table_new(sk_family_of(nus[i], NULL), nus[i], 1e-6, 1e5, &table, &error), &error);
        assert_true(table->reach == 16384);
        for (double s = 30; s < table->reach; s *= 1.003) {
            uint64_t number = sk_bucket_of(s, SK_BUCKET_BITS);
            double p = sk_polynomial(&table->near[number - table->first], sk_offset_of(s, SK_BUCKET_BITS));
            close_within(p, (double)sk_matern_exact(nus[i], sqrtl(s)).value, 1e-3, 3e-16);
        }
        sk_table_free(table);
    }
}

/* The buckets reach to where distances of data in units of their extent are: beside them each value is a series anew. */
static void vast_length_scales_have_buckets(void **state)
{
    (void)state;
    static const double RHO[] = {1e10, 1e50, 1e120}, NU[] = {0.3, 0.5, 1.3, 7};
    for (int i = 0; i < 12; i++) {
        double rho = RHO[i % 3], nu = NU[i / 3], u = sqrt(2 * nu) / rho * 1e-6, complement;
        surekrig_term term = {1, nu, &rho};
        sk_kernel *kernel = kernel_of(&(surekrig_theta){.terms = 1, .term = &term}, 1, NULL);
        const sk_table *table = kernel->term[0].table;
        assert_true(u * u >= table->low && u * u < table->edge);
        sk_pair exact = sk_matern_exact(nu, (long double)u);
        double value = sk_table_at(table, u * u, &complement);
        assert_true(value == (double)exact.value && complement >= 0);
        assert_true(fabs(complement - (double)exact.complement) <= 1e-13 * (double)exact.complement + 1e-300);
        sk_kernel_free(kernel);
    }
}

/* Where squares underflow: M rounds to 1 but for the roughest fields, whose 1 - M goes as u^(2 nu). */
static void vaster_length_scales_are_exact(void **state)
{
    (void)state;
    static const double RHO[] = {1e134, 1e136, 1e141, 1e160, 1e300},
                        NU[] = {0.01, 0.03, 0.08, 0.1, 0.5, 2, 30, INFINITY};
    for (int i = 0; i < 40; i++) {
        double rho = RHO[i % 5], x[3] = {0, 0.3, 1e-6}, zero = 0, scratch[3], value[3];
        surekrig_term term = {1, NU[i / 5], &rho};
        surekrig_theta theta = {.terms = 1, .term = &term};
        sk_kernel *kernel = kernel_of(&theta, 1, NULL);
        sk_kernel_row(kernel, &zero, (sk_columns){3, 3, x}, scratch, value);
        assert_true(value[0] == 1);
        for (int j = 1; j < 3; j++)
            close_to(value[j], (double)covariance(&theta, 1, &zero, &x[j]), 2e-16);
        assert_true(pow(rho, -2 * NU[i / 5]) > 1e-15 ? value[1] < 1 && value[2] > value[1]
                                                     : value[1] == 1 && value[2] == 1);
        sk_kernel_free(kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_for_covariances_reach_far),
        cmocka_unit_test(agrees_with_the_table_on_file),
        cmocka_unit_test(the_exact_form_agrees_with_the_table_on_file),
        cmocka_unit_test(tables_agree_with_the_exact_form),
        cmocka_unit_test(a_piece_and_its_buckets_are_one),
        cmocka_unit_test(vectors_agree_with_the_table),
        cmocka_unit_test(a_narrow_table_says_the_same),
        cmocka_unit_test(beyond_every_table),
        cmocka_unit_test(half_integers_have_closed_forms),
        cmocka_unit_test(smoothnesses_are_linked_by_the_recurrence),
        cmocka_unit_test(agrees_with_gsl),
        cmocka_unit_test(infinite_smoothness_is_gaussian),
        cmocka_unit_test(decreases_from_one),
        cmocka_unit_test(either_output_may_be_absent),
        cmocka_unit_test(rows_follow_the_definition),
        cmocka_unit_test(part_of_a_row),
        cmocka_unit_test(tiny_distances_are_not_zero),
        cmocka_unit_test(vast_length_scales_have_buckets),
        cmocka_unit_test(vaster_length_scales_are_exact),
        cmocka_unit_test(identical_points_are_fully_correlated),
        cmocka_unit_test(impossible_arguments_are_refused),
        cmocka_unit_test(impossible_covariances_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
