/* Models with a trend, two terms, widths of their own, conformal scores and a table of trials: in the model file and in
 * a refit. */
#include "fit_support.h"
#include "train/train.h"

#include <sqlite3.h>
#include <unistd.h>

static char path[] = "/tmp/surekrig-test-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void **state)
{
    (void)state;
    return remove(path);
}

static surekrig_status load(surekrig_model **model, surekrig_error *error)
{
    return surekrig_model_load(path, model, error);
}

/* ---- models of all the new kinds */

#define SMALL "neighbors=8 batch=40 evaluations=6 polish=0 coverage=0.9 "

static const char *const KINDS[] = {
    SMALL "mean=trend",
    SMALL "mean=trend trend=height distance=lon,lat anisotropic=yes",
    SMALL "mean=local terms=2 long_nu=0.4:1.5",
    SMALL "mean=zero variance=local",
    SMALL "mean=constant interval=conformal holdout=thinned",
    SMALL "mean=trend terms=2 variance=local interval=conformal sectors=yes distance=lon,lat",
    SMALL "auto=yes",
    SMALL "kernel=gaussian",
};
enum { N = 90, KIND = sizeof KINDS / sizeof *KINDS };

/* Three features, two responses, targets beside the data. */
static points make_data(int64_t n, uint64_t seed)
{
    static const char *const NAMES[] = {"lon", "lat", "height"};
    static const double TARGET[] = {0.5, 0.5, 0.5, 1.1, 0.4, 0.2};
    points p = make_field(n, 3, 2, 0.6, 0.4, 0.05, seed);
    for (int64_t i = 0; i < n; i++)
        p.y[2 * i] += 4 * p.x[3 * i + 2];
    p.data.x_names = NAMES;
    p.data.targets = 2;
    p.data.target = TARGET;
    return p;
}

static void predict_alike(const surekrig_model *a, const surekrig_model *b)
{
    double *x = make_places(25, 3, 1, 99);
    for (int latent = 0; latent < 2; latent++) {
        predicted p = predict(a, 25, x, latent, 1), q = predict(b, 25, x, latent, 1);
        same_bits(p.mean, q.mean, 50);
        same_bits(p.sd, q.sd, 50);
        free_predicted(&p);
        free_predicted(&q);
    }
    for (int64_t r = 0; r < 2; r++)
        for (double level = 0.05; level < 1; level += 0.1) {
            double one = surekrig_model_quantile(a, r, level), other = surekrig_model_quantile(b, r, level);
            same_bits(&one, &other, 1);
        }
    free(x);
}

static void estimates_alike(const surekrig_info *a, const surekrig_info *b)
{
    assert_int_equal(a->estimates, b->estimates);
    for (int i = 0; i < a->estimates; i++) {
        const surekrig_estimate *p = &a->estimate[i], *q = &b->estimate[i];
        assert_string_equal(p->name, q->name);
        same_bits((double[]){p->value, p->lower, p->upper}, (double[]){q->value, q->lower, q->upper}, 3);
        same_bits(p->as_good, q->as_good, 2);
        assert_int_equal(p->at_bound, q->at_bound);
    }
    assert_true(a->seen_share > 0 && a->seen_share == b->seen_share && a->freedom == b->freedom);
}

static void held_out_alike(const surekrig_info *a, const surekrig_info *b)
{
    assert_true(a->held_out.n == b->held_out.n && a->holdout == b->holdout && a->trials == b->trials);
    same_bits(&a->held_out.mae, &b->held_out.mae, 7); /* mae to level */
    same_bits(&a->accepted, &b->accepted, 1);
    for (int i = 0; i < a->trials; i++) {
        assert_string_equal(a->trial[i].what, b->trial[i].what);
        const surekrig_trial *p = &a->trial[i], *q = &b->trial[i];
        same_bits((double[]){p->crps, p->error, p->seconds}, (double[]){q->crps, q->error, q->seconds}, 3);
        assert_int_equal(a->trial[i].kept, b->trial[i].kept);
    }
}

