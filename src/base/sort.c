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

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void sk_sort_numbers(int64_t n, int64_t *number)
{
    if (n > 1)
        qsort(number, (size_t)n, sizeof *number, by_number);
}

int64_t sk_count_below(int64_t n, const int64_t *number, int64_t it)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (number[middle] < it)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
