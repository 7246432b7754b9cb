/* The Lagrangian (M8) of an evaluation, minimised over gamma2 without a new factorisation.
 *
 * With g = gamma2, v_i = variance/g and t_i = |r_i|/sqrt(v_i):
 *   Q(g) = mean log v_i + log g + S/g,   S = mean t_i^2       (LOOL; the other losses do not depend on g)
 *   C_j(g) = (1/b) #{ t_i < z_j sqrt(g) }                      a step function, jumping at g = (t_i/z_j)^2
 *   L(g) = Q(g) + <lambda, C - alpha> + beta/2 |C - alpha|^2
 * Between two jumps C is constant and Q falls towards S and rises after it. So the minimum is at S or next to a jump, and
 * one merge over the sorted t_i, once for each level, visits them all: O(b levels^2), and levels are few. Several responses share the pooled
 * coverage: their scales are minimised in turn until none moves. */
#include "loss/loss.h"

#include <float.h>
#include <math.h>

/* Coverage is pooled: the sum over responses of these counts, divided by b l. */
static int64_t covered(const sk_loss *loss, const double *t, double z_times_sd)
{
    int64_t low = 0, high = loss->b; /* the first t_i that is not below the bound */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (t[middle] < z_times_sd)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double penalty(const sk_loss *loss, sk_multipliers m, const int64_t *count)
{
    double sum = 0, total = (double)(loss->b * loss->l);
    for (int j = 0; j < loss->levels; j++) {
        double gap = (double)count[j] / total - loss->alpha[j];
        sum += m.lambda[j] * gap + m.beta / 2 * gap * gap;
    }
    return sum;
}

/* The part of Q that depends on g. */
static double scale_loss(const sk_loss *loss, double mean_square, double g)
{
    return loss->kind == SK_LOSS_LOOL ? log(g) + mean_square / g : 0;
}

/* The walk over one response's jumps, in increasing g. */
typedef struct walk {
    const double *t;       /* [b] */
    int64_t next[SK_LEVELS_MAX];  /* per level: how many t_i are already covered by this response */
    int64_t count[SK_LEVELS_MAX]; /* per level: covered by all responses */
} walk;

/* The next jump above the walk's position, or infinity; *level says whose. */
static double next_jump(const sk_loss *loss, const walk *w, int *level)
{
    double nearest = INFINITY;
    for (int j = 0; j < loss->levels; j++) {
        if (w->next[j] >= loss->b)
            continue;
        double root = w->t[w->next[j]] / loss->z[j];
        if (root * root < nearest) {
            nearest = root * root;
            *level = j;
        }
    }
    return nearest;
}

/* The best g of (from, to), on which C is constant: as near S as it allows. Where the loss does not depend on g, that is
 * the scale the likelihood would choose. */
static double best_inside(double mean_square, double from, double to)
{
    double inside = fmin(1e-9, (to / from - 1) / 4); /* off the jumps themselves, where "<" decides */
    return fmin(fmax(mean_square, from * (1 + inside)), to * (1 - inside));
}

static double profile_one(const sk_loss *loss, const sk_evaluation *e, sk_multipliers m, int64_t q,
                          const int64_t *others)
{
    walk w = {.t = e->t + q * loss->b};
    double low = loss->scale_low[q], high = loss->scale_high[q], from = low, best = INFINITY, best_at = low, nearest = 0;
    for (int j = 0; j < loss->levels; j++) {
        w.next[j] = covered(loss, w.t, loss->z[j] * sqrt(low));
        w.count[j] = others[j] + w.next[j];
    }
    for (bool last = false; !last;) {
        int level = 0;
        double to = next_jump(loss, &w, &level);
        last = to >= high;
        if (to > from * (1 + 4e-9) || last) { /* jumps nearer than that are one: round-off decides their order */
            double g = fmin(fmax(best_inside(e->mean_square[q], from, fmin(to, high)), low), high);
            double value = scale_loss(loss, e->mean_square[q], g) + penalty(loss, m, w.count);
            double off = fabs(log(g / e->mean_square[q]));
            if (value < best || (value == best && off < nearest)) {
                best = value;
                best_at = g;
                nearest = off;
            }
        }
        from = fmax(from, to);
        w.next[level]++;
        w.count[level]++;
    }
    return best_at;
}

static void count_all(const sk_loss *loss, const sk_evaluation *e, const double *scale, int64_t skip, int64_t *count)
{
    for (int j = 0; j < loss->levels; j++) {
        count[j] = 0;
        for (int64_t q = 0; q < loss->l; q++)
            if (q != skip)
                count[j] += covered(loss, e->t + q * loss->b, loss->z[j] * sqrt(scale[q]));
    }
}

static void profile(const sk_loss *loss, const sk_evaluation *e, sk_multipliers m, double *scale)
{
    int64_t others[SK_LEVELS_MAX];
    for (int64_t q = 0; q < loss->l; q++) /* without a constraint: S, within its range */
        scale[q] = fmin(fmax(e->mean_square[q], loss->scale_low[q]), loss->scale_high[q]);
    bool moved = loss->levels > 0;
    for (int sweep = 0; sweep < 8 && moved; sweep++) {
        moved = false;
        for (int64_t q = 0; q < loss->l; q++) {
            if (loss->scale_low[q] >= loss->scale_high[q])
                continue;
            count_all(loss, e, scale, q, others);
            double g = profile_one(loss, e, m, q, others);
            moved |= g != scale[q] && loss->l > 1;
            scale[q] = g;
        }
    }
}

void sk_judge(const sk_loss *loss, const sk_evaluation *e, sk_multipliers m, sk_verdict *verdict)
{
    int64_t count[SK_LEVELS_MAX];
    profile(loss, e, m, verdict->scale);
    verdict->loss = loss->kind == SK_LOSS_LOOL ? (double)loss->l * e->log_variance : e->plain;
    for (int64_t q = 0; q < loss->l; q++)
        verdict->loss += scale_loss(loss, e->mean_square[q], verdict->scale[q]);
    count_all(loss, e, verdict->scale, -1, count);
    for (int j = 0; j < loss->levels; j++)
        verdict->coverage[j] = (double)count[j] / (double)(loss->b * loss->l);
    /* Errors in logarithm, so that beta weighs coverage against a relative loss whatever the data's noise. */
    double merit = loss->kind == SK_LOSS_LOOL ? verdict->loss : log(fmax(verdict->loss, DBL_MIN));
    verdict->lagrangian = merit + penalty(loss, m, count);
}