static void every_kind_comes_back_from_its_file(void **state)
{
    (void)state;
    points p = make_data(N, 1);
    for (int i = 0; i < KIND; i++) {
        surekrig_model *m = fit(&p.data, KINDS[i]), *again = NULL;
        surekrig_error error;
        succeed(surekrig_model_save(m, path, &error), &error);
        succeed(load(&again, &error), &error);
        predict_alike(m, again);
        estimates_alike(surekrig_model_info(m), surekrig_model_info(again));
        held_out_alike(surekrig_model_info(m), surekrig_model_info(again));
        assert_true(surekrig_model_info(again)->held_out.n > 0);
        surekrig_model_free(m);
        surekrig_model_free(again);
    }
    free_points(&p);
}

/* ---- refits */

static void a_refit_on_the_same_data_is_the_same_model(void **state)
{
    (void)state;
    points p = make_data(N, 2);
    for (int i = 0; i < KIND; i++) {
        surekrig_model *m = fit(&p.data, KINDS[i]), *again = NULL, *loaded = NULL;
        surekrig_error error;
        succeed(surekrig_refit(&p.data, m, &again, &error), &error);
        predict_alike(m, again);
        estimates_alike(surekrig_model_info(m), surekrig_model_info(again));
        const surekrig_info *info = surekrig_model_info(again); /* nothing was trained on it, or held out from it */
        assert_true(info->held_out.n == 0 && info->outcome == SUREKRIG_NOT_TRAINED && isnan(info->loss));
        assert_true(info->scores.n == 0 && isnan(info->scores.mae) && isnan(info->scores.crps));
        succeed(surekrig_model_save(again, path, &error), &error);
        succeed(load(&loaded, &error), &error);
        predict_alike(m, loaded);
        surekrig_model_free(m);
        surekrig_model_free(again);
        surekrig_model_free(loaded);
    }
    free_points(&p);
}

/* Other data, of other spread: the slope is the old one, in the features' own units, and so are the quantiles. */
static void a_refit_on_other_data_keeps_slopes_and_quantiles(void **state)
{
    (void)state;
    points p = make_data(N, 3), few = make_data(40, 4);
    surekrig_model *m = fit(&p.data, KINDS[5]), *again = NULL, *loaded = NULL;
    surekrig_error error;
    for (int64_t i = 0; i < 40 * 3; i++)
        few.x[i] *= 0.3;
    succeed(surekrig_refit(&few.data, m, &again, &error), &error);
    estimates_alike(surekrig_model_info(m), surekrig_model_info(again));
    close_to(surekrig_model_quantile(m, 1, 0.8), surekrig_model_quantile(again, 1, 0.8), 0);
    /* height does not count in distances: moving a target along it moves the mean by the slope and nothing else */
    double x[6] = {0.2, 0.1, 0.1, 0.2, 0.1, 0.25};
    predicted two = predict(again, 2, x, 0, 1);
    close_to(two.mean[2] - two.mean[0], 0.15 * value_of(m, "trend_height_y1"), 1e-9);
    assert_true(fabs(two.mean[2] - two.mean[0]) > 0.1);
    free_predicted(&two);
    succeed(surekrig_model_save(again, path, &error), &error);
    succeed(load(&loaded, &error), &error);
    predict_alike(again, loaded);
    surekrig_model_free(m);
    surekrig_model_free(again);
    surekrig_model_free(loaded);
    free_points(&p);
    free_points(&few);
}

static void a_refit_refuses_columns_that_have_moved(void **state)
{
    (void)state;
    static const char *const MOVED[] = {"height", "lat", "lon"}, *const OTHER[] = {"x", "y", "z"};
    points p = make_data(N, 5);
    surekrig_model *m = fit(&p.data, KINDS[1]), *again = (surekrig_model *)0x1234;
    surekrig_error error = {0};
    p.data.x_names = MOVED;
    assert_int_equal(surekrig_refit(&p.data, m, &again, &error), SUREKRIG_DATA);
    mentions(&error, "other columns than the model's");
    p.data.x_names = OTHER;
    assert_int_equal(surekrig_refit(&p.data, m, &again, &error), SUREKRIG_INVALID);
    mentions(&error, "there is no feature 'lon'");
    assert_ptr_equal(again, (void *)0x1234);
    surekrig_model_free(m);
    free_points(&p);
}

