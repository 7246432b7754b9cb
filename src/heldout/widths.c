/* Widths of intervals from held-out errors (model.h says how): the coefficients by Gaussian likelihood, Newton's method
 * on
 *   sum  w_i (t_i + r_i^2 exp(-t_i)),   t_i = b'f_i,   f_i = (1, log v_i, log^2 v_i, log s_i, log v_i log s_i, log c_i),
 * which is convex; w_i is 1, but for errors farther from the data, which go together (hands.c). Drawn towards the model's
 * own widths, b = (log gamma2, 1, 0, 0, 0, 0), by a weight of PRIOR points. An error beyond CAP sd counts as one of CAP
 * sd, or a few outliers would widen all intervals; of normal errors that takes less than 1 % off the variance. An error
 * below LEAST of the root mean square counts as that: where all around is equal, as where no rain falls, errors are next
 * to nothing, and slopes that follow them there give sd of any size elsewhere. For the same reason scores there, where the
 * sd is below FLAT of the root mean square, capped as above, are far below others', and would make the others' intervals
 * too narrow: at each rank the larger counts of the score among all points and among those elsewhere. */
#include "heldout/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PRIOR = 20; /* points' worth of faith in the kriging variance */
static const double CAP = 3;
static const double LEAST = 0.03, FLAT = 0.3;
enum { STEPS = 50, ROUNDS = 3 };
enum { ELSEWHERE = 20 }; /* points, and one in so many: fewer say nothing */
enum { PLENTY = 4000 };  /* points: some hundreds for each coefficient */
enum { NORMAL = 200 };   /* scores of a normal distribution as wide beside those of fewer: quantiles of few scatter */

/* What was seen, but for one in a hundred at either end. */
static void set_range(int64_t n, double *value, double *low, double *high, double *middle)
{
    double sum = 0;
    sk_sort(n, value);
    *low = value[n / 100];
    *high = value[n - 1 - n / 100];
    for (int64_t i = 0; i < n; i++)
        sum += fmin(fmax(value[i], *low), *high) / (double)n;
    *middle = sum;
}

/* What coefficients are trained by: every step-th error. */
typedef struct lesson {
    const sk_errors *e;
    const double *weight; /* [n] of each error, where step is 1; NULL: 1 */
    int64_t step, n;
    double *f;      /* [n][SK_WIDTH_TERMS] */
    double *square; /* [n] of errors */
    double *capped; /* [n] the same, as far as they count */
    double prior[SK_WIDTH_TERMS];
} lesson;

static double weight_of(const lesson *of, int64_t i)
{
    return of->weight ? of->weight[i] : 1;
}

/* b'f of point i. */
static double level_at(const lesson *of, const double *b, int64_t i)
{
    double s = 0;
    for (int a = 0; a < SK_WIDTH_TERMS; a++)
        s += b[a] * of->f[i * SK_WIDTH_TERMS + a];
    return s;
}

static double objective(const lesson *of, const double *square, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < of->n; i++) {
        double s = level_at(of, b, i);
        sum += weight_of(of, i) * (s + square[i] * exp(-s));
    }
    for (int a = 1; a < SK_WIDTH_TERMS; a++)
        sum += PRIOR / 2 * (b[a] - of->prior[a]) * (b[a] - of->prior[a]);
    return sum;
}

