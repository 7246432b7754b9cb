/* A raster as a table of points: a row a pixel, line by line; x and y of its centre (lon and lat in degrees), then a
 * column a band, in the band's unit. */
#include "file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COORDINATES = 2, PIXELS_AT_ONCE = 1 << 18 };

typedef struct pixel_table {
    io_raster *raster;
    int64_t next;         /* pixel */
    io_window strip;      /* what value holds; rows = 0: nothing */
    double *value;        /* [bands][pixels of a strip]; of bands that are not selected: nothing */
    int64_t strip_pixels; /* at most */
} pixel_table;

/* --------------------------------------------------------------------------------------------------- recognising */

/* First bytes of the usual formats. */
static const struct {
    const char *bytes;
    size_t count;
} MAGIC[] = {
    {"II*\0", 4},        {"MM\0*", 4},        {"II+\0", 4},        {"MM\0+", 4},   /* TIFF, and large TIFF */
    {"CDF\1", 4},        {"CDF\2", 4},        {"CDF\5", 4},        {"\x89HDF", 4}, /* NetCDF, HDF5 and NetCDF 4 */
    {"\x0e\3\x13\1", 4}, {"GRIB", 4},         {"<VRTDa", 6},       {"EHFA_H", 6},  /* HDF4, GRIB, VRT, Erdas */
    {"\x89PNG", 4},      {"\xff\xd8\xff", 3}, {"\0\0\0\x0cjP", 6}, {"ncols ", 6},  /* PNG, JPEG, JPEG 2000, Arc ASCII */
    {"NCOLS ", 6},
};

static bool begins_raster(const io_source *source)
{
    for (size_t i = 0; i < sizeof MAGIC / sizeof *MAGIC && !io_names_table(source->path); i++)
        if (source->end >= MAGIC[i].count && !memcmp(source->buffer, MAGIC[i].bytes, MAGIC[i].count))
            return true;
    return false;
}

/* NETCDF:"file.nc":temp or /vsizip/...: what no file is called. */
static bool names_raster(const char *path)
{
    size_t capitals = strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return !strncmp(path, "/vsi", 4) || (capitals > 2 && path[capitals] == ':' && access(path, F_OK) != 0);
}

/* ------------------------------------------------------------------------------------------------------- opening */

static surekrig_status name_columns(io_reader *reader, const io_raster *raster, surekrig_error *error)
{
    bool geographic = raster->grid.geographic;
    surekrig_status status = io_reader_columns(reader, COORDINATES + raster->bands, error);
    reader->named = true;
    for (int i = 0; i < reader->columns && !status; i++) {
        const char *name = i == 0   ? (geographic ? "lon" : "x")
                           : i == 1 ? (geographic ? "lat" : "y")
                                    : raster->band[i - COORDINATES].name;
        free(reader->name[i]);
        reader->name[i] = strdup(name);
        if (!reader->name[i])
            status = io_fail_memory(error, reader->source.path);
    }
    return status;
}

static surekrig_status open_table(io_reader *reader, surekrig_error *error)
{
    pixel_table *table = reader->state = calloc(1, sizeof *table);
    if (!table)
        return io_fail_memory(error, reader->source.path);
    if (!strcmp(reader->source.path, "standard input"))
        return io_fail(error, SUREKRIG_FILE,
                       "a raster is read here and there, which standard input does not allow: name its file");
    surekrig_status status = io_raster_open(reader->source.path, NULL, NULL, &table->raster, error);
    if (status)
        return status;
    const io_raster *raster = table->raster;
    int64_t rows = PIXELS_AT_ONCE / raster->grid.columns;
    rows = rows < 1 ? 1 : rows > raster->grid.rows ? raster->grid.rows : rows;
    table->strip = (io_window){0, 0, raster->grid.columns, 0};
    table->strip_pixels = rows * raster->grid.columns;
    table->value = malloc((size_t)(table->strip_pixels * raster->bands) * sizeof *table->value);
    return table->value ? name_columns(reader, raster, error) : io_fail_memory(error, reader->source.path);
}

static void close_table(void *state)
{
    pixel_table *table = state;
    if (!table)
        return;
    io_raster_close(table->raster);
    free(table->value);
    free(table);
}

/* ------------------------------------------------------------------------------------------------------- reading */

/* The strip that begins with the next pixel's row. */
static surekrig_status read_strip(const io_reader *reader, pixel_table *table, surekrig_error *error)
{
    const io_grid *grid = &table->raster->grid;
    int64_t most = table->strip_pixels / grid->columns, row = table->next / grid->columns;
    surekrig_status status = SUREKRIG_OK;
    table->strip.row = row;
    table->strip.rows = grid->rows - row < most ? grid->rows - row : most;
    for (int i = 0; i < reader->selections && !status; i++) {
        int band = reader->selected[i] - COORDINATES;
        if (band >= 0)
            status = io_raster_read(table->raster, band, table->strip, table->value + band * table->strip_pixels,
                                    error);
    }
    return status;
}

static void take_pixel(const io_reader *reader, const pixel_table *table, double *row)
{
    const io_raster *raster = table->raster;
    int64_t columns = raster->grid.columns, within = table->next - table->strip.row * columns;
    double xy[2];
    io_grid_center(&raster->grid, table->next % columns, table->next / columns, xy);
    for (int i = 0; i < reader->selections; i++) {
        int band = reader->selected[i] - COORDINATES;
        row[i] = band < 0 ? xy[reader->selected[i]]
                          : raster->band[band].scale * table->value[band * table->strip_pixels + within] +
                                raster->band[band].offset;
    }
}

static surekrig_status read_table(io_reader *reader, int64_t limit, double *value, int64_t *rows, surekrig_error *error)
{
    pixel_table *table = reader->state;
    const io_grid *grid = &table->raster->grid;
    int64_t done = 0;
    for (; done < limit && table->next < grid->columns * grid->rows; done++, table->next++) {
        if (table->next >= (table->strip.row + table->strip.rows) * grid->columns) {
            surekrig_status status = read_strip(reader, table, error);
            if (status)
                return status;
        }
        take_pixel(reader, table, value + done * reader->selections);
    }
    *rows = done;
    return SUREKRIG_OK;
}

static int64_t table_rows_left(const io_reader *reader)
{
    const pixel_table *table = reader->state;
    return table->raster->grid.columns * table->raster->grid.rows - table->next;
}

const io_read_format io_read_raster = {begins_raster, names_raster,    open_table,
                                       read_table,    table_rows_left, close_table};

const io_grid *io_table_grid(const io_reader *reader)
{
    const pixel_table *table = reader->state;
    return reader->format == &io_read_raster ? &table->raster->grid : NULL;
}
