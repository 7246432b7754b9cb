/* link: -Wl,--wrap=pthread_mutex_lock,--wrap=pthread_mutex_unlock */
/* Threads, whoever calls and however often, in children of fork as well; and the ticker, which reports and stops. */
#define _GNU_SOURCE /* nftw */
#include "support.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- locks, of which each thread has those alone that it took */

int __real_pthread_mutex_lock(pthread_mutex_t *lock);
int __real_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);

static _Thread_local int locks_held;
static atomic_int locks_taken, locks_of_others; /* ever, and those let go of by who had none */

int __wrap_pthread_mutex_lock(pthread_mutex_t *lock)
{
    int status = __real_pthread_mutex_lock(lock);
    locks_held++;
    atomic_fetch_add(&locks_taken, 1);
    return status;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
    if (locks_held == 0) {
        atomic_fetch_add(&locks_of_others, 1);
        return EPERM;
    }
    locks_held--;
    return __real_pthread_mutex_unlock(lock);
}

/* ---- threads */

typedef struct tally {
    atomic_int *times;   /* [count] */
    atomic_int wrong;    /* calls with an impossible range or worker */
    atomic_int busy[64]; /* a worker's number is in use */
    int64_t count, grain;
    int threads;
} tally;

static void count_items(void *context, int64_t begin, int64_t end, int worker)
{
    tally *t = context;
    bool proper = worker >= 0 && worker < t->threads && begin >= 0 && begin < end && end <= t->count &&
                  end - begin <= t->grain;
    if (!proper || atomic_exchange(&t->busy[worker], 1)) {
        atomic_fetch_add(&t->wrong, 1);
        return;
    }
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_add(&t->times[i], 1);
    atomic_store(&t->busy[worker], 0);
}

static void parallel_covers_each_item_once(void **state)
{
    (void)state;
    const int64_t counts[] = {0, 1, 2, 15, 16, 17, 100, 1001}, grains[] = {1, 2, 16, 64, 5000};
    const int threads[] = {1, 2, 3, 7, 16};
    for (int c = 0; c < 8; c++)
        for (int g = 0; g < 5; g++)
            for (int w = 0; w < 5; w++) {
                tally t = {.times = sk_zeroed(counts[c], sizeof(atomic_int)),
                           .count = counts[c],
                           .grain = grains[g],
                           .threads = threads[w]};
                assert_true(sk_parallel(&(sk_task){
                    .count = counts[c], .grain = grains[g], .threads = threads[w], .run = count_items, .context = &t}));
                assert_int_equal(t.wrong, 0);
                for (int64_t i = 0; i < counts[c]; i++)
                    assert_int_equal(t.times[i], 1);
                free(t.times);
            }
}

/* Takes long enough for an idle thread to come, if it may. */
static void count_slowly(void *context, int64_t begin, int64_t end, int worker)
{
    usleep(300);
    count_items(context, begin, end, worker);
}

typedef struct meeting {
    int people;
    atomic_int here, left;
} meeting;

/* An item waits until all are there, each on a thread of its own; the caller's leaves first. */
static void meet(void *context, int64_t begin, int64_t end, int worker)
{
    meeting *m = context;
    (void)begin;
    (void)end;
    atomic_fetch_add(&m->here, 1);
    for (double start = sk_now(); m->here < m->people && sk_now() - start < 20;)
        usleep(100);
    if (worker > 0)
        usleep(3000);
    atomic_fetch_add(&m->left, m->here >= m->people);
}

static bool all_meet(int people)
{
    meeting m = {.people = people};
    return sk_parallel(&(sk_task){.count = people, .grain = 1, .threads = people, .run = meet, .context = &m}) &&
           m.left == people;
}

/* From their first moment, at once after a job, and out of their sleep; the caller goes when the last has left. */
static void as_many_threads_as_asked_work(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        usleep(i % 2 ? 3000 : 0);
        assert_true(all_meet(2 + i % 4));
    }
}

static void no_more_threads_than_asked_work(void **state)
{
    (void)state;
    atomic_int times[40] = {0};
    tally t = {.times = times, .count = 40, .grain = 1, .threads = 2};
    assert_true(all_meet(5)); /* so many there are */
    assert_true(sk_parallel(&(sk_task){.count = 40, .grain = 1, .threads = 2, .run = count_slowly, .context = &t}));
    assert_int_equal(t.wrong, 0);
}

