/* What the files of auto = yes share (choose.c). */
#ifndef SK_CONTEST_H
#define SK_CONTEST_H

#include "train/longer.h"

typedef struct sk_contest {
    const surekrig_data *data;
    const surekrig_settings *asked;
    const surekrig_progress *progress;
    sk_choice *choice;
    int best;                  /* the trial with the least CRPS */
    int planned;               /* trials, at most */
    int64_t scales;            /* how many length scales there can be */
    bool time;                 /* one of them is time's */
    char *slopes;              /* on the sphere, what a trend is to be linear in; else NULL: all */
    bool grouped;              /* features have one in common because the user says so */
    bool by_feature;           /* each feature has a length scale without being asked */
    bool asks;                 /* the plain model asks for a second length scale */
    sk_longer longer;          /* and gets it */
    sk_start before;           /* where it then ended with one */
    sk_start start[SK_TRIALS]; /* where it ended */
    bool alike; /* the features' extents are of one order: one length scale is where those of each may begin */
    sk_judges judges;
    surekrig_settings *settings[SK_TRIALS]; /* of each trial on the path, with starts where it ended */
    sk_judged by[SK_TRIALS];                /* what held-out points say of them */
} sk_contest;

/* ---- variants.c: the settings of a trial, which are the caller's before and after */

typedef struct sk_change {
    const char *name, *value;
} sk_change;

extern const sk_change sk_changes[]; /* simplest first; ends with a NULL name */
/* Whether it makes sense: not the user's own setting, but that the groups are one of several; not for one axis. */
bool sk_change_fits(const sk_contest *contest, const sk_change *change);
bool sk_many_features(const sk_contest *contest); /* such data want more neighbours (widen.c) rather than two models */
surekrig_status sk_make_plain(const sk_contest *contest, surekrig_settings *settings, surekrig_error *error);
surekrig_status sk_make_change(const sk_contest *contest, surekrig_settings *settings, const sk_change *change,
                               surekrig_error *error);
/* For a trial: a small batch, likelihood alone, a short local search. */
surekrig_status sk_make_quick(const sk_contest *contest, surekrig_settings *settings, surekrig_error *error);
/* Of a trial that was chosen, for training in full. share: of the seconds. */
surekrig_status sk_make_full(const sk_contest *contest, int trial, double share, surekrig_error *error);

/* ---- beyond.c */

/* Whether a trend may be continued to where the targets are. */
surekrig_status sk_trend_holds(const sk_contest *contest, const surekrig_model *model, bool *holds,
                               surekrig_error *error);
bool sk_series_goes_on(const sk_contest *contest); /* one feature, with targets before or after all rows */

/* ---- trial.c */

/* Takes the settings over: they are on the path where they are the best so far. */
surekrig_status sk_try_settings(sk_contest *contest, surekrig_settings *settings, const char *what,
                                surekrig_error *error);

#endif
