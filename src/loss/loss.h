/* How good a theta is: loss (M6), coverage (M7), and their Lagrangian (M8) with the scale gamma2 profiled out of it. */
#ifndef SK_LOSS_H
#define SK_LOSS_H

#include "base/base.h"
#include "base/rows.h"

#define SK_LEVELS_MAX 64 /* levels of coverage that can be asked */

/* ---- the rows: a loss is one of these in a file of its own, and a line of the list */

/* In the order in which the setting `loss` names them; what each is goes into the setting's description. */
#define SK_LOSS_LIST(FIRST, NEXT, LAST)                                                                                \
    FIRST(block, "the likelihood of each left-out point with its neighbours")                                          \
    NEXT(lool, "or given them (leave-one-out)")                                                                        \
    NEXT(mse, "squared error")                                                                                         \
    NEXT(huber, "pseudo-Huber error")                                                                                  \
    NEXT(crps, "the continuous ranked probability score")                                                              \
    LAST(looph, "leave-one-out likelihood with pseudo-Huber residuals")

/* What each is, in words, for the settings. */
#define SK_LOSS_WHAT(name, what) what
#define SK_LOSS_COMMA_WHAT(name, what) ", " what
#define SK_LOSS_OR_WHAT(name, what) ", or " what
#define SK_LOSS_MEANING SK_LOSS_LIST(SK_LOSS_WHAT, SK_LOSS_COMMA_WHAT, SK_LOSS_OR_WHAT)

/* One point's loss at zeta = |r|/sqrt(v). A likelihood is log v + c(zeta), an error sqrt(v) c(zeta) or free of v. */
typedef struct sk_point {
    double value, by_zeta;
    double by_log_variance; /* zeta held: 1 of a likelihood, value/2 of an error, value of a squared one */
} sk_point;

/* What a loss is summed over when its gamma2 is sought. */
typedef struct sk_scaled {
    int64_t b;
    const double *t;    /* [b] |r_i| / sqrt(v_i) */
    const double *root; /* [b] sqrt(v_i) of an error; NULL for a likelihood, whose mean log v_i is added elsewhere */
    double delta;
} sk_scaled;

struct sk_loss;
struct sk_evaluation;

typedef struct sk_loss_row {
    const char *name;
    bool likelihood;      /* minus a log likelihood, more or less: differences of it count; else ratios, so its log */
    bool needs_variance;  /* else it does not depend on gamma2 either */
    bool needs_delta;     /* the boundary; the others do not see it */
    bool needs_neighbors; /* the likelihood of each point's neighbours is part of it (sk_evaluation_join) */
    double (*value)(double residual, double variance, double delta); /* one point's; NULL: more than that */
    sk_point (*slopes)(double zeta, double variance, double delta);  /* NULL: no search by gradients */
    /* Q of one response by its gamma2 g, of a likelihood without mean log v_i: sk_scale_normal or sk_scale_nodes,
     * below. NULL: it does not depend on g. */
    double (*scale)(const struct sk_loss *loss, const struct sk_evaluation *evaluation, int64_t response, double g);
    void (*jet)(const sk_scaled *of, double g, double jet[3]); /* for sk_scale_nodes: Q, dQ/dlog g, d2Q/dlog g2 */
} sk_loss_row;

#define SK_LOSS_DECLARE(name, what) extern const sk_loss_row sk_loss_##name;
SK_LOSS_LIST(SK_LOSS_DECLARE, SK_LOSS_DECLARE, SK_LOSS_DECLARE)

const sk_loss_row *sk_loss_at(int number); /* in the list's order; NULL past its end */
const sk_loss_row *sk_loss_find(const char *name);
double sk_loss_sum(const sk_loss_row *row, const surekrig_residuals *of, double delta); /* of row->value */

/* ---- evaluation.c */

