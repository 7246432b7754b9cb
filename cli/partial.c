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
    block *head;        /* [blocks] */
    bool off;           /* nothing is kept any more */
    bool own, counted;  /* each rank has a tape; and the first says how many there are */
    int others;         /* tapes of other ranks, now or of the run before, */
    cli_partial **other;
};

static const char MAGIC[16] = "surekrig part 1\n";
static const uint64_t RANKS = UINT64_MAX; /* key of a block that says how many tapes there are */

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
            p->end + (int64_t)sizeof b + 8 * b.count > file.st_size)
            break;
        if (!(p->follows && p->own) && !is_whole(p, p->end, &b)) /* of another rank's tape: when it is taken */
            break;
        if (p->blocks == room) {
            room = 2 * room + 64;
            int64_t *place = realloc(p->place, (size_t)room * sizeof *place);
            block *head = realloc(p->head, (size_t)room * sizeof *head);
            p->place = place ? place : p->place;
            p->head = head ? head : p->head;
            if (!place || !head)
                return false;
        }
        p->head[p->blocks] = b;
        p->place[p->blocks++] = p->end;
    }
    return p->follows || ftruncate(p->fd, p->end) == 0;
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
    block b = p->head[p->at];
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

/* A block that comes at its turn is checked when the tape is opened, one of another tape now. */
static bool take_block(cli_partial *p, uint64_t key, const cli_span *span, int spans)
{
    for (int64_t i = 0; i < p->blocks; i++) {
        block b = p->head[i];
        int64_t place = p->place[i] + (int64_t)sizeof b;
        if (b.key != key || b.count != count_of(span, spans) || !is_whole(p, p->place[i], &b))
            continue;
        bool taken = true;
        for (int j = 0; j < spans && taken; j++) {
            size_t bytes = (size_t)span[j].count * sizeof *span->value;
            taken = pread(p->fd, span[j].value, bytes, place) == (ssize_t)bytes;
            place += (int64_t)bytes;
        }
        if (taken)
            return true;
    }
    return false;
}

bool cli_partial_take_any(cli_partial *p, uint64_t key, const cli_span *span, int spans)
{
    bool taken = p && take_block(p, key, span, spans);
    for (int i = 0; p && i < p->others && !taken; i++)
        taken = take_block(p->other[i], key, span, spans);
    return taken;
}

uint64_t cli_partial_next(const cli_partial *p, uint64_t key, int64_t *count)
{
    uint64_t next = UINT64_MAX;
    for (int i = -1; p && i < p->others; i++) {
        const cli_partial *tape = i < 0 ? p : p->other[i];
        for (int64_t j = 0; j < tape->blocks; j++) {
            block b = tape->head[j];
            if (b.count >= 0 && b.key >= key && b.key < next) {
                next = b.key;
                *count = b.count;
            }
        }
    }
    return next;
}

