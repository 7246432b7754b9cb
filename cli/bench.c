/* What this machine gives: each stage on points drawn here, for each back end it has. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SOME = 100000, MANY = 1000000, MOST = 10000000, NEIGHBORS = 50, BATCH = 1024 };

typedef struct job {
    cli_call *call;
    surekrig_progress progress;
    int threads; /* 0: all */
    int64_t n;
    double *x, *y; /* [n][2], [n] */
    double *value; /* [2][max(n, MANY)]: room for results */
} job;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Numbers in (0, 1) that look random: splitmix64 of their place. */
static double uniform(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 12) + 0.5) * 0x1p-52;
}

static surekrig_status draw(job *j, surekrig_error *error)
{
    int64_t room = j->n > MANY ? j->n : MANY;
    j->x = malloc((size_t)(2 * j->n) * sizeof *j->x);
    j->y = malloc((size_t)j->n * sizeof *j->y);
    j->value = malloc((size_t)(2 * room) * sizeof *j->value);
    if (!j->x || !j->y || !j->value)
        return cli_no_memory(error);
    for (int64_t i = 0; i < 2 * j->n; i++)
        j->x[i] = uniform((uint64_t)i);
    for (int64_t i = 0; i < j->n; i++)
        j->y[i] = sin(9 * j->x[2 * i]) * cos(7 * j->x[2 * i + 1]) + 0.1 * uniform((uint64_t)(2 * j->n + i));
    return SUREKRIG_OK;
}

/* ---- what does not depend on the back end */

static surekrig_status time_matern(job *j, surekrig_error *error)
{
    const double nu = 0.85;
    double *u = j->value;
    for (int64_t i = 0; i < MANY; i++)
        u[i] = 5 * uniform((uint64_t)i);
    double start = now();
    surekrig_status status = surekrig_matern(nu, MANY, u, j->value + MANY, NULL, error);
    if (!status)
        printf("%-28s %12.1f million/s   one thread, nu %g\n", "Matérn values", 1e-6 * MANY / (now() - start), nu);
    return status;
}

static surekrig_status time_index(job *j, surekrig_error *error)
{
    surekrig_index *index = NULL;
    double start = now();
    surekrig_status status = surekrig_index_new(j->n, 2, j->x, &index, error);
    if (!status)
        printf("%-28s %12.3f s\n", "index", now() - start);
    surekrig_index_free(index);
    return status;
}

static int64_t some_of(const job *j)
{
    return j->n < SOME ? j->n : SOME;
}

/* A file of three columns, written and read back. */
static surekrig_status write_and_read(const job *j, const char *path, surekrig_error *error)
{
    static const char *const NAMES[] = {"x1", "x2", "y"};
    io_writer *writer = NULL;
    io_reader *reader = NULL;
    int64_t got = 0;
    int64_t rows = some_of(j);
    double *row = malloc((size_t)(3 * rows) * sizeof *row), start = now(), written;
    surekrig_status status = row ? io_create(path, 3, NAMES, &writer, error) : cli_no_memory(error);
    for (int64_t i = 0; row && i < rows; i++)
        memcpy(row + 3 * i, (double[]){j->x[2 * i], j->x[2 * i + 1], j->y[i]}, 3 * sizeof *row);
    if (!status)
        status = io_write(writer, rows, row, error);
    if (writer)
        status = io_commit(writer, error) ? error->status : status;
    written = now();
    if (!status)
        status = io_open(path, NULL, &reader, error);
    if (!status)
        status = io_read(reader, rows, row, &got, error);
    if (!status)
        printf("%-28s %12.2f million/s\n%-28s %12.2f million/s\n", "CSV lines written",
               1e-6 * (double)rows / (written - start), "CSV lines read", 1e-6 * (double)got / (now() - written));
    io_close(reader);
    free(row);
    return status;
}

/* A folder with one file, as an output that never stays. */
typedef struct folder {
    char place[4096], path[4200];
} folder;

static surekrig_status open_folder(const char *path, const void *plan, void **made, surekrig_error *error)
{
    (void)plan;
    folder *f = malloc(sizeof *f);
    if (!f)
        return cli_no_memory(error);
    snprintf(f->place, sizeof f->place, "%s/surekrig-bench.XXXXXX", path && *path ? path : "/tmp");
    if (!mkdtemp(f->place)) {
        cli_error(error, SUREKRIG_FILE, "cannot make a directory like %.400s", f->place);
        free(f);
        return SUREKRIG_FILE;
    }
    snprintf(f->path, sizeof f->path, "%s/points.csv", f->place);
    *made = f;
    return SUREKRIG_OK;
}

static void drop_folder(void *made)
{
    folder *f = made;
    unlink(f->path);
    rmdir(f->place);
    free(f);
}

static surekrig_status keep_folder(void *made, surekrig_error *error)
{
    (void)error;
    drop_folder(made);
    return SUREKRIG_OK;
}

static surekrig_status time_csv(job *j, surekrig_error *error)
{
    static const cli_kind FOLDER = {open_folder, keep_folder, drop_folder};
    void *made = NULL;
    surekrig_status status = cli_open(&FOLDER, getenv("TMPDIR"), NULL, &made, error);
    if (!status)
        status = write_and_read(j, ((folder *)made)->path, error);
    cli_drop();
    return status;
}

/* ---- what does */

/* Two points and one between them: refused only where the back end is not here. */
static bool is_here(const char *backend)
{
    double x[] = {0, 1}, y[] = {0, 1}, at = 0.5, mean, rho = 1;
    int64_t neighbor[] = {0, 1};
    surekrig_data data = {.n = 2, .d = 1, .l = 1, .x = x, .y = y};
    surekrig_term term = {1, 0.5, &rho};
    return surekrig_krige(&data, &(surekrig_neighborhoods){1, 2, neighbor, NULL, &at},
                          &(surekrig_theta){1, &term, 0.01, 1}, backend, &(surekrig_kriged){.mean = &mean},
                          NULL) != SUREKRIG_INVALID;
}

