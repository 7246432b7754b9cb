/* Means: the trend by generalised least squares against a dense one, predictions around it, and features that serve the
 * trend or the distances alone. */
#include "fit_support.h"
#include "train/train.h"

/* ---- dense oracles by LAPACK */

/* K: [n][n] of two Matérn terms, the nugget and the noise, as a share of gamma2. */
static double *covariance_matrix(const surekrig_data *data, const oracle *term, double long_share, double noise_share)
{
    int64_t n = data->n;
    double *matrix = sk_doubles(n * n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const double *p = data->x + i * data->d, *q = data->x + j * data->d;
            matrix[i * n + j] = i == j ? 1 + term->tau2 + (data->noise ? data->noise[i] * noise_share : 0)
                                       : (1 - long_share) * oracle_covariance(&term[0], p, q) +
                                             (long_share > 0 ? long_share * oracle_covariance(&term[1], p, q) : 0);
        }
    return matrix;
}

/* F: [n][1 + columns] */
static double *design(const surekrig_data *data, const sk_trend *t)
{
    double *f = sk_doubles(data->n * (1 + t->columns));
    for (int64_t i = 0; i < data->n; i++) {
        f[i * (1 + t->columns)] = 1;
        sk_trend_features(t, data->x + i * data->d, f + i * (1 + t->columns) + 1);
    }
    return f;
}

/* beta: [l][p], covariance: [p][p], with p = 1 + columns. */
static void dense_gls(const surekrig_data *data, const sk_trend *t, const double *matrix, double *beta,
                      double *covariance)
{
    int n = (int)data->n, p = 1 + (int)t->columns, l = (int)data->l;
    double *f = design(data, t), *kf = sk_copy(f, n * p, sizeof *f), *k = sk_copy(matrix, n * n, sizeof *k);
    double *right = sk_zeroed(p * (p + l), sizeof *right), *a = sk_zeroed(p * p, sizeof *a);
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, p, k, n, kf, p), 0); /* K^-1 F */
    for (int i = 0; i < n; i++)
        for (int b = 0; b < p; b++) {
            for (int c = 0; c < p; c++)
                a[b * p + c] += f[i * p + b] * kf[i * p + c];
            for (int q = 0; q < l; q++)
                right[b * (p + l) + p + q] += kf[i * p + b] * data->y[i * l + q];
        }
    for (int b = 0; b < p; b++)
        right[b * (p + l) + b] = 1;
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', p, p + l, a, p, right, p + l), 0);
    for (int b = 0; b < p; b++) {
        for (int c = 0; c < p; c++)
            covariance[b * p + c] = right[b * (p + l) + c];
        for (int q = 0; q < l; q++)
            beta[q * p + b] = right[b * (p + l) + p + q];
    }
    free(f), free(kf), free(k), free(right), free(a);
}

/* The k nearest to row order[i] among the rows before it in this order; of those that are equally near, the first. */
static int64_t nearest_before(const surekrig_data *data, const int64_t *order, int64_t i, int64_t k, int64_t *found)
{
    int64_t count = 0;
    bool taken[64] = {false};
    for (double nearest = 0; count < k && count < i; count++) {
        int64_t best = -1;
        for (int64_t j = 0; j < i; j++) {
            double square = 0;
            for (int64_t a = 0; a < data->d; a++)
                square += pow(data->x[order[i] * data->d + a] - data->x[order[j] * data->d + a], 2);
            if (taken[j] || (best >= 0 && square >= nearest))
                continue;
            best = j;
            nearest = square;
        }
        taken[best] = true;
        found[count] = order[best];
    }
    return count;
}

/* K of rows that depend, in this order, on their k nearest before alone: its inverse is the sum of r r'/v over them,
 * with r = 1 at a row and minus the weights at those before, and v the variance left. */
