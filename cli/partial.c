/* What is finished of an output, in OUT.partial until the output is whole: a tape of blocks, in the order in which they are
 * made. A run that was killed leaves it. With --resume the same run takes blocks from it, as long as there are any, instead
 * of making them, so that the output has the bytes it would have had. A block that was cut short, by the kill or the
 * machine's, is not taken, nor what follows it. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct block {
    uint64_t key;
    int64_t count; /* of numbers behind it */
    uint64_t mark; /* a sum of theirs */
} block;

typedef struct heading {
    char magic[16];
    uint64_t job; /* command, options and input files */
} heading;

struct cli_partial {
    char *path;
    const char *command;
    bool resume, quiet, follows; /* follows: the first rank writes, and the others read what it reads */
    heading is;
    int fd;             /* -1: nothing is on disk yet, or no more */
    int64_t end;        /* of the file, past the last whole block */
    int64_t at, blocks; /* the block that comes next, and how many there are */
    int64_t *place;     /* [blocks] in the file */
    bool off;           /* nothing is kept any more */
};

static const char MAGIC[16] = "surekrig part 1\n";

/* FNV-1a, on words of eight bytes and what is left. */
static uint64_t mix(uint64_t mark, const void *bytes, size_t count)
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

/* ----------------------------------------------------------------------------------------------------------- job */

/* Words that do not change the output. */
static bool is_idle(const char *word, bool *with_next)
{
    static const char *const IDLE[] = {"--resume", "--quiet", "-q", "--threads"};
    *with_next = !strcmp(word, "--threads");
    for (size_t i = 0; i < sizeof IDLE / sizeof *IDLE; i++)
        if (!strcmp(word, IDLE[i]))
            return true;
    return !strncmp(word, "--threads=", 10);
}

static uint64_t job_of(const cli_call *call, const char *inputs)
{
    const char *version = surekrig_version();
    uint64_t job = mix(0xcbf29ce484222325u, version, strlen(version) + 1);
    job = mix(job, call->command->name, strlen(call->command->name) + 1);
    for (int i = 0; i < call->words; i++) {
        bool with_next;
        if (!is_idle(call->word[i], &with_next))
            job = mix(job, call->word[i], strlen(call->word[i]) + 1);
        i += with_next;
    }
    for (int i = 0; i < call->arguments; i++)
        job ^= io_stamp(call->argument[i]) * (uint64_t)(2 * i + 3);
    cli_names files = {0};
    if (inputs && cli_split_names(inputs, &files))
        for (int i = 0; i < files.count; i++)
            job ^= io_stamp(files.name[i]) * (uint64_t)(2 * i + 1001);
    cli_free_names(&files);
    return job;
}

/* -------------------------------------------------------------------------------------------------------- blocks */

/* Whether its numbers are as they were written. */
static bool is_whole(const cli_partial *p, int64_t place, const block *b)
{
    enum { AT_ONCE = 4096 };
    double value[AT_ONCE];
    uint64_t mark = b->key;
    for (int64_t done = 0, more; done < b->count; done += more) {
        more = b->count - done < AT_ONCE ? b->count - done : AT_ONCE;
        size_t bytes = (size_t)more * sizeof *value;
        if (pread(p->fd, value, bytes, place + (int64_t)sizeof *b + done * 8) != (ssize_t)bytes)
            return false;
        mark = mix(mark, value, bytes);
    }
    return mark == b->mark;
}

/* Finds the whole blocks of an old file; what is behind them goes. */
static bool find_blocks(cli_partial *p)
{
    struct stat file;
    int64_t room = 0;
    p->end = sizeof p->is;
    for (block b; !fstat(p->fd, &file); p->end += (int64_t)sizeof b + 8 * b.count) {
        if (pread(p->fd, &b, sizeof b, p->end) != sizeof b || b.count < 0 || b.count > file.st_size / 8 ||
            !is_whole(p, p->end, &b))
            break;
        if (p->blocks == room) {
            room = 2 * room + 64;
            int64_t *place = realloc(p->place, (size_t)room * sizeof *place);
            if (!place)
                return false;
            p->place = place;
        }
        p->place[p->blocks++] = p->end;
    }
    return p->follows || ftruncate(p->fd, p->end) == 0;
}

