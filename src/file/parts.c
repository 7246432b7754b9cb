/* The rows of a model in files of their own, beside the model's: MODEL.parts/SAVE-NUMBER, one of each rank that wrote it, with
 * the rows that came from that rank, in the file's order. The model file names them, with a checksum of every block of
 * every column, and is what makes them count: it is written last. A save makes new files, and removes those of the save
 * before when the model file no longer names them.
 *
 * A part is a heading, then its columns one after another: features, responses, noise, group, those that there are. */
#include "file/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, HEADING = 64 }; /* rows of a checksum; bytes */

static const char MAGIC[16] = "surekrig rows 1\n";

typedef struct heading {
    char magic[16];
    int64_t save, number, rows, columns;
    char zero[16];
} heading;
_Static_assert(sizeof(heading) == HEADING, "as it stands in the file");

static int64_t blocks_of(int64_t rows)
{
    return (rows + BLOCK - 1) / BLOCK;
}

static uint64_t sum_of(int64_t count, const double *value)
{
    uint64_t sum = 0x9e3779b97f4a7c15u;
    for (int64_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, value + i, sizeof word);
        sum = sk_fold(sum, word);
    }
    return sum;
}

void sk_parts_free(sk_parts *p)
{
    if (!p)
        return;
    free(p->rows);
    free(p->sum);
    free(p->folder);
    free(p);
}

/* PATH.parts, and with room for a name in it. */
static char *folder_of(const char *path)
{
    int64_t room = (int64_t)strlen(path) + 64;
    char *folder = sk_alloc(room, 1);
    if (folder)
        snprintf(folder, (size_t)room, "%s.parts", path);
    return folder;
}

/* name: [folder + 64] */
static void name_part(const sk_parts *p, int64_t number, char *name)
{
    sprintf(name, "%s/%016llx-%lld", p->folder, (unsigned long long)p->save, (long long)number);
}

static sk_parts *new_parts(const char *path, int64_t count, int64_t columns, surekrig_error *error)
{
    sk_parts *p = sk_zeroed(1, sizeof *p);
    if (p) {
        p->count = count;
        p->columns = columns;
        p->rows = sk_zeroed(count, sizeof *p->rows);
        p->folder = folder_of(path);
    }
    if (p && p->rows && p->folder)
        return p;
    sk_parts_free(p);
    sk_fail_memory(error, 8.0 * (double)count, "the model's parts");
    return NULL;
}

/* The columns of a model's rows. */
static int64_t columns_of(const surekrig_data *data, bool noise, bool group)
{
    return data->d + data->l + noise + group;
}

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

/* ------------------------------------------------------------------------------------------------------- writing */

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
    for (int64_t from = 0; from < of.n && !w->why; from += BLOCK) {
        int64_t count = of.n - from < BLOCK ? of.n - from : BLOCK;
        for (int64_t i = 0; i < count; i++)
            w->block[i] = of.value[(from + i) * of.stride];
        *sum++ = sum_of(count, w->block);
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
        write_column(w, of, w->sum + c * blocks_of(w->rows));
        free(of.made);
    }
}

