/* One writer in front of all formats that are written. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

surekrig_status io_create(const char *path, int columns, const char *const *names, io_writer **writer,
                          surekrig_error *error)
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
    surekrig_status status = io_target_open(&created->target, path, error);
    if (!status)
        status = created->format->begin(created, names, error);
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

surekrig_status io_commit(io_writer *writer, surekrig_error *error)
{
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
    free(writer->dates);
    free(writer);
}