static void make_sparse(const surekrig_data *data, const int64_t *order, int64_t k, double *matrix)
{
    int64_t n = data->n, found[64];
    double *inverse = sk_zeroed(n * n, sizeof *inverse), *a = sk_doubles(k * k), *r = sk_doubles(n), weight[64];
    for (int64_t i = 0; i < n; i++) {
        int64_t row = order[i], count = nearest_before(data, order, i, k, found);
        double v = matrix[row * n + row];
        memset(r, 0, (size_t)n * sizeof *r);
        for (int64_t g = 0; g < count; g++) {
            weight[g] = matrix[row * n + found[g]];
            for (int64_t h = 0; h < count; h++)
                a[g * count + h] = matrix[found[g] * n + found[h]];
        }
        if (count)
            assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', (int)count, 1, a, (int)count, weight, 1), 0);
        r[row] = 1;
        for (int64_t g = 0; g < count; g++) {
            v -= weight[g] * matrix[row * n + found[g]];
            r[found[g]] = -weight[g];
        }
        for (int64_t at = 0; at < n * n; at++)
            inverse[at] += r[at / n] * r[at % n] / v;
    }
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (int)n, inverse, (int)n), 0);
    assert_int_equal(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', (int)n, inverse, (int)n), 0);
    for (int64_t at = 0; at < n * n; at++)
        matrix[at] = inverse[at / n >= at % n ? at : at % n * n + at / n];
    free(inverse), free(a), free(r);
}

/* ---- the trend itself */

/* With so many neighbours: all others, or fewer, of which a trend takes no more than thirty. */
static void agrees_with_dense(const surekrig_data *data, const sk_backend *back, int64_t neighbors)
{
    enum { SEED = 5, MOST = 30 };
    double rho[2][2] = {{0.3, 0.5}, {2.1, 3.5}}, beta[6], covariance[9], noise_share = data->noise ? 0.7 : 0;
    surekrig_term term[2] = {{0.6, 0.7, rho[0]}, {0.4, 0.5, rho[1]}};
    surekrig_theta theta = {2, term, 0.03, 1};
    oracle part[2] = {{data, 0.7, 0.03, 0, rho[0], NULL}, {data, 0.5, 0.03, 0, rho[1], NULL}};
    sk_frame frame = {0};
    sk_kernel *kernel = NULL;
    sk_trend t = {0};
    surekrig_error error;
    succeed(sk_frame_new(data, SK_SCALING_BOX, NULL, &frame, &error), &error);
    succeed(sk_kernel_new(&theta, 2, NULL, &kernel, &error), &error);
    succeed(sk_trend_new(data, 2, (int64_t[]){0, 1}, &t, &error), &error);
    sk_krige_theta prepared = {kernel, 0.03, noise_share};
    sk_metric metric = {0};
    succeed(sk_metric_new(data, &(sk_metric_roles){.group = (int64_t[]){0, 0}, .time = -1}, &metric, &error), &error);
    sk_trend_job job = {data, &metric, &frame, back, &prepared, neighbors, SEED, 1};
    succeed(sk_trend_fit(&job, &t, &error), &error);
    double *matrix = covariance_matrix(data, part, 0.4, noise_share);
    if (neighbors < data->n - 1) {
        int64_t order[64];
        succeed(sk_sample_rows(SEED, data->n, data->n, order, &error), &error);
        sk_shuffle(SEED, data->n, order);
        make_sparse(data, order, neighbors < MOST ? neighbors : MOST, matrix);
    }
    dense_gls(data, &t, matrix, beta, covariance);
    for (int c = 0; c < 2; c++) {
        for (int64_t q = 0; q < data->l; q++)
            close_to(t.beta[q * 2 + c], beta[q * 3 + 1 + c], 1e-9);
        for (int b = 0; b < 2; b++)
            near_to(t.covariance[2 * c + b], covariance[3 * (1 + c) + 1 + b], 1e-10 * covariance[4]);
    }
    free(matrix);
    sk_metric_free(&metric);
    sk_trend_free(&t);
    sk_kernel_free(kernel);
    sk_frame_free(&frame);
}

