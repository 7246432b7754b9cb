/* Tables and kernels from inside, for code that evaluates them many at a time (lanes.h). */
#ifndef SK_KERNEL_INSIDE_H
#define SK_KERNEL_INSIDE_H

#include "base/simd.h"
#include "kernel/kernel.h"

#include <string.h>

/* Functions are expanded in pieces, by the exponent and the leading five bits of the mantissa, or up to SK_FINE_BITS
 * more. A piece is split into four buckets, by two bits more. */
enum { SK_PIECE_BITS = 5, SK_FINE_BITS = 4, SK_SPLIT_BITS = 2 };
enum { SK_SPLIT = 1 << SK_SPLIT_BITS, SK_BUCKET_BITS = SK_PIECE_BITS + SK_SPLIT_BITS };
enum { SK_TERMS = 8, SK_WORDS = 4, SK_FOURTH_BITS = 28, SK_FIFTH_BITS = 19, SK_EXPONENT_BIAS = 1023 };

/* Exponent and leading mantissa bits: consecutive numbers for consecutive buckets. */
static inline uint64_t sk_bucket_of(double s, int split_bits)
{
    uint64_t bits;
    memcpy(&bits, &s, sizeof bits);
    return bits >> (52 - split_bits);
}

static inline double sk_start_of(uint64_t number, int bits)
{
    number <<= 52 - bits;
    double start;
    memcpy(&start, &number, sizeof start);
    return start;
}

static inline double sk_middle_of(uint64_t number, int split_bits)
{
    uint64_t bits = (2 * number + 1) << (51 - split_bits);
    double middle;
    memcpy(&middle, &bits, sizeof middle);
    return middle;
}

/* The mantissa of s in [1, 2), less that of its bucket's middle. */
static inline double sk_offset_of(double s, int split_bits)
{
    uint64_t bits, one = (uint64_t)SK_EXPONENT_BIAS << 52;
    memcpy(&bits, &s, sizeof bits);
    bits = (bits & (((uint64_t)1 << 52) - 1)) | one;
    int shift = 52 - split_bits;
    uint64_t middle_bits = (bits >> shift << shift) | (uint64_t)1 << (shift - 1);
    double mantissa, middle;
    memcpy(&mantissa, &bits, sizeof mantissa);
    memcpy(&middle, &middle_bits, sizeof middle);
    return mantissa - middle;
}

/* A polynomial of degree 5 in the offset of the mantissa from the bucket's middle; half a cache line. The low bits of
 * c[3] are the leading ones of the fourth coefficient, those of c[2] of the fifth: so few bits of c[2] and c[3] do not
 * count. */
typedef struct sk_bucket {
    _Alignas(32) double c[SK_WORDS];
} sk_bucket;

/* bucket.c: the Chebyshev points of a piece as offsets of the mantissa from its middle, the coefficients c of the
 * polynomial through (t_i, f_i), and the buckets of a piece of such coefficients. */
void sk_piece_offsets(int bits, double offset[SK_TERMS]);
void sk_interpolate(const double *t, double *f, double c[SK_TERMS]); /* f is lost */
void sk_fill_buckets(const double c[SK_TERMS], int bits, sk_bucket to[SK_SPLIT]);

/* The coefficient that rides on the low bits of `word`. */
static inline double sk_rider(double word, int bits)
{
    uint64_t top;
    memcpy(&top, &word, sizeof top);
    top <<= 64 - bits;
    memcpy(&word, &top, sizeof word);
    return word;
}

static inline double sk_polynomial(const sk_bucket *b, double t)
{
    const double *c = b->c;
    double t2 = t * t, c4 = sk_rider(c[3], SK_FOURTH_BITS), c5 = sk_rider(c[2], SK_FIFTH_BITS);
    return (c[0] + c[1] * t) + ((c[2] + c[3] * t) + (c4 + c5 * t) * t2) * t2;
}