/* What a refit takes, a file of it can hold. */
static void a_refit_refuses_responses_beyond_all_files(void **state)
{
    (void)state;
    points p = make_data(N, 2);
    surekrig_model *m = fit(&p.data, KINDS[0]), *again = NULL;
    surekrig_error error;
    double kept = p.y[7];
    p.y[7] = 1e99;
    succeed(surekrig_refit(&p.data, m, &again, &error), &error);
    succeed(surekrig_model_save(again, path, &error), &error);
    surekrig_model_free(again);
    succeed(load(&again, &error), &error);
    surekrig_model_free(again);
    p.y[7] = 1e110;
    again = NULL;
    assert_int_equal(surekrig_refit(&p.data, m, &again, &error), SUREKRIG_DATA);
    assert_non_null(strstr(error.sentence, ": 1e+110 is too far from the model's responses, "));
    assert_null(again);
    p.y[7] = kept;
    surekrig_model_free(m);
    free_points(&p);
}

static void a_refit_with_noise_refuses_a_local_variance(void **state)
{
    (void)state;
    points p = make_field(50, 2, 1, 0.5, 0.3, 0.05, 6);
    surekrig_model *m = fit(&p.data, SMALL "variance=local"), *again = NULL;
    surekrig_error error = {0};
    add_noise(&p, 7);
    assert_int_equal(surekrig_refit(&p.data, m, &again, &error), SUREKRIG_INVALID);
    mentions(&error, "noise");
    surekrig_model_free(m);
    free_points(&p);
}

/* Fifty, or all others; as many as are asked for, if there are so many. */
static void neighbours_that_nobody_asked_for(void **state)
{
    (void)state;
    for (int64_t n = 20; n <= 53; n += n == 20 ? 29 : 1)
        for (int64_t asked = 0; asked <= n; asked += asked < n - 2 ? n - 2 : 1) {
            points p = make_field(n, 2, 1, 0.6, 0.4, 0.05, 9);
            char words[40], says[80];
            surekrig_model *m = NULL;
            surekrig_error error;
            snprintf(words, sizeof words, asked ? "neighbors=%d" : "neighbors=auto", (int)asked);
            surekrig_settings *settings = settings_of(words);
            surekrig_status status = sk_model_new(&p.data, settings, &m, &error);
            snprintf(says, sizeof says, "k = %d neighbours asked, %d points given: at most %d", (int)asked, (int)n,
                     (int)n - 1);
            assert_int_equal(status, asked < n ? SUREKRIG_OK : SUREKRIG_DATA);
            if (status)
                mentions(&error, says);
            else
                assert_int_equal(m->info.neighbors, asked ? asked : n - 1 < 50 ? n - 1 : 50);
            surekrig_model_free(m);
            surekrig_settings_free(settings);
            free_points(&p);
        }
}

/* ---- files that were changed, and old ones */