/* Evaluations of an initial design, for two seconds at most: each as in any training, without a search's own work. */
static surekrig_status settle(const job *j, const char *backend, surekrig_error *error)
{
    char threads[16];
    snprintf(threads, sizeof threads, "%d", j->threads);
    const char *const to[][2] = {
        {"backend", backend}, {"neighbors", "50"},   {"batch", "1024"},
        {"initial", "64"},    {"evaluations", "64"}, {"polish", "0"},
        {"rounds", "1"},      {"seconds", "2"},      {"threads", j->threads ? threads : "auto"}};
    surekrig_status status = SUREKRIG_OK;
    for (size_t i = 0; i < sizeof to / sizeof *to && !status; i++)
        status = surekrig_settings_set(j->call->settings, to[i][0], to[i][1], error);
    return status;
}

static double seconds_of(const surekrig_info *info, const char *phase)
{
    for (int i = 0; i < info->phases; i++)
        if (!strcmp(info->phase[i].name, phase))
            return info->phase[i].seconds;
    return NAN;
}

/* Predictions a second, at places of their own: as many as take about a second, judged by a few. */
static surekrig_status time_predictions(const job *j, const surekrig_model *model, double *rate, surekrig_error *error)
{
    double *places = j->value, *mean = places + 2 * SOME, *sd = mean + SOME;
    int64_t most = some_of(j), count = most < 500 ? most : 500;
    surekrig_status status = SUREKRIG_OK;
    for (int64_t i = 0; i < 2 * SOME; i++)
        places[i] = uniform((uint64_t)(3 * j->n + i));
    for (int pass = 0; pass < 2 && !status; pass++) {
        double start = now();
        surekrig_prediction out = {.mean = mean, .sd = sd};
        surekrig_query query = {.n = count, .x = places, .threads = j->threads};
        status = surekrig_predict(model, &query, &j->progress, &out, error);
        *rate = (double)count / (now() - start);
        count = *rate < (double)most ? (int64_t)*rate + 1 : most;
    }
    return status;
}

static surekrig_status time_backend(const job *j, const char *backend, surekrig_error *error)
{
    surekrig_data data = {.n = j->n, .d = 2, .l = 1, .x = j->x, .y = j->y};
    surekrig_model *model = NULL;
    double rate = 0;
    surekrig_status status = settle(j, backend, error);
    if (!status)
        status = surekrig_fit(&data, j->call->settings, &j->progress, &model, error);
    if (!status)
        status = time_predictions(j, model, &rate, error);
    cli_progress_end();
    if (!status) {
        const surekrig_info *info = surekrig_model_info(model);
        printf("%-12s %16.2f ms %16.0f /s\n", backend, 1e3 * seconds_of(info, "training") / (double)info->evaluations,
               rate);
        fflush(stdout);
    }
    surekrig_model_free(model);
    return status;
}

static const char *takes(const char *setting)
{
    const surekrig_setting *row = NULL;
    for (int i = 0; (row = surekrig_settings_row(i)) && strcmp(row->name, setting) != 0; i++)
        ;
    return row ? row->takes : "";
}

static surekrig_status time_backends(job *j, surekrig_error *error)
{
    char names[256], *rest = names;
    surekrig_status status = SUREKRIG_OK;
    printf("\n%-12s %19s %19s   k = %d, a batch of %d\n", "back end", "one objective", "predictions", NEIGHBORS, BATCH);
    snprintf(names, sizeof names, "%s", takes("backend")); /* "auto, NAME, NAME or NAME", fastest first */
    for (char *name; !status && (name = strtok_r(rest, ", ", &rest));)
        if (strcmp(name, "auto") != 0 && strcmp(name, "or") != 0 && is_here(name))
            status = time_backend(j, name, error);
    if (!status)
        puts("\nThe first is what 'auto', the default, takes.");
    return status;
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    job j = {.call = call, .progress = cli_progress(call)};
    int points = SOME;
    surekrig_status status = cli_count(call, "threads", 4096, &j.threads, error);
    if (!status)
        status = cli_count_from(call, "points", NEIGHBORS + 1, MOST, &points, error); /* each point has others */
    if (status)
        return status;
    j.n = points;
    surekrig_status (*const step[])(job *, surekrig_error *) = {draw, time_matern, time_index, time_csv, time_backends};
    printf("surekrig %s, %ld processors, threads: ", surekrig_version(), sysconf(_SC_NPROCESSORS_ONLN));
    printf(j.threads ? "%d" : "all", j.threads);
    printf("; %lld points in the plane\n\n", (long long)j.n);
    for (size_t i = 0; i < sizeof step / sizeof *step && !status && !cli_interrupted(); i++) {
        fflush(stdout);
        status = step[i](&j, error);
    }
    free(j.x);
    free(j.y);
    free(j.value);
    return status;
}

static const cli_option OPTIONS[] = {
    {"threads", 0, "N", "Threads; default: all."},
    {"points", 0, "N", "How many points, from 51 to 10,000,000; default: 100,000."},
    {"quiet", 'q', NULL, "No progress bar."},
    {0},
};

const cli_command cli_bench = {
    "bench",
    "Show what this machine gives: its back ends and their speed.",
    "",
    0,
    0,
    false,
    "surekrig bench --threads 1",
    "Draws points, and times on them Matérn values, the index, CSV files, training and prediction by every back end that\n"
    "this machine has. Takes some seconds, a minute at most; needs no files and leaves none.",
    OPTIONS,
    run,
};
