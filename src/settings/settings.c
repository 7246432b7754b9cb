/* One table drives the defaults, the checks, the command's options, the bindings and docs/settings.md. */
#include "settings/settings.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { COUNT, REAL, CHOICE, PARAMETER, LEVELS, NAMES, SEED, PRESET } kind;

typedef struct row {
    surekrig_setting public;
    kind kind;
    size_t offset;
    double lowest, highest; /* COUNT, REAL and the values of a PARAMETER */
    const char *words;      /* CHOICE: "lool mse huber"; COUNT, REAL: a word that stands for -1 or infinity */
} row;

#define AT(field) offsetof(surekrig_settings, field)

/* clang-format off */
static const row TABLE[] = {
    {{"neighbors", "auto", "1 to 4096, or auto", "Nearest neighbours each prediction is made from; auto: 50, or one less than the points."},
     COUNT, AT(neighbors), 1, 4096, "auto"},
    {{"sectors", "no", "no or yes", "Neighbours by equal quotas of directions instead of the nearest whatever their side: for points in gaps."},
     CHOICE, AT(sectors), 0, 0, "no yes"},
    {{"batch", "1024", "2 to 1e9", "Training points left out in turn, drawn at random; all of them where there are fewer."},
     COUNT, AT(batch), 2, 1e9, NULL},
    {{"loss", "block", SK_LOSS_TAKES, "What training minimises: " SK_LOSS_MEANING "."},
     CHOICE, AT(loss), 0, 0, SK_LOSS_WORDS},
    {{"huber", "1.5", "1e-6 to 1e6", "Boundary of the pseudo-Huber losses: for huber in standard deviations of the response, for looph in those of each prediction."},
     REAL, AT(huber), 1e-6, 1e6, NULL},
    {{"coverage", "0.9,0.925,0.95,0.975,0.99", "levels between 0 and 1, or none", "Levels at which the share of left-out points inside their interval is to equal the level."},
     LEVELS, AT(coverage), 0, 1, NULL},
    {{"constraint", "multipliers", "multipliers or penalty", "How coverage is enforced: method of multipliers, or its quadratic penalty alone."},
     CHOICE, AT(constraint), 0, 0, "multipliers penalty"},
    {{"tolerance", "auto", "0 to 0.5, or auto", "A coverage this near its level counts as met (at least 1/batch); auto: 0.002 for one level, 0.01 for several."},
     REAL, AT(tolerance), 0, 0.5, "auto"},
    {{"beta", "10", "1e-9 to 1e12", "First weight of the squared coverage deviation, against the loss as a mean over the batch."},
     REAL, AT(beta), 1e-9, 1e12, NULL},
    {{"growth", "4", "1 to 1000", "Factor by which beta grows each round, up to 100 where there are several levels."},
     REAL, AT(growth), 1, 1000, NULL},
    {{"rounds", "30", "1 to 1000", "Rounds of the method of multipliers at most; most only re-score what is known."},
     COUNT, AT(rounds), 1, 1000, NULL},
    {{"kernel", "matern", SK_ROW_CHOICES(SK_EACH_FAMILY), "Family of the covariance, of its first term where there are two; gaussian is matern with nu inf."},
     CHOICE, AT(kernel), 0, 0, SK_ROW_WORDS(SK_EACH_FAMILY)},
    {{"nu", "0.05:2.5", "0.01 to 50, inf, or a range", "Smoothness of the Matérn kernel."},
     PARAMETER, AT(nu), SK_NU_MIN, SK_NU_MAX, NULL},
    {{"rho", "auto", "a value, one per feature, a range, or auto", "Length scale in the features' units (where scaling is axis, one value or range is a share of each side); auto: searched from 0.001 to 10 of the longest side, or of each feature's own where anisotropic."},
     PARAMETER, AT(rho), 1e-300, 1e300, "auto"},
    {{"anisotropic", "no", "no or yes", "One length scale per feature instead of one for all."},
     CHOICE, AT(anisotropic), 0, 0, "no yes"},
    {{"tau2", "auto", "0 or more, a range that begins above 0, or auto", "Nugget: the noise variance as a share of gamma2; auto: searched from 1e-8 to 1."},
     PARAMETER, AT(tau2), 0, 1e12, "auto"},
    {{"gamma2", "auto", "a value, a range, or auto", "Variance of the field in the response's units squared; auto: profiled, or searched where noise is given."},
     PARAMETER, AT(gamma2), 1e-300, 1e300, "auto"},
    {{"terms", "1", "1 or 2", "Matérn terms of the covariance; the second has a longer range."},
     COUNT, AT(terms), 1, 2, NULL},
    {{"long_ratio", "1.5:10:300", "above 1, or a range", "The second term's length scale over the first's."},
     PARAMETER, AT(long_ratio), 1, 1e6, NULL},
    {{"long_share", "0.02:0.5:0.98", "between 0 and 1, or a range", "The second term's share of gamma2."},
     PARAMETER, AT(long_share), 1e-9, 1 - 1e-9, NULL},
    {{"long_nu", "0.5", "0.01 to 50, or a range", "The second term's smoothness."},
     PARAMETER, AT(long_nu), SK_NU_MIN, SK_NU_MAX, NULL},
    {{"mean", "constant", "zero, constant, local or trend", "The field's mean: known as zero or the average, unknown in each neighbourhood (ordinary kriging), or linear in the trend columns with an unknown local mean of the rest."},
     CHOICE, AT(mean), 0, 0, "zero constant local trend"},
    {{"trend", "all", "all, or feature names", "Columns in which the trend is linear, where mean is trend."},
     NAMES, AT(trend), 0, 0, NULL},
    {{"distance", "all", "all, or feature names", "Columns in which distances are measured; the others serve the trend alone."},
     NAMES, AT(distance), 0, 0, NULL},
    {{"holdout", "auto", "auto, nearest, transplant, distance or thinned", "Neighbours of a left-out point: its nearest; placed as around a target; as far away as a target's; or in ever thinner samples of the data. auto: transplant where targets are given, else nearest."},
     CHOICE, AT(holdout), 0, 0, "auto nearest transplant distance thinned"},
    {{"variance", "global", "global or local", "Widths of intervals: one gamma2 for all, or following the variability of each point's neighbours and corrected on held-out points."},
     CHOICE, AT(variance), 0, 0, "global local"},
    {{"interval", "gaussian", "gaussian or conformal", "Quantiles of intervals: the normal ones, or those of held-out points' errors over their sd."},
     CHOICE, AT(interval), 0, 0, "gaussian conformal"},
    {{"calibration", "8192", "20 to 1e9", "Held-out points beside the batch for a local variance and conformal intervals, at most half of the data (or 4096), and up to 4096 others for the scores where targets are given; where the data are few, the batch's own."},
     COUNT, AT(calibration), 20, 1e9, NULL},
    {{"auto", "no", "no or yes", "Choose a trend, anisotropic and terms on held-out points, average the best model with the simplest where that is hardly worse, and take 100 neighbors (in sectors where there are targets), mean local, loss block, variance local, interval conformal and coverage none; what is set otherwise stays."},
     CHOICE, AT(choose), 0, 0, "no yes"},
    {{"scaling", "box", "box, axis or none", "Features are divided by the longest side of their box, each by its own side, or by nothing."},
     CHOICE, AT(scaling), 0, 0, "box axis none"},
    {{"optimizer", "bayes", "bayes, local or lbfgs", "Inner optimiser: Bayesian optimisation, a local search from the start, or L-BFGS by gradients from there (one term, no trend, losses " SK_LOSSES_WITH_SLOPES ")."},
     CHOICE, AT(optimizer), 0, 0, "bayes local lbfgs"},
    {{"acquisition", "ei", "ei or ucb", "Where Bayesian optimisation looks next: expected improvement, or the confidence bound."},
     CHOICE, AT(acquisition), 0, 0, "ei ucb"},
    {{"kappa", "7", "0 to 1000", "Exploration of the confidence bound, in its standard deviations; ei does not use it."},
     REAL, AT(kappa), 0, 1000, NULL},
    {{"initial", "auto", "1 to 100000, or auto", "Points of the initial design, the start included; auto: 5 + 5 per searched hyperparameter, 1 + 2 where optimizer is lbfgs."},
     COUNT, AT(initial), 1, 100000, "auto"},
    {{"evaluations", "auto", "1 to 100000, or auto", "Evaluations of the inner optimiser a round; auto: 15 per searched hyperparameter, 2 from the second round on (local: 20 and 2; lbfgs: at most 30 and 5)."},
     COUNT, AT(evaluations), 1, 100000, "auto"},
    {{"polish", "auto", "0 to 100000, or auto", "Further evaluations of a local search that ends a round, and as many for three short ones from different places after the first Bayesian optimisation; auto: 25 per searched hyperparameter, none where optimizer is lbfgs."},
     COUNT, AT(polish), 0, 100000, "auto"},
    {{"select", "best", "best or last", "Return the best theta evaluated, or the last round's as the paper does."},
     CHOICE, AT(select), 0, 0, "best last"},
    {{"seconds", "none", "0.001 to 1e9, or none", "Time for training; the best theta found by then is returned."},
     REAL, AT(seconds), 1e-3, 1e9, "none"},
    {{"seed", "1", "0 to 18446744073709551615", "Of the batch and the search; the same seed gives the same model."},
     SEED, AT(seed), 0, 0, NULL},
    {{"threads", "auto", "1 to 4096, or auto", "Threads, at most four for each processor (or eight); auto: what OMP_NUM_THREADS says, or one for each that the process or its container may use. The result does not depend on them."},
     COUNT, AT(threads), 1, 4096, "auto"},
    {{"backend", "auto", "auto, " SK_ROW_CHOICES(SK_EACH_BACKEND), "The code that kriges; auto: the fastest this machine has."},
     CHOICE, AT(backend), 0, 0, "auto " SK_ROW_WORDS(SK_EACH_BACKEND)},
    {{"preset", "default", "default, gaps or paper", "Sets several at once. gaps, for filling them with targets given: 100 neighbors in sectors, mean local, variance local, interval conformal, coverage none, batch 512, optimizer local, polish 0; paper: loss lool, mean zero, gamma2 1, tau2 1e-3, 5 rounds of at most 13 evaluations, the first 3 a design, no polish, select last."},
     PRESET, 0, 0, 0, "default gaps paper"},
};
/* clang-format on */
enum { ROWS = sizeof TABLE / sizeof *TABLE };
_Static_assert(ROWS <= 64, "which of them were set is kept in one word");

