/* Parts of a model (parts.h): written by all ranks together, and removed. */
#include "file/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double *column_at(const surekrig_data *data, int64_t column, int64_t *stride)
{
    *stride = column < data->d ? data->d : column < data->d + data->l ? data->l : 1;
    if (column < data->d)
        return data->x + column;
    column -= data->d;
    if (column < data->l)
        return data->y + column;
    column -= data->l;
    return data->noise && column == 0 ? data->noise : (const double *)data->group;
}

typedef struct writing {
    FILE *to;
    int64_t rows;
    double *block;
    uint64_t *sum; /* [columns][blocks] */
    int why;       /* errno of the first failure */
} writing;

static void write_bytes(writing *w, const void *from, size_t bytes)
{
    if (!w->why && fwrite(from, 1, bytes, w->to) != bytes)
        w->why = errno ? errno : EIO;
}

static void write_column(writing *w, sk_column of, uint64_t *sum)
{
    for (int64_t from = 0; from < of.n && !w->why; from += SK_PART_BLOCK) {
        int64_t count = of.n - from < SK_PART_BLOCK ? of.n - from : SK_PART_BLOCK;
        for (int64_t i = 0; i < count; i++)
            w->block[i] = of.value[(from + i) * of.stride];
        *sum++ = sk_part_sum(count, w->block);
        write_bytes(w, w->block, (size_t)count * sizeof *w->block);
    }
}

/* All ranks take part in each column, also one that cannot write. */
static void write_columns(const surekrig_data *data, const sk_parts *p, writing *w)
{
    for (int64_t c = 0; c < p->columns; c++) {
        int64_t stride;
        const double *value = column_at(data, c, &stride);
        sk_column of = sk_file_column(data, value, stride);
        if (!w->why)
            write_column(w, of, w->sum + c * sk_part_blocks(w->rows));
        free(of.made);
    }
}

/* A file that other saves leave alone until p is freed. One of them may just have removed the empty folder. */
static void create_part(sk_parts *p, const char *name, writing *w)
{
    enum { TRIES = 100 };
    int held = -1;
    for (int i = 0; i < TRIES && held < 0 && (i == 0 || errno == EEXIST); i++) {
        held = sk_create_held(name);
        if (held < 0 && errno == ENOENT && !mkdir(p->folder, 0777))
            errno = EEXIST;
    }
    p->held = held < 0 ? -1 : dup(held);
    w->to = held < 0 ? NULL : fdopen(held, "w");
    w->why = w->to && p->held >= 0 ? 0 : errno;
    if (!w->to && held >= 0)
        close(held);
}

static surekrig_status write_part(const surekrig_data *data, sk_parts *p, int64_t number, writing *w,
                                  surekrig_error *error)
{
    char *name = sk_alloc((int64_t)strlen(p->folder) + 64, 1);
    sk_part_heading is = {.save = p->save, .number = number, .rows = w->rows, .columns = p->columns};
    memcpy(is.magic, SK_PART_MAGIC, sizeof is.magic);
    w->block = sk_doubles(SK_PART_BLOCK);
    w->sum = sk_zeroed(p->columns * sk_part_blocks(w->rows), sizeof *w->sum);
    w->why = name && w->block && w->sum ? 0 : ENOMEM;
    if (!w->why) {
        sk_part_name(p, number, name);
        create_part(p, name, w);
        write_bytes(w, &is, sizeof is);
    }
    write_columns(data, p, w);
    if (!w->why && (fflush(w->to) || fsync(fileno(w->to))))
        w->why = errno;
    if (w->to && fclose(w->to) && !w->why)
        w->why = errno;
    surekrig_status status = !w->why ? SUREKRIG_OK
                             : w->why == ENOMEM
                                 ? sk_fail_memory(error, 8.0 * SK_PART_BLOCK, "a part of the model")
                                 : sk_fail(error, SUREKRIG_FILE, "cannot write %s: %s", name, strerror(w->why));
    free(name);
    free(w->block);
    return status;
}

/* What ranks know of their parts becomes known to all. */
static bool gather_sums(const sk_ranks *ranks, const writing *w, sk_parts *p)
{
    int64_t *bytes = sk_zeroed(ranks->size, sizeof *bytes), *each = sk_alloc(ranks->size, sizeof *each);
    for (int r = 0; each && r < ranks->size; r++)
        each[r] = sizeof w->rows;
    if (bytes && each) {
        ranks->gather(ranks, &w->rows, each, p->rows);
        p->sum = sk_gather(ranks, w->sum, p->columns * sk_part_blocks(w->rows) * (int64_t)sizeof *w->sum, bytes);
    }
    free(bytes);
    free(each);
    return p->sum;
}

