/* The trials, each on one thread, as many at once as the study has threads: with nothing shared between them this
 * wastes less than threads inside each fit, whose search is serial. What a trial gives does not depend on it. */
#include "inside.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct pool {
    ex_run *r;
    pthread_mutex_t lock; /* of all below, of the log and of the plan's done marks */
    pthread_cond_t changed;
    int next, working;
    surekrig_status status; /* the first failure */
    surekrig_error error;
    atomic_bool stop;
} pool;

static int ask_stop(void *user, const surekrig_progress_report *report)
{
    (void)report;
    return atomic_load(&((pool *)user)->stop);
}

/* The next trial that is not done, or -1. */
static int take_next(pool *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->next < p->r->trials && p->r->trial[p->next].done)
        p->next++;
    int mine = p->next < p->r->trials && !atomic_load(&p->stop) ? p->next++ : -1;
    pthread_mutex_unlock(&p->lock);
    return mine;
}

static void put_result(pool *p, int which, const ex_trial *t, surekrig_status status, surekrig_error *error)
{
    pthread_mutex_lock(&p->lock);
    if (!status)
        status = ex_log_append(p->r, t, error);
    if (!status) {
        p->r->trial[which] = *t;
        p->r->trial[which].done = true;
    } else {
        if (!p->status) {
            p->status = status;
            p->error = *error;
        }
        atomic_store(&p->stop, true);
    }
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void *work(void *context)
{
    pool *p = context;
    ex_bench b = {0};
    surekrig_progress progress = {ask_stop, p};
    for (int mine; (mine = take_next(p)) >= 0;) {
        ex_trial t = p->r->trial[mine];
        surekrig_error error = {0};
        surekrig_status status = ex_run_trial(p->r, &b, &progress, &t, &error);
        if (status && status != SUREKRIG_STOPPED) {
            surekrig_error cause = error;
            ex_fail(&error, status, "case %s, %s, preset %s, trial %d: %.300s", t.scenario->name, t.method->label,
                    t.method->preset, t.number, cause.sentence);
        }
        put_result(p, mine, &t, status, &error);
    }
    ex_bench_free(&b);
    pthread_mutex_lock(&p->lock);
    p->working--;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Each trial to come takes what its method took so far. */
static double seconds_left(const ex_run *r)
{
    double left = 0, all = 0, count = 0;
    for (int i = 0; i < r->trials; i++)
        if (r->trial[i].done) {
            all += r->trial[i].seconds + r->trial[i].predict_seconds;
            count++;
        }
    for (const ex_method *m = r->study->method; m < r->study->method + r->study->methods; m++) {
        double took = 0, done = 0, open = 0;
        for (int i = 0; i < r->trials; i++)
            if (r->trial[i].method == m) {
                done += r->trial[i].done;
                open += !r->trial[i].done;
                took += r->trial[i].done ? r->trial[i].seconds + r->trial[i].predict_seconds : 0;
            }
        left += open * (done > 0 ? took / done : all / count);
    }
    return left / r->threads; /* NaN while count = 0 */
}

/* With the lock held. */
static void tell(pool *p)
{
    const experiment_options *o = p->r->options;
    experiment_progress progress = {.trials = p->r->trials, .seconds_left = seconds_left(p->r), .now = "trials"};
    for (int i = 0; i < p->r->trials; i++)
        progress.done += p->r->trial[i].done;
    if (o->report && o->report(o->user, &progress))
        atomic_store(&p->stop, true);
}

static void wait_for_workers(pool *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->working > 0) {
        struct timespec until;
        tell(p);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 200000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&p->changed, &p->lock, &until);
    }
    tell(p);
    pthread_mutex_unlock(&p->lock);
}

/* Signals stay with the thread that waits: it reports, and hears the answer. */
static int start_workers(pool *p, int count, pthread_t *thread)
{
    sigset_t all, before;
    int started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    p->working = count;
    while (started < count && !pthread_create(&thread[started], NULL, work, p))
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_lock(&p->lock);
    p->working -= count - started;
    pthread_mutex_unlock(&p->lock);
    return started;
}

surekrig_status ex_run_trials(ex_run *r, surekrig_error *error)
{
    pool p = {.r = r, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    pthread_t *thread = calloc((size_t)r->threads, sizeof *thread);
    if (!thread)
        return ex_no_memory(error);
    int open = 0;
    for (int i = 0; i < r->trials; i++)
        open += !r->trial[i].done;
    int count = open < r->threads ? open : r->threads, started = start_workers(&p, count, thread);
    wait_for_workers(&p);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    free(thread);
    if (count > 0 && started == 0)
        return ex_fail(error, SUREKRIG_MEMORY, "no thread could be started");
    if (p.status && p.status != SUREKRIG_STOPPED)
        *error = p.error;
    else if (atomic_load(&p.stop))
        p.status = ex_fail(error, SUREKRIG_STOPPED,
                           "interrupted; finished trials are kept in %s/trials.csv, and the same command "
                           "goes on from them",
                           r->options->directory);
    return p.status;
}
