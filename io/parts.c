/* A table in parts: which bytes of which files are whose, and, from what all parts have counted, where rows begin. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The bytes of one file, of all files one after another, that are of a part. */
typedef struct slice {
    int64_t begin, end; /* in the file */
    bool any;
} slice;

static int64_t total_of(const io_files *files)
{
    int64_t total = 0;
    for (int i = 0; i < files->count; i++)
        total += files->size[i];
    return total;
}

/* Part p begins at total p/parts. A file is begun by one part, even if it is empty, or no file. */
static slice slice_of(const io_files *files, int file, int part, int parts)
{
    int64_t total = total_of(files), place = 0;
    int64_t from = (int64_t)((__int128)total * part / parts), to = (int64_t)((__int128)total * (part + 1) / parts);
    for (int i = 0; i < file; i++)
        place += files->size[i];
    int64_t end = place + files->size[file];
    bool begins = place >= from && (place < to || part == parts - 1);
    slice s = {.any = begins || (place < to && end > from)};
    s.begin = from > place ? from - place : 0;
    s.end = (to < end ? to : end) - place;
    s.any = s.any && (begins || s.end > s.begin);
    return s;
}

static surekrig_status find_files(const io_tables *tables, int parts, io_files *files, surekrig_error *error)
{
    struct stat file;
    surekrig_status status = io_find_files(tables, files, error);
    for (int i = 0; i < files->count && !status && parts > 1; i++)
        if (!strcmp(files->path[i], "-") || (stat(files->path[i], &file) == 0 && !S_ISREG(file.st_mode)))
            status = io_fail(error, SUREKRIG_FILE, "%s is no file, and cannot be read in parts",
                             strcmp(files->path[i], "-") ? io_label(files->path[i]) : "standard input");
    return status;
}

/* ------------------------------------------------------------------------------------------------------ counting */

/* Of a file that cannot be opened nothing: who reads its first rows tells why, unless a file before it is at fault. */
static surekrig_status count_file(const char *path, const io_dialect *dialect, slice s, io_part_count *count,
                                  surekrig_error *error)
{
    io_reader *reader = NULL;
    surekrig_status status = io_open_file(path, dialect, &reader, error);
    bool cut = reader && reader->format->count;
    int64_t whole = reader && !cut && s.begin == 0 ? reader->format->rows_left(reader) : 0;
    for (int i = 0; i < IO_CUTS; i++) {
        count->by[i].rows = count->by[i].last_rows = whole;
        count->by[i].first = -1;
    }
    if (cut)
        status = reader->format->count(reader, s.begin, s.end, count, error);
    count->fresh = s.begin == 0;
    io_close(reader);
    return cut || status != SUREKRIG_FILE ? status : SUREKRIG_OK;
}

/* A file after the part's first begins with a row. */
static void append(io_part_count *count, const io_part_count *file)
{
    for (int i = 0; i < IO_CUTS; i++) {
        count->by[i].rows += file->by[i].rows;
        count->by[i].last_rows = file->by[i].last_rows;
        count->by[i].end = file->by[i].end;
    }
    count->lines = file->lines;
    count->fresh = true;
}

surekrig_status io_count_part(const io_tables *tables, int part, int parts, io_part_count *count, surekrig_error *error)
{
    io_files files = {0};
    bool some = false;
    surekrig_status status = find_files(tables, parts, &files, error);
    memset(count, 0, sizeof *count);
    for (int i = 0; i < IO_CUTS; i++) { /* a part without a byte ends as it begins */
        count->by[i].first = -1;
        count->by[i].end = i;
    }
    for (int i = 0; i < files.count && !status; i++) {
        slice s = slice_of(&files, i, part, parts);
        io_part_count file = {0};
        if (!s.any)
            continue;
        status = count_file(files.path[i], tables->dialect, s, &file, error);
        if (some)
            append(count, &file);
        else
            *count = file;
        some = true;
    }
    count->files = files.count;
    count->bytes = total_of(&files);
    io_free_files(&files);
    return status;
}