/* What a preset says; the settings it does not name go back to their defaults. */
static const struct {
    const char *preset, *name, *value;
} PRESETS[] = {
    {"gaps", "neighbors", "100"},   {"gaps", "sectors", "yes"},        {"gaps", "mean", "local"},
    {"gaps", "variance", "local"},  {"gaps", "interval", "conformal"}, {"gaps", "coverage", "none"},
    {"gaps", "batch", "512"},       {"gaps", "optimizer", "local"},    {"gaps", "polish", "0"},
    {"paper", "loss", "lool"},      {"paper", "mean", "zero"},         {"paper", "gamma2", "1"},
    {"paper", "tau2", "1e-3"},      {"paper", "initial", "3"},         {"paper", "rounds", "5"},
    {"paper", "evaluations", "13"}, {"paper", "polish", "0"},          {"paper", "select", "last"},
};

/* ---- parsing one value */

static bool parse_real(const char *text, size_t length, double *value)
{
    char buffer[64], *end;
    if (length == 0 || length >= sizeof buffer)
        return false;
    memcpy(buffer, text, length);
    buffer[length] = 0;
    *value = strtod(buffer, &end);
    bool overflow = isinf(*value) && strpbrk(buffer, "0123456789"); /* 1e999 is not meant as inf */
    return *end == 0 && end != buffer && !isnan(*value) && !overflow;
}

