/* THE SEAM: a batch of neighbourhoods in, means and variances out (M4). A back end is one struct of four functions;
 * everything to the right of this room reaches the arithmetic through it.
 *
 * With K = LL', a = L^-1 c, e = L^-1 y and, where the mean is unknown, g = L^-1 1:
 *   known mean     mean = a.e                variance = k(0) - a.a               scale = e.e / k
 *   unknown mean   mu = g.e / g.g   h = 1 - a.g
 *                  mean = a.e + h mu         variance = k(0) - a.a + h^2 / g.g   scale = (e.e - mu^2 g.g) / (k - 1)
 * The scale is the neighbours' own estimate of gamma2. */
#ifndef SK_KRIGE_H
#define SK_KRIGE_H

#include "base/base.h"
#include "base/rows.h"
#include "base/simd.h"
#include "kernel/kernel.h"

#include <math.h>
#include <stdatomic.h>

typedef struct sk_krige_points {
    const surekrig_data *data; /* borrowed; rho and noise are in its units */
    const double *center;      /* [l] taken off the responses before kriging; NULL: zero */
    int64_t k;                 /* the largest neighbourhood to come */
    int threads;
    bool unknown_mean;    /* of each neighbourhood: ordinary kriging */
    const double *spread; /* [l] in units of which squares of the responses are given, lest they overflow; NULL: one */
} sk_krige_points;

/* What theta means to a batch: the kernel, and the nugget of each observation as a share of gamma2. */
typedef struct sk_krige_theta {
    const sk_kernel *kernel;
    double tau2;
    double noise_share; /* 1/gamma2, by which the data's noise variances are multiplied; 0 without noise */
} sk_krige_theta;

/* What each factorisation knows of the neighbours' own responses: their likelihood, at no further cost, with the center
 * for their mean even where each neighbourhood has one of its own: how far these means lie from the center is what
 * tells a long range. */
typedef struct sk_krige_block {
    double *log_determinant; /* [n] log det K, K as a share of gamma2 */
    double *square;          /* [n][l] y' K^-1 y = e.e, in units of the spread squared */
} sk_krige_block;

/* The parameters of a derivative: log rho of each axis, in all terms alike, then the logarithms of nu, tau2, the noise
 * share and, of a second term, what its rho are to the first's, its nu and its weight, of which the first has the
 * rest. */
enum { SK_BY_NU, SK_BY_TAU2, SK_BY_NOISE, SK_BY_LONG_RATIO, SK_BY_LONG_NU, SK_BY_LONG_SHARE, SK_BY_OTHERS };

static inline int64_t sk_krige_parameters(const surekrig_data *data)
{
    return data->d + SK_BY_OTHERS;
}

/* Derivatives of any function F of what is kriged, given those by each point's means, variance, log determinant and
 * squares: F's by the parameters, one number a parameter whatever F depends on. With weights w, z = K^-1 y and, for the
 * neighbours' likelihood, o = K^-1 y without an unknown mean:
 *   d mean = dc'z - w'dK z     d variance = -2 dc'w + w'dK w     d log det K = tr(K^-1 dK)     d square = -o'dK o
 * Known mean: K w = c. Unknown mean: K w = c - m 1 with 1'w = 1, and z = K^-1 (y - mu 1), for which 1'z = 0. The
 * bordered matrix [K 1; 1' 0] has the derivative [dK 0; 0 0], and [w; m], [z; mu] are its solutions for [c; 1] and
 * [y; 0]: so both formulas stay. With the target as one more point of weight -1 and z = o = 0 all of it is a sum over
 * pairs of points, of dK_ij times
 *   G_ij = v 2 w_i w_j - (w_i zeta_j + w_j zeta_i) + t 2 (K^-1)_ij - sum_q s_q 2 o_iq o_jq,   zeta = sum_q m_q z_q,
 * v, m, t and s being F's derivatives by variance, means, log determinant and squares; half of that on the diagonal.
 * In x = log s = log u^2 (M1), from slopes.c's E = dM/dx and N = dM/dnu:
 *   dM/dlog rho_a = -2 E s_a/s,   s_a = (scale_a (x_a - x'_a))^2        dM/dlog nu = nu N + E
 *   dK/dlog tau2 = tau2 I                                               dK/dlog share = share diag(noise)
 * and of two terms, K = (1 - p) M + p M':   dK/dlog p = p (M' - M),   dK/dlog ratio = -2 p E'. */