static surekrig_status write_part(const surekrig_data *data, const sk_parts *p, int64_t number, writing *w,
                                  surekrig_error *error)
{
    char *name = sk_alloc((int64_t)strlen(p->folder) + 64, 1);
    heading is = {.save = p->save, .number = number, .rows = w->rows, .columns = p->columns};
    memcpy(is.magic, MAGIC, sizeof MAGIC);
    w->block = sk_doubles(BLOCK);
    w->sum = sk_zeroed(p->columns * blocks_of(w->rows), sizeof *w->sum);
    surekrig_status status = name && w->block && w->sum ? SUREKRIG_OK
                                                        : sk_fail_memory(error, 8.0 * BLOCK, "a part of the model");
    if (!status) {
        name_part(p, number, name);
        w->to = fopen(name, "wxe");
        w->why = w->to ? 0 : errno;
        write_bytes(w, &is, sizeof is);
        write_columns(data, p, w);
    }
    if (!status && !w->why && (fflush(w->to) || fsync(fileno(w->to))))
        w->why = errno;
    if (w->to && fclose(w->to) && !w->why)
        w->why = errno;
    if (w->why)
        status = sk_fail(error, SUREKRIG_FILE, "cannot write %s: %s", name, strerror(w->why));
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
        p->sum = sk_gather(ranks, w->sum, p->columns * blocks_of(w->rows) * (int64_t)sizeof *w->sum, bytes);
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
    sk_parts *p = new_parts(path, ranks->size, columns_of(&data, data.noise, data.group), error);
    surekrig_status status = sk_agree(ranks, p ? SUREKRIG_OK : SUREKRIG_MEMORY, error);
    writing w = {.rows = data.ranks ? data.ranks->came : data.n};
    if (!status)
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
        name_part(p, number, name);
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

void sk_parts_sweep(const char *path, int64_t save)
{
    char name[PATH_MAX + 64]; /* no memory is asked for: a save must not fail at its end */
    size_t length = (size_t)snprintf(name, PATH_MAX, "%s.parts", path);
    DIR *folder = length < PATH_MAX ? opendir(name) : NULL;
    unsigned long long of;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (is_part(entry->d_name, &of) && (int64_t)of != save) {
            snprintf(name + length, 64, "/%.60s", entry->d_name);
            unlink(name);
        }
    if (!folder)
        return;
    closedir(folder);
    name[length] = 0;
    if (save == 0)
        rmdir(name);
}

/* ------------------------------------------------------------------------------------------------------- reading */

static void visit_part(sk_database *db, void *holder, int64_t i)
{
    sk_parts *p = holder;
    sk_db_integer(db, &p->save);
    sk_db_integer(db, &p->rows[i]);
}

static const sk_db_table PART = {"INSERT INTO part(save,rows) VALUES(?,?)",
                                 "SELECT save,rows FROM part ORDER BY number", visit_part};

/* Each part is there, and as long as it should be; their bytes. */
static double check_parts(sk_database *db, const sk_parts *p, int64_t n)
{
    char *name = sk_alloc((int64_t)strlen(p->folder) + 64, 1);
    double bytes = 0;
    int64_t rows = 0;
    for (int64_t i = 0; i < p->count && !db->status && name; i++) {
        struct stat about;
        name_part(p, i, name);
        if (p->rows[i] < 0 || p->rows[i] > n - rows)
            sk_db_fail(db, "its parts have other rows than it has");
        else if (stat(name, &about))
            db->status = sk_fail(db->error, SUREKRIG_FILE, "%s is in parts, and one cannot be read: %s: %s", db->path,
                                 name, strerror(errno));
        else if (about.st_size != HEADING + p->rows[i] * p->columns * 8)
            db->status = sk_fail(db->error, SUREKRIG_FILE, "%s is in parts, and %s is not as long as it was written",
                                 db->path, name);
        if (db->status)
            break;
        rows += p->rows[i];
        bytes += (double)about.st_size;
    }
    if (!db->status && rows != n)
        sk_db_fail(db, "its parts have other rows than it has");
    free(name);
    return bytes;
}

/* The parts that a file says it has; before its sizes are checked. */
static void find_parts(sk_database *db, const sk_contents *c)
{
    const surekrig_data *data = &c->data;
    int64_t most = 1 << 20, count = sk_db_count(db, "SELECT count(*) FROM part");
    int64_t group = sk_db_count(db, "SELECT count(*) FROM setting WHERE name='by' AND value<>'none'");
    bool possible = data->d > 0 && data->l > 0 && data->d < most && data->l < most && count > 0 && count < most &&
                    data->n > 0 && data->n < INT64_MAX / 32 / most;
    if (!possible)
        sk_db_fail(db, "its parts are impossible");
    char *place = realpath(db->path, NULL); /* beside the file itself, not a link to it */
    if (!db->status &&
        !(db->parts = new_parts(place ? place : db->path, count, columns_of(data, c->info.noise, group), db->error)))
        db->status = SUREKRIG_MEMORY;
    free(place);
}

void sk_db_transfer_parts(sk_database *db, const sk_contents *c)
{
    int64_t sums = 0;
    if (!db->in_parts || db->status)
        return;
    if (!db->writing)
        find_parts(db, c);
    if (!db->status)
        sk_db_transfer(db, &PART, db->parts, db->parts->count);
    if (!db->status && !db->writing)
        db->size += (int64_t)check_parts(db, db->parts, c->data.n);
    for (int64_t i = 0; !db->status && i < db->parts->count; i++)
        sums += db->parts->columns * blocks_of(db->parts->rows[i]);
    if (!db->status && !db->writing && !(db->parts->sum = sk_alloc(sums, sizeof *db->parts->sum)))
        db->status = sk_fail_memory(db->error, 8.0 * (double)sums, "checksums of the model's parts");
    if (!db->status)
        sk_db_transfer_array(db, "part_sum", (double *)db->parts->sum, sums);
}

typedef struct reading {
    int from;
    const char *name;
    int64_t rows;
    const uint64_t *sum; /* of the column's blocks */
    int64_t place;       /* of the column in the file */
    double *block;
} reading;

static void fail_part(sk_database *db, const char *name, const char *why)
{
    db->status = sk_fail(db->error, SUREKRIG_FILE, "%s is in parts, and %s %s", db->path, name, why);
}

/* Rows begin .. end-1 of a part's column to where they are wanted. */
static void read_column(sk_database *db, const reading *r, const int64_t range[2], double *to, int64_t stride)
{
    for (int64_t b = range[0] / BLOCK; b * BLOCK < range[1] && !db->status; b++) {
        int64_t first = b * BLOCK, count = r->rows - first < BLOCK ? r->rows - first : BLOCK;
        ssize_t bytes = (ssize_t)count * 8;
        if (pread(r->from, r->block, (size_t)bytes, r->place + first * 8) != bytes)
            fail_part(db, r->name, "cannot be read");
        else if (sum_of(count, r->block) != r->sum[b])
            fail_part(db, r->name, "has changed since it was saved");
        for (int64_t i = 0; i < count && !db->status; i++)
            if (first + i >= range[0] && first + i < range[1])
                to[(first + i - range[0]) * stride] = r->block[i];
    }
}

/* What a part has of the rows that are read here, into the columns of values. */
static void read_part(sk_database *db, reading *r, const int64_t range[2], int64_t first_column, double *to,
                      int64_t width)
{
    heading is = {0};
    r->from = open(r->name, O_RDONLY | O_CLOEXEC);
    if (r->from < 0 || pread(r->from, &is, sizeof is, 0) != sizeof is)
        fail_part(db, r->name, "cannot be read");
    else if (memcmp(is.magic, MAGIC, sizeof MAGIC) || is.save != db->parts->save || is.rows != r->rows)
        fail_part(db, r->name, "is another model's");
    for (int64_t c = 0; c < width && !db->status; c++) {
        reading column = *r;
        column.sum += (first_column + c) * blocks_of(r->rows);
        column.place = HEADING + (first_column + c) * r->rows * 8;
        read_column(db, &column, range, to + c, width);
    }
    if (r->from >= 0)
        close(r->from);
}

void sk_parts_read(sk_database *db, int64_t first_column, int64_t width, double *values)
{
    const sk_parts *p = db->parts;
    char *name = sk_alloc((int64_t)strlen(p->folder) + 64, 1);
    reading r = {.name = name, .sum = p->sum, .block = sk_doubles(BLOCK)};
    if (!db->status && (!name || !r.block))
        db->status = sk_fail_memory(db->error, 8.0 * BLOCK, "a part of the model");
    for (int64_t i = 0, before = 0; i < p->count && !db->status; before += p->rows[i++]) {
        int64_t begin = db->begin > before ? db->begin : before, end = before + p->rows[i];
        end = end < db->end ? end : db->end;
        r.rows = p->rows[i];
        name_part(p, i, name);
        if (begin < end)
            read_part(db, &r, (int64_t[]){begin - before, end - before}, first_column,
                      values + (begin - db->begin) * width, width);
        r.sum += p->columns * blocks_of(p->rows[i]);
    }
    free(name);
    free(r.block);
}
