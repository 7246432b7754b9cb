/* The paper's second study: the satellite temperatures of Heaton et al. (2019), whose test points lie under clouds.
 * Beside the case itself, cases that change one thing the paper does not state: they look for what its scores must have
 * come from. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

static const scenario SCENARIOS[] = {
    {"satellite", "Satellite temperatures", NAN, NAN, NAN, "", NULL, false},
    {"trend", "A linear trend removed first, by least squares", NAN, NAN, NAN, "", NULL, true},
    {"quadratic", "A quadratic trend removed first, by least squares", NAN, NAN, NAN, "", NULL, true},
    {"zero", "Zero mean, the temperatures as they are", NAN, NAN, NAN, "mean=zero", NULL, true},
    {"unit-square", "Each coordinate divided by its own extent", NAN, NAN, NAN, "scaling=axis", NULL, true},
    {"neighbors-100", "100 neighbours instead of 50", NAN, NAN, NAN, "neighbors=100", NULL, true},
};

/* The preset's zero mean and gamma2 = 1 are those of the synthetic study: temperatures near 40 degrees need a centre
 * and a scale. */
static const method METHODS[] = {
    {"lool", "default", "LOOL", "loss=lool coverage=none", REPORT_ORANGE},
    {"ml", "default", "ML", "coverage=none", REPORT_PURPLE},
    {"mm", "default", "MM", "", REPORT_GREEN},
    {"lool", "paper", "LOOL", "preset=paper mean=constant gamma2=auto coverage=none initial=5 evaluations=35",
     REPORT_ORANGE},
    {"mm", "paper", "MM", "preset=paper mean=constant gamma2=auto", REPORT_GREEN},
    {"mm", "lool", "MM", "loss=lool", REPORT_GREEN},
};

/* ---- the trend */

enum { MOST_TERMS = 6 };

/* 1, x, y and, for degree 2, their products, in coordinates about -1 to 1. */
static int terms_of(const dataset *data, const double box[2][2], int64_t i, int degree, double *term)
{
    double a = (data->x[2 * i] - box[0][0]) / box[0][1], b = (data->x[2 * i + 1] - box[1][0]) / box[1][1];
    double all[MOST_TERMS] = {1, a, b, a * a, a * b, b * b};
    memcpy(term, all, sizeof all);
    return degree == 2 ? MOST_TERMS : 3;
}

static void find_box(const dataset *data, double box[2][2])
{
    for (int a = 0; a < 2; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < data->n; i++) {
            low = fmin(low, data->x[2 * i + a]);
            high = fmax(high, data->x[2 * i + a]);
        }
        box[a][0] = (low + high) / 2;
        box[a][1] = (high - low) / 2;
    }
}

/* Gauss elimination of the normal equations: they are well conditioned in these coordinates. */
static void solve(int n, double matrix[MOST_TERMS][MOST_TERMS + 1], double *solution)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double factor = matrix[j][i] / matrix[i][i];
            for (int k = i; k <= n; k++)
                matrix[j][k] -= factor * matrix[i][k];
        }
    for (int i = n - 1; i >= 0; i--) {
        solution[i] = matrix[i][n];
        for (int k = i + 1; k < n; k++)
            solution[i] -= matrix[i][k] * solution[k];
        solution[i] /= matrix[i][i];
    }
}

/* Fitted to the training points alone, taken off both. */
static surekrig_status remove_trend(dataset *data, int degree, surekrig_error *error)
{
    double box[2][2], matrix[MOST_TERMS][MOST_TERMS + 1] = {{0}}, term[MOST_TERMS], solution[MOST_TERMS];
    int n = 0;
    data->trend = calloc((size_t)(data->n + data->m), sizeof *data->trend);
    if (!data->trend)
        return no_memory(error);
    find_box(data, box);
    for (int64_t i = 0; i < data->n; i++) {
        n = terms_of(data, box, i, degree, term);
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++)
                matrix[j][k] += term[j] * term[k];
            matrix[j][n] += term[j] * data->y[i];
        }
    }
    solve(n, matrix, solution);
    for (int64_t i = 0; i < data->n + data->m; i++) {
        terms_of(data, box, i, degree, term);
        for (int j = 0; j < n; j++)
            data->trend[i] += solution[j] * term[j];
        data->y[i] -= data->trend[i];
    }
    return SUREKRIG_OK;
}

