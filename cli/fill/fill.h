/* What the files of 'surekrig fill' share. */
#ifndef CLI_FILL_H
#define CLI_FILL_H

#include "cli.h"
#include "raster.h"

/* ---- frame.c: where a pixel is, in coordinates whose distances count */

/* The plane of x and y; in km, the plane of a region in degrees, or chords through the earth. */
typedef enum fill_surface { FILL_PLANE, FILL_REGION, FILL_SPHERE } fill_surface;
typedef struct fill_frame {
    io_grid grid;
    fill_surface surface;
    bool wraps;              /* the last column lies beside the first */
    int d;                   /* coordinates: 3 on the sphere; in the plane 2, or 1 where the raster is one line */
    surekrig_sphere space;   /* how that is mapped */
    double middle[2], km[2]; /* of a region: degrees, and what one of each is there */
} fill_frame;

/* Whether its coordinates, said to be degrees, are places on the earth; if not, which axis goes how far beyond. */
bool fill_on_globe(const io_grid *grid, int *axis, double *beyond);
bool fill_is_region(const io_grid *grid); /* so small that a plane of its degrees will do */
void fill_frame_new(const io_grid *grid, fill_surface surface, fill_frame *frame);
void fill_place(const fill_frame *frame, int64_t column, int64_t row, double *x);
const char *fill_axis_name(const fill_frame *frame, int axis);
/* The window with so many pixels more on each side, as far as the raster goes; columns may run over where it wraps. */
io_window fill_widen(const fill_frame *frame, io_window window, int64_t halo);
bool fill_is_whole(const fill_frame *frame, io_window window);

/* ---- points.c: pixels as points */

typedef struct fill_covariate {
    io_raster *raster;
    int band;
    char *name;
} fill_covariate;

/* Cells of a band in which pixels were counted, and which training draws from. */
typedef struct fill_count {
    io_window at;
    int64_t valid, gaps;
} fill_count;

typedef struct fill_band {
    int number;          /* of the raster, from 0 */
    int64_t valid, gaps; /* pixels with all covariates */
    int64_t hopeless;    /* missing, without a covariate: it stays so */
    double low, high;    /* of the valid ones */
    int cells;
    fill_count *cell;
    bool wanted; /* there is something to estimate, and something to do it from */
} fill_band;

/* How the steps of a cube help each other. */
typedef enum fill_way {
    FILL_ALONE,      /* not at all */
    FILL_COVARIATES, /* the mean is linear in the steps before and after, whose own gaps were filled alone */
    FILL_JOINT,      /* neighbours in space and time, some steps before and after */
    FILL_AUTO        /* what is best on held-out pixels */
} fill_way;
/* Steps that help on each side; of them as covariates at most; pixels that are compared at once. */
enum { FILL_WAYS = FILL_AUTO, FILL_REACH = 3, FILL_PARTNERS = 2, FILL_STRIP = 1 << 18 };
enum { FILL_LENT = 1 }; /* steps on each side that take over what is learned at one, jointly filled */
/* The steps at which hyperparameters are learned. */
enum { FILL_TEACHERS = 5 };
typedef struct fill_teachers {
    int count;
    const fill_band *band[FILL_TEACHERS];
} fill_teachers;

typedef struct fill {
    const cli_call *call;
    io_raster *raster;
    io_raster_writer *writer;
    fill_frame frame;
    int covariates;
    fill_covariate *covariate;
    int d;              /* frame.d + joint + covariates */
    const char **names; /* [d] */
    fill_way way;
    double *time, time_unit; /* [the raster's bands], in 1 / unit of the file's; or NULL: no steps in time */
    double *shift;     /* [the raster's bands] what a step is above the one being filled, on pixels that both have */
    int partners;      /* the last of the covariates: steps beside the one being filled */
    io_raster *filled; /* what they are read from: the partners' values, filled alone */
    int *complete;     /* [the raster's bands] where they are in it, or -1 */
    bool plain;        /* this filling is made for partners */
    char *mean, *trend, *anisotropic; /* settings without partners */
    int bands;
    fill_band *band;
    const fill_band *trained_on; /* the band whose data the model has that is in use */
    const fill_band *learned_on; /* the band for which its hyperparameters were searched */
    fill_teachers teachers;      /* and those that they are of */
    int64_t learned_from;        /* valid pixels */
    double level;
    bool smooth; /* valid pixels are estimated too */
    int threads;
    int64_t neighbors; /* as the settings say; 0: auto */
    bool fewer;        /* where there are not so many valid pixels: nobody asked for that number */
    uint64_t seed;
    int64_t tile;         /* side, in pixels */
    bool constant;        /* a band was left as it is, since all its valid pixels are equal */
    int64_t wanted, done; /* pixels to estimate in all bands, and how many are */
    surekrig_progress bar;
    cli_partial *partial;    /* tiles that are finished, while the output is not whole */
    surekrig_ranks *sharers; /* of a tile that is estimated in common; NULL: each rank has its own, or there is one */
} fill;

