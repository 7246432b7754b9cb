/* One table drives the defaults, the checks, the command's options, the bindings and docs/settings.md. A new setting is
 * a row here and a field of surekrig_settings. */
#include "settings/inside.h"

#include <string.h>

#define AT(field) offsetof(surekrig_settings, field)

/* clang-format off */
const sk_setting_row sk_setting_rows[] = {
    {{"neighbors", "auto", "1 to 4096, or auto", "Nearest neighbours each prediction is made from; auto: 64 where sectors is auto and becomes yes, else 50, or one less than the points."},
     SK_COUNT, AT(neighbors), 1, 4096, "auto"},
    {{"sectors", "auto", "auto, no or yes", "Neighbours by equal quotas of directions instead of the nearest whatever their side; auto: of two features, from 200 points on."},
     SK_CHOICE, AT(sectors), 0, 0, "no yes auto"},
    {{"nodes", "auto", "auto, no or yes", "Places are kriged from the neighbours of the nodes of a lattice around them, and blended: maps have no steps, and many places at once take less time. For two coordinates; auto: where sectors is yes."},
     SK_CHOICE, AT(nodes), 0, 0, "no yes auto"},
    {{"search", "auto", "auto, exact or approximate", "Are the nearest neighbours all found? approximate passes over what can hardly hold one: some four times as fast where more than ten features count, and the summary says how many were found; auto: that, for more than 100000 points in more than ten features that count."},
     SK_CHOICE, AT(search), 0, 0, "auto exact approximate"},
    {{"batch", "1024", "2 to 1e9", "Training points left out in turn, drawn at random; all of them where there are fewer."},
     SK_COUNT, AT(batch), 2, 1e9, NULL},
    {{"loss", "block", SK_ROW_CHOICES(SK_LOSS_LIST), "What training minimises: " SK_LOSS_MEANING "."},
     SK_CHOICE, AT(loss), 0, 0, SK_ROW_WORDS(SK_LOSS_LIST)},
    {{"huber", "1.5", "1e-6 to 1e6", "Boundary of the pseudo-Huber losses: for huber in standard deviations of the response, for looph in those of each prediction."},
     SK_REAL, AT(huber), 1e-6, 1e6, NULL},
    {{"coverage", "auto", "levels between 0 and 1, none, or auto", "Levels at which the share of left-out points inside their interval is to equal the level; auto: none where held-out points set the widths (variance local or interval conformal), else " SK_FIVE_LEVELS "."},
     SK_LEVEL_LIST, AT(coverage), 0, 1, "auto"},
    {{"constraint", "multipliers", "multipliers or penalty", "How coverage is enforced: method of multipliers, or its quadratic penalty alone."},
     SK_CHOICE, AT(constraint), 0, 0, "multipliers penalty"},
    {{"tolerance", "auto", "0 to 0.5, or auto", "A coverage this near its level counts as met (at least 1/batch); auto: 0.002 for one level, 0.01 for several."},
     SK_REAL, AT(tolerance), 0, 0.5, "auto"},
    {{"beta", "10", "1e-9 to 1e12", "First weight of the squared coverage deviation, against the loss as a mean over the batch."},
     SK_REAL, AT(beta), 1e-9, 1e12, NULL},
    {{"growth", "4", "1 to 1000", "Factor by which beta grows each round, up to 100 where there are several levels."},
     SK_REAL, AT(growth), 1, 1000, NULL},
    {{"rounds", "30", "1 to 1000", "Rounds of the method of multipliers at most; most only re-score what is known."},
     SK_COUNT, AT(rounds), 1, 1000, NULL},
    {{"kernel", "matern", SK_ROW_CHOICES(SK_EACH_FAMILY), "Family of the covariance, of its first term where there are two; gaussian is matern with nu inf."},
     SK_CHOICE, AT(kernel), 0, 0, SK_ROW_WORDS(SK_EACH_FAMILY)},
    {{"nu", "auto", "0.01 to 50, inf, a range, or auto", "Smoothness of the Matérn kernel; auto: searched from 0.05 to 2.5, or to 10 where each of more than three features has a length scale."},
     SK_PARAMETER, AT(nu), SK_NU_MIN, SK_NU_MAX, "auto"},
    {{"rho", "auto", "a value, one per feature, a range, or auto", "Length scale in the features' units (where scaling is axis, one value or range is a share of each side); auto: searched from 0.001 to 10 of the longest side or, where anisotropic, to 1000 of each feature's own."},
     SK_PARAMETER, AT(rho), 1e-300, 1e300, "auto"},
    {{"anisotropic", "auto", "auto, no or yes", "One length scale per feature instead of one for all; auto: where there are more than two features, or the two have extents of different orders."},
     SK_CHOICE, AT(anisotropic), 0, 0, "no yes auto"},
    {{"metric", "fitted", "fitted or start", "Where each feature has a length scale: neighbours are the nearest in units of these, found in turns with them, or as scaling says."},
     SK_CHOICE, AT(metric), 0, 0, "fitted start"},
    {{"tau2", "auto", "0 or more, a range that begins above 0, or auto", "Nugget: the noise variance as a share of gamma2; auto: searched from 1e-8 to 1."},
     SK_PARAMETER, AT(tau2), 0, 1e12, "auto"},
    {{"gamma2", "auto", "a value, a range, or auto", "Variance of the field in the response's units squared; auto: profiled, or searched where noise is given."},
     SK_PARAMETER, AT(gamma2), 1e-300, 1e300, "auto"},
    {{"terms", "1", "1 or 2", "Matérn terms of the covariance; the second has a longer range."},
     SK_COUNT, AT(terms), 1, 2, NULL},
    {{"long_ratio", "1.5:10:300", "above 1, or a range", "The second term's length scale over the first's."},
     SK_PARAMETER, AT(long_ratio), 1, 1e6, NULL},
    {{"long_share", "0.02:0.5:0.98", "between 0 and 1, or a range", "The second term's share of gamma2."},
     SK_PARAMETER, AT(long_share), 1e-9, 1 - 1e-9, NULL},
    {{"long_nu", "0.5", "0.01 to 50, or a range", "The second term's smoothness."},
     SK_PARAMETER, AT(long_nu), SK_NU_MIN, SK_NU_MAX, NULL},
    {{"mean", "local", "zero, constant, local or trend", "The field's mean: known as zero or the average, unknown in each neighbourhood (ordinary kriging), or linear in the trend columns with an unknown local mean of the rest."},
     SK_CHOICE, AT(mean), 0, 0, "zero constant local trend"},
    {{"trend", "all", "all, or feature names", "Columns in which the trend is linear, where mean is trend."},
     SK_NAMES, AT(trend), 0, 0, NULL},
    {{"distance", "all", "all, or feature names", "Columns in which distances are measured; the others serve the trend alone."},
     SK_NAMES, AT(distance), 0, 0, NULL},
    {{"sphere", "auto", "auto, no, or two feature names", "Longitude and latitude in degrees: distances are then through the earth, in km, without a seam at the date line or the poles; auto: where two features have these names and reach over more than 20 degrees or beyond a latitude of 60, and rho is auto."},
     SK_NAMES, AT(sphere), 0, 0, NULL},
    {{"group", "none", "none, or feature names, with ; between groups", "Features of one group have one length scale in common and the same units, such as lon,lat or lon,lat;u,v; each other feature has its own."},
     SK_NAMES, AT(group), 0, 0, NULL},
    {{"holdout", "auto", "auto, nearest, transplant, distance, thinned or similar", "Neighbours of a left-out point: its nearest; placed as around a target, exactly or roughly (similar); as far away as a target's; or in ever thinner samples of the data. auto: transplant where targets are given, or the next of these that the data allow (similar, distance); else nearest."},
     SK_CHOICE, AT(holdout), 0, 0, "auto nearest transplant distance thinned similar"},
    {{"variance", "auto", "auto, global or local", "Widths of intervals: one gamma2 for all, or following the variability of each point's neighbours and corrected on held-out points. auto: local from 200 points on, where no noise is given."},
     SK_CHOICE, AT(variance), 0, 0, "global local auto"},
    {{"interval", "auto", "auto, gaussian or conformal", "Quantiles of intervals: the normal ones, or those of held-out points' errors over their sd. Of fewer than 4000 such points they are mixed with 200 normal ones. auto: conformal from 200 points on."},
     SK_CHOICE, AT(interval), 0, 0, "gaussian conformal auto"},
    {{"calibration", "8192", "20 to 1e9", "Held-out points beside the batch for a local variance and conformal intervals, at most half of the data (or 4096), and up to 4096 others for the scores where targets are given; where the data are few, the batch's own."},
     SK_COUNT, AT(calibration), 20, 1e9, NULL},
    {{"auto", "no", "no or yes", "Choose a trend, anisotropic and terms on held-out points, average the best model with the simplest where that is hardly worse, and take 100 neighbors (in sectors where there are targets or two features), mean local, loss block, variance local, interval conformal and coverage none; what is set otherwise stays."},
     SK_CHOICE, AT(choose), 0, 0, "no yes"},
    {{"scaling", "auto", "auto, box, axis or none", "What features are divided by before distances are measured, until the metric is fitted: the longest side of their box, each its own side, or nothing; auto: axis where anisotropic is auto and finds reason for it, else box."},
     SK_CHOICE, AT(scaling), 0, 0, "box axis none auto"},
    {{"optimizer", "auto", "auto, bayes, local or lbfgs", "Inner optimiser: Bayesian optimisation, a local search from the start, or L-BFGS by gradients from there; auto: lbfgs where each feature has a length scale or coverage is none, else bayes."},
     SK_CHOICE, AT(optimizer), 0, 0, "bayes local lbfgs auto"},
    {{"acquisition", "ei", "ei or ucb", "Where Bayesian optimisation looks next: expected improvement, or the confidence bound."},
     SK_CHOICE, AT(acquisition), 0, 0, "ei ucb"},
    {{"kappa", "7", "0 to 1000", "Exploration of the confidence bound, in its standard deviations; ei does not use it."},
     SK_REAL, AT(kappa), 0, 1000, NULL},
    {{"initial", "auto", "1 to 100000, or auto", "Points of the initial design, the start included; auto: 5 + 5 per searched hyperparameter, 1 + 2 where optimizer is lbfgs."},
     SK_COUNT, AT(initial), 1, 100000, "auto"},
    {{"evaluations", "auto", "1 to 100000, or auto", "Evaluations of the inner optimiser a round; auto: 15 per searched hyperparameter, 2 from the second round on (local: 20 and 2; lbfgs: at most 30 and 5)."},
     SK_COUNT, AT(evaluations), 1, 100000, "auto"},
    {{"polish", "auto", "0 to 100000, or auto", "Further evaluations of a local search that ends a round, and as many for three short ones from different places after the first Bayesian optimisation; auto: 25 per searched hyperparameter, none where optimizer is lbfgs."},
     SK_COUNT, AT(polish), 0, 100000, "auto"},
    {{"select", "best", "best or last", "Return the best theta evaluated, or the last round's as the paper does."},
     SK_CHOICE, AT(select), 0, 0, "best last"},
    {{"aids", "all", "all, none, or some of suggest, archive, limits, bend, log, stop", "What the search has beyond the paper's Algorithm 1. suggest: after an evaluation, the rho that would match its scale; archive: rounds share their evaluations, and later ones need few; limits: of beta and lambda, and a price of a huge gamma2; bend: the surrogate sees log(1 + value), and squared errors count as their logarithm; log: the search is in logarithms, with rho up to 10 instead of 2.2 longest sides; stop: Bayesian optimisation ends where it would look again."},
     SK_WORDS, AT(aids), 0, 0, "suggest archive limits bend log stop"},
    {{"seconds", "none", "0.001 to 1e9, or none", "Time for training; the best theta found by then is returned."},
     SK_REAL, AT(seconds), 1e-3, 1e9, "none"},
    {{"seed", "1", "0 to 18446744073709551615", "Of the batch and the search; the same seed gives the same model."},
     SK_SEED, AT(seed), 0, 0, NULL},
    {{"threads", "auto", "1 to 4096, or auto", "Threads, at most four for each processor (or eight); auto: what OMP_NUM_THREADS says, or one for each that the process or its container may use. The result does not depend on them."},
     SK_COUNT, AT(threads), 1, 4096, "auto"},
    {{"backend", "auto", "auto, " SK_ROW_CHOICES(SK_EACH_BACKEND), "The code that kriges; auto: the fastest this machine has."},
     SK_CHOICE, AT(backend), 0, 0, "auto " SK_ROW_WORDS(SK_EACH_BACKEND)},
    {{"preset", "default", "default, coverage, gaps or paper", "Sets several at once. coverage, training under the coverage constraint: sectors no, mean constant, variance global, interval gaussian, coverage " SK_FIVE_LEVELS "; gaps, for filling them with targets given: 100 neighbors in sectors, mean local, variance local, interval conformal, coverage none, batch 512, optimizer local, polish 0; paper: as coverage, with loss lool, mean zero, gamma2 1, tau2 1e-3, 5 rounds, each a Bayesian optimisation of its own with 3 + 10 evaluations, select last, no polish and no other aids, anisotropic no, sphere no: docs/paper.md."},
     SK_PRESET, 0, 0, 0, "default coverage gaps paper"},
};
/* clang-format on */
enum { ROWS = sizeof sk_setting_rows / sizeof *sk_setting_rows };
const int sk_setting_count = ROWS;
_Static_assert(ROWS <= 64, "which of them were set is kept in one word");

