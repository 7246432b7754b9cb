/* The Lagrangian (M8) of an evaluation, minimised over gamma2 without a new factorisation.
 *
 * With g = gamma2, v_i = variance/g and t_i = |r_i|/sqrt(v_i):
 *   Q(g)   the loss of a response by g: its row's scale, or constant
 *   C_j(g) = (1/b) #{ t_i < z_j sqrt(g) }                           a step function, jumping at g = (t_i/z_j)^2
 *   L(g) = Q(g) + <lambda, C - alpha> + beta/2 |C - alpha|^2        (log Q where Q is an error: merit below)
 * Between two jumps C is constant and Q falls towards its minimum S and rises after it; S = mean t_i^2 for LOOL. So the
 * minimum of L is at S or just past a jump, seen from S. A merge over the sorted t_i, once for each level, visits the
 * jumps outwards from S until the growth of Q outweighs all that the penalty could still gain: exact, and after a few
 * hundred jumps of b levels. Several responses share the pooled coverage: their scales are minimised in turn until none
 * moves. */
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

/* Q of one response where its scale is g, but for what the likelihoods have in common for all g. */
static double response_loss(const sk_loss *loss, const sk_evaluation *e, int64_t q, double g)
{
    return loss->row->scale ? loss->row->scale(loss, e, q, g) : 0;
}

/* One response, under given multipliers and with the other responses held. */
typedef struct response {
    const sk_loss *loss;
    const sk_evaluation *e;
    sk_multipliers m;
    int64_t q;
    double rest; /* of an error: the other responses' */
} response;

/* The part of L that is not penalty and depends on g. */
static double scale_loss(const response *r, double g)
{
    const sk_loss_row *row = r->loss->row;
    double value = response_loss(r->loss, r->e, r->q, g);
    return row->scale && !row->likelihood ? log(fmax(r->rest + value, DBL_MIN)) : value;
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

/* Where two places are equally good, the one nearer S: where the loss does not depend on g, that is nearest to the
 * scale the likelihood would choose. */
static void consider(lowest *best, double value, double g, double minimum)
{
    if (value < best->value || (value == best->value && fabs(log(g / minimum)) < fabs(log(best->at / minimum))))
        *best = (lowest){value, g};
}

/* From jump to jump up to `end`, until nothing farther out can be better: Q only grows on the way. On each stretch
 * without jumps the best g is the one nearest S, just past the jump, off the jump itself, where "<" decides. */
static void walk_out(const response *r, walk w, double end, lowest *best)
{
    int level = 0, direction = end > best->at ? 1 : -1;
    double jump = next_jump(r->loss, &w, direction, &level);
    while (direction > 0 ? jump < end : jump > end) {
        w.next[level] += direction;
        w.count[level] += direction;
        double from = jump;
        jump = next_jump(r->loss, &w, direction, &level);
        double to = direction > 0 ? fmin(jump, end) : fmax(jump, end), width = fabs(to / from - 1);
        if (!(width > NARROW))
            continue;
        double g = from * (1 + direction * fmin(1e-9, width / 4)), q = scale_loss(r, g);
        consider(best, q + penalty(r->loss, r->m, w.count), g, r->e->minimum[r->q]);
        if (q + least_penalty(r->loss, r->m, w.count, direction) > best->value)
            return;
    }
}

static double profile_one(const response *r, const int64_t *others)
{
    const sk_loss *loss = r->loss;
    walk w = {.t = r->e->t + r->q * loss->b};
    int level;
    double low = loss->scale_low[r->q], high = loss->scale_high[r->q];
    double start = fmin(fmax(r->e->minimum[r->q], low), high);
    for (int j = 0; j < loss->levels; j++) {
        w.next[j] = covered(loss, w.t, loss->z[j] * sqrt(start));
        w.count[j] = others[j] + w.next[j];
    }
    double below = next_jump(loss, &w, -1, &level), above = next_jump(loss, &w, 1, &level);
    double g = fmin(fmax(fmin(fmax(start, below * (1 + 1e-9)), above * (1 - 1e-9)), low), high);
    lowest best = {INFINITY, g};
    if (above > below * (1 + NARROW))
        best.value = scale_loss(r, g) + penalty(loss, r->m, w.count);
    walk_out(r, w, high, &best);
    walk_out(r, w, low, &best);
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

/* An error: the sum over the other responses; else 0, for only the logarithm of a sum ties them together. */
static double rest_of(const sk_loss *loss, const sk_evaluation *e, const double *scale, int64_t skip)
{
    double sum = 0;
    for (int64_t q = 0; !loss->row->likelihood && q < loss->l; q++)
        if (q != skip)
            sum += response_loss(loss, e, q, scale[q]);
    return sum;
}

static void profile(const sk_loss *loss, const sk_evaluation *e, sk_multipliers m, double *scale)
{
    int64_t others[SK_LEVELS_MAX];
    for (int64_t q = 0; q < loss->l; q++) /* without a constraint: S, within its range */
        scale[q] = fmin(fmax(e->minimum[q], loss->scale_low[q]), loss->scale_high[q]);
    bool moved = loss->levels > 0;
    for (int sweep = 0; sweep < 8 && moved; sweep++) {
        moved = false;
        for (int64_t q = 0; q < loss->l; q++) {
            if (loss->scale_low[q] >= loss->scale_high[q])
                continue;
            count_all(loss, e, scale, q, others);
            response one = {loss, e, m, q, rest_of(loss, e, scale, q)};
            double g = profile_one(&one, others);
            moved |= g != scale[q] && loss->l > 1;
            scale[q] = g;
        }
    }
}

void sk_judge(const sk_loss *loss, const sk_evaluation *e, sk_multipliers m, sk_verdict *verdict)
{
    int64_t count[SK_LEVELS_MAX];
    profile(loss, e, m, verdict->scale);
    verdict->loss = loss->row->likelihood ? (double)loss->l * e->log_variance : e->plain;
    for (int64_t q = 0; q < loss->l; q++)
        verdict->loss += response_loss(loss, e, q, verdict->scale[q]);
    count_all(loss, e, verdict->scale, -1, count);
    for (int j = 0; j < loss->levels; j++)
        verdict->coverage[j] = (double)count[j] / (double)(loss->b * loss->l);
    /* Errors in logarithm, so that beta weighs coverage against a relative loss whatever the data's noise. */
    double merit = loss->row->likelihood ? verdict->loss : log(fmax(verdict->loss, DBL_MIN));
    verdict->lagrangian = merit + penalty(loss, m, count);
}