/* The folder is there, and the save has a number. */
static surekrig_status begin_save(const sk_ranks *ranks, sk_parts *p, surekrig_error *error)
{
    struct timespec now;
    surekrig_status status = SUREKRIG_OK;
    clock_gettime(CLOCK_REALTIME, &now);
    double own[2] = {(double)(now.tv_sec & 0x7fffffff), (double)(now.tv_nsec ^ getpid())};
    if (ranks->rank)
        own[0] = own[1] = -1;
    else if (mkdir(p->folder, 0777) && errno != EEXIST)
        status = sk_fail(error, SUREKRIG_FILE, "cannot write %s: %s", p->folder, strerror(errno));
    sk_most(ranks, 2, own);
    p->save = (int64_t)own[0] << 31 ^ (int64_t)own[1];
    return sk_agree(ranks, status, error);
}

surekrig_status sk_parts_write(const surekrig_model *m, const char *path, sk_parts **out, surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(&m->data);
    surekrig_data data = m->data;
    if (!strcmp(sk_setting_names(m->settings, "by"), "none"))
        data.group = NULL;
    sk_parts *p = sk_parts_new(path, ranks->size, sk_part_columns(&data, data.noise, data.group), error);
    surekrig_status status = sk_agree(ranks, p ? SUREKRIG_OK : SUREKRIG_MEMORY, error);
    writing w = {.rows = data.ranks ? data.ranks->came : data.n};
    if (status || !p) { /* another rank has none */
        sk_parts_free(p);
        return status;
    }
    status = begin_save(ranks, p, error);
    if (!status)
        status = sk_agree(ranks, write_part(&data, p, ranks->rank, &w, error), error);
    if (!status && !gather_sums(ranks, &w, p))
        status = sk_fail_memory(error, 1e6, "checksums of the model's parts");
    if (status)
        sk_parts_drop(p, ranks->rank);
    free(w.sum);
    if (status)
        sk_parts_free(p);
    else
        *out = p;
    return status;
}

void sk_parts_drop(const sk_parts *p, int64_t number)
{
    char *name = p ? sk_alloc((int64_t)strlen(p->folder) + 64, 1) : NULL;
    if (name) {
        sk_part_name(p, number, name);
        unlink(name);
    }
    if (p)
        rmdir(p->folder); /* if nothing else is in it */
    free(name);
}

/* Whether the name is 16 digits, a stroke and a number. */
static bool is_part(const char *name, unsigned long long *save)
{
    int length = 0;
    return strspn(name, "0123456789abcdef") == 16 && name[16] == '-' &&
           sscanf(name, "%16llx-%*d%n", save, &length) == 1 && length > 17 && !name[length];
}

/* PATH.parts, with room for a name in it; no memory is asked for: a save must not fail at its end. 0: too long a name. */
static size_t name_folder(const char *path, char name[PATH_MAX + 64])
{
    size_t length = (size_t)snprintf(name, PATH_MAX, "%s.parts", path);
    return length < PATH_MAX ? length : 0;
}

/* Those who are stopped in their turn are not waited for longer than this. */
static bool lock_soon(int folder)
{
    enum { TRIES = 1000 };
    for (int i = 0; i < TRIES; i++) {
        if (!flock(folder, LOCK_EX | LOCK_NB) || (errno != EWOULDBLOCK && errno != EINTR))
            return true; /* or the file system has no locks */
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return false;
}

int sk_parts_turn(const char *path)
{
    enum { TRIES = 1000 };
    char name[PATH_MAX + 64];
    struct stat open_one, named;
    for (int i = 0; i < TRIES && name_folder(path, name); i++) {
        int folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0)
            return -1;
        bool had = lock_soon(folder);
        if (had && !fstat(folder, &open_one) && !stat(name, &named) && open_one.st_dev == named.st_dev &&
            open_one.st_ino == named.st_ino)
            return folder;
        sk_parts_turn_over(folder);
        if (!had)
            return -1;
    }
    return -1;
}

/* Unlocked, too: a process forked meanwhile has it open still. */
void sk_parts_turn_over(int turn)
{
    if (turn < 0)
        return;
    flock(turn, LOCK_UN);
    close(turn);
}

void sk_parts_sweep(const char *path, int64_t save)
{
    char name[PATH_MAX + 64];
    size_t length = name_folder(path, name);
    DIR *folder = length ? opendir(name) : NULL;
    unsigned long long of;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (is_part(entry->d_name, &of) && (int64_t)of != save) {
            snprintf(name + length, 64, "/%.60s", entry->d_name);
            sk_remove_unless_held(name, true);
        }
    if (!folder)
        return;
    closedir(folder);
    name[length] = 0;
    if (save == 0)
        rmdir(name);
}