static void all_points_and_neighbours_give_dense_least_squares(void **state)
{
    (void)state;
    static const char *const BACK[] = {"reference", "portable", "avx2", "avx512"};
    points two = make_field(28, 2, 2, 0.6, 0.3, 0.05, 11), noisy = make_field(28, 2, 1, 0.6, 0.3, 0.05, 12);
    add_noise(&noisy, 13);
    for (int i = 0; i < 4; i++) {
        const sk_backend *back = sk_backend_find(BACK[i]);
        if (!back)
            continue;
        agrees_with_dense(&two.data, back, 27);
        agrees_with_dense(&noisy.data, back, 27);
    }
    free_points(&two);
    free_points(&noisy);
}

/* On a raster, where many are equally near. */
static void few_neighbours_give_sparse_least_squares(void **state)
{
    (void)state;
    enum { SIDE = 6, CELLS = SIDE * SIDE };
    points two = make_field(CELLS, 2, 2, 0.6, 0.3, 0.05, 14), noisy = make_field(CELLS, 2, 1, 0.6, 0.3, 0.05, 15);
    add_noise(&noisy, 16);
    for (int64_t i = 0; i < 2 * CELLS; i++)
        two.x[i] = noisy.x[i] = (double)(i % 2 ? i / 2 % SIDE : i / 2 / SIDE) / 8;
    for (int64_t k = 1; k <= CELLS - 2; k += k < 9 ? 1 : k < 29 ? 20 : 1) {
        agrees_with_dense(&two.data, sk_backend_find("auto"), k);
        agrees_with_dense(&noisy.data, sk_backend_find("auto"), k);
    }
    free_points(&two);
    free_points(&noisy);
}

#define TRUTH "nu=0.5 rho=0.3 tau2=0.05 gamma2=1 coverage=none batch=20 neighbors=30 "

/* Slopes in units of their own standard deviations are standard normal: 24 of them. */
static void slopes_are_recovered(void **state)
{
    (void)state;
    const double slope[2] = {3, -2};
    double sum = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        points p = make_field(300, 2, 1, 0.5, 0.3, 0.05, seed);
        for (int64_t i = 0; i < 300; i++)
            p.y[i] += 10 + slope[0] * p.x[2 * i] + slope[1] * p.x[2 * i + 1];
        surekrig_model *m = fit(&p.data, TRUTH "mean=trend");
        const char *const NAME[] = {"trend_x1", "trend_x2"};
        for (int a = 0; a < 2; a++) {
            double sd = sqrt(m->trend.covariance[3 * a]) / m->trend.sd[a];
            double z = (value_of(m, NAME[a]) - slope[a]) / sd;
            sum += z * z;
        }
        surekrig_model_free(m);
        free_points(&p);
    }
    if (!(sum > 6 && sum < 56)) /* chi-squared, 24 degrees: 1 in 10000 on either side */
        fail_msg("the slopes' squared errors in units of their variances sum to %g, not about 24", sum);
}

/* ---- predictions */

/* Ordinary kriging by LAPACK: weights w and multiplier mu of (K 1; 1' 0)(w; mu) = (c; 1). */
static double *ordinary_weights(const oracle *o, int64_t k, const int64_t *row, const double *target, double *variance)
{
    int64_t n = k + 1;
    double *matrix = sk_doubles(n * n), *right = sk_doubles(n), *weight = sk_doubles(n);
    int *pivot = sk_alloc(n, sizeof *pivot);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            matrix[i * n + j] = i == k && j == k   ? 0
                                : i == k || j == k ? 1
                                : i == j           ? 1 + o->tau2
                                                   : oracle_covariance(o, o->data->x + row[i] * o->data->d,
                                                                       o->data->x + row[j] * o->data->d);
    for (int64_t i = 0; i < n; i++)
        right[i] = weight[i] = i == k ? 1 : oracle_covariance(o, o->data->x + row[i] * o->data->d, target);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, (int)n, 1, matrix, (int)n, pivot, weight, 1), 0);
    *variance = 1;
    for (int64_t i = 0; i < n; i++)
        *variance -= weight[i] * right[i];
    free(matrix), free(right), free(pivot);
    return weight;
}

