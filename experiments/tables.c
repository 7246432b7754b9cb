/* Tables that several studies have. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

/* The seven quantities of the paper's tables, in its order. */
static const struct {
    const char *name;
    size_t field, truth;
    double target;
} QUANTITIES[7] = {{"nu", EX_FIELD(nu), 0, NAN},
                   {"rho", EX_FIELD(rho), 0, NAN},
                   {"MAE", EX_FIELD(mae), EX_FIELD(true_mae), NAN},
                   {"RMSE", EX_FIELD(rmse), EX_FIELD(true_rmse), NAN},
                   {"COV", EX_FIELD(cov), EX_FIELD(true_cov), 0.95},
                   {"CRPS", EX_FIELD(crps), EX_FIELD(true_crps), NAN},
                   {"INT", EX_FIELD(interval), EX_FIELD(true_interval), NAN}};
enum { FIRST_SCORE = 2, LEAD = 2 }; /* LEAD: columns before them */

bool ex_scenario_ran(const ex_run *r, const ex_scenario *s)
{
    return ex_method_ran(r, s, NULL);
}

static surekrig_status truth_row(ex_run *r, ex_table *t, const ex_scenario *s, surekrig_error *error)
{
    if (!s->truth)
        return SUREKRIG_OK;
    ex_cell *row = ex_table_row(t, error);
    if (!row)
        return SUREKRIG_MEMORY;
    ex_put_text(&row[0], "the truth");
    ex_put_text(&row[1], "–");
    ex_put_number(&row[LEAD], s->nu);
    ex_put_number(&row[LEAD + 1], s->rho);
    for (int q = FIRST_SCORE; q < 7; q++) {
        ex_summary all = ex_summary_of(r, s, NULL, QUANTITIES[q].truth);
        ex_put_pair(&row[LEAD + q], all.mean, all.sd > 0 ? all.sd : NAN); /* the same in all trials on shared data */
    }
    return SUREKRIG_OK;
}

static surekrig_status method_row(ex_run *r, ex_table *t, const ex_scenario *s, const ex_method *m,
                                  surekrig_error *error)
{
    if (!ex_method_ran(r, s, m))
        return SUREKRIG_OK;
    ex_cell *row = ex_table_row(t, error);
    if (!row)
        return SUREKRIG_MEMORY;
    ex_put_text(&row[0], "%s", m->label);
    ex_put_text(&row[1], "%s", m->preset);
    for (int q = 0; q < 7; q++) {
        ex_summary all = ex_summary_of(r, s, m, QUANTITIES[q].field);
        ex_put_summary(&row[LEAD + q], &all);
    }
    return SUREKRIG_OK;
}

static surekrig_status paper_rows(ex_table *t, const char *published, surekrig_error *error)
{
    static const char *const LOSSES[][2] = {{"mse", "MSE"}, {"lool", "LOOL"}, {"mm", "MM"}};
    for (int i = 0; i < 3; i++) {
        const ex_paper_row *p = ex_paper_find(published, LOSSES[i][0]);
        ex_cell *row = p ? ex_table_row(t, error) : NULL;
        if (p && !row)
            return SUREKRIG_MEMORY;
        for (int q = 0; p && q < 7; q++)
            ex_put_published(&row[LEAD + q], p->value[q][0], p->value[q][1]);
        if (p) {
            ex_put_text(&row[0], "%s", LOSSES[i][1]);
            ex_put_text(&row[1], "in the paper");
        }
    }
    return SUREKRIG_OK;
}

surekrig_status ex_scores_table(ex_run *r, const ex_scenario *s, const char *published, surekrig_error *error)
{
    char title[160];
    snprintf(title, sizeof title, "%s", s->title);
    ex_table *t = ex_table_new(r, title, "loss|preset|nu|rho|MAE|RMSE|COV|CRPS|INT", error);
    surekrig_status status = t ? truth_row(r, t, s, error) : SUREKRIG_MEMORY;
    int first = t ? t->rows : 0;
    for (int i = 0; i < r->study->methods && !status; i++)
        status = method_row(r, t, s, &r->study->method[i], error);
    for (int q = FIRST_SCORE; q < 7 && !status; q++)
        ex_mark_best(t, LEAD + q, first, QUANTITIES[q].target);
    if (!status && published)
        status = paper_rows(t, published, error);
    if (!status)
        snprintf(t->note, sizeof t->note,
                 "Mean ± standard deviation over %d trials; COV and INT at 95 %%. Bold: the best of ours.",
                 r->options->trials);
    return status;
}

