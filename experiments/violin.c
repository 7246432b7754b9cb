/* Violins: a Gaussian kernel density of the trials, cut at the least and the most of them, with the trials themselves
 * as points and the quartiles as a bar. Few trials have no density worth drawing, and very few no quartiles. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 60, FEWEST = 20, FEWEST_QUARTERED = 5 };

/* Silverman's rule, by the smaller of standard deviation and quartile range. */
double ex_density_width(int n, const double *sorted)
{
    double *copy = malloc((size_t)n * sizeof *copy);
    if (!copy)
        return 0;
    memcpy(copy, sorted, (size_t)n * sizeof *copy);
    ex_summary s = ex_summarise(n, copy);
    free(copy);
    double range = (s.upper - s.lower) / 1.349, spread = range > 0 ? fmin(s.sd, range) : s.sd;
    return 0.9 * spread * pow(n, -0.2);
}

double ex_density_at(int n, const double *value, double width, double at)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += exp(-0.5 * pow((at - value[i]) / width, 2));
    return sum / (n * width * 2.5066282746310002);
}

/* ---- data: for each violin three blocks: outline, points, quartiles */

static double from_scale(const ex_panel *p, double value)
{
    return p->log ? pow(10, value) : value;
}

/* Right side upwards, left side downwards; 1 is the widest place. */
static void write_outline(FILE *to, const ex_panel *p, int n, const double *value, double width, double highest)
{
    if (!(width > 0)) {
        fprintf(to, "0 %.10g\n\n\n", from_scale(p, value[0]));
        return;
    }
    for (int i = 0; i < 2 * (STEPS + 1); i++) {
        int step = i <= STEPS ? i : 2 * STEPS + 1 - i;
        double at = value[0] + (value[n - 1] - value[0]) * step / STEPS;
        double side = ex_density_at(n, value, width, at) / highest;
        fprintf(to, "%.6g %.10g\n", i <= STEPS ? side : -side, from_scale(p, at));
    }
    fputs("\n\n", to);
}

/* Points spread over the violin's width by the golden ratio, so that equal ones do not hide each other. */
static void write_points(FILE *to, const ex_panel *p, int n, const double *value, double width, double highest)
{
    for (int i = 0; i < n; i++) {
        double side = width > 0 ? ex_density_at(n, value, width, value[i]) / highest : 0.5;
        double place = fmod(0.6180339887 * (i + 1), 1) - 0.5;
        fprintf(to, "%.6g %.10g\n", 1.4 * place * side, from_scale(p, value[i]));
    }
    fputs("\n\n", to);
}

static void write_violin(FILE *to, const ex_panel *p, int n, double *value)
{
    ex_summary s = ex_summarise(n, value);
    double width = n >= FEWEST && s.most > s.least ? ex_density_width(n, value) : 0, highest = 0;
    for (int i = 0; width > 0 && i <= STEPS; i++)
        highest = fmax(highest, ex_density_at(n, value, width, s.least + (s.most - s.least) * i / STEPS));
    write_outline(to, p, n, value, width, highest);
    write_points(to, p, n, value, width, highest);
    if (n < FEWEST_QUARTERED)
        s.lower = s.median = s.upper = NAN;
    fprintf(to, "%.10g %.10g %.10g\n\n\n", from_scale(p, s.lower), from_scale(p, s.median), from_scale(p, s.upper));
}

static int panel_values(const ex_run *r, const ex_panel *p, int which, double *value)
{
    int n = ex_values_of(r, p->violin[which].scenario, p->violin[which].method, p->field, value);
    for (int i = 0; p->log && i < n; i++)
        value[i] = log10(value[i]);
    return n;
}

static surekrig_status write_data(ex_run *r, const ex_violin_figure *f, double *value, surekrig_error *error)
{
    char name[96];
    ex_output o;
    snprintf(name, sizeof name, "figures/%s.dat", f->name);
    surekrig_status status = ex_output_open(r, name, &o, error);
    if (status)
        return status;
    for (int i = 0; i < f->panels; i++)
        for (int j = 0; j < f->panel[i].violins; j++) {
            const ex_panel *p = &f->panel[i];
            fprintf(o.to, "# %s, %s: outline; points; quartiles\n", p->title, p->violin[j].label);
            write_violin(o.to, p, panel_values(r, p, j, value), value);
        }
    return ex_output_commit(&o, error);
}

