/* The scores of targets for which no place was found in the data. Those that found one can be the easy ones: between
 * lines that were flown, only targets on a line have their like among the rows. What held-out points come to then is no
 * news of the others, but how their errors compare with their sd is, and the sd of the others is known. With z the
 * held-out errors in their sd, and s the sd of the targets without a place, a score that grows with sd is
 *   mean s . score(z),   RMSE^2 = mean s^2 . mean z^2,
 * and coverage that of z. Of all targets: in the shares of the two kinds. Where the noise of each row is known, these
 * targets have that of the held-out rows in turn. */
#include "heldout/inside.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED = 1024 }; /* of them, at most */

/* Of the targets that were drawn, by number: without a place. */
static int64_t *list(const sk_holdout *h, int64_t *many)
{
    int64_t *number = sk_alloc(h->drawn, sizeof *number), missing = 0;
    bool *found = sk_zeroed(h->drawn, sizeof *found);
    for (int64_t i = 0; i < h->n && number && found; i++)
        found[h->target[i] - 1] = true;
    for (int64_t i = 0; i < h->drawn && number && found; i++)
        if (!found[i])
            number[missing++] = i;
    if (!found) {
        free(number);
        number = NULL;
    }
    free(found);
    *many = missing;
    return number;
}

/* block: of ASKED at most of these targets, evenly chosen, kriged. */
static surekrig_status krige(const surekrig_model *m, uint64_t seed, int64_t many, const int64_t *number,
                             sk_block *block, surekrig_error *error)
{
    int64_t n = many < ASKED ? many : ASKED, d = m->data.d;
    surekrig_status status = sk_block_open(m, n, sk_thread_setting(m->settings), block, error);
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t target = sk_holdout_target_number(m, seed, number[i * many / n]);
        memcpy(block->x + i * d, m->data.target + target * d, (size_t)d * sizeof *block->x);
    }
    return status ? status : sk_block_predict(block, n, (sk_wanted){true, true}, NULL, error);
}

/* Scores of held-out errors in their sd. z: [3 n] scratch. */
static surekrig_status score_sizes(const surekrig_model *m, const sk_errors *e, int64_t q, double *z,
                                   surekrig_scores *scores, surekrig_error *error)
{
    double *mean = z + e->n, *sd = mean + e->n;
    for (int64_t i = 0; i < e->n; i++) {
        z[i] = sk_widths_size(m, e, i, q);
        mean[i] = 0;
        sd[i] = 1;
    }
    return surekrig_score(&(surekrig_scored){e->n, z, mean, sd, surekrig_model_quantile(m, q, SK_TOLD_LEVEL)},
                          SK_TOLD_LEVEL, scores, error);
}

/* Of the i-th of these targets: of an observation, and no less than round-off, as held-out errors have it. */
static double sd_at(const sk_block *block, const sk_holdout *h, int64_t i, int64_t q)
{
    const surekrig_model *m = block->m;
    double noise = m->data.noise ? m->data.noise[h->row[i % h->n]] : 0;
    double least = m->spread[q] * sqrt(m->hyper.gamma2_std[q] * (double)h->k * DBL_EPSILON);
    return fmax(sk_block_sd(block, i, q, false, noise), least);
}

/* What the targets without a place are like. */
typedef struct others {
    const sk_block *block;
    const sk_holdout *held;
    double share; /* of all targets */
} others;

/* of: held-out points' scores of response q; z: their scores in sd. */
static void mix(const others *o, int64_t q, const surekrig_scores *z, surekrig_scores *of)
{
    double n = (double)o->block->capacity, share = o->share, sd = 0, square = 0, logarithm = 0;
    for (int64_t i = 0; i < o->block->capacity; i++) {
        double s = sd_at(o->block, o->held, i, q);
        sd += s / n;
        square += s * s / n;
        logarithm += log(s) / n;
    }
    of->mae += share * (sd * z->mae - of->mae);
    of->rmse = hypot(sqrt(1 - share) * of->rmse, sqrt(share * square) * z->rmse);
    of->cov += share * (z->cov - of->cov);
    of->crps += share * (sd * z->crps - of->crps);
    of->interval += share * (sd * z->interval - of->interval);
    of->logdensity += share * (z->logdensity - logarithm - of->logdensity);
}

/* Margins are as large beside the scores as they were. */
static void follow(const surekrig_scores *before, const surekrig_scores *now, surekrig_scores *margin)
{
    margin->mae *= before->mae > 0 ? now->mae / before->mae : 1;
    margin->rmse *= before->rmse > 0 ? now->rmse / before->rmse : 1;
    margin->crps *= before->crps > 0 ? now->crps / before->crps : 1;
    margin->interval *= before->interval > 0 ? now->interval / before->interval : 1;
}

static surekrig_status add(surekrig_model *m, const others *o, const sk_errors *e, surekrig_error *error)
{
    int64_t l = m->data.l;
    surekrig_scores *each = l > 1 ? (surekrig_scores *)m->info.held_out_each : &m->info.held_out,
                    all = m->info.held_out, pooled = {0};
    surekrig_scores *margin = l > 1 ? each + l : &m->info.margin, z;
    double *scratch = sk_doubles(3 * e->n);
    surekrig_status status = scratch ? SUREKRIG_OK : sk_fail_memory(error, 24.0 * (double)e->n, "the scores expected");
    for (int64_t q = 0; q < l && !status; q++) {
        surekrig_scores before = each[q];
        status = score_sizes(m, e, q, scratch, &z, error);
        if (!status)
            mix(o, q, &z, &each[q]);
        if (!status)
            follow(&before, &each[q], &margin[q]);
        sk_scores_add(&each[q], l, &pooled);
    }
    free(scratch);
    if (!status && l > 1) {
        m->info.held_out = pooled;
        follow(&all, &m->info.held_out, &m->info.margin);
    }
    return status;
}

surekrig_status sk_unfound_add(surekrig_model *m, uint64_t seed, const sk_holdout *h, const sk_errors *e,
                               surekrig_error *error)
{
    sk_block block = {0};
    int64_t many, *number = list(h, &many);
    surekrig_status status = number ? SUREKRIG_OK
                                    : sk_fail_memory(error, 9.0 * (double)h->drawn, "targets without a place");
    if (!status && many > 0) {
        status = krige(m, seed, many, number, &block, error);
        if (!status)
            status = add(m, &(others){&block, h, (double)many / (double)h->drawn}, e, error);
        sk_block_close(&block);
    }
    free(number);
    return status;
}
