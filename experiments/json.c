/* table.json: for every case and method the numbers behind the tables, with the published ones beside them. */
#include "inside.h"

#include <string.h>

typedef struct metric {
    const char *name;
    size_t field;
    int paper; /* place in a paper_row, or -1 */
} metric;

static const metric METRICS[] = {{"nu", FIELD(nu), 0},
                                 {"rho", FIELD(rho), 1},
                                 {"tau2", FIELD(tau2), -1},
                                 {"gamma2", FIELD(gamma2), -1},
                                 {"mae", FIELD(mae), 2},
                                 {"rmse", FIELD(rmse), 3},
                                 {"cov", FIELD(cov), 4},
                                 {"crps", FIELD(crps), 5},
                                 {"int", FIELD(interval), 6},
                                 {"logdensity", FIELD(logdensity), -1},
                                 {"true_mae", FIELD(true_mae), -1},
                                 {"true_rmse", FIELD(true_rmse), -1},
                                 {"true_cov", FIELD(true_cov), -1},
                                 {"true_crps", FIELD(true_crps), -1},
                                 {"true_int", FIELD(true_interval), -1},
                                 {"squares", FIELD(squares), -1},
                                 {"batch_cov", FIELD(batch_cov), -1},
                                 {"evaluations", FIELD(evaluations), -1},
                                 {"rounds", FIELD(rounds), -1},
                                 {"seconds", FIELD(seconds), -1},
                                 {"predict_seconds", FIELD(predict_seconds), -1}};
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

static void write_metric(FILE *to, const metric *m, const summary *s, const paper_row *published)
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

static void write_curve(const run *r, FILE *to, const scenario *s, const method *m)
{
    fputs("      \"calibration\": [", to);
    for (int j = 0; j < CURVE; j++)
        fprintf(to, "%s[%.2f, %.6g]", j ? ", " : "", 0.05 * (j + 1),
                summary_of(r, s, m, FIELD(curve) + (size_t)j * sizeof(double)).mean);
    fputs("]", to);
}

static void write_group(const run *r, FILE *to, const scenario *s, const method *m)
{
    const paper_row *published = paper_find(r->study->files ? "temperature" : s->name, m->loss);
    fputs("    {", to);
    text(to, "case", s->name);
    fputs(", ", to);
    text(to, "loss", m->loss);
    fputs(", ", to);
    text(to, "preset", m->preset);
    fprintf(to, ", \"trials\": %d,\n      ", summary_of(r, s, m, FIELD(cov)).n);
    text(to, "settings", m->settings);
    fputs(", ", to);
    text(to, "case_settings", s->settings);
    fputs(",\n", to);
    for (int i = 0; i < METRIC_COUNT; i++) {
        summary all = summary_of(r, s, m, METRICS[i].field);
        write_metric(to, &METRICS[i], &all, published);
        fputs(",\n", to);
    }
    write_curve(r, to, s, m);
    fputs("}", to);
}

static void write_tables_of(const run *r, FILE *to)
{
    fputs("  \"tables\": [", to);
    for (int i = 0; i < r->tables; i++) {
        const table *t = r->table[i];
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

surekrig_status write_json(run *r, surekrig_error *error)
{
    output o;
    bool first = true;
    surekrig_status status = output_open(r, "table.json", &o, error);
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
            if (method_ran(r, &r->study->scenario[i], &r->study->method[j])) {
                fputs(first ? "" : ",\n", o.to);
                write_group(r, o.to, &r->study->scenario[i], &r->study->method[j]);
                first = false;
            }
    fputs("\n  ],\n", o.to);
    write_tables_of(r, o.to);
    fputs("\n}\n", o.to);
    return output_commit(&o, error);
}
