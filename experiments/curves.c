/* Curves: nominal against empirical coverage, and what the multipliers did round by round. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

static int scenarios_ran(const ex_run *r)
{
    int count = 0;
    for (int i = 0; i < r->study->scenarios; i++)
        count += ex_scenario_ran(r, &r->study->scenario[i]);
    return count;
}

static bool shown(const ex_run *r, const ex_scenario *s, const ex_method *m, const char *preset)
{
    return !strcmp(m->preset, preset) && ex_method_ran(r, s, m);
}

/* ---- calibration: a block for each case and method: level, mean coverage, standard deviation over trials */

/* Three rows of panels: the curve, its difference from the diagonal, and that difference at the five levels asked
 * for. */
enum { WHOLE, DIFFERENCE, ASKED, ROWS };

static void write_levels(const ex_run *r, FILE *to, const ex_scenario *s, const ex_method *m, bool asked)
{
    for (int k = 0; k < (asked ? EX_FIVE : EX_CURVE); k++) {
        size_t field = (asked ? EX_FIELD(five) : EX_FIELD(curve)) + (size_t)k * sizeof(double);
        ex_summary all = ex_summary_of(r, s, m, field);
        fprintf(to, "%.10g %.8g %.8g\n", asked ? EX_FIVE_LEVELS[k] : 0.05 * (k + 1), all.mean,
                isnan(all.sd) ? 0 : all.sd);
    }
}

/* Two blocks for each: all levels, then the five. */
static surekrig_status write_calibration(ex_run *r, const char *name, const char *preset, surekrig_error *error)
{
    char file[96];
    ex_output o;
    snprintf(file, sizeof file, "figures/%s.dat", name);
    surekrig_status status = ex_output_open(r, file, &o, error);
    if (status)
        return status;
    for (int i = 0; i < r->study->scenarios; i++)
        for (int j = 0; j < r->study->methods; j++) {
            const ex_scenario *s = &r->study->scenario[i];
            const ex_method *m = &r->study->method[j];
            if (!shown(r, s, m, preset))
                continue;
            fprintf(o.to, "# case %s, %s: level, mean, standard deviation\n0 0 0\n", s->name, m->label);
            write_levels(r, o.to, s, m, false);
            fputs("1 1 0\n\n\n", o.to);
            write_levels(r, o.to, s, m, true);
            fputs("\n\n", o.to);
        }
    return ex_output_commit(&o, error);
}

typedef struct curves {
    const char *name, *preset; /* of the figure */
    const ex_scenario *s;
    int block, row; /* block: the first of this case */
} curves;

static void calibration_panel(ex_run *r, FILE *to, curves p)
{
    const char *name = p.name;
    const ex_scenario *s = p.s;
    int block = p.block, row = p.row;
    fprintf(to, "set title '%s'\nplot %s lw 1.3 lc rgb '#c8102e' dt (8,5) notitle", row == WHOLE ? s->title : "",
            row == WHOLE ? "x" : "0");
    for (int j = 0; j < r->study->methods; j++) {
        const ex_method *m = &r->study->method[j];
        if (!shown(r, s, m, p.preset))
            continue;
        int at = block + (row == ASKED);
        block += 2;
        if (row != WHOLE && !strcmp(m->loss, "mse"))
            continue; /* off the scale of these rows */
        if (row != WHOLE)
            fprintf(to,
                    ", \\\n     '%s.dat' index %d using 1:($2-$1-$3):($2-$1+$3) with filledcurves fc rgb '%s' fs "
                    "transparent solid 0.15 notitle",
                    name, at, m->colour);
        fprintf(to,
                ", \\\n     '%s.dat' index %d using 1:%s with linespoints pt 7 ps 0.3 lw 1.6 lc rgb '%s' title '%s'",
                name, at, row == WHOLE ? "2" : "($2-$1)", m->colour, m->label);
    }
    fputs("\n", to);
}

static void calibration_row(ex_run *r, FILE *to, const char *name, const char *preset, int row)
{
    static const char *const LABELS[] = {"empirical coverage", "empirical less nominal", "the same, levels asked"};
    int block = 0, drawn = 0;
    for (int i = 0; i < r->study->scenarios; i++) {
        const ex_scenario *s = &r->study->scenario[i];
        if (!ex_scenario_ran(r, s))
            continue;
        fprintf(to, drawn || row != WHOLE ? "unset key\n" : "set key right bottom samplen 2\n");
        fprintf(to, "set ylabel '%s'\n", drawn++ ? "" : LABELS[row]);
        calibration_panel(r, to, (curves){name, preset, s, block, row});
        for (int j = 0; j < r->study->methods; j++)
            block += 2 * shown(r, s, &r->study->method[j], preset);
    }
}

/* How far any mean and its spread stray: the scale of a row, the same for all cases; MSE is left out. */
static double largest_deviation(const ex_run *r, const char *preset, bool asked)
{
    double most = 0.01;
    for (int i = 0; i < r->study->scenarios; i++)
        for (int j = 0; j < r->study->methods; j++) {
            const ex_scenario *s = &r->study->scenario[i];
            const ex_method *m = &r->study->method[j];
            for (int k = 0; shown(r, s, m, preset) && strcmp(m->loss, "mse") && k < (asked ? EX_FIVE : EX_CURVE); k++) {
                ex_summary all = ex_summary_of(r, s, m,
                                               (asked ? EX_FIELD(five) : EX_FIELD(curve)) + (size_t)k * sizeof(double));
                double off = fabs(all.mean - (asked ? EX_FIVE_LEVELS[k] : 0.05 * (k + 1)));
                most = fmax(most, off + (all.sd > 0 ? all.sd : 0));
            }
        }
    return 1.1 * most;
}