/* step: the Newton step from b, into step. false: no descent. */
static bool newton_step(const lesson *of, const double *square, const double *b, double *step)
{
    enum { T = SK_WIDTH_TERMS, WIDE = T + 1 };
    double h[T * WIDE] = {0};
    for (int64_t i = 0; i < of->n; i++) {
        const double *g = of->f + i * T;
        double w = weight_of(of, i), z = w * square[i] * exp(-level_at(of, b, i));
        for (int a = 0; a < T; a++) {
            h[a * WIDE + T] += (z - w) * g[a]; /* minus the gradient */
            for (int c = a; c < T; c++)
                h[a * WIDE + c] += z * g[a] * g[c];
        }
    }
    for (int a = 0; a < T; a++) {
        h[a * WIDE + a] += a ? PRIOR : 1e-9 * (double)of->n;
        h[a * WIDE + T] -= a ? PRIOR * (b[a] - of->prior[a]) : 0;
    }
    if (sk_cholesky(T, WIDE, h, 0, 1))
        return false;
    for (int a = T - 1; a >= 0; a--) { /* U step = U'^-1 gradient */
        step[a] = h[a * WIDE + T];
        for (int c = a + 1; c < T; c++)
            step[a] -= h[a * WIDE + c] * step[c];
        step[a] /= h[a * WIDE + a];
    }
    return true;
}

static void minimise(const lesson *of, const double *square, double *b)
{
    double step[SK_WIDTH_TERMS], tried[SK_WIDTH_TERMS], value = objective(of, square, b);
    for (int i = 0; i < STEPS && newton_step(of, square, b, step); i++) {
        double length = 1, gained = 0;
        for (; length > 1e-6 && !(gained > 0); length /= 2) {
            for (int a = 0; a < SK_WIDTH_TERMS; a++)
                tried[a] = b[a] + length * step[a];
            gained = value - objective(of, square, tried);
        }
        if (!(gained > 0))
            return;
        memcpy(b, tried, sizeof tried);
        value -= gained;
        if (gained < 1e-9 * (double)of->n)
            return;
    }
}

/* Few points train widths in one half, and give the other's scores: what trained them flatters them. Many do both.
 * Points 0, s, 2 s, ... train, points s - 1, 2 s - 1, ... give scores; s is returned. */
static int64_t stride(const sk_errors *e)
{
    return e->n < PLENTY ? 2 : 1;
}

static void cap(const lesson *of, const double *b)
{
    for (int64_t i = 0; i < of->n; i++)
        of->capped[i] = fmin(of->square[i], CAP * CAP * exp(level_at(of, b, i)));
}

/* The mean square of sizes, likewise. */
static double capped_square(int64_t n, const double *size)
{
    double mean = INFINITY;
    for (int round = 0; round <= ROUNDS; round++) {
        double sum = 0, most = CAP * CAP * mean;
        for (int64_t i = 0; i < n; i++)
            sum += fmin(size[i] * size[i], most);
        mean = sum / (double)n;
    }
    return mean;
}

/* size: room for n. */
static void lift_least(int64_t n, double *square, double *size)
{
    for (int64_t i = 0; i < n; i++)
        size[i] = sqrt(square[i]);
    double least = LEAST * LEAST * capped_square(n, size);
    for (int64_t i = 0; i < n; i++)
        square[i] = fmax(square[i], least);
}

static sk_signs signs_at(const surekrig_model *m, const lesson *of, int64_t i, int64_t q)
{
    return sk_errors_signs(m, of->e, i * of->step, q);
}

/* One response's coefficients and the ranges of its signs. scratch: [n][SK_WIDTH_TERMS + 2] */
static void train_one(const surekrig_model *m, const sk_widths *w, int64_t q, lesson of, double *scratch)
{
    double *b = w->coefficient + q * SK_WIDTH_TERMS;
    of.n = (of.e->n + of.step - 1) / of.step;
    of.f = scratch;
    of.square = scratch + of.n * SK_WIDTH_TERMS;
    of.capped = of.square + of.n;
    for (int64_t i = 0; i < of.n; i++) { /* f holds them sign by sign, for their ranges */
        double u[SK_WIDTH_SIGNS];
        sk_widths_logarithms(m, q, signs_at(m, &of, i, q), u);
        for (int64_t a = 0; a < SK_WIDTH_SIGNS; a++)
            of.f[a * of.n + i] = u[a];
    }
    for (int64_t a = 0, at = q * SK_WIDTH_SIGNS; a < SK_WIDTH_SIGNS; a++, at++)
        set_range(of.n, of.f + a * of.n, &w->low[at], &w->high[at], &w->middle[at]);
    of.prior[0] = log(m->hyper.gamma2_std[q]) + w->middle[q * SK_WIDTH_SIGNS];
    of.prior[1] = 1;
    for (int64_t i = 0; i < of.n; i++) {
        double beyond = sk_widths_terms(m, w, q, signs_at(m, &of, i, q), of.f + i * SK_WIDTH_TERMS);
        double r = of.e->residual_std[i * of.step * m->data.l + q];
        of.square[i] = r * r * exp(-beyond);
    }
    lift_least(of.n, of.square, of.capped);
    memcpy(b, of.prior, sizeof of.prior);
    minimise(&of, of.square, b);
    for (int round = 0; round < ROUNDS; round++) {
        cap(&of, b);
        minimise(&of, of.capped, b);
    }
}