typedef struct fill_points {
    int64_t n, capacity;
    double *x, *y;  /* [n][d]; [n] the quantity, not the number stored for it */
    int64_t *pixel; /* [n] its place in the window it was read from */
} fill_points;

void fill_free_points(fill_points *points);
bool fill_make_room(const fill *f, fill_points *points, int64_t more);
/* The numbers stored in the raster's band, from 0, in a window; columns beyond the last are the first ones again. */
surekrig_status fill_read(fill *f, int band, io_window at, double *value, surekrig_error *error);
/* The band and the covariates, [1 + covariates][pixels]. */
surekrig_status fill_read_layers(fill *f, int band, io_window at, double *layers, surekrig_error *error);
bool fill_has_covariates(const fill *f, const double *layers, int64_t pixels, int64_t pixel);

/* What was read of a band. */
typedef struct fill_patch {
    int band;
    io_window at;
    const double *layers; /* [1 + covariates][pixels] */
} fill_patch;

/* Its pixels that have all covariates, behind those already there; either list may be NULL, and both may be one. */
surekrig_status fill_take(const fill *f, const fill_patch *patch, fill_points *valid, fill_points *gaps,
                          surekrig_error *error);
surekrig_status fill_append(fill *f, int band, io_window at, fill_points *valid, fill_points *gaps,
                            surekrig_error *error);
/* The valid pixels of the steps around it that are filled from jointly; nothing where it is filled otherwise. */
surekrig_status fill_append_steps(fill *f, int band, io_window at, fill_points *valid, surekrig_error *error);
surekrig_status fill_open_covariates(fill *f, const char *list, surekrig_error *error);

/* ---- open.c */
surekrig_status fill_open(fill *f, surekrig_error *error); /* the input, and what the call says of it */
/* Names of features and settings, as the way and the partners ask for. */
surekrig_status fill_give_roles(fill *f, surekrig_error *error);

/* ---- plan.c */
surekrig_status fill_plan_bands(fill *f, surekrig_error *error); /* which of them can be filled; none is an error */

/* ---- train.c */
surekrig_status fill_count_pixels(fill *f, surekrig_error *error);
/* Whether hyperparameters may be another step's: there is no trend or other mean of the step itself. */
bool fill_lasts(const fill *f);
/* from: the model whose hyperparameters it takes, with intervals of its own; NULL: they are searched. */
surekrig_status fill_train(fill *f, const fill_teachers *at, const surekrig_model *from, surekrig_model **model,
                           surekrig_error *error);

/* ---- fence.c */
/* The fence of a window of a band, behind what is there, without responses; none around the whole raster. */
surekrig_status fill_put_fence(const fill *f, int band, io_window w, const surekrig_model *trained, fill_points *to,
                               surekrig_error *error);
/* Which of the pixels asked have none of the fence's posts, the model's first rows, among their neighbours. */
surekrig_status fill_settle(const fill *f, const surekrig_model *fenced, int64_t posts, const fill_points *asked,
                            bool *settled, surekrig_error *error);

/* ---- tiles.c */
surekrig_status fill_tiles(fill *f, int band, const surekrig_model *model, surekrig_error *error);
bool fill_is_finished(const fill *f, int band); /* all its tiles, by a run before */

/* ---- fill.c */
/* Trains where *model does not serve, and fills into the writer. */
surekrig_status fill_one_band(fill *f, int i, surekrig_model **model, surekrig_error *error);

#endif