static surekrig_status refuse(const row *r, const char *value, surekrig_error *error)
{
    return sk_fail(error, SUREKRIG_INVALID, "%s = '%s' is not possible: it takes %s", r->public.name, value,
                   r->public.takes);
}

/* "a,b,c" into list; how many, or -1. */
static int parse_list(const char *text, char separator, double *list)
{
    int count = 0;
    for (const char *at = text;; at++) {
        const char *end = strchr(at, separator);
        size_t length = end ? (size_t)(end - at) : strlen(at);
        if (count == SK_LIST_MAX || !parse_real(at, length, &list[count++]))
            return -1;
        if (!end)
            return count;
        at = end;
    }
}

static bool within(const row *r, double value)
{
    bool known_nu = r->offset == AT(nu) && sk_family_of(value, NULL); /* infinite: the Gaussian */
    return (value >= r->lowest && value <= r->highest) || known_nu;
}

static bool parse_parameter(const row *r, const char *text, sk_parameter *p)
{
    double list[SK_LIST_MAX];
    sk_parameter made = {.start = NAN};
    if (r->words && !strcmp(text, r->words)) {
        *p = made; /* SK_AUTO */
        return true;
    }
    bool range = strchr(text, ':') != NULL;
    int count = parse_list(text, range ? ':' : ',', list);
    for (int i = 0; i < count; i++)
        if (!within(r, list[i]) || (range && (list[i] <= 0 || isinf(list[i]))))
            return false;
    if (range) {
        if (count < 2 || count > 3 || !(list[0] < list[count - 1]) ||
            !(list[0] <= list[1] && list[1] <= list[count - 1]))
            return false;
        made = (sk_parameter){SK_RANGE, 0, {0}, list[0], count == 3 ? list[1] : NAN, list[count - 1]};
    } else {
        if (count < 1 || (count > 1 && r->offset != AT(rho)))
            return false;
        made.how = SK_FIXED;
        made.count = count;
        memcpy(made.fixed, list, (size_t)count * sizeof *list);
    }
    *p = made;
    return true;
}

