/* The paper's studies and one it lacks, each from data to report by one call, on the public header and io.h alone. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "surekrig.h"

#include <stdbool.h>

typedef struct experiment_progress {
    int done, trials;    /* of all trials asked, those of an earlier run included */
    double seconds_left; /* NaN before it can be said */
    const char *now;     /* what a line may show: "trials", "figures" */
} experiment_progress;

typedef struct experiment_options {
    const char *directory; /* made where it is missing; trials found in it are kept */
    int trials;
    int64_t points;      /* of a simulated data set, both halves; 0: the study's own */
    const char *cases;   /* "0.135,0.965"; NULL: the study's own choice; "all" */
    const char *presets; /* "default,paper"; NULL: both */
    bool fresh_data;     /* new data for each trial */
    bool random_half;    /* hold out a random half instead of every other point */
    uint64_t data_seed;
    const char *train, *test;          /* files of the temperatures */
    const surekrig_settings *settings; /* what differs from a default goes to every fit; seed: that of the first trial;
                                          threads: of the study */
    int (*report)(void *user, const experiment_progress *progress); /* other than 0 stops; some times a second */
    void *user;
} experiment_options;

typedef struct experiment_result {
    int done, trials;
    double seconds; /* of this call */
    char note[512]; /* what could not be done, such as figures without gnuplot; empty: nothing */
} experiment_result;

/* Names and sentences of the studies, numbered from 0; false past the last. */
bool experiment_study(int number, const char **name, const char **sentence);
/* SUREKRIG_INVALID: an unknown study, case or preset. SUREKRIG_STOPPED: report asked to; finished trials are kept in
 * the directory, and the same call goes on from them. */
surekrig_status experiment_run(const char *study, const experiment_options *options, experiment_result *result,
                               surekrig_error *error);

#endif
