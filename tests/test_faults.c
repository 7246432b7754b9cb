/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free,--wrap=strdup */
/* Memory runs out at the first allocation, at the second, ... until the work succeeds. Each failure must be said, leave
 * the outputs as they were, and lose nothing. The same for the memory that SQLite asks for. */
#include "fault_support.h"
#include "io.h"
#include "report.h"
#include "train/train.h"

#include <dirent.h>
#include <sqlite3.h>
#include <unistd.h>

/* ---- what everything works on */

#define TINY "threads=1 neighbors=5 batch=20 initial=4 evaluations=6 polish=4 rounds=3 "

static points one, two;         /* 40 points; one response with noise, and two responses */
static surekrig_settings *tiny; /* of a fit */
static surekrig_model *model, *other_model;
static char folder[200], path[240];

static int prepare(void **state)
{
    (void)state;
    one = make_field(40, 2, 1, 0.6, 0.3, 0.05, 81);
    two = make_field(40, 2, 2, 0.6, 0.3, 0.05, 82);
    add_noise(&one, 83);
    tiny = settings_of(TINY "anisotropic=yes");
    model = fit(&two.data, TINY);
    other_model = fit(&one.data, TINY "nu=0.5");
    snprintf(folder, sizeof folder, "%s/surekrig-test-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/file.csv", folder);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    free_points(&one);
    free_points(&two);
    surekrig_settings_free(tiny);
    surekrig_model_free(model);
    surekrig_model_free(other_model);
    remove(path);
    return rmdir(folder); /* fails where a temporary file was left */
}

/* ---- settings */

static surekrig_status make_settings(surekrig_error *error)
{
    surekrig_settings *made = (surekrig_settings *)0x1234;
    surekrig_status status = surekrig_settings_new(&made, error);
    if (status)
        assert_ptr_equal(made, (void *)0x1234);
    else
        surekrig_settings_free(made);
    return status;
}

static surekrig_status copy_settings(surekrig_error *error)
{
    surekrig_settings *made = (surekrig_settings *)0x1234;
    surekrig_status status = sk_settings_copy(tiny, &made, error);
    if (status)
        assert_ptr_equal(made, (void *)0x1234);
    else
        surekrig_settings_free(made);
    return status;
}

static surekrig_settings *changed; /* made before, so that what it holds does not count as lost */

/* A set replaces texts made before by texts made now, which live on in the settings: forget them. */
static surekrig_status set(const char *name, const char *value, surekrig_error *error)
{
    surekrig_status status = surekrig_settings_set(changed, name, value, error);
    for (int i = 0; surekrig_settings_row(i); i++) {
        const char *text = surekrig_settings_get(changed, surekrig_settings_row(i)->name);
        if (status)
            assert_string_equal(text, surekrig_settings_row(i)->fallback);
        forget(text);
    }
    forget(changed->text);
    return status;
}

static surekrig_status set_value(surekrig_error *error)
{
    return set("rho", "0.1:0.2:0.3", error);
}

static surekrig_status set_preset(surekrig_error *error)
{
    return set("preset", "paper", error);
}

static void settings(void **state)
{
    (void)state;
    fail_each("settings_new", make_settings);
    fail_each("settings_copy", copy_settings);
    changed = settings_of("");
    fail_each("settings_set", set_value);
    surekrig_settings_free(changed);
}

static void a_preset_is_set_whole_or_not_at_all(void **state)
{
    (void)state;
    changed = settings_of("");
    fail_each("settings_set preset", set_preset);
    surekrig_settings_free(changed);
}

/* ---- fit and predict */

static surekrig_status finish(surekrig_status status, surekrig_model *made)
{
    if (status)
        assert_ptr_equal(made, (void *)0x1234);
    else
        surekrig_model_free(made);
    return status;
}

static surekrig_status fit_one(surekrig_error *error)
{
    surekrig_model *made = (surekrig_model *)0x1234;
    surekrig_status status = surekrig_fit(&one.data, tiny, NULL, &made, error);
    return finish(status, made);
}

static surekrig_status fit_two(surekrig_error *error)
{
    surekrig_model *made = (surekrig_model *)0x1234;
    surekrig_status status = surekrig_fit(&two.data, tiny, NULL, &made, error);
    return finish(status, made);
}

