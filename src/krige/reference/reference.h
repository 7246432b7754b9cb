/* One neighbourhood factorised in plain C: what the plain back end and the gradient have in common. */
#ifndef SK_KRIGE_REFERENCE_H
#define SK_KRIGE_REFERENCE_H

#include "krige/krige.h"

typedef struct sk_reference_space {
    double *matrix; /* [k][k + sides] */
    double *x;      /* [d][count] the neighbours by columns */
    double *point;  /* [d] */
    double *scratch, *row; /* [k] each */
} sk_reference_space;

typedef struct sk_reference {
    sk_krige_points points;
    int threads;
    double *memory;
    sk_reference_space *space; /* [threads] */
} sk_reference;

typedef struct sk_hood {
    const int64_t *row;   /* [count] */
    int64_t count;
    const double *target; /* [d] */
} sk_hood;

surekrig_status sk_reference_open(const sk_krige_points *points, void **opened, surekrig_error *error);
void sk_reference_close(void *opened);
/* Leaves U and, in the columns beside it, a, g where the mean is unknown, and e (krige.h) in the matrix. The smallest jitter
 * that works, or infinity where none does. */
double sk_reference_factor(const sk_reference *s, const sk_krige_theta *theta, sk_hood h, sk_reference_space *w);
/* Point i's mean, variance and scale, as far as the job wants them. */
void sk_reference_finish(const sk_krige_points *points, const sk_krige_job *job, int64_t i, int64_t count,
                         const sk_reference_space *w);

#endif
