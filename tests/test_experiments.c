/* The studies: what a trial reports is recomputed by hand, statistics against known ones, data sets by what they must
 * satisfy, and a study stopped midway goes on to the same result. */
#include "inside.h"
#include "support.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- helpers */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/surekrig-study-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static void remove_files(const char *path)
{
    DIR *list = opendir(path);
    char name[512];
    for (struct dirent *entry; list && (entry = readdir(list));) {
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && unlink(name))
            remove_files(name);
    }
    if (list)
        closedir(list);
    rmdir(path);
}

static int remove_folder(void **state)
{
    (void)state;
    remove_files(folder);
    return 0;
}

static surekrig_settings *quick_settings(int threads)
{
    static const char *const SET[][2] = {{"batch", "60"},      {"neighbors", "10"}, {"initial", "3"},
                                         {"evaluations", "4"}, {"polish", "0"},     {"rounds", "2"}};
    surekrig_settings *settings = NULL;
    surekrig_error error;
    char count[16];
    snprintf(count, sizeof count, "%d", threads);
    succeeded(surekrig_settings_new(&settings, &error), &error);
    for (size_t i = 0; i < sizeof SET / sizeof *SET; i++)
        succeeded(surekrig_settings_set(settings, SET[i][0], SET[i][1], &error), &error);
    succeeded(surekrig_settings_set(settings, "threads", count, &error), &error);
    return settings;
}

static experiment_options quick_options(const surekrig_settings *settings)
{
    return (experiment_options){
        .directory = folder, .trials = 2, .points = 200, .data_seed = 1, .cases = "0.425", .settings = settings};
}

/* Lines of trials.csv, at most most, each the caller's. */
static int read_lines(char *line[], int most)
{
    char path[128], text[8192];
    int count = 0;
    snprintf(path, sizeof path, "%s/trials.csv", folder);
    FILE *from = fopen(path, "r");
    while (from && count < most && fgets(text, sizeof text, from))
        line[count++] = strdup(text);
    if (from)
        fclose(from);
    return count;
}

/* Column of a row, numbered from 0, as text into cell. */
static const char *cell_of(const char *row, int column, char text[64])
{
    for (; column > 0; column--)
        row = strchr(row, ',') + 1;
    snprintf(text, 64, "%.*s", (int)strcspn(row, ",\n"), row);
    return text;
}

static int column_of(const char *header, const char *name)
{
    char text[64];
    for (int i = 0; i < 80; i++)
        if (!strcmp(cell_of(header, i, text), name))
            return i;
    fail_msg("no column %s", name);
    return -1;
}

static double number_at(const char *header, const char *row, const char *name)
{
    char text[64];
    return strtod(cell_of(row, column_of(header, name), text), NULL);
}

/* ---- statistics */

static void summaries_of_known_values(void **state)
{
    (void)state;
    double value[] = {4, 1, 3, 2, 5};
    ex_summary s = ex_summarise(5, value);
    assert_true(s.mean == 3 && s.median == 3 && s.least == 1 && s.most == 5 && s.lower == 2 && s.upper == 4);
    close_to(s.sd, sqrt(2.5), 1e-15);
    double same[] = {0.1, 0.1, 0.1};
    s = ex_summarise(3, same);
    assert_true(s.sd == 0 && s.mean == 0.1);
    assert_true(isnan(ex_summarise(1, same).sd) && isnan(ex_summarise(0, same).mean));
}

/* A density is positive, integrates to 1, and follows the values when they are shifted and stretched. */
static void densities(void **state)
{
    (void)state;
    draws d = {1, 0};
    double value[40], moved[40];
    fill_normal(&d, 40, value);
    ex_summarise(40, value); /* sorts */
    double width = ex_density_width(40, value), sum = 0;
    for (double at = -12; at <= 12; at += 0.01)
        sum += 0.01 * ex_density_at(40, value, width, at);
    close_to(sum, 1, 1e-6);
    for (int i = 0; i < 40; i++)
        moved[i] = 3 + 10 * value[i];
    close_to(ex_density_width(40, moved), 10 * width, 1e-12);
    close_to(ex_density_at(40, moved, 10 * width, 3 + 10 * 0.7), ex_density_at(40, value, width, 0.7) / 10, 1e-12);
}

/* ---- data */

static ex_run run_of(const ex_study *s, const experiment_options *options, int64_t points)
{
    return (ex_run){.study = s, .options = options, .points = points};
}

/* Both halves together are the simulated field, each point once, in order of place. */
static void halves_are_the_whole_field(void **state)
{
    (void)state;
    enum { N = 301 };
    double y[N];
    const ex_scenario *s = &ex_study_synthetic.scenario[1];
    surekrig_error error;
    surekrig_theta theta = {1, &(surekrig_term){1, s->nu, (double[]){s->rho}}, s->tau2, 1};
    succeeded(surekrig_simulate(&(surekrig_sample){.d = 1, .size = {N}, .upper = {1}, .seed = 7}, &theta, y, &error),
              &error);
    for (int random = 0; random < 2; random++) {
        experiment_options options = {.random_half = random};
        ex_run r = run_of(&ex_study_synthetic, &options, N);
        ex_dataset data;
        int seen[N] = {0}, odd = 0;
        succeeded(ex_study_synthetic.draw(&r, s, 7, &data, &error), &error);
        assert_true(data.n == (N + 1) / 2 && data.m == N / 2);
        for (int i = 0; i < N; i++) {
            int at = (int)lround(data.x[i] * (N - 1));
            assert_true(data.y[i] == y[at] && !seen[at]++);
            odd += i < data.n && at % 2;
        }
        assert_true(random ? odd > N / 8 && odd < N * 3 / 8 : odd == 0);
        ex_dataset_free(&data);
    }
}

