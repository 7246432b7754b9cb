#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static bool bar_shown;

static double seconds_since_start(void)
{
    static struct timespec start;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!start.tv_sec)
        start = now;
    return (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec);
}

/* Columns of the terminal: what COLUMNS says, or the terminal itself. */
static int terminal_width(void)
{
    struct winsize size = {0};
    const char *columns = getenv("COLUMNS");
    int width = columns ? atoi(columns) : 0;
    if (width <= 0 && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    return width > 0 ? width : 80;
}

/* Of a phase whose share grows steadily, as that of training does not; empty where it cannot be told yet. */
static void time_left(const surekrig_progress_report *report, char *text, size_t room)
{
    static double began, at_first, last = 2;
    double now = seconds_since_start();
    if (report->done < last) { /* another phase, or part of one */
        began = now;
        at_first = report->done;
    }
    last = report->done;
    double share = (last - at_first) / (1 - at_first), left = (now - began) * (1 - share) / share;
    *text = 0;
    if (now - began > 2 && share > 0)
        snprintf(text, room, left < 90 ? "  %.0f s left" : "  %.0f min left", left < 90 ? left : left / 60);
}

/* On one line whatever the terminal's width, or it would scroll: the facts first, then a bar of what is left. */
void cli_progress_line(const char *phase, double done, int facts, const char (*fact)[CLI_FACT])
{
    enum { LEAST = 8, MOST = 24, AROUND = 3, LONGEST = 160 };
    char start[32], share[16], known[LONGEST] = "", bar[MOST + 1];
    int width = terminal_width() - 1; /* in the last column some terminals go on to the next line */
    snprintf(start, sizeof start, "%-10s", phase);
    snprintf(share, sizeof share, " %3.0f %%", 100 * done);
    int left = width - (int)(strlen(start) + strlen(share)) - AROUND;
    int room = left - LEAST < LONGEST - 1 ? left - LEAST : LONGEST - 1;
    for (int i = 0; i < facts && (int)(strlen(known) + strlen(fact[i])) <= room; i++)
        strcat(known, fact[i]);
    int most = left - (int)strlen(known), cells = most > MOST ? MOST : most, full = (int)(done * cells);
    fputs("\r\033[K", stderr);
    if (cells < LEAST) { /* no room for a bar */
        fprintf(stderr, "%.*s", width, share + 1);
    } else {
        memset(bar, ' ', (size_t)cells);
        memset(bar, '#', (size_t)(full < 0 ? 0 : full > cells ? cells : full));
        bar[cells] = 0;
        fprintf(stderr, "%s [%s]%s%s", start, bar, share, known);
    }
    fflush(stderr);
    bar_shown = true;
}

/* training   [##########          ]  50 %  L -2.313  coverage 0.951  42 evaluations */
static void show_line(const surekrig_progress_report *report)
{
    enum { FACTS = 3 };
    char fact[FACTS][CLI_FACT] = {"", "", ""};
    if (!isnan(report->objective))
        snprintf(fact[0], CLI_FACT, "  L %.4f", report->objective);
    if (!isnan(report->coverage))
        snprintf(fact[1], CLI_FACT, "  coverage %.3f", report->coverage);
    if (report->evaluations)
        snprintf(fact[2], CLI_FACT, "  %lld evaluations", (long long)report->evaluations);
    else
        time_left(report, fact[2], CLI_FACT);
    cli_progress_line(report->phase, report->done, FACTS, (const char(*)[CLI_FACT])fact);
}

static int show(void *user, const surekrig_progress_report *report)
{
    bool visible = user != NULL;
    if (visible && seconds_since_start() > 0.5) /* what is over at once needs no bar */
        show_line(report);
    return cli_interrupted();
}

surekrig_progress cli_progress(const cli_call *call)
{
    static int visible = 1;
    bool quiet = cli_value(call, "quiet") || !isatty(STDERR_FILENO);
    seconds_since_start();
    return (surekrig_progress){show, quiet ? NULL : &visible};
}

void cli_progress_end(void)
{
    if (bar_shown)
        fprintf(stderr, "\r\033[K");
    bar_shown = false;
}
