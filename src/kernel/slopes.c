/* The derivatives of M(sqrt(s)) by log s and by nu, for gradients: polynomials in buckets of s as in table.c, which the
 * family makes (family.h), or what it has in their place where no bucket is. */
#include "kernel/inside.h"

#include <stdlib.h>

surekrig_status sk_slopes_new(const sk_family *family, double nu, sk_slopes_range fast, sk_slopes **out,
                              surekrig_error *error)
{
    sk_slopes *t = sk_zeroed(1, sizeof *t);
    if (!t)
        return sk_fail_memory(error, sizeof *t, "the kernel's derivatives");
    t->family = family;
    t->nu = nu;
    t->threads = fast.threads;
    t->by_nu = family->smoothness;
    t->gathers = sk_cpu_gathers();
    surekrig_status status = (family->build_slopes ? family->build_slopes : sk_interpolate_slopes)(t, fast.low,
                                                                                                   fast.high, error);
    if (status)
        sk_slopes_free(t);
    else
        *out = t;
    return status;
}

surekrig_status sk_slopes_room(sk_slopes *t, double low, double high, uint64_t *count, surekrig_error *error)
{
    t->low = low;
    t->high = high;
    t->first = sk_bucket_of(low, SK_PIECE_BITS) * SK_SPLIT;
    *count = (sk_bucket_of(high, SK_PIECE_BITS) + 1) * SK_SPLIT - t->first;
    t->e = sk_aligned((int64_t)*count, sizeof *t->e);
    t->n = sk_aligned((int64_t)*count, sizeof *t->n);
    if (t->e && t->n)
        return SUREKRIG_OK;
    return sk_fail_memory(error, (double)(2 * *count * sizeof(sk_bucket)), "the kernel's derivatives");
}

void sk_slopes_free(sk_slopes *t)
{
    if (!t)
        return;
    free(t->e);
    free(t->n);
    free(t);
}

void sk_slopes_at(const sk_slopes *t, double s, double by[2])
{
    if (s >= t->low && s < t->high) {
        uint64_t number = sk_bucket_of(s, SK_BUCKET_BITS) - t->first;
        double offset = sk_offset_of(s, SK_BUCKET_BITS);
        by[0] = sk_polynomial(&t->e[number], offset);
        by[1] = sk_polynomial(&t->n[number], offset);
    } else {
        (t->family->slopes ? t->family->slopes : sk_difference_slopes)(t, s, by);
    }
}
