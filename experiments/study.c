/* A study from its options to its report: plan, trials, tables, figures, report. */
#include "inside.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const double EX_FIVE_LEVELS[EX_FIVE] = {0.9, 0.925, 0.95, 0.975, 0.99};

static const ex_study *const STUDIES[] = {&ex_study_synthetic, &ex_study_temperature, &ex_study_misspecified};
enum { STUDY_COUNT = sizeof STUDIES / sizeof *STUDIES };

surekrig_status ex_fail(surekrig_error *error, surekrig_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->sentence, sizeof error->sentence, format, arguments);
    va_end(arguments);
    return error->status = status;
}

double ex_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool experiment_study(int number, const char **name, const char **sentence)
{
    if (number < 0 || number >= STUDY_COUNT)
        return false;
    *name = STUDIES[number]->name;
    *sentence = STUDIES[number]->sentence;
    return true;
}

static const ex_study *find_study(const char *name, surekrig_error *error)
{
    for (int i = 0; i < STUDY_COUNT; i++)
        if (!strcmp(STUDIES[i]->name, name))
            return STUDIES[i];
    ex_fail(error, SUREKRIG_INVALID, "there is no study '%s'; there are synthetic, temperature and misspecified", name);
    return NULL;
}

bool ex_stopped(const ex_run *r, const char *what)
{
    experiment_progress progress = {.done = 0, .trials = r->trials, .seconds_left = NAN, .now = what};
    for (int i = 0; i < r->trials; i++)
        progress.done += r->trial[i].done;
    return r->options->report && r->options->report(r->options->user, &progress);
}

static surekrig_status make_folder(const char *path, surekrig_error *error)
{
    struct stat there;
    if (mkdir(path, 0777) && (errno != EEXIST || stat(path, &there) || !S_ISDIR(there.st_mode)))
        return ex_fail(error, SUREKRIG_FILE, "cannot make the directory %s: %s", path,
                       strerror(errno == EEXIST || !errno ? ENOTDIR : errno));
    if (access(path, W_OK | X_OK))
        return ex_fail(error, SUREKRIG_FILE, "cannot write in the directory %s: %s", path, strerror(errno));
    return SUREKRIG_OK;
}

static surekrig_status make_folders(const ex_run *r, surekrig_error *error)
{
    char figures[EX_PATH_SIZE];
    surekrig_status status = make_folder(r->options->directory, error);
    ex_path_in(r, "figures", figures);
    return status ? status : make_folder(figures, error);
}

static surekrig_status check_options(const ex_study *s, const experiment_options *o, surekrig_error *error)
{
    if (s->files && (!o->train || !o->test))
        return ex_fail(error, SUREKRIG_INVALID, "the study %s needs its data: --train CSV and --test CSV", s->name);
    if (!s->files && (o->train || o->test))
        return ex_fail(error, SUREKRIG_INVALID,
                       "the study %s makes its own data; --train and --test go with temperature", s->name);
    if (s->files && (o->points || o->fresh_data || o->random_half))
        return ex_fail(error, SUREKRIG_INVALID, "the data of the study %s are given: there is nothing to draw or split",
                       s->name);
    if (!*o->directory || strlen(o->directory) > EX_PATH_SIZE / 2)
        return ex_fail(error, SUREKRIG_INVALID, "the directory needs a name of at most %d characters",
                       EX_PATH_SIZE / 2);
    return SUREKRIG_OK;
}

/* The results of finished trials: tables first, since they need nothing but this program. */
static surekrig_status show(ex_run *r, surekrig_error *error)
{
    surekrig_status status = r->study->tables(r, error);
    if (!status)
        status = ex_write_tables(r, error);
    if (!status)
        status = ex_write_json(r, error);
    if (!status)
        status = r->study->figures(r, error);
    if (!status)
        status = ex_draw_figures(r, error);
    return status ? status : ex_write_report(r, error);
}

static surekrig_status carry_out(ex_run *r, surekrig_error *error)
{
    surekrig_status status = r->study->files ? ex_read_files(r, error) : SUREKRIG_OK;
    if (!status)
        status = make_folders(r, error);
    if (!status)
        status = ex_log_open(r, error);
    if (!status)
        status = ex_run_trials(r, error);
    if (!status)
        status = show(r, error);
    ex_log_close(r);
    return status;
}

static void fill_result(const ex_run *r, experiment_result *result)
{
    *result = (experiment_result){.trials = r->trials, .seconds = ex_now() - r->started};
    for (int i = 0; i < r->trials; i++)
        result->done += r->trial[i].done;
    memcpy(result->note, r->note, sizeof result->note);
}

surekrig_status experiment_run(const char *name, const experiment_options *options, experiment_result *result,
                               surekrig_error *error)
{
    surekrig_error unheard;
    error = error ? error : &unheard;
    ex_run *r = calloc(1, sizeof *r);
    if (!r)
        return ex_no_memory(error);
    r->options = options;
    r->log = -1;
    r->started = ex_now();
    r->study = find_study(name, error);
    surekrig_status status = r->study ? check_options(r->study, options, error) : SUREKRIG_INVALID;
    if (!status)
        status = ex_make_plan(r, error);
    if (!status)
        status = carry_out(r, error);
    fill_result(r, result);
    for (int i = 0; i < r->tables; i++)
        ex_table_free(r->table[i]);
    ex_dataset_free(&r->source);
    free(r->trial);
    free(r);
    return status;
}
