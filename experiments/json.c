/* table.json: for every case and method the numbers behind the tables, with the published ones beside them. */
#include "inside.h"

#include <string.h>

typedef struct metric {
    const char *name;
    size_t field;
    int paper; /* place in a paper_row, or -1 */
} metric;

static const metric METRICS[] = {{"nu", EX_FIELD(nu), 0},
                                 {"rho", EX_FIELD(rho), 1},
                                 {"tau2", EX_FIELD(tau2), -1},
                                 {"gamma2", EX_FIELD(gamma2), -1},
                                 {"mae", EX_FIELD(mae), 2},
                                 {"rmse", EX_FIELD(rmse), 3},
                                 {"cov", EX_FIELD(cov), 4},
                                 {"crps", EX_FIELD(crps), 5},
                                 {"int", EX_FIELD(interval), 6},
                                 {"logdensity", EX_FIELD(logdensity), -1},
                                 {"true_mae", EX_FIELD(true_mae), -1},
                                 {"true_rmse", EX_FIELD(true_rmse), -1},
                                 {"true_cov", EX_FIELD(true_cov), -1},
                                 {"true_crps", EX_FIELD(true_crps), -1},
                                 {"true_int", EX_FIELD(true_interval), -1},
                                 {"squares", EX_FIELD(squares), -1},
                                 {"batch_cov", EX_FIELD(batch_cov), -1},
                                 {"evaluations", EX_FIELD(evaluations), -1},
                                 {"rounds", EX_FIELD(rounds), -1},
                                 {"seconds", EX_FIELD(seconds), -1},
                                 {"predict_seconds", EX_FIELD(predict_seconds), -1}};
enum { METRIC_COUNT = sizeof METRICS / sizeof *METRICS };

static void number(FILE *to, const char *name, double value)
{
    if (isfinite(value))
        fprintf(to, "\"%s\": %.10g", name, value);
    else
        fprintf(to, "\"%s\": null", name);
}

static void text(FILE *to, const char *name, const char *value)
{
    fprintf(to, "\"%s\": \"", name);
    for (; *value; value++)
        if (*value == '"' || *value == '\\')
            fprintf(to, "\\%c", *value);
        else if ((unsigned char)*value >= 0x20)
            fputc(*value, to);
    fputc('"', to);
}

static void write_metric(FILE *to, const metric *m, const ex_summary *s, const ex_paper_row *published)
{
    const struct {
        const char *name;
        double value;
    } part[] = {{"mean", s->mean},     {"sd", s->sd},
                {"min", s->least},     {"lower_quartile", s->lower},
                {"median", s->median}, {"upper_quartile", s->upper},
                {"max", s->most}};
    fprintf(to, "      \"%s\": {", m->name);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        fputs(i ? ", " : "", to);
        number(to, part[i].name, part[i].value);
    }
    if (published && m->paper >= 0) {
        fputs(", ", to);
        number(to, "paper_mean", published->value[m->paper][0]);
        fputs(", ", to);
        number(to, "paper_sd", published->value[m->paper][1]);
    }
    fputc('}', to);
}

static void write_curve(const ex_run *r, FILE *to, const ex_scenario *s, const ex_method *m)
{
    fputs("      \"calibration\": [", to);
    for (int j = 0; j < EX_CURVE; j++)
        fprintf(to, "%s[%.2f, %.6g]", j ? ", " : "", 0.05 * (j + 1),
                ex_summary_of(r, s, m, EX_FIELD(curve) + (size_t)j * sizeof(double)).mean);
    fputs("]", to);
}

static void write_group(const ex_run *r, FILE *to, const ex_scenario *s, const ex_method *m)
{
    const ex_paper_row *published = ex_paper_find(r->study->files ? "temperature" : s->name, m->loss);
    fputs("    {", to);
    text(to, "case", s->name);
    fputs(", ", to);
    text(to, "loss", m->loss);
    fputs(", ", to);
    text(to, "preset", m->preset);
    fprintf(to, ", \"trials\": %d,\n      ", ex_summary_of(r, s, m, EX_FIELD(cov)).n);
    text(to, "settings", m->settings);
    fputs(", ", to);
    text(to, "case_settings", s->settings);
    fputs(",\n", to);
    for (int i = 0; i < METRIC_COUNT; i++) {
        ex_summary all = ex_summary_of(r, s, m, METRICS[i].field);
        write_metric(to, &METRICS[i], &all, published);
        fputs(",\n", to);
    }
    write_curve(r, to, s, m);
    fputs("}", to);
}

static void write_tables_of(const ex_run *r, FILE *to)
{
    fputs("  \"tables\": [", to);
    for (int i = 0; i < r->tables; i++) {
        const ex_table *t = r->table[i];
        fprintf(to, "%s\n    {", i ? "," : "");
        text(to, "title", t->title);
        fputs(", \"rows\": [", to);
        for (int j = -1; j < t->rows; j++) {
            fputs(j >= 0 ? ",\n      [" : "\n      [", to);
            for (int k = 0; k < t->columns; k++) {
                const char *value = j < 0 ? t->heading[k] : t->cell[j * t->columns + k].text;
                fprintf(to, "%s\"%s\"", k ? ", " : "", value); /* our own words and numbers: nothing to escape */
            }
            fputs("]", to);
        }
        fputs("]}", to);
    }
    fputs("\n  ]", to);
}

surekrig_status ex_write_json(ex_run *r, surekrig_error *error)
{
    ex_output o;
    bool first = true;
    surekrig_status status = ex_output_open(r, "table.json", &o, error);
    if (status)
        return status;
    fputs("{\n  ", o.to);
    text(o.to, "study", r->study->name);
    fputs(", ", o.to);
    text(o.to, "version", surekrig_version());
    fprintf(o.to, ", \"seed\": %llu, \"data_seed\": %llu, ", (unsigned long long)r->seed,
            (unsigned long long)r->options->data_seed);
    text(o.to, "settings", r->words);
    fputs(",\n  \"groups\": [\n", o.to);
    for (int i = 0; i < r->study->scenarios; i++)
        for (int j = 0; j < r->study->methods; j++)
            if (ex_method_ran(r, &r->study->scenario[i], &r->study->method[j])) {
                fputs(first ? "" : ",\n", o.to);
                write_group(r, o.to, &r->study->scenario[i], &r->study->method[j]);
                first = false;
            }
    fputs("\n  ],\n", o.to);
    write_tables_of(r, o.to);
    fputs("\n}\n", o.to);
    return ex_output_commit(&o, error);
}
