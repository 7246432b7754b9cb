/* One writer in front of all formats that are written. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define ADDRESS(name) &io_write_##name,
static const io_write_format *const WRITERS[] = {IO_WRITERS(ADDRESS)};
enum { WRITERS_COUNT = sizeof WRITERS / sizeof *WRITERS };

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

/* What a user who names a file so expects, and we do not write. Any other name is CSV's. */
static const char FOREIGN[] =
    "xlsx xls ods parquet feather arrow json geojson gpkg shp fgb kml dbf tsv tab gz zip xz bz2 zst "
    "tif tiff nc img asc vrt h5 hdf5 mat rds rdata sqlite db pdf png svg jpg html";

static bool is_foreign(const char *path)
{
    const char *dot = strrchr(path, '.');
    size_t length = dot ? strlen(dot + 1) : 0;
    for (const char *at = FOREIGN; dot && length && *at; at += strspn(at, " ")) {
        size_t here = strcspn(at, " ");
        if (here == length && !strncasecmp(at, dot + 1, length))
            return true;
        at += here;
    }
    return false;
}

static const io_write_format *format_of(const char *path)
{
    for (int i = 0; i < WRITERS_COUNT - 1; i++)
        if (ends_in(path, WRITERS[i]->suffix))
            return WRITERS[i];
    return WRITERS[WRITERS_COUNT - 1];
}

static surekrig_status open_writer(io_writer *w, const char *path, const char *const *names, const io_share *share,
                                   surekrig_error *error)
{
    if (!share || !share->with) {
        surekrig_status status = io_target_open(&w->target, path, error);
        if (!status && share && !w->target.temporary)
            status = io_fail(error, SUREKRIG_FILE, "%s is no file, and cannot be written in parts", w->target.path);
        return status ? status : w->format->begin(w, names, error);
    }
    w->target.fd = -1;
    w->with = strdup(share->with);
    if (!w->with)
        return io_fail_memory(error, path);
    return w->format->place ? io_target_join(&w->target, share, w->format->place(w, share->row), error)
                            : io_target_own(&w->target, share, error);
}

surekrig_status io_create(const char *path, int columns, const char *const *names, io_writer **writer,
                          surekrig_error *error)
{
    return io_create_part(path, columns, names, NULL, writer, error);
}

surekrig_status io_create_part(const char *path, int columns, const char *const *names, const io_share *share,
                               io_writer **writer, surekrig_error *error)
{
    if (columns < 1)
        return io_fail(error, SUREKRIG_INVALID, "%d columns to write to %s: at least 1 is needed", columns,
                       io_label(path));
    if (is_foreign(path))
        return io_fail(
            error, SUREKRIG_INVALID,
            "%s: a table is not written as %s; .csv and .npy are (and rasters of predictions as .tif and .nc)",
            io_label(path), strrchr(path, '.'));
    io_writer *created = calloc(1, sizeof *created);
    if (!created)
        return io_fail_memory(error, path);
    io_prepare_numbers();
    created->format = format_of(path);
    created->columns = columns;
    surekrig_status status = open_writer(created, path, names, share, error);
    if (status)
        io_discard(created);
    else
        *writer = created;
    return status;
}

surekrig_status io_write_as_dates(io_writer *writer, int column, io_dates style, surekrig_error *error)
{
    if (!writer->dates)
        writer->dates = calloc((size_t)writer->columns, sizeof *writer->dates);
    if (!writer->dates)
        return io_fail_memory(error, writer->target.path);
    writer->dates[column] = style;
    return SUREKRIG_OK;
}

surekrig_status io_write(io_writer *writer, int64_t rows, const double *value, surekrig_error *error)
{
    writer->rows += rows;
    return writer->format->append(writer, rows, value, error);
}

const char *io_shared_name(const io_writer *writer)
{
    return writer->target.temporary;
}

int64_t io_rows_written(const io_writer *writer)
{
    return writer->rows;
}

surekrig_status io_part_bytes(io_writer *writer, int64_t *bytes, surekrig_error *error)
{
    surekrig_status status = io_target_flush(&writer->target, error);
    *bytes = status ? 0 : (int64_t)lseek(writer->target.fd, 0, SEEK_CUR);
    if (writer->format->place && writer->with)
        *bytes = writer->format->place(writer, writer->rows) - writer->format->place(writer, 0);
    return status;
}

surekrig_status io_place_part(io_writer *writer, int64_t before, int64_t rows, surekrig_error *error)
{
    io_target *target = &writer->target;
    writer->rows = rows;
    surekrig_status status = io_target_flush(target, error);
    if (status || !writer->with)
        return status;
    if (!writer->format->place)
        return io_target_place(target, writer->with, before, error);
    return fsync(target->fd) == 0
               ? SUREKRIG_OK
               : io_fail(error, SUREKRIG_FILE, "cannot write %s: %s", io_label(target->path), strerror(errno));
}

surekrig_status io_commit(io_writer *writer, surekrig_error *error)
{
    if (writer->with) {
        io_discard(writer);
        return SUREKRIG_OK;
    }
    surekrig_status status = writer->format->finish ? writer->format->finish(writer, error) : SUREKRIG_OK;
    if (!status)
        status = io_target_commit(&writer->target, error);
    io_discard(writer);
    return status;
}

void io_discard(io_writer *writer)
{
    if (!writer)
        return;
    io_target_close(&writer->target);
    free(writer->state);
    free(writer->with);
    free(writer->dates);
    free(writer);
}
