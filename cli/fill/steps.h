/* Steps in time: what the files of 'surekrig fill' share that know of more than one. */
#ifndef CLI_FILL_STEPS_H
#define CLI_FILL_STEPS_H

#include "fill.h"

/* ---- steps.c: the way a step is filled */
surekrig_status fill_find_times(fill *f, surekrig_error *error);
void fill_window(const fill *f, int band, int *first, int *last); /* steps around it, within reach */
void fill_add_partner(fill *f, io_raster *raster, int band);      /* there is room for two */
void fill_drop_partners(fill *f);
/* Pixels that two steps have: adds their count and the sums of the numbers stored. */
void fill_compare(const double *own, const double *other, int64_t pixels, double sum[3]);
/* What a step is above the band there, as seasons make it; 0 where there is too little to tell. */
double fill_shift(const fill *f, int band, int step, const double sum[3]);
/* Before a step is trained or filled: its partners, or what others are above it. */
surekrig_status fill_begin(fill *f, const fill_band *band, surekrig_error *error);

/* ---- learn.c */
bool fill_is_shared(const fill *f); /* one training for all bands is asked for */
/* Whether the model before serves a band as it is, or lends it its hyperparameters: those of a step that it was near. */
bool fill_serves(const fill *f, const surekrig_model *before);
bool fill_lends(const fill *f, const fill_band *band, const surekrig_model *before);
/* A model of this band in place of the one before. */
surekrig_status fill_learn(fill *f, const fill_band *band, surekrig_model **model, surekrig_error *error);

/* ---- partners.c */
surekrig_status fill_make_partners(fill *f, surekrig_error *error); /* into f->filled and f->complete */

/* ---- trial.c */
/* The best of the ways on held-out pixels, into f->way, and a sentence. */
surekrig_status fill_choose_way(fill *f, surekrig_error *error);

#endif