static void nearest_rows(const surekrig_model *m, const double *target, int64_t *row)
{
    surekrig_error error;
    succeed(sk_model_neighbors(m, (surekrig_neighbor_query){.n = 1, .x = target}, row, NULL, &error), &error);
}

static void residuals_are_kriged_around_the_trend(void **state)
{
    (void)state;
    enum { N = 40, K = N - 1 };
    points p = make_field(N, 2, 2, 0.7, 0.3, 0.05, 21);
    surekrig_model *m = fit(&p.data, "nu=0.7 rho=0.25 tau2=0.02 mean=trend coverage=none neighbors=39");
    const sk_trend *t = &m->trend;
    double *x = make_places(6, 2, 1, 22);
    predicted seen = predict(m, 6, x, 0, 1), latent = predict(m, 6, x, 1, 1);
    oracle o = {&p.data, 0.7, 0.02, 0, (double[]){0.25, 0.25}, NULL};
    for (int64_t i = 0; i < 6; i++) {
        int64_t row[K];
        double variance, at[2], delta[2], added = 0;
        nearest_rows(m, x + 2 * i, row);
        double *weight = ordinary_weights(&o, K, row, x + 2 * i, &variance);
        sk_trend_features(t, x + 2 * i, at);
        memcpy(delta, at, sizeof delta);
        double mean[2] = {t->beta[0] * at[0] + t->beta[1] * at[1], t->beta[2] * at[0] + t->beta[3] * at[1]};
        for (int64_t j = 0; j < K; j++) {
            double f[2];
            sk_trend_features(t, p.x + 2 * row[j], f);
            for (int q = 0; q < 2; q++)
                mean[q] += weight[j] * (p.y[2 * row[j] + q] - t->beta[2 * q] * f[0] - t->beta[2 * q + 1] * f[1]);
            for (int a = 0; a < 2; a++)
                delta[a] -= weight[j] * f[a];
        }
        for (int a = 0; a < 4; a++)
            added += delta[a / 2] * t->covariance[a] * delta[a % 2];
        for (int q = 0; q < 2; q++) {
            near_to(seen.mean[2 * i + q], mean[q], 1e-10);
            close_to(latent.sd[2 * i + q], sqrt(sk_model_gamma2(m, &m->hyper, q) * (variance + added)), 1e-9);
            close_to(seen.sd[2 * i + q], sqrt(sk_model_gamma2(m, &m->hyper, q) * (variance + added + 0.02)), 1e-9);
        }
        free(weight);
    }
    free(x);
    free_predicted(&seen);
    free_predicted(&latent);
    surekrig_model_free(m);
    free_points(&p);
}

/* Whatever is linear in the trend's columns is known but for its slopes: it changes nothing else. */
static void a_linear_function_passes_through(void **state)
{
    (void)state;
    const char *words =
        "nu=0.7 rho=0.25 tau2=0.02 mean=trend coverage=none neighbors=12 variance=local interval=conformal";
    points p = make_field(200, 2, 1, 0.7, 0.3, 0.05, 31);
    double *x = make_places(30, 2, 1, 32);
    surekrig_model *before = fit(&p.data, words);
    for (int64_t i = 0; i < 200; i++)
        p.y[i] += 7 + 40 * p.x[2 * i] - 25 * p.x[2 * i + 1];
    surekrig_model *after = fit(&p.data, words);
    predicted a = predict(before, 30, x, 0, 1), b = predict(after, 30, x, 0, 1);
    for (int64_t i = 0; i < 30; i++) {
        near_to(b.mean[i], a.mean[i] + 7 + 40 * x[2 * i] - 25 * x[2 * i + 1], 1e-10);
        close_to(a.sd[i], b.sd[i], 1e-6); /* Newton's method stops where it stops */
    }
    near_to(value_of(after, "trend_x1") - value_of(before, "trend_x1"), 40, 1e-9);
    close_to(surekrig_model_quantile(before, 0, 0.9), surekrig_model_quantile(after, 0, 0.9), 1e-6);
    free(x);
    free_predicted(&a);
    free_predicted(&b);
    surekrig_model_free(before);
    surekrig_model_free(after);
    free_points(&p);
}

