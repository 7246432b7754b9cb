/* A lattice: values first + i step, i whole, but for round-off of files and single precision. The step is about the
 * smallest gap between values; the mean of all gaps that are one step has less of the round-off. */
#include "lattice.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>

static const double HAIR = 1e-9; /* of the range: values nearer to each other are one */
static const double STRAY = 0.2; /* of the step: how far a value may be from its place */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void report_sort(int64_t n, double *value)
{
    qsort(value, (size_t)n, sizeof *value, by_value);
}

int64_t report_distinct(int64_t n, double *value)
{
    int64_t count = 0;
    report_sort(n, value);
    double hair = HAIR * (value[n - 1] - value[0]);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || value[i] > value[count - 1] + hair)
            value[count++] = value[i];
    return count;
}

static double step_of(int64_t n, const double *value)
{
    double least = INFINITY, sum = 0;
    int64_t count = 0;
    for (int64_t i = 1; i < n; i++)
        least = fmin(least, value[i] - value[i - 1]);
    for (int64_t i = 1; i < n; i++)
        if (value[i] - value[i - 1] < 1.5 * least) {
            sum += value[i] - value[i - 1];
            count++;
        }
    return sum / (double)count;
}

static bool is_regular(int64_t n, const double *value, report_lattice *l)
{
    if (n < 2)
        return false;
    double rough = step_of(n, value);
    l->span = 1;
    for (int64_t i = 1; i < n; i++)
        l->span += rint((value[i] - value[i - 1]) / rough);
    l->first = value[0];
    l->step = (value[n - 1] - value[0]) / (l->span - 1);
    for (int64_t i = 1; i < n; i++) {
        double place = (value[i] - l->first) / l->step;
        if (!(fabs(place - rint(place)) <= STRAY))
            return false;
    }
    return true;
}

bool report_lattice_find(int64_t n, const double *value, report_lattice *l, bool *regular)
{
    double *copy = malloc((size_t)n * sizeof *copy);
    if (!copy)
        return false;
    for (int64_t i = 0; i < n; i++)
        copy[i] = value[3 * i];
    int64_t count = report_distinct(n, copy);
    *l = (report_lattice){.values = (double)count};
    *regular = is_regular(count, copy, l);
    free(copy);
    return true;
}
