/* How far the scores of the targets may be from those announced. */
#include "heldout/heldout.h"

#include <math.h>
#include <stdlib.h>

/* What a score is the mean of: of an error, its sd and half an interval in sd. */
typedef double value_of(double error, double sd, double half);

static double absolute(double error, double sd, double half)
{
    (void)sd, (void)half;
    return fabs(error);
}

static double square(double error, double sd, double half)
{
    (void)sd, (void)half;
    return error * error;
}

static double inside(double error, double sd, double half)
{
    return fabs(error) <= half * sd;
}

static double crps(double error, double sd, double half)
{
    (void)half;
    return sd * sk_crps(error / sd);
}

static double interval(double error, double sd, double half)
{
    return 2 * half * sd + 2 / (1 - SK_TOLD_LEVEL) * fmax(fabs(error) - half * sd, 0);
}

/* Student's t at 0.975: z (1 + (z^2 + 1) / 4 f) for not too few degrees of freedom f. */
static double student(int64_t freedom)
{
    static const double FEW[] = {INFINITY, 12.706, 4.303, 3.182, 2.776};
    double z = surekrig_quantile(SK_TOLD_LEVEL);
    return freedom < (int64_t)(sizeof FEW / sizeof *FEW) ? FEW[freedom] : z * (1 + (z * z + 1) / (4 * (double)freedom));
}

typedef struct judges {
    const surekrig_model *m;
    const sk_errors *e;
    sk_shores shores;
    sk_regions regions;
    double *value;   /* scratch, [points] */
    int64_t q, many; /* of responses q .. q + many - 1, pooled */
} judges;

/* The sd of a score's mean over the targets around the judges'; chance: of one value, at least. */
static double deviation(const judges *j, value_of *of, double least, double chance)
{
    const surekrig_model *m = j->m;
    const sk_errors *e = j->e;
    for (int64_t i = 0; i < e->n; i++)
        j->value[i] = 0;
    for (int64_t q = j->q; q < j->q + j->many; q++) {
        double half = surekrig_model_quantile(m, q, SK_TOLD_LEVEL), spread = m->spread[q];
        for (int64_t i = 0; i < e->n; i++)
            j->value[i] += of(spread * sk_errors_residual_std(m, e, i, q),
                              spread * sqrt(sk_errors_variance_std(m, e, i, q)), half) /
                           (double)j->many;
    }
    return sk_regions_deviation(&j->regions, j->value, least, chance * chance);
}

static const double INTERVAL_SD = 0.96; /* of a normal value's interval score at 0.95, over its mean */

/* How far the scores of the targets may be from those of the judges, s: by regions, and by the error of the shores'
 * factor. A score follows a factor as it is, the mean of squares twice, coverage as the normal density has it, 2 z
 * phi(z). Coverage and interval score hang on the few values outside, of which few points may show none: there chance
 * is a normal value's. */
static void measure(const judges *j, const surekrig_scores *s, surekrig_scores *out)
{
    double z = surekrig_quantile(SK_TOLD_LEVEL), falls = 2 * z * exp(-z * z / 2) / sqrt(2 * acos(-1));
    const struct {
        value_of *of;
        double follows, chance, per, *to;
    } EACH[] = {{absolute, s->mae, 0, 1, &out->mae},
                {square, 2 * s->rmse * s->rmse, 0, 2 * s->rmse, &out->rmse},
                {inside, falls, sqrt(SK_TOLD_LEVEL * (1 - SK_TOLD_LEVEL)), 1, &out->cov},
                {crps, s->crps, 0, 1, &out->crps},
                {interval, s->interval, INTERVAL_SD * s->interval, 1, &out->interval}};
    int64_t regions = j->regions.regions;
    *out = (surekrig_scores){.n = regions > 1 ? regions : 0, .logdensity = NAN, .level = SK_TOLD_LEVEL};
    for (size_t i = 0; i < sizeof EACH / sizeof *EACH && out->n; i++) {
        double differ = deviation(j, EACH[i].of, j->shores.spread * EACH[i].follows, EACH[i].chance);
        *EACH[i].to = student(out->n - 1) * hypot(differ, j->shores.error * EACH[i].follows) / EACH[i].per;
    }
    out->cov = fmin(out->cov, fmax(s->cov, 1 - s->cov)); /* a share is within 0 and 1 */
}

surekrig_status sk_margins_measure(surekrig_model *m, const sk_holdout *h, const sk_errors *e, sk_shores shores,
                                   surekrig_scores *each, surekrig_error *error)
{
    judges j = {.m = m, .e = e, .shores = shores, .value = sk_doubles(h->n), .many = m->data.l};
    surekrig_status status = j.value ? sk_regions_new(m, h, &j.regions, error)
                                     : sk_fail_memory(error, 8.0 * (double)h->n, "the regions");
    j.regions.shared = shores.none;
    if (!status)
        measure(&j, &m->info.held_out, &m->info.margin);
    for (int64_t q = 0; q < m->data.l && each && !status; q++) {
        j.q = q;
        j.many = 1;
        measure(&j, &m->info.held_out_each[q], &each[q]);
    }
    sk_regions_free(&j.regions);
    free(j.value);
    return status;
}
