/* The bytes of an output. They go to a temporary file beside the target, which takes the target's name only when all
 * of them are on the disk; pipes, terminals and devices are written directly. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static surekrig_status fail_write(const io_target *target, int reason, surekrig_error *error)
{
    return io_fail(error, reason == ENOMEM ? SUREKRIG_MEMORY : SUREKRIG_FILE, "cannot write %s: %s",
                   io_label(target->path), strerror(reason));
}

/* --------------------------------------------------------------------------------------------- what is not whole yet */

enum { MOST = 32 };
static const char *volatile unfinished[MOST]; /* names of files, most of them temporary; NULL: free */

static void note(const char *old, const char *name)
{
    for (int i = 0; i < MOST; i++)
        if (unfinished[i] == old) {
            unfinished[i] = name;
            return;
        }
}

void io_unlink_unfinished(void)
{
    for (int i = 0; i < MOST; i++)
        if (unfinished[i])
            unlink(unfinished[i]);
}

void io_note_unfinished(const char *path)
{
    note(NULL, path);
}

void io_forget_unfinished(const char *path)
{
    note(path, NULL);
}

static void forget_temporary(io_target *target)
{
    if (target->temporary)
        io_forget_unfinished(target->temporary);
    free(target->temporary);
    target->temporary = NULL;
}

/* ------------------------------------------------------------------------------------------------------- opening */

/* old: there is a file now. */
static int open_for_replacement(io_target *target, const char *path, bool old)
{
    if (old && access(path, W_OK) != 0)
        return -1; /* a rename would get around the protection of the old file */
    errno = ENOMEM;
    target->final = old ? realpath(path, NULL) : io_place(path); /* a link stays, its file is replaced or made */
    int fd = target->final ? io_temporary_create(target->final, &target->temporary) : -1;
    if (fd >= 0)
        io_note_unfinished(target->temporary);
    if (fd >= 0 && old)
        io_dress_as(fd, target->final);
    return fd;
}

static int open_target(io_target *target, const char *path)
{
    struct stat file;
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return dup(STDOUT_FILENO); /* a copy, so that closing it can report what writing did not */
    bool there = stat(path, &file) == 0;
    if (there && !S_ISREG(file.st_mode))
        return open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    bool none = !there && (errno == ENOENT || errno == ENOTDIR); /* else it might be there, and whole */
    return there || none ? open_for_replacement(target, path, there) : -1;
}

static surekrig_status make_room(io_target *target, const char *path, surekrig_error *error)
{
    *target = (io_target){.fd = -1};
    target->path = strdup(strcmp(path, "-") == 0 ? "standard output" : path);
    target->buffer = malloc(IO_BUFFER);
    return target->path && target->buffer ? SUREKRIG_OK : io_fail_memory(error, path);
}

surekrig_status io_target_open(io_target *target, const char *path, surekrig_error *error)
{
    surekrig_status status = make_room(target, path, error);
    if (status)
        return status;
    target->fd = open_target(target, path);
    if (target->fd >= 0)
        return SUREKRIG_OK;
    return fail_write(target, errno, error);
}

void io_target_close(io_target *target)
{
    if (target->fd >= 0)
        close(target->fd);
    if (target->temporary)
        unlink(target->temporary);
    forget_temporary(target);
    free(target->final);
    free(target->buffer);
    free(target->path);
}

/* ------------------------------------------------------------------------------------------------------- writing */

static int flush(io_target *target)
{
    size_t written = 0;
    while (!target->failure && written < target->used) {
        ssize_t count = write(target->fd, target->buffer + written, target->used - written);
        if (count < 0) /* EINTR too, as in source.c */
            target->failure = errno;
        written += count > 0 ? (size_t)count : 0;
    }
    target->used = 0;
    return target->failure;
}

surekrig_status io_target_reserve(io_target *target, size_t bytes, surekrig_error *error)
{
    if (IO_BUFFER - target->used < bytes && flush(target))
        return fail_write(target, target->failure, error);
    return SUREKRIG_OK;
}

