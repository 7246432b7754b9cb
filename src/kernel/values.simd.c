/* Many values of one table at once. */
#include "kernel/lanes.h"

enum { BLOCK = 64 }; /* vectors: whether the near buckets have them all is asked once */

/* Lanes outside the near buckets, slowly but rightly. */
static void outside(const sk_table *table, const double *s, double *value, double *complement)
{
    sk_vec v;
    memcpy(&v, s, sizeof v);
    if (!sk_any(~((v >= table->edge) & (v < table->high)))) {
        v = sk_far_lanes(table, v);
        sk_vec other = 1 - v;
        memcpy(value, &v, sizeof v);
        memcpy(complement, &other, sizeof other);
        return;
    }
    for (int l = 0; l < SK_LANES; l++)
        value[l] = sk_table_at(table, s[l], &complement[l]);
}

static bool any_outside(const sk_table *table, int64_t n, const double *s)
{
    sk_mask any = {0};
    for (int64_t i = 0; i < n; i++) {
        sk_vec v;
        memcpy(&v, s + i * SK_LANES, sizeof v);
        any |= sk_outside_near(table, v);
    }
    return sk_any(any);
}

/* n vectors, all in the near buckets. */
SK_INLINE void near_vectors(const sk_table *table, int64_t n, bool gathers, const double *s, double *value,
                            double *complement)
{
    for (int64_t i = 0; i < n * SK_LANES; i += SK_LANES) {
        sk_vec v, other;
        memcpy(&v, s + i, sizeof v);
        v = sk_near_lanes(table, v, gathers, &other);
        memcpy(value + i, &v, sizeof v);
        memcpy(complement + i, &other, sizeof other);
    }
}

/* n vectors, wherever they are. */
static void vectors(const sk_table *table, int64_t n, const double *s, double *value, double *complement)
{
    if (!any_outside(table, n, s)) {
        if (table->gathers)
            near_vectors(table, n, true, s, value, complement);
        else
            near_vectors(table, n, false, s, value, complement);
    } else if (n > 1)
        for (int64_t i = 0; i < n * SK_LANES; i += SK_LANES)
            vectors(table, 1, s + i, value + i, complement + i);
    else
        outside(table, s, value, complement);
}

void SK_HERE(sk_table_values)(const sk_table *table, int64_t n, const double *s, double *value, double *complement)
{
    int64_t whole = n / SK_LANES, i = whole * SK_LANES;
    for (int64_t b = 0; b < whole; b += BLOCK)
        vectors(table, whole - b < BLOCK ? whole - b : BLOCK, s + b * SK_LANES, value + b * SK_LANES,
                complement + b * SK_LANES);
    if (i == n)
        return;
    double last[3][SK_LANES]; /* the same arithmetic for the values that do not fill a vector */
    for (int l = 0; l < SK_LANES; l++)
        last[0][l] = s[i + l < n ? i + l : n - 1];
    vectors(table, 1, last[0], last[1], last[2]);
    memcpy(value + i, last[1], (size_t)(n - i) * sizeof *value);
    memcpy(complement + i, last[2], (size_t)(n - i) * sizeof *complement);
}
