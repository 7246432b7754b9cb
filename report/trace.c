#include "report.h"

const char *const report_trace_label[REPORT_TRACES] = {"objective L", "coverage less level", "multiplier lambda"};

/* round, evaluations, beta, loss, objective; level, lambda and coverage of each level. */
enum { OBJECTIVE = 5, LEVEL = 6, LAMBDA = 7, COVERAGE = 8, EACH = 3 };

void report_trace_data(FILE *to, const surekrig_info *info)
{
    fputs("round,evaluations,beta,loss,objective", to);
    for (int j = 0; j < info->levels; j++)
        fprintf(to, ",level_%d,lambda_%d,coverage_%d", j + 1, j + 1, j + 1);
    fputc('\n', to);
    for (int i = 0; i < info->rounds; i++) {
        const surekrig_round *round = &info->round[i];
        fprintf(to, "%d,%lld,%.17g,%.17g,%.17g", i + 1, (long long)round->evaluations, round->beta, round->loss,
                round->objective);
        for (int j = 0; j < info->levels; j++)
            fprintf(to, ",%g,%.17g,%.17g", info->level[j], round->lambda[j], round->coverage[j]);
        fputc('\n', to);
    }
}

static void level_colour(int level, int levels, char colour[8])
{
    report_colour(levels > 1 ? 0.85 * level / (levels - 1) : 0.5, colour);
}

void report_trace_panel(FILE *to, const char *file, int levels, int rounds, enum report_trace_kind kind)
{
    fprintf(to, "set xrange [0.5:%g]\nset xtics %d\nplot ", rounds + 0.5, 1 + rounds / 8);
    if (kind == REPORT_OBJECTIVE) {
        report_text(to, file);
        fprintf(to, " skip 1 using 1:%d with linespoints pt 7 ps 0.6 lw 1.6 lc rgb '#444444' notitle\n", OBJECTIVE);
        return;
    }
    for (int j = 0; j < levels; j++) {
        char colour[8], column[32];
        level_colour(j, levels, colour);
        if (kind == REPORT_COVERAGE)
            snprintf(column, sizeof column, "($%d-$%d)", COVERAGE + EACH * j, LEVEL + EACH * j);
        else
            snprintf(column, sizeof column, "%d", LAMBDA + EACH * j);
        fputs(j ? ", \\\n     " : "", to);
        report_text(to, file);
        fprintf(to, " skip 1 using 1:%s with linespoints pt 7 ps 0.5 lw 1.4 lc rgb '%s' notitle", column, colour);
    }
    fputc('\n', to);
}

void report_trace_key(FILE *to, int levels, const double *level)
{
    char colour[8];
    fputs("unset key\n", to);
    for (int j = 0; j < levels; j++) {
        level_colour(j, levels, colour);
        fprintf(to, "set label \"● %g %%\" at screen %g, screen 0.975 center textcolor rgb '%s'\n", 100 * level[j],
                0.5 + 0.09 * (j - (levels - 1) / 2.0), colour);
    }
}

void report_trace_draw(const surekrig_info *info, const char *title, report_picture *p)
{
    FILE *to = p->script;
    char file[300];
    snprintf(file, sizeof file, "%s.gp.dat", p->stem);
    int kinds = info->levels ? REPORT_TRACES : 1;
    report_trace_data(p->data, info);
    report_picture_begin(p, kinds == 1 ? 520 : 960, title ? 360 : 330);
    fprintf(to, "set multiplot layout 1,%d margins char 9, char 2, char 4, char %d spacing char 11, char 4", kinds, title ? 5 : 3);
    if (title) {
        fputs(" title ", to);
        report_text(to, title);
        fputs(" noenhanced", to);
    }
    fputs("\nset datafile separator ','\nset xlabel 'round'\n", to);
    report_trace_key(to, info->levels, info->level);
    for (int kind = 0; kind < kinds; kind++) {
        fprintf(to, "set ylabel '%s' offset 1,0\n", report_trace_label[kind]);
        report_trace_panel(to, file, info->levels, info->rounds, (enum report_trace_kind)kind);
        fputs("unset label\n", to);
    }
    fputs("unset multiplot\n", to);
}
