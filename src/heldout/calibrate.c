/* How wide intervals are, and how good predictions like the targets', from held-out points beside the batch. */
#include "heldout/inside.h"

#include <math.h>
#include <stdlib.h>

enum { JUDGES = 4096 };  /* points for the scores of the summary */
enum { FARTHER = 2048 }; /* points farther from the data */

/* Scores of a response's held-out points in the user's units. */
static surekrig_status score_one(const surekrig_model *m, const sk_holdout *h, const sk_errors *e, int64_t q,
                                 surekrig_scores *scores, surekrig_error *error)
{
    double *y = sk_doubles(3 * h->n), quantile = surekrig_model_quantile(m, q, SK_TOLD_LEVEL);
    if (!y)
        return sk_fail_memory(error, 24.0 * (double)h->n, "the training's scores");
    double *mean = y + h->n, *sd = mean + h->n;
    for (int64_t i = 0; i < h->n; i++) {
        y[i] = m->data.y[h->row[i] * m->data.l + q];
        mean[i] = y[i] - m->spread[q] * sk_errors_residual_std(m, e, i, q);
        sd[i] = m->spread[q] * sqrt(sk_errors_variance_std(m, e, i, q));
    }
    surekrig_status status = surekrig_score(&(surekrig_scored){h->n, y, mean, sd, quantile}, SK_TOLD_LEVEL, scores,
                                            error);
    free(y);
    return status;
}

void sk_scores_add(const surekrig_scores *one, int64_t l, surekrig_scores *all)
{
    double share = 1 / (double)l;
    all->level = one->level;
    all->n += one->n;
    all->mae += share * one->mae;
    all->rmse = hypot(all->rmse, sqrt(share) * one->rmse);
    all->cov += share * one->cov;
    all->crps += share * one->crps;
    all->interval += share * one->interval;
    all->logdensity += share * one->logdensity;
}

/* Responses pooled, into *scores, and, unless it is NULL, each into each [l]. */
static surekrig_status score(const surekrig_model *m, const sk_holdout *h, const sk_errors *e, surekrig_scores *scores,
                             surekrig_scores *each, surekrig_error *error)
{
    surekrig_scores one, all = {0};
    for (int64_t q = 0; q < m->data.l; q++) {
        surekrig_status status = score_one(m, h, e, q, &one, error);
        if (status)
            return status;
        if (each)
            each[q] = one;
        sk_scores_add(&one, m->data.l, &all);
    }
    *scores = all;
    return SUREKRIG_OK;
}

/* Held-out points other than those to avoid, and their errors. */
static surekrig_status hold_out(const surekrig_model *m, sk_machine *machine, sk_holdout_wish wish, sk_holdout *h,
                                sk_errors *e, surekrig_error *error)
{
    surekrig_status status = sk_holdout_new(m, wish, h, error);
    if (!status)
        status = sk_errors_new(m, h->n, SK_WANT_SCALE, e, error);
    if (!status)
        status = sk_errors_fill(machine, h, e, error);
    if (status || !e->lacking)
        return status;
    sk_holdout_free(h); /* in a group that leaves few: those without neighbours are dropped first */
    sk_errors_free(e);
    wish.once = false;
    return hold_out(m, machine, wish, h, e, error);
}

/* A quantile of few scores is as uncertain as they are few, and more cost little: as many as are set, of at most half
 * of the data, since others must judge; but where the data are few, they do both. */
static int64_t training_points(const surekrig_model *m)
{
    int64_t half = m->data.n / 2, most = half > JUDGES ? half : JUDGES;
    return m->settings->calibration < most ? m->settings->calibration : most;
}

/* What points among the data have to go by: farther off, errors are larger than those that are told. */
static surekrig_status note_seen(surekrig_model *m, const sk_errors *e, surekrig_error *error)
{
    double *share = sk_copy(e->variance_share, e->n, sizeof *share);
    if (!share)
        return sk_fail_memory(error, 8.0 * (double)e->n, "the range of the intervals");
    sk_sort(e->n, share);
    m->info.seen_share = share[e->n - 1 - e->n / 100];
    free(share);
    return SUREKRIG_OK;
}

/* Where surroundings like the targets' are found but roughly, or not at all, the shores of the targets have a say in the
 * widths; and with any targets in how far scores can be trusted, but for those that lie among the rows and have none. */
