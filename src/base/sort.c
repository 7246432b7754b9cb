#include "base/base.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sk_sort(int64_t n, double *value)
{
    if (n > 1)
        qsort(value, (size_t)n, sizeof *value, by_value);
}
