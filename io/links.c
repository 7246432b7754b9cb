/* Where outputs go: behind links, of which the last may name a file that is not there yet. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS = 40, ROOM = 4096 }; /* as many as the system follows, and their longest text */

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* What a link names, as seen from here; NULL with errno, EINVAL where it is no link. */
static char *follow(const char *link)
{
    char text[ROOM];
    ssize_t length = readlink(link, text, sizeof text - 1);
    if (length < 0)
        return NULL;
    text[length] = 0;
    size_t before = *text == '/' ? 0 : folder_length(link), size = before + (size_t)length + 1;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%.*s%s", (int)before, link, text);
    return path;
}

char *io_place(const char *path)
{
    char *place = strdup(path), *next = NULL;
    int links = 0;
    for (; place && links < LINKS && (next = follow(place)); links++) {
        free(place);
        place = next;
    }
    if (place && links < LINKS && (errno == EINVAL || errno == ENOENT || errno == ENOTDIR))
        return place;
    int reason = links < LINKS ? errno : ELOOP; /* what cannot be looked at might be a link */
    free(place);
    errno = reason;
    return NULL;
}

static bool look_at_folder(const char *path, struct stat *folder)
{
    char name[ROOM];
    size_t length = folder_length(path);
    snprintf(name, sizeof name, "%.*s", length ? (int)length : 1, length ? path : ".");
    return !stat(name, folder);
}

static bool same_folder(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return look_at_folder(a, &of_a) && look_at_folder(b, &of_b) && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

bool io_one_place(const char *a, const char *b)
{
    if (!strcmp(a, b) || io_same_file(a, b))
        return true;
    char *of_a = io_place(a), *of_b = io_place(b);
    bool one = of_a && of_b && !strcmp(of_a + folder_length(of_a), of_b + folder_length(of_b)) &&
               same_folder(of_a, of_b);
    free(of_a);
    free(of_b);
    return one;
}