static surekrig_status draw(const run *r, const scenario *s, uint64_t seed, dataset *data, surekrig_error *error)
{
    const dataset *from = &r->source;
    int degree = !strcmp(s->name, "trend") ? 1 : !strcmp(s->name, "quadratic") ? 2 : 0;
    (void)seed;
    if (degree && from->d != 2)
        return fail(error, SUREKRIG_DATA, "a trend needs two coordinates; the data have %lld", (long long)from->d);
    surekrig_status status = dataset_alloc(data, from->n, from->m, from->d, error);
    if (status)
        return status;
    memcpy(data->x, from->x, (size_t)((from->n + from->m) * from->d) * sizeof *data->x);
    memcpy(data->y, from->y, (size_t)(from->n + from->m) * sizeof *data->y);
    status = degree ? remove_trend(data, degree, error) : SUREKRIG_OK;
    if (status)
        dataset_free(data);
    return status;
}

/* ---- tables */

static const size_t SCORES[] = {FIELD(mae), FIELD(rmse), FIELD(cov), FIELD(crps), FIELD(interval)};
enum { SCORE_COUNT = 5 };

static surekrig_status published_row(table *t, const char *name, const char *source, const double value[SCORE_COUNT],
                                     surekrig_error *error)
{
    cell *row = table_row(t, error);
    if (!row)
        return SUREKRIG_MEMORY;
    put_text(&row[0], "%s", name);
    put_text(&row[1], "%s", source);
    for (int i = 0; i < SCORE_COUNT; i++) {
        put_text(&row[2 + i], "%g", value[i]);
        row[2 + i].value = value[i];
    }
    return SUREKRIG_OK;
}

static surekrig_status our_rows(run *r, table *t, surekrig_error *error)
{
    for (int j = 0; j < r->study->methods; j++) {
        const method *m = &METHODS[j];
        if (!method_ran(r, &SCENARIOS[0], m))
            continue;
        cell *row = table_row(t, error);
        if (!row)
            return SUREKRIG_MEMORY;
        put_text(&row[0], "surekrig, %s", m->label);
        put_text(&row[1], "preset %s", m->preset);
        for (int i = 0; i < SCORE_COUNT; i++) {
            summary s = summary_of(r, &SCENARIOS[0], m, SCORES[i]);
            put_summary(&row[2 + i], &s);
        }
    }
    return SUREKRIG_OK;
}

static surekrig_status published_rows(table *t, surekrig_error *error)
{
    static const char *const LOSSES[][2] = {{"lool", "Wood et al. 2022, LOOL"}, {"mm", "Wood et al. 2022, MM"}};
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; i < 2 && !status; i++) {
        const paper_row *p = paper_find("temperature", LOSSES[i][0]);
        status = published_row(t, LOSSES[i][1], "as published",
                               (double[]){p->value[2][0], p->value[3][0], p->value[4][0], p->value[5][0],
                                          p->value[6][0]},
                               error);
    }
    if (!status)
        status = published_row(t, "MuyGPs, LOOL", "MuyGPyS 0.9.1, by scripts/bench",
                               (double[]){1.134, 1.664, .955, .8649, 9.283}, error);
    if (!status)
        status = published_row(t, "exact GP, nu = 0.5", "on a GPU, not reproduced here",
                               (double[]){1.073, 1.497, .952, .775, 7.63}, error);
    for (int i = 0; competitor_row(i) && !status; i++) {
        const competitor *c = competitor_row(i);
        status = published_row(t, c->name, "competition", (double[]){c->mae, c->rmse, c->cov, c->crps, c->interval},
                               error);
    }
    return status;
}

static surekrig_status comparison_table(run *r, surekrig_error *error)
{
    table *t = table_new(r, "Beside everyone else", "method|how|MAE|RMSE|COV|CRPS|INT", error);
    surekrig_status status = t ? our_rows(r, t, error) : SUREKRIG_MEMORY;
    if (!status)
        status = published_rows(t, error);
    for (int i = 0; i < SCORE_COUNT && !status; i++)
        mark_best(t, 2 + i, 0, i == 2 ? 0.95 : NAN);
    if (!status)
        snprintf(t->note, sizeof t->note,
                 "Bold: the best of all rows. MuyGPs: mean taken off, one seed. Exact: all 105,569 points, "
                 "nugget and rho by likelihood on a grid. %s",
                 COMPETITION_NOTE);
    return status;
}