double sk_widths_size(const surekrig_model *m, const sk_errors *e, int64_t i, int64_t q)
{
    return fabs(sk_errors_residual_std(m, e, i, q)) / sqrt(sk_errors_variance_std(m, e, i, q));
}

/* The c with which as many of n points are inside normal intervals as each level asks; of several levels the mean, in
 * logarithms. */
static double shared_by_coverage(const surekrig_model *m, int64_t n, double *size)
{
    double sum = 0;
    sk_sort(n, size);
    for (int j = 0; j < m->info.levels; j++) {
        int64_t inside = (int64_t)fmin(fmax(round(m->level[j] * (double)n), 1), (double)n);
        double edge = (size[inside - 1] + size[inside < n ? inside : n - 1]) / 2;
        sum += 2 * log(edge / surekrig_quantile(m->level[j])) / m->info.levels;
    }
    return exp(sum);
}

/* How far the errors of two models cancel: by their squares, or as the coverage that both were trained under asks.
 * Where points are few, half of them say it if the others have conformal scores to give. Given noise variances are
 * known, whatever the errors say. */
static void train_shared(const surekrig_model *m, const sk_errors *e, int64_t q, double *size)
{
    bool conformal = m->settings->interval == SK_INTERVAL_CONFORMAL;
    int64_t step = conformal ? stride(e) : 1, n = (e->n + step - 1) / step;
    for (int64_t i = 0; i < n; i++)
        size[i] = sk_widths_size(m, e, i * step, q);
    double shared = !conformal && m->info.levels > 0 ? shared_by_coverage(m, n, size) : capped_square(n, size);
    if (!m->data.noise && shared > 0)
        m->widths.shared[q] = shared * sk_student_scale(m);
}

/* Scores of points with these sds, put in order; those at each rank become no less than elsewhere. elsewhere: room. */
static void rise_from_flat(int64_t n, double *score, const double *sd, double *elsewhere)
{
    for (int64_t j = 0; j < n; j++)
        elsewhere[j] = score[j] * sd[j];
    double flat = FLAT * sqrt(capped_square(n, elsewhere));
    int64_t kept = 0;
    for (int64_t j = 0; j < n; j++)
        if (sd[j] > flat)
            elsewhere[kept++] = score[j];
    sk_sort(n, score);
    sk_sort(kept, elsewhere);
    for (int64_t j = 0; j < n && kept >= ELSEWHERE && kept * ELSEWHERE >= n; j++)
        score[j] = fmax(score[j], elsewhere[(int64_t)(((double)j + 0.5) / (double)n * (double)kept)]);
}

