/* Families of correlations M(u) of a scaled distance u. One is a file that defines sk_family_NAME and a row below: all
 * else, the setting `kernel` and its words included, follows from these. */
#ifndef SK_KERNEL_FAMILY_H
#define SK_KERNEL_FAMILY_H

#include "base/base.h"
#include "base/rows.h"

/* The default first. */
#define SK_EACH_FAMILY(FIRST, NEXT, LAST) FIRST(matern) LAST(gaussian)

#define SK_NU_MIN 0.01
#define SK_NU_MAX 50.0

typedef struct sk_pair {
    long double value, complement;
} sk_pair;

typedef struct sk_table sk_table;
typedef struct sk_slopes sk_slopes;
typedef struct sk_family sk_family;

/* M(0) = 1, and M is smooth in log u up to where it ends. A function that is NULL is the one of interpolated.c, which
 * asks for exact values alone. */
struct sk_family {
    const char *name;
    bool smoothness;           /* it has a nu from SK_NU_MIN to SK_NU_MAX, which is searched; else nu says nothing */
    const sk_family *limit;    /* what an infinite nu makes of it, or NULL: nothing */
    double (*unit)(double nu); /* s = u^2 = unit (|x - x'| / rho)^2 (M1) */
    double end;                /* the s from which M is 0: a power of two (1 for a compact support), or infinity */
    sk_pair (*exact)(double nu, long double u); /* M and 1 - M, each to a relative 1e-16 */
    /* table.c's: where buckets are, and the buckets, for s in [low, high]. */
    surekrig_status (*build)(sk_table *table, double low, double high, surekrig_error *error);
    /* slopes.c's, likewise. */
    surekrig_status (*build_slopes)(sk_slopes *slopes, double low, double high, surekrig_error *error);
    void (*slopes)(const sk_slopes *slopes, double s, double by[2]); /* sk_slopes_at where there is no bucket */
};

#define SK_DECLARE_FAMILY(name) extern const sk_family sk_family_##name;
SK_EACH_FAMILY(SK_DECLARE_FAMILY, SK_DECLARE_FAMILY, SK_DECLARE_FAMILY)

/* family.c: by its name, NULL for the default; NULL where there is none. */
const sk_family *sk_family_named(const char *name);
/* The one that a term's kernel and nu mean together; NULL where there is none, or it has no such nu. */
const sk_family *sk_family_of(double nu, const char *name);

#endif
