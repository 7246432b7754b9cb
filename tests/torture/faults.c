/* A library to be loaded before a command (LD_PRELOAD), by which the N-th call to the system or for memory goes wrong.
 *
 * TORTURE = KIND:N, KIND one of
 *   EIO, ENOSPC, EINTR, ENOMEM   the N-th call to the system fails so
 *   short                        the N-th call moves half of its bytes, where it reads or writes
 *   memory                       the N-th allocation of the program, of SQLite or of NLopt fails (of the program alone
 *                                under TORTURE_OWN: GDAL and PROJ have SQLite make tens of thousands)
 *   kill                         the process dies before its N-th call
 *   none                         nothing goes wrong
 * TORTURE_COUNT names a file of two numbers: calls to the system, allocations. TORTURE_LOG names one that gets a line
 * for each call by which a file changes, for power.py. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum kind { NONE, FAIL, SHORT, MEMORY, KILL } kind;

static struct {
    kind kind;
    int reason; /* errno */
    int64_t at;
    int64_t own[2], *count; /* calls to the system, allocations */
    int log;
    struct {
        uintptr_t from, to;
    } code[8]; /* whose allocations fail */
    int codes;
} state = {.count = state.own, .log = -1};

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    return found;
}

/* ---- beginning */

static int note_code(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size, (void)user;
    bool other = strstr(info->dlpi_name, "sqlite3") || strstr(info->dlpi_name, "nlopt");
    bool ours = !*info->dlpi_name || (other && !getenv("TORTURE_OWN"));
    for (int i = 0; ours && i < info->dlpi_phnum && state.codes < 8; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            state.code[state.codes].from = from;
            state.code[state.codes++].to = from + info->dlpi_phdr[i].p_memsz;
        }
    return 0;
}

static void read_kind(const char *text)
{
    static const struct {
        const char *name;
        kind kind;
        int reason;
    } KINDS[] = {{"EIO", FAIL, EIO},  {"ENOSPC", FAIL, ENOSPC}, {"EINTR", FAIL, EINTR}, {"ENOMEM", FAIL, ENOMEM},
                 {"short", SHORT, 0}, {"memory", MEMORY, 0},    {"kill", KILL, 0},      {"none", NONE, 0}};
    const char *colon = text ? strchr(text, ':') : NULL;
    for (size_t i = 0; colon && i < sizeof KINDS / sizeof *KINDS; i++)
        if (!strncmp(text, KINDS[i].name, (size_t)(colon - text))) {
            state.kind = KINDS[i].kind;
            state.reason = KINDS[i].reason;
            state.at = strtoll(colon + 1, NULL, 10);
        }
}

