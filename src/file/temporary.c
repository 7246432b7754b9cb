/* The file that a save writes first, PLACE.tmp-PID-NUMBER. Process numbers may be shared (threads; containers on one
 * volume), so that it is the creation that makes it ours, and a lock, held until it has its place, that says somebody
 * still writes it: what nobody holds was left by a process that died. */
#include "file/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { TRIES = 1000, NAME = 256 };

bool sk_still_named(int descriptor, const char *path)
{
    struct stat open, named;
    return !fstat(descriptor, &open) && !lstat(path, &named) && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
}

/* Between the creation and the lock another save may take it for a dead one's. */
int sk_create_held(const char *path)
{
    int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return -1;
    while (flock(descriptor, LOCK_EX) && errno == EINTR) {
    } /* a file system without locks has no sweeping either */
    errno = 0;
    if (sk_still_named(descriptor, path))
        return descriptor;
    int reason = errno && errno != ENOENT ? errno : EEXIST;
    if (reason != EEXIST) /* nobody took it: it cannot be looked at */
        unlink(path);
    close(descriptor);
    errno = reason;
    return -1;
}

/* The old file's owner and permissions, as far as we may; a file system without them matters less than the model. */
static void dress_as(int descriptor, const struct stat *old)
{
    if (fchown(descriptor, old->st_uid, old->st_gid) && fchown(descriptor, (uid_t)-1, old->st_gid))
        errno = 0;
    if (fchmod(descriptor, old->st_mode & 07777))
        errno = 0;
}

/* Whether the name is BASE.tmp-DIGITS-DIGITS. */
static bool is_temporary_of(const char *name, const char *base)
{
    static const char DIGITS[] = "0123456789", MIDDLE[] = ".tmp-";
    size_t length = strlen(base), digits;
    if (strncmp(name, base, length) || strncmp(name + length, MIDDLE, strlen(MIDDLE)))
        return false;
    name += length + strlen(MIDDLE);
    digits = strspn(name, DIGITS);
    if (!digits || name[digits] != '-')
        return false;
    name += digits + 1;
    return *name && !name[strspn(name, DIGITS)];
}

void sk_remove_unless_held(const char *path, bool without_locks)
{
    struct stat about;
    int descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); /* NFS locks what may be written */
    if (descriptor < 0 && errno == EACCES) /* but whoever may write to the folder may take away what is there */
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return;
    bool ours = !flock(descriptor, LOCK_EX | LOCK_NB) || (without_locks && errno != EWOULDBLOCK);
    if (ours && !fstat(descriptor, &about) && S_ISREG(about.st_mode) && sk_still_named(descriptor, path))
        unlink(path);
    close(descriptor);
}

/* path: place, with room for another name in its folder. */
static void sweep(const char *place, char *path, size_t room)
{
    const char *slash = strrchr(place, '/'), *base = slash ? slash + 1 : place;
    size_t before = (size_t)(base - place);
    snprintf(path, room, "%.*s", (int)before, place);
    DIR *folder = opendir(before ? path : ".");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (is_temporary_of(entry->d_name, base)) {
            snprintf(path + before, room - before, "%s", entry->d_name);
            sk_remove_unless_held(path, false);
        }
    if (folder)
        closedir(folder);
}

int sk_temporary_create(const char *place, const struct stat *old, char **path)
{
    size_t room = strlen(place) + NAME + 1;
    char *name = sk_alloc((int64_t)room, 1);
    int descriptor = -1;
    if (name)
        sweep(place, name, room);
    errno = name ? EEXIST : ENOMEM;
    for (int i = 0; name && descriptor < 0 && errno == EEXIST && i < TRIES; i++) {
        snprintf(name, room, "%s.tmp-%ld-%d", place, (long)getpid(), i);
        descriptor = sk_create_held(name);
    }
    if (descriptor >= 0 && old)
        dress_as(descriptor, old);
    int why = errno;
    if (descriptor >= 0)
        *path = name;
    else
        free(name);
    errno = why;
    return descriptor;
}