/* ---- the script */

typedef struct extent {
    double low, high;
} extent;

static extent widen(const ex_run *r, const ex_panel *p, extent e, double *value)
{
    double target = p->log ? log10(p->target) : p->target;
    for (int j = 0; j < p->violins; j++)
        for (int i = panel_values(r, p, j, value) - 1; i >= 0; i--)
            e = (extent){fmin(e.low, value[i]), fmax(e.high, value[i])};
    return (extent){fmin(e.low, target), fmax(e.high, target)};
}

static void write_range(FILE *to, const ex_panel *p, extent e)
{
    double room = 0.06 * (e.high - e.low);
    room = room > 0 ? room : fmax(0.01 * fabs(e.high), 1e-12);
    fprintf(to, "%s logscale y\nset ytics autofreq\nset yrange [%.10g:%.10g]\n", p->log ? "set" : "unset",
            from_scale(p, e.low - room), from_scale(p, e.high + room));
    if (p->log && e.high - e.low < 2) /* decades alone would be too few */
        fputs("set ytics (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)\n", to);
}

/* gnuplot reads a label as a format; its second word goes below the first. */
static void write_tic(FILE *to, const char *label, int place)
{
    const char *space = strchr(label, ' ');
    fprintf(to, "%s\"", place ? ", " : "");
    for (; *label; label++)
        fprintf(to, label == space ? "\\n" : *label == '%' ? "%%%%" : "%c", *label);
    fprintf(to, "\" %d", place + 1);
}

static void write_panel(const ex_run *r, FILE *to, const char *name, const ex_panel *p, int first, double *value)
{
    fprintf(to, "set title '%s' textcolor rgb '#222222'\nset xrange [0.45:%g]\nset xtics (", p->title,
            p->violins + 0.55);
    for (int j = 0; j < p->violins; j++)
        write_tic(to, p->violin[j].label, j);
    fputs(")\nunset arrow\n", to);
    if (!isnan(p->target))
        fprintf(to,
                "set arrow from graph 0, first %.10g to graph 1, first %.10g nohead dt (8,5) lw 1.3 lc rgb '#c8102e' "
                "back\n",
                p->target, p->target);
    fputs("plot ", to);
    for (int j = 0; j < p->violins; j++) {
        const char *colour = p->violin[j].method->colour;
        int at = 3 * (first + j), x = j + 1;
        double size = ex_values_of(r, p->violin[j].scenario, p->violin[j].method, p->field, value) < FEWEST ? 0.6
                                                                                                            : 0.28;
        fprintf(to,
                "%s'%s.dat' index %d using (%d+0.4*$1):2 with filledcurves closed fc rgb '%s' fs transparent solid "
                "0.35 border lc rgb '%s' notitle, \\\n"
                "     '' index %d using (%d+0.4*$1):2 with points pt 7 ps %g lc rgb '%s' notitle, \\\n"
                "     '' index %d using (%d):1:(0):($3-$1) with vectors nohead lw 3 lc rgb '#444444' notitle, \\\n"
                "     '' index %d using (%d):2 with points pt 7 ps 0.75 lc rgb '#444444' notitle, \\\n"
                "     '' index %d using (%d):2 with points pt 7 ps 0.4 lc rgb '#ffffff' notitle",
                j ? ", \\\n     " : "", name, at, x, colour, colour, at + 1, x, size, colour, at + 2, x, at + 2, x,
                at + 2, x);
    }
    fputs("\n", to);
}

/* Columns of panels, each so wide. A figure of one row is cut into as many as a window of 1280 pixels needs to show its
 * words in their own size. */
static int columns_of(const ex_violin_figure *f, int width)
{
    int columns = f->panels / f->rows;
    while (f->rows == 1 && columns > 2 && columns * width > 1200)
        columns--;
    return columns;
}