/* Whether all of many small jobs were done as they should. */
static bool many_jobs(void)
{
    enum { JOBS = 300, COUNT = 23 };
    bool right = true;
    for (int j = 0; j < JOBS; j++) {
        atomic_int times[COUNT] = {0};
        tally t = {.times = times, .count = COUNT, .grain = 2, .threads = 3};
        right &= sk_parallel(&(sk_task){.count = COUNT, .grain = 2, .threads = 3, .run = count_items, .context = &t});
        for (int i = 0; i < COUNT; i++)
            right &= times[i] == 1;
        right &= t.wrong == 0;
    }
    return right;
}

static void *call_often(void *context)
{
    *(bool *)context = many_jobs();
    return NULL;
}

static void many_may_call_at_once(void **state)
{
    (void)state;
    enum { CALLERS = 4 };
    pthread_t caller[CALLERS];
    bool right[CALLERS] = {0};
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&caller[i], NULL, call_often, &right[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(caller[i], NULL);
        assert_true(right[i]);
    }
}

static void each_thread_lets_go_of_its_own_locks(void **state)
{
    (void)state;
    assert_true(many_jobs());
    assert_true(locks_taken > 300 && locks_of_others == 0 && locks_held == 0);
}

/* Each item of the outer job is a job of its own, on the thread that has it. */
static void inner_job(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        atomic_int times[9] = {0};
        tally t = {.times = times, .count = 9, .grain = 1, .threads = 1};
        bool right = sk_parallel(&(sk_task){.count = 9, .grain = 1, .threads = 3, .run = count_slowly, .context = &t});
        atomic_fetch_add((atomic_int *)context, right && t.wrong == 0 && times[8] == 1);
    }
}

static void jobs_within_jobs_have_one_thread(void **state)
{
    (void)state;
    atomic_int right = 0;
    assert_true(all_meet(5)); /* there are threads for more */
    assert_true(sk_parallel(&(sk_task){.count = 2, .grain = 1, .threads = 2, .run = inner_job, .context = &right}));
    assert_int_equal(right, 2);
}

/* qemu 7.2 ends where a child of several threads makes one. */
static void skip_in_emulator(void)
{
    if (getenv("EMULATED")) {
        puts("skipped: threads in a child of fork, in an emulator");
        skip();
    }
}

/* The parent's threads are not in the child, which makes its own. */
static void a_child_has_threads_of_its_own(void **state)
{
    (void)state;
    skip_in_emulator();
    int status = 0;
    assert_true(many_jobs());
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(!many_jobs() || !all_meet(3));
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(many_jobs());
}

/* Forks once; whose answer it is, is in the context. */
static int fork_once(void *context, const surekrig_progress_report *report)
{
    pid_t *child = context;
    (void)report;
    if (*child < 0)
        *child = fork();
    return 0;
}

/* A child that was forked by the callback comes back into a call whose threads it does not have: a stop, not a wait for
 * ever. */
