/* Temporary files and folders of processes that were killed, FINAL.tmp-PID-NUMBER: the next output of the same name
 * removes them. A living process holds a lock on its own, for numbers of processes tell neither machines nor containers
 * apart; a lock of the kind that belongs to the open file, since HDF5 takes the other kind, flock, on what it writes.
 * Where a file system (NFS) takes both for one, nothing is held, and nothing removed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* F_OFD_SETLK */
#endif
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef F_OFD_SETLK
static bool set_lock(int fd, short type)
{
    struct flock all = {.l_type = type, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &all) == 0;
}
#else
static bool set_lock(int fd, short type)
{
    (void)fd;
    (void)type;
    return false;
}
#endif

/* Whether the other kind of lock can still be had of a file that is locked. */
static bool kinds_are_two(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool two = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return two;
}

static bool lock(int fd, const char *path)
{
    if (!set_lock(fd, F_WRLCK))
        return false;
    if (kinds_are_two(path))
        return true;
    set_lock(fd, F_UNLCK);
    return false;
}

static bool still_named(int fd, const char *path)
{
    struct stat open, named;
    return !fstat(fd, &open) && !lstat(path, &named) && open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/* Between its creation and its lock another process may take it for a dead one's. */
bool io_hold(int fd, const char *path)
{
    lock(fd, path);
    errno = 0;
    if (still_named(fd, path))
        return true;
    int reason = errno && errno != ENOENT ? errno : EEXIST;
    if (reason != EEXIST) /* nobody took it: it cannot be looked at */
        unlink(path);
    errno = reason;
    return false;
}

/* Whether the name is BASE.tmp-DIGITS-DIGITS. */
static bool is_temporary_of(const char *name, const char *base)
{
    size_t length = strlen(base);
    int end = 0;
    if (strncmp(name, base, length))
        return false;
    sscanf(name + length, ".tmp-%*[0-9]-%*[0-9]%n", &end);
    return end && !name[length + (size_t)end];
}

void io_empty_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        folder = opendir(path); /* once more: what hindered it may have passed */
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

/* Its own, where nobody else has it: a descriptor that holds it; -1. */
static int take(const char *path)
{
    struct stat file;
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || (!fstat(fd, &file) && S_ISREG(file.st_mode) && lock(fd, path) && still_named(fd, path)))
        return fd;
    close(fd);
    return -1;
}

/* One without a file that holds it is only then nobody's when it is empty. */
static void remove_folder_if_dead(const char *path)
{
    char *name = io_folder_lock(path);
    int fd = name ? take(name) : -1;
    if (fd >= 0)
        io_remove_folder(path, fd);
    else
        rmdir(path);
    free(name);
}

static void remove_if_dead(const char *path)
{
    struct stat about;
    if (!lstat(path, &about) && S_ISDIR(about.st_mode)) {
        remove_folder_if_dead(path);
        return;
    }
    int fd = take(path);
    if (fd < 0)
        return;
    unlink(path);
    close(fd);
}

void io_remove_stale(const char *final, char *path, size_t room)
{
    const char *slash = strrchr(final, '/'), *base = slash ? slash + 1 : final;
    size_t before = (size_t)(base - final);
    snprintf(path, room, "%.*s", (int)before, final);
    DIR *folder = opendir(before ? path : ".");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (is_temporary_of(entry->d_name, base)) {
            snprintf(path + before, room - before, "%s", entry->d_name);
            remove_if_dead(path);
        }
    if (folder)
        closedir(folder);
}
