/* Figures: a gnuplot script and its data under figures/, which a user can edit and run again, and gnuplot's
 * pictures. */
#include "inside.h"

#include <unistd.h>

/* The figure being made; one too many would replace the last. */
static ex_figure *next_figure(ex_run *r)
{
    return &r->figure[r->figures < EX_MOST_FIGURES ? r->figures : EX_MOST_FIGURES - 1];
}

surekrig_status ex_script_open(ex_run *r, const char *name, int width, int height, ex_output *o, surekrig_error *error)
{
    char file[96];
    snprintf(file, sizeof file, "figures/%s.gp", name);
    surekrig_status status = ex_output_open(r, file, o, error);
    if (status)
        return status;
    next_figure(r)->width = width;
    fprintf(o->to,
            "# gnuplot %s.gp   draws %s.svg and %s.png from the files beside it\n"
            "do for [kind in \"svg png\"] {\n"
            "if (kind eq \"svg\") {\n",
            name, name, name);
    report_terminal(o->to, "svg", width, height);
    fputs("} else {\n", o->to);
    report_terminal(o->to, "png", width, height);
    fprintf(o->to, "}\nset output '%s.'.kind\nreset\n", name);
    report_style(o->to);
    return SUREKRIG_OK;
}

surekrig_status ex_script_close(ex_run *r, ex_output *o, const char *name, const char *caption, surekrig_error *error)
{
    fputs("unset multiplot\nset output\n}\n", o->to);
    ex_figure *f = next_figure(r);
    r->figures += r->figures < EX_MOST_FIGURES;
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->caption, sizeof f->caption, "%s", caption);
    return ex_output_commit(o, error);
}

static bool pictures_there(const ex_run *r, const char *name)
{
    static const char *const KINDS[] = {"svg", "png"};
    for (int i = 0; i < 2; i++) {
        char file[96], path[EX_PATH_SIZE];
        snprintf(file, sizeof file, "figures/%s.%s", name, KINDS[i]);
        ex_path_in(r, file, path);
        if (access(path, R_OK))
            return false;
    }
    return true;
}

/* A figure that cannot be drawn is no failure of the study: its data are there. */
surekrig_status ex_draw_figures(ex_run *r, surekrig_error *error)
{
    char folder[EX_PATH_SIZE], log[EX_PATH_SIZE];
    ex_path_in(r, "figures", folder);
    ex_path_in(r, "figures/gnuplot.log", log);
    for (int i = 0; i < r->figures; i++) {
        ex_figure *f = &r->figure[i];
        char script[64];
        if (ex_stopped(r, "figures"))
            return ex_fail(error, SUREKRIG_STOPPED,
                           "interrupted; all trials are done, and the same command draws the figures");
        snprintf(script, sizeof script, "%s.gp", f->name);
        report_end end = report_gnuplot(folder, script, NULL);
        f->drawn = end == REPORT_DRAWN && pictures_there(r, f->name);
        if (end == REPORT_NO_GNUPLOT) {
            snprintf(r->note, sizeof r->note,
                     "there is no gnuplot, so no figures were drawn; %s and run the same command again",
                     report_install);
            break;
        }
        if (!f->drawn) {
            snprintf(r->note, sizeof r->note, "gnuplot could not draw figures/%s; figures/gnuplot.log says why",
                     script);
            return SUREKRIG_OK; /* the log stays */
        }
    }
    unlink(log);
    return SUREKRIG_OK;
}
