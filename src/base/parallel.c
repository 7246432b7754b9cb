/* Threads that wait for work. Whoever calls sk_parallel works too; idle threads join it, and all take grains from one
 * counter until none is left. Threads are made when they are first wanted, and stay, on the processors that were open
 * to who wanted them.
 *
 * Who waits, for work or for the last grain, lets others have the processor again and again, and sleeps when its
 * PATIENCE is at an end: short waits cost no waking up, and on a busy machine nobody burns what another could use. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static const double PATIENCE = 5e-4; /* seconds */

typedef struct job {
    const sk_task *task;
    atomic_int_fast64_t next; /* the first item that nobody has taken */
    atomic_bool stop;
    int wanted, joined; /* threads beside the caller's */
    atomic_int working; /* of those that joined */
    struct job *after;
} job;

static struct {
    pthread_mutex_t lock;      /* of all below */
    pthread_cond_t work, done; /* there is some; the last thread has left a job */
    job *jobs;
    int threads;
    atomic_int posted; /* jobs, ever: may be read without the lock */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static _Thread_local bool inside; /* a job: what it calls runs on its one thread */

/* ---- how many */

static int open_processors(void)
{
#ifdef CPU_COUNT /* those that the process may use */
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

/* Asked often; what control groups allow is read once. */
static int processors(void)
{
    static atomic_int allowed;
    int most = atomic_load(&allowed), here = open_processors();
    if (most == 0)
        atomic_store(&allowed, most = sk_quota("/proc/self/cgroup", "/sys/fs/cgroup"));
    return here < most ? here : most;
}

int sk_threads(int asked)
{
    int here = processors(), most = here < 2 ? 8 : 4 * here;
    const char *said = getenv("OMP_NUM_THREADS"); /* where batch systems and other libraries have agreed to say it */
    long wanted = asked > 0 || !said ? asked : strtol(said, NULL, 10);
    return wanted <= 0 ? here : wanted < most ? (int)wanted : most;
}

/* ---- work */

/* Workers draw grains from one counter. Only worker 0, the calling thread, talks to the ticker. */
static void work(job *j, int worker)
{
    const sk_task *task = j->task;
    while (!atomic_load(&j->stop)) {
        int64_t begin = atomic_fetch_add(&j->next, task->grain);
        if (begin >= task->count)
            return;
        int64_t end = begin + task->grain < task->count ? begin + task->grain : task->count;
        task->run(task->context, begin, end, worker);
        if (worker == 0 && task->ticker && sk_tick(task->ticker, (double)end / (double)task->count) &&
            end < task->count)
            atomic_store(&j->stop, true);
    }
}

/* Whether *value is soon another than it was. */
static bool changes_soon(atomic_int *value, int from)
{
    for (double start = sk_now(); sk_now() - start < PATIENCE; sched_yield())
        if (atomic_load(value) != from)
            return true;
    return false;
}

/* A job that has work for another; the lock is held. */
static job *find_job(void)
{
    for (job *j = pool.jobs; j; j = j->after)
        if (j->joined < j->wanted && atomic_load(&j->next) < j->task->count && !atomic_load(&j->stop))
            return j;
    return NULL;
}

static void *serve(void *nothing)
{
    (void)nothing;
    inside = true;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        job *j = find_job();
        if (j) {
            int worker = ++j->joined;
            atomic_fetch_add(&j->working, 1);
            pthread_mutex_unlock(&pool.lock);
            work(j, worker);
            pthread_mutex_lock(&pool.lock);
            if (atomic_fetch_sub(&j->working, 1) == 1)
                pthread_cond_broadcast(&pool.done);
            continue;
        }
        int posted = atomic_load(&pool.posted);
        pthread_mutex_unlock(&pool.lock);
        bool come = changes_soon(&pool.posted, posted);
        pthread_mutex_lock(&pool.lock);
        if (!come && atomic_load(&pool.posted) == posted)
            pthread_cond_wait(&pool.work, &pool.lock);
    }
    return NULL;
}

/* Of the parent's threads a child of fork has none. */
static void begin_again(void)
{
    pool.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool.work = pool.done = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.jobs = NULL;
    pool.threads = 0;
}

/* Before the first job: another thread may fork during it. */
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, begin_again);
}

/* Signals are for the user's own threads, but for those of a thread's own faults, which a handler may want to report. */
static void mask_signals(sigset_t *old)
{
    static const int FAULTS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++)
        sigdelset(&others, FAULTS[i]);
    pthread_sigmask(SIG_SETMASK, &others, old);
}

/* So many threads, or as many as can be made; the lock is held. */
static void make_threads(int wanted)
{
    sigset_t old;
    pthread_attr_t detached;
    pthread_t thread;
    if (pool.threads >= wanted)
        return;
    mask_signals(&old);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    while (pool.threads < wanted && pthread_create(&thread, &detached, serve, NULL) == 0)
        pool.threads++;
    pthread_attr_destroy(&detached);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void post(job *j)
{
    pthread_mutex_lock(&pool.lock);
    make_threads(j->wanted);
    j->after = pool.jobs;
    pool.jobs = j;
    atomic_fetch_add(&pool.posted, 1);
    for (int i = 0; i < j->wanted; i++)
        pthread_cond_signal(&pool.work);
    pthread_mutex_unlock(&pool.lock);
}

/* Nobody joins any more, and those who have are waited for. false: they are another's, for the ticker has forked, and
 * this is the child. */
static bool withdraw(job *j)
{
    job **at = &pool.jobs;
    pthread_mutex_lock(&pool.lock);
    while (*at && *at != j)
        at = &(*at)->after;
    bool found = *at != NULL;
    if (found)
        *at = j->after;
    pthread_mutex_unlock(&pool.lock);
    if (!found)
        return false;
    for (int left; (left = atomic_load(&j->working)) > 0 && changes_soon(&j->working, left);)
        ;
    pthread_mutex_lock(&pool.lock); /* the last one holds it until it has let go of the job */
    while (atomic_load(&j->working) > 0)
        pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    return true;
}

bool sk_parallel(const sk_task *task)
{
    job j = {.task = task};
    int64_t grains = (task->count + task->grain - 1) / task->grain;
    int threads = inside ? 1 : sk_threads(task->threads);
    j.wanted = (threads < grains ? threads : (int)grains) - 1;
    if (j.wanted < 1) {
        work(&j, 0);
        return j.next >= task->count;
    }
    int cancel; /* a cancelled caller would take the job away from those who work on it */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    post(&j);
    inside = true;
    work(&j, 0);
    inside = false;
    bool whole = withdraw(&j) && j.next >= task->count; /* whoever drew a grain finished it */
    pthread_setcancelstate(cancel, NULL);
    return whole;
}

/* ---- beside the caller */

struct sk_aside {
    void (*run)(void *context);
    void *context;
    pthread_t thread;
};

static void *run_aside(void *of)
{
    const sk_aside *a = of;
    a->run(a->context);
    return NULL;
}

sk_aside *sk_begin_aside(void (*run)(void *context), void *context)
{
    sk_aside *a = sk_alloc(1, sizeof *a);
    sigset_t old;
    bool begun = false;
    if (a) {
        *a = (sk_aside){.run = run, .context = context};
        mask_signals(&old);
        begun = pthread_create(&a->thread, NULL, run_aside, a) == 0;
        pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
    if (begun)
        return a;
    free(a);
    run(context);
    return NULL;
}

void sk_end_aside(sk_aside *a)
{
    if (a)
        pthread_join(a->thread, NULL);
    free(a);
}