/* ---- columns */

/* x: [n][3], the third a covariate by itself, or, where dependent, 2 x1 - x2 + 1. */
static points three_features(int64_t n, bool dependent, uint64_t seed)
{
    points p = make_field(n, 2, 1, 0.5, 0.3, 0.05, seed);
    double *x = sk_doubles(3 * n);
    for (int64_t i = 0; i < n; i++) {
        memcpy(x + 3 * i, p.x + 2 * i, 2 * sizeof *x);
        x[3 * i + 2] = dependent ? 2 * x[3 * i] - x[3 * i + 1] + 1 : 100 + 5 * normal(seed + 1, (uint64_t)i);
    }
    free(p.x);
    p.data.x = p.x = x;
    p.data.d = 3;
    return p;
}

static void dependent_columns_are_refused(void **state)
{
    (void)state;
    static const char *const KERNEL[] = {"nu=0.5 rho=0.3 tau2=0.05", "nu=0.1 rho=0.01 tau2=0", "nu=2.5 rho=1 tau2=0",
                                         "nu=1.5 rho=30 tau2=1e-6", "nu=0.5 rho=100 tau2=1"};
    points p = three_features(300, true, 41), free_column = three_features(300, false, 42);
    for (int i = 0; i < 5; i++) {
        char words[120];
        snprintf(words, sizeof words, "mean=trend coverage=none neighbors=10 threads=1 %s", KERNEL[i]);
        fit_is_refused(&p.data, words, SUREKRIG_DATA, "depend on one another");
        strcat(words, " distance=x1,x2");
        surekrig_model_free(fit(&free_column.data, words));
        strcat(words, " trend=x1,x3");
        surekrig_model_free(fit(&p.data, words)); /* two of the three do not */
    }
    free_points(&p);
    free_points(&free_column);
}

/* As many coefficients as rows leave no errors, and intervals without a width. */
static void rows_that_fit_exactly_are_refused(void **state)
{
    (void)state;
    points three = make_field(3, 2, 1, 0.5, 0.3, 0.05, 43), four = make_field(4, 2, 1, 0.5, 0.3, 0.05, 44);
    const char *words = "mean=trend coverage=none neighbors=2 nu=0.5 rho=0.3 tau2=0.05";
    fit_is_refused(&three.data, words, SUREKRIG_DATA, "fit 3 rows exactly");
    surekrig_model_free(fit(&four.data, words));
    free_points(&three);
    free_points(&four);
}

static void unknown_names_are_refused(void **state)
{
    (void)state;
    points p = three_features(30, false, 43);
    static const char *const NAMES[] = {"lon", "lat", "height"};
    p.data.x_names = NAMES;
    fit_is_refused(&p.data, "mean=trend trend=heigh", SUREKRIG_INVALID, "trend = 'heigh': there is no feature 'heigh'");
    fit_is_refused(&p.data, "mean=trend trend=height,", SUREKRIG_INVALID, "there is no feature ''");
    fit_is_refused(&p.data, "distance=lon,x2", SUREKRIG_INVALID, "distance = 'lon,x2': there is no feature 'x2'");
    free_points(&p);
}

