/* Means, spreads and quartiles over trials. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

double ex_field_of(const ex_trial *t, size_t field)
{
    double value;
    memcpy(&value, (const char *)t + field, sizeof value);
    return value;
}

static bool matches(const ex_trial *t, const ex_scenario *s, const ex_method *m)
{
    return t->done && (!s || t->scenario == s) && (!m || t->method == m);
}

int ex_values_of(const ex_run *r, const ex_scenario *s, const ex_method *m, size_t field, double *value)
{
    int count = 0;
    for (int i = 0; i < r->trials; i++)
        if (matches(&r->trial[i], s, m) && isfinite(ex_field_of(&r->trial[i], field)))
            value[count++] = ex_field_of(&r->trial[i], field);
    return count;
}

bool ex_method_ran(const ex_run *r, const ex_scenario *s, const ex_method *m)
{
    for (int i = 0; i < r->trials; i++)
        if (matches(&r->trial[i], s, m))
            return true;
    return false;
}

const ex_method *ex_find_method(const ex_run *r, const char *loss, const char *preset)
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

ex_summary ex_summarise(int n, double *value)
{
    ex_summary s = {n, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
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

ex_summary ex_summary_of(const ex_run *r, const ex_scenario *s, const ex_method *m, size_t field)
{
    return ex_ratio_of(r, s, m, field, (size_t)-1);
}

ex_summary ex_ratio_of(const ex_run *r, const ex_scenario *s, const ex_method *m, size_t field, size_t to)
{
    double *value = malloc(((size_t)r->trials + 1) * sizeof *value);
    int count = 0;
    for (int i = 0; value && i < r->trials; i++) {
        const ex_trial *t = &r->trial[i];
        double ratio = ex_field_of(t, field) / (to == (size_t)-1 ? 1 : ex_field_of(t, to));
        if (matches(t, s, m) && isfinite(ratio))
            value[count++] = ratio;
    }
    ex_summary result = ex_summarise(count, value);
    free(value);
    return result;
}
