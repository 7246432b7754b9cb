/* What is finished of an output, in OUT.partial until the output is whole: a tape, or one a rank. A run that was killed
 * leaves it. With --resume the same run takes blocks from it, as long as there are any, instead of making them, so that
 * the output has the bytes it would have had. */
#include "tape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cli_partial {
    const char *command;
    bool resume, quiet;
    bool off;          /* nothing is kept any more */
    bool own, counted; /* each rank has a tape; and the first says how many there are */
    int64_t at;        /* the old block of the first tape that comes next */
    int tapes;
    tape *tape; /* [tapes] the one that is written, by this rank or the first; then those of other ranks, now or in the
                 * run before */
};

static const uint64_t RANKS = UINT64_MAX; /* key of a block that says how many tapes there are */

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
    static const char BLOCKS[] = "2"; /* what is in them */
    uint64_t job = tape_mix(0xcbf29ce484222325u, version, strlen(version) + 1);
    job = tape_mix(job, BLOCKS, sizeof BLOCKS);
    job = tape_mix(job, call->command->name, strlen(call->command->name) + 1);
    for (int i = 0; i < call->words; i++) {
        bool with_next;
        if (!is_idle(call->word[i], &with_next))
            job = tape_mix(job, call->word[i], strlen(call->word[i]) + 1);
        i += with_next;
    }
    for (int i = 0; i < call->arguments; i++)
        job ^= io_stamp(call->argument[i]) * (uint64_t)(2 * i + 3);
    for (uint64_t odd = 1001; inputs && *inputs; odd += 2) {
        char *file = cli_next_file(&inputs);
        job ^= file ? io_stamp(file) * odd : odd;
        free(file);
    }
    return job;
}

/* -------------------------------------------------------------------------------------------------------- blocks */

bool cli_partial_take(cli_partial *p, uint64_t key, const cli_span *span, int spans)
{
    tape *t = p ? p->tape : NULL;
    if (!t || p->at >= t->blocks)
        return false;
    const tape_block *next = &t->block[p->at];
    if (next->key == key && tape_read(t, p->at, span, spans)) {
        p->at++;
        return true;
    }
    t->end = next->place; /* another run's after all: what follows is made anew */
    t->blocks = p->at;
    p->off |= !tape_cut(t);
    return false;
}

bool cli_partial_take_any(cli_partial *p, uint64_t key, const cli_span *span, int spans)
{
    for (int i = 0; p && i < p->tapes; i++)
        for (int64_t j = 0; j < p->tape[i].blocks; j++)
            if (p->tape[i].block[j].key == key && tape_read(&p->tape[i], j, span, spans))
                return true;
    return false;
}

double cli_partial_sum(const cli_span *span, int spans)
{
    enum { LOST = 11 }; /* bits that a double does not hold */
    uint64_t sum = 0xcbf29ce484222325u;
    for (int i = 0; i < spans; i++)
        sum = tape_mix(sum, span[i].value, (size_t)span[i].count * sizeof *span->value);
    return (double)(sum >> LOST);
}

uint64_t cli_partial_next(const cli_partial *p, uint64_t key, int64_t *count)
{
    uint64_t next = UINT64_MAX;
    for (int i = 0; p && i < p->tapes; i++)
        for (int64_t j = 0; j < p->tape[i].blocks; j++) {
            tape_block b = p->tape[i].block[j];
            if (b.key >= key && b.key < next) {
                next = b.key;
                *count = b.count;
            }
        }
    return next;
}

bool cli_partial_has(const cli_partial *p, uint64_t key)
{
    for (int64_t i = p ? p->at : 0; p && i < p->tape->blocks; i++)
        if (p->tape->block[i].key == key)
            return true;
    return false;
}

/* What cannot be kept, as on a full disk, does not keep the run from going on. */
void cli_partial_give(cli_partial *p, uint64_t key, const cli_span *span, int spans)
{
    if (!p || p->off || p->tape->read_only)
        return;
    if (p->own && !p->counted && cli_on.size > 1 && cli_on.rank == 0) {
        double ranks = cli_on.size;
        p->counted = true;
        cli_partial_give(p, RANKS, &(cli_span){&ranks, 1}, 1);
    }
    if (tape_append(p->tape, key, span, spans))
        return;
    p->off = true;
    if (p->resume)
        cli_say(stderr, "surekrig %s: %s: %s; what is finished from here on is not kept", p->command, p->tape->path,
                strerror(errno));
    if (p->tape->fd >= 0)
        tape_cut(p->tape);
}

/* ----------------------------------------------------------------------------------------------- opening, closing */

bool cli_is_file_or_none(const char *path)
{
    struct stat file;
    return path && strcmp(path, "-") && (stat(path, &file) || S_ISREG(file.st_mode));
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

/* What a run that was stopped has left goes, unless another writes it, or it is somebody else's. */
static bool remove_old(const char *path, bool *stays)
{
    int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    *stays = fd >= 0 && (!tape_known(fd) || tape_in_use(fd));
    bool removed = fd >= 0 && !*stays && unlink(path) == 0;
    if (fd >= 0)
        close(fd);
    return removed;
}

static void replace_old(cli_partial *p)
{
    if (remove_old(p->tape->path, &p->off) && !p->quiet)
        cli_say(stderr, "surekrig %s: %s, of a run that was stopped, is replaced; --resume goes on from it", p->command,
                p->tape->path);
}

/* Where the tape of a rank is; NULL: no memory. */
static char *tape_path(const char *output, int rank)
{
    size_t room = strlen(output) + sizeof ".partial-" + 12;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, rank ? "%s.partial-%d" : "%s.partial", output, rank);
    return path;
}