static void execute(const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static void changed_numbers_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *says;
    } CHANGE[] = {
        {"UPDATE hyper SET value=1.5 WHERE name='long_share'", "impossible"},
        {"UPDATE hyper SET value=-0.1 WHERE name='long_share'", "impossible"},
        {"UPDATE hyper SET value=NULL WHERE name='long_share'", "impossible"},
        {"UPDATE hyper SET value=0.5 WHERE name='long_ratio'", "impossible"},
        {"UPDATE hyper SET value=1e999 WHERE name='long_ratio'", "impossible"},
        {"UPDATE hyper SET value=0 WHERE name='long_nu'", "impossible"},
        {"UPDATE hyper SET value=-1 WHERE name='tau2'", "impossible"},
        {"UPDATE hyper SET value=0 WHERE name='nu'", "impossible"},
        {"UPDATE hyper SET value=-1 WHERE name='rho'", "impossible"},
        {"UPDATE hyper SET value=NULL WHERE name='gamma2'", "impossible"},
        {"DELETE FROM hyper WHERE name='tau2'", "row is missing"},
        {"DROP TABLE hyper", "hyper"},
        {"UPDATE number SET value=2 WHERE name='local_variance'", "impossible"},
        {"UPDATE number SET value=1e11 WHERE name='conformal_scores'", "impossible"},
        {"UPDATE number SET value=3.5 WHERE name='conformal_scores'", "impossible"},
        {"UPDATE number SET value=-1 WHERE name='conformal_scores'", "impossible"},
        {"UPDATE number SET value=9 WHERE name='held_out_how'", "impossible"},
        {"UPDATE number SET value=1e9 WHERE name='trials'", "impossible"},
        {"INSERT OR REPLACE INTO array VALUES('freedom', 0, x'000000000000f07f')", "impossible"},
        {"UPDATE number SET value=value+1 WHERE name='conformal_scores'", "row is missing"},
        {"UPDATE hyper SET value=value*1.0001 WHERE name='long_share'", "checksum"},
        {"UPDATE number SET value=value+1 WHERE name='held_out_mae'", "checksum"},
        {"UPDATE hyper SET name='long' WHERE name='long_nu'", "checksum"},
        {"DELETE FROM number WHERE name='accepted'", "row is missing"},
        {"DROP TABLE number", "number"},
        {"DROP TABLE trial", "trial"},
        {"DELETE FROM array WHERE name='width_low'", "row is missing"},
        {"DELETE FROM array WHERE name='trend_beta'", "row is missing"},
        {"UPDATE array SET bytes=x'000000000000f03f' WHERE name='trend_covariance'", "row is missing"},
        {"UPDATE setting SET value='lon' WHERE name='trend'", ""},
        {"UPDATE setting SET value='nosuch' WHERE name='trend'", "there is no feature 'nosuch'"},
        {"PRAGMA user_version=8", "newer"},
        {"PRAGMA user_version=1", "rho"},
    };
    points p = make_data(N, 8);
    surekrig_model *m = fit(&p.data, KINDS[5]), *again = (surekrig_model *)0x1234;
    surekrig_error error;
    for (size_t i = 0; i < sizeof CHANGE / sizeof *CHANGE; i++) {
        succeed(surekrig_model_save(m, path, &error), &error);
        execute(CHANGE[i].sql);
        if (load(&again, &error) != SUREKRIG_FILE)
            fail_msg("%s: not refused", CHANGE[i].sql);
        mentions(&error, CHANGE[i].says);
        assert_ptr_equal(again, (void *)0x1234);
    }
    surekrig_model_free(m);
    free_points(&p);
}

/* data/formatN.model was saved by the version before format N + 1, and formatN.csv is what it then predicted. */
static surekrig_model *predicts_as_it_did(const char *model, const char *predictions, int expected)
{
    surekrig_model *m = NULL;
    surekrig_error error;
    FILE *file = fopen(predictions, "r");
    double x[2];
    int rows = 0;
    assert_non_null(file);
    succeed(surekrig_model_load(model, &m, &error), &error);
    int responses = (int)m->data.l;
    while (fgetc(file) != '\n')
        continue;
    for (; fscanf(file, "%lf,%lf", &x[0], &x[1]) == 2; rows++) {
        predicted p = predict(m, 1, x, 0, 1);
        for (int q = 0; q < responses; q++) {
            double mean, sd, lower, upper;
            assert_int_equal(fscanf(file, ",%lf,%lf,%lf,%lf", &mean, &sd, &lower, &upper), 4);
            close_to(p.mean[q], mean, 1e-11); /* another machine's back end may round otherwise */
            close_to(p.sd[q], sd, 1e-11);
            close_to(p.mean[q] + surekrig_model_quantile(m, q, 0.95) * p.sd[q], upper, 1e-11);
        }
        free_predicted(&p);
    }
    fclose(file);
    assert_int_equal(rows, expected);
    return m;
}

/* Two responses, two terms, a trend, local variances and conformal intervals. */
static void a_file_of_format_2_predicts_as_it_did(void **state)
{
    (void)state;
    surekrig_error error;
    surekrig_model *m = predicts_as_it_did("data/format2.model", "data/format2.csv", 6), *again = NULL;
    assert_true(!m->partner && m->hyper.long_share > 0 && m->trend.columns == 2 && m->widths.local &&
                m->widths.scores > 0);
    assert_true(surekrig_model_info(m)->held_out.n == 140);
    succeed(surekrig_model_save(m, path, &error), &error);
    surekrig_model_free(m);
    again = predicts_as_it_did(path, "data/format2.csv", 6);
    surekrig_model_free(again);
}

