/* What an output is before it has its name: a file FINAL.tmp-PID-NUMBER, or a folder so called where other programs
 * make it. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The number after it where one is taken; -1 with errno. */
static int create(const char *final, char **name, int (*make)(const char *name))
{
    enum { TRIES = 100, SUFFIX = 300 }; /* the name of any file in its folder */
    size_t size = strlen(final) + SUFFIX;
    int fd = -1;
    if ((*name = malloc(size)))
        io_remove_stale(final, *name, size);
    errno = *name ? EEXIST : ENOMEM;
    for (int i = 0; *name && fd < 0 && errno == EEXIST && i < TRIES; i++) {
        snprintf(*name, size, "%s.tmp-%ld-%d", final, (long)getpid(), i);
        fd = make(*name);
    }
    if (fd >= 0)
        return fd;
    int reason = errno;
    free(*name); /* of what is not ours to remove */
    *name = NULL;
    errno = reason;
    return -1;
}

static int make_file(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 || io_hold(fd, name))
        return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

int io_temporary_create(const char *final, char **name)
{
    return create(final, name, make_file);
}

/* ---- folders, which are held by a file in them */

char *io_folder_lock(const char *folder)
{
    static const char NAME[] = "/lock";
    char *path = malloc(strlen(folder) + sizeof NAME);
    return path ? strcat(strcpy(path, folder), NAME) : NULL;
}

/* As long as it is empty, others take it for a dead one's. */
static int make_folder(const char *name)
{
    if (mkdir(name, 0700))
        return -1;
    char *path = io_folder_lock(name);
    int fd = path ? make_file(path) : -1, reason = path ? errno : ENOMEM;
    free(path);
    if (fd < 0)
        rmdir(name);
    errno = reason == ENOENT ? EEXIST : reason;
    return fd;
}

char *io_make_folder(const char *final, int *held)
{
    char *name;
    *held = create(final, &name, make_folder);
    return name;
}

void io_remove_folder(const char *folder, int held)
{
    io_empty_folder(folder);
    rmdir(folder);
    close(held);
}

/* ---- */

void io_dress_as(int fd, const char *old)
{
    struct stat file;
    if (stat(old, &file))
        return;
    if (fchown(fd, file.st_uid, file.st_gid) && fchown(fd, (uid_t)-1, file.st_gid))
        errno = 0;
    if (fchmod(fd, file.st_mode & 0777))
        errno = 0;
}

int io_why_no_longer(const char *path)
{
    enum { MORE = 1 << 16 };
    static const char ZEROS[4096];
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600), reason = 0;
    ssize_t got = 0;
    for (ssize_t more = 0; file >= 0 && more < MORE && !reason; more += got) {
        got = write(file, ZEROS, sizeof ZEROS);
        if (got <= 0)
            reason = got < 0 ? errno : ENOSPC;
    }
    if (file >= 0)
        close(file);
    return reason;
}
