#include "cli.h"

#include <math.h>
#include <string.h>

/* The length of the UTF-8 character at text, or 0 where there is none. */
static int utf8_length(const unsigned char *text)
{
    int length = *text < 0x80 ? 1 : *text >= 0xc2 && *text < 0xe0 ? 2 : *text >= 0xe0 && *text < 0xf0 ? 3
                 : *text >= 0xf0 && *text < 0xf5 ? 4 : 0;
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

void cli_print_scores(FILE *to, const char *label, const surekrig_scores *s)
{
    if (label)
        fprintf(to, "%s\n", label);
    fprintf(to, "%10s %10s %10s %10s %10s %10s\n", "n", "MAE", "RMSE", "COV", "CRPS", "INT");
    fprintf(to, "%10lld %10.4g %10.4g %10.4f %10.4g %10.4g   (COV and INT at %g)\n", (long long)s->n, s->mae, s->rmse,
            s->cov, s->crps, s->interval, s->level);
}

void cli_json_scores(FILE *to, const surekrig_scores *s)
{
    const struct { const char *name; double value; } rows[] = {
        {"mae", s->mae}, {"rmse", s->rmse}, {"cov", s->cov}, {"crps", s->crps}, {"int", s->interval},
        {"logdensity", s->logdensity}, {"level", s->level}};
    fprintf(to, "\"n\": %lld", (long long)s->n);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fprintf(to, ", \"%s\": ", rows[i].name);
        cli_json_number(to, rows[i].value);
    }
}

/* ---- a model */

static void print_estimates(FILE *to, const surekrig_info *info)
{
    bool wide = !strcmp(surekrig_settings_get(info->settings, "optimizer"), "bayes");
    for (int i = 0; i < info->estimates; i++) {
        const surekrig_estimate *e = &info->estimate[i];
        fprintf(to, "  %-16s %12.6g", e->name, e->value);
        if (!isnan(e->lower))
            fprintf(to, "   searched in %g : %g%s", e->lower, e->upper,
                    e->at_bound < 0 ? ", AT ITS LOWER BOUND" : e->at_bound > 0 ? ", AT ITS UPPER BOUND" : "");
        if (e->as_good[1] > 1.05 * e->as_good[0] && wide) /* a local search has not looked around */
            fprintf(to, "; %.3g to %.3g are as good", e->as_good[0], e->as_good[1]);
        fputc('\n', to);
    }
}

/* A ridge: nu, rho and gamma2 can trade without the data noticing. */
static void print_ridge(FILE *to, const surekrig_info *info)
{
    for (int i = 0; i < info->estimates; i++) {
        const surekrig_estimate *e = &info->estimate[i];
        if (!strncmp(e->name, "rho", 3) && e->as_good[1] > 3 * e->as_good[0])
            fprintf(to, "%s is poorly determined: the data tell gamma2 / rho^(2 nu), hardly rho; predictions near data do not mind\n",
                    e->name);
    }
}

/* What the nugget means in the response's units. */
static void print_noise(FILE *to, const surekrig_info *info)
{
    double tau2 = NAN, gamma2 = NAN;
    for (int i = 0; i < info->estimates; i++) {
        tau2 = !strcmp(info->estimate[i].name, "tau2") ? info->estimate[i].value : tau2;
        gamma2 = !strcmp(info->estimate[i].name, "gamma2") ? info->estimate[i].value : gamma2;
    }
    if (info->l == 1)
        fprintf(to, "  %-16s %12.6g   sqrt(tau2 gamma2), in the response's units\n", "noise sd", sqrt(tau2 * gamma2));
}

/* Features in different units, divided by one number: the narrow ones hardly count. */
static void print_scaling(FILE *to, const surekrig_info *info)
{
    double longest = 0, shortest = INFINITY;
    const char *distance = surekrig_settings_get(info->settings, "distance");
    for (int64_t a = 0; a < info->d; a++) {
        if (strcmp(distance, "all") && !cli_in_list(distance, info->x_names[a]))
            continue; /* the trend's alone */
        longest = fmax(longest, info->box[info->d + a] - info->box[a]);
        shortest = fmin(shortest, info->box[info->d + a] - info->box[a]);
    }
    if (longest > 100 * shortest && !strcmp(surekrig_settings_get(info->settings, "scaling"), "box") &&
        !strcmp(surekrig_settings_get(info->settings, "anisotropic"), "no"))
        fprintf(to, "note       the features' extents differ by a factor of %.2g, so the narrow ones hardly count; are they in "
                "different units?\n           then try --scaling axis, or --anisotropic yes\n", longest / shortest);
}

static const char *left_out(const surekrig_info *info)
{
    return info->holdout > 1 ? "left out with neighbours like a target's," : "leave-one-out";
}

static void print_coverage(FILE *to, const surekrig_info *info)
{
    if (!info->levels)
        return;
    fprintf(to, "coverage, %s over %lld points\n  asked  ", left_out(info), (long long)info->batch);
    for (int j = 0; j < info->levels; j++)
        fprintf(to, " %8.4g", info->level[j]);
    fprintf(to, "\n  reached");
    for (int j = 0; j < info->levels; j++)
        fprintf(to, " %8.4f", info->coverage[j]);
    fputc('\n', to);
}

static const char *const HOLDOUT[] = {"", "nearest", "transplant", "distance", "thinned"};