/* ---- times */

static int outcomes(const ex_run *r, const ex_method *m, surekrig_outcome outcome)
{
    int count = 0;
    for (int i = 0; i < r->trials; i++)
        count += r->trial[i].done && r->trial[i].method == m && r->trial[i].outcome == outcome;
    return count;
}

static surekrig_status times_table(ex_run *r, surekrig_error *error)
{
    ex_table *t = ex_table_new(r, "Times and outcomes",
                               "loss|preset|trials|evaluations|rounds|seconds to train|seconds to predict|"
                               "converged|not met|budget spent|at a bound",
                               error);
    for (int i = 0; t && i < r->study->methods; i++) {
        const ex_method *m = &r->study->method[i];
        static const size_t FIELDS[] = {EX_FIELD(evaluations), EX_FIELD(rounds), EX_FIELD(seconds),
                                        EX_FIELD(predict_seconds)};
        ex_cell *row = ex_method_ran(r, NULL, m) ? ex_table_row(t, error) : NULL;
        if (!row && ex_method_ran(r, NULL, m))
            return SUREKRIG_MEMORY;
        for (int j = 0; row && j < 4; j++) {
            ex_summary all = ex_summary_of(r, NULL, m, FIELDS[j]);
            ex_put_summary(&row[3 + j], &all);
        }
        if (row) {
            ex_put_text(&row[0], "%s", m->label);
            ex_put_text(&row[1], "%s", m->preset);
            ex_put_text(&row[2], "%d", ex_summary_of(r, NULL, m, EX_FIELD(cov)).n);
            ex_put_text(&row[7], "%d", outcomes(r, m, SUREKRIG_CONVERGED));
            ex_put_text(&row[8], "%d", outcomes(r, m, SUREKRIG_COVERAGE_NOT_MET));
            ex_put_text(&row[9], "%d", outcomes(r, m, SUREKRIG_BUDGET_SPENT));
            ex_summary bounds = ex_summary_of(r, NULL, m, EX_FIELD(bounds));
            ex_put_text(&row[10], "%.0f", bounds.mean * bounds.n);
        }
    }
    if (t)
        snprintf(t->note, sizeof t->note,
                 "A trial runs on one thread, %d at once. At a bound: estimates that ended there, over all "
                 "trials.",
                 r->threads);
    return t ? SUREKRIG_OK : SUREKRIG_MEMORY;
}

/* ---- settings */

static surekrig_status settings_row(ex_table *t, const char *what, const char *settings, surekrig_error *error)
{
    ex_cell *row = ex_table_row(t, error);
    if (!row)
        return SUREKRIG_MEMORY;
    ex_put_text(&row[0], "%s", what);
    ex_put_text(&row[1], "%s", settings);
    return SUREKRIG_OK;
}

static surekrig_status settings_table(ex_run *r, surekrig_error *error)
{
    ex_table *t = ex_table_new(r, "Settings", "what|settings", error);
    surekrig_status status = t ? SUREKRIG_OK : SUREKRIG_MEMORY;
    char what[96];
    for (int i = 0; i < r->study->methods && !status; i++) {
        const ex_method *m = &r->study->method[i];
        snprintf(what, sizeof what, "%s, %s", m->label, m->preset);
        if (ex_method_ran(r, NULL, m))
            status = settings_row(t, what, *m->settings ? m->settings : "all defaults", error);
    }
    for (int i = 0; i < r->study->scenarios && !status; i++) {
        const ex_scenario *s = &r->study->scenario[i];
        snprintf(what, sizeof what, "case %s", s->name);
        if (ex_scenario_ran(r, s))
            status = settings_row(t, what, *s->settings ? s->settings : "–", error);
    }
    return status;
}

surekrig_status ex_closing_tables(ex_run *r, surekrig_error *error)
{
    surekrig_status status = times_table(r, error);
    return status ? status : settings_table(r, error);
}

ex_table *ex_bars_table(ex_run *r, surekrig_error *error)
{
    return ex_table_new(r, "What was to be shown", "what|reached|bar|verdict", error);
}