/* Two models averaged, of two responses, with local variances of fewer terms than there are now. */
static void a_file_of_format_3_predicts_as_it_did(void **state)
{
    (void)state;
    surekrig_error error;
    surekrig_model *m = predicts_as_it_did("data/format3.model", "data/format3.csv", 6), *again = NULL;
    assert_true(m->partner && m->partner->widths.local && m->widths.local && m->widths.scores > 0);
    succeed(surekrig_model_save(m, path, &error), &error); /* now of the newest format */
    surekrig_model_free(m);
    again = predicts_as_it_did(path, "data/format3.csv", 6);
    surekrig_model_free(again);
}

/* Two models averaged, each of two terms, with a trend and a length scale for each feature. */
static void a_file_of_format_4_predicts_as_it_did(void **state)
{
    (void)state;
    surekrig_error error;
    surekrig_model *m = predicts_as_it_did("data/format4.model", "data/format4.csv", 6), *again = NULL;
    assert_true(m->partner && m->hyper.long_share > 0 && m->partner->hyper.long_share > 0 && m->trend.columns == 2);
    succeed(surekrig_model_save(m, path, &error), &error);
    surekrig_model_free(m);
    again = predicts_as_it_did(path, "data/format4.csv", 6);
    surekrig_model_free(again);
}

/* Of places all over the globe, by a version that knew no sphere: it stays in the plane. */
static void a_file_without_the_sphere_predicts_as_it_did(void **state)
{
    (void)state;
    surekrig_model *m = predicts_as_it_did("data/format5.model", "data/format5.csv", 6);
    assert_string_equal(surekrig_settings_get(surekrig_model_info(m)->settings, "sphere"), "no");
    surekrig_model_free(m);
}

/* Without widths for places farther from the data: beyond what was seen it has the model's own. */
static void a_file_of_format_6_predicts_as_it_did(void **state)
{
    (void)state;
    surekrig_error error;
    surekrig_model *m = predicts_as_it_did("data/format6.model", "data/format6.csv", 6), *again = NULL;
    assert_true(m->widths.local && !m->widths.farther && m->widths.scores > 0);
    succeed(surekrig_model_save(m, path, &error), &error);
    surekrig_model_free(m);
    again = predicts_as_it_did(path, "data/format6.csv", 6);
    surekrig_model_free(again);
}

static void a_file_of_format_1_predicts_as_it_did(void **state)
{
    (void)state;
    surekrig_error error;
    surekrig_model *m = predicts_as_it_did("data/format1.model", "data/format1.csv", 5);
    const surekrig_info *info = surekrig_model_info(m);
    assert_true(info->held_out.n == 0 && info->trials == 0 && info->rounds > 0);
    assert_string_equal(surekrig_settings_get(info->settings, "variance"), "global");
    surekrig_model *again = NULL; /* saved anew, it is of the newest format */
    succeed(surekrig_model_save(m, path, &error), &error);
    succeed(load(&again, &error), &error);
    assert_string_equal(surekrig_model_info(again)->version, info->version);
    surekrig_model_free(again);
    surekrig_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_comes_back_from_its_file),
        cmocka_unit_test(a_refit_on_the_same_data_is_the_same_model),
        cmocka_unit_test(a_refit_on_other_data_keeps_slopes_and_quantiles),
        cmocka_unit_test(a_refit_refuses_columns_that_have_moved),
        cmocka_unit_test(a_refit_refuses_responses_beyond_all_files),
        cmocka_unit_test(a_refit_with_noise_refuses_a_local_variance),
        cmocka_unit_test(neighbours_that_nobody_asked_for),
        cmocka_unit_test(changed_numbers_are_refused),
        cmocka_unit_test(a_file_of_format_1_predicts_as_it_did),
        cmocka_unit_test(a_file_of_format_2_predicts_as_it_did),
        cmocka_unit_test(a_file_of_format_3_predicts_as_it_did),
        cmocka_unit_test(a_file_of_format_4_predicts_as_it_did),
        cmocka_unit_test(a_file_without_the_sphere_predicts_as_it_did),
        cmocka_unit_test(a_file_of_format_6_predicts_as_it_did),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