/* Training and test points of a wrong model: the field is the same whatever is done to it, heavy tails are heavy, the
 * growing variance grows. */
static void misspecified_data(void **state)
{
    (void)state;
    experiment_options options = {0};
    ex_run r = run_of(&ex_study_misspecified, &options, 900);
    surekrig_error error;
    for (int i = 0; i < ex_study_misspecified.scenarios; i++) {
        const ex_scenario *s = &ex_study_misspecified.scenario[i];
        ex_dataset data;
        double least = 0, low = 0, high = 0;
        succeeded(ex_study_misspecified.draw(&r, s, 3, &data, &error), &error);
        for (int64_t j = 0; j < 900; j++) {
            assert_true(data.x[2 * j] > -0.01 && data.x[2 * j] < 1.01 && isfinite(data.y[j]));
            least = fmax(least, fabs(data.y[j]));
            *(data.x[2 * j] < 0.5 ? &low : &high) += data.y[j] * data.y[j];
        }
        if (!strcmp(s->name, "variance"))
            assert_true(high > 4 * low);
        if (!strcmp(s->name, "t2"))
            assert_true(least > 4); /* 900 draws of t2 times 0.2: the largest is about 30 times the scale */
        ex_dataset_free(&data);
    }
}

/* Least squares: what is left over is orthogonal to every term, on the training points; a trend of that degree leaves
 * nothing anywhere. */
static void trends_are_least_squares(void **state)
{
    (void)state;
    enum { N = 60, M = 20 };
    draws d = {5, 0};
    surekrig_error error;
    for (int exact = 0; exact < 2; exact++)
        for (int degree = 1; degree <= 2; degree++) {
            ex_run r = run_of(&ex_study_temperature, NULL, 0);
            ex_dataset data;
            succeeded(ex_dataset_alloc(&r.source, N, M, 2, &error), &error);
            fill_uniform(&d, 2 * (N + M), -95, -91, r.source.x);
            fill_normal(&d, N + M, r.source.y);
            for (int i = 0; exact && i < N + M; i++) {
                double a = r.source.x[2 * i] + 93, b = r.source.x[2 * i + 1] + 93;
                r.source.y[i] = 40 + 2 * a - b + (degree == 2 ? a * b - 0.5 * b * b : 0);
            }
            succeeded(ex_study_temperature.draw(&r, &ex_study_temperature.scenario[degree], 1, &data, &error), &error);
            double sums[3] = {0};
            for (int i = 0; i < N + M; i++) {
                close_within(data.y[i] + data.trend[i], r.source.y[i], 1e-12, 0);
                assert_true(!exact || fabs(data.y[i]) < 1e-9);
                for (int k = 0; i < N && k < 3; k++)
                    sums[k] += data.y[i] * (k == 0 ? 1 : data.x[2 * i + k - 1] + 93);
            }
            for (int k = 0; k < 3; k++)
                close_within(sums[k], 0, 0, 1e-9);
            ex_dataset_free(&data);
            ex_dataset_free(&r.source);
        }
}

/* ---- trials */

