/* Curves: nominal against empirical coverage, and what the multipliers did round by round. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

static int scenarios_ran(const run *r)
{
    int count = 0;
    for (int i = 0; i < r->study->scenarios; i++)
        count += scenario_ran(r, &r->study->scenario[i]);
    return count;
}

static bool shown(const run *r, const scenario *s, const method *m, const char *preset)
{
    return !strcmp(m->preset, preset) && method_ran(r, s, m);
}

/* ---- calibration: a block for each case and method: level, mean coverage, standard deviation over trials */

static surekrig_status write_calibration(run *r, const char *name, const char *preset, surekrig_error *error)
{
    char file[96];
    output o;
    snprintf(file, sizeof file, "figures/%s.dat", name);
    surekrig_status status = output_open(r, file, &o, error);
    if (status)
        return status;
    for (int i = 0; i < r->study->scenarios; i++)
        for (int j = 0; j < r->study->methods; j++) {
            const scenario *s = &r->study->scenario[i];
            const method *m = &r->study->method[j];
            if (!shown(r, s, m, preset))
                continue;
            fprintf(o.to, "# case %s, %s: level, mean, standard deviation\n0 0 0\n", s->name, m->label);
            for (int k = 0; k < CURVE; k++) {
                summary all = summary_of(r, s, m, FIELD(curve) + (size_t)k * sizeof(double));
                fprintf(o.to, "%.2f %.8g %.8g\n", 0.05 * (k + 1), all.mean, isnan(all.sd) ? 0 : all.sd);
            }
            fputs("1 1 0\n\n\n", o.to);
        }
    return output_commit(&o, error);
}

/* Block: the first of this case. below: the row of deviations. */
static void calibration_panel(run *r, FILE *to, const char *name, const scenario *s, const char *preset, int block, bool below)
{
    const char *lead = below ? "($2-$1)" : "2";
    fprintf(to, "set title '%s'\n", below ? "" : s->title);
    fprintf(to, below ? "plot 0 lw 1.3 lc rgb '#c8102e' dt (8,5) notitle" : "plot x lw 1.3 lc rgb '#c8102e' dt (8,5) notitle");
    for (int j = 0; j < r->study->methods; j++) {
        const method *m = &r->study->method[j];
        if (!shown(r, s, m, preset))
            continue;
        if (below && !strcmp(m->loss, "mse")) { /* off this row's scale */
            block++;
            continue;
        }
        if (below)
            fprintf(to, ", \\\n     '%s.dat' index %d using 1:($2-$1-$3):($2-$1+$3) with filledcurves fc rgb '%s' fs transparent solid 0.15 notitle",
                    name, block, m->colour);
        fprintf(to, ", \\\n     '%s.dat' index %d using 1:%s with linespoints pt 7 ps 0.3 lw 1.6 lc rgb '%s' title '%s'", name, block++, lead,
                m->colour, m->label);
    }
    fputs("\n", to);
}

static void panels_row(run *r, FILE *to, const char *name, const char *preset, bool below)
{
    int block = 0, drawn = 0;
    for (int i = 0; i < r->study->scenarios; i++) {
        const scenario *s = &r->study->scenario[i];
        if (!scenario_ran(r, s))
            continue;
        fprintf(to, drawn++ || below ? "unset key\n" : "set key right bottom samplen 2\n");
        calibration_panel(r, to, name, s, preset, block, below);
        for (int j = 0; j < r->study->methods; j++)
            block += shown(r, s, &r->study->method[j], preset);
    }
}

/* How far any mean strays: the lower row's scale, the same for all cases. MSE's is not what one looks for. */
static double largest_deviation(const run *r, const char *preset)
{
    double most = 0.01;
    for (int i = 0; i < r->study->scenarios; i++)
        for (int j = 0; j < r->study->methods; j++)
            for (int k = 0; k < CURVE && strcmp(r->study->method[j].loss, "mse"); k++) {
                const scenario *s = &r->study->scenario[i];
                const method *m = &r->study->method[j];
                if (shown(r, s, m, preset)) {
                    summary all = summary_of(r, s, m, FIELD(curve) + (size_t)k * sizeof(double));
                    most = fmax(most, fabs(all.mean - 0.05 * (k + 1)) + (all.sd > 0 ? all.sd : 0));
                }
            }
    return 1.15 * most;
}

