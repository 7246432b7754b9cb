#include "cli.h"

#include <math.h>
#include <string.h>
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

/* Of a phase whose share grows steadily, as that of training does not. */
static void show_time_left(const surekrig_progress_report *report)
{
    static double began, at_first, last = 2;
    double now = seconds_since_start();
    if (report->done < last) { /* another phase, or part of one */
        began = now;
        at_first = report->done;
    }
    last = report->done;
    double share = (last - at_first) / (1 - at_first), left = (now - began) * (1 - share) / share;
    if (now - began > 2 && share > 0)
        fprintf(stderr, left < 90 ? "  %.0f s left" : "  %.0f min left", left < 90 ? left : left / 60);
}

/* training   [##########          ]  50 %  L -2.313  coverage 0.951  42 evaluations */
static int show(void *user, const surekrig_progress_report *report)
{
    enum { WIDTH = 24 };
    bool visible = user != NULL;
    if (visible && seconds_since_start() > 0.5) { /* what is over at once needs no bar */
        char bar[WIDTH + 1];
        int full = (int)(report->done * WIDTH);
        memset(bar, ' ', WIDTH);
        memset(bar, '#', (size_t)(full < 0 ? 0 : full > WIDTH ? WIDTH : full));
        bar[WIDTH] = 0;
        fprintf(stderr, "\r\033[K%-10s [%s] %3.0f %%", report->phase, bar, 100 * report->done);
        if (!isnan(report->objective))
            fprintf(stderr, "  L %.4f", report->objective);
        if (!isnan(report->coverage))
            fprintf(stderr, "  coverage %.3f", report->coverage);
        if (report->evaluations)
            fprintf(stderr, "  %lld evaluations", (long long)report->evaluations);
        else
            show_time_left(report);
        fflush(stderr);
        bar_shown = true;
    }
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