static void a_child_of_the_callback_is_stopped(void **state)
{
    (void)state;
    skip_in_emulator();
    pid_t child = -1;
    int status = 0;
    atomic_int times[400] = {0};
    tally t = {.times = times, .count = 400, .grain = 1, .threads = 3};
    surekrig_progress progress = {fork_once, &child};
    sk_ticker ticker;
    sk_ticker_start(&ticker, &progress, "training");
    bool whole = sk_parallel(
        &(sk_task){.count = 400, .grain = 1, .threads = 3, .run = count_items, .context = &t, .ticker = &ticker});
    if (child == 0) {
        alarm(60);
        _exit(whole || !many_jobs());
    }
    assert_true(whole && child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

typedef struct listener {
    int calls, stop_at; /* answers 1 at this call; 0: never */
    double done[64];
    const char *phase;
} listener;

static int hear(void *user, const surekrig_progress_report *report)
{
    listener *l = user;
    if (l->calls < 64)
        l->done[l->calls] = report->done;
    l->phase = report->phase;
    return ++l->calls == l->stop_at;
}

/* The first tick always reports, so a listener that answers 1 at once stops the caller after its first grain. */
static void parallel_stops_on_request(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 7};
    for (int w = 0; w < 3; w++) {
        enum { COUNT = 100000 };
        tally t = {.times = sk_zeroed(COUNT, sizeof(atomic_int)), .count = COUNT, .grain = 1, .threads = threads[w]};
        listener l = {.stop_at = 1};
        surekrig_progress progress = {hear, &l};
        sk_ticker ticker;
        sk_ticker_start(&ticker, &progress, "prediction");
        bool whole = sk_parallel(&(sk_task){
            .count = COUNT, .grain = 1, .threads = threads[w], .run = count_items, .context = &t, .ticker = &ticker});
        int done = 0;
        for (int i = 0; i < COUNT; i++) {
            assert_true(t.times[i] <= 1);
            done += t.times[i];
        }
        assert_int_equal(t.wrong, 0);
        assert_true(whole ? done == COUNT : ticker.stopped && l.calls == 1); /* whole: the caller found no grain left */
        if (threads[w] == 1)
            assert_true(!whole && done == 1 && l.done[0] == 1.0 / COUNT);
        free(t.times);
    }
}

/* A wish to stop that comes with the last item is too late: everything is done. */
static void a_stop_at_the_end_changes_nothing(void **state)
{
    (void)state;
    tally t = {.times = sk_zeroed(10, sizeof(atomic_int)), .count = 10, .grain = 10, .threads = 1};
    listener l = {.stop_at = 1};
    surekrig_progress progress = {hear, &l};
    sk_ticker ticker;
    sk_ticker_start(&ticker, &progress, "prediction");
    assert_true(sk_parallel(
        &(sk_task){.count = 10, .grain = 10, .threads = 1, .run = count_items, .context = &t, .ticker = &ticker}));
    assert_int_equal(l.calls, 1);
    assert_true(l.done[0] == 1);
    free(t.times);
}

static void threads_as_asked(void **state)
{
    (void)state;
    assert_true(sk_threads(0) >= 1);
    assert_int_equal(sk_threads(5), 5);
    assert_true(sk_threads(1000000) < 100000);
    const char *said = getenv("OMP_NUM_THREADS");
    char *before = said ? strdup(said) : NULL;
    static const struct {
        const char *said;
        int least, most;
    } CASES[] = {{"3", 3, 3},        {"1", 1, 1},    {"-9", 1, 99999},
                 {"many", 1, 99999}, {"", 1, 99999}, {"99999999999999999999", 1, 99999}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        setenv("OMP_NUM_THREADS", CASES[i].said, 1);
        assert_in_range(sk_threads(0), CASES[i].least, CASES[i].most);
        assert_int_equal(sk_threads(2), 2); /* what is asked counts for more */
    }
    if (before)
        setenv("OMP_NUM_THREADS", before, 1);
    else
        unsetenv("OMP_NUM_THREADS");
    free(before);
}

/* ---- what control groups allow */

static char groups[] = "/tmp/surekrig-groups-XXXXXX";

static int make_groups(void **state)
{
    (void)state;
    return mkdtemp(groups) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static int remove_groups(void **state)
{
    (void)state;
    return nftw(groups, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A file, and the folders on the way. */
static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", groups, name);
    for (char *cut = path + sizeof groups; (cut = strchr(cut, '/')); *cut++ = '/') {
        *cut = 0;
        mkdir(path, 0755);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static int quota(const char *line)
{
    char list[64];
    put("list", line);
    snprintf(list, sizeof list, "%s/list", groups);
    return sk_quota(list, groups);
}

static void threads_are_as_many_as_control_groups_allow(void **state)
{
    (void)state;
    assert_int_equal(sk_quota("/nowhere/cgroup", "/nowhere"), INT_MAX);
    assert_int_equal(quota(""), INT_MAX);
    assert_int_equal(quota("no colons\n\n:\n"), INT_MAX);
    assert_int_equal(quota("0::/\n"), INT_MAX); /* says nothing */
    put("cpu.max", "max 100000\n");
    put("a/cpu.max", "350000 100000\n");
    put("a/b/cpu.max", "800000 100000\n");
    put("a/b/c/cpu.max", "max 100000\n");
    put("little/cpu.max", "1000 100000\n");
    assert_int_equal(quota("0::/\n"), INT_MAX);
    assert_int_equal(quota("0::/a\n"), 4);     /* three and a half */
    assert_int_equal(quota("0::/a/b/c\n"), 4); /* an outer group's */
    assert_int_equal(quota("0::/little"), 1);
    assert_int_equal(quota("0::/host/path/unseen\n"), INT_MAX);
    put("cpu/cpu.cfs_quota_us", "200000\n");
    put("cpu/cpu.cfs_period_us", "100000\n");
    put("cpu/free/cpu.cfs_quota_us", "-1\n");
    put("cpu/free/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota("4:memory:/a\n3:cpu,cpuacct:/docker/unseen\n0::/\n"), 2);
    assert_int_equal(quota("1:cpu:/free\n"), 2);
    assert_int_equal(quota("1:cpu:/\n0::/little\n"), 1); /* the least of all */
    assert_int_equal(quota("1:cpuset:/little\n"), INT_MAX);
    static const char *const ODD[] = {"0 0\n", "0 100000\n", "100000 0\n", "100000\n", ""};
    for (int i = 0; i < 5; i++) {
        put("odd/cpu.max", ODD[i]);
        assert_int_equal(quota("0::/odd\n"), INT_MAX);
    }
}

/* ---- ticker */

/* However the machine stalls: at most one report a tenth of a second after the first, and one when that has passed. */
static void the_ticker_reports_ten_times_a_second(void **state)
{
    (void)state;
    listener l = {0};
    surekrig_progress progress = {hear, &l};
    sk_ticker ticker;
    sk_ticker_start(&ticker, &progress, "training");
    double start = sk_now();
    assert_false(sk_tick(&ticker, 0.25));
    assert_int_equal(l.calls, 1);
    assert_true(l.done[0] == 0.25);
    assert_string_equal(l.phase, "training");
    while (sk_now() - start < 0.35)
        assert_false(sk_tick(&ticker, 0.5));
    assert_false(sk_tick(&ticker, 0.75));
    double elapsed = sk_now() - start;
    assert_true(l.calls >= 2 && l.calls <= 1 + floor(elapsed / 0.1));
}

static void the_ticker_reports_the_end_at_once(void **state)
{
    (void)state;
    listener l = {0};
    surekrig_progress progress = {hear, &l};
    sk_ticker ticker;
    sk_ticker_start(&ticker, &progress, "training");
    assert_true(isnan(ticker.report.objective) && isnan(ticker.report.coverage) && ticker.report.evaluations == 0);
    ticker.from = 0.5;
    ticker.span = 0.5;
    sk_tick(&ticker, 0.5);
    sk_tick(&ticker, 1);
    assert_int_equal(l.calls, 2);
    assert_true(l.done[0] == 0.75 && l.done[1] == 1);
    ticker.last = INFINITY; /* no report by the clock */
    sk_tick(&ticker, 1);
    assert_int_equal(l.calls, 2); /* the end is reported once */
}

static void a_part_reports_its_share_of_the_whole(void **state)
{
    (void)state;
    listener l = {.stop_at = 2};
    surekrig_progress progress = {hear, &l};
    sk_part part = {.whole = &progress, .from = 0.25, .span = 0.5}, of_nothing = {.whole = NULL};
    const surekrig_progress *own = sk_part_of(&part);
    surekrig_progress_report report = {.phase = "training", .done = 0.5};
    assert_int_equal(own->report(own->user, &report), 0);
    report.done = 1;
    assert_int_not_equal(own->report(own->user, &report), 0); /* a stop is passed on */
    assert_true(l.calls == 2 && l.done[0] == 0.5 && l.done[1] == 0.75);
    assert_null(sk_part_of(&of_nothing));
}

static void the_ticker_remembers_a_stop(void **state)
{
    (void)state;
    listener l = {.stop_at = 1};
    surekrig_progress progress = {hear, &l};
    sk_ticker ticker;
    sk_ticker_start(&ticker, &progress, "training");
    for (int i = 0; i < 3; i++)
        assert_true(sk_tick(&ticker, 1));
    assert_int_equal(l.calls, 1);
}

static void nobody_listens(void **state)
{
    (void)state;
    surekrig_progress deaf = {0};
    sk_ticker ticker;
    assert_false(sk_tick(NULL, 1));
    sk_ticker_start(&ticker, NULL, "training");
    assert_false(sk_tick(&ticker, 1));
    sk_ticker_start(&ticker, &deaf, "training");
    assert_false(sk_tick(&ticker, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_covers_each_item_once),
        cmocka_unit_test(as_many_threads_as_asked_work),
        cmocka_unit_test(no_more_threads_than_asked_work),
        cmocka_unit_test(many_may_call_at_once),
        cmocka_unit_test(each_thread_lets_go_of_its_own_locks),
        cmocka_unit_test(jobs_within_jobs_have_one_thread),
        cmocka_unit_test(a_child_has_threads_of_its_own),
        cmocka_unit_test(a_child_of_the_callback_is_stopped),
        cmocka_unit_test(parallel_stops_on_request),
        cmocka_unit_test(a_stop_at_the_end_changes_nothing),
        cmocka_unit_test(threads_as_asked),
        cmocka_unit_test_setup_teardown(threads_are_as_many_as_control_groups_allow, make_groups, remove_groups),
        cmocka_unit_test(the_ticker_reports_ten_times_a_second),
        cmocka_unit_test(the_ticker_reports_the_end_at_once),
        cmocka_unit_test(a_part_reports_its_share_of_the_whole),
        cmocka_unit_test(the_ticker_remembers_a_stop),
        cmocka_unit_test(nobody_listens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
