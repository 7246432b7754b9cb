#include "bench.h"

#include "base/base.h"
#include "io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void give_up(const char *sentence)
{
    fflush(stdout);
    fprintf(stderr, "bench: %s\n", sentence);
    exit(1);
}

/* ---- time and memory */

double bench_seconds(void (*work)(void *context), void *context)
{
    enum { RUNS = 15 };
    const double run = 0.002, slow = 0.5; /* a run should last at least, and beyond which one is enough */
    double best = INFINITY, start = sk_now();
    work(context); /* fills caches and tells how often to repeat */
    double first = sk_now() - start;
    int repeats = first < run ? (int)(run / (first + 1e-9)) + 1 : 1, runs = first < slow ? RUNS : 1;
    for (int i = 0; i < runs; i++) {
        start = sk_now();
        for (int r = 0; r < repeats; r++)
            work(context);
        best = fmin(best, (sk_now() - start) / repeats);
    }
    return best;
}

bool bench_apart(void (*work)(void *context, double *result), void *context, int count, double *result)
{
    int pipes[2], status;
    size_t bytes = (size_t)count * sizeof *result;
    fflush(stdout);
    if (pipe(pipes))
        give_up("no pipe");
    pid_t child = fork();
    if (child < 0)
        give_up("no further process");
    if (!child) {
        work(context, result);
        _exit(write(pipes[1], result, bytes) != (ssize_t)bytes);
    }
    close(pipes[1]);
    bool whole = read(pipes[0], result, bytes) == (ssize_t)bytes;
    close(pipes[0]);
    return waitpid(child, &status, 0) == child && status == 0 && whole;
}

double bench_peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* ---- points */

double *bench_doubles(int64_t count)
{
    double *room = sk_doubles(count);
    if (!room)
        give_up("out of memory");
    return room;
}

surekrig_data bench_points(int64_t n, int64_t d)
{
    double *x = bench_doubles(n * d), *y = bench_doubles(n);
    for (int64_t i = 0; i < n * d; i++)
        x[i] = sk_uniform(1, 7, (uint64_t)i);
    for (int64_t i = 0; i < n; i++)
        y[i] = sin(9 * x[i * d]) * cos(7 * x[i * d + d - 1]) + 0.1 * sk_uniform(1, 8, (uint64_t)i);
    return (surekrig_data){.n = n, .d = d, .l = 1, .x = x, .y = y};
}

surekrig_data bench_read(const char *path)
{
    enum { AT_ONCE = 65536 };
    io_reader *reader = NULL;
    surekrig_error error = {0};
    if (io_open(path, NULL, &reader, &error))
        give_up(error.sentence);
    int64_t d = io_columns(reader) - 1, n = 0, got = 1;
    double *x = NULL, *y = NULL, *row = bench_doubles(AT_ONCE * (d + 1));
    for (; got; n += got) {
        if (io_read(reader, AT_ONCE, row, &got, &error))
            give_up(error.sentence);
        x = realloc(x, (size_t)((n + got) * d + 1) * sizeof *x);
        y = realloc(y, (size_t)(n + got + 1) * sizeof *y);
        if (!x || !y)
            give_up("out of memory");
        for (int64_t i = 0; i < got; i++) {
            memcpy(x + (n + i) * d, row + i * (d + 1), (size_t)d * sizeof *x);
            y[n + i] = row[i * (d + 1) + d];
        }
    }
    free(row);
    io_close(reader);
    return (surekrig_data){.n = n, .d = d, .l = 1, .x = x, .y = y};
}

void bench_free(surekrig_data *data)
{
    free((void *)data->x);
    free((void *)data->y);
}

/* ---- back ends and models */

/* Two points and one to predict: the smallest job that a back end refuses only where it cannot run. */
static bool is_here(const char *backend)
{
    double x[] = {0, 1}, y[] = {0, 1}, at = 0.5, mean, rho = 1;
    int64_t neighbor[] = {0, 1};
    surekrig_data data = {.n = 2, .d = 1, .l = 1, .x = x, .y = y};
    surekrig_term term = {1, 0.5, &rho};
    return !surekrig_krige(&data, &(surekrig_neighborhoods){1, 2, neighbor, NULL, &at},
                           &(surekrig_theta){1, &term, 0.01, 1}, backend, &(surekrig_kriged){.mean = &mean}, NULL);
}

const char *bench_backend(int number)
{
    static const char *const NAMES[] = {"avx512", "avx2", "portable", "reference"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (is_here(NAMES[i]) && number-- == 0)
            return NAMES[i];
    return NULL;
}

static void set(surekrig_settings *settings, const char *name, const char *format, double value)
{
    char text[32];
    surekrig_error error = {0};
    snprintf(text, sizeof text, format, value);
    if (surekrig_settings_set(settings, name, text, &error))
        give_up(error.sentence);
}

surekrig_model *bench_fit(const surekrig_data *data, bench_choice choice)
{
    surekrig_settings *settings = NULL;
    surekrig_model *model = NULL;
    surekrig_error error = {0};
    /* the nearest neighbours, one gamma2 and one length scale, as other programs have it: the loops, not what the defaults add */
    if (surekrig_settings_new(&settings, &error) || surekrig_settings_set(settings, "preset", "coverage", &error) ||
        surekrig_settings_set(settings, "nodes", "no", &error) ||
        surekrig_settings_set(settings, "anisotropic", "no", &error) ||
        surekrig_settings_set(settings, "backend", choice.backend, &error))
        give_up(error.sentence);
    set(settings, "neighbors", "%.0f", (double)choice.neighbors);
    set(settings, "batch", "%.0f", (double)choice.batch);
    set(settings, "initial", "%.0f", choice.evaluations);
    set(settings, "evaluations", "%.0f", choice.evaluations);
    set(settings, "polish", "%.0f", 0);
    set(settings, "rounds", "%.0f", 1);
    if (choice.nu > 0)
        set(settings, "nu", "%.17g", choice.nu);
    if (choice.threads)
        set(settings, "threads", "%.0f", choice.threads);
    if (surekrig_fit(data, settings, NULL, &model, &error))
        give_up(error.sentence);
    surekrig_settings_free(settings);
    return model;
}

double bench_phase(const surekrig_model *model, const char *name)
{
    const surekrig_info *info = surekrig_model_info(model);
    for (int i = 0; i < info->phases; i++)
        if (!strcmp(info->phase[i].name, name))
            return info->phase[i].seconds;
    return NAN;
}

double bench_objective(const surekrig_model *model)
{
    return bench_phase(model, "training") / (double)surekrig_model_info(model)->evaluations;
}

double bench_predict(const surekrig_model *model, int64_t n, const double *x, int threads)
{
    surekrig_error error = {0};
    double *mean = bench_doubles(n), *sd = bench_doubles(n), start = sk_now();
    surekrig_prediction out = {.mean = mean, .sd = sd};
    if (surekrig_predict(model, &(surekrig_query){.n = n, .x = x, .threads = threads}, NULL, &out, &error))
        give_up(error.sentence);
    double seconds = sk_now() - start;
    free(mean);
    free(sd);
    return seconds;
}

double bench_flops(double k)
{
    return k * k * k / 3 + 2 * k * k;
}

double bench_values(double k)
{
    return k * (k + 1) / 2 + k;
}
