/* Pieces of files one after another as one table: of several files all of them, of a part of a table what is its own. The
 * first file says what the columns are; the others have to agree. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct joined {
    io_read_format format; /* as its files are: with text to keep, or without */
    io_pieces of;
    int next;       /* piece */
    io_reader *now; /* the file that is read; NULL: none */
    bool begun;     /* a row was asked for */
    int64_t left;   /* of of.rows */
} joined;

void io_free_pieces(io_pieces *pieces)
{
    io_free_files(&pieces->files);
    free(pieces->piece);
}

static void close_joined(void *state)
{
    joined *j = state;
    if (!j)
        return;
    io_close(j->now);
    io_free_pieces(&j->of);
    free(j);
}

/* ----------------------------------------------------------------------------------------------------- agreement */

static surekrig_status check_columns(const io_reader *whole, const io_reader *file, surekrig_error *error)
{
    const joined *j = whole->state;
    const char *first = io_label(j->of.files.path[0]), *here = io_label(file->source.path);
    if (file->columns != whole->columns)
        return io_fail(error, SUREKRIG_FILE,
                       "%s has %d columns and %s has %d: tables that are read as one have the same columns", here,
                       file->columns, first, whole->columns);
    for (int i = 0; i < file->columns && file->named; i++) {
        char mine[IO_SHOWN], theirs[IO_SHOWN];
        if (strcmp(file->name[i], whole->name[i]) != 0)
            return io_fail(
                error, SUREKRIG_FILE,
                "%s: column %d is named '%s', and in %s '%s': tables that are read as one have the same columns", here,
                i + 1, io_show(file->name[i], strlen(file->name[i]), mine), first,
                io_show(whole->name[i], strlen(whole->name[i]), theirs));
    }
    return SUREKRIG_OK;
}

/* What the rows before have shown of each column that is read. */
static surekrig_status hand_on(const io_reader *whole, io_reader *file, surekrig_error *error)
{
    static const char *const HOLDS[] = {"numbers", "dates", "dates", "dates with a time zone"};
    static const int KIND[] = {0, 1, 1, 2};
    for (int i = 0; i < whole->selections; i++) {
        int c = whole->selected[i];
        if (whole->open[c])
            continue;
        if (!file->open[c] && KIND[file->dates[c]] != KIND[whole->dates[c]])
            return io_fail(error, SUREKRIG_FILE, "%s: column %s holds %s, and the files before it have %s there",
                           io_label(file->source.path), whole->name[c],
                           file->numeric[c] || file->dates[c] ? HOLDS[file->dates[c]] : "words",
                           HOLDS[whole->dates[c]]);
        file->open[c] = false;
        file->dates[c] = whole->dates[c];
    }
    return SUREKRIG_OK;
}

static void learn(io_reader *whole, const io_reader *file)
{
    for (int i = 0; i < whole->selections; i++) {
        whole->open[whole->selected[i]] = file->open[whole->selected[i]];
        whole->dates[whole->selected[i]] = file->dates[whole->selected[i]];
    }
}

/* ------------------------------------------------------------------------------------------------------- reading */

static bool some_open(const io_reader *reader)
{
    for (int i = 0; i < reader->selections; i++)
        if (reader->open[reader->selected[i]])
            return true;
    return false;
}

/* A column that begins with missing cells holds what its first other cell is, and that may stand before this part. A
 * fault there is another part's to tell. */
static surekrig_status look_before(io_reader *whole, surekrig_error *error)
{
    enum { ROWS = 1024 };
    const joined *j = whole->state;
    io_reader *scout = NULL;
    surekrig_error ignored;
    double *value = malloc(ROWS * (size_t)whole->selections * sizeof *value);
    surekrig_status status = value ? SUREKRIG_OK : io_fail_memory(error, whole->source.path);
    io_tables all = {j->of.files.count, (const char *const *)j->of.files.path, &whole->dialect};
    bool reads = !status && !io_open_all(&all, &scout, &ignored) &&
                 !io_select(scout, whole->selections, whole->selected, &ignored);
    int64_t rows = 1, left = j->of.before;
    while (reads && rows > 0 && left > 0 && some_open(scout)) {
        reads = !io_read(scout, left < ROWS ? left : ROWS, value, &rows, &ignored);
        left -= rows;
        learn(whole, scout);
    }
    io_close(scout);
    free(value);
    return status;
}

static surekrig_status open_piece(io_reader *whole, const io_piece *piece, surekrig_error *error)
{
    joined *j = whole->state;
    surekrig_status status = SUREKRIG_OK;
    if (!j->now)
        status = io_open_file(j->of.files.path[piece->file], &whole->dialect, &j->now, error);
    if (!status)
        status = check_columns(whole, j->now, error);
    if (!status && !piece->whole && j->now->format->enter)
        status = j->now->format->enter(j->now, piece, error);
    if (!status)
        status = hand_on(whole, j->now, error);
    if (!status)
        status = io_select(j->now, whole->selections, whole->selected, error);
    if (!status && whole->keeps)
        status = io_keep(j->now, whole->keeps, whole->kept, error);
    return status;
}

