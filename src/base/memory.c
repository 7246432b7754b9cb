#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static bool too_large(int64_t count, size_t size)
{
    return count < 0 || (uint64_t)count > (uint64_t)PTRDIFF_MAX / size;
}

void *sk_alloc(int64_t count, size_t size)
{
    return too_large(count, size) ? NULL : malloc(count ? (size_t)count * size : 1);
}

void *sk_zeroed(int64_t count, size_t size)
{
    return too_large(count, size) ? NULL : calloc(count ? (size_t)count : 1, size);
}

double *sk_doubles(int64_t count)
{
    return sk_alloc(count, sizeof(double));
}

void *sk_aligned(int64_t count, size_t size)
{
    enum { LINE = 64 };
    if (too_large(count, size) || (uint64_t)count > (uint64_t)(PTRDIFF_MAX - LINE) / size)
        return NULL;
    return aligned_alloc(LINE, ((size_t)count * size + LINE) / LINE * LINE); /* never of no bytes */
}

void *sk_copy(const void *from, int64_t count, size_t size)
{
    void *to = sk_alloc(count, size);
    if (to && count)
        memcpy(to, from, (size_t)count * size);
    return to;
}

char *sk_text(const char *text)
{
    return sk_copy(text, (int64_t)strlen(text) + 1, 1);
}
