/* Memory that runs out at the N-th allocation, for every N until the work succeeds. A program that uses it is linked
 * with
 * --wrap of the allocating functions, as the first line of test_faults.c says. */
#ifndef FAULT_SUPPORT_H
#define FAULT_SUPPORT_H

#include "fit_support.h"

/* ---- allocations that fail on demand, and a set of those that live */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *old);
char *__wrap_strdup(const char *text);

enum { SLOTS = 1 << 14 };

static struct {
    bool armed, failed;
    int64_t left;      /* allocations still granted */
    int64_t live;      /* made while armed, and not freed */
    void *slot[SLOTS]; /* their addresses; a hole is (void *)1 */
} memory;

static size_t slot_of(const void *pointer)
{
    return ((uintptr_t)pointer >> 4) * 0x9e3779b97f4a7c15u >> 50; /* 14 bits */
}

static void *granted(void *pointer)
{
    if (!pointer || !memory.armed)
        return pointer;
    size_t at = slot_of(pointer);
    while (memory.slot[at] && memory.slot[at] != (void *)1)
        at = (at + 1) % SLOTS;
    memory.slot[at] = pointer;
    memory.live++;
    return pointer;
}

static void forget(const void *pointer)
{
    for (size_t at = slot_of(pointer); pointer && memory.slot[at]; at = (at + 1) % SLOTS)
        if (memory.slot[at] == pointer) {
            memory.slot[at] = (void *)1;
            memory.live--;
            return;
        }
}

static bool refuse(void)
{
    if (!memory.armed || memory.left-- > 0)
        return false;
    memory.failed |= memory.left == -1;
    return memory.left == -1; /* one refusal; what comes after is granted */
}

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : granted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse() ? NULL : granted(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return refuse() ? NULL : granted(__real_aligned_alloc(alignment, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (refuse())
        return NULL;
    forget(old);
    return granted(__real_realloc(old, size));
}

void __wrap_free(void *old)
{
    forget(old);
    __real_free(old);
}

char *__wrap_strdup(const char *text)
{
    char *copy = __wrap_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

static void arm(int64_t allocations)
{
    memset(&memory, 0, sizeof memory);
    memory.left = allocations;
    memory.armed = true;
}

/* ---- the regime */

typedef surekrig_status (*work)(surekrig_error *error);

/* Every allocation of the work fails in turn: so many one by one, then every seventh, then every 61st. The work frees
 * what it made and checks what it was to leave alone. Returns how many allocations there are. */
static int64_t fail_first(const char *name, work run, int64_t first)
{
    for (int64_t n = 0;; n += n < first ? 1 : n < 1000 ? 7 : 61) {
        surekrig_error error = {0};
        arm(n);
        surekrig_status status = run(&error);
        memory.armed = false;
        if (memory.live)
            fail_msg("%s, allocation %lld refused: %lld pieces of memory are lost", name, (long long)n,
                     (long long)memory.live);
        if (!memory.failed) {
            succeed(status, &error);
            assert_true(n > 0);
            return n;
        }
        if (status != SUREKRIG_MEMORY)
            fail_msg("%s, allocation %lld refused: status %d, '%s'", name, (long long)n, (int)status, error.sentence);
        assert_int_equal(error.status, SUREKRIG_MEMORY);
        mentions(&error, "memory");
    }
}

static int64_t fail_each(const char *name, work run)
{
    return fail_first(name, run, 300);
}

#endif
