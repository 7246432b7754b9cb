/* What the files of 'surekrig predict' and 'surekrig krige' share. */
#ifndef CLI_PREDICT_H
#define CLI_PREDICT_H

#include "cli.h"
#include "raster.h"

/* ---- levels.c */
enum { PREDICT_LEVELS = 16 };

typedef struct predict_levels {
    int count;
    double level[PREDICT_LEVELS];
    char bound[2 * PREDICT_LEVELS][32];       /* "lower", "upper"; with several levels "lower_0.9", ... */
    const char *what[2 * PREDICT_LEVELS + 3]; /* mean, sd and these; ends with NULL */
} predict_levels;

/* "0.9,0.95" of --level, or 0.95. levels is zero before, and stays where it is: what points into it. */
surekrig_status predict_read_levels(const cli_call *call, predict_levels *levels, surekrig_error *error);

/* ---- raster.c */
/* Predictions as a raster: for each response the mean, sd, lower and upper. */
typedef struct predict_raster {
    io_raster_writer *writer;
    io_grid grid;
    char crs[16]; /* "EPSG:32633", where grid.crs is made here */
    int bands;
    char **name;   /* [bands] */
    int64_t done;  /* pixels */
    double *value; /* [PREDICT_ROWS] */
} predict_raster;

/* At once, at most; where points share a lattice's nodes, as many as the model has rows: so more is shared. */
enum { PREDICT_ROWS = 65536, PREDICT_ROWS_MOST = 1 << 20 };

typedef struct predicted {
    int64_t rows, l;
    const double *value[IO_ROLES]; /* [rows][l] each: mean, sd, lower and upper */
} predicted;

typedef struct predict_plan {
    const surekrig_info *info;
    const surekrig_data *data;
    const io_reader *reader; /* of POINTS, whose grid it has; NULL: the grid is --grid's */
    const cli_grid *grid;
    double level;
} predict_plan;

surekrig_status predict_raster_open(const cli_call *call, const predict_plan *plan, predict_raster *raster,
                                    surekrig_error *error);
/* How many pixels to predict next: whole lines, or a part of one. */
int64_t predict_raster_batch(const predict_raster *raster);
surekrig_status predict_raster_write(predict_raster *raster, const predicted *batch, surekrig_error *error);
void predict_raster_free(predict_raster *raster); /* not the file, which is the command's */

/* ---- stream.c: what goes in and out of a run; read, then open, then predict_all */
typedef struct predict_stream {
    const surekrig_info *info;
    bool trains;       /* krige: what is said of tables is of TRAIN's, too */
    bool calibrated;   /* the intervals are for just these points */
    io_reader *reader; /* NULL: the grid's cells are predicted */
    io_dates *dates;   /* [d] how POINTS write each feature */
    int keeps;         /* --keep: columns of POINTS that are carried over */
    int *kept;         /* [keeps] */
    cli_grid grid;
    io_writer *writer;
    bool is_raster; /* the output */
    bool apart;     /* of many ranks each reads, predicts and writes a part of the points, */
    int64_t first;  /* which begins with this one */
    predict_raster raster;
    bool mean_only, latent, noisy; /* noisy: --noise is given */
    int threads, columns, each;    /* columns: of the output; each: of them, of a response */
    predict_levels levels;
    int64_t at_once;          /* points */
    double *read, *x, *noise; /* [at_once][d + noisy], [..][d], [..] */
    double *mean, *sd, *row;  /* [at_once][l], [..][l], [..][columns] */
    double *lower, *upper;    /* [at_once][l][levels] */
    bool apiece;              /* a model of each response, whose predictions come into own, */
    double *own;              /* [at_once][2 + 2 levels], before they stand beside others' */
    int64_t rows, missing;    /* read; and of these without all features */
    int64_t jittered, beyond; /* of those predicted */
    double max_jitter;
    cli_partial *partial; /* what is finished, while the output is not whole */
    double aim;           /* a sum of the points that intervals are for, where they are calibrated */
} predict_stream;

/* What the options say, made for predict_close also after a failure. */
surekrig_status predict_read(const cli_call *call, predict_stream **made, surekrig_error *error);
/* POINTS and the output. Of info, which stays the caller's, the names and their numbers. data: what is predicted from,
 * no longer asked then. */
surekrig_status predict_open(const cli_call *call, const surekrig_info *info, const surekrig_data *data,
                             predict_stream *stream, surekrig_error *error);
void predict_close(predict_stream *stream); /* NULL: nothing happens */

/* ---- points.c */
surekrig_status predict_open_points(const cli_call *call, predict_stream *stream, surekrig_error *error);
/* The next points, at most limit, into x and noise; *rows = 0 at the end. */
surekrig_status predict_next_points(predict_stream *stream, int64_t limit, int64_t *rows, surekrig_error *error);
surekrig_status predict_check_points(const char *path, surekrig_error *error); /* can it be read twice? */
/* The points to be predicted, all at once: of the file, or the grid's cells. */
surekrig_status predict_read_targets(const cli_call *call, const surekrig_info *info, const predict_stream *stream,
                                     cli_points *targets, surekrig_error *error);
void predict_tell_dropped(const cli_call *call, const cli_points *targets); /* where some miss a feature */

/* ---- predictions.c */
surekrig_status predict_create(const cli_call *call, const surekrig_data *data, predict_stream *stream,
                               surekrig_error *error);
surekrig_status predict_write(predict_stream *stream, int64_t rows, surekrig_error *error);

/* ---- blocks.c */
/* model: one of all responses, or one of each. */
surekrig_status predict_all(const cli_call *call, const surekrig_model *const *model, predict_stream *stream,
                            surekrig_error *error);

/* ---- predict.c */
void predict_tell(const cli_call *call, const predict_stream *stream);

/* Where to predict and what to write, in predict and krige. */
#define PREDICT_PLACES                                                                                                                \
    {"grid", 0, "BOX",                                                                                                                \
     "Instead of POINTS: xmin,ymin,xmax,ymax,step, the centers of square cells; or ...,xstep,ystep; of one feature xmin,xmax,step."}, \
        {"crs", 0, "NAME",                                                                                                            \
         "With --grid and a raster: its coordinate system, as 32633 for EPSG:32633; default: that of lon and lat where they are."},   \
        {"level", 0, "LEVELS",                                                                                                        \
         "Of the interval; default 0.95. Several, as 0.5,0.9, give columns lower_0.5, upper_0.5, and so on."},                        \
    {                                                                                                                                 \
        "keep", 0, "NAMES", "Columns of POINTS to carry over into a CSV, text too, as id,name; all: every one."                       \
    }

#endif