static surekrig_status refit(surekrig_error *error)
{
    surekrig_model *made = (surekrig_model *)0x1234;
    surekrig_status status = surekrig_refit(&two.data, model, &made, error);
    return finish(status, made);
}

static surekrig_status predict_some(surekrig_error *error)
{
    double mean[20] = {-7}, sd[20] = {-7};
    surekrig_prediction out = {mean, sd, -7, -7};
    surekrig_status status = surekrig_predict(model, &(surekrig_query){10, two.x, 0, 1, NULL}, NULL, &out, error);
    if (status)
        assert_true(mean[0] == -7 && sd[0] == -7 && out.jittered == -7 && out.max_jitter == -7);
    return status;
}

static surekrig_status validate_some(surekrig_error *error)
{
    int64_t row[20] = {-7};
    double mean[40] = {-7}, sd[40] = {-7}, distance[20] = {-7};
    surekrig_validated out = {row, mean, sd, distance, -7, -7};
    surekrig_validation how = {.blocks = 4, .rows = 20, .threads = 1};
    surekrig_status status = surekrig_validate(model, &how, NULL, &out, error);
    if (status)
        assert_true(row[0] == -7 && mean[0] == -7 && sd[0] == -7 && distance[0] == -7 && out.jittered == -7);
    return status;
}

static surekrig_status draw_some(surekrig_error *error)
{
    double y[10 * 2 * 3] = {-7};
    surekrig_draws how = {.n = 10, .x = two.x, .draws = 3, .threads = 1};
    surekrig_status status = surekrig_simulate_given(model, &how, NULL, y, error);
    if (status)
        assert_true(y[0] == -7);
    return status;
}

static surekrig_status look_within(surekrig_error *error)
{
    int within[10];
    return surekrig_within(model, &(surekrig_query){.n = 10, .x = two.x, .threads = 1}, 30, within, error);
}

static void fits(void **state)
{
    (void)state;
    assert_true(fail_each("fit with noise", fit_one) > 150);
    surekrig_settings *kept = tiny;
    tiny = settings_of(TINY "optimizer=local coverage=none");
    fail_each("fit of two responses", fit_two);
    surekrig_settings_free(tiny);
    tiny = settings_of(TINY "optimizer=lbfgs loss=crps");
    fail_each("fit by gradients", fit_two);
    surekrig_settings_free(tiny);
    tiny = kept;
    fail_each("refit", refit);
}

static void predictions(void **state)
{
    (void)state;
    fail_each("predict", predict_some);
    fail_each("validate", validate_some);
    fail_each("simulate given a model", draw_some);
    fail_each("within", look_within);
    surekrig_model *kept = model;
    model = fit(&two.data, "nu=0.5 rho=0.3 tau2=0.1 coverage=none neighbors=6 batch=20 nodes=yes variance=local");
    assert_true(model->lattice[2] > 0);
    fail_each("predict by nodes", predict_some);
    fail_each("simulate by nodes", draw_some);
    fail_each("within, by nodes", look_within);
    surekrig_model_free(model);
    model = kept;
}

/* ---- the stages */

static int parabola(void *user, const double *theta, double *loss, double *residual)
{
    (void)user;
    *loss = theta[0] * theta[0] + theta[1] * theta[1];
    residual[0] = theta[0] + theta[1] - 1;
    return 0;
}

static surekrig_status minimize(surekrig_error *error)
{
    surekrig_axis axis[2] = {{-2, 2, 1, 0}, {0.01, 2, 1, 1}};
    double theta[2] = {-7, -7}, residual = -7;
    surekrig_minimum minimum = {theta, &residual, -7, -7, SUREKRIG_NOT_TRAINED};
    surekrig_problem problem = {2, axis, 1, parabola, NULL};
    surekrig_status status = surekrig_minimize(&problem, tiny, &minimum, error);
    if (status)
        assert_true(theta[0] == -7 && residual == -7 && minimum.loss == -7 && minimum.evaluations == -7);
    return status;
}

static const surekrig_theta *theta(void)
{
    static const double rho[2] = {0.2, 0.3};
    static const surekrig_term term = {1, 0.7, rho};
    static const surekrig_theta given = {1, &term, 0.01, 1};
    return &given;
}

