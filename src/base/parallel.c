#include "base/base.h"

#include <stdatomic.h>
#ifdef _OPENMP
#include <omp.h>
#endif

int sk_threads(int asked)
{
#ifdef _OPENMP
    int most = 4 * omp_get_num_procs(); /* where threads cannot be made, OpenMP ends the process */
    most = most < 8 ? 8 : most;
    return asked <= 0 ? omp_get_max_threads() : asked < most ? asked : most;
#else
    (void)asked;
    return 1;
#endif
}

/* Workers draw grains from one counter. Only worker 0, the calling thread, talks to the ticker. */
static void work(const sk_task *task, atomic_int_fast64_t *next, atomic_bool *stop, int worker)
{
    while (!atomic_load(stop)) {
        int64_t begin = atomic_fetch_add(next, task->grain);
        if (begin >= task->count)
            return;
        int64_t end = begin + task->grain < task->count ? begin + task->grain : task->count;
        task->run(task->context, begin, end, worker);
        if (worker == 0 && task->ticker && sk_tick(task->ticker, (double)end / (double)task->count) &&
            end < task->count)
            atomic_store(stop, true);
    }
}

bool sk_parallel(const sk_task *task)
{
    atomic_int_fast64_t next = 0;
    atomic_bool stop = false;
    int64_t grains = (task->count + task->grain - 1) / task->grain;
    int threads = sk_threads(task->threads);
    threads = threads < grains ? threads : (int)grains;
    if (threads <= 1) {
        work(task, &next, &stop, 0);
        return next >= task->count;
    }
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
    work(task, &next, &stop, omp_get_thread_num());
#endif
    return next >= task->count; /* whoever drew a grain finished it */
}
