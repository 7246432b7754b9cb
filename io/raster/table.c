/* A raster as a table of points: a row a pixel, line by line; x and y of its centre (lon and lat in degrees), then a
 * column a band, in the band's unit. A cube, whose bands are steps of one variable, is such a table for each step, one
 * below the other, with its time and the variable in the columns after x and y; of predictions, its four variables. */
#include "file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLANE = 2, PIXELS_AT_ONCE = 1 << 18 };

typedef struct pixel_table {
    io_raster *raster;
    raster_steps steps;   /* of a cube; else none */
    int coordinates;      /* columns before the first of a band: x, y and, of a cube, time */
    int bands;            /* columns of bands: all, or of a cube its variables, 1 as a rule */
    int64_t next;         /* row: pixel, and before it step */
    int64_t strip_step;   /* of the strip */
    io_window strip;      /* what value holds, whole lines or a part of one; rows = 0: nothing */
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

/* Of the column, which is a band's, at the step. */
static int band_of(const pixel_table *table, int column, int64_t step)
{
    int steps = table->steps.count > 0 ? table->steps.count : 1;
    return (column - table->coordinates) * steps + (int)step;
}

static const char *column_name(const pixel_table *table, int column)
{
    static const char *const NAMES[2][3] = {{"x", "y", "time"}, {"lon", "lat", "time"}};
    const char *band = column < table->coordinates ? "" : table->raster->band[band_of(table, column, 0)].name;
    return column < table->coordinates                       ? NAMES[table->raster->grid.geographic][column]
           : table->steps.count > 0 && !strcmp(band, "time") ? "value"
                                                             : band;
}

static surekrig_status name_columns(io_reader *reader, const pixel_table *table, surekrig_error *error)
{
    surekrig_status status = io_reader_columns(reader, table->coordinates + table->bands, error);
    reader->named = true;
    for (int i = 0; i < reader->columns && !status; i++) {
        free(reader->name[i]);
        reader->name[i] = strdup(column_name(table, i));
        if (!reader->name[i])
            status = io_fail_memory(error, reader->source.path);
    }
    if (!status && table->steps.count > 0) {
        reader->dates[PLANE] = table->steps.dates;
        reader->numeric[PLANE] = !table->steps.dates;
    }
    return status;
}

static surekrig_status make_room(io_reader *reader, pixel_table *table, surekrig_error *error)
{
    const io_grid *grid = &table->raster->grid;
    bool cube = table->steps.count > 0;
    int64_t columns = grid->columns < PIXELS_AT_ONCE ? grid->columns : PIXELS_AT_ONCE, rows = PIXELS_AT_ONCE / columns;
    table->coordinates = PLANE + cube;
    table->bands = cube ? table->raster->variables : table->raster->bands;
    table->strip_pixels = (rows < grid->rows ? rows : grid->rows) * columns;
    table->value = malloc((size_t)(table->strip_pixels * table->bands) * sizeof *table->value);
    return table->value ? SUREKRIG_OK : io_fail_memory(error, reader->source.path);
}

static surekrig_status open_table(io_reader *reader, surekrig_error *error)
{
    pixel_table *table = reader->state = calloc(1, sizeof *table);
    if (!table)
        return io_fail_memory(error, reader->source.path);
    if (!strcmp(reader->source.path, "standard input"))
        return io_fail(error, SUREKRIG_FILE,
                       "a raster is read here and there, which standard input does not allow: name its file");
    surekrig_status status = raster_open_whole(reader->source.path, &table->raster, error);
    if (!status)
        status = raster_find_steps(table->raster, &table->steps, error);
    if (!status)
        status = make_room(reader, table, error);
    return status ? status : name_columns(reader, table, error);
}

static void close_table(void *state)
{
    pixel_table *table = state;
    if (!table)
        return;
    io_raster_close(table->raster);
    free(table->steps.time);
    free(table->value);
    free(table);
}

/* ------------------------------------------------------------------------------------------------------- reading */

static int64_t pixels_of(const pixel_table *table)
{
    return table->raster->grid.columns * table->raster->grid.rows;
}

static int64_t all_rows(const pixel_table *table)
{
    return pixels_of(table) * (table->steps.count > 0 ? table->steps.count : 1);
}

/* As much as there is room for from this pixel on, which begins a line, but in lines that are longer than a strip. */
static io_window strip_from(const pixel_table *table, int64_t pixel)
{
    const io_grid *grid = &table->raster->grid;
    int64_t column = pixel % grid->columns, row = pixel / grid->columns, most = table->strip_pixels / grid->columns;
    int64_t left = grid->columns - column, rows = grid->rows - row;
    return most < 1 ? (io_window){column, row, left < table->strip_pixels ? left : table->strip_pixels, 1}
                    : (io_window){0, row, grid->columns, rows < most ? rows : most};
}

static surekrig_status read_strip(const io_reader *reader, pixel_table *table, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    table->strip_step = table->next / pixels_of(table);
    table->strip = strip_from(table, table->next % pixels_of(table));
    for (int i = 0; i < reader->selections && !status; i++) {
        int band = reader->selected[i] - table->coordinates;
        if (band >= 0)
            status = io_raster_read(table->raster, band_of(table, reader->selected[i], table->strip_step), table->strip,
                                    table->value + band * table->strip_pixels, error);
    }
    return status;
}

static void take_pixel(const io_reader *reader, const pixel_table *table, double *row)
{
    const io_raster *raster = table->raster;
    int64_t columns = raster->grid.columns, pixel = table->next % pixels_of(table);
    int64_t within = pixel - table->strip.row * columns - table->strip.column;
    double place[3] = {0, 0, table->steps.count > 0 ? table->steps.time[table->strip_step] : 0};
    io_grid_center(&raster->grid, pixel % columns, pixel / columns, place);
    for (int i = 0; i < reader->selections; i++) {
        int column = reader->selected[i] - table->coordinates;
        const raster_band *band = column < 0 ? NULL
                                             : &raster->band[band_of(table, reader->selected[i], table->strip_step)];
        row[i] = !band ? place[reader->selected[i]]
                       : band->scale * table->value[column * table->strip_pixels + within] + band->offset;
    }
}

/* Whether the next row lies in the strip. */
static bool strip_has_next(const pixel_table *table)
{
    int64_t pixel = table->next - table->strip_step * pixels_of(table), columns = table->raster->grid.columns;
    const io_window *strip = &table->strip;
    return strip->rows && pixel < (strip->row + strip->rows - 1) * columns + strip->column + strip->columns;
}

static surekrig_status read_table(io_reader *reader, int64_t limit, double *value, int64_t *rows, surekrig_error *error)
{
    pixel_table *table = reader->state;
    int64_t done = 0, all = all_rows(table);
    for (; done < limit && table->next < all; done++, table->next++) {
        surekrig_status status = strip_has_next(table) ? SUREKRIG_OK : read_strip(reader, table, error);
        if (status)
            return status;
        take_pixel(reader, table, value + done * reader->selections);
    }
    *rows = done;
    return SUREKRIG_OK;
}

static int64_t table_rows_left(const io_reader *reader)
{
    const pixel_table *table = reader->state;
    return all_rows(table) - table->next;
}

const io_read_format io_read_raster = {begins_raster, names_raster,    open_table,
                                       read_table,    table_rows_left, close_table};

static const pixel_table *table_of(const io_reader *reader)
{
    return reader->format == &io_read_raster ? reader->state : NULL;
}

const io_grid *io_table_grid(const io_reader *reader)
{
    const pixel_table *table = table_of(reader);
    return table ? &table->raster->grid : NULL;
}

char *io_table_files(const io_reader *reader)
{
    const pixel_table *table = table_of(reader);
    return table ? io_raster_files(table->raster) : strdup("");
}

int io_table_steps(const io_reader *reader)
{
    const pixel_table *table = table_of(reader);
    return table ? table->steps.count : 0;
}

const char *io_table_plain_times(const io_reader *reader)
{
    const pixel_table *table = table_of(reader);
    return table && table->steps.count > 0 && !table->steps.dates ? table->steps.plain : NULL;
}
