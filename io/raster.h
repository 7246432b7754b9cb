/* Rasters in files, read and written by GDAL, which is looked for when the first one is met. Windows of pixels go in
 * and out, so that a raster need not fit into memory. GDAL and its last complaint are the process's, found once
 * (SUREKRIG_GDAL names another one): rasters are for one thread at a time. */
#ifndef SUREKRIG_IO_RASTER_H
#define SUREKRIG_IO_RASTER_H

#include "surekrig.h"

#include <stdbool.h>

typedef struct io_raster io_raster;

/* Where the pixels are. A pixel's upper left corner, with column and row from 0:
 * x = t[0] + column t[1] + row t[2],  y = t[3] + column t[4] + row t[5]; its centre is half a column and half a row
 * on. */
typedef struct io_grid {
    int64_t columns, rows;
    double transform[6]; /* without one in the file: 0, 1, 0, 0, 0, 1, so that x and y count pixels */
    bool geographic;     /* x and y are degrees of longitude and latitude */
    const char *crs;     /* what GDAL understands as a coordinate system: WKT, "EPSG:4326"; NULL: none */
} io_grid;

typedef struct io_window {
    int64_t column, row, columns, rows;
} io_window;

void io_grid_center(const io_grid *grid, int64_t column, int64_t row, double xy[2]);

/* variable: one of several that a file holds, as NetCDF and HDF do; NULL where there is one. driver: the only one of
 * GDAL's that may open it; NULL: by its name and what is in it, unless that is a table's or names other files. */
surekrig_status io_raster_open(const char *path, const char *variable, const char *driver, io_raster **raster,
                               surekrig_error *error);
void io_raster_close(io_raster *raster); /* accepts NULL */
/* Opening a raster takes the internet from the process, whatever its files name, unless this was called before. */
void io_raster_allow_network(void);
bool io_raster_names_server(const char *path);
const char *io_raster_path(const io_raster *raster);
/* All files that it is read from, as those that a VRT names, a line each; to be freed, NULL: no memory. */
char *io_raster_files(const io_raster *raster);
const io_grid *io_raster_grid(const io_raster *raster);
int io_raster_bands(const io_raster *raster); /* without an alpha band */
/* Its description, its variable's name, or band_1, ...; no two the same. Bands count from 0 here and below. */
const char *io_raster_band_name(const io_raster *raster, int band);
/* The quantity is scale * number + offset. */
void io_raster_band_scale(const io_raster *raster, int band, double *scale, double *offset);
bool io_raster_needs_doubles(const io_raster *raster); /* floats do not hold all numbers that its bands may have */
/* Numbers as stored into value [rows][columns], NaN where missing: no data, NaN, or masked. Refuses infinite ones. */
surekrig_status io_raster_read(io_raster *raster, int band, io_window window, double *value, surekrig_error *error);

/* When each band is, into time [bands], in the file's unit; false where the bands are no steps in time. */
bool io_raster_times(const io_raster *raster, double *time);

struct io_reader;
/* Where the pixels are that a table's rows stand for, line by line; NULL: it is no raster. */
const io_grid *io_table_grid(const struct io_reader *reader);
char *io_table_files(const struct io_reader *reader); /* as io_raster_files; "" where it is no raster */
/* How many steps in time follow each other in the rows of a cube; 0: it is none. */
int io_table_steps(const struct io_reader *reader);
/* Why the times of a cube are numbers and no dates: "they have no unit"; NULL: they are dates, or it is none. */
const char *io_table_plain_times(const struct io_reader *reader);
/* Whether it is a file of points with heights, of which no column is made. */
bool io_table_heights(const struct io_reader *reader);

/* What is written of each band. */
typedef enum io_role { IO_VALUE, IO_SD, IO_LOWER, IO_UPPER, IO_ROLES } io_role;

typedef struct io_raster_plan {
    const char *format; /* "GTiff", "netCDF", or NULL: by the path's suffix */
    io_grid grid;
    const io_raster
        *like; /* what the bands were made of: metadata, descriptions, scales and missing values are its; or NULL */
    int bands;
    const int *band;         /* [bands] of like, or NULL */
    const char *const *name; /* [bands] where like is NULL */
    double level;            /* of lower and upper */
    bool smooth;             /* the values are estimates everywhere */
    const char *history;     /* the command line */
    bool doubles;            /* floats do not do; false: they do if they hold all numbers of like */
} io_raster_plan;

typedef struct io_raster_writer io_raster_writer;

bool io_raster_suffix(const char *path); /* whether it ends as one of the formats that are written */

/* Nothing appears at path before io_raster_commit. */
surekrig_status io_raster_create(const char *path, const io_raster_plan *plan, io_raster_writer **writer,
                                 surekrig_error *error);
/* band: of the plan, from 0. value: [rows][columns], numbers to be stored, of which scale * number + offset is the
 * quantity (an sd has no offset); NaN where missing. Overwritten. writer NULL: nothing. */
surekrig_status io_raster_write(io_raster_writer *writer, int band, io_role role, io_window window, double *value,
                                surekrig_error *error);
surekrig_status io_raster_commit(io_raster_writer *writer,
                                 surekrig_error *error); /* frees it, whether it worked or not */
void io_raster_discard(io_raster_writer *writer);        /* leaves nothing behind; accepts NULL */
/* Why rasters are about to be discarded: it is told where the library crashes in doing so, and the process ends. */
void io_raster_last_words(const surekrig_error *error);

#endif
