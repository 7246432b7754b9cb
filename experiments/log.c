/* trials.csv: a row a trial, on the disk before the next one counts. A run that ends in any way leaves whole rows and
 * at most a cut last one, which the next run drops. settings.txt beside it says under which settings; a run under
 * others is refused, since its trials would not belong together. */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct column {
    const char *name;
    size_t field;
} column;

static const column COLUMNS[] = {{"nu", EX_FIELD(nu)},
                                 {"rho", EX_FIELD(rho)},
                                 {"tau2", EX_FIELD(tau2)},
                                 {"gamma2", EX_FIELD(gamma2)},
                                 {"mean", EX_FIELD(mean)},
                                 {"mae", EX_FIELD(mae)},
                                 {"rmse", EX_FIELD(rmse)},
                                 {"cov", EX_FIELD(cov)},
                                 {"crps", EX_FIELD(crps)},
                                 {"int", EX_FIELD(interval)},
                                 {"logdensity", EX_FIELD(logdensity)},
                                 {"seconds", EX_FIELD(seconds)},
                                 {"predict_seconds", EX_FIELD(predict_seconds)},
                                 {"true_mae", EX_FIELD(true_mae)},
                                 {"true_rmse", EX_FIELD(true_rmse)},
                                 {"true_cov", EX_FIELD(true_cov)},
                                 {"true_crps", EX_FIELD(true_crps)},
                                 {"true_int", EX_FIELD(true_interval)},
                                 {"true_logdensity", EX_FIELD(true_logdensity)},
                                 {"squares", EX_FIELD(squares)},
                                 {"batch_cov", EX_FIELD(batch_cov)},
                                 {"evaluations", EX_FIELD(evaluations)},
                                 {"rounds", EX_FIELD(rounds)},
                                 {"outcome", EX_FIELD(outcome)},
                                 {"bounds", EX_FIELD(bounds)}};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS, ROW_SIZE = 4096 };

/* Text appended to a row of ROW_SIZE bytes. */
static int print_header(char *row)
{
    int at = snprintf(row, ROW_SIZE, "case,loss,preset,trial,seed,data_seed");
    for (int i = 0; i < COLUMN_COUNT; i++)
        at += snprintf(row + at, (size_t)(ROW_SIZE - at), ",%s", COLUMNS[i].name);
    for (int j = 0; j < EX_FIVE; j++)
        at += snprintf(row + at, (size_t)(ROW_SIZE - at), ",cov_%g", EX_FIVE_LEVELS[j]);
    for (int j = 0; j < EX_CURVE; j++)
        at += snprintf(row + at, (size_t)(ROW_SIZE - at), ",curve_%.2f", 0.05 * (j + 1));
    return at + snprintf(row + at, (size_t)(ROW_SIZE - at), "\n");
}

static int print_number(char *row, int at, double value)
{
    return at + (isnan(value) ? snprintf(row + at, (size_t)(ROW_SIZE - at), ",")
                              : snprintf(row + at, (size_t)(ROW_SIZE - at), ",%.17g", value));
}

static int print_trial(char *row, const ex_trial *t)
{
    int at = snprintf(row, ROW_SIZE, "%s,%s,%s,%d,%llu,%llu", t->scenario->name, t->method->loss, t->method->preset,
                      t->number, (unsigned long long)t->seed, (unsigned long long)t->data_seed);
    for (int i = 0; i < COLUMN_COUNT; i++)
        at = print_number(row, at, ex_field_of(t, COLUMNS[i].field));
    for (int j = 0; j < EX_FIVE; j++)
        at = print_number(row, at, t->five[j]);
    for (int j = 0; j < EX_CURVE; j++)
        at = print_number(row, at, t->curve[j]);
    return at + snprintf(row + at, (size_t)(ROW_SIZE - at), "\n");
}

/* ---- reading back */

static double next_number(const char **at, bool *ok)
{
    char *end;
    if (**at != ',') {
        *ok = false;
        return NAN;
    }
    ++*at;
    if (**at == ',' || !**at)
        return NAN;
    double value = strtod(*at, &end);
    *ok = *ok && end != *at;
    *at = end;
    return value;
}

/* The trial that the row's first six columns name, and where they end; NULL: none of this plan. */
static ex_trial *find_trial(ex_run *r, const char *row, const char **rest)
{
    char key[256];
    for (int i = 0; i < r->trials; i++) {
        const ex_trial *t = &r->trial[i];
        int length = snprintf(key, sizeof key, "%s,%s,%s,%d,%llu,%llu,", t->scenario->name, t->method->loss,
                              t->method->preset, t->number, (unsigned long long)t->seed,
                              (unsigned long long)t->data_seed);
        if (!strncmp(row, key, (size_t)length)) {
            *rest = row + length - 1;
            return &r->trial[i];
        }
    }
    return NULL;
}

