/* The bytes of an input, through a buffer that grows only when asked for more than it holds. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static surekrig_status fail_read(const io_source *source, surekrig_error *error)
{
    return io_fail(error, SUREKRIG_FILE, "cannot read %s: %s", io_label(source->path), strerror(errno));
}

surekrig_status io_source_open(io_source *source, const char *path, surekrig_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    *source = (io_source){.fd = -1, .capacity = IO_BUFFER, .limit = INT64_MAX};
    source->path = strdup(standard ? "standard input" : path);
    source->buffer = malloc(source->capacity + IO_AHEAD);
    if (!source->path || !source->buffer)
        return io_fail_memory(error, path);
    memset(source->buffer, 0, IO_AHEAD);
    source->fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    return source->fd < 0 ? fail_read(source, error) : SUREKRIG_OK;
}

void io_source_close(io_source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    free(source->buffer);
    free(source->path);
}

/* By what has come, never by what a header promises. */
static surekrig_status grow(io_source *source, surekrig_error *error)
{
    size_t capacity = 2 * source->capacity;
    char *buffer = realloc(source->buffer, capacity + IO_AHEAD);
    if (!buffer)
        return io_fail_memory(error, source->path);
    source->buffer = buffer;
    source->capacity = capacity;
    return SUREKRIG_OK;
}

/* To the brim, so that a row met again and again while it grows is scanned a bounded number of times. */
static surekrig_status fill(io_source *source, surekrig_error *error)
{
    while (source->end < source->capacity && !source->ended) {
        size_t room = source->capacity - source->end;
        ssize_t count = read(source->fd, source->buffer + source->end,
                             source->limit < (int64_t)room ? (size_t)source->limit : room);
        if (count < 0) /* EINTR too: who catches a signal without restarting calls wants to be heard */
            return fail_read(source, error);
        source->ended = count == 0;
        source->limit -= count;
        source->end += (size_t)count;
        memset(source->buffer + source->end, 0, IO_AHEAD);
    }
    return SUREKRIG_OK;
}

surekrig_status io_source_need(io_source *source, size_t bytes, surekrig_error *error)
{
    size_t held = source->end - source->begin;
    if (held >= bytes || source->ended)
        return SUREKRIG_OK;
    memmove(source->buffer, source->buffer + source->begin, held + IO_AHEAD);
    source->begin = 0;
    source->end = held;
    surekrig_status status = fill(source, error);
    while (!status && source->end < bytes && !source->ended) {
        status = grow(source, error);
        if (!status)
            status = fill(source, error);
    }
    return status;
}

int64_t io_source_left(const io_source *source)
{
    struct stat file;
    off_t read_on = lseek(source->fd, 0, SEEK_CUR);
    if (read_on < 0 || fstat(source->fd, &file) != 0 || !S_ISREG(file.st_mode))
        return 0;
    int64_t left = file.st_size - read_on < source->limit ? file.st_size - read_on : source->limit;
    return left + (int64_t)(source->end - source->begin);
}

int64_t io_source_at(const io_source *source)
{
    return lseek(source->fd, 0, SEEK_CUR) - (int64_t)(source->end - source->begin);
}

surekrig_status io_source_seek(io_source *source, int64_t begin, int64_t end, surekrig_error *error)
{
    source->begin = source->end = 0;
    memset(source->buffer, 0, IO_AHEAD);
    source->ended = false;
    source->limit = end - begin;
    return lseek(source->fd, begin, SEEK_SET) < 0 ? fail_read(source, error) : SUREKRIG_OK;
}