static bool parse_levels(const char *text, sk_levels *levels)
{
    sk_levels made = {0};
    if (strcmp(text, "none")) {
        made.count = parse_list(text, ',', made.alpha);
        for (int i = 0; i < made.count; i++)
            if (!(made.alpha[i] > 0 && made.alpha[i] < 1))
                return false;
    }
    if (made.count < 0)
        return false;
    *levels = made;
    return true;
}

static int find_word(const char *words, const char *text)
{
    size_t length = strlen(text);
    for (int number = 0; length > 0; number++) {
        size_t here = strcspn(words, " ");
        if (here == length && !strncmp(words, text, length))
            return number;
        if (!words[here])
            break;
        words += here + 1;
    }
    return -1;
}

static bool parse_seed(const char *text, uint64_t *seed)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno)
        return false;
    *seed = value;
    return true;
}

static bool parse_number(const row *r, const char *text, void *field)
{
    double value;
    if (r->words && !strcmp(text, r->words))
        value = r->kind == COUNT ? -1 : INFINITY;
    else if (!parse_real(text, strlen(text), &value) || !within(r, value) ||
             (r->kind == COUNT && value != floor(value)))
        return false;
    if (r->kind == COUNT)
        *(int64_t *)field = (int64_t)value;
    else
        *(double *)field = value;
    return true;
}

static bool parse_value(const row *r, const char *text, void *field)
{
    switch (r->kind) {
    case COUNT:
    case REAL:
        return parse_number(r, text, field);
    case CHOICE:
        if (find_word(r->words, text) < 0)
            return false;
        *(int *)field = find_word(r->words, text);
        return true;
    case PARAMETER:
        return parse_parameter(r, text, field);
    case LEVELS:
        return parse_levels(text, field);
    case NAMES: /* looked up when the data are known */
        return *text != 0;
    case SEED:
        return parse_seed(text, field);
    case PRESET:
        return find_word(r->words, text) >= 0;
    }
    return false;
}

/* ---- the object */

static int find_row(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (!strcmp(TABLE[i].public.name, name))
            return i;
    return -1;
}

static surekrig_status set_row(surekrig_settings *settings, int i, const char *value, surekrig_error *error)
{
    char *text = sk_text(value);
    if (!text)
        return sk_fail_memory(error, 64, "a setting");
    if (!parse_value(&TABLE[i], value, (char *)settings + TABLE[i].offset)) {
        free(text);
        return refuse(&TABLE[i], value, error);
    }
    free(settings->text[i]);
    settings->text[i] = text;
    return SUREKRIG_OK;
}

