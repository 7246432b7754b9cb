/* Parts of a model (parts.h): what the model file says of them, and their rows. */
#include "file/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int64_t sk_part_blocks(int64_t rows)
{
    return (rows + SK_PART_BLOCK - 1) / SK_PART_BLOCK;
}

uint64_t sk_part_sum(int64_t count, const double *value)
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
    if (p->held >= 0)
        close(p->held);
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

void sk_part_name(const sk_parts *p, int64_t number, char *name)
{
    sprintf(name, "%s/%016llx-%lld", p->folder, (unsigned long long)p->save, (long long)number);
}

sk_parts *sk_parts_new(const char *path, int64_t count, int64_t columns, surekrig_error *error)
{
    sk_parts *p = sk_zeroed(1, sizeof *p);
    if (p) {
        p->held = -1;
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

int64_t sk_part_columns(const surekrig_data *data, bool noise, bool group)
{
    return data->d + data->l + noise + group;
}

/* ------------------------------------------------------------------------------------------- as the model file says */

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
        sk_part_name(p, i, name);
        if (p->rows[i] < 0 || p->rows[i] > n - rows)
            sk_db_fail(db, "its parts have other rows than it has");
        else if (stat(name, &about))
            db->status = sk_fail(db->error, SUREKRIG_FILE, "%s is in parts, and one cannot be read: %s: %s", db->path,
                                 name, strerror(errno));
        else if (about.st_size != SK_PART_HEADING + p->rows[i] * p->columns * 8)
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
    if (!db->status && !(db->parts = sk_parts_new(place ? place : db->path, count,
                                                  sk_part_columns(data, c->info.noise, group), db->error)))
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
        sums += db->parts->columns * sk_part_blocks(db->parts->rows[i]);
    if (!db->status && !db->writing && !(db->parts->sum = sk_alloc(sums, sizeof *db->parts->sum)))
        db->status = sk_fail_memory(db->error, 8.0 * (double)sums, "checksums of the model's parts");
    if (!db->status)
        sk_db_transfer_array(db, "part_sum", (double *)db->parts->sum, sums);
}

/* ---------------------------------------------------------------------------------------------------------- rows */

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
    for (int64_t b = range[0] / SK_PART_BLOCK; b * SK_PART_BLOCK < range[1] && !db->status; b++) {
        int64_t first = b * SK_PART_BLOCK, count = r->rows - first < SK_PART_BLOCK ? r->rows - first : SK_PART_BLOCK;
        ssize_t bytes = (ssize_t)count * 8;
        if (pread(r->from, r->block, (size_t)bytes, r->place + first * 8) != bytes)
            fail_part(db, r->name, "cannot be read");
        else if (sk_part_sum(count, r->block) != r->sum[b])
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
    sk_part_heading is = {0};
    r->from = open(r->name, O_RDONLY | O_CLOEXEC);
    if (r->from < 0 || pread(r->from, &is, sizeof is, 0) != sizeof is)
        fail_part(db, r->name, "cannot be read");
    else if (memcmp(is.magic, SK_PART_MAGIC, sizeof is.magic) || is.save != db->parts->save || is.rows != r->rows)
        fail_part(db, r->name, "is another model's");
    for (int64_t c = 0; c < width && !db->status; c++) {
        reading column = *r;
        column.sum += (first_column + c) * sk_part_blocks(r->rows);
        column.place = SK_PART_HEADING + (first_column + c) * r->rows * 8;
        read_column(db, &column, range, to + c, width);
    }
    if (r->from >= 0)
        close(r->from);
}

void sk_parts_read(sk_database *db, int64_t first_column, int64_t width, double *values)
{
    const sk_parts *p = db->parts;
    char *name = sk_alloc((int64_t)strlen(p->folder) + 64, 1);
    reading r = {.name = name, .sum = p->sum, .block = sk_doubles(SK_PART_BLOCK)};
    if (!db->status && (!name || !r.block))
        db->status = sk_fail_memory(db->error, 8.0 * SK_PART_BLOCK, "a part of the model");
    for (int64_t i = 0, before = 0; i < p->count && !db->status; before += p->rows[i++]) {
        int64_t begin = db->begin > before ? db->begin : before, end = before + p->rows[i];
        end = end < db->end ? end : db->end;
        r.rows = p->rows[i];
        sk_part_name(p, i, name);
        if (begin < end)
            read_part(db, &r, (int64_t[]){begin - before, end - before}, first_column,
                      values + (begin - db->begin) * width, width);
        r.sum += p->columns * sk_part_blocks(p->rows[i]);
    }
    free(name);
    free(r.block);
}
