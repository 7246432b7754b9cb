/* How good a theta is: loss (M6), coverage (M7), and their Lagrangian (M8) with the scale gamma2 profiled out of it. */
#ifndef SK_LOSS_H
#define SK_LOSS_H

#include "base/base.h"

#define SK_LEVELS_MAX 64 /* levels of coverage that can be asked */

typedef enum sk_loss_kind {
    SK_LOSS_LOOL,
    SK_LOSS_MSE,
    SK_LOSS_HUBER,
    SK_LOSS_CRPS,
    SK_LOSS_LOOPH,
    SK_LOSS_BLOCK
} sk_loss_kind;

/* What is asked of every theta. Scales are standardised: gamma2 divided by the response's spread squared. */
typedef struct sk_loss {
    sk_loss_kind kind;
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
    double plain;            /* MSE and pseudo-Huber: the loss, mean over the batch, summed over responses */
    double *mean_square;     /* [l] mean over the same of t_i^2 */
    double *minimum;         /* [l] the gamma2 that minimises the loss; mean_square where it does not depend on it */
    double *t;               /* [l][b] |residual_i| / sqrt(v_i), sorted */
    double *unsorted, *root; /* CRPS: [l][b] t in the batch's order, [b] sqrt(v_i) */
    double *node;            /* CRPS and LOOPH: the loss by gamma2, filled as needed (scale.c) */
} sk_evaluation;

surekrig_status sk_evaluation_new(const sk_loss *loss, sk_evaluation **evaluation, surekrig_error *error);
void sk_evaluation_free(sk_evaluation *evaluation);
/* residual: [b][l] standardised; variance: [b] of an observation, as a share of gamma2. */
void sk_evaluation_fill(sk_evaluation *evaluation, const sk_loss *loss, const double *residual, const double *variance);
/* The responses of each point's neighbours, of which log_determinant [b] and square [b][l] are known (krige.h), join
 * the likelihood of the point given them: together that of the whole block. neighbours: of all points together. */
void sk_evaluation_join(sk_evaluation *evaluation, const sk_loss *loss, double neighbours,
                        const double *log_determinant, const double *square);

/* ---- scale.c: the loss of one response by its gamma2 g, where that has no closed form */

double sk_crps(double z);                   /* (M10) of a standard normal */
int64_t sk_scale_room(const sk_loss *loss); /* doubles that e->node takes; 0 for losses with a closed form */
double sk_scale_minimum(const sk_loss *loss, const sk_evaluation *evaluation, int64_t response);
/* Q of the response; for LOOPH without the mean log v_i. */
double sk_scale_loss(const sk_loss *loss, const sk_evaluation *evaluation, int64_t response, double g);

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

/* ---- smooth.c: the same with coverage smoothed, and its derivatives; for LOOL, CRPS and LOOPH */

typedef struct sk_smooth {
    const double *residual, *variance;     /* [b][l], [b] as in sk_evaluation_fill */
    double expected, price;                /* a scale above the one costs the other, times its log squared */
    double *scale;                         /* [l] in: where to begin; out: where the Lagrangian is least */
    double *by_residual, *by_log_variance; /* [b][l], [b] out */
} sk_smooth;

double sk_smooth_lagrangian(const sk_loss *loss, sk_multipliers multipliers, const sk_smooth *smooth);

#endif
