/* All that a command writes, and what a signal does meanwhile. Outputs are opened here alone, and stand in one list
 * until they are kept, all of them, or dropped, all of them. A command that does neither is no exception: run.c does
 * it for each, by how the command ended.
 *
 *   nothing open            a signal ends the program at once: there is nothing to tidy up
 *   something open or kept  a signal is noted; the progress callback and interrupted reads and writes stop the work,
 *                           what is open is dropped, and what was kept stays */
#include "cli.h"
#include "raster.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { MOST = 8 }; /* outputs at once */

static struct {
    int count;
    struct {
        const cli_kind *kind;
        void *made;
    } output[MOST];
    bool kept;   /* there is a file that stays */
    bool raster; /* one was made, or begun */
} list;

/* ---- signals */

static volatile sig_atomic_t interrupted; /* the signal's number */
static volatile sig_atomic_t holding;     /* files that must not be left half written */

static void on_signal(int number)
{
    static const char SENTENCE[] = "\nsurekrig: interrupted; nothing was written\n";
    if (number == SIGALRM)
        return;
    interrupted = number;
    if (!holding) {
        ssize_t ignored = write(STDERR_FILENO, SENTENCE, sizeof SENTENCE - 1);
        (void)ignored;
        _exit(128 + number);
    }
    /* Knocks until a call that waits for a reader or a writer is interrupted, also one entered just after the
     * signal. */
    struct itimerval knock = {{0, 100000}, {0, 100000}};
    setitimer(ITIMER_REAL, &knock, NULL);
}

void cli_catch_signals(void)
{
    static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) {
        sigaction(SIGNALS[i], &action, &before);
        if (before.sa_handler == SIG_IGN) /* as under nohup */
            sigaction(SIGNALS[i], &before, NULL);
    }
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, with its sentence */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file beyond the limit on sizes */
}

int cli_interrupted(void)
{
    return interrupted ? 128 + interrupted : 0;
}

static void settle(void)
{
    holding = list.count > 0 || list.kept;
}

/* ---- any output */

surekrig_status cli_open(const cli_kind *kind, const char *path, const void *plan, void **made, surekrig_error *error)
{
    if (list.count == MOST)
        return cli_error(error, SUREKRIG_INVALID, "more than %d outputs at once", MOST);
    holding = true; /* before there is anything */
    surekrig_status status = kind->open(path, plan, made, error);
    if (!status) {
        list.output[list.count].kind = kind;
        list.output[list.count++].made = *made;
    }
    settle();
    return status;
}

/* The last first: standard output, or what the others belong to, is opened before them. After a failure the rest is
 * dropped. */
static surekrig_status keep_all(surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    while (list.count > 0 && !status) {
        int last = --list.count;
        status = list.output[last].kind->keep(list.output[last].made, error);
        list.kept |= !status;
    }
    cli_drop();
    return status;
}

surekrig_status cli_keep(surekrig_error *error)
{
    if (interrupted && list.count > 0)
        return cli_finish(cli_error(error, SUREKRIG_STOPPED, "interrupted"), error);
    return keep_all(error);
}

void cli_drop(void)
{
    while (list.count > 0) {
        int last = --list.count;
        list.output[last].kind->drop(list.output[last].made);
    }
    settle();
}

surekrig_status cli_finish(surekrig_status status, surekrig_error *error)
{
    if (!status)
        return cli_keep(error);
    cli_drop();
    if (interrupted && (!list.kept || status == SUREKRIG_STOPPED))
        cli_error(error, SUREKRIG_STOPPED, list.kept ? "interrupted" : "interrupted; nothing was written");
    return status;
}

void cli_stays(void)
{
    list.kept = true;
    settle();
}

/* ---- models, tables and rasters */

surekrig_status cli_save(const surekrig_model *model, const char *path, surekrig_error *error)
{
    holding = true; /* a save is short: it is finished, then the signal counts */
    surekrig_status status = surekrig_model_save(model, path, error);
    list.kept |= !status;
    settle();
    return status;
}

typedef struct header {
    int columns;
    char **name; /* [columns] */
} header;

static surekrig_status open_table(const char *path, const void *plan, void **made, surekrig_error *error)
{
    const header *h = plan;
    io_writer *writer = NULL;
    surekrig_status status = io_create(path, h->columns, (const char *const *)h->name, &writer, error);
    *made = writer;
    return status;
}

static surekrig_status keep_table(void *made, surekrig_error *error)
{
    return io_commit(made, error);
}

static void drop_table(void *made)
{
    io_discard(made);
}

surekrig_status cli_create(const char *path, int columns, cli_column_name *name_of, const void *of, io_writer **writer,
                           surekrig_error *error)
{
    static const cli_kind TABLE = {open_table, keep_table, drop_table};
    header h = {columns, calloc((size_t)columns, sizeof *h.name)};
    bool whole = h.name != NULL;
    for (int i = 0; whole && i < columns; i++)
        whole = (h.name[i] = name_of(of, i)) != NULL;
    void *made = NULL;
    surekrig_status status = whole ? cli_open(&TABLE, cli_output_path(path ? path : "-"), &h, &made, error)
                                   : cli_no_memory(error);
    *writer = made;
    for (int i = 0; h.name && i < columns; i++)
        free(h.name[i]);
    free(h.name);
    return status;
}

static surekrig_status open_raster(const char *path, const void *plan, void **made, surekrig_error *error)
{
    io_raster_writer *writer = NULL;
    list.raster = true;
    surekrig_status status = io_raster_create(path, plan, &writer, error);
    *made = writer;
    return status;
}

static surekrig_status keep_raster(void *made, surekrig_error *error)
{
    return io_raster_commit(made, error);
}

static void drop_raster(void *made)
{
    io_raster_discard(made);
}

surekrig_status cli_create_raster(const char *path, const io_raster_plan *plan, io_raster_writer **writer,
                                  surekrig_error *error)
{
    static const cli_kind RASTER = {open_raster, keep_raster, drop_raster};
    void *made = NULL;
    if (cli_on.size > 1)
        return cli_error(error, SUREKRIG_INVALID, "%s: rasters are not written by many ranks yet: use plain surekrig",
                         path);
    surekrig_status status = cli_open(&RASTER, path, plan, &made, error);
    *writer = made;
    return status;
}

/* No output, and so not in the list. */
surekrig_status cli_create_scratch(const char *path, const io_raster_plan *plan, io_raster_writer **writer,
                                   surekrig_error *error)
{
    return io_raster_create(path, plan, writer, error);
}

surekrig_status cli_read_scratch(const char *path, io_raster_writer *writer, io_raster **raster, surekrig_error *error)
{
    surekrig_status status = io_raster_commit(writer, error);
    if (!status) {
        status = io_raster_open(path, NULL, "GTiff", raster, error);
        unlink(path); /* what is open stays until it is closed */
    }
    return status;
}

void cli_drop_scratch(io_raster_writer *writer)
{
    io_raster_discard(writer);
}

void cli_leave(int code)
{
    if (code &&
        list.raster) /* not by exit: HDF5 would try once more to write a file that a full disk has cut, and crash */
        _exit(code);
    exit(code);
}