static surekrig_status widen(surekrig_model *m, sk_machine *machine, const sk_holdout *h, const sk_errors *e,
                             sk_shores *shores, surekrig_error *error)
{
    shores->none = m->kriged.targets < 1;
    surekrig_status status = SUREKRIG_OK;
    if (!shores->none && h->geometry == SK_GEOMETRY_NEAREST)
        status = sk_targets_are_as_rows(m, &shores->none, error);
    if (status || shores->none)
        return status;
    status = sk_shores_measure(m, machine, h, e, shores, error);
    if (h->geometry != SK_GEOMETRY_SIMILAR && h->geometry != SK_GEOMETRY_DISTANCE)
        shores->factor = 1;
    for (int64_t q = 0; q < m->data.l && !status; q++)
        sk_widths_widen(m, q, shores->factor);
    return status;
}

/* far: errors of the points of part 5, farther from the data than rows are from one another; for models whose widths come
 * of rows left out alone or with their group. As many whatever `calibration` says, for they count only where no other was
 * seen. far->n = 0: none. */
static surekrig_status go_farther(const surekrig_model *m, sk_machine *machine, const sk_holdout *near, sk_errors *far,
                                  double *weight, surekrig_error *error)
{
    sk_holdout h = {0};
    bool alone = near->geometry == SK_GEOMETRY_NEAREST || near->geometry == SK_GEOMETRY_GROUP;
    if (!alone || m->settings->variance != SK_VARIANCE_LOCAL)
        return SUREKRIG_OK;
    surekrig_status status = sk_holdout_choose(m, (sk_holdout_wish){.n = FARTHER, .part = 5}, &h, error);
    if (!status)
        status = sk_surround_farther(m, &h, weight, error);
    if (!status && h.n > 0)
        status = sk_errors_new(m, h.n, SK_WANT_SCALE, far, error);
    if (!status && h.n > 0)
        status = sk_errors_fill(machine, &h, far, error);
    sk_holdout_free(&h);
    return status;
}

/* The points of part 1 train widths; their rows stay in h, for others to avoid. */
static surekrig_status train_widths(surekrig_model *m, const sk_holdout *batch, sk_machine *machine, sk_holdout *h,
                                    sk_shores *shores, surekrig_error *error)
{
    sk_errors e = {0}, far = {0};
    double weight[FARTHER];
    surekrig_status status = hold_out(m, machine, (sk_holdout_wish){training_points(m), 1, batch, false, true}, h, &e,
                                      error);
    if (!status)
        status = go_farther(m, machine, h, &far, weight, error);
    if (!status)
        status = sk_widths_train(m, &e, far.n ? &(sk_farther){&far, weight} : NULL, error);
    if (!status)
        status = widen(m, machine, h, &e, shores, error);
    if (!status)
        status = note_seen(m, &e, error);
    sk_errors_free(&e);
    sk_errors_free(&far);
    return status;
}

/* Errors as beside the targets. */
static void enlarge(const surekrig_model *m, double factor, sk_errors *e)
{
    for (int64_t i = 0; i < e->n * m->data.l; i++)
        e->residual_std[i] *= factor;
    if (m->partner)
        enlarge(m->partner, factor, e->partner);
}

/* Scores of the judges, and how far those of the targets may be from them; of each response, too, where there are
 * several. seed: of the judges. */
static surekrig_status report_judges(surekrig_model *m, uint64_t seed, const sk_holdout *h, const sk_errors *e,
                                     sk_shores shores, surekrig_error *error)
{
    int64_t l = m->data.l;
    surekrig_scores *each = l > 1 ? sk_zeroed(2 * l, sizeof *each) : NULL;
    if (l > 1 && !each)
        return sk_fail_memory(error, 2.0 * (double)l * sizeof *each, "the scores of each response");
    free((surekrig_scores *)m->info.held_out_each);
    m->info.held_out_each = each;
    surekrig_status status = score(m, h, e, &m->info.held_out, each, error);
    if (!status && m->data.targets > 0)
        status = sk_margins_measure(m, h, e, shores, each ? each + l : NULL, error);
    if (!status && h->drawn > h->n)
        status = sk_unfound_add(m, seed, h, e, error);
    return status;
}

/* The points of part 3 judge, beside those to avoid as far as there are enough. */
static surekrig_status judge(surekrig_model *m, const sk_holdout *avoid, sk_machine *machine, sk_shores shores,
                             surekrig_error *error)
{
    sk_holdout judges = {0};
    sk_errors judged = {0};
    int64_t points = training_points(m), others = points < JUDGES ? points : JUDGES;
    sk_holdout_wish wish = {others, 3, avoid, true, true};
    surekrig_status status = hold_out(m, machine, wish, &judges, &judged, error);
    if (!status && !shores.none && m->kriged.targets > 0 && judges.geometry == SK_GEOMETRY_NEAREST)
        status = sk_targets_are_as_rows(m, &shores.none, error);
    if (!status)
        enlarge(m, shores.factor, &judged);
    if (!status)
        status = report_judges(m, sk_holdout_seed(m, wish), &judges, &judged, shores, error);
    m->info.accepted = judges.accepted;
    m->info.beside = shores.factor;
    m->info.holdout = (surekrig_holdout)judges.geometry;
    sk_holdout_free(&judges);
    sk_errors_free(&judged);
    return status;
}