/* What is asked of every theta. Scales are standardised: gamma2 divided by the response's spread squared. */
typedef struct sk_loss {
    const sk_loss_row *row;
    double delta; /* pseudo-Huber boundary: HUBER's in units of the spread, LOOPH's of the predictive sd */
    int64_t b, l; /* batch, responses */
    int levels;
    const double *alpha;                  /* [levels] coverage asked */
    const double *z;                      /* [levels] its two-sided normal quantiles */
    const double *scale_low, *scale_high; /* [l] gamma2 is fixed where they are equal, else profiled in between */
} sk_loss;

/* What one theta leaves behind; enough to score it under any multipliers and any scale. */
typedef struct sk_evaluation {
    double log_variance;     /* mean over the batch (block: over all points of its blocks) of log v_i, v_i = variance /
                                gamma2 */
    double plain;            /* without variance: the loss, mean over the batch, summed over responses; else 0 */
    double *mean_square;     /* [l] mean over the same of t_i^2 */
    double *minimum;         /* [l] the gamma2 that minimises the loss; mean_square where it does not depend on it */
    double *t;               /* [l][b] |residual_i| / sqrt(v_i), sorted */
    double *unsorted, *root; /* errors with a jet: [l][b] t in the batch's order, [b] sqrt(v_i) */
    double *node;            /* losses with a jet: Q by gamma2, filled as needed (scale.c) */
} sk_evaluation;

surekrig_status sk_evaluation_new(const sk_loss *loss, sk_evaluation **evaluation, surekrig_error *error);
void sk_evaluation_free(sk_evaluation *evaluation);
/* residual: [b][l] standardised; variance: [b] of an observation, as a share of gamma2. */
void sk_evaluation_fill(sk_evaluation *evaluation, const sk_loss *loss, const double *residual, const double *variance);
/* The responses of each point's neighbours, of which log_determinant [b] and square [b][l] are known (krige.h), join
 * the likelihood of the point given them: together that of the whole block. neighbours: of all points together. */
void sk_evaluation_join(sk_evaluation *evaluation, const sk_loss *loss, double neighbours,
                        const double *log_determinant, const double *square);

/* ---- scale.c: Q of one response by its gamma2 g */

double sk_scale_normal(const sk_loss *loss, const sk_evaluation *evaluation, int64_t response, double g);
double sk_scale_nodes(const sk_loss *loss, const sk_evaluation *evaluation, int64_t response, double g);
int64_t sk_scale_room(const sk_loss *loss);  /* doubles that e->node takes; 0 for losses without a jet */
int64_t sk_scale_pairs(const sk_loss *loss); /* points whose t_i and v_i must stay together: b or 0 */
double sk_scale_minimum(const sk_loss *loss, const sk_evaluation *evaluation, int64_t response);

double sk_crps(double z); /* (M10) of a standard normal; crps.c */

/* ---- profile.c */

/* The multipliers of one round. */
typedef struct sk_multipliers {
    const double *lambda; /* [levels] */
    double beta;          /* in units of b, since losses here are means over the batch */
} sk_multipliers;

/* What an evaluation comes to under given multipliers. */
typedef struct sk_verdict {
    double lagrangian, loss;
    double *scale;    /* [l] the gamma2 that minimise the Lagrangian, standardised */
    double *coverage; /* [levels] there, pooled over responses */
} sk_verdict;

void sk_judge(const sk_loss *loss, const sk_evaluation *evaluation, sk_multipliers multipliers, sk_verdict *verdict);

/* ---- smooth.c: the same with coverage smoothed, and its derivatives */

typedef struct sk_smooth {
    const double *residual, *variance;     /* [b][l], [b] as in sk_evaluation_fill */
    double expected, price;                /* a scale above the one costs the other, times its log squared */
    double *scale;                         /* [l] in: where to begin; out: where the Lagrangian is least */
    double *by_residual, *by_log_variance; /* [b][l], [b] out */
    /* Where the neighbours' likelihood is part of the loss (sk_evaluation_join), sums over the batch: */
    double neighbours, log_determinant;
    const double *square;              /* [l] */
    double by_determinant, *by_square; /* out: the same for every point; [l] */
} sk_smooth;

double sk_smooth_lagrangian(const sk_loss *loss, sk_multipliers multipliers, sk_smooth *smooth);

#endif