void io_part_rows(int parts, const io_part_count *count, int64_t *first)
{
    int64_t way = 0;
    first[0] = 0;
    for (int p = 0; p < parts; p++) {
        first[p + 1] = first[p] + count[p].by[way].rows;
        way = count[p].by[way].end;
    }
}

/* ------------------------------------------------------------------------------------------------------- opening */

/* How a part begins, and the lines and rows before it of the file in which it does. */
typedef struct place {
    int64_t way, lines, rows;
} place;

static place place_of(const io_part_count *count, int part)
{
    place at = {0};
    for (int p = 0; p < part; p++) {
        if (count[p].fresh)
            at.lines = at.rows = 0;
        at.lines += count[p].lines;
        at.rows += count[p].by[at.way].last_rows;
        at.way = count[p].by[at.way].end;
    }
    return at;
}

/* Where the first row begins that is of a later part, in a file that the part does not end. */
static int64_t row_after(const io_files *files, int file, int part, int parts, const io_part_count *count)
{
    place at = place_of(count, part + 1);
    for (int p = part + 1; p < parts; p++) {
        if (count[p].by[at.way].first >= 0 && slice_of(files, file, p, parts).any)
            return count[p].by[at.way].first;
        if (slice_of(files, file, p, parts).end >= files->size[file])
            break;
        at.way = count[p].by[at.way].end;
    }
    return files->size[file];
}

static void cut_pieces(io_pieces *pieces, int part, int parts, const io_part_count *count)
{
    const io_files *files = &pieces->files;
    place at = place_of(count, part);
    for (int i = 0; i < files->count; i++) {
        slice s = slice_of(files, i, part, parts);
        int64_t first = count[part].by[at.way].first;
        if (!s.any || (s.begin > 0 && first < 0))
            continue;
        io_piece *piece = &pieces->piece[pieces->count++];
        *piece = (io_piece){.file = i, .file_size = files->size[i]};
        piece->whole = s.begin == 0 && s.end == files->size[i];
        piece->end = s.end == files->size[i] ? s.end : row_after(files, i, part, parts, count);
        if (s.begin == 0)
            continue;
        piece->begin = first;
        piece->line = at.lines + count[part].by[at.way].first_line;
        piece->rows = at.rows;
    }
}

/* Machines may see different files at a path, or one before its last bytes: rows would be missing, or there twice. */
static surekrig_status check_counts(const io_files *files, int parts, const io_part_count *count, surekrig_error *error)
{
    int64_t bytes = total_of(files);
    for (int p = 0; p < parts; p++)
        if (count[p].files != files->count || count[p].bytes != bytes)
            return io_fail(
                error, SUREKRIG_FILE,
                "%s%s: %lld bytes in %d file%s for one rank, %lld in %lld for another: every machine must see "
                "the same files, and nobody may write them",
                io_label(files->path[0]), files->count > 1 ? " and those after it" : "", (long long)bytes, files->count,
                files->count == 1 ? "" : "s", (long long)count[p].bytes, (long long)count[p].files);
    return SUREKRIG_OK;
}

surekrig_status io_open_part(const io_tables *tables, int part, int parts, const io_part_count *count,
                             io_reader **reader, surekrig_error *error)
{
    io_pieces pieces = {0};
    surekrig_status status = find_files(tables, parts, &pieces.files, error);
    if (!status)
        status = check_counts(&pieces.files, parts, count, error);
    pieces.piece = status ? NULL : calloc((size_t)pieces.files.count, sizeof *pieces.piece);
    int64_t *first = malloc(((size_t)parts + 1) * sizeof *first);
    if (!status && (!pieces.piece || !first))
        status = io_fail_memory(error, tables->path[0]);
    if (!status) {
        io_part_rows(parts, count, first);
        pieces.before = first[part];
        pieces.rows = first[part + 1] - first[part];
        cut_pieces(&pieces, part, parts, count);
    }
    free(first);
    if (!status)
        return io_open_pieces(&pieces, tables->dialect, reader, error);
    io_free_pieces(&pieces);
    return status;
}
