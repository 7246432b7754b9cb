/* Means, spreads and quartiles over trials. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

double field_of(const trial *t, size_t field)
{
    double value;
    memcpy(&value, (const char *)t + field, sizeof value);
    return value;
}

static bool matches(const trial *t, const scenario *s, const method *m)
{
    return t->done && (!s || t->scenario == s) && (!m || t->method == m);
}

int values_of(const run *r, const scenario *s, const method *m, size_t field, double *value)
{
    int count = 0;
    for (int i = 0; i < r->trials; i++)
        if (matches(&r->trial[i], s, m) && isfinite(field_of(&r->trial[i], field)))
            value[count++] = field_of(&r->trial[i], field);
    return count;
}

bool method_ran(const run *r, const scenario *s, const method *m)
{
    for (int i = 0; i < r->trials; i++)
        if (matches(&r->trial[i], s, m))
            return true;
    return false;
}

const method *find_method(const run *r, const char *loss, const char *preset)
{
    for (int i = 0; i < r->study->methods; i++)
        if (!strcmp(r->study->method[i].loss, loss) && !strcmp(r->study->method[i].preset, preset))
            return &r->study->method[i];
    return NULL;
}

static double quantile(int n, const double *sorted, double share)
{
    double at = share * (n - 1);
    int low = (int)at;
    return low + 1 < n ? sorted[low] + (at - low) * (sorted[low + 1] - sorted[low]) : sorted[low];
}

summary summarise(int n, double *value)
{
    summary s = {n, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n == 0)
        return s;
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += value[i];
    s.mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (value[i] - s.mean) * (value[i] - s.mean);
    s.sd = n > 1 ? sqrt(squares / (n - 1)) : NAN;
    report_sort(n, value);
    s.least = value[0];
    s.lower = quantile(n, value, 0.25);
    s.median = quantile(n, value, 0.5);
    s.upper = quantile(n, value, 0.75);
    s.most = value[n - 1];
    if (n > 1 && s.least == s.most) { /* without the sum's rounding */
        s.mean = s.least;
        s.sd = 0;
    }
    return s;
}

summary summary_of(const run *r, const scenario *s, const method *m, size_t field)
{
    return ratio_of(r, s, m, field, (size_t)-1);
}

summary ratio_of(const run *r, const scenario *s, const method *m, size_t field, size_t to)
{
    double *value = malloc(((size_t)r->trials + 1) * sizeof *value);
    int count = 0;
    for (int i = 0; value && i < r->trials; i++) {
        const trial *t = &r->trial[i];
        double ratio = field_of(t, field) / (to == (size_t)-1 ? 1 : field_of(t, to));
        if (matches(t, s, m) && isfinite(ratio))
            value[count++] = ratio;
    }
    summary result = summarise(count, value);
    free(value);
    return result;
}