static block block_at(const cli_partial *p, int64_t i)
{
    block b = {0};
    if (pread(p->fd, &b, sizeof b, p->place[i]) != sizeof b)
        b.count = -1;
    return b;
}

static int64_t count_of(const cli_span *span, int spans)
{
    int64_t count = 0;
    for (int i = 0; i < spans; i++)
        count += span[i].count;
    return count;
}

bool cli_partial_take(cli_partial *p, uint64_t key, const cli_span *span, int spans)
{
    if (!p || p->at >= p->blocks)
        return false;
    block b = block_at(p, p->at);
    int64_t place = p->place[p->at] + (int64_t)sizeof b;
    bool taken = b.key == key && b.count == count_of(span, spans);
    for (int i = 0; i < spans && taken; i++) {
        size_t bytes = (size_t)span[i].count * sizeof *span->value;
        taken = pread(p->fd, span[i].value, bytes, place) == (ssize_t)bytes;
        place += (int64_t)bytes;
    }
    if (taken) {
        p->at++;
    } else { /* another run's after all: what follows is made anew */
        p->end = p->place[p->at];
        p->blocks = p->at;
        p->off |= !p->follows && ftruncate(p->fd, p->end) != 0;
    }
    return taken;
}

bool cli_partial_has(const cli_partial *p, uint64_t key)
{
    for (int64_t i = p ? p->at : 0; p && i < p->blocks; i++)
        if (block_at(p, i).key == key)
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------------------------- writing */

static bool begin_file(cli_partial *p)
{
    p->fd = open(p->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (p->fd < 0)
        return false;
    p->end = sizeof p->is;
    return flock(p->fd, LOCK_EX | LOCK_NB) == 0 && pwrite(p->fd, &p->is, sizeof p->is, 0) == sizeof p->is;
}

static bool append(cli_partial *p, const block *b, const cli_span *span, int spans)
{
    int64_t place = p->end + (int64_t)sizeof *b;
    bool good = pwrite(p->fd, b, sizeof *b, p->end) == sizeof *b;
    for (int i = 0; i < spans && good; i++) {
        size_t bytes = (size_t)span[i].count * sizeof *span->value;
        good = pwrite(p->fd, span[i].value, bytes, place) == (ssize_t)bytes;
        place += (int64_t)bytes;
    }
    return good;
}

/* What cannot be kept, as on a full disk, does not keep the run from going on. */
void cli_partial_give(cli_partial *p, uint64_t key, const cli_span *span, int spans)
{
    if (!p || p->off || p->follows)
        return;
    block b = {key, count_of(span, spans), key};
    for (int i = 0; i < spans; i++)
        b.mark = mix(b.mark, span[i].value, (size_t)span[i].count * sizeof *span->value);
    if ((p->fd >= 0 || begin_file(p)) && append(p, &b, span, spans)) {
        p->end += (int64_t)sizeof b + 8 * b.count;
        return;
    }
    p->off = true;
    if (p->resume)
        fprintf(stderr, "surekrig %s: %s: %s; what is finished from here on is not kept\n", p->command, p->path,
                strerror(errno));
    if (p->fd >= 0 && ftruncate(p->fd, p->end))
        errno = 0;
}

/* ------------------------------------------------------------------------------------------------ opening, closing */

static void free_partial(cli_partial *p)
{
    if (p->fd >= 0)
        close(p->fd);
    free(p->path);
    free(p->place);
    free(p);
}

/* The file is not ours. */
static surekrig_status leave(cli_partial *p, surekrig_status status)
{
    close(p->fd);
    p->fd = -1;
    return status;
}

/* Of a run that was stopped; one that is still written to belongs to another that runs. */
static surekrig_status take_over(cli_partial *p, surekrig_error *error)
{
    heading old = {0};
    p->fd = open(p->path, (p->follows ? O_RDONLY : O_RDWR) | O_CLOEXEC);
    if (p->fd < 0 && errno == ENOENT)
        return SUREKRIG_OK;
    if (p->fd < 0)
        return cli_error(error, SUREKRIG_FILE, "cannot read %s: %s", p->path, strerror(errno));
    if (!p->follows && flock(p->fd, LOCK_EX | LOCK_NB) != 0)
        return leave(p, cli_error(error, SUREKRIG_FILE, "%s is in use: another run makes this output", p->path));
    bool known = pread(p->fd, &old, sizeof old, 0) == sizeof old && !memcmp(old.magic, MAGIC, sizeof MAGIC);
    if (known && old.job != p->is.job)
        return leave(p, cli_error(error, SUREKRIG_DATA,
                                  "%s is of another run: of other files or options, or of files that have changed "
                                  "since; without --resume it is replaced",
                                  p->path));
    if (known && find_blocks(p)) {
        if (!p->quiet)
            fprintf(stderr, "surekrig %s: %s: %lld block%s finished before\n", p->command, p->path,
                    (long long)p->blocks, p->blocks == 1 ? " was" : "s were");
        return SUREKRIG_OK;
    }
    if (!p->follows)
        unlink(p->path);
    p->blocks = 0;
    return leave(p, SUREKRIG_OK);
}

static void replace_old(cli_partial *p)
{
    int fd = open(p->path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    p->off = flock(fd, LOCK_EX | LOCK_NB) != 0;
    if (!p->off && unlink(p->path) == 0 && !p->quiet)
        fprintf(stderr, "surekrig %s: %s, of a run that was stopped, is replaced; --resume goes on from it\n",
                p->command, p->path);
    close(fd);
}

static bool is_file_or_none(const char *path)
{
    struct stat file;
    return path && strcmp(path, "-") && (stat(path, &file) || S_ISREG(file.st_mode));
}

surekrig_status cli_partial_open(const cli_call *call, const char *inputs, cli_partial **partial, surekrig_error *error)
{
    const char *output = cli_value(call, "output");
    bool resume = cli_value(call, "resume"), streamed = !is_file_or_none(output);
    for (int i = 0; i < call->arguments; i++)
        streamed |= !io_stamp(call->argument[i]);
    if (streamed)
        return resume ? cli_usage(error, "--resume goes from files to a file: give -o OUT, and name what is read")
                      : SUREKRIG_OK;
    size_t room = strlen(output) + sizeof ".partial";
    cli_partial *p = *partial = calloc(1, sizeof *p);
    if (!p || !(p->path = malloc(room)))
        return cli_no_memory(error);
    snprintf(p->path, room, "%s.partial", output);
    p->command = call->command->name;
    p->resume = resume;
    p->quiet = cli_value(call, "quiet");
    p->fd = -1;
    p->is.job = job_of(call, inputs);
    memcpy(p->is.magic, MAGIC, sizeof MAGIC);
    p->follows = cli_on.rank > 0;
    if (resume)
        return take_over(p, error);
    if (!p->follows)
        replace_old(p);
    return SUREKRIG_OK;
}

void cli_partial_close(cli_partial *p, surekrig_status status)
{
    if (!p)
        return;
    bool stays = status && p->resume && p->end > (int64_t)sizeof p->is;
    if (p->fd >= 0 && !stays && !p->follows)
        unlink(p->path);
    else if (p->fd >= 0 && stays) {
        cli_stays();
        fprintf(stderr, "surekrig %s: %s keeps what is finished: --resume goes on from it\n", p->command, p->path);
    }
    free_partial(p);
}