static surekrig_status bars(run *r, surekrig_error *error)
{
    static const struct {
        const char *name;
        size_t field;
        int place;
    } SHOWN[] = {{"MAE", FIELD(mae), 2},
                 {"RMSE", FIELD(rmse), 3},
                 {"CRPS", FIELD(crps), 5},
                 {"INT", FIELD(interval), 6}};
    const method *mm = find_method(r, "mm", "paper");
    const paper_row *p = paper_find("temperature", "mm");
    if (!method_ran(r, &SCENARIOS[0], mm))
        return SUREKRIG_OK;
    table *t = bars_table(r, error);
    surekrig_status status = t ? SUREKRIG_OK : SUREKRIG_MEMORY;
    for (int i = 0; i < 4 && !status; i++) {
        char what[96];
        snprintf(what, sizeof what, "%s of MM, preset paper, against the paper's", SHOWN[i].name);
        status = bar_row(t, what, summary_of(r, &SCENARIOS[0], mm, SHOWN[i].field).mean,
                         "<=", p->value[SHOWN[i].place][0], error);
    }
    return status;
}

static void note_units(table *t)
{
    size_t used = strlen(t->note);
    snprintf(t->note + used, sizeof t->note - used,
             " rho is in degrees; the paper's is a share of the longer side, 4.63 degrees.");
}

static surekrig_status tables(run *r, surekrig_error *error)
{
    surekrig_status status = comparison_table(r, error);
    for (int i = 0; i < r->study->scenarios && !status; i++)
        if (scenario_ran(r, &SCENARIOS[i])) {
            status = scores_table(r, &SCENARIOS[i], "temperature", error);
            if (!status)
                note_units(r->table[r->tables - 1]);
        }
    if (!status)
        status = bars(r, error);
    return status ? status : closing_tables(r, error);
}

/* ---- figures */

static surekrig_status score_figure(run *r, surekrig_error *error)
{
    static const struct {
        const char *name;
        int place;
    } SHOWN[] = {{"MAE", 2}, {"RMSE", 3}, {"COV", 4}, {"CRPS", 5}, {"INT", 6}};
    const paper_row *p = paper_find("temperature", "mm");
    violin_figure f = {.rows = 1, .name = "scores"};
    snprintf(f.caption, sizeof f.caption,
             "Scores of the held-out temperatures. Dashed: 95 %% for the coverage, the paper's MM for the others.");
    for (int i = 0; i < SCORE_COUNT; i++) {
        panel *to = &f.panel[f.panels++];
        *to = (panel){.target = i == 2 ? 0.95 : p->value[SHOWN[i].place][0], .field = SCORES[i]};
        snprintf(to->title, sizeof to->title, "%s", SHOWN[i].name);
        for (int j = 0; j < r->study->methods; j++) {
            char label[64];
            snprintf(label, sizeof label, "%s %s", METHODS[j].label, METHODS[j].preset);
            add_violin(r, to, &SCENARIOS[0], &METHODS[j], label);
        }
    }
    return violin_draw(r, &f, error);
}

static surekrig_status figures(run *r, surekrig_error *error)
{
    surekrig_status status = score_figure(r, error);
    for (int i = 0; i < r->trials && !status; i++) {
        char name[128];
        predictions_name(r, &r->trial[i], name);
        if (*name && r->trial[i].scenario == &SCENARIOS[0])
            status = map_figure(r, &r->trial[i], error);
    }
    return status ? status : preset_figures(r, error);
}

const study study_temperature = {
    .name = "temperature",
    .title = "Satellite temperatures: filling the gaps under clouds",
    .sentence = "the satellite temperatures of Heaton et al. 2019, LOOL and MM (the paper's second study)",
    .about =
        "Land surface temperatures on a 500 x 300 grid, 4 August 2016 (Heaton et al. 2019): 105,569 points to "
        "train on, 42,740 held out where clouds "
        "were. Leave-one-out likelihood (LOOL), that of each point with its neighbours (ML), and a likelihood under "
        "the coverage constraint (MM): in preset default, surekrig's own search, the nugget with it, that of ML; in "
        "preset lool, the same search, and in preset paper, tau2 = 1e-3 and the budget of Wood et al. (2022), that of LOOL.",
    .files = true,
    .scenarios = sizeof SCENARIOS / sizeof *SCENARIOS,
    .methods = sizeof METHODS / sizeof *METHODS,
    .scenario = SCENARIOS,
    .method = METHODS,
    .draw = draw,
    .tables = tables,
    .figures = figures,
};