surekrig_status io_target_append(io_target *target, const void *bytes, size_t count, surekrig_error *error)
{
    const char *from = bytes;
    while (count > 0) {
        if (target->used == IO_BUFFER && flush(target))
            return fail_write(target, target->failure, error);
        size_t piece = IO_BUFFER - target->used < count ? IO_BUFFER - target->used : count;
        memcpy(target->buffer + target->used, from, piece);
        target->used += piece;
        from += piece;
        count -= piece;
    }
    return SUREKRIG_OK;
}

surekrig_status io_target_rewrite(io_target *target, const void *bytes, size_t count, surekrig_error *error)
{
    ssize_t written = flush(target) ? 0 : pwrite(target->fd, bytes, count, 0);
    if (!target->failure && written != (ssize_t)count)
        target->failure = written < 0 ? errno : ENOSPC; /* a short write sets no errno */
    return target->failure ? fail_write(target, target->failure, error) : SUREKRIG_OK;
}

/* A folder that cannot be opened, or a file system that does not know this, keeps names as it does. */
int io_sync_folder_of(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = 0;
    int folder = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int reason = folder >= 0 && fsync(folder) && errno != EINVAL && errno != EROFS ? errno : 0;
    if (folder >= 0)
        close(folder);
    return reason;
}

surekrig_status io_target_commit(io_target *target, surekrig_error *error)
{
    if (flush(target))
        return fail_write(target, target->failure, error);
    if (target->temporary && fsync(target->fd) != 0)
        return fail_write(target, errno, error);
    int closed = close(target->fd);
    target->fd = -1;
    if (closed != 0 || (target->temporary && rename(target->temporary, target->final) != 0))
        return fail_write(target, errno, error);
    int reason = target->temporary ? io_sync_folder_of(target->final) : 0;
    forget_temporary(target);
    return reason ? fail_write(target, reason, error) : SUREKRIG_OK;
}

/* -------------------------------------------------------------------------------------------------- several writers */

surekrig_status io_target_flush(io_target *target, surekrig_error *error)
{
    return flush(target) ? fail_write(target, target->failure, error) : SUREKRIG_OK;
}

surekrig_status io_target_join(io_target *target, const io_share *share, int64_t byte, surekrig_error *error)
{
    surekrig_status status = make_room(target, share->with, error);
    if (status)
        return status;
    target->fd = open(share->with, O_WRONLY | O_CLOEXEC);
    if (target->fd < 0 || lseek(target->fd, byte, SEEK_SET) < 0)
        return fail_write(target, errno, error);
    return SUREKRIG_OK;
}

surekrig_status io_target_own(io_target *target, const io_share *share, surekrig_error *error)
{
    enum { SUFFIX = 24 };
    size_t size = strlen(share->with) + SUFFIX;
    char *name = malloc(size);
    surekrig_status status = make_room(target, share->with, error);
    if (!status && !name)
        status = io_fail_memory(error, share->with);
    if (!status) {
        snprintf(name, size, "%s-%d", share->with, share->part);
        target->fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (target->fd < 0)
            status = fail_write(target, errno, error);
        else
            unlink(name); /* it is read by its descriptor alone, and whoever is killed leaves nothing */
    }
    free(name);
    return status;
}

/* The bytes of one file to a place in another; 0, or errno. */
static int copy(io_target *from, int to, int64_t byte)
{
    int64_t done = 0;
    for (;;) {
        ssize_t count = pread(from->fd, from->buffer, IO_BUFFER, done);
        if (count <= 0)
            return count < 0 ? errno : 0;
        for (ssize_t written = 0; written < count;) {
            ssize_t more = pwrite(to, from->buffer + written, (size_t)(count - written), byte + done + written);
            if (more < 0)
                return errno;
            written += more;
        }
        done += count;
    }
}

surekrig_status io_target_place(io_target *target, const char *with, int64_t byte, surekrig_error *error)
{
    surekrig_status status = io_target_flush(target, error);
    int to = status ? -1 : open(with, O_WRONLY | O_CLOEXEC);
    if (status)
        return status;
    int reason = to < 0 ? errno : copy(target, to, byte);
    if (!reason && fsync(to) != 0)
        reason = errno;
    if (to >= 0 && close(to) != 0 && !reason)
        reason = errno;
    return reason ? fail_write(target, reason, error) : SUREKRIG_OK;
}