static bool parse_trial(ex_trial *to, const char *at)
{
    ex_trial t = *to;
    bool ok = true;
    for (int i = 0; i < COLUMN_COUNT; i++)
        *(double *)((char *)&t + COLUMNS[i].field) = next_number(&at, &ok);
    for (int j = 0; j < EX_FIVE; j++)
        t.five[j] = next_number(&at, &ok);
    for (int j = 0; j < EX_CURVE; j++)
        t.curve[j] = next_number(&at, &ok);
    if (!ok || *at)
        return false;
    *to = t;
    return true;
}

/* A trial whose row is there, and whatever else it leaves. */
static bool complete(const ex_run *r, const ex_trial *t)
{
    char name[128];
    ex_trace_name(t, name);
    if (ex_trace_wanted(t) && !ex_is_there(r, name))
        return false;
    ex_predictions_name(r, t, name);
    return !*name || ex_is_there(r, name);
}

static surekrig_status take_row(ex_run *r, const char *row, int number, surekrig_error *error)
{
    const char *rest;
    ex_trial *t = find_trial(r, row, &rest);
    if (!t)
        return SUREKRIG_OK; /* of a case or a trial not asked this time: it stays in the file */
    if (!parse_trial(t, rest))
        return ex_fail(error, SUREKRIG_FILE,
                       "%s/trials.csv, line %d: not a row of this version's trials; choose another directory",
                       r->options->directory, number);
    t->done = complete(r, t);
    return SUREKRIG_OK;
}

/* text: the whole file; its rows into the plan. *good: bytes of whole lines. */
static surekrig_status take_rows(ex_run *r, char *text, int64_t *good, surekrig_error *error)
{
    char header[ROW_SIZE];
    int length = print_header(header), number = 1;
    surekrig_status status = SUREKRIG_OK;
    *good = 0;
    if (!strchr(text, '\n'))
        return SUREKRIG_OK; /* empty, or a header cut short: begun anew */
    if (strncmp(text, header, (size_t)length))
        return ex_fail(error, SUREKRIG_FILE,
                       "%s/trials.csv has other columns than this version writes; choose another directory",
                       r->options->directory);
    char *line = text + length;
    for (char *end; !status && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        status = take_row(r, line, ++number, error);
    }
    *good = line - text;
    return status;
}

static surekrig_status log_fault(const ex_run *r, const char *what, int reason, surekrig_error *error)
{
    return ex_fail(error, SUREKRIG_FILE, "cannot %s %s/trials.csv: %s", what, r->options->directory, strerror(reason));
}

/* 0, or why not: a short write is tried again for its reason. */
static int write_all(int to, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t count = write(to, text, length);
        if (count <= 0)
            return count < 0 ? errno : ENOSPC;
        text += count;
        length -= (size_t)count;
    }
    return fsync(to) ? errno : 0;
}

static surekrig_status put_row(ex_run *r, const char *row, int length, surekrig_error *error)
{
    off_t before = lseek(r->log, 0, SEEK_END);
    int reason = write_all(r->log, row, (size_t)length);
    if (reason && ftruncate(r->log, before)) /* half a row would be dropped by the next run anyway */
        reason = errno;
    return reason ? log_fault(r, "write", reason, error) : SUREKRIG_OK;
}

static surekrig_status read_log(ex_run *r, surekrig_error *error)
{
    struct stat file;
    if (fstat(r->log, &file))
        return log_fault(r, "read", errno, error);
    char *text = malloc((size_t)file.st_size + 1);
    if (!text)
        return ex_no_memory(error);
    ssize_t size = pread(r->log, text, (size_t)file.st_size, 0);
    text[size > 0 ? size : 0] = 0;
    int64_t good = 0;
    surekrig_status status = size == file.st_size ? take_rows(r, text, &good, error)
                                                  : log_fault(r, "read", errno, error);
    free(text);
    if (!status && ftruncate(r->log, good))
        status = log_fault(r, "write", errno, error);
    if (!status && good == 0) {
        char header[ROW_SIZE];
        status = put_row(r, header, print_header(header), error);
    }
    return status;
}

/* ---- the whole */

surekrig_status ex_log_open(ex_run *r, surekrig_error *error)
{
    char path[EX_PATH_SIZE];
    surekrig_status status = ex_settle_settings(r, error);
    if (status)
        return status;
    ex_path_in(r, "trials.csv", path);
    r->log = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (r->log < 0)
        return log_fault(r, "write", errno, error);
    if (flock(r->log, LOCK_EX | LOCK_NB))
        return ex_fail(error, SUREKRIG_FILE, "another run is writing %s", path);
    return read_log(r, error);
}

surekrig_status ex_log_append(ex_run *r, const ex_trial *t, surekrig_error *error)
{
    char row[ROW_SIZE];
    return put_row(r, row, print_trial(row, t), error);
}

void ex_log_close(ex_run *r)
{
    if (r->log >= 0)
        close(r->log);
    r->log = -1;
}