static surekrig_status simulate_points(surekrig_error *error)
{
    double y[40] = {-7};
    surekrig_sample scattered = {.d = 2, .n = 40, .x = two.x, .threads = 1};
    surekrig_status status = surekrig_simulate(&scattered, theta(), y, error);
    assert_true(!status || y[0] == -7);
    return status;
}

static surekrig_status simulate_grid(surekrig_error *error)
{
    double y[64] = {-7};
    surekrig_sample grid = {.d = 2, .size = {8, 8}, .upper = {1, 1}, .threads = 1};
    surekrig_status status = surekrig_simulate(&grid, theta(), y, error);
    assert_true(!status || y[0] == -7);
    return status;
}

static surekrig_status neighbours_and_kriging(surekrig_error *error)
{
    surekrig_index *index = (surekrig_index *)0x1234;
    int64_t neighbor[40] = {-7};
    double mean[20] = {-7}, variance[10] = {-7};
    surekrig_status status = surekrig_index_new(40, 2, two.x, &index, error);
    if (status) {
        assert_ptr_equal(index, (void *)0x1234);
        return status;
    }
    status = surekrig_neighbors(index, &(surekrig_neighbor_query){.n = 10, .x = two.x, .k = 4, .threads = 1}, neighbor,
                                NULL, error);
    assert_true(!status || neighbor[0] == -7);
    surekrig_kriged kriged = {mean, variance, NULL};
    surekrig_neighborhoods hoods = {10, 4, neighbor, NULL, two.x};
    if (!status)
        status = surekrig_krige(&two.data, &hoods, theta(), "reference", &kriged, error);
    assert_true(!status || (mean[0] == -7 && variance[0] == -7));
    surekrig_index_free(index);
    return status;
}

static surekrig_status matern(surekrig_error *error)
{
    double u[3] = {0, 0.5, 30}, value[3] = {-7};
    surekrig_status status = surekrig_matern(0.8, 3, u, value, NULL, error);
    assert_true(!status || value[0] == -7);
    return status;
}

static void stages(void **state)
{
    (void)state;
    fail_each("minimize", minimize);
    fail_each("simulate, scattered", simulate_points);
    fail_each("simulate, grid", simulate_grid);
    fail_each("index, neighbors, krige", neighbours_and_kriging);
    fail_each("matern", matern);
}

/* ---- files */

static surekrig_status save(surekrig_error *error)
{
    return surekrig_model_save(model, path, error);
}

static surekrig_status load(surekrig_error *error)
{
    surekrig_model *made = (surekrig_model *)0x1234;
    surekrig_status status = surekrig_model_load(path, &made, error);
    return finish(status, made);
}

static void model_files(void **state)
{
    (void)state;
    fail_each("save", save);
    assert_true(fail_each("load", load) > 100);
    remove(path);
}

static surekrig_status write_table(surekrig_error *error)
{
    const char *names[3] = {"lon", "lat", "a, b"};
    io_writer *writer = (io_writer *)0x1234;
    surekrig_status status = io_create(path, 3, names, &writer, error);
    if (status) {
        assert_ptr_equal(writer, (void *)0x1234);
        return status;
    }
    status = io_write(writer, 8, two.y, error);
    if (status) {
        io_discard(writer);
        return status;
    }
    return io_commit(writer, error);
}

static surekrig_status read_table(surekrig_error *error)
{
    io_reader *reader = (io_reader *)0x1234;
    double value[16] = {-7};
    int64_t rows = 0;
    surekrig_status status = io_open(path, NULL, &reader, error);
    if (status) {
        assert_ptr_equal(reader, (void *)0x1234);
        return status;
    }
    status = io_select(reader, 2, (int[]){2, 0}, error);
    if (!status)
        status = io_read(reader, 8, value, &rows, error);
    if (!status)
        assert_true(rows == 8 && value[0] == two.y[2] && value[1] == two.y[0]);
    io_close(reader);
    return status;
}

