/* Pictures by gnuplot: scripts with their data, which a user can edit and run again, and what runs them. On the public
 * header and io.h alone; the studies and the command draw with it. */
#ifndef SUREKRIG_REPORT_H
#define SUREKRIG_REPORT_H

#include "surekrig.h"

#include <stdbool.h>
#include <stdio.h>

/* Colours that those who confuse red and green tell apart (Okabe and Ito). */
#define REPORT_BLUE "#0072B2"
#define REPORT_ORANGE "#E69F00"
#define REPORT_GREEN "#009E73"
#define REPORT_PURPLE "#CC79A7"

/* ---- style.c: what all scripts have in common */
/* set terminal; kind: "png", "svg" or "pdf"; width and height in pixels of SVG, of which PNG has twice as many. */
void report_terminal(FILE *to, const char *kind, int width, int height);
void report_style(FILE *to);
void report_viridis(FILE *to); /* the palette: equal steps look equal, in grey too */
/* Its colour from 0 to 1, as "#440154". The end is too light for lines on white. */
void report_colour(double share, char colour[8]);
/* 1, 2 or 5 times a power of ten, with at most so many of them in the range. */
double report_step(double range, double most);
/* A name as gnuplot's string, whatever is in it. */
void report_text(FILE *to, const char *text);

/* ---- gnuplot.c */
typedef enum report_end { REPORT_DRAWN, REPORT_NO_GNUPLOT, REPORT_FAILED, REPORT_STOPPED } report_end;
extern const char report_install[]; /* where gnuplot comes from, as the end of a sentence */
bool report_gnuplot_there(void);
/* Runs a script of the folder there; what gnuplot says goes to gnuplot.log beside it. stop: asked when a signal comes;
 * other than 0 ends gnuplot; NULL: never. */
report_end report_gnuplot(const char *folder, const char *script, int (*stop)(void));

/* ---- picture.c: one picture at a path of the user's, which appears whole or not at all */
typedef struct report_picture {
    FILE *script, *data; /* to be written between opening and drawing */
    const char *path;    /* the caller's, for sentences */
    char *final;         /* what the picture replaces or becomes */
    char *folder;        /* beside it, where everything is made */
    int held;            /* what says that the folder is in use */
    char *stem;          /* the picture's name without folder and suffix */
    const char *kind;    /* its suffix */
} report_picture;

/* "png", "svg" or "pdf", by the path's end; NULL: none of them. */
const char *report_picture_kind(const char *path);
/* STEM.SUFFIX beside the picture of that path, as its script is kept: the caller's to free; NULL: it cannot be told. */
char *report_picture_beside(const char *path, const char *suffix);
/* path must be of a kind. */
surekrig_status report_picture_open(const char *path, report_picture *picture, surekrig_error *error);
/* The first lines of the script. */
void report_picture_begin(report_picture *picture, int width, int height);
void report_picture_name_data(report_picture *picture); /* into the script */
/* Runs gnuplot and puts the picture in its place; keep: script and data beside it, as STEM.gp and STEM.gp.dat. */
surekrig_status report_picture_draw(report_picture *picture, bool keep, int (*stop)(void), surekrig_error *error);
/* Removes what is left of it; after drawing too. Accepts one that was never opened (all zero). */
void report_picture_close(report_picture *picture);

/* ---- lattice.c */
void report_sort(int64_t n, double *value);
/* Sorts the values and keeps each once, also where they differ by round-off; how many. */
int64_t report_distinct(int64_t n, double *value);

/* ---- thin.c: points thinned to a picture */
typedef struct report_thin report_thin;

/* What a map is drawn from. */
typedef struct report_thinned {
    int64_t points, missing;    /* places with a value, and without */
    bool dots;                  /* so few scattered points that each is drawn */
    bool grid;                  /* the cells are those of the points' own grid, or blocks of them */
    const double *dot;          /* dots: [points + missing][3]: x, y, value or NaN */
    int64_t filled;             /* cells or dots that have a value */
    int size[2];                /* else: cells across and up, */
    double first[2], step[2];   /* the center of the first and the distance to the next, */
    const double *mean;         /* and [size[1]][size[0]] the mean of the values in each, NaN where there is none */
    double box[2][2], range[2]; /* least and largest of x, of y, and of what is drawn */
} report_thinned;

surekrig_status report_thin_new(report_thin **thin, surekrig_error *error);
void report_thin_free(report_thin *thin);
/* point: [n][3]: x, y and the value. A point without a place is left out. */
surekrig_status report_thin_add(report_thin *thin, int64_t n, const double *point, surekrig_error *error);
/* thinned stays valid as long as thin does. */
surekrig_status report_thin_end(report_thin *thin, report_thinned *thinned, surekrig_error *error);

/* ---- map.c */
typedef struct report_map {
    const char *name[3]; /* of x, y and the value */
    const char *title;   /* or NULL */
    double unit;         /* how long a unit of y is beside one of x; 0: both axes fill the picture */
    double range[2];     /* of the colours */
} report_map;

void report_map_draw(const report_map *map, const report_thinned *thinned, report_picture *picture);

/* ---- calibration.c */
typedef struct report_curve {
    int levels, curves;
    const double *level;     /* [levels] nominal */
    const double *coverage;  /* [curves][levels] empirical */
    const char *const *name; /* [curves] */
    const char *title;       /* or NULL */
    int64_t n;               /* points that each is from, at least */
} report_curve;

void report_curve_draw(const report_curve *curve, report_picture *picture);

/* ---- variogram.c */
typedef struct report_variogram {
    int classes;
    const double *distance, *semivariance, *pairs; /* [classes] */
    int steps;                                     /* of the fitted curve; 0: there is none */
    const double *step, *fitted;                   /* [steps] */
    double range;                                  /* the practical one; NaN: none to show */
    const char *unit;                              /* of the distances, as words of the axis */
    const char *response, *title;                  /* title: or NULL */
} report_variogram;

void report_variogram_draw(const report_variogram *variogram, report_picture *picture);

/* ---- trace.c: what the multipliers did, round by round */
enum report_trace_kind { REPORT_OBJECTIVE, REPORT_COVERAGE, REPORT_MULTIPLIER, REPORT_TRACES };
extern const char *const report_trace_label[REPORT_TRACES];
void report_trace_data(FILE *to, const surekrig_info *info);
/* One panel, from such a file. */
void report_trace_panel(FILE *to, const char *file, int levels, int rounds, enum report_trace_kind kind);
/* The levels' names in their colours, above everything: a key inside would cover some curve. */
void report_trace_key(FILE *to, int levels, const double *level, int width,
                      double top); /* of the picture; as a share */
/* Of one model: objective and coverage by evaluation where they were kept, multipliers by round. */
void report_trace_draw(const surekrig_info *info, const char *title, report_picture *picture);

#endif
