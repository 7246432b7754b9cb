#include "report.h"

#include <math.h>
#include <stdlib.h>

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
        fprintf(to, " skip 1 index 0 using 1:%d with linespoints pt 7 ps 0.6 lw 1.6 lc rgb '#444444' notitle\n",
                OBJECTIVE);
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
        fprintf(to, " skip 1 index 0 using 1:%s with linespoints pt 7 ps 0.5 lw 1.4 lc rgb '%s' notitle", column,
                colour);
    }
    fputc('\n', to);
}

void report_trace_key(FILE *to, int levels, const double *level, int width, double top)
{
    char colour[8];
    double apart = fmin(80, (width - 40.0) / fmax(levels, 1)); /* pixels */
    fputs("unset key\n", to);
    for (int j = 0; j < levels; j++) {
        level_colour(j, levels, colour);
        fprintf(to, "set label \"● %g %%\" at screen %g, screen %g center textcolor rgb '%s'\n", 100 * level[j],
                0.5 + apart / width * (j - (levels - 1) / 2.0), top, colour);
    }
}

/* ---- one model's, by evaluation where they were kept */

enum { SETTLING = 5 }; /* the first of so many parts of the search tells nothing about the scale of its coverage */

/* The objectives' scale: what is far above most of them is cut off. */
static bool objective_scale(const surekrig_info *info, double range[2])
{
    int64_t each = 1 + info->levels, n = 0;
    double *value = malloc((size_t)info->evaluations * sizeof *value);
    for (int64_t i = 0; value && i < info->evaluations; i++)
        if (!isnan(info->history[i * each]))
            value[n++] = info->history[i * each];
    if (n > 1) {
        report_sort(n, value);
        double most = value[(n - 1) * 4 / 5], room = 0.05 * (most - value[0]);
        range[0] = value[0] - room;
        range[1] = most + room;
    }
    free(value);
    return n > 1 && range[1] > range[0];
}

/* The lowest so far, evaluation by evaluation; NULL before the first that did not fail. */
static const double *next_best(const surekrig_info *info, int64_t i, const double *best)
{
    const double *row = info->history + i * (1 + info->levels);
    return isnan(row[0]) || (best && best[0] <= row[0]) ? best : row;
}

static bool coverage_scale(const surekrig_info *info, double range[2])
{
    const double *best = NULL;
    double low = 0, high = 0;
    for (int64_t i = 0; i < info->evaluations; i++) {
        best = next_best(info, i, best);
        for (int j = 0; best && i >= info->evaluations / SETTLING && j < info->levels; j++) {
            low = fmin(low, best[1 + j] - info->level[j]);
            high = fmax(high, best[1 + j] - info->level[j]);
        }
    }
    double room = 0.1 * (high - low);
    range[0] = low - room;
    range[1] = high + room;
    return high > low;
}

/* evaluation, objective, lowest so far; coverage less level there, of each level. */
static void write_history(FILE *to, const surekrig_info *info)
{
    const double *best = NULL;
    fputs("\n\n# evaluation, objective, lowest so far, coverage less level there\n", to);
    for (int64_t i = 0; i < info->evaluations; i++) {
        best = next_best(info, i, best);
        if (!best)
            continue;
        fprintf(to, "%lld,%.10g,%.10g", (long long)i + 1, info->history[i * (1 + info->levels)], best[0]);
        for (int j = 0; j < info->levels; j++)
            fprintf(to, ",%.6g", best[1 + j] - info->level[j]);
        fputc('\n', to);
    }
}

static void history_panel(report_picture *p, const surekrig_info *info, enum report_trace_kind kind)
{
    FILE *to = p->script;
    double range[2];
    fprintf(to, "set xlabel 'evaluation'\nset xrange [0:%lld]\nset xtics %.6g\n", (long long)info->evaluations + 1,
            report_step((double)info->evaluations, 6));
    if (kind == REPORT_OBJECTIVE ? objective_scale(info, range) : coverage_scale(info, range))
        fprintf(to, "set yrange [%.10g:%.10g]\n", range[0], range[1]);
    fputs("plot ", to);
    for (int j = 0; j < (kind == REPORT_OBJECTIVE ? 2 : info->levels); j++) {
        char colour[8];
        level_colour(j, info->levels, colour);
        fputs(j ? ", \\\n     " : "", to);
        report_picture_name_data(p);
        if (kind == REPORT_COVERAGE)
            fprintf(to, " index 1 using 1:%d with steps lw 1.4 lc rgb '%s' notitle", 4 + j, colour);
        else
            fputs(j ? " index 1 using 1:3 with steps lw 1.6 lc rgb '#444444' notitle"
                    : " index 1 using 1:2 with points pt 7 ps 0.35 lc rgb '#aaaaaa' notitle",
                  to);
    }
    fputs("\nset yrange [*:*]\n", to);
}

/* Where it was not kept, by round, of which there may be one. */
static void draw_panel(report_picture *p, const surekrig_info *info, enum report_trace_kind kind)
{
    char file[300];
    snprintf(file, sizeof file, "%s.gp.dat", p->stem);
    fprintf(p->script, "set ylabel '%s' offset 1,0\n", report_trace_label[kind]);
    if (info->history && kind != REPORT_MULTIPLIER) {
        history_panel(p, info, kind);
        return;
    }
    fputs("set xlabel 'round'\n", p->script);
    report_trace_panel(p->script, file, info->levels, info->rounds, kind);
}

void report_trace_draw(const surekrig_info *info, const char *title, report_picture *p)
{
    FILE *to = p->script;
    int kinds = info->levels == 0 ? 1 : info->rounds == 1 ? 2 : REPORT_TRACES; /* the first round's multipliers are 0 */
    report_trace_data(p->data, info);
    if (info->history)
        write_history(p->data, info);
    int width = kinds == 1 ? 520 : 330 * kinds;
    report_picture_begin(p, width, title ? 370 : 340);
    fprintf(to, "set multiplot layout 1,%d margins char 10, char 2, char 4, char %d spacing char 12, char 4", kinds,
            title ? 6 : 4);
    if (title) {
        fputs(" title ", to);
        report_text(to, title);
        fputs(" noenhanced", to);
    }
    fputs("\nset datafile separator ','\n", to);
    report_trace_key(to, info->levels, info->level, width, title ? 0.89 : 0.96);
    for (int kind = 0; kind < kinds; kind++) {
        draw_panel(p, info, (enum report_trace_kind)kind);
        fputs("unset label\n", to);
    }
    fputs("unset multiplot\n", to);
}