/* The share of the batch, responses pooled, inside intervals at each level that was asked: of two models averaged. What
 * training reached is the first one's. */
static void report_coverage(surekrig_model *m, const sk_errors *e)
{
    int64_t l = m->data.l, n = e->n * l;
    double tolerance = sk_plan_from(m->settings, SK_OPTIMIZER_BAYES, 0, m->info.levels, 1 / (double)e->n).tolerance;
    for (int j = 0; j < m->info.levels; j++) {
        int64_t inside = 0;
        for (int64_t i = 0; i < n; i++)
            inside += fabs(sk_errors_residual_std(m, e, i / l, i % l)) <=
                      surekrig_model_quantile(m, i % l, m->level[j]) * sqrt(sk_errors_variance_std(m, e, i / l, i % l));
        m->coverage[j] = (double)inside / (double)n;
        if (m->info.outcome == SUREKRIG_CONVERGED && fabs(m->coverage[j] - m->level[j]) > tolerance)
            m->info.outcome = SUREKRIG_COVERAGE_NOT_MET;
    }
}

/* The share of the nearest neighbours that the model's search finds, for some points of the batch. */
static surekrig_status measure_recall(surekrig_model *m, const sk_holdout *batch, surekrig_error *error)
{
    enum { ASKED = 128, EXACT = 1 };
    int64_t k = m->info.neighbors, n = batch->n < ASKED ? batch->n : ASKED, hit = 0;
    int64_t *found = sk_alloc(n * k, sizeof *found), *nearest = sk_alloc(n * k, sizeof *nearest);
    surekrig_neighbor_query query = {.n = n, .x = batch->x, .row = batch->row};
    surekrig_status status = found && nearest ? sk_model_neighbors(m, query, found, NULL, error)
                                              : sk_fail_memory(error, 16.0 * (double)(n * k), "the recall");
    query.slack = EXACT;
    if (!status)
        status = sk_model_neighbors(m, query, nearest, NULL, error);
    for (int64_t i = 0; i < n * k && !status; i++)
        for (int64_t j = i / k * k; j < (i / k + 1) * k; j++)
            hit += found[i] == nearest[j];
    if (!status)
        m->info.recall = (double)hit / (double)(n * k);
    free(found);
    free(nearest);
    return status;
}

/* The batch once more, under what was chosen. */
static surekrig_status report_batch(surekrig_model *m, const sk_holdout *batch, sk_machine *machine,
                                    surekrig_error *error)
{
    sk_errors e = {0};
    surekrig_status status = sk_errors_new(m, batch->n, SK_WANT_SCALE, &e, error);
    if (!status)
        status = sk_errors_fill(machine, batch, &e, error);
    bool tested = m->widths.local || m->widths.scores > 0; /* errors have set the widths, so they may set the least */
    if (!status)
        status = tested ? sk_floor_train(m, machine, &e, error) : note_seen(m, &e, error);
    m->info.jittered = 0;
    m->info.max_jitter = 0;
    for (int64_t i = 0; i < batch->n && !status; i++) {
        m->info.jittered += e.kriging.jitter[i] > 0;
        m->info.max_jitter = fmax(m->info.max_jitter, e.kriging.jitter[i]);
    }
    if (!status && m->partner)
        report_coverage(m, &e);
    if (!status)
        status = score(m, batch, &e, &m->info.scores, NULL, error);
    sk_errors_free(&e);
    return status;
}

surekrig_status sk_calibrate(surekrig_model *m, const sk_holdout *batch, sk_machine *machine, surekrig_error *error)
{
    bool widths = m->settings->variance != SK_VARIANCE_GLOBAL || m->settings->interval == SK_INTERVAL_CONFORMAL ||
                  m->partner;
    sk_holdout h = {0};
    sk_shores shores = {.factor = 1};
    if (batch->geometry == SK_GEOMETRY_GROUP)
        m->info.holdout = SUREKRIG_HOLDOUT_GROUP;
    surekrig_status status = sk_nodes_train(m, error);
    if (!status && widths)
        status = train_widths(m, batch, machine, &h, &shores, error);
    if (!status)
        status = report_batch(m, batch, machine, error);
    if (!status && sk_model_slack(m) > 1)
        status = measure_recall(m, batch, error);
    if (!status && (widths || m->data.targets > 0))
        status = judge(m, widths ? &h : batch, machine, shores, error);
    sk_holdout_free(&h);
    return status;
}