static surekrig_status write_script(ex_run *r, const ex_violin_figure *f, double *value, surekrig_error *error)
{
    int first = 0, most = 0;
    ex_output o;
    extent all = {INFINITY, -INFINITY};
    for (int i = 0; i < f->panels; i++) {
        all = widen(r, &f->panel[i], all, value);
        most = f->panel[i].violins > most ? f->panel[i].violins : most;
    }
    int each = most * 60 + 86; /* "default" fits below a violin */
    int columns = columns_of(f, each), rows = (f->panels + columns - 1) / columns;
    surekrig_status status = ex_script_open(r, f->name, columns * each < 460 ? 460 : columns * each, 40 + 270 * rows,
                                            &o, error);
    if (status)
        return status;
    fprintf(o.to, "set multiplot layout %d,%d margins char 8, char 2, char 4, char 3 spacing char 8, char 6\n", rows,
            columns);
    for (int i = 0; i < f->panels; i++) {
        const ex_panel *p = &f->panel[i];
        write_range(o.to, p, f->one_scale ? all : widen(r, p, (extent){INFINITY, -INFINITY}, value));
        write_panel(r, o.to, f->name, p, first, value);
        first += p->violins;
    }
    return ex_script_close(r, &o, f->name, f->caption, error);
}

void ex_add_violin(const ex_run *r, ex_panel *p, const ex_scenario *s, const ex_method *m, const char *label)
{
    if (!ex_method_ran(r, s, m) || p->violins == (int)(sizeof p->violin / sizeof *p->violin))
        return;
    snprintf(p->violin[p->violins].label, sizeof p->violin->label, "%s", label);
    p->violin[p->violins].scenario = s;
    p->violin[p->violins++].method = m;
}

surekrig_status ex_violin_draw(ex_run *r, const ex_violin_figure *f, surekrig_error *error)
{
    for (int i = 0; i < f->panels; i++)
        if (!f->panel[i].violins)
            return SUREKRIG_OK;
    double *value = f->panels ? malloc(((size_t)r->trials + 1) * sizeof *value) : NULL;
    if (!value)
        return f->panels ? ex_no_memory(error) : SUREKRIG_OK;
    surekrig_status status = write_data(r, f, value, error);
    if (!status)
        status = write_script(r, f, value, error);
    free(value);
    return status;
}

/* ---- coverage, of every study */

/* All that train for coverage or likelihood; MSE does not look at variances, and would leave the others a hair's
 * breadth. s: a case, or NULL for all together. */
static void coverage_panel(ex_run *r, ex_panel *p, const ex_scenario *s, const char *preset)
{
    *p = (ex_panel){.target = 0.95, .field = EX_FIELD(cov)};
    if (s && ex_find_method(r, "mm", "paper"))
        snprintf(p->title, sizeof p->title, "case %s, %s", s->name, preset);
    else if (s)
        snprintf(p->title, sizeof p->title, "%s", s->title);
    else
        snprintf(p->title, sizeof p->title, "preset %s", preset);
    for (int j = 0; j < r->study->methods; j++) {
        const ex_method *m = &r->study->method[j];
        if (!strcmp(m->preset, preset) && strcmp(m->loss, "mse"))
            ex_add_violin(r, p, s, m, m->label);
    }
}

surekrig_status ex_coverage_figure(ex_run *r, bool apart, surekrig_error *error)
{
    ex_violin_figure f = {.rows = 0, .one_scale = true};
    snprintf(f.name, sizeof f.name, apart ? "coverage-cases" : "coverage");
    snprintf(f.caption, sizeof f.caption,
             "Coverage of the 95 %% intervals on the test points%s%s. Dashed: the target. A dot is a trial, the bar "
             "spans the "
             "quartiles.",
             apart ? ", case by case" : ", all cases together",
             ex_find_method(r, "mse", "default") ? "; MSE, which does not train variances, is in the table only" : "");
    for (int i = 0; i < EX_PRESETS; i++) {
        int before = f.panels;
        for (int j = 0; j < (apart ? r->study->scenarios : 1); j++) {
            coverage_panel(r, &f.panel[f.panels], apart ? &r->study->scenario[j] : NULL, EX_PRESET[i]);
            f.panels += f.panel[f.panels].violins > 0;
        }
        f.rows += apart && f.panels > before;
    }
    f.rows = apart ? f.rows : 1;
    return ex_violin_draw(r, &f, error);
}