/* A third feature that does not count in distances changes nothing, or what its slope makes of it. */
static void a_trend_only_feature_acts_through_the_trend_alone(void **state)
{
    (void)state;
    const char *const kernel = "nu=0.5 rho=0.3 tau2=0.05 gamma2=1 coverage=none neighbors=15 batch=50 ";
    points three = three_features(150, false, 51), two = make_field(150, 2, 1, 0.5, 0.3, 0.05, 51);
    double *x = make_places(20, 2, 1, 52), x3[60];
    for (int64_t i = 0; i < 20; i++) {
        memcpy(x3 + 3 * i, x + 2 * i, 2 * sizeof *x);
        x3[3 * i + 2] = 90 + (double)i;
    }
    char words[200];
    snprintf(words, sizeof words, "%s mean=local distance=x1,x2", kernel);
    surekrig_model *ignored = fit(&three.data, words);
    snprintf(words, sizeof words, "%s mean=trend distance=x1,x2 trend=x3", kernel);
    for (int64_t i = 0; i < 150; i++)
        three.y[i] += 0.3 * three.x[3 * i + 2];
    surekrig_model *sloped = fit(&three.data, words);
    double slope = value_of(sloped, "trend_x3");
    near_to(slope, 0.3, 0.1);
    snprintf(words, sizeof words, "%s mean=local", kernel);
    surekrig_model *plain = fit(&two.data, words);
    for (int64_t i = 0; i < 150; i++)
        two.y[i] = three.y[i] - slope * three.x[3 * i + 2];
    surekrig_model *rest = fit(&two.data, words);
    predicted a = predict(ignored, 20, x3, 0, 1), b = predict(plain, 20, x, 0, 1);
    predicted c = predict(sloped, 20, x3, 0, 1), d = predict(rest, 20, x, 0, 1);
    for (int64_t i = 0; i < 20; i++) {
        near_to(a.mean[i], b.mean[i], 1e-12);
        close_to(a.sd[i], b.sd[i], 1e-12);
        near_to(c.mean[i], d.mean[i] + slope * x3[3 * i + 2], 1e-10);
        assert_true(c.sd[i] > d.sd[i] && c.sd[i] < 1.5 * d.sd[i]); /* the slope is not known exactly */
    }
    predicted *all[] = {&a, &b, &c, &d};
    for (int i = 0; i < 4; i++)
        free_predicted(all[i]);
    surekrig_model *models[] = {ignored, sloped, plain, rest};
    for (int i = 0; i < 4; i++)
        surekrig_model_free(models[i]);
    free(x);
    free_points(&three);
    free_points(&two);
}

/* The first feature is the one that does not count: rho is still reported, and searched by axis where asked. */
static void the_length_scale_is_that_of_the_features_that_count(void **state)
{
    (void)state;
    const char *const quick =
        "mean=trend distance=x2,x3 trend=x1 coverage=none neighbors=10 optimizer=local evaluations=20 "
        "polish=0 tau2=0.05 nu=0.5 ";
    points p = three_features(150, false, 61);
    for (int64_t i = 0; i < 150; i++) { /* covariate first */
        double c = p.x[3 * i + 2];
        p.x[3 * i + 2] = p.x[3 * i + 1];
        p.x[3 * i + 1] = p.x[3 * i];
        p.x[3 * i] = c;
    }
    char words[250];
    snprintf(words, sizeof words, "%s", quick);
    surekrig_model *m = fit(&p.data, words);
    const surekrig_estimate *rho = estimate(surekrig_model_info(m), "rho");
    assert_true(rho->value > rho->lower && rho->value < rho->upper && rho->at_bound == 0);
    close_to(rho->upper, 10 * fmax(m->frame.upper[1] - m->frame.lower[1], m->frame.upper[2] - m->frame.lower[2]),
             1e-12);
    surekrig_model_free(m);
    for (int i = 0; i < 2; i++) {
        snprintf(words, sizeof words, "%s %s", quick, i ? "scaling=axis" : "anisotropic=yes");
        m = fit(&p.data, words);
        const surekrig_estimate *none = estimate(surekrig_model_info(m), "rho_x1"), *some = none + 1;
        assert_true(isinf(none->value) && isnan(none->lower) && isnan(none->upper) && none->at_bound == 0);
        assert_true(some->value > some->lower && some->value < some->upper);
        predicted a = predict(m, 10, p.x, 0, 1);
        for (int64_t j = 0; j < 10; j++)
            assert_true(isfinite(a.mean[j]) && a.sd[j] > 0);
        free_predicted(&a);
        surekrig_model_free(m);
    }
    free_points(&p);
}

