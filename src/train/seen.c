/* The first neighbours. Of a few stations with long series all nearest rows are the station's own, so that they do not
 * tell how stations correlate: a length scale that no neighbour tells of wanders off, and the metric that is fitted with
 * it finds the same rows again. So a part of the metric in which next to all neighbours are where their point is gets
 * shorter distances, until half of them are elsewhere: what the length scale is worth, training then finds. */
#include "train/train.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 12 };
static const double UNSEEN = 0.9, SEEN = 0.5; /* shares of neighbours, beyond those that chance puts there */
static const double STEP = 2;                 /* the sides of such a part */

static bool same_place(const sk_metric_part *part, const double *p, const double *q)
{
    for (int64_t i = 0; i < part->coordinates; i++)
        if (p[part->coordinate[i]] != q[part->coordinate[i]])
            return false;
    return true;
}

/* Of the batch's neighbours, the share that lies where the point does as far as the part tells: over what the same number
 * of any points of the batch would have, which is much where one value is frequent. */
static double share_alike(const sk_training *t, const sk_metric_part *part)
{
    const sk_holdout *h = &t->batch;
    int64_t d = t->m->kriged.d, alike = 0, chance = 0, all = 0;
    for (int64_t i = 0; i < h->n; i++)
        for (int64_t j = 0; j < (h->count ? h->count[i] : h->k); j++, all++) {
            const double *x = h->x + i * d, *any = h->x + (i + 1 + j * h->n / h->k) % h->n * d;
            alike += same_place(part, x, t->m->kriged.x + h->neighbor[i * h->k + j] * d);
            chance += same_place(part, x, any);
        }
    return chance < all ? (double)(alike - chance) / (double)(all - chance) : 0;
}

/* Which parts are not seen; how many. */
static int64_t find_unseen(const sk_training *t, double share, bool *unseen)
{
    const sk_metric *metric = &t->m->metric;
    int64_t count = 0;
    for (int64_t p = 0; p < metric->parts; p++) {
        unseen[p] &= isfinite(t->m->frame.side[metric->part[p].coordinate[0]]) &&
                     share_alike(t, &metric->part[p]) > share;
        count += unseen[p];
    }
    return count;
}

/* A training with the neighbours of these sides. */
static surekrig_status reopen(sk_training *t, const double *side, surekrig_error *error)
{
    surekrig_model *m = t->m;
    const surekrig_progress *progress = t->ticker.progress;
    double neighbours = m->phase[1].seconds;
    sk_training_close(t);
    surekrig_status status = sk_model_reframe(m, side, error);
    if (!status)
        status = sk_training_open(m, progress, t, error);
    if (!status)
        m->phase[1].seconds += neighbours;
    return status;
}

surekrig_status sk_training_see_all(sk_training *t, surekrig_error *error)
{
    const sk_metric *metric = &t->m->metric;
    double *side = sk_copy(t->m->frame.side, t->m->frame.d, sizeof *side);
    bool *unseen = sk_alloc(metric->parts, sizeof *unseen);
    surekrig_status status = side && unseen ? SUREKRIG_OK
                                            : sk_fail_memory(error, 16.0 * (double)t->m->frame.d, "the metric");
    for (int64_t p = 0; p < metric->parts && !status; p++)
        unseen[p] = true;
    int64_t left = status ? 0 : find_unseen(t, UNSEEN, unseen);
    for (int step = 0; step < STEPS && left > 0 && left < metric->parts && !status; step++) {
        for (int64_t p = 0; p < metric->parts; p++)
            for (int64_t i = 0; i < metric->part[p].coordinates && unseen[p]; i++)
                side[metric->part[p].coordinate[i]] *= STEP;
        status = reopen(t, side, error);
        left = status ? 0 : find_unseen(t, SEEN, unseen);
    }
    free(side);
    free(unseen);
    if (status)
        sk_training_close(t);
    return status;
}
