/* One tile, in tile.c, for tiles.c. */
#ifndef CLI_FILL_TILE_H
#define CLI_FILL_TILE_H

#include "fill.h"

typedef struct tile {
    fill *f;
    int number; /* of the raster's band */
    const surekrig_model *trained;
    io_window at;
    double *out[IO_ROLES];        /* [pixels] each */
    fill_points asked;            /* what is still to be estimated */
    double *made[IO_ROLES];       /* [asked] each: mean, sd, lower, upper */
    bool *settled;                /* [asked] */
    int64_t number_asked, *order; /* [number_asked]: the pixels to be estimated, as they were read */
} tile;

int64_t tile_columns(const fill *f); /* tiles from left to right */
int64_t tile_rows(const fill *f);
uint64_t tile_key(const fill *f, int band, int64_t number);          /* of its block, where it was finished before */
surekrig_status tile_open(tile *t, int band, surekrig_error *error); /* reads it */
void tile_free(tile *t);
surekrig_status tile_estimate(tile *t, int band, surekrig_error *error); /* all that is asked, into out */
/* What a run before has finished, into out; and for the next run. */
bool tile_take_finished(tile *t, int band);
void tile_keep_finished(tile *t, int band);
void tile_take_made(tile *t); /* from made, by pixels asked, into out, */
void tile_give_made(tile *t); /* and back */

#endif