static surekrig_status begin(io_reader *whole, surekrig_error *error)
{
    joined *j = whole->state;
    j->begun = true;
    surekrig_status status = j->of.before > 0 && some_open(whole) ? look_before(whole, error) : SUREKRIG_OK;
    if (status || j->of.count == 0)
        return status;
    if (j->of.piece[0].file > 0) { /* the first file was there for its columns */
        io_close(j->now);
        j->now = NULL;
    }
    j->next = 1;
    return open_piece(whole, &j->of.piece[0], error);
}

static surekrig_status read_joined(io_reader *whole, int64_t limit, double *value, int64_t *rows, surekrig_error *error)
{
    joined *j = whole->state;
    surekrig_status status = j->begun ? SUREKRIG_OK : begin(whole, error);
    *rows = 0;
    while (!status && *rows < limit && j->of.count > 0 && j->now) {
        int64_t more = 0;
        if (j->now->keeps > whole->keeps) /* some are wanted no more */
            status = io_keep(j->now, whole->keeps, whole->kept, error);
        if (status)
            break;
        status = io_read(j->now, limit - *rows, value + *rows * whole->selections, &more, error);
        const io_text *cells = &j->now->cells;
        if (!status && cells->used && !io_text_append(&whole->cells, cells->bytes, cells->used))
            status = io_fail_memory(error, whole->source.path);
        learn(whole, j->now);
        *rows += more;
        j->left -= more;
        if (status || more > 0)
            continue;
        if (j->next == j->of.count)
            break;
        io_close(j->now);
        j->now = NULL;
        status = open_piece(whole, &j->of.piece[j->next++], error);
    }
    return status;
}

/* Those of files to come as if their rows were as long as those of this one. */
static int64_t joined_rows_left(const io_reader *whole)
{
    const joined *j = whole->state;
    if (j->of.rows >= 0)
        return j->left;
    int64_t here = j->now ? j->now->format->rows_left(j->now) : 0, later = 0;
    for (int i = j->begun ? j->next : 1; i < j->of.count; i++)
        later += j->of.files.size[j->of.piece[i].file];
    int64_t size = j->next > 0 ? j->of.files.size[j->of.piece[j->next - 1].file] : j->of.files.size[0];
    int64_t bytes = j->now && j->now->source.fd >= 0 ? io_source_left(&j->now->source) : size;
    if (here > 0 && bytes > 0)
        return here + (int64_t)((double)here / (double)bytes * (double)later);
    return later > 0; /* a file has ended, and is not the last */
}

static const io_read_format JOINED = {NULL, NULL, NULL, read_joined, joined_rows_left, close_joined, false, NULL, NULL};

/* ------------------------------------------------------------------------------------------------------- opening */

/* For sentences about the table: its first file, and whether there are more. */
static char *label_of(const io_files *files)
{
    static const char MORE[] = " and those after it";
    size_t room = strlen(files->path[0]) + sizeof MORE;
    char *label = malloc(room);
    if (label) {
        strcpy(label, files->path[0]);
        strcat(label, files->count > 1 ? MORE : "");
    }
    return label;
}

static surekrig_status take_columns(io_reader *whole, const io_reader *first, surekrig_error *error)
{
    surekrig_status status = io_reader_columns(whole, first->columns, error);
    whole->named = first->named;
    for (int i = 0; i < first->columns && !status; i++) {
        free(whole->name[i]);
        whole->name[i] = strdup(first->name[i]);
        whole->nameless[i] = first->nameless[i];
        whole->numeric[i] = first->numeric[i];
        whole->dates[i] = first->dates[i];
        whole->date_like[i] = first->date_like[i];
        whole->open[i] = first->open[i];
        whole->empty[i] = first->empty[i];
        if (!whole->name[i])
            status = io_fail_memory(error, whole->source.path);
    }
    return status;
}

static surekrig_status whole_files(io_pieces *of, surekrig_error *error)
{
    of->piece = calloc((size_t)of->files.count, sizeof *of->piece);
    if (!of->piece)
        return io_fail_memory(error, of->files.path[0]);
    for (of->count = 0; of->count < of->files.count; of->count++)
        of->piece[of->count] = (io_piece){.file = of->count, .whole = true};
    return SUREKRIG_OK;
}

static surekrig_status open_joined(io_reader *whole, joined *j, surekrig_error *error)
{
    whole->state = j;
    j->format = JOINED;
    whole->format = &j->format;
    j->left = j->of.rows;
    whole->source.path = label_of(&j->of.files);
    if (!whole->source.path)
        return io_fail_memory(error, j->of.files.path[0]);
    surekrig_status status = j->of.piece ? SUREKRIG_OK : whole_files(&j->of, error);
    if (!status)
        status = io_open_file(j->of.files.path[0], &whole->dialect, &j->now, error);
    if (!status)
        j->format.keeps = j->now->format->keeps;
    return status ? status : take_columns(whole, j->now, error);
}

surekrig_status io_open_pieces(io_pieces *pieces, const io_dialect *dialect, io_reader **reader, surekrig_error *error)
{
    io_reader *whole = NULL;
    joined *j = calloc(1, sizeof *j);
    if (!j) {
        io_free_pieces(pieces);
        return io_fail_memory(error, "a table");
    }
    j->of = *pieces;
    surekrig_status status = io_reader_new(j->of.files.path[0], dialect, &whole, error);
    if (status)
        close_joined(j);
    else
        status = open_joined(whole, j, error);
    if (status)
        io_close(whole);
    else
        *reader = whole;
    return status;
}
