#include "tape.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct heading {
    char magic[16];
    uint64_t job;
} heading;

enum { HEADING = sizeof(heading), HEAD = offsetof(tape_block, place) }; /* bytes, of the file's and of a block's */

static const char MAGIC[16] = "surekrig part 1\n";

uint64_t tape_mix(uint64_t mark, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (; count >= 8; count -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        mark = (mark ^ word) * 0x100000001b3u;
        mark ^= mark >> 29;
    }
    for (; count > 0; count--)
        mark = (mark ^ *at++) * 0x100000001b3u;
    return mark;
}

static int64_t size_of(const tape_block *b)
{
    return HEAD + 8 * b->count;
}

static int64_t count_of(const cli_span *span, int spans)
{
    int64_t count = 0;
    for (int i = 0; i < spans; i++)
        count += span[i].count;
    return count;
}

/* ------------------------------------------------------------------------------------------------------- reading */

/* Whether its numbers are as they were written. */
static bool is_whole(const tape *t, const tape_block *b)
{
    enum { AT_ONCE = 4096 };
    double value[AT_ONCE];
    uint64_t mark = b->key;
    for (int64_t done = 0, more; done < b->count; done += more) {
        more = b->count - done < AT_ONCE ? b->count - done : AT_ONCE;
        size_t bytes = (size_t)more * sizeof *value;
        if (pread(t->fd, value, bytes, b->place + HEAD + done * 8) != (ssize_t)bytes)
            return false;
        mark = tape_mix(mark, value, bytes);
    }
    return mark == b->mark;
}

/* The block at the end of those that are known. */
static bool next_block(const tape *t, tape_block *b)
{
    struct stat file;
    b->place = t->end;
    if (fstat(t->fd, &file) || pread(t->fd, b, HEAD, b->place) != HEAD)
        return false;
    if (b->count < 0 || b->count > file.st_size / 8 || b->place + size_of(b) > file.st_size)
        return false;
    return t->checked_late || is_whole(t, b);
}

/* Finds the whole blocks of an old file; what is behind them goes. */
static bool find_blocks(tape *t)
{
    int64_t room = 0;
    t->end = HEADING;
    for (tape_block b; next_block(t, &b); t->end += size_of(&b)) {
        if (t->blocks == room) {
            room = 2 * room + 64;
            tape_block *block = realloc(t->block, (size_t)room * sizeof *block);
            if (!block)
                return false;
            t->block = block;
        }
        t->block[t->blocks++] = b;
    }
    return tape_cut(t);
}

bool tape_read(const tape *t, int64_t block, const cli_span *span, int spans)
{
    const tape_block *b = &t->block[block];
    int64_t place = b->place + HEAD;
    uint64_t mark = b->key;
    if (b->count != count_of(span, spans))
        return false;
    for (int i = 0; i < spans; i++) {
        size_t bytes = (size_t)span[i].count * sizeof *span->value;
        if (pread(t->fd, span[i].value, bytes, place) != (ssize_t)bytes)
            return false;
        mark = tape_mix(mark, span[i].value, bytes);
        place += (int64_t)bytes;
    }
    return mark == b->mark;
}

/* ------------------------------------------------------------------------------------------------------- writing */

bool tape_cut(const tape *t)
{
    return t->read_only || ftruncate(t->fd, t->end) == 0;
}

bool tape_in_use(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool tape_known(int fd)
{
    char magic[sizeof MAGIC];
    ssize_t got = pread(fd, magic, sizeof magic, 0);
    return got >= 0 && !memcmp(magic, MAGIC, (size_t)got);
}

static bool begin_file(tape *t)
{
    heading is = {.job = t->job};
    memcpy(is.magic, MAGIC, sizeof MAGIC);
    t->fd = open(t->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (t->fd < 0)
        return false;
    t->end = HEADING;
    return !tape_in_use(t->fd) && pwrite(t->fd, &is, HEADING, 0) == HEADING;
}

bool tape_append(tape *t, uint64_t key, const cli_span *span, int spans)
{
    tape_block b = {key, count_of(span, spans), .mark = key};
    for (int i = 0; i < spans; i++)
        b.mark = tape_mix(b.mark, span[i].value, (size_t)span[i].count * sizeof *span->value);
    if (t->fd < 0 && !begin_file(t))
        return false;
    int64_t place = t->end + HEAD;
    bool good = pwrite(t->fd, &b, HEAD, t->end) == HEAD;
    for (int i = 0; i < spans && good; i++) {
        size_t bytes = (size_t)span[i].count * sizeof *span->value;
        good = pwrite(t->fd, span[i].value, bytes, place) == (ssize_t)bytes;
        place += (int64_t)bytes;
    }
    t->end = good ? place : t->end;
    return good;
}

/* ----------------------------------------------------------------------------------------------- opening, closing */

/* The file is not ours. */
static surekrig_status leave(tape *t, surekrig_status status)
{
    close(t->fd);
    t->fd = -1;
    return status;
}

surekrig_status tape_open(tape *t, surekrig_error *error)
{
    heading old = {0};
    t->fd = open(t->path, (t->read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC);
    if (t->fd < 0 && errno == ENOENT)
        return SUREKRIG_OK;
    if (t->fd < 0)
        return cli_error(error, SUREKRIG_FILE, "cannot read %s: %s", t->path, strerror(errno));
    if (!t->read_only && tape_in_use(t->fd))
        return leave(t, cli_error(error, SUREKRIG_FILE, "%s is in use: another run makes this output", t->path));
    if (!tape_known(t->fd))
        return leave(t,
                     cli_error(error, SUREKRIG_DATA,
                               "%s is no file of surekrig's, and what is finished would be kept there: move it away, "
                               "or name another output",
                               t->path));
    bool known = pread(t->fd, &old, HEADING, 0) == HEADING;
    if (known && old.job != t->job)
        return leave(t, cli_error(error, SUREKRIG_DATA,
                                  "%s is of another run: of other files or options, or of files that have changed "
                                  "since; without --resume it is replaced",
                                  t->path));
    if (known && find_blocks(t))
        return SUREKRIG_OK;
    if (!t->read_only)
        unlink(t->path);
    t->blocks = 0;
    return leave(t, SUREKRIG_OK);
}

bool tape_empty(const tape *t)
{
    return t->end <= HEADING;
}

void tape_free(tape *t)
{
    if (t->fd >= 0)
        close(t->fd);
    free(t->path);
    free(t->block);
}
