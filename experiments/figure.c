/* Figures: a gnuplot script and its data under figures/, which a user can edit and run again, and gnuplot's pictures.
 */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The figure being made; one too many would replace the last. */
static figure *next_figure(run *r)
{
    return &r->figure[r->figures < MOST_FIGURES ? r->figures : MOST_FIGURES - 1];
}

surekrig_status script_open(run *r, const char *name, int width, int height, output *o, surekrig_error *error)
{
    char file[96];
    snprintf(file, sizeof file, "figures/%s.gp", name);
    surekrig_status status = output_open(r, file, o, error);
    if (status)
        return status;
    next_figure(r)->width = width;
    fprintf(o->to,
            "# gnuplot %s.gp   draws %s.svg and %s.png from the files beside it\n"
            "do for [kind in \"svg png\"] {\n"
            "if (kind eq \"svg\") {\n"
            "    set terminal svg size %d,%d dynamic enhanced font 'sans-serif,11' background '#ffffff'\n"
            "} else {\n"
            "    set terminal pngcairo size %d,%d enhanced font 'sans,11' fontscale 2 linewidth 2 pointscale 2 "
            "background '#ffffff'\n"
            "}\n"
            "set output '%s.'.kind\n"
            "reset\n"
            "set encoding utf8\n"
            "set border 3 lc rgb '#888888'\nset tics nomirror scale 0.5 textcolor rgb '#444444'\n"
            "set title offset 0,-0.4 font ',10'\n"
            "set grid ytics lt 1 lc rgb '#e8e8e8' lw 0.7\n",
            name, name, name, width, height, 2 * width, 2 * height, name);
    return SUREKRIG_OK;
}

surekrig_status script_close(run *r, output *o, const char *name, const char *caption, surekrig_error *error)
{
    fputs("unset multiplot\nset output\n}\n", o->to);
    figure *f = next_figure(r);
    r->figures += r->figures < MOST_FIGURES;
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->caption, sizeof f->caption, "%s", caption);
    return output_commit(o, error);
}

enum { NOT_FOUND = 127 };

/* In the child: gnuplot in the directory figures/, its words in a file. */
static void become_gnuplot(const char *folder, const char *script)
{
    int words = -1, input = open("/dev/null", O_RDONLY);
    if (!chdir(folder))
        words = open("gnuplot.log", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (words >= 0 && input >= 0 && dup2(input, 0) >= 0 && dup2(words, 1) >= 0 && dup2(words, 2) >= 0)
        execlp("gnuplot", "gnuplot", script, (char *)NULL);
    _exit(errno == ENOENT ? NOT_FOUND : 126);
}

/* gnuplot's exit status, or -1. */
static int run_gnuplot(const char *folder, const char *script)
{
    int state;
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(folder, script);
    if (child < 0)
        return -1;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static bool pictures_there(const run *r, const char *name)
{
    static const char *const KINDS[] = {"svg", "png"};
    for (int i = 0; i < 2; i++) {
        char file[96], path[PATH_SIZE];
        snprintf(file, sizeof file, "figures/%s.%s", name, KINDS[i]);
        path_in(r, file, path);
        if (access(path, R_OK))
            return false;
    }
    return true;
}

/* A figure that cannot be drawn is no failure of the study: its data are there. */
surekrig_status draw_figures(run *r, surekrig_error *error)
{
    char folder[PATH_SIZE], log[PATH_SIZE];
    path_in(r, "figures", folder);
    path_in(r, "figures/gnuplot.log", log);
    for (int i = 0; i < r->figures; i++) {
        figure *f = &r->figure[i];
        char script[64];
        if (stopped(r, "figures"))
            return fail(error, SUREKRIG_STOPPED,
                        "interrupted; all trials are done, and the same command draws the figures");
        snprintf(script, sizeof script, "%s.gp", f->name);
        int code = run_gnuplot(folder, script);
        f->drawn = code == 0 && pictures_there(r, f->name);
        if (code == NOT_FOUND) {
            snprintf(r->note, sizeof r->note,
                     "there is no gnuplot, so no figures were drawn; install it (Debian package gnuplot-nox) "
                     "and run the same command again");
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