surekrig_status surekrig_settings_new(surekrig_settings **out, surekrig_error *error)
{
    surekrig_settings *settings = sk_zeroed(1, sizeof *settings);
    if (settings)
        settings->text = sk_zeroed(ROWS, sizeof *settings->text);
    if (!settings || !settings->text) {
        surekrig_settings_free(settings);
        return sk_fail_memory(error, sizeof *settings, "the settings");
    }
    surekrig_status status = SUREKRIG_OK;
    sk_plain_locale locale = sk_enter_plain_locale();
    for (int i = 0; i < ROWS && !status; i++)
        status = set_row(settings, i, TABLE[i].public.fallback, error);
    sk_leave_plain_locale(&locale);
    if (status)
        surekrig_settings_free(settings);
    else
        *out = settings;
    return status;
}

/* Defaults, then what the preset says; the old settings go only when the new ones are whole. */
static surekrig_status set_preset(surekrig_settings *settings, int at, const char *preset, surekrig_error *error)
{
    surekrig_settings *made = NULL, old = *settings;
    surekrig_status status = surekrig_settings_new(&made, error);
    for (size_t i = 0; i < sizeof PRESETS / sizeof *PRESETS && !status; i++)
        if (!strcmp(PRESETS[i].preset, preset))
            status = set_row(made, find_row(PRESETS[i].name), PRESETS[i].value, error);
    if (!status)
        status = set_row(made, at, preset, error);
    if (!status) {
        *settings = *made;
        *made = old;
    }
    surekrig_settings_free(made);
    return status;
}

surekrig_status surekrig_settings_set(surekrig_settings *settings, const char *name, const char *value,
                                      surekrig_error *error)
{
    int i = find_row(name);
    if (i < 0)
        return sk_fail(error, SUREKRIG_INVALID, "there is no setting '%s'; 'surekrig settings' lists them", name);
    bool preset = TABLE[i].kind == PRESET && find_word(TABLE[i].words, value) >= 0;
    sk_plain_locale locale = sk_enter_plain_locale();
    surekrig_status status = preset ? set_preset(settings, i, value, error) : set_row(settings, i, value, error);
    sk_leave_plain_locale(&locale);
    if (!status && !preset)
        settings->given |= UINT64_C(1) << i;
    return status;
}

void surekrig_settings_free(surekrig_settings *settings)
{
    if (!settings)
        return;
    for (int i = 0; settings->text && i < ROWS; i++)
        free(settings->text[i]);
    free(settings->text);
    free(settings);
}

const char *surekrig_settings_get(const surekrig_settings *settings, const char *name)
{
    int i = find_row(name);
    return i < 0 ? NULL : settings->text[i];
}

surekrig_status sk_settings_copy(const surekrig_settings *from, surekrig_settings **to, surekrig_error *error)
{
    surekrig_settings *made = NULL;
    surekrig_status status = surekrig_settings_new(&made, error);
    for (int i = ROWS - 1; i >= 0 && !status; i--) /* the preset is last in the table: first here */
        status = surekrig_settings_set(made, TABLE[i].public.name, from->text[i], error);
    if (status) {
        surekrig_settings_free(made);
        return status;
    }
    made->given = from->given;
    *to = made;
    return SUREKRIG_OK;
}

const char *sk_backend_name(const surekrig_settings *settings)
{
    return settings->text[find_row("backend")];
}

const char *sk_kernel_name(const surekrig_settings *settings)
{
    return settings->text[find_row("kernel")];
}

const char *sk_setting_names(const surekrig_settings *settings, const char *name)
{
    return settings->text[find_row(name)];
}

bool sk_setting_given(const surekrig_settings *settings, const char *name)
{
    int i = find_row(name);
    return settings->given >> i & 1 || strcmp(settings->text[i], TABLE[i].public.fallback) != 0;
}

int sk_thread_setting(const surekrig_settings *settings)
{
    return settings->threads > 0 ? (int)settings->threads : 0;
}

const surekrig_setting *surekrig_settings_row(int number)
{
    return number >= 0 && number < ROWS ? &TABLE[number].public : NULL;
}
