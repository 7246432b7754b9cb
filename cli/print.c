/* A model and its scores, for people. */
#include "cli.h"

#include <math.h>
#include <string.h>

static void print_header(FILE *to)
{
    fprintf(to, "%10s %10s %10s %10s %10s %10s", "n", "MAE", "RMSE", "COV", "CRPS", "INT");
}

static void print_row(FILE *to, const surekrig_scores *s)
{
    fprintf(to, "%10lld %10.4g %10.4g %10.4f %10.4g %10.4g", (long long)s->n, s->mae, s->rmse, s->cov, s->crps,
            s->interval);
}

void cli_print_scores(FILE *to, const char *label, const surekrig_scores *s)
{
    if (label)
        fprintf(to, "%s\n", label);
    print_header(to);
    fputc('\n', to);
    print_row(to, s);
    fprintf(to, "   (COV and INT at %g)\n", s->level);
}

int cli_pad(const char *text, int width)
{
    int more = 0;
    for (; *text; text++)
        more += (*text & 0xc0) == 0x80;
    return width + more;
}

static void print_estimates(FILE *to, const surekrig_info *info)
{
    const char *optimizer = surekrig_settings_get(info->settings, "optimizer");
    bool one = !isnan(cli_estimate(info, "rho")); /* length scale for all features: then auto is bayes */
    bool wide = !strcmp(optimizer, "bayes") || (!strcmp(optimizer, "auto") && one);
    for (int i = 0; i < info->estimates; i++) {
        const surekrig_estimate *e = &info->estimate[i];
        fprintf(to, "  %-*s %12.6g", cli_pad(e->name, 16), e->name, e->value);
        if (!isnan(e->lower))
            fprintf(to, "   searched in %g : %g%s", e->lower, e->upper,
                    e->at_bound < 0   ? ", AT ITS LOWER BOUND"
                    : e->at_bound > 0 ? ", AT ITS UPPER BOUND"
                                      : "");
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
            fprintf(
                to,
                "%s is poorly determined: the data tell gamma2 / rho^(2 nu), hardly rho; predictions near data do not mind\n",
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

static const char *left_out(const surekrig_info *info)
{
    if (info->holdout == SUREKRIG_HOLDOUT_GROUP)
        return "without their group";
    return info->holdout > SUREKRIG_HOLDOUT_NEAREST ? "left out with neighbours like a target's" : "leave-one-out";
}

static void print_coverage(FILE *to, const surekrig_info *info)
{
    if (!info->levels)
        return;
    fprintf(to, "coverage of %lld points, %s\n  asked  ", (long long)info->batch, left_out(info));
    for (int j = 0; j < info->levels; j++)
        fprintf(to, " %8.4g", info->level[j]);
    fprintf(to, "\n  reached");
    for (int j = 0; j < info->levels; j++)
        fprintf(to, " %8.4f", info->coverage[j]);
    fputc('\n', to);
}

/* No left-out point stands for the targets. */
static bool unlike(const surekrig_info *info)
{
    return info->holdout == SUREKRIG_HOLDOUT_DISTANCE && info->accepted < 0.25;
}

static const double BESIDE_TOLD = 1.1; /* less is no news: intervals and scores allow for it all the same */

/* What the data say of the targets, before any score that rests on it. */
static void print_likeness(FILE *to, const surekrig_info *info)
{
    if (unlike(info))
        fputs(
            "NOTHING LIKE THE TARGETS is in the data: no left-out point has neighbours placed as theirs, even roughly.\n"
            "Intervals rest on points that are as far from data, but with data on other sides, and on the model; what\n"
            "errors to expect is not known\n",
            to);
    if (info->beside >= BESIDE_TOLD)
        fprintf(
            to,
            "ERRORS ARE LARGER BESIDE THE TARGETS than elsewhere in the data, by a factor of %.2f: the targets do not lie\n"
            "at random. Intervals and scores below allow for it; among the targets it may be more\n",
            info->beside);
}

static void print_margin(FILE *to, const surekrig_scores *s)
{
    if (s->n)
        fprintf(to, "%10s %10.2g %10.2g %10.4f %10.2g %10.2g   (19 of 20 such sets of targets, by %lld regions)\n",
                "within +-", s->mae, s->rmse, s->cov, s->crps, s->interval, (long long)s->n);
}

/* Of the batch: parameters were chosen by these points, so that new ones may do worse. */
static void print_trained(FILE *to, const surekrig_info *info)
{
    char label[120];
    snprintf(label, sizeof label, "scores of the points that training looked at, %s", left_out(info));
    cli_print_scores(to, label, &info->scores);
}

/* Several responses have no units in common. */
static void print_each(FILE *to, const char *label, const surekrig_info *info)
{
    fprintf(to, "%s\n", label);
    print_header(to);
    fprintf(to, "   (COV and INT at %g)\n", info->held_out.level);
    for (int64_t q = 0; q < info->l; q++) {
        print_row(to, &info->held_out_each[q]);
        fprintf(to, "   %s\n", info->y_names[q]);
        print_margin(to, &info->held_out_each[info->l + q]);
    }
}

static void print_held_out(FILE *to, const surekrig_info *info)
{
    static const char *const HOW[] = {": what to expect of new points among the data",
                                      ": what to expect of new points among the data",
                                      ", each with neighbours placed as a target's",
                                      ", as far from data as a target",
                                      ", from thinned data",
                                      ", each with neighbours placed roughly as a target's",
                                      ", without the stations or times that targets have no data from",
                                      ", without their group"};
    if (!info->held_out.n)
        return;
    char label[160];
    snprintf(label, sizeof label, "scores of %lld points left out%s", (long long)info->held_out.n / info->l,
             HOW[info->holdout]);
    if (info->l == 1 && !unlike(info)) {
        cli_print_scores(to, label, &info->held_out);
        print_margin(to, &info->margin);
    } else if (info->held_out_each && !unlike(info)) {
        print_each(to, label, info);
    }
    if (isinf(info->held_out.interval))
        fprintf(to, "these are too few points for a conformal interval at %g, which is infinite\n",
                info->held_out.level);
    if ((info->holdout == SUREKRIG_HOLDOUT_TRANSPLANT || info->holdout == SUREKRIG_HOLDOUT_SIMILAR) &&
        info->accepted < 0.995)
        fprintf(to,
                "such a place was found for %.0f %% of the targets; what the others add follows from the sd of their "
                "predictions\n",
                100 * info->accepted);
}

static void print_partner(FILE *to, const surekrig_info *info)
{
    if (info->partner_estimates)
        fputs("averaged, in equal parts, with a simpler model  (coverage and scores below are of both)\n", to);
    for (int i = 0; i < info->partner_estimates; i++)
        if (!isinf(info->partner_estimate[i].value))
            fprintf(to, "  %-*s %12.6g\n", cli_pad(info->partner_estimate[i].name, 16), info->partner_estimate[i].name,
                    info->partner_estimate[i].value);
}

static void print_trials(FILE *to, const surekrig_info *info)
{
    if (info->trials)
        fputs("tried on held-out points  (mean CRPS, in the response's standard deviations)\n", to);
    for (int i = 0; i < info->trials; i++)
        fprintf(to, "  %-30s %8.4f ± %.4f  %5.2f s%s\n", info->trial[i].what, info->trial[i].crps, info->trial[i].error,
                info->trial[i].seconds, info->trial[i].kept ? "  kept" : "");
}

/* What kind of model it is, where that was asked for or chosen. */
static void print_model_settings(FILE *to, const surekrig_info *info)
{
    static const struct {
        const char *name, *plain; /* what needs no word even where the default is auto */
    } SHOWN[] = {{"loss", ""},           {"mean", ""},
                 {"trend", ""},          {"distance", ""},
                 {"sectors", "no"},      {"terms", ""},
                 {"anisotropic", "no"},  {"holdout", ""},
                 {"variance", "global"}, {"interval", "gaussian"}};
    int shown = 0;
    for (int i = 0; surekrig_settings_row(i); i++) {
        const surekrig_setting *row = surekrig_settings_row(i);
        const char *value = surekrig_settings_get(info->settings, row->name);
        for (size_t j = 0; j < sizeof SHOWN / sizeof *SHOWN; j++)
            if (!strcmp(SHOWN[j].name, row->name) && strcmp(value, row->fallback) && strcmp(value, SHOWN[j].plain))
                fprintf(to, "%s %s %s", shown++ ? "," : "settings  ", row->name, value);
    }
    fputs(shown ? "\n" : "", to);
}

/* Held-out points set its intervals, whatever training reached. */
static bool conformal(const surekrig_info *info)
{
    return !strcmp(surekrig_settings_get(info->settings, "interval"), "conformal");
}

/* With what to do where coverage was not met. Conformal intervals do not care: points left out say how wide they are. */
static void print_outcome(FILE *to, const surekrig_info *info)
{
    bool unmet = info->outcome == SUREKRIG_COVERAGE_NOT_MET;
    fprintf(to, "outcome    %s\n",
            surekrig_outcome_sentence(unmet && conformal(info) ? SUREKRIG_CONVERGED : info->outcome));
    if (unmet && !conformal(info))
        fputs("           errors are not as a normal distribution has them: --interval conformal takes the widths of\n"
              "           intervals from points left out, at every level\n",
              to);
}

/* Of few rows the batch is what is left out. */
static bool told_by_held_out(const surekrig_info *info)
{
    const surekrig_scores *a = &info->scores, *b = &info->held_out;
    return a->n == b->n && a->rmse == b->rmse && a->crps == b->crps && a->interval == b->interval;
}

/* Rows that stand twice in a table look like measurements repeated without any error. */
static void print_copies(FILE *to, const surekrig_info *info)
{
    if (info->shared_rows && info->l == 1 && !(info->within_sd[0] > 0))
        fprintf(
            to,
            "note       %lld rows have the place and the response of another: if these are copies, leave them out, for they "
            "say that there is no noise\n",
            (long long)(info->shared_rows - info->shared_places));
}

/* From the mean of each of 200 places with 50 readings the field between them had a third of the RMSE that it had from all
 * readings, of 1,000 places with five four fifths. */
static void print_readings(FILE *to, const surekrig_info *info)
{
    enum { FEW_PLACES = 16, MANY = 4 };
    int64_t places = info->shared_places, readings = places ? info->shared_rows / places : 0;
    if (readings >= MANY && FEW_PLACES * readings > info->neighbors && 2 * info->shared_rows > info->n)
        fprintf(
            to,
            "note       with %lld readings a place the %lld neighbours are of few places: the field between places is "
            "told better by the mean of each\n",
            (long long)readings, (long long)info->neighbors);
}

static bool full_nugget(const surekrig_estimate *e)
{
    return e->at_bound > 0 && !strcmp(e->name, "tau2");
}

enum { NOISY = 9 }; /* nine tenths */

/* Of noise alone the nugget grows until it meets its bound. */
static void print_nugget(FILE *to, const surekrig_info *info)
{
    for (int i = 0; i < info->estimates; i++) {
        const surekrig_estimate *e = &info->estimate[i];
        if (full_nugget(e))
            fprintf(to,
                    "note       tau2 = %.6g is at its upper bound: next to these features the response is almost all "
                    "noise\n",
                    e->value);
        else if (!strcmp(e->name, "tau2") && e->value >= NOISY)
            fprintf(to, "note       tau2 = %.6g: next to these features %.0f %% of the variance is noise\n", e->value,
                    100 * e->value / (1 + e->value));
    }
}

/* Of fewer rows than this, normal intervals asked to hold 95 % held 66 to 86 % of new points (docs/defaults.md). */
enum { FEW_ROWS = 30 };

static void print_few(FILE *to, const surekrig_info *info)
{
    if (info->n >= FEW_ROWS || !info->batch)
        return;
    fprintf(to, "note       %lld rows are few to learn from: ", (long long)info->n);
    if (info->freedom)
        fprintf(to, "intervals are wide, those of Student's t with %lld degrees of freedom\n",
                (long long)info->freedom);
    else
        fputs("intervals are often too narrow\n", to);
}

/* Where there is a time, a place has one: two values at one place and time are told of, too. */
static void print_shared(FILE *to, const surekrig_info *info)
{
    if (!info->shared_rows)
        return;
    fprintf(to, "%lld rows share %lld place%s with others", (long long)info->shared_rows,
            (long long)info->shared_places, info->shared_places == 1 ? "" : "s");
    if (info->l == 1 && info->within_sd[0] > 0)
        fprintf(to, ", where responses differ by an sd of %.4g", info->within_sd[0]);
    else if (info->l == 1)
        fputs(", where responses agree", to);
    fputs("; a point is left out with all others at its place\n", to);
}

void cli_print_model(FILE *to, const surekrig_info *info)
{
    print_likeness(to, info);
    fprintf(to, "%lld points, %lld feature%s (", (long long)info->n, (long long)info->d, info->d == 1 ? "" : "s");
    for (int64_t a = 0; a < info->d; a++)
        fprintf(to, "%s%s", a ? ", " : "", info->x_names[a]);
    fputs("), response ", to);
    for (int64_t q = 0; q < info->l; q++)
        fprintf(to, "%s%s", q ? ", " : "", info->y_names[q]);
    fprintf(to, "%s, %lld neighbour%s\n", info->noise ? ", noise variances given" : "", (long long)info->neighbors,
            info->neighbors == 1 ? "" : "s");
    print_shared(to, info);
    if (info->recall < 1)
        fprintf(
            to,
            "neighbours are searched for approximately: %.1f %% of the nearest were found (search exact finds all)\n",
            100 * info->recall);
    const char *kernel = surekrig_settings_get(info->settings, "kernel");
    fprintf(to, "estimates  (%s; tau2 is a share of gamma2)\n",
            strcmp(kernel, "matern") != 0 ? kernel : "Matérn: u = sqrt(2 nu) distance / rho");
    print_estimates(to, info);
    print_noise(to, info);
    cli_print_range(to, info);
    cli_print_distances(to, info);
    print_ridge(to, info);
    cli_print_scaling(to, info);
    print_partner(to, info);
    print_coverage(to, info);
    if (info->batch && info->l == 1 && !unlike(info) && !told_by_held_out(info)) /* several have no units in common */
        print_trained(to, info);
    print_held_out(to, info);
    print_trials(to, info);
    if (info->jittered)
        fprintf(to, "jitter of at most %.1g gamma2 was needed in %lld of the batch's neighbourhoods\n",
                info->max_jitter, (long long)info->jittered);
    print_model_settings(to, info);
    print_copies(to, info);
    print_readings(to, info);
    print_nugget(to, info);
    print_few(to, info);
    print_outcome(to, info);
    if (info->evaluations) {
        fprintf(to, "training   %lld evaluations, %d round%s;", (long long)info->evaluations, info->rounds,
                info->rounds == 1 ? "" : "s");
        for (int i = 0; i < info->phases; i++)
            fprintf(to, " %s %.2f s%s", info->phase[i].name, info->phase[i].seconds, i + 1 < info->phases ? "," : "\n");
    }
}

/* But for a nugget that is next to nothing, which says no more than that. */
static void print_bounds(FILE *to, const surekrig_info *info)
{
    for (int i = 0; i < info->estimates; i++) {
        const surekrig_estimate *e = &info->estimate[i];
        if (!full_nugget(e) && (e->at_bound > 0 || (e->at_bound < 0 && strcmp(e->name, "tau2") != 0)))
            fprintf(to, "note       %s = %.6g is at its %s bound\n", e->name, e->value,
                    e->at_bound > 0 ? "upper" : "lower");
    }
    print_nugget(to, info);
}

void cli_print_expected(FILE *to, const surekrig_info *info)
{
    print_shared(to, info);
    print_likeness(to, info);
    print_held_out(to, info);
    if (!info->held_out.n && info->batch && info->l == 1)
        cli_print_scores(to, "scores, leave-one-out", &info->scores);
    cli_print_distances(to, info);
    cli_print_scaling(to, info);
    print_bounds(to, info);
    print_copies(to, info);
    print_readings(to, info);
    print_few(to, info);
    bool met = info->outcome == SUREKRIG_COVERAGE_NOT_MET && conformal(info);
    if (info->outcome != SUREKRIG_CONVERGED && info->outcome != SUREKRIG_NOT_TRAINED && !met)
        fprintf(to, "note       %s\n", surekrig_outcome_sentence(info->outcome));
}