typedef struct sk_krige_slopes {
    const sk_slopes *kernel[SK_SLOPED]; /* theta's (sk_kernel_slopes) */
    const double *by_mean;              /* [n][l] */
    const double *by_variance;          /* [n] */
    const double *by_determinant;       /* [n], and */
    const double *by_square;            /* [n][l]; both NULL: F depends on neither */
    double *gradient;                   /* [n][parameters] */
    bool nu_held[SK_SLOPED];            /* its derivative need not be right */
} sk_krige_slopes;

/* Places that share a neighbourhood, and so a factorisation: those of neighbourhood i are first[i] .. first[i + 1] - 1. */
typedef struct sk_krige_targets {
    const int64_t *first;    /* [n + 1] */
    const double *x;         /* [first[n]][d] */
    double *mean, *variance; /* [first[n]][l], [first[n]] */
} sk_krige_targets;

typedef struct sk_krige_job {
    const surekrig_neighborhoods *batch;
    const sk_krige_theta *theta;
    sk_ticker *ticker;             /* may be NULL */
    surekrig_kriged *out;          /* means without the center */
    sk_krige_block *block;         /* may be NULL */
    const sk_krige_slopes *slopes; /* NULL: no derivatives wanted */
    sk_krige_targets *targets;     /* NULL: none but the batch's own */
} sk_krige_job;

/* The diagonal gets the smallest of 0, 1e-16, 1e-15, ... that makes the covariance positive definite, at most this. */
#define SK_JITTER_LIMIT 1e-6

/* Only usable() is called of one that is not usable here. Whoever opens closes, also after a failure, when the state
 * is still NULL: close(NULL) does nothing. */
typedef struct sk_backend {
    const char *name;
    bool (*usable)(void); /* has this machine what it takes? */
    surekrig_status (*open)(const sk_krige_points *points, void **state, surekrig_error *error);
    surekrig_status (*run)(void *state, const sk_krige_job *job, surekrig_error *error);
    void (*close)(void *state);
} sk_backend;

/* Every back end, the fastest first: a new one is a folder that defines sk_backend_NAME, and a row here. The words of
 * the setting `backend` follow from it. */
#define SK_EACH_BACKEND(FIRST, NEXT, LAST) FIRST(avx512) NEXT(avx2) NEXT(portable) LAST(reference)

#define SK_DECLARE_BACKEND(name) extern const sk_backend sk_backend_##name;
SK_EACH_BACKEND(SK_DECLARE_BACKEND, SK_DECLARE_BACKEND, SK_DECLARE_BACKEND)

/* Right-hand sides: c, the ones of an unknown mean, the responses. */
static inline int64_t sk_krige_sides(const sk_krige_points *of)
{
    return 1 + of->unknown_mean + of->data->l;
}

/* What a response is multiplied by before it is squared. */
static inline double sk_krige_unit(const sk_krige_points *of, int64_t response)
{
    return of->spread ? 1 / of->spread[response] : 1;
}

/* The power of two next to it: what is multiplied by it loses no digit, and its squares are numbers. */
static inline double sk_krige_power(const sk_krige_points *of, int64_t response)
{
    return of->spread ? exp2(-ilogb(of->spread[response])) : 1;
}

/* gamma2 from e.e less what the mean took of it, and the freedom left. */
static inline double sk_krige_scale(double square, int64_t freedom)
{
    return freedom > 0 && square > 0 ? square / (double)freedom : 0;
}

/* The smallest of the points that any thread has named, whatever their order. */
void sk_keep_first(atomic_int_fast64_t *first, int64_t point);
/* The sentence where no jitter saved a point's covariance, for every back end. */
surekrig_status sk_fail_singular(const sk_krige_job *job, int64_t point, int64_t d, surekrig_error *error);

/* backend.c: "auto" is the first usable; NULL for a name that is unknown or not usable here. */
const sk_backend *sk_backend_find(const char *name);
/* The same, with a sentence where there is none. */
surekrig_status sk_backend_choose(const char *name, const sk_backend **backend, surekrig_error *error);

#endif