static void write_rows(ex_run *r, FILE *to, const char *name, const char *preset)
{
    fputs("set xrange [0:1]\nset yrange [0:1]\nset xtics 0.25\nset ytics 0.25\n", to);
    calibration_row(r, to, name, preset, WHOLE);
    for (int row = DIFFERENCE; row < ROWS; row++) {
        double room = largest_deviation(r, preset, row == ASKED);
        fprintf(to, "set yrange [%.6g:%.6g]\nset ytics autofreq\n", -room, room);
        if (row == ASKED)
            fputs("set xrange [0.89:1]\nset xtics ('90' 0.9, '92.5' 0.925, '95' 0.95, '' 0.975, '99' 0.99)\nset xlabel "
                  "'nominal level, %'\n",
                  to);
        calibration_row(r, to, name, preset, row);
    }
}

surekrig_status ex_calibration_figure(ex_run *r, const char *preset, surekrig_error *error)
{
    char name[48], caption[640];
    ex_output o;
    int columns = scenarios_ran(r);
    bool any = false;
    for (int j = 0; j < r->study->methods; j++)
        any = any || shown(r, NULL, &r->study->method[j], preset);
    if (!any)
        return SUREKRIG_OK;
    snprintf(name, sizeof name, "calibration-%s", preset);
    surekrig_status status = write_calibration(r, name, preset, error);
    if (!status)
        status = ex_script_open(r, name, columns * 270 < 460 ? 460 : columns * 270, 780, &o, error);
    if (status)
        return status;
    fprintf(o.to,
            "set multiplot layout 3,%d margins char 8, char 2, char 4, char 3 spacing char 8, char 4\nset ylabel "
            "offset 1,0\n",
            columns);
    write_rows(r, o.to, name, preset);
    snprintf(
        caption, sizeof caption,
        "Calibration, preset %s: empirical against nominal coverage at 19 levels (top), their difference (middle), and "
        "the difference at "
        "the five levels asked for (bottom); mean over trials, shaded by one standard deviation. Dashed: perfect.%s",
        preset, ex_find_method(r, "mse", preset) ? " MSE is off the lower scales." : "");
    return ex_script_close(r, &o, name, caption, error);
}

/* ---- the trace of the first trial, from the files it left */

static const ex_trial *traced(const ex_run *r, const ex_scenario *s, const ex_method *m)
{
    for (int i = 0; i < r->trials; i++)
        if (r->trial[i].scenario == s && r->trial[i].method == m && r->trial[i].done && r->trial[i].number == 1)
            return &r->trial[i];
    return NULL;
}

static void trace_panel(FILE *to, const ex_trial *t, int levels, enum report_trace_kind kind)
{
    char file[128];
    ex_trace_name(t, file);
    fprintf(to, "set title '%s'\n", kind == REPORT_OBJECTIVE ? t->scenario->title : "");
    report_trace_panel(to, strchr(file, '/') + 1, levels, (int)t->rounds, kind);
}

static void trace_rows(ex_run *r, FILE *to, const ex_method *m, int levels)
{
    for (int kind = 0; kind < REPORT_TRACES; kind++) {
        int drawn = 0;
        fprintf(to, "set xlabel '%s'\n", kind == REPORT_MULTIPLIER ? "round" : "");
        for (int i = 0; i < r->study->scenarios; i++) {
            const ex_trial *t = traced(r, &r->study->scenario[i], m);
            if (!t)
                continue;
            fprintf(to, "set ylabel '%s'\n", drawn ? "" : report_trace_label[kind]);
            drawn++;
            trace_panel(to, t, levels, (enum report_trace_kind)kind);
            fputs("unset label\n", to);
        }
    }
}

surekrig_status ex_trace_figure(ex_run *r, const char *loss, const char *preset, surekrig_error *error)
{
    const ex_method *m = ex_find_method(r, loss, preset);
    char name[48], caption[640];
    int columns = 0, most = 0;
    ex_output o;
    for (int i = 0; m && i < r->study->scenarios; i++) {
        const ex_trial *t = traced(r, &r->study->scenario[i], m);
        columns += t != NULL;
        most = t && t->rounds > most ? (int)t->rounds : most;
    }
    if (!columns)
        return SUREKRIG_OK;
    snprintf(name, sizeof name, "trace-%s-%s", loss, preset);
    int width = columns * 280 < 460 ? 460 : columns * 280;
    surekrig_status status = ex_script_open(r, name, width, 720, &o, error);
    if (status)
        return status;
    fprintf(o.to,
            "set multiplot layout 3,%d margins char 9, char 2, char 4, char 5 spacing char 9, char 4\nset ylabel "
            "offset 1,0\nset datafile separator ','\n",
            columns);
    int levels = !strcmp(loss, "mm95") ? 1 : EX_FIVE;
    report_trace_key(o.to, levels, levels == 1 ? &EX_FIVE_LEVELS[EX_TARGET] : EX_FIVE_LEVELS, width, 0.975);
    trace_rows(r, o.to, m, levels);
    snprintf(caption, sizeof caption,
             "The search of the first trial's %s, preset %s, round by round: objective, coverage of the batch less its "
             "level, "
             "multipliers.%s",
             m->label, preset,
             most == 1 ? " One round was enough: its best theta met the constraint."
                       : " Where the constraint stays unmet, the last round is the penalty alone, with lambda = 0.");
    return ex_script_close(r, &o, name, caption, error);
}

surekrig_status ex_preset_figures(ex_run *r, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; i < EX_PRESETS && !status; i++)
        status = ex_calibration_figure(r, EX_PRESET[i], error);
    for (int i = 0; i < EX_PRESETS && !status; i++)
        status = ex_trace_figure(r, "mm", EX_PRESET[i], error);
    return status;
}