/* Those of a run before that had more ranks than this; one that had finished nothing has left none. */
static void replace_further(const char *output)
{
    enum { MISSING = 64 };
    for (int r = cli_on.size, missing = 0; missing < MISSING; r++) {
        bool stays = false;
        char *path = tape_path(output, r);
        missing = path && (remove_old(path, &stays) || stays) ? 0 : missing + 1;
        free(path);
    }
}

/* The tape of a rank. */
static surekrig_status add_tape(cli_partial *p, const char *output, int rank, uint64_t job, surekrig_error *error)
{
    tape *more = realloc(p->tape, (size_t)(p->tapes + 1) * sizeof *more);
    char *path = tape_path(output, rank);
    if (more)
        p->tape = more;
    if (!more || !path) {
        free(path);
        return cli_no_memory(error);
    }
    tape *t = &p->tape[p->tapes++];
    bool others = rank != cli_on.rank;
    *t = (tape){.path = path, .job = job, .read_only = others, .checked_late = others && p->own, .fd = -1};
    if (p->resume)
        return tape_open(t, error);
    if (!t->read_only)
        replace_old(p);
    return SUREKRIG_OK;
}

/* With the tape of a rank; *partial stays NULL where something is no file. */
static surekrig_status open_partial(const cli_call *call, const char *inputs, int rank, cli_partial **partial,
                                    surekrig_error *error)
{
    bool streamed;
    surekrig_status status = check_files(call, &streamed, error);
    if (status || streamed)
        return status;
    cli_partial *p = *partial = calloc(1, sizeof *p);
    if (!p)
        return cli_no_memory(error);
    p->command = call->command->name;
    p->resume = cli_value(call, "resume");
    p->quiet = cli_value(call, "quiet");
    return add_tape(p, cli_value(call, "output"), rank, job_of(call, inputs), error);
}

static void tell_found(const cli_partial *p)
{
    int64_t blocks = 0;
    for (int i = 0; i < p->tapes; i++)
        for (int64_t j = 0; j < p->tape[i].blocks; j++)
            blocks += p->tape[i].block[j].key != RANKS;
    if (p->tape->fd >= 0 && !p->quiet)
        cli_say(stderr, "surekrig %s: %s: %lld block%s finished before", p->command, p->tape->path, (long long)blocks,
                blocks == 1 ? " was" : "s were");
}

surekrig_status cli_partial_open(const cli_call *call, const char *inputs, cli_partial **partial, surekrig_error *error)
{
    surekrig_status status = open_partial(call, inputs, 0, partial, error);
    if (!status && *partial)
        tell_found(*partial);
    return status;
}

/* How many tapes a run before had, as the first says. */
static int tapes_of(const tape *first)
{
    double ranks = 0, value;
    for (int64_t i = 0; i < first->blocks; i++)
        if (first->block[i].key == RANKS && tape_read(first, i, &(cli_span){&value, 1}, 1))
            ranks = value > ranks && value < 1e6 ? value : ranks;
    return (int)ranks;
}

static surekrig_status open_others(const cli_call *call, cli_partial *p, surekrig_error *error)
{
    int tapes = cli_on.rank ? 1 : tapes_of(p->tape);
    surekrig_status status = SUREKRIG_OK;
    for (int r = 0; r < tapes && !status; r++) {
        if (r == cli_on.rank)
            continue;
        status = add_tape(p, cli_value(call, "output"), r, p->tape->job, error);
        if (!status && r == 0)
            tapes = tapes_of(&p->tape[1]);
    }
    return status;
}

surekrig_status cli_partial_open_own(const cli_call *call, const char *inputs, cli_partial **partial,
                                     surekrig_error *error)
{
    surekrig_status status = open_partial(call, inputs, cli_on.rank, partial, error);
    cli_partial *p = *partial;
    if (status || !p)
        return status;
    if (!p->resume && cli_on.rank == 0)
        replace_further(cli_value(call, "output"));
    p->own = true;
    if (p->resume)
        status = open_others(call, p, error);
    if (!status)
        tell_found(p);
    return status;
}

/* Those that no rank of this run writes. */
static void remove_others(const cli_partial *p)
{
    for (int i = 1; i < p->tapes && cli_on.rank == 0; i++)
        if (p->tape[i].fd >= 0 && i >= cli_on.size)
            unlink(p->tape[i].path);
}

static void free_partial(cli_partial *p)
{
    for (int i = 0; i < p->tapes; i++)
        tape_free(&p->tape[i]);
    free(p->tape);
    free(p);
}

void cli_partial_close(cli_partial *p, surekrig_status status)
{
    const tape *t = p ? p->tape : NULL;
    if (!status && p)
        remove_others(p);
    if (t && t->fd >= 0 && status && p->resume && !tape_empty(t)) {
        cli_stays();
        cli_say(stderr, "surekrig %s: %s keeps what is finished: --resume goes on from it", p->command, t->path);
    } else if (t && t->fd >= 0 && !t->read_only) {
        unlink(t->path);
    }
    if (p)
        free_partial(p);
}