/* The scores, in increasing order, of every step-th point from the first on, and normal ones. scratch: [2][those points] */
static void fill_scores(const surekrig_model *m, const sk_errors *e, int64_t q, int64_t first, int64_t step,
                        double *scratch)
{
    double *score = m->widths.score + q * m->widths.scores;
    int64_t normal = e->n < PLENTY && m->widths.scores > NORMAL ? NORMAL : 0, own = m->widths.scores - normal;
    for (int64_t j = 0; j < own; j++) {
        score[j] = sk_widths_size(m, e, first + j * step, q);
        scratch[j] = sqrt(sk_errors_variance_std(m, e, first + j * step, q));
    }
    if (own)
        rise_from_flat(own, score, scratch, scratch + own);
    double spread = own ? sqrt((PRIOR + (double)own * capped_square(own, score)) / (PRIOR + (double)own)) : 1;
    for (int64_t j = 0; j < normal; j++)
        score[own + j] = spread * surekrig_quantile(((double)j + 0.5) / (double)normal);
    sk_sort(m->widths.scores, score);
}

/* By the local variance, or conformal scores, or what two models share; normal intervals of one model stay as they are. */
void sk_widths_widen(surekrig_model *m, int64_t q, double factor)
{
    sk_widths *w = &m->widths;
    if (w->local)
        w->coefficient[q * SK_WIDTH_TERMS] += 2 * log(factor);
    for (int64_t j = 0; j < w->scores && !w->local; j++)
        w->score[q * w->scores + j] *= factor;
    if (m->partner && !w->local && !w->scores)
        w->shared[q] *= factor * factor;
    if (m->partner && w->local)
        sk_widths_widen(m->partner, q, factor);
}

static surekrig_status new_farther(surekrig_model *m, surekrig_error *error)
{
    m->widths.farther = sk_zeroed(1, sizeof *m->widths.farther);
    return m->widths.farther ? sk_widths_new(m->data.l, true, 0, m->widths.farther, error)
                             : sk_fail_memory(error, sizeof *m->widths.farther, "the widths of intervals");
}

/* Room for all of the model's widths, and for what it takes to train them. */
static surekrig_status open_widths(surekrig_model *m, int64_t scores, bool farther, int64_t room, double **scratch,
                                   surekrig_error *error)
{
    surekrig_status status = sk_widths_new(m->data.l, m->settings->variance == SK_VARIANCE_LOCAL, scores, &m->widths,
                                           error);
    if (!status && farther && m->widths.local)
        status = new_farther(m, error);
    *scratch = status ? NULL : sk_doubles(room);
    return status || *scratch ? status : sk_fail_memory(error, 8.0 * (double)room, "the widths of intervals");
}

surekrig_status sk_widths_train(surekrig_model *m, const sk_errors *e, const sk_farther *farther, surekrig_error *error)
{
    int64_t most = farther && farther->errors->n > e->n ? farther->errors->n : e->n;
    bool local = m->settings->variance == SK_VARIANCE_LOCAL, conformal = m->settings->interval == SK_INTERVAL_CONFORMAL;
    int64_t step = local || m->partner ? stride(e) : 1, first = step - 1;
    sk_farther partners = farther ? (sk_farther){farther->errors->partner, farther->weight} : (sk_farther){0};
    surekrig_status status = m->partner ? sk_widths_train(m->partner, e->partner, farther ? &partners : NULL, error)
                                        : SUREKRIG_OK;
    if (status)
        return status;
    if (m->partner)
        m->partner->widths.scores = 0; /* of it alone: the pair has its own */
    sk_widths_free(&m->widths);        /* a least variance too: that is found anew */
    int64_t scores = (e->n - first + step - 1) / step + (e->n < PLENTY ? NORMAL : 0);
    double *scratch;
    status = open_widths(m, conformal ? scores : 0, farther != NULL, most * (SK_WIDTH_TERMS + 2), &scratch, error);
    for (int64_t q = 0; q < m->data.l && !status; q++) {
        if (local)
            train_one(m, &m->widths, q, (lesson){.e = e, .step = stride(e)}, scratch);
        if (local && farther)
            train_one(m, m->widths.farther, q, (lesson){farther->errors, farther->weight, 1}, scratch);
        if (m->partner)
            train_shared(m, e, q, scratch);
        fill_scores(m, e, q, first, step, scratch);
    }
    free(scratch);
    return status;
}