static void print_held_out(FILE *to, const surekrig_info *info)
{
    static const char *const HOW[] = {"", "", ", each with neighbours placed as a target's", ", as far from data as a target",
                                      ", from thinned data"};
    if (!info->held_out.n)
        return;
    char label[160];
    snprintf(label, sizeof label, "scores of %lld points left out%s", (long long)info->held_out.n, HOW[info->holdout]);
    if (info->l == 1)
        cli_print_scores(to, label, &info->held_out);
    if (isinf(info->held_out.interval))
        fprintf(to, "these are too few points for a conformal interval at %g, which is infinite\n", info->held_out.level);
    if (info->holdout == 2 && info->accepted < 0.9)
        fprintf(to, "such a place was found for %.0f %% of the targets\n", 100 * info->accepted);
    if (info->holdout == 3 && info->accepted < 0.25)
        fprintf(to, "the targets' surroundings were found elsewhere in the data for %.0f %% only: distances alone were matched\n",
                100 * info->accepted);
}

static void print_partner(FILE *to, const surekrig_info *info)
{
    if (info->partner_estimates)
        fputs("averaged, in equal parts, with a simpler model  (the scores below are of both)\n", to);
    for (int i = 0; i < info->partner_estimates; i++)
        if (!isinf(info->partner_estimate[i].value))
            fprintf(to, "  %-16s %12.6g\n", info->partner_estimate[i].name, info->partner_estimate[i].value);
}

static void print_trials(FILE *to, const surekrig_info *info)
{
    if (info->trials)
        fputs("tried on held-out points  (mean CRPS, in the response's standard deviations)\n", to);
    for (int i = 0; i < info->trials; i++)
        fprintf(to, "  %-20s %8.4f ± %.4f  %5.2f s%s\n", info->trial[i].what, info->trial[i].crps, info->trial[i].error,
                info->trial[i].seconds, info->trial[i].kept ? "  kept" : "");
}

/* What kind of model it is, where that was asked for or chosen. */
static void print_model_settings(FILE *to, const surekrig_info *info)
{
    static const char *const SHOWN[] = {"loss", "mean", "trend", "distance", "sectors", "terms", "anisotropic", "holdout", "variance", "interval"};
    int shown = 0;
    for (int i = 0; surekrig_settings_row(i); i++) {
        const surekrig_setting *row = surekrig_settings_row(i);
        const char *value = surekrig_settings_get(info->settings, row->name);
        for (size_t j = 0; j < sizeof SHOWN / sizeof *SHOWN; j++)
            if (!strcmp(SHOWN[j], row->name) && strcmp(value, row->fallback))
                fprintf(to, "%s %s %s", shown++ ? "," : "settings  ", row->name, value);
    }
    fputs(shown ? "\n" : "", to);
}

void cli_print_model(FILE *to, const surekrig_info *info)
{
    fprintf(to, "%lld points, %lld feature%s (", (long long)info->n, (long long)info->d, info->d == 1 ? "" : "s");
    for (int64_t a = 0; a < info->d; a++)
        fprintf(to, "%s%s", a ? ", " : "", info->x_names[a]);
    fputs("), response ", to);
    for (int64_t q = 0; q < info->l; q++)
        fprintf(to, "%s%s", q ? ", " : "", info->y_names[q]);
    fprintf(to, "%s, %lld neighbours\n", info->noise ? ", noise variances given" : "", (long long)info->neighbors);
    fputs("estimates  (Matérn: u = sqrt(2 nu) distance / rho; tau2 is a share of gamma2)\n", to);
    print_estimates(to, info);
    print_noise(to, info);
    print_ridge(to, info);
    print_scaling(to, info);
    print_partner(to, info);
    print_coverage(to, info);
    if (info->batch && info->l == 1) /* several responses have no units in common */
        cli_print_scores(to, info->holdout > 1 ? "scores of the same points" : "scores, leave-one-out over the same points", &info->scores);
    print_held_out(to, info);
    print_trials(to, info);
    if (info->jittered)
        fprintf(to, "jitter of at most %.1g gamma2 was needed in %lld of the batch's neighbourhoods\n", info->max_jitter,
                (long long)info->jittered);
    print_model_settings(to, info);
    fprintf(to, "outcome    %s\n", surekrig_outcome_sentence(info->outcome));
    if (info->evaluations) {
        fprintf(to, "training   %lld evaluations, %d round%s;", (long long)info->evaluations, info->rounds,
                info->rounds == 1 ? "" : "s");
        for (int i = 0; i < info->phases; i++)
            fprintf(to, " %s %.2f s%s", info->phase[i].name, info->phase[i].seconds, i + 1 < info->phases ? "," : "\n");
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
        fprintf(to, ", \"seconds\": %.4f, \"kept\": %s}", info->trial[i].seconds, info->trial[i].kept ? "true" : "false");
    }
    fputs("],\n", to);
}

void cli_json_model(FILE *to, const surekrig_info *info, bool trace)
{
    fputs("{\n  \"version\": ", to);
    cli_json_text(to, info->version);
    fprintf(to, ", \"n\": %lld, \"d\": %lld, \"l\": %lld, \"neighbors\": %lld, \"batch\": %lld,\n  ", (long long)info->n,
            (long long)info->d, (long long)info->l, (long long)info->neighbors, (long long)info->batch);
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
    fprintf(to, ", \"evaluations\": %lld, \"rounds\": %d, \"jittered\": %lld, \"max_jitter\": %g,\n",
            (long long)info->evaluations, info->rounds, (long long)info->jittered, info->max_jitter);
    fputs("  \"leave_one_out\": {", to);
    cli_json_scores(to, &info->scores);
    if (info->held_out.n) {
        fputs("},\n  \"held_out\": {\"how\": ", to);
        cli_json_text(to, HOLDOUT[info->holdout]);
        fputs(", \"accepted\": ", to);
        cli_json_number(to, info->accepted);
        fputs(", ", to);
        cli_json_scores(to, &info->held_out);
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
