/* The plain back end from inside: one neighbourhood after its factorisation. */
#ifndef SK_KRIGE_REFERENCE_H
#define SK_KRIGE_REFERENCE_H

#include "krige/krige.h"

typedef struct sk_reference_space {
    double *matrix;        /* [k][k + sides] */
    double *x;             /* [d][count] the neighbours by columns */
    double *point;         /* [d] */
    double *scratch, *row; /* [k] each */
    double *w, *zeta, *o;  /* for derivatives: [k], [k], [l][k] */
    double *column;        /* [k] of K^-1 */
    double *along;         /* [d] s_a of a pair */
} sk_reference_space;

typedef struct sk_reference {
    sk_krige_points points;
    int threads;
    double *memory;
    sk_reference_space *space; /* [threads] */
} sk_reference;

typedef struct sk_hood {
    const int64_t *row; /* [count] */
    int64_t count;
    const double *target; /* [d] */
} sk_hood;

/* gradient.c: point i's derivatives, from U and, in the columns beside it, a, g where the mean is unknown, and e
 * (krige.h). */
void sk_reference_differentiate(const sk_reference *s, const sk_krige_job *job, int64_t i, sk_hood h,
                                sk_reference_space *w);

#endif