surekrig_status calibration_figure(run *r, const char *preset, surekrig_error *error)
{
    char name[48], caption[640];
    output o;
    int columns = scenarios_ran(r);
    bool any = false;
    for (int j = 0; j < r->study->methods; j++)
        any = any || shown(r, NULL, &r->study->method[j], preset);
    if (!any)
        return SUREKRIG_OK;
    snprintf(name, sizeof name, "calibration-%s", preset);
    surekrig_status status = write_calibration(r, name, preset, error);
    if (!status)
        status = script_open(r, name, columns * 270 < 460 ? 460 : columns * 270, 580, &o, error);
    if (status)
        return status;
    fprintf(o.to, "set multiplot layout 2,%d margins char 8, char 2, char 4, char 3 spacing char 8, char 5\nset ylabel offset 1,0\nset xrange [0:1]\nset yrange [0:1]\nset xtics 0.25\nset ytics 0.25\nset ylabel 'empirical coverage'\n", columns);
    panels_row(r, o.to, name, preset, false);
    double room = largest_deviation(r, preset);
    fprintf(o.to, "set yrange [%.6g:%.6g]\nset ytics autofreq\nset xlabel 'nominal level'\nset ylabel 'empirical less nominal'\n", -room, room);
    panels_row(r, o.to, name, preset, true);
    snprintf(caption, sizeof caption, "Calibration at 19 levels, preset %s: empirical against nominal coverage (top) and their difference (bottom), mean over trials, "
             "shaded by one standard deviation. Dashed: perfect calibration.%s", preset,
             find_method(r, "mse", preset) ? " MSE is off the lower scale." : "");
    return script_close(r, &o, name, caption, error);
}

/* ---- the trace of the first trial, from the files it left */

static const char *const LEVEL_COLOURS[FIVE] = {"#440154", "#3b528b", "#21918c", "#5ec962", "#c9b500"};

static const trial *traced(const run *r, const scenario *s, const method *m)
{
    for (int i = 0; i < r->trials; i++)
        if (r->trial[i].scenario == s && r->trial[i].method == m && r->trial[i].done && r->trial[i].number == 1)
            return &r->trial[i];
    return NULL;
}

/* kind: 0 objective, 1 coverage less its level, 2 multiplier. Columns of level j begin at 6 + 3 j. */
static void trace_panel(FILE *to, const trial *t, int levels, int kind)
{
    char file[128];
    trace_name(t, file);
    const char *name = strchr(file, '/') + 1;
    fprintf(to, "set title '%s'\nset xrange [0.5:%g]\nplot ", kind == 0 ? t->scenario->title : "", t->rounds + 0.5);
    if (kind == 0)
        fprintf(to, "'%s' skip 1 using 1:5 with linespoints pt 7 ps 0.6 lw 1.6 lc rgb '#444444' notitle\n", name);
    for (int j = 0; kind && j < levels; j++) {
        char shown_column[32];
        snprintf(shown_column, sizeof shown_column, kind == 1 ? "($%d-$%d)" : "%d", kind == 1 ? 8 + 3 * j : 7 + 3 * j, 6 + 3 * j);
        int level = levels == 1 ? TARGET : j;
        fprintf(to, "%s'%s' skip 1 using 1:%s with linespoints pt 7 ps 0.5 lw 1.4 lc rgb '%s' title '%g %%'", j ? ", \\\n     " : "", name,
                shown_column, LEVEL_COLOURS[level], 100 * FIVE_LEVELS[level]);
    }
    fputs(kind ? "\n" : "", to);
}

static void trace_rows(run *r, FILE *to, const method *m, int levels)
{
    static const char *const LABELS[] = {"objective L", "coverage less level", "multiplier lambda"};
    for (int kind = 0; kind < 3; kind++) {
        int drawn = 0;
        fprintf(to, "set ylabel '%s'\nset xlabel '%s'\n", LABELS[kind], kind == 2 ? "round" : "");
        for (int i = 0; i < r->study->scenarios; i++) {
            const trial *t = traced(r, &r->study->scenario[i], m);
            if (!t)
                continue;
            fprintf(to, kind == 1 && !drawn++ ? "set key at screen 0.5, screen 0.985 center horizontal samplen 2\n" : "unset key\n");
            trace_panel(to, t, levels, kind);
        }
    }
}

surekrig_status trace_figure(run *r, const char *loss, const char *preset, surekrig_error *error)
{
    const method *m = find_method(r, loss, preset);
    char name[48], caption[640];
    int columns = 0, most = 0;
    output o;
    for (int i = 0; m && i < r->study->scenarios; i++) {
        const trial *t = traced(r, &r->study->scenario[i], m);
        columns += t != NULL;
        most = t && t->rounds > most ? (int)t->rounds : most;
    }
    if (!columns)
        return SUREKRIG_OK;
    snprintf(name, sizeof name, "trace-%s-%s", loss, preset);
    surekrig_status status = script_open(r, name, columns * 280 < 460 ? 460 : columns * 280, 720, &o, error);
    if (status)
        return status;
    fprintf(o.to, "set multiplot layout 3,%d margins char 9, char 2, char 4, char 5 spacing char 9, char 4\nset ylabel offset 1,0\nset datafile separator ','\nset xtics 1\n", columns);
    if (most > 8)
        fputs("set xtics autofreq\n", o.to);
    trace_rows(r, o.to, m, !strcmp(loss, "mm95") ? 1 : FIVE);
    snprintf(caption, sizeof caption, "The search of the first trial's %s, preset %s, round by round: objective, coverage of the batch less its level, "
             "multipliers.%s", m->label, preset,
             most == 1 ? " One round was enough: its best theta met the constraint." : "");
    return script_close(r, &o, name, caption, error);
}
