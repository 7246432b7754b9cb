/* study [SEEDS]: what any training could reach on the data of the synthetic study (docs/experiments.md). The data sets
 * of seeds 1 to SEEDS (1) are drawn as the study draws them and scored under the true parameters, under those of exact
 * maximum likelihood, and under those of other losses, each over all training points, so that no luck of a batch is
 * left. Prints a table of means and spreads. */
#include "surekrig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 10000, HALF = POINTS / 2, K = 50, THINNED = 8 };
static const double TAU2 = 1e-10, CASE[][2] = {{0.135, 0.95}, {0.425, 0.625}, {0.635, 0.475}, {0.965, 0.125}};

typedef struct field {
    double x[HALF], y[HALF], test_x[HALF], test_y[HALF];
    double nu, rho; /* of the truth */
    surekrig_data data;
    int64_t neighbor[HALF * K]; /* of the thinned loss */
} field;

typedef struct estimate {
    double nu, rho;
} estimate;

static void must(surekrig_status status, const surekrig_error *error)
{
    if (status) {
        fprintf(stderr, "study: %s\n", error->sentence);
        exit(1);
    }
}

/* Every other point is trained on. */
static void draw(field *f, const double truth[2], uint64_t seed)
{
    static double y[POINTS];
    surekrig_error error;
    surekrig_theta theta = {1, &(surekrig_term){1, truth[0], &truth[1]}, TAU2, 1};
    surekrig_sample sample = {.d = 1, .size = {POINTS}, .upper = {1}, .seed = seed, .threads = 1};
    must(surekrig_simulate(&sample, &theta, y, &error), &error);
    for (int64_t i = 0; i < HALF; i++) {
        f->x[i] = (double)(2 * i) / (POINTS - 1);
        f->test_x[i] = (double)(2 * i + 1) / (POINTS - 1);
        f->y[i] = y[2 * i];
        f->test_y[i] = y[2 * i + 1];
    }
    f->nu = truth[0];
    f->rho = truth[1];
    f->data = (surekrig_data){.n = HALF, .d = 1, .l = 1, .x = f->x, .y = f->y};
}

/* ---- losses of our own, minimised from the truth */

/* Exact: the points are equally spaced, so each is predicted from all before it by Durbin's recursion.
 *   a = (r_i - sum phi_j r_{i-j}) / v;   phi_j -= a phi_{i-j};   v *= 1 - a^2;   Q = sum log v + e^2 / v */
static double exact_loss(const field *f, double nu, double rho)
{
    static double u[HALF], r[HALF], phi[HALF], old[HALF];
    for (int64_t i = 0; i < HALF; i++)
        u[i] = sqrt(2 * nu) * f->x[i] / rho;
    if (surekrig_matern(nu, HALF, u, r, NULL, NULL))
        return NAN;
    double v = 1 + TAU2, sum = log(v) + f->y[0] * f->y[0] / v;
    for (int64_t i = 1; i < HALF; i++) {
        double a = r[i], e = f->y[i];
        for (int64_t j = 1; j < i; j++)
            a -= phi[j] * r[i - j];
        a /= v;
        memcpy(old, phi, sizeof *old * (size_t)i);
        for (int64_t j = 1; j < i; j++)
            phi[j] = old[j] - a * old[i - j];
        phi[i] = a;
        v *= 1 - a * a;
        for (int64_t j = 1; j <= i; j++)
            e -= phi[j] * f->y[i - j];
        sum += log(v) + e * e / v;
    }
    return sum / HALF;
}

/* Leave-one-out, every second point without the neighbours within THINNED spacings. */
static double thinned_loss(const field *f, double nu, double rho)
{
    static double mean[HALF], variance[HALF];
    surekrig_theta theta = {1, &(surekrig_term){1, nu, &rho}, TAU2, 1};
    surekrig_neighborhoods hoods = {HALF, K, f->neighbor, NULL, f->x};
    double sum = 0;
    if (surekrig_krige(&f->data, &hoods, &theta, "auto", &(surekrig_kriged){mean, variance, NULL}, NULL))
        return NAN;
    for (int64_t i = 0; i < HALF; i++)
        sum += log(variance[i] + TAU2) + pow(f->y[i] - mean[i], 2) / (variance[i] + TAU2);
    return sum / HALF;
}

static void thin(field *f)
{
    surekrig_index *index;
    surekrig_error error;
    must(surekrig_index_new(HALF, 1, f->x, &index, &error), &error);
    for (int64_t i = 0; i < HALF; i++) {
        surekrig_neighbor_query near = {.n = 1, .x = &f->x[i], .k = K, .row = &i, .threads = 1};
        near.min_distance = i % 2 ? (THINNED + 0.01) * f->x[1] : 0;
        must(surekrig_neighbors(index, &near, f->neighbor + i * K, NULL, &error), &error);
    }
    surekrig_index_free(index);
}

typedef struct search {
    const field *f;
    double (*loss)(const field *, double nu, double rho);
} search;

static int evaluate(void *user, const double *theta, double *loss, double *residual)
{
    const search *s = user;
    (void)residual;
    *loss = s->loss(s->f, theta[0], theta[1]);
    return 0;
}

