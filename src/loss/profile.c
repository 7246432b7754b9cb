/* The Lagrangian (M8) of an evaluation, minimised over gamma2 without a new factorisation.
 *
 * With g = gamma2, v_i = variance/g and t_i = |r_i|/sqrt(v_i):
 *   Q(g) = mean log v_i + log g + S/g,   S = mean t_i^2       (LOOL; the other losses do not depend on g)
 *   C_j(g) = (1/b) #{ t_i < z_j sqrt(g) }                      a step function, jumping at g = (t_i/z_j)^2
 *   L(g) = Q(g) + <lambda, C - alpha> + beta/2 |C - alpha|^2
 * Between two jumps C is constant and Q falls towards S and rises after it. So the minimum is at S or just past a jump, seen
 * from S. A merge over the sorted t_i, once for each level, visits the jumps outwards from S until the growth of Q outweighs
 * all that the penalty could still gain: exact, and after a few hundred jumps of b levels. Several responses share the
 * pooled coverage: their scales are minimised in turn until none moves. */
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

static bool is_likelihood(const sk_loss *loss)
{
    return loss->kind == SK_LOSS_LOOL || loss->kind == SK_LOSS_BLOCK;
}

/* The part of Q that depends on g. */
static double scale_loss(const sk_loss *loss, double mean_square, double g)
{
    return is_likelihood(loss) ? log(g) + mean_square / g : 0;
}

/* A walk over one response's jumps, outwards from S. */
typedef struct walk {
    const double *t;              /* [b] */
    int64_t next[SK_LEVELS_MAX];  /* per level: how many t_i are covered by this response */
    int64_t count[SK_LEVELS_MAX]; /* per level: covered by all responses */
} walk;

static const double NARROW = 4e-9; /* jumps nearer than that are one: round-off decides their order */

/* The best g so far. */
typedef struct lowest {
    double value, at;
} lowest;

/* The next jump above the walk's place (direction 1) or below it (-1), or the end of the line; *level says whose. */
static double next_jump(const sk_loss *loss, const walk *w, int direction, int *level)
{
    double nearest = direction > 0 ? INFINITY : 0;
    for (int j = 0; j < loss->levels; j++) {
        int64_t i = direction > 0 ? w->next[j] : w->next[j] - 1;
        if (i < 0 || i >= loss->b)
            continue;
        double root = w->t[i] / loss->z[j], jump = root * root;
        if (direction > 0 ? jump < nearest : jump > nearest) {
            nearest = jump;
            *level = j;
        }
    }
    return nearest;
}

/* The least penalty at this place or farther out, where every C_j can only grow (direction 1) or fall (-1). */
static double least_penalty(const sk_loss *loss, sk_multipliers m, const int64_t *count, int direction)
{
    double sum = 0, total = (double)(loss->b * loss->l);
    for (int j = 0; j < loss->levels; j++) {
        double gap = (double)count[j] / total - loss->alpha[j], bottom = -m.lambda[j] / m.beta;
        if (!(m.beta > 0))
            bottom = m.lambda[j] > 0 ? -1 : 1; /* a line: its lower end */
        gap = direction > 0 ? fmax(gap, fmin(bottom, 1)) : fmin(gap, fmax(bottom, -1));
        sum += m.lambda[j] * gap + m.beta / 2 * gap * gap;
    }
    return sum;
}

/* Where two places are equally good, the one nearer S: where the loss does not depend on g, that is nearest to the scale
 * the likelihood would choose. */
static void consider(lowest *best, double value, double g, double mean_square)
{
    if (value < best->value ||
        (value == best->value && fabs(log(g / mean_square)) < fabs(log(best->at / mean_square))))
        *best = (lowest){value, g};
}

/* From jump to jump up to `end`, until nothing farther out can be better: Q only grows on the way. On each stretch without
 * jumps the best g is the one nearest S, just past the jump, off the jump itself, where "<" decides. */
static void walk_out(const sk_loss *loss, sk_multipliers m, double mean_square, walk w, double end, lowest *best)
{
    int level = 0, direction = end > best->at ? 1 : -1;
    double jump = next_jump(loss, &w, direction, &level);
    while (direction > 0 ? jump < end : jump > end) {
        w.next[level] += direction;
        w.count[level] += direction;
        double from = jump;
        jump = next_jump(loss, &w, direction, &level);
        double to = direction > 0 ? fmin(jump, end) : fmax(jump, end), width = fabs(to / from - 1);
        if (!(width > NARROW))
            continue;
        double g = from * (1 + direction * fmin(1e-9, width / 4)), q = scale_loss(loss, mean_square, g);
        consider(best, q + penalty(loss, m, w.count), g, mean_square);
        if (q + least_penalty(loss, m, w.count, direction) > best->value)
            return;
    }
}

static double profile_one(const sk_loss *loss, const sk_evaluation *e, sk_multipliers m, int64_t q,
                          const int64_t *others)
{
    walk w = {.t = e->t + q * loss->b};
    int level;
    double low = loss->scale_low[q], high = loss->scale_high[q], mean_square = e->mean_square[q];
    double start = fmin(fmax(mean_square, low), high);
    for (int j = 0; j < loss->levels; j++) {
        w.next[j] = covered(loss, w.t, loss->z[j] * sqrt(start));
        w.count[j] = others[j] + w.next[j];
    }
    double below = next_jump(loss, &w, -1, &level), above = next_jump(loss, &w, 1, &level);
    double g = fmin(fmax(fmin(fmax(start, below * (1 + 1e-9)), above * (1 - 1e-9)), low), high);
    lowest best = {INFINITY, g};
    if (above > below * (1 + NARROW))
        best.value = scale_loss(loss, mean_square, g) + penalty(loss, m, w.count);
    walk_out(loss, m, mean_square, w, high, &best);
    walk_out(loss, m, mean_square, w, low, &best);
    return best.at;
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
    verdict->loss = is_likelihood(loss) ? (double)loss->l * e->log_variance : e->plain;
    for (int64_t q = 0; q < loss->l; q++)
        verdict->loss += scale_loss(loss, e->mean_square[q], verdict->scale[q]);
    count_all(loss, e, verdict->scale, -1, count);
    for (int j = 0; j < loss->levels; j++)
        verdict->coverage[j] = (double)count[j] / (double)(loss->b * loss->l);
    /* Errors in logarithm, so that beta weighs coverage against a relative loss whatever the data's noise. */
    double merit = is_likelihood(loss) ? verdict->loss : log(fmax(verdict->loss, DBL_MIN));
    verdict->lagrangian = merit + penalty(loss, m, count);
}
