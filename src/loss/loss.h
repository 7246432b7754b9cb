/* How good a theta is: loss (M6), coverage (M7), and their Lagrangian (M8) with the scale gamma2 profiled out of it. */
#ifndef SK_LOSS_H
#define SK_LOSS_H

#include "base/base.h"

#define SK_LEVELS_MAX 64 /* levels of coverage that can be asked */

typedef enum sk_loss_kind { SK_LOSS_LOOL, SK_LOSS_MSE, SK_LOSS_HUBER, SK_LOSS_BLOCK } sk_loss_kind;

/* What is asked of every theta. Scales are standardised: gamma2 divided by the response's spread squared. */
typedef struct sk_loss {
    sk_loss_kind kind;
    double delta;           /* pseudo-Huber boundary, in units of the spread */
    int64_t b, l;           /* batch, responses */
    int levels;
    const double *alpha;    /* [levels] coverage asked */
    const double *z;        /* [levels] its two-sided normal quantiles */
    const double *scale_low, *scale_high; /* [l] gamma2 is fixed where they are equal, else profiled in between */
} sk_loss;

/* What one theta leaves behind; enough to score it under any multipliers and any scale. */
typedef struct sk_evaluation {
    double log_variance; /* mean over the batch (block: over all points of its blocks) of log v_i, v_i = variance / gamma2 */
    double plain;        /* MSE and pseudo-Huber: the loss, mean over the batch, summed over responses */
    double *mean_square; /* [l] mean over the same of t_i^2 */
    double *t;           /* [l][b] |residual_i| / sqrt(v_i), sorted */
} sk_evaluation;

surekrig_status sk_evaluation_new(const sk_loss *loss, sk_evaluation **evaluation, surekrig_error *error);
void sk_evaluation_free(sk_evaluation *evaluation);
/* residual: [b][l] standardised; variance: [b] of an observation, as a share of gamma2. */
void sk_evaluation_fill(sk_evaluation *evaluation, const sk_loss *loss, const double *residual,
                        const double *variance);
/* The responses of each point's neighbours, of which log_determinant [b] and square [b][l] are known (krige.h), join
 * the likelihood of the point given them: together that of the whole block. neighbours: of all points together. */
void sk_evaluation_join(sk_evaluation *evaluation, const sk_loss *loss, double neighbours, const double *log_determinant,
                        const double *square);

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

#endif