static void many_length_scales_and_a_trend(void **state)
{
    (void)state;
    enum { N = 80, D = 70 };
    points p = {.data = {.n = N, .d = D, .l = 1}, .x = make_places(N, D, 1, 71), .y = sk_doubles(N)};
    for (int64_t i = 0; i < N; i++)
        p.y[i] = normal(72, (uint64_t)i) + 5 * p.x[i * D];
    p.data.x = p.x;
    p.data.y = p.y;
    surekrig_model *m = fit(&p.data,
                            "mean=trend trend=x1 anisotropic=yes neighbors=4 batch=8 evaluations=3 optimizer=local "
                            "polish=0 coverage=none");
    near_to(value_of(m, "trend_x1"), 5, 2);
    surekrig_model_free(m);
    free_points(&p);
}

/* ---- two terms */

/* Two terms of one shape are one term of it, whatever their shares. */
static void two_terms_agree_with_the_formula(void **state)
{
    (void)state;
    points p = make_field(60, 2, 1, 0.7, 0.3, 0.05, 81);
    surekrig_model *m =
        fit(&p.data, "mean=zero nu=0.7 rho=0.1 tau2=0.02 gamma2=2 terms=2 long_ratio=7 long_share=0.4 long_nu=1.3 "
                     "coverage=none neighbors=20");
    surekrig_model *same = fit(&p.data,
                               "mean=zero nu=0.7 rho=0.1 tau2=0.02 gamma2=2 terms=2 long_ratio=1 long_share=0.4 "
                               "long_nu=0.7 coverage=none neighbors=20");
    surekrig_model *one = fit(&p.data, "mean=zero nu=0.7 rho=0.1 tau2=0.02 gamma2=2 coverage=none neighbors=20");
    double *x = make_places(5, 2, 1, 82), rho[2][2] = {{0.1, 0.1}, {0.7, 0.7}};
    oracle term[2] = {{&p.data, 0.7, 0.02, 0, rho[0], NULL}, {&p.data, 1.3, 0.02, 0, rho[1], NULL}};
    predicted got = predict(m, 5, x, 1, 1), a = predict(same, 5, x, 0, 1), b = predict(one, 5, x, 0, 1);
    double *whole = covariance_matrix(&p.data, term, 0.4, 0);
    for (int64_t i = 0; i < 5; i++) {
        int64_t row[20];
        double matrix[400], cross[20], weight[20], mean = 0, variance = 1;
        nearest_rows(m, x + 2 * i, row);
        for (int g = 0; g < 20; g++) {
            for (int h = 0; h < 20; h++)
                matrix[20 * g + h] = whole[row[g] * 60 + row[h]];
            const double *place = p.x + 2 * row[g];
            cross[g] = weight[g] = 0.6 * oracle_covariance(&term[0], place, x + 2 * i) +
                                   0.4 * oracle_covariance(&term[1], place, x + 2 * i);
        }
        assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', 20, 1, matrix, 20, weight, 1), 0);
        for (int g = 0; g < 20; g++) {
            mean += weight[g] * p.y[row[g]];
            variance -= weight[g] * cross[g];
        }
        near_to(got.mean[i], mean, 1e-10);
        close_to(got.sd[i], sqrt(2 * variance), 1e-9);
        near_to(a.mean[i], b.mean[i], 1e-10);
        close_to(a.sd[i], b.sd[i], 1e-10);
    }
    predicted *all[] = {&got, &a, &b};
    surekrig_model *models[] = {m, same, one};
    for (int i = 0; i < 3; i++) {
        free_predicted(all[i]);
        surekrig_model_free(models[i]);
    }
    free(whole);
    free(x);
    free_points(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_points_and_neighbours_give_dense_least_squares),
        cmocka_unit_test(few_neighbours_give_sparse_least_squares),
        cmocka_unit_test(slopes_are_recovered),
        cmocka_unit_test(residuals_are_kriged_around_the_trend),
        cmocka_unit_test(a_linear_function_passes_through),
        cmocka_unit_test(dependent_columns_are_refused),
        cmocka_unit_test(rows_that_fit_exactly_are_refused),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(a_trend_only_feature_acts_through_the_trend_alone),
        cmocka_unit_test(the_length_scale_is_that_of_the_features_that_count),
        cmocka_unit_test(many_length_scales_and_a_trend),
        cmocka_unit_test(two_terms_agree_with_the_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