/* More points than are looked at before cells are laid over them. */
static surekrig_status thin_points(surekrig_error *error)
{
    enum { MANY = 300000 };
    static double point[3 * MANY];
    for (int i = 0; i < 3 * MANY; i++)
        point[i] = sin(i);
    report_thin *thin = NULL;
    report_thinned thinned;
    surekrig_status status = report_thin_new(&thin, error);
    if (!status)
        status = report_thin_add(thin, MANY, point, error);
    if (!status)
        status = report_thin_end(thin, &thinned, error);
    report_thin_free(thin);
    return status;
}

static void tables(void **state)
{
    (void)state;
    fail_each("writing a CSV file", write_table);
    fail_each("reading a CSV file", read_table);
    fail_each("thinning points", thin_points);
    remove(path);
}

/* ---- SQLite's own memory */

static sqlite3_mem_methods sqlite_memory;

static struct {
    bool armed, failed;
    int64_t left;
} sqlite;

static bool sqlite_refuses(void)
{
    if (!sqlite.armed || sqlite.left-- > 0)
        return false;
    sqlite.failed = true; /* and all that follow: the memory is full */
    return true;
}

static void *sqlite_malloc(int size)
{
    return sqlite_refuses() ? NULL : sqlite_memory.xMalloc(size);
}

static void *sqlite_realloc(void *old, int size)
{
    return sqlite_refuses() ? NULL : sqlite_memory.xRealloc(old, size);
}

static void use_failing_sqlite_memory(void)
{
    sqlite3_mem_methods methods;
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_memory);
    methods = sqlite_memory;
    methods.xMalloc = sqlite_malloc;
    methods.xRealloc = sqlite_realloc;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK)
        exit(99);
}

static bool holds(const surekrig_model *expected)
{
    surekrig_model *found = NULL;
    surekrig_error error;
    double mean[4], expected_mean[4];
    surekrig_prediction got = {.mean = mean}, wanted = {.mean = expected_mean};
    surekrig_query query = {2, two.x, 0, 1, NULL};
    succeed(surekrig_model_load(path, &found, &error), &error);
    bool same = surekrig_model_info(found)->l == surekrig_model_info(expected)->l;
    if (same) {
        succeed(surekrig_predict(found, &query, NULL, &got, &error), &error);
        succeed(surekrig_predict(expected, &query, NULL, &wanted, &error), &error);
        same = !memcmp(mean, expected_mean, (size_t)(2 * surekrig_model_info(found)->l) * sizeof *mean);
    }
    surekrig_model_free(found);
    return same;
}

/* Runs out of SQLite's memory at every allocation in turn; what: saving or loading. */
static void exhaust_sqlite(work run, void (*after)(surekrig_status status))
{
    for (int64_t n = 0;; n += n < 150 ? 1 : 23) {
        surekrig_error error = {0};
        sqlite.left = n;
        sqlite.failed = false;
        sqlite.armed = true;
        arm(INT64_MAX);
        surekrig_status status = run(&error);
        memory.armed = sqlite.armed = false;
        assert_int_equal(memory.live, 0);
        if (status)
            assert_true(error.status == status && strlen(error.sentence) > 10);
        after(status);
        if (!sqlite.failed) {
            succeed(status, &error);
            assert_true(n > 50);
            return;
        }
    }
}

/* The old model stays until the new one is whole. */
static void old_or_new(surekrig_status status)
{
    surekrig_error error;
    assert_true(holds(status ? other_model : model));
    if (!status)
        succeed(surekrig_model_save(other_model, path, &error), &error);
}

static void any_failure(surekrig_status status)
{
    assert_true(status == SUREKRIG_OK || status == SUREKRIG_MEMORY || status == SUREKRIG_FILE);
}

static void sqlite_may_run_out_of_memory(void **state)
{
    (void)state;
    surekrig_error error;
    succeed(surekrig_model_save(other_model, path, &error), &error);
    exhaust_sqlite(save, old_or_new);
    exhaust_sqlite(load, any_failure);
    remove(path);
}

int main(void)
{
    use_failing_sqlite_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings), cmocka_unit_test(a_preset_is_set_whole_or_not_at_all),
        cmocka_unit_test(fits),     cmocka_unit_test(predictions),
        cmocka_unit_test(stages),   cmocka_unit_test(model_files),
        cmocka_unit_test(tables),   cmocka_unit_test(sqlite_may_run_out_of_memory),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
