/* A model and its scores as JSON, for programs. */
#include "cli.h"

#include <math.h>

/* The length of the UTF-8 character at text, or 0 where there is none. */
static int utf8_length(const unsigned char *text)
{
    int length = *text < 0x80                    ? 1
                 : *text >= 0xc2 && *text < 0xe0 ? 2
                 : *text >= 0xe0 && *text < 0xf0 ? 3
                 : *text >= 0xf0 && *text < 0xf5 ? 4
                                                 : 0;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void cli_json_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        int length = utf8_length(at);
        if (*at == '"' || *at == '\\')
            fprintf(to, "\\%c", *at);
        else if (*at < 0x20)
            fprintf(to, "\\u%04x", *at);
        else if (length)
            fwrite(at, 1, (size_t)length, to);
        else
            fputs("\\ufffd", to); /* JSON is UTF-8; a name from a file may be anything */
        at += length ? length : 1;
    }
    fputc('"', to);
}

void cli_json_number(FILE *to, double value)
{
    if (isfinite(value))
        fprintf(to, "%.17g", value);
    else
        fputs("null", to);
}

void cli_json_scores(FILE *to, const surekrig_scores *s)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {{"mae", s->mae},    {"rmse", s->rmse},    {"cov", s->cov},
                {"crps", s->crps},  {"int", s->interval}, {"logdensity", s->logdensity},
                {"level", s->level}};
    fprintf(to, "\"n\": %lld", (long long)s->n);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fprintf(to, ", \"%s\": ", rows[i].name);
        cli_json_number(to, rows[i].value);
    }
}

static void json_list(FILE *to, const char *name, int count, const double *value)
{
    fprintf(to, "\"%s\": [", name);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", to);
        cli_json_number(to, value[i]);
    }
    fputs("]", to);
}

static void json_names(FILE *to, const char *name, int64_t count, const char *const *names)
{
    fprintf(to, "\"%s\": [", name);
    for (int64_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", to);
        cli_json_text(to, names[i]);
    }
    fputs("]", to);
}

static void json_round(FILE *to, const surekrig_info *info, const surekrig_round *round)
{
    fputs("    {\"beta\": ", to);
    cli_json_number(to, round->beta);
    fputs(", \"loss\": ", to);
    cli_json_number(to, round->loss);
    fputs(", \"objective\": ", to);
    cli_json_number(to, round->objective);
    fprintf(to, ", \"evaluations\": %lld, ", (long long)round->evaluations);
    json_list(to, "lambda", info->levels, round->lambda);
    fputs(", ", to);
    json_list(to, "coverage", info->levels, round->coverage);
    fputs(", ", to);
    json_list(to, "theta", info->estimates, round->theta);
    fputs("}", to);
}

static void json_values(FILE *to, const char *name, int count, const surekrig_estimate *estimate)
{
    fprintf(to, "  \"%s\": {", name);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", to);
        cli_json_text(to, estimate[i].name);
        fputs(": ", to);
        if (isinf(estimate[i].value))
            cli_json_text(to, "inf");
        else
            cli_json_number(to, estimate[i].value);
    }
    fputs("},\n", to);
}

static void json_estimates(FILE *to, const surekrig_info *info)
{
    json_values(to, "estimates", info->estimates, info->estimate);
    if (info->partner_estimates)
        json_values(to, "averaged_with", info->partner_estimates, info->partner_estimate);
    fputs("  \"as_good\": {", to);
    for (int i = 0, shown = 0; i < info->estimates; i++) {
        const surekrig_estimate *e = &info->estimate[i];
        if (isnan(e->as_good[0]))
            continue;
        fputs(shown++ ? ", " : "", to);
        cli_json_text(to, e->name);
        fputs(": [", to);
        cli_json_number(to, e->as_good[0]);
        fputs(", ", to);
        cli_json_number(to, e->as_good[1]);
        fputs("]", to);
    }
    fputs("},\n  \"at_bound\": [", to);
    bool first = true;
    for (int i = 0; i < info->estimates; i++)
        if (info->estimate[i].at_bound) {
            fputs(first ? "" : ", ", to);
            cli_json_text(to, info->estimate[i].name);
            first = false;
        }
    fputs("],\n", to);
}

static void json_settings(FILE *to, const surekrig_info *info)
{
    fputs("  \"settings\": {", to);
    for (int i = 0; surekrig_settings_row(i); i++) {
        const char *name = surekrig_settings_row(i)->name;
        fprintf(to, "%s\"%s\": ", i ? ", " : "", name);
        cli_json_text(to, surekrig_settings_get(info->settings, name));
    }
    fputs("},\n", to);
}

