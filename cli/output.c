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
    if (number == SIGALRM && interrupted) /* the knocking */
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
    static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
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
    if (status)
        io_raster_last_words(error);
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
    io_raster_last_words(error);
    cli_drop();
    bool told = list.kept && !strncmp(error->sentence, "interrupted", 11); /* and what is kept */
    if (interrupted && (!list.kept || status == SUREKRIG_STOPPED) && !told)
        cli_error(error, SUREKRIG_STOPPED, list.kept ? "interrupted" : "interrupted; nothing was written");
    return status;
}

void cli_stays(void)
{
    list.kept = true;
    settle();
}

/* ---- models, tables and rasters */

/* Behind a link that names no file yet, as tables and rasters. */
static surekrig_status save(const surekrig_model *model, const char *path, bool parts, surekrig_error *error)
{
    char *place = access(path, F_OK) ? io_place(path) : NULL; /* what is there is looked at where it is saved */
    holding = true; /* a save is short: it is finished, then the signal counts */
    surekrig_status status = (parts ? surekrig_model_save_parts : surekrig_model_save)(model, place ? place : path,
                                                                                       error);
    free(place);
    list.kept |= !status;
    settle();
    return status;
}

surekrig_status cli_save(const surekrig_model *model, const char *path, surekrig_error *error)
{
    enum { ONE_FILE = 1 << 24 }; /* rows that the first of many ranks still writes for all, in some seconds */
    return save(model, path, cli_on.size > 1 && surekrig_model_info(model)->n > ONE_FILE, error);
}

surekrig_status cli_save_parts(const surekrig_model *model, const char *path, surekrig_error *error)
{
    return save(model, path, true, error);
}

typedef struct header {
    int columns;
    char **name; /* [columns] */
    int64_t row; /* the first of this rank's, where ranks write together */
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

/* ---- tables of many ranks, each of which writes its rows */

enum { PATH_ROOM = 4096 };

/* The first rank's file has a name when the others join it. */
static surekrig_status open_part(const char *path, const void *plan, void **made, surekrig_error *error)
{
    const header *h = plan;
    char *own = calloc(1, PATH_ROOM), *all = calloc((size_t)cli_on.size, PATH_ROOM);
    io_share share = {.part = cli_on.rank, .row = h->row};
    io_writer *writer = NULL;
    surekrig_status status = own && all ? SUREKRIG_OK : cli_no_memory(error);
    if (!status && cli_on.rank == 0)
        status = io_create_part(path, h->columns, (const char *const *)h->name, &share, &writer, error);
    if (!status && cli_on.rank == 0 && snprintf(own, PATH_ROOM, "%s", io_shared_name(writer)) >= PATH_ROOM)
        status = cli_error(error, SUREKRIG_INVALID, "the name of the output is too long: %.100s...", path);
    if (!status)
        cli_on.gather(own, PATH_ROOM, all);
    share.with = all;
    if (!status && cli_on.rank > 0)
        status = io_create_part(path, h->columns, (const char *const *)h->name, &share, &writer, error);
    if (status) {
        io_discard(writer);
        writer = NULL;
    }
    *made = writer;
    free(own);
    free(all);
    return status;
}

/* Rows come to their places, and when all have, the file appears; when it has, all go on. */
static surekrig_status keep_part(void *made, surekrig_error *error)
{
    int64_t bytes = 0, before, rows_before, rows = cli_sum(io_rows_written(made), &rows_before);
    surekrig_status status = io_part_bytes(made, &bytes, error);
    if (!status)
        cli_sum(bytes, &before);
    if (!status)
        status = io_place_part(made, before, rows, error);
    if (status)
        io_discard(made);
    else
        cli_sum(0, &before);
    if (!status)
        status = io_commit(made, error);
    if (!status)
        cli_sum(0, &before);
    return status;
}

static surekrig_status create(const cli_kind *kind, const char *path, header h, const cli_columns *of,
                              io_writer **writer, surekrig_error *error)
{
    h.name = calloc((size_t)h.columns, sizeof *h.name);
    bool whole = h.name != NULL;
    for (int i = 0; whole && i < h.columns; i++)
        whole = (h.name[i] = of->name(of->of, i)) != NULL;
    void *made = NULL;
    surekrig_status status = whole ? cli_open(kind, path, &h, &made, error) : cli_no_memory(error);
    *writer = made;
    for (int i = 0; h.name && i < h.columns; i++)
        free(h.name[i]);
    free(h.name);
    return status;
}

surekrig_status cli_create(const char *path, int columns, cli_column_name *name_of, const void *of, io_writer **writer,
                           surekrig_error *error)
{
    static const cli_kind TABLE = {open_table, keep_table, drop_table};
    return create(&TABLE, cli_output_path(path ? path : "-"), (header){.columns = columns}, &(cli_columns){name_of, of},
                  writer, error);
}

surekrig_status cli_create_part(const char *path, int columns, const cli_columns *of, int64_t row, io_writer **writer,
                                surekrig_error *error)
{
    static const cli_kind PART = {open_part, keep_part, drop_table};
    return create(&PART, path, (header){.columns = columns, .row = row}, of, writer, error);
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
    *writer = NULL;
    if (cli_on.rank > 0)
        return SUREKRIG_OK;
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
