/* Many values of one table at once. */
#include "kernel/lanes.h"

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

SK_INLINE void one_vector(const sk_table *table, const double *s, double *value, double *complement)
{
    sk_vec v, other;
    memcpy(&v, s, sizeof v);
    if (sk_any(sk_outside_near(table, v))) {
        outside(table, s, value, complement);
        return;
    }
    v = sk_near_lanes(table, v, table->gathers, &other);
    memcpy(value, &v, sizeof v);
    memcpy(complement, &other, sizeof other);
}

void SK_HERE(sk_table_values)(const sk_table *table, int64_t n, const double *s, double *value, double *complement)
{
    int64_t i = 0;
    for (; i + SK_LANES <= n; i += SK_LANES)
        one_vector(table, s + i, value + i, complement + i);
    if (i == n)
        return;
    double last[3][SK_LANES]; /* the same arithmetic for the values that do not fill a vector */
    for (int l = 0; l < SK_LANES; l++)
        last[0][l] = s[i + l < n ? i + l : n - 1];
    one_vector(table, last[0], last[1], last[2]);
    memcpy(value + i, last[1], (size_t)(n - i) * sizeof *value);
    memcpy(complement + i, last[2], (size_t)(n - i) * sizeof *complement);
}
