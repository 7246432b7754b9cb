/* M as a function of s = u^2, without a square root: polynomials in buckets of s, which the family makes (family.h), or
 * what it has in their place where no bucket is. */
#include "kernel/inside.h"

#include <math.h>
#include <stdlib.h>

surekrig_status sk_table_new(const sk_family *family, double nu, double low, double high, sk_table **out,
                             surekrig_error *error)
{
    sk_table *table = sk_zeroed(1, sizeof *table);
    if (!table)
        return sk_fail_memory(error, sizeof *table, "the kernel's table");
    table->family = family;
    table->nu = nu;
    table->gathers = sk_cpu_gathers();
    surekrig_status status = (family->build ? family->build : sk_interpolate_table)(table, low, high, error);
    if (status)
        sk_table_free(table);
    else
        *out = table;
    return status;
}

surekrig_status sk_table_room(sk_table *table, uint64_t near, uint64_t far, surekrig_error *error)
{
    table->near = sk_aligned((int64_t)near, sizeof(sk_bucket));
    table->far = sk_aligned((int64_t)far, sizeof(sk_bucket));
    if (table->near && table->far)
        return SUREKRIG_OK;
    return sk_fail_memory(error, (double)((near + far) * sizeof(sk_bucket)), "the kernel's table");
}

void sk_table_free(sk_table *table)
{
    if (!table)
        return;
    free(table->near);
    free(table->far);
    free(table);
}

double sk_table_nu(const sk_table *table)
{
    return table->nu;
}

/* Outside the buckets: tables without any, far and tiny s. */
static double rare(const sk_table *table, double s, double *complement)
{
    sk_pair exact = {0, 1};
    if (table->exponential)
        exact = (sk_pair){exp(-s / 2), -expm1(-s / 2)};
    else if (s < table->family->end)
        exact = table->family->exact(table->nu, sqrtl((long double)s));
    *complement = (double)exact.complement;
    return (double)exact.value;
}

static double far_value(const sk_table *table, double s, double *complement)
{
    double u = sqrt(s);
    double half = exp(-u / 2); /* e^-u may be subnormal where M is not */
    double value = half *
                   sk_polynomial(&table->far[sk_bucket_of(u, table->far_bits) - table->first_far],
                                 sk_offset_of(u, table->far_bits)) *
                   half;
    *complement = 1 - value;
    return value;
}

double sk_table_at(const sk_table *table, double s, double *complement)
{
    double other, value;
    if (s >= table->low && s < table->edge) {
        uint64_t number = sk_bucket_of(s, SK_BUCKET_BITS);
        double p = sk_polynomial(&table->near[number - table->first], sk_offset_of(s, SK_BUCKET_BITS));
        value = number < table->complements ? 1 - p : p;
        other = number < table->complements ? p : 1 - p;
    } else if (s >= table->edge && s < table->high) {
        value = far_value(table, s, &other);
    } else {
        value = rare(table, s, &other);
    }
    if (complement)
        *complement = other;
    return value;
}
