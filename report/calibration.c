/* Nominal against empirical coverage, and their difference, where a hundredth can be seen. */
#include "report.h"

#include <math.h>

static const char *const COLOURS[] = {REPORT_BLUE, REPORT_ORANGE, REPORT_GREEN, REPORT_PURPLE, "#56B4E9", "#D55E00"};
enum { COLOUR_COUNT = sizeof COLOURS / sizeof *COLOURS };

/* level, two standard errors of its share of n independent points, coverage of each curve. */
static void write_data(FILE *to, const report_curve *c)
{
    fputs("# nominal level, two standard errors, empirical coverage", to);
    for (int j = -1; j <= c->levels; j++) {
        double p = j < 0 ? 0 : j < c->levels ? c->level[j] : 1;
        fprintf(to, "\n%.10g %.6g", p, 2 * sqrt(p * (1 - p) / (double)c->n));
        for (int i = 0; i < c->curves; i++)
            fprintf(to, " %.10g", j < 0 || j == c->levels ? p : c->coverage[i * c->levels + j]);
    }
    fputc('\n', to);
}

static void write_panel(report_picture *p, const report_curve *c, bool difference)
{
    FILE *to = p->script;
    fputs("plot ", to);
    report_picture_name_data(p);
    fprintf(to, difference ? " using 1:(-$2):2 with filledcurves fc rgb '#e4e4e4' notitle"
                           : " using 1:($1-$2):($1+$2) with filledcurves fc rgb '#e4e4e4' notitle");
    fprintf(to, ", \\\n     %s lw 1.3 lc rgb '#c8102e' dt (8,5) notitle", difference ? "0" : "x");
    for (int i = 0; i < c->curves; i++) {
        fputs(", \\\n     ", to);
        report_picture_name_data(p);
        fprintf(to, difference ? " using 1:($%d-$1)" : " using 1:%d", 3 + i);
        fprintf(to, " with linespoints pt 7 ps 0.45 lw 1.6 lc rgb '%s' title ", COLOURS[i % COLOUR_COUNT]);
        report_text(to, c->curves > 1 ? c->name[i] : "");
        fputs(" noenhanced", to);
    }
    fputc('\n', to);
}

static double largest_difference(const report_curve *c)
{
    double most = 1 / sqrt((double)c->n); /* two standard errors in the middle */
    for (int i = 0; i < c->curves; i++)
        for (int j = 0; j < c->levels; j++)
            most = fmax(most, fabs(c->coverage[i * c->levels + j] - c->level[j]));
    return 1.15 * most;
}

void report_curve_draw(const report_curve *c, report_picture *p)
{
    double room = largest_difference(c);
    FILE *to = p->script;
    write_data(p->data, c);
    report_picture_begin(p, 860, c->title ? 450 : 430);
    fputs("set multiplot layout 1,2 margins char 8, char 2, char 4, char ", to);
    fprintf(to, "%d spacing char 11, char 4", c->title ? 5 : 3);
    if (c->title) {
        fputs(" title ", to);
        report_text(to, c->title);
        fputs(" noenhanced", to);
    }
    fprintf(to,
            "\nset xlabel 'nominal level'\nset xrange [0:1]\nset xtics 0.2\nset ylabel 'empirical coverage'\n"
            "set yrange [0:1]\nset ytics 0.2\nset key %s\n",
            c->curves > 1 ? "left top reverse Left samplen 2" : "off");
    write_panel(p, c, false);
    fprintf(to, "set ylabel 'empirical less nominal'\nset yrange [%.6g:%.6g]\nset ytics autofreq\nset key off\n", -room,
            room);
    fprintf(to,
            "set label 1 'grey: two standard errors of %lld independent points' at graph 0, graph 1.04 font ',9' "
            "textcolor rgb '#777777'\n",
            (long long)c->n);
    write_panel(p, c, true);
    fputs("unset multiplot\n", to);
}
