/* What the files of io/raster/ share: an open raster, and one being written. */
#ifndef SUREKRIG_IO_RASTER_FILE_H
#define SUREKRIG_IO_RASTER_FILE_H

#include "gdal.h"
#include "internal.h"
#include "raster.h"

typedef struct raster_band {
    GDALRasterBandH handle;
    char *name;
    bool masked;    /* some pixels may be missing */
    bool wide;      /* integers of 64 bits */
    bool bare;      /* signed bytes that GDAL hands over without their signs */
    double missing; /* the number that stands for it, with its sign; NaN: none */
    double scale, offset;
} raster_band;

struct io_raster {
    const gdal_api *gdal;
    GDALDatasetH set;
    bool whole;         /* all variables of a file of predictions are wanted, */
    int variables;      /* of which so many are read, as many bands of each, one after another; else 1 */
    GDALDatasetH *more; /* [variables - 1] behind set, or NULL */
    char *path;
    char *crs; /* of the grid; GDAL's to free */
    io_grid grid;
    bool placed; /* the file says where the pixels are */
    int bands;
    raster_band *band;
};

/* "WHAT PATH: what GDAL says" */
surekrig_status raster_fail(const char *what, const char *path, surekrig_error *error);

/* ---- read.c */
/* A table's raster: of a file of predictions, as this writes them, all variables and not one that is named. */
surekrig_status raster_open_whole(const char *path, io_raster **raster, surekrig_error *error);

bool raster_is_netcdf(const io_raster *raster); /* by the driver that reads it */

/* ---- names.c */
/* What stands behind a band's name, and behind a variable's: "", " sd", ...; "", "_sd", ... */
extern const char *const RASTER_BAND_ROLE[IO_ROLES], *const RASTER_VARIABLE_ROLE[IO_ROLES];
/* What the file calls a band; "" where it does not. */
const char *raster_given_name(const gdal_api *gdal, GDALRasterBandH band);
/* Names of columns, no two the same: slot [slots] is the caller's to free. False where memory is out. */
typedef struct raster_names {
    int most;
    size_t slots;
    const char **slot;
} raster_names;
bool raster_names_new(raster_names *set, int most);
void raster_names_reserve(raster_names *set, const char *name); /* which no other gets, while it lives */
/* given, or given_NUMBER where that is taken, or otherwise_NUMBER; fit for a terminal. The caller's to free; NULL: no
 * memory. */
char *raster_names_take(raster_names *set, const char *given, const char *otherwise, int number);
surekrig_status raster_name_bands(io_raster *raster, surekrig_error *error);
/* The dataset of the variable within a file that holds several, or those of all; in place of raster->set, or a
 * sentence. */
surekrig_status raster_choose_variable(io_raster *raster, const char *variable, surekrig_error *error);

/* ---- times.c */
typedef struct raster_steps {
    int count;       /* 0: the bands are no steps of one variable, or there is one */
    double *time;    /* [count] that increase; the caller's to free */
    io_dates dates;  /* what time is: days since 1970-01-01, or, IO_NO_DATES, in the file's unit */
    char plain[200]; /* why it is no date */
} raster_steps;
surekrig_status raster_find_steps(const io_raster *raster, raster_steps *steps, surekrig_error *error);

/* ---- trust.c */
/* Whether GDAL may open it, with that driver or, NULL, by its name; what it is then allowed. */
surekrig_status raster_trust(const gdal_api *gdal, const char *path, const char *driver, surekrig_error *error);

/* ---- offline.c */
void raster_go_offline(void); /* from here on the process reaches no server */

/* ---- place.c */
/* Refuses what is on no even grid, or on none that has an area; what GDAL does not place is placed by the file's axes. */
surekrig_status raster_check_place(io_raster *raster, surekrig_error *error);

/* ---- write.c */
/* The plan's coordinate system; NULL: none. *made: what the caller has to destroy, or NULL. */
surekrig_status raster_find_crs(const gdal_api *g, const io_raster_plan *plan, OGRSpatialReferenceH *crs,
                                OGRSpatialReferenceH *made, surekrig_error *error);

typedef struct raster_format {
    const char *name;          /* GDAL's driver */
    const char *const *suffix; /* ends with NULL */
    surekrig_status (*create)(io_raster_writer *writer, const io_raster_plan *plan, surekrig_error *error);
    /* Where value lies in memory as the writer's type. */
    CPLErr (*write)(io_raster_writer *writer, int band, io_role role, io_window window, void *value);
    void (*close)(io_raster_writer *writer); /* everything but the target; may be called after a failed create */
} raster_format;

extern const raster_format raster_geotiff, raster_netcdf;

struct io_raster_writer {
    io_target target;
    const gdal_api *gdal;
    const raster_format *format;
    GDALDatasetH set;
    void *state;     /* the format's */
    bool doubles;    /* else floats */
    double *missing; /* [bands] */
};

#endif