__attribute__((constructor)) static void begin(void)
{
    const char *count = getenv("TORTURE_COUNT"), *log = getenv("TORTURE_LOG");
    int fd = count ? REAL(open)(count, O_RDWR) : -1;
    void *shared = fd >= 0 ? REAL(mmap)(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (shared != MAP_FAILED)
        state.count = shared;
    if (fd >= 0)
        REAL(close)(fd);
    if (log)
        state.log = REAL(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    dl_iterate_phdr(note_code, NULL);
    read_kind(getenv("TORTURE"));
}

/* ---- striking */

/* Whether this call to the system is the one that fails. */
static bool strikes(void)
{
    int64_t now = __atomic_add_fetch(&state.count[0], 1, __ATOMIC_RELAXED);
    if (now == state.at && state.kind == KILL)
        kill(getpid(), SIGKILL);
    if (now != state.at || state.kind != FAIL)
        return false;
    errno = state.reason;
    return true;
}

/* How many of so many bytes this call may move; -1: it fails. */
static ssize_t allowed(size_t bytes)
{
    if (strikes())
        return -1;
    bool half = state.kind == SHORT && state.count[0] == state.at && bytes > 1;
    return (ssize_t)(half ? bytes / 2 : bytes);
}

/* NLopt's L-BFGS makes do with less where it does not get all that it asks for: another search, and other digits. */
static bool makes_do(void *from)
{
    Dl_info about;
    return dladdr(from, &about) && about.dli_sname && !strcmp(about.dli_sname, "luksan_plis");
}

static bool starves(void *from)
{
    bool ours = false;
    for (int i = 0; i < state.codes; i++)
        ours |= (uintptr_t)from >= state.code[i].from && (uintptr_t)from < state.code[i].to;
    if (!ours || __atomic_add_fetch(&state.count[1], 1, __ATOMIC_RELAXED) != state.at || state.kind != MEMORY ||
        makes_do(from))
        return false;
    errno = ENOMEM;
    return true;
}

/* "WORD DEVICE-INODE TEXT": what power.py needs to know. */
static void note(const char *word, int fd, const char *text, const char *more)
{
    struct stat about;
    char line[2 * 4096 + 100];
    if (state.log < 0 || fstat(fd, &about))
        return;
    int before = errno,
        length = snprintf(line, sizeof line, "%s\t%lu\t%s\t%s\n", word, (unsigned long)about.st_ino, text, more);
    if (length > 0 && REAL(write)(state.log, line, (size_t)length) < 0)
        abort();
    errno = before;
}

static void note_write(int fd)
{
    note("write", fd, "", "");
}

/* ---- calls to the system */

#define CALL(returns, name, declared, given, failed)                                                                   \
    returns name declared;                                                                                             \
    returns name declared                                                                                              \
    {                                                                                                                  \
        return strikes() ? failed : REAL(name) given;                                                                  \
    }

CALL(int, close, (int fd), (fd), (REAL(close)(fd), errno = state.reason, -1))
CALL(int, ftruncate, (int fd, off_t size), (fd, size), -1)
CALL(int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
CALL(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group), -1)
CALL(int, flock, (int fd, int how), (fd, how), -1)
CALL(int, access, (const char *path, int mode), (path, mode), -1)
CALL(int, stat, (const char *path, struct stat *about), (path, about), -1)
CALL(int, lstat, (const char *path, struct stat *about), (path, about), -1)
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
CALL(off_t, lseek, (int fd, off_t to, int from), (fd, to, from), -1)
CALL(char *, realpath, (const char *path, char *resolved), (path, resolved), NULL)
CALL(ssize_t, readlink, (const char *path, char *text, size_t room), (path, text, room), -1)
CALL(int, dup, (int fd), (fd), -1)
CALL(int, dup2, (int fd, int to), (fd, to), -1)
CALL(int, chdir, (const char *path), (path), -1)
CALL(pid_t, fork, (void), (), -1)
CALL(DIR *, opendir, (const char *path), (path), NULL)
CALL(void *, mmap, (void *at, size_t size, int may, int how, int fd, off_t from), (at, size, may, how, fd, from),
     MAP_FAILED)
CALL(int, fflush, (FILE * file), (file), EOF)

static int opened(int fd, const char *path, int flags)
{
    if (fd >= 0 && flags & (O_WRONLY | O_RDWR))
        note(flags & (O_CREAT | O_TRUNC) ? "create" : "open", fd, path, "");
    return fd;
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...);                                                                        \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                                                      \
        va_end(rest);                                                                                                  \
        return strikes() ? -1                                                                                          \
                         : opened(((int (*)(const char *, int, ...))real(#name))(path, flags, mode), path, flags);     \
    }
OPEN(open)
OPEN(open64)

#define READ(name, declared, given)                                                                                    \
    ssize_t name declared;                                                                                             \
    ssize_t name declared                                                                                              \
    {                                                                                                                  \
        ssize_t may = allowed(bytes);                                                                                  \
        return may < 0 ? -1 : ((ssize_t(*) declared)real(#name))given;                                                 \
    }
READ(read, (int fd, void *to, size_t bytes), (fd, to, (size_t)may))
READ(pread, (int fd, void *to, size_t bytes, off_t at), (fd, to, (size_t)may, at))
READ(pread64, (int fd, void *to, size_t bytes, off_t at), (fd, to, (size_t)may, at))

#define WRITE(name, declared, given)                                                                                   \
    ssize_t name declared;                                                                                             \
    ssize_t name declared                                                                                              \
    {                                                                                                                  \
        ssize_t may = allowed(bytes);                                                                                  \
        ssize_t moved = may < 0 ? -1 : ((ssize_t(*) declared)real(#name))given;                                        \
        note_write(fd);                                                                                                \
        return moved;                                                                                                  \
    }
WRITE(write, (int fd, const void *from, size_t bytes), (fd, from, (size_t)may))
WRITE(pwrite, (int fd, const void *from, size_t bytes, off_t at), (fd, from, (size_t)may, at))
WRITE(pwrite64, (int fd, const void *from, size_t bytes, off_t at), (fd, from, (size_t)may, at))

#define SYNC(name)                                                                                                     \
    int name(int fd);                                                                                                  \
    int name(int fd)                                                                                                   \
    {                                                                                                                  \
        int failed = strikes() ? -1 : REAL(name)(fd);                                                                  \
        if (!failed)                                                                                                   \
            note("sync", fd, "", "");                                                                                  \
        return failed;                                                                                                 \
    }
SYNC(fsync)
SYNC(fdatasync)

int rename(const char *from, const char *to)
{
    if (strikes())
        return -1;
    int fd = state.log >= 0 ? REAL(open)(from, O_RDONLY) : -1;
    int failed = REAL(rename)(from, to);
    if (fd >= 0) {
        note("rename", fd, from, to);
        REAL(close)(fd);
    }
    return failed;
}

/* It never fails: what cannot be removed is left. */
int unlink(const char *path)
{
    int fd = state.log >= 0 ? REAL(open)(path, O_RDONLY) : -1;
    if (fd >= 0) {
        note("unlink", fd, path, "");
        REAL(close)(fd);
    }
    return REAL(unlink)(path);
}

/* ---- streams */

#define FOPEN(name)                                                                                                    \
    FILE *name(const char *path, const char *mode);                                                                    \
    FILE *name(const char *path, const char *mode)                                                                     \
    {                                                                                                                  \
        FILE *file = strikes() ? NULL : REAL(name)(path, mode);                                                        \
        if (file && mode[0] != 'r')                                                                                    \
            note(mode[0] == 'w' ? "create" : "open", fileno(file), path, "");                                          \
        return file;                                                                                                   \
    }
FOPEN(fopen)
FOPEN(fopen64)

size_t fread(void *to, size_t size, size_t count, FILE *file)
{
    ssize_t may = allowed(count);
    return may < 0 ? 0 : REAL(fread)(to, size, (size_t)may, file);
}

/* A stream writes when its buffer is full, it is flushed or closed. Where it cannot, ferror tells from then on. */
size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    ssize_t may = allowed(count);
    note_write(fileno(file));
    if (may < (ssize_t)count)
        file->_flags |= _IO_ERR_SEEN;
    return may < 0 ? 0 : REAL(fwrite)(from, size, (size_t)may, file);
}

int fclose(FILE *file)
{
    note_write(fileno(file));
    bool failed = strikes();
    int closed = REAL(fclose)(file);
    if (failed)
        errno = state.reason;
    return failed ? EOF : closed;
}

/* ---- memory */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    return starves(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return starves(CALLER) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return starves(CALLER) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return starves(CALLER) ? NULL : __libc_memalign(alignment, size);
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = starves(CALLER) ? NULL : __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