const sk_preset_row sk_preset_rows[] = {
    {"coverage", "mean", "constant"},
    {"coverage", "variance", "global"},
    {"coverage", "interval", "gaussian"},
    {"coverage", "coverage", SK_FIVE_LEVELS},
    {"coverage", "sectors", "no"},
    {"gaps", "neighbors", "100"},
    {"gaps", "sectors", "yes"},
    {"gaps", "mean", "local"},
    {"gaps", "variance", "local"},
    {"gaps", "interval", "conformal"},
    {"gaps", "coverage", "none"},
    {"gaps", "batch", "512"},
    {"gaps", "optimizer", "local"},
    {"gaps", "polish", "0"},
    {"paper", "loss", "lool"},
    {"paper", "mean", "zero"},
    {"paper", "gamma2", "1"},
    {"paper", "tau2", "1e-3"},
    {"paper", "initial", "3"},
    {"paper", "rounds", "5"},
    {"paper", "evaluations", "13"},
    {"paper", "polish", "0"},
    {"paper", "select", "last"},
    {"paper", "anisotropic", "no"},
    {"paper", "variance", "global"},
    {"paper", "interval", "gaussian"},
    {"paper", "coverage", SK_FIVE_LEVELS},
    {"paper", "optimizer", "bayes"},
    {"paper", "sectors", "no"},
    {"paper", "sphere", "no"},
    {"paper", "aids", "none"},
};
const int sk_preset_count = sizeof sk_preset_rows / sizeof *sk_preset_rows;

int sk_setting_find(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (!strcmp(sk_setting_rows[i].public.name, name))
            return i;
    return -1;
}

const surekrig_setting *surekrig_settings_row(int number)
{
    return number >= 0 && number < ROWS ? &sk_setting_rows[number].public : NULL;
}