bool cli_partial_has(const cli_partial *p, uint64_t key)
{
    for (int64_t i = p ? p->at : 0; p && i < p->blocks; i++)
        if (p->head[i].key == key)
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------------------------- writing */

/* Whether another run writes it. A file system without locks does not tell, and keeps no run from going on. */
static bool in_use(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

static bool begin_file(cli_partial *p)
{
    p->fd = open(p->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (p->fd < 0)
        return false;
    p->end = sizeof p->is;
    return !in_use(p->fd) && pwrite(p->fd, &p->is, sizeof p->is, 0) == sizeof p->is;
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
    if (p->own && !p->counted && cli_on.size > 1 && cli_on.rank == 0) {
        double ranks = cli_on.size;
        p->counted = true;
        cli_partial_give(p, RANKS, &(cli_span){&ranks, 1}, 1);
    }
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
    for (int i = 0; i < p->others; i++)
        free_partial(p->other[i]);
    if (p->fd >= 0)
        close(p->fd);
    free(p->other);
    free(p->path);
    free(p->place);
    free(p->head);
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
    if (!p->follows && in_use(p->fd))
        return leave(p, cli_error(error, SUREKRIG_FILE, "%s is in use: another run makes this output", p->path));
    bool known = pread(p->fd, &old, sizeof old, 0) == sizeof old && !memcmp(old.magic, MAGIC, sizeof MAGIC);
    if (known && old.job != p->is.job)
        return leave(p, cli_error(error, SUREKRIG_DATA,
                                  "%s is of another run: of other files or options, or of files that have changed "
                                  "since; without --resume it is replaced",
                                  p->path));
    if (known && find_blocks(p))
        return SUREKRIG_OK;
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
    p->off = in_use(fd);
    if (!p->off && unlink(p->path) == 0 && !p->quiet)
        fprintf(stderr, "surekrig %s: %s, of a run that was stopped, is replaced; --resume goes on from it\n",
                p->command, p->path);
    close(fd);
}

bool cli_is_file_or_none(const char *path)
{
    struct stat file;
    return path && strcmp(path, "-") && (stat(path, &file) || S_ISREG(file.st_mode));
}

static void tell_found(const cli_partial *p)
{
    int64_t blocks = 0;
    for (int i = -1; i < p->others; i++) {
        const cli_partial *tape = i < 0 ? p : p->other[i];
        for (int64_t j = 0; j < tape->blocks; j++)
            blocks += tape->head[j].key != RANKS;
    }
    if (p->fd >= 0 && !p->quiet)
        fprintf(stderr, "surekrig %s: %s: %lld block%s finished before\n", p->command, p->path, (long long)blocks,
                blocks == 1 ? " was" : "s were");
}

/* The tape of a rank; NULL: no memory. */
static cli_partial *new_tape(const cli_call *call, int rank)
{
    const char *output = cli_value(call, "output");
    size_t room = strlen(output) + sizeof ".partial-" + 12;
    cli_partial *p = calloc(1, sizeof *p);
    if (!p || !(p->path = malloc(room))) {
        free(p);
        return NULL;
    }
    snprintf(p->path, room, rank ? "%s.partial-%d" : "%s.partial", output, rank);
    p->command = call->command->name;
    p->resume = cli_value(call, "resume");
    p->quiet = cli_value(call, "quiet");
    p->fd = -1;
    memcpy(p->is.magic, MAGIC, sizeof MAGIC);
    return p;
}

/* Whether there can be one. */
static surekrig_status check_files(const cli_call *call, bool *streamed, surekrig_error *error)
{
    *streamed = !cli_is_file_or_none(cli_value(call, "output"));
    for (int i = 0; i < call->arguments; i++)
        *streamed |= !io_stamp(call->argument[i]);
    return *streamed && cli_value(call, "resume")
               ? cli_usage(error, "--resume goes from files to a file: give -o OUT, and name what is read")
               : SUREKRIG_OK;
}

surekrig_status cli_partial_open(const cli_call *call, const char *inputs, cli_partial **partial, surekrig_error *error)
{
    bool streamed;
    surekrig_status status = check_files(call, &streamed, error);
    if (status || streamed)
        return status;
    cli_partial *p = *partial = new_tape(call, 0);
    if (!p)
        return cli_no_memory(error);
    p->is.job = job_of(call, inputs);
    p->follows = cli_on.rank > 0;
    if (p->resume)
        status = take_over(p, error);
    else if (!p->follows)
        replace_old(p);
    if (!status)
        tell_found(p);
    return status;
}

/* ----------------------------------------------------------------------------------------------- a tape of each rank */

/* Those of a run before that had more ranks than this; one that had finished nothing has left none. */
static void replace_further(const cli_call *call)
{
    enum { MISSING = 64 };
    for (int r = cli_on.size, missing = 0; missing < MISSING; r++) {
        cli_partial *tape = new_tape(call, r);
        missing = tape && !access(tape->path, F_OK) ? 0 : missing + 1;
        if (tape) {
            tape->quiet = true;
            replace_old(tape);
            free_partial(tape);
        }
    }
}

/* How many tapes a run before had, as the first says. */
static int tapes_of(const cli_partial *first)
{
    double ranks = 0, value;
    for (int64_t i = 0; i < first->blocks; i++)
        if (first->head[i].key == RANKS &&
            pread(first->fd, &value, sizeof value, first->place[i] + (int64_t)sizeof(block)) == sizeof value)
            ranks = value > ranks && value < 1e6 ? value : ranks;
    return (int)ranks;
}

static surekrig_status open_tape(const cli_call *call, int rank, uint64_t job, cli_partial **tape,
                                 surekrig_error *error)
{
    cli_partial *p = *tape = new_tape(call, rank);
    if (!p)
        return cli_no_memory(error);
    p->own = true;
    p->follows = rank != cli_on.rank;
    p->is.job = job;
    if (p->resume)
        return take_over(p, error);
    if (!p->follows)
        replace_old(p);
    if (cli_on.rank == 0)
        replace_further(call);
    return SUREKRIG_OK;
}

static surekrig_status open_others(const cli_call *call, cli_partial *p, surekrig_error *error)
{
    int tapes = cli_on.rank ? 1 : tapes_of(p);
    surekrig_status status = SUREKRIG_OK;
    for (int r = 0; r < tapes && !status; r++) {
        if (r == cli_on.rank)
            continue;
        cli_partial **more = realloc(p->other, (size_t)(p->others + 1) * sizeof *more);
        if (!more)
            return cli_no_memory(error);
        p->other = more;
        status = open_tape(call, r, p->is.job, &p->other[p->others], error);
        p->others += p->other[p->others] != NULL;
        if (!status && r == 0)
            tapes = tapes_of(p->other[0]);
    }
    return status;
}

surekrig_status cli_partial_open_own(const cli_call *call, cli_partial **partial, surekrig_error *error)
{
    bool streamed;
    surekrig_status status = check_files(call, &streamed, error);
    if (status || streamed)
        return status;
    status = open_tape(call, cli_on.rank, job_of(call, NULL), partial, error);
    if (!status && (*partial)->resume)
        status = open_others(call, *partial, error);
    if (!status)
        tell_found(*partial);
    return status;
}

/* Those that no rank of this run writes. */
static void remove_others(const cli_partial *p)
{
    for (int i = 0; i < p->others && cli_on.rank == 0; i++)
        if (p->other[i]->fd >= 0 && i + 1 >= cli_on.size)
            unlink(p->other[i]->path);
}

void cli_partial_close(cli_partial *p, surekrig_status status)
{
    if (!p)
        return;
    bool stays = status && p->resume && p->end > (int64_t)sizeof p->is;
    if (!status)
        remove_others(p);
    if (p->fd >= 0 && !stays && !p->follows)
        unlink(p->path);
    else if (p->fd >= 0 && stays) {
        cli_stays();
        fprintf(stderr, "surekrig %s: %s keeps what is finished: --resume goes on from it\n", p->command, p->path);
    }
    free_partial(p);
}
