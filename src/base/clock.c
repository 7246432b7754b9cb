#include "base/base.h"

#include <math.h>
#include <time.h>

double sk_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void sk_ticker_start(sk_ticker *ticker, const surekrig_progress *progress, const char *phase)
{
    *ticker = (sk_ticker){.progress = progress,
                          .span = 1,
                          .last = -INFINITY,
                          .report = {.phase = phase, .objective = NAN, .coverage = NAN}};
}

bool sk_tick(sk_ticker *ticker, double share)
{
    if (!ticker || !ticker->progress || !ticker->progress->report || ticker->stopped)
        return ticker && ticker->stopped;
    double now = sk_now(), done = ticker->from + ticker->span * share;
    bool ends = done >= 1 && ticker->report.done < 1;
    if (now - ticker->last < 0.1 && !ends)
        return false;
    ticker->last = now;
    ticker->report.done = done;
    ticker->stopped = ticker->progress->report(ticker->progress->user, &ticker->report) != 0;
    return ticker->stopped;
}

static int report_part(void *user, const surekrig_progress_report *report)
{
    const sk_part *part = user;
    surekrig_progress_report whole = *report;
    whole.done = part->from + part->span * report->done;
    return part->whole->report(part->whole->user, &whole);
}

const surekrig_progress *sk_part_of(sk_part *part)
{
    if (!part->whole || !part->whole->report)
        return NULL;
    part->progress = (surekrig_progress){report_part, part};
    return &part->progress;
}