/* A floor may know where to begin. */
static estimate minimum(const field *f, double (*loss)(const field *, double, double))
{
    surekrig_axis axis[] = {{0.05, 2.5, f->nu, 1}, {0.001, 50, f->rho, 1}};
    surekrig_problem problem = {2, axis, 0, evaluate, &(search){f, loss}};
    double theta[2];
    surekrig_minimum found = {.theta = theta};
    surekrig_settings *settings;
    surekrig_error error;
    must(surekrig_settings_new(&settings, &error), &error);
    must(surekrig_settings_set(settings, "optimizer", "local", &error), &error);
    must(surekrig_settings_set(settings, "evaluations", "150", &error), &error);
    must(surekrig_minimize(&problem, settings, &found, &error), &error);
    surekrig_settings_free(settings);
    return (estimate){theta[0], theta[1]};
}

/* ---- the library's own training, and scores */

static surekrig_model *fit(const field *f, const char *const (*words)[2], int count)
{
    static const char *const KNOWN[][2] = {{"mean", "zero"}, {"gamma2", "1"}, {"tau2", "1e-10"}, {"batch", "5000"}};
    surekrig_settings *settings;
    surekrig_model *model;
    surekrig_error error;
    must(surekrig_settings_new(&settings, &error), &error);
    for (int i = 0; i < 4; i++)
        must(surekrig_settings_set(settings, KNOWN[i][0], KNOWN[i][1], &error), &error);
    for (int i = 0; i < count; i++)
        must(surekrig_settings_set(settings, words[i][0], words[i][1], &error), &error);
    must(surekrig_fit(&f->data, settings, NULL, &model, &error), &error);
    surekrig_settings_free(settings);
    return model;
}

static estimate trained(const field *f, const char *loss)
{
    surekrig_model *model = fit(f, (const char *const[][2]){{"coverage", "none"}, {"loss", loss}}, 2);
    const surekrig_info *info = surekrig_model_info(model);
    estimate found = {info->estimate[0].value, info->estimate[1].value};
    surekrig_model_free(model);
    return found;
}

static surekrig_scores score(const field *f, estimate at)
{
    static double mean[HALF], sd[HALF];
    char nu[32], rho[32];
    surekrig_error error;
    surekrig_scores scores;
    snprintf(nu, sizeof nu, "%.17g", at.nu);
    snprintf(rho, sizeof rho, "%.17g", at.rho);
    surekrig_model *model = fit(f, (const char *const[][2]){{"nu", nu}, {"rho", rho}}, 2);
    surekrig_prediction prediction = {.mean = mean, .sd = sd};
    must(surekrig_predict(model, &(surekrig_query){.n = HALF, .x = f->test_x}, NULL, &prediction, &error), &error);
    must(surekrig_score(&(surekrig_scored){HALF, f->test_y, mean, sd}, 0.95, &scores, &error), &error);
    surekrig_model_free(model);
    return scores;
}

/* ---- the table */

static estimate truth(const field *f)
{
    return (estimate){f->nu, f->rho};
}
static estimate exact(const field *f)
{
    return minimum(f, exact_loss);
}
static estimate leave_one_out(const field *f)
{
    return trained(f, "lool");
}
static estimate blocks(const field *f)
{
    return trained(f, "block");
}
static estimate thinned(const field *f)
{
    return minimum(f, thinned_loss);
}

static const struct {
    const char *name;
    estimate (*find)(const field *f);
} METHOD[] = {{"the truth", truth},
              {"exact maximum likelihood", exact},
              {"leave-one-out likelihood, all points", leave_one_out},
              {"likelihood of whole neighbourhoods, all points", blocks},
              {"leave-one-out, every second point without its 16 nearest", thinned}};
enum { METHODS = sizeof METHOD / sizeof *METHOD, NU = 0, COV, CRPS, INT, FIGURES };

static void measure(const double at[2], int seeds, double sum[METHODS][FIGURES], double square[METHODS][FIGURES])
{
    static field f;
    for (int seed = 1; seed <= seeds; seed++) {
        draw(&f, at, (uint64_t)seed);
        thin(&f);
        surekrig_scores best = score(&f, truth(&f));
        for (int m = 0; m < METHODS; m++) {
            estimate found = METHOD[m].find(&f);
            surekrig_scores s = score(&f, found);
            double figure[FIGURES] = {found.nu, s.cov, s.crps / best.crps, s.interval / best.interval};
            for (int i = 0; i < FIGURES; i++) {
                sum[m][i] += figure[i];
                square[m][i] += figure[i] * figure[i];
            }
        }
    }
}

int main(int count, char **words)
{
    int seeds = count > 1 ? atoi(words[1]) : 1;
    if (seeds < 1) {
        fprintf(stderr, "usage: study [SEEDS]\n");
        return 2;
    }
    puts("| case | parameters by | nu | COV | CRPS over the truth's | INT over the truth's |");
    puts("| --- | --- | ---: | ---: | ---: | ---: |");
    for (size_t c = 0; c < sizeof CASE / sizeof *CASE; c++) {
        double sum[METHODS][FIGURES] = {0}, square[METHODS][FIGURES] = {0};
        measure(CASE[c], seeds, sum, square);
        for (int m = 0; m < METHODS; m++) {
            printf("| %g | %s |", CASE[c][0], METHOD[m].name);
            for (int i = 0; i < FIGURES; i++) {
                double mean = sum[m][i] / seeds;
                printf(" %.4f", mean);
                if (seeds > 1 && i <= COV)
                    printf(" ± %.4f", sqrt(fmax(square[m][i] - seeds * mean * mean, 0) / (seeds - 1)));
                fputs(" |", stdout);
            }
            puts("");
        }
    }
    return 0;
}