/* The row of a trial, from the same public calls by hand. */
static void rows_can_be_recomputed(void **state)
{
    (void)state;
    surekrig_settings *settings = quick_settings(2), *own = NULL;
    experiment_options options = quick_options(settings);
    experiment_result result;
    surekrig_error error;
    char *line[16];
    succeeded(experiment_run("synthetic", &options, &result, &error), &error);
    assert_true(result.done == 14 && result.trials == 14);
    int count = read_lines(line, 16);
    assert_int_equal(count, 15);

    double y[200], x[200], train[2][100], test[2][100], mean[100], sd[100];
    surekrig_theta theta = {1, &(surekrig_term){1, 0.425, (double[]){0.625}}, 1e-10, 1};
    succeeded(surekrig_simulate(&(surekrig_sample){.d = 1, .size = {200}, .upper = {1}, .seed = 1}, &theta, y, &error),
              &error);
    for (int i = 0; i < 200; i++) {
        x[i] = i / 199.0;
        (i % 2 ? test : train)[0][i / 2] = x[i];
        (i % 2 ? test : train)[1][i / 2] = y[i];
    }
    succeeded(surekrig_settings_new(&own, &error), &error);
    succeeded(
        ex_apply_words(
            own, "mean=zero gamma2=1 tau2=1e-10 batch=60 neighbors=10 initial=3 evaluations=4 polish=0 rounds=2 seed=2",
            &error),
        &error);
    surekrig_model *model = NULL;
    surekrig_data data = {.n = 100, .d = 1, .l = 1, .x = train[0], .y = train[1]};
    surekrig_scores scores;
    succeeded(surekrig_fit(&data, own, NULL, &model, &error), &error);
    succeeded(surekrig_predict(model, &(surekrig_query){.n = 100, .x = test[0]}, NULL,
                               &(surekrig_prediction){.mean = mean, .sd = sd}, &error),
              &error);
    succeeded(surekrig_score(&(surekrig_scored){100, test[1], mean, sd}, 0.95, &scores, &error), &error);
    bool found = false;
    for (int i = 1; i < count; i++)
        if (!strncmp(line[i], "0.425,mm,default,2,2,1,", 23)) {
            found = true;
            assert_true(number_at(line[0], line[i], "nu") == surekrig_model_info(model)->estimate[0].value);
            assert_true(number_at(line[0], line[i], "mae") == scores.mae &&
                        number_at(line[0], line[i], "rmse") == scores.rmse);
            assert_true(number_at(line[0], line[i], "cov") == scores.cov &&
                        number_at(line[0], line[i], "crps") == scores.crps);
            assert_true(number_at(line[0], line[i], "int") == scores.interval);
            assert_true(number_at(line[0], line[i], "evaluations") == (double)surekrig_model_info(model)->evaluations);
        }
    assert_true(found);
    for (int i = 0; i < count; i++)
        free(line[i]);
    surekrig_model_free(model);
    surekrig_settings_free(own);
    surekrig_settings_free(settings);
}

/* Stops at the first trial that is done. */
static int stop_after_one(void *user, const experiment_progress *progress)
{
    ++*(int *)user;
    return progress->done > 0;
}

static void a_stopped_study_goes_on(void **state)
{
    (void)state;
    surekrig_settings *settings = quick_settings(1);
    experiment_options options = quick_options(settings);
    experiment_result result;
    surekrig_error error;
    char *line[16];
    int reports = 0;
    options.report = stop_after_one;
    options.user = &reports;
    refused(experiment_run("synthetic", &options, &result, &error), &error, SUREKRIG_STOPPED,
            "finished trials are kept");
    assert_true(reports > 0 && result.done >= 1 && result.done < 14);
    int before = read_lines(line, 16);
    assert_int_equal(before, 1 + result.done);
    options.report = NULL;
    succeeded(experiment_run("synthetic", &options, &result, &error), &error);
    assert_int_equal(result.done, 14);
    char *after[16];
    int count = read_lines(after, 16);
    assert_int_equal(count, 15);
    for (int i = 0; i < before; i++) {
        assert_string_equal(line[i], after[i]);
        free(line[i]);
    }
    for (int i = 0; i < count; i++)
        free(after[i]);
    surekrig_settings_free(settings);
}

/* Without a caller's error, and with nothing asked that exists. */
static void refusals(void **state)
{
    (void)state;
    experiment_options options = quick_options(NULL);
    experiment_result result;
    surekrig_error error;
    const char *name, *sentence;
    assert_int_equal(experiment_run("nosuch", &options, &result, NULL), SUREKRIG_INVALID);
    options.cases = "0.425,nosuch";
    refused(experiment_run("synthetic", &options, &result, &error), &error, SUREKRIG_INVALID, "no case 'nosuch'");
    options.cases = NULL;
    options.directory = "/nosuch/place";
    refused(experiment_run("synthetic", &options, &result, &error), &error, SUREKRIG_FILE, "cannot make the directory");
    assert_true(experiment_study(0, &name, &sentence) && experiment_study(2, &name, &sentence) &&
                !experiment_study(3, &name, &sentence));
}

/* ---- what was published */

static void published_figures(void **state)
{
    (void)state;
    assert_true(ex_paper_find("0.135", "mm")->value[4][0] == .942 &&
                ex_paper_find("0.965", "mm")->value[6][0] == 5.37e-3);
    assert_true(ex_paper_find("temperature", "mse") == NULL && ex_paper_coverage("mm", 1) == 1.90e-2);
    for (int i = 0; ex_competitor_row(i); i++) {
        const ex_competitor *c = ex_competitor_row(i);
        assert_true(c->mae < c->rmse && c->crps < c->rmse && c->cov > 0 &&
                    c->cov < 1); /* what any table of scores obeys */
    }
    for (int i = 0; i < ex_study_synthetic.scenarios; i++)
        for (int j = 0; j < 3; j++) {
            const ex_paper_row *p = ex_paper_find(ex_study_synthetic.scenario[i].name,
                                                  (const char *[]){"mse", "lool", "mm"}[j]);
            assert_true(p && p->value[2][0] < p->value[3][0] && p->value[5][0] < p->value[3][0]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries_of_known_values),
        cmocka_unit_test(densities),
        cmocka_unit_test(halves_are_the_whole_field),
        cmocka_unit_test(misspecified_data),
        cmocka_unit_test(trends_are_least_squares),
        cmocka_unit_test_setup_teardown(rows_can_be_recomputed, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_stopped_study_goes_on, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(refusals, make_folder, remove_folder),
        cmocka_unit_test(published_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