static void json_trials(FILE *to, const surekrig_info *info)
{
    if (!info->trials)
        return;
    fputs("  \"tried\": [", to);
    for (int i = 0; i < info->trials; i++) {
        fputs(i ? ", {\"what\": " : "{\"what\": ", to);
        cli_json_text(to, info->trial[i].what);
        fputs(", \"crps\": ", to);
        cli_json_number(to, info->trial[i].crps);
        fputs(", \"error\": ", to);
        cli_json_number(to, info->trial[i].error);
        fprintf(to, ", \"seconds\": %.4f, \"kept\": %s}", info->trial[i].seconds,
                info->trial[i].kept ? "true" : "false");
    }
    fputs("],\n", to);
}

static void json_margin(FILE *to, const surekrig_scores *s)
{
    const struct {
        const char *name;
        double value;
    } EACH[] = {{"mae", s->mae}, {"rmse", s->rmse}, {"cov", s->cov}, {"crps", s->crps}, {"int", s->interval}};
    if (!s->n)
        return;
    fprintf(to, ", \"margin\": {\"regions\": %lld", (long long)s->n);
    for (size_t i = 0; i < sizeof EACH / sizeof *EACH; i++) {
        fprintf(to, ", \"%s\": ", EACH[i].name);
        cli_json_number(to, EACH[i].value);
    }
    fputc('}', to);
}

/* Of several responses. */
static void json_each(FILE *to, const surekrig_info *info)
{
    for (int64_t q = 0; q < info->l && info->held_out_each; q++) {
        fputs(q ? ", " : ", \"each\": {", to);
        cli_json_text(to, info->y_names[q]);
        fputs(": {", to);
        cli_json_scores(to, &info->held_out_each[q]);
        json_margin(to, &info->held_out_each[info->l + q]);
        fputs(q + 1 < info->l ? "}" : "}}", to);
    }
}

static const char *const HOLDOUT[] = {[SUREKRIG_HOLDOUT_NONE] = "",
                                      [SUREKRIG_HOLDOUT_NEAREST] = "nearest",
                                      [SUREKRIG_HOLDOUT_TRANSPLANT] = "transplant",
                                      [SUREKRIG_HOLDOUT_DISTANCE] = "distance",
                                      [SUREKRIG_HOLDOUT_THINNED] = "thinned",
                                      [SUREKRIG_HOLDOUT_SIMILAR] = "similar",
                                      [SUREKRIG_HOLDOUT_TASK] = "task",
                                      [SUREKRIG_HOLDOUT_GROUP] = "group"};

void cli_json_model(FILE *to, const surekrig_info *info, bool trace)
{
    fputs("{\n  \"version\": ", to);
    cli_json_text(to, info->version);
    fprintf(to, ", \"n\": %lld, \"d\": %lld, \"l\": %lld, \"neighbors\": %lld, \"batch\": %lld,\n  ",
            (long long)info->n, (long long)info->d, (long long)info->l, (long long)info->neighbors,
            (long long)info->batch);
    json_names(to, "features", info->d, info->x_names);
    fputs(", ", to);
    json_names(to, "responses", info->l, info->y_names);
    fputs(",\n", to);
    json_estimates(to, info);
    fputs("  ", to);
    json_list(to, "levels", info->levels, info->level);
    fputs(", ", to);
    json_list(to, "coverage", info->levels, info->coverage);
    fputs(",\n  \"loss\": ", to);
    cli_json_number(to, info->loss);
    static const char *const OUTCOME[] = {"converged", "coverage_not_met", "budget_spent", "stopped_early",
                                          "not_trained"};
    fprintf(to, ", \"outcome\": \"%s\"", OUTCOME[info->outcome]);
    fprintf(to, ", \"evaluations\": %lld, \"rounds\": %d, \"freedom\": %lld, \"jittered\": %lld, \"max_jitter\": %g,\n",
            (long long)info->evaluations, info->rounds, (long long)info->freedom, (long long)info->jittered,
            info->max_jitter);
    fprintf(to, "  \"recall\": %g,\n  \"leave_one_out\": {", info->recall);
    cli_json_scores(to, &info->scores);
    if (info->held_out.n) {
        fputs("},\n  \"held_out\": {\"how\": ", to);
        cli_json_text(to, HOLDOUT[info->holdout]);
        fputs(", \"accepted\": ", to);
        cli_json_number(to, info->accepted);
        fputs(", ", to);
        cli_json_scores(to, &info->held_out);
        json_margin(to, &info->margin);
        json_each(to, info);
        if (info->beside > 1) {
            fputs(", \"beside\": ", to);
            cli_json_number(to, info->beside);
        }
    }
    fputs("},\n", to);
    json_trials(to, info);
    json_settings(to, info);
    if (trace) {
        fputs("  \"trace\": [\n", to);
        for (int i = 0; i < info->rounds; i++) {
            json_round(to, info, &info->round[i]);
            fputs(i + 1 < info->rounds ? ",\n" : "\n", to);
        }
        fputs("  ],\n", to);
    }
    fputs("  \"seconds\": {", to);
    for (int i = 0; i < info->phases; i++)
        fprintf(to, "%s\"%s\": %.4f", i ? ", " : "", info->phase[i].name, info->phase[i].seconds);
    fputs("}\n}\n", to);
}
