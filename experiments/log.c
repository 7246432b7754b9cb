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

static const column COLUMNS[] = {{"nu", FIELD(nu)},
                                 {"rho", FIELD(rho)},
                                 {"tau2", FIELD(tau2)},
                                 {"gamma2", FIELD(gamma2)},
                                 {"mean", FIELD(mean)},
                                 {"mae", FIELD(mae)},
                                 {"rmse", FIELD(rmse)},
                                 {"cov", FIELD(cov)},
                                 {"crps", FIELD(crps)},
                                 {"int", FIELD(interval)},
                                 {"logdensity", FIELD(logdensity)},
                                 {"seconds", FIELD(seconds)},
                                 {"predict_seconds", FIELD(predict_seconds)},
                                 {"true_mae", FIELD(true_mae)},
                                 {"true_rmse", FIELD(true_rmse)},
                                 {"true_cov", FIELD(true_cov)},
                                 {"true_crps", FIELD(true_crps)},
                                 {"true_int", FIELD(true_interval)},
                                 {"true_logdensity", FIELD(true_logdensity)},
                                 {"squares", FIELD(squares)},
                                 {"batch_cov", FIELD(batch_cov)},
                                 {"evaluations", FIELD(evaluations)},
                                 {"rounds", FIELD(rounds)},
                                 {"outcome", FIELD(outcome)},
                                 {"bounds", FIELD(bounds)}};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS, ROW_SIZE = 4096 };

/* Text appended to a row of ROW_SIZE bytes. */
static int print_header(char *row)
{
    int at = snprintf(row, ROW_SIZE, "case,loss,preset,trial,seed,data_seed");
    for (int i = 0; i < COLUMN_COUNT; i++)
        at += snprintf(row + at, (size_t)(ROW_SIZE - at), ",%s", COLUMNS[i].name);
    for (int j = 0; j < FIVE; j++)
        at += snprintf(row + at, (size_t)(ROW_SIZE - at), ",cov_%g", FIVE_LEVELS[j]);
    for (int j = 0; j < CURVE; j++)
        at += snprintf(row + at, (size_t)(ROW_SIZE - at), ",curve_%.2f", 0.05 * (j + 1));
    return at + snprintf(row + at, (size_t)(ROW_SIZE - at), "\n");
}

static int print_number(char *row, int at, double value)
{
    return at + (isnan(value) ? snprintf(row + at, (size_t)(ROW_SIZE - at), ",")
                              : snprintf(row + at, (size_t)(ROW_SIZE - at), ",%.17g", value));
}

static int print_trial(char *row, const trial *t)
{
    int at = snprintf(row, ROW_SIZE, "%s,%s,%s,%d,%llu,%llu", t->scenario->name, t->method->loss, t->method->preset,
                      t->number, (unsigned long long)t->seed, (unsigned long long)t->data_seed);
    for (int i = 0; i < COLUMN_COUNT; i++)
        at = print_number(row, at, field_of(t, COLUMNS[i].field));
    for (int j = 0; j < FIVE; j++)
        at = print_number(row, at, t->five[j]);
    for (int j = 0; j < CURVE; j++)
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
static trial *find_trial(run *r, const char *row, const char **rest)
{
    char key[256];
    for (int i = 0; i < r->trials; i++) {
        const trial *t = &r->trial[i];
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

static bool parse_trial(trial *to, const char *at)
{
    trial t = *to;
    bool ok = true;
    for (int i = 0; i < COLUMN_COUNT; i++)
        *(double *)((char *)&t + COLUMNS[i].field) = next_number(&at, &ok);
    for (int j = 0; j < FIVE; j++)
        t.five[j] = next_number(&at, &ok);
    for (int j = 0; j < CURVE; j++)
        t.curve[j] = next_number(&at, &ok);
    if (!ok || *at)
        return false;
    *to = t;
    return true;
}

/* A trial whose row is there, and whatever else it leaves. */
static bool complete(const run *r, const trial *t)
{
    char name[128];
    trace_name(t, name);
    if (trace_wanted(t) && !is_there(r, name))
        return false;
    predictions_name(r, t, name);
    return !*name || is_there(r, name);
}

static surekrig_status take_row(run *r, const char *row, int number, surekrig_error *error)
{
    const char *rest;
    trial *t = find_trial(r, row, &rest);
    if (!t)
        return SUREKRIG_OK; /* of a case or a trial not asked this time: it stays in the file */
    if (!parse_trial(t, rest))
        return fail(error, SUREKRIG_FILE,
                    "%s/trials.csv, line %d: not a row of this version's trials; choose another directory",
                    r->options->directory, number);
    t->done = complete(r, t);
    return SUREKRIG_OK;
}

/* text: the whole file; its rows into the plan. *good: bytes of whole lines. */
static surekrig_status take_rows(run *r, char *text, int64_t *good, surekrig_error *error)
{
    char header[ROW_SIZE];
    int length = print_header(header), number = 1;
    surekrig_status status = SUREKRIG_OK;
    *good = 0;
    if (!strchr(text, '\n'))
        return SUREKRIG_OK; /* empty, or a header cut short: begun anew */
    if (strncmp(text, header, (size_t)length))
        return fail(error, SUREKRIG_FILE,
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

static surekrig_status log_fault(const run *r, const char *what, int reason, surekrig_error *error)
{
    return fail(error, SUREKRIG_FILE, "cannot %s %s/trials.csv: %s", what, r->options->directory, strerror(reason));
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

static surekrig_status put_row(run *r, const char *row, int length, surekrig_error *error)
{
    off_t before = lseek(r->log, 0, SEEK_END);
    int reason = write_all(r->log, row, (size_t)length);
    if (reason && ftruncate(r->log, before)) /* half a row would be dropped by the next run anyway */
        reason = errno;
    return reason ? log_fault(r, "write", reason, error) : SUREKRIG_OK;
}

static surekrig_status read_log(run *r, surekrig_error *error)
{
    struct stat file;
    if (fstat(r->log, &file))
        return log_fault(r, "read", errno, error);
    char *text = malloc((size_t)file.st_size + 1);
    if (!text)
        return no_memory(error);
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

surekrig_status log_open(run *r, surekrig_error *error)
{
    char path[PATH_SIZE];
    surekrig_status status = settle_settings(r, error);
    if (status)
        return status;
    path_in(r, "trials.csv", path);
    r->log = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (r->log < 0)
        return log_fault(r, "write", errno, error);
    if (flock(r->log, LOCK_EX | LOCK_NB))
        return fail(error, SUREKRIG_FILE, "another run is writing %s", path);
    return read_log(r, error);
}

surekrig_status log_append(run *r, const trial *t, surekrig_error *error)
{
    char row[ROW_SIZE];
    return put_row(r, row, print_trial(row, t), error);
}

void log_close(run *r)
{
    if (r->log >= 0)
        close(r->log);
    r->log = -1;
}