struct sk_table {
    const sk_family *family;
    double nu;
    double low, edge, high; /* buckets of s in [low, edge), buckets of u = sqrt(s) for s in [edge, high) */
    double reach;           /* buckets of s go on to here with an absolute error below 3e-16: enough for a covariance */
    uint64_t first, first_far; /* bucket numbers of low and of sqrt(edge): exponent and leading mantissa bits */
    uint64_t complements;      /* the buckets before this one hold 1 - M */
    int far_bits;              /* leading mantissa bits of u that number a far bucket; SK_BUCKET_BITS, or more */
    sk_bucket *near, *far;
    bool gathers;     /* how vectors of values take their coefficients: see lanes.h */
    bool exponential; /* M = exp(-s/2), and there is no bucket */
};

/* Memory for so many buckets. */
surekrig_status sk_table_room(sk_table *table, uint64_t near, uint64_t far, surekrig_error *error);

struct sk_slopes {
    const sk_family *family;
    bool by_nu; /* is there a nu? */
    double nu, low, high;
    int threads;         /* that fill the buckets */
    uint64_t first;      /* the number of low's bucket */
    sk_bucket *e, *n;    /* by[0] and by[1] of sk_slopes_at for s in [low, high) */
    bool gathers;        /* as in sk_table */
    sk_series around[7]; /* Matérn's: of nu + i nu/1024, i = -3 .. 3 */
};

/* Memory for the buckets of [low, high], and how many they are. */
surekrig_status sk_slopes_room(sk_slopes *slopes, double low, double high, uint64_t *count, surekrig_error *error);

/* interpolated.c: for every family, from its exact values */
surekrig_status sk_interpolate_table(sk_table *table, double low, double high, surekrig_error *error);
surekrig_status sk_interpolate_slopes(sk_slopes *slopes, double low, double high, surekrig_error *error);
void sk_difference_slopes(const sk_slopes *slopes, double s, double by[2]);

/* matern_table.c, far.c (its far buckets) and matern_slopes.c */
surekrig_status sk_matern_table(sk_table *table, double low, double high, surekrig_error *error);
void sk_table_far(sk_table *table);
surekrig_status sk_matern_slopes(sk_slopes *slopes, double low, double high, surekrig_error *error);
void sk_matern_slopes_at(const sk_slopes *slopes, double s, double by[2]);

typedef struct sk_kernel_term {
    double weight;
    bool flat; /* its rho is vast, and M rounds to 1 wherever squares underflow */
    sk_table *table;
} sk_kernel_term;

struct sk_kernel {
    int64_t d;
    int terms;
    sk_kernel_term *term;
    double *scale;    /* [terms][d]: square root of the family's unit, over rho (M1) */
    bool product;     /* the terms are multiplied; else added */
    sk_table *mix;    /* of a product: p of its second term's distance, by which the first one's squares are multiplied;
                      NULL: 1 */
    double mix_scale; /* that distance's square over rho's is this times the second term's */
    int space;        /* axes of the first term: p^(space/2) is a factor, too */
};

/* Below this a square may have lost digits to underflow. */
#define SK_TINY_SQUARE 1e-280
/* From here on Matérn's M is 0: u >= 1024. */
#define SK_HUGE_SQUARE 0x1p20

/* A point's coordinates: x[axis * stride]. */
typedef struct sk_place {
    const double *x;
    int64_t stride;
} sk_place;

/* M of one term where the square of the scaled distance underflows. */
double sk_kernel_close(const sk_kernel *kernel, int term, sk_place p, sk_place q);

/* sk_table_values by each instruction set. */
typedef void sk_values_function(const sk_table *table, int64_t n, const double *s, double *value, double *complement);
#define SK_DECLARE_VALUES(isa) sk_values_function sk_table_values_##isa;
SK_EACH_ISA(SK_DECLARE_VALUES)
extern sk_values_function *const sk_table_values_by[SK_ISA_COUNT];

#endif
