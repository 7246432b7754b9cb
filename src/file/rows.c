/* Arrays of rows on many ranks, in the one file that all of them have: the first rank writes what the others hand it,
 * block by block in the file's order; reading, each keeps the rows that are its part. */
#include "file/file.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16 }; /* rows at a time */

/* The first of own rows whose number is not less. */
static int64_t first_from(const surekrig_data *data, int64_t number)
{
    return sk_count_below(sk_own(data), data->ranks->number, number);
}

/* Rows from .. to-1 of the file, to the first rank: out [to - from][width] there. */
static bool hand_over(const surekrig_data *data, const double *values, int64_t width, const int64_t range[2],
                      double *out)
{
    const sk_ranks *ranks = sk_ranks_of(data);
    int64_t begin = first_from(data, range[0]), count = first_from(data, range[1]) - begin, all = 0;
    int64_t *bytes = sk_zeroed(2 * ranks->size, sizeof *bytes), each = 1 + width; /* handed, then come, of each rank */
    double *own = sk_doubles(count * each), *come = NULL;
    for (int64_t i = 0; i < count && own; i++) {
        own[i * each] = (double)(data->ranks->number[begin + i] - range[0]);
        memcpy(own + i * each + 1, values + (begin + i) * width, (size_t)width * sizeof *own);
    }
    if (own && bytes) {
        bytes[0] = count * each * (int64_t)sizeof *own;
        come = sk_exchange(ranks, own, bytes, bytes + ranks->size);
    }
    for (int r = 0; come && r < ranks->size; r++)
        all += bytes[ranks->size + r] / (int64_t)sizeof *come / each;
    for (int64_t i = 0; i < all; i++)
        memcpy(out + (int64_t)come[i * each] * width, come + i * each + 1, (size_t)width * sizeof *out);
    free(own);
    free(bytes);
    free(come);
    return come != NULL;
}

/* Others' failures, and the first one's, which still takes what it is handed, show in the end. */
static void write_rows(sk_database *db, const char *name, const surekrig_data *data, const double *values,
                       int64_t width)
{
    sk_db_stream stream = {.name = name};
    double *out = sk_doubles(BLOCK * width);
    bool whole = out;
    for (int64_t from = 0; from < data->n && whole; from += BLOCK) {
        int64_t range[2] = {from, from + BLOCK < data->n ? from + BLOCK : data->n};
        whole = hand_over(data, values, width, range, out);
        if (whole && db->handle)
            sk_db_append(db, &stream, (char *)out, (range[1] - range[0]) * width * (int64_t)sizeof *out);
    }
    if (db->handle)
        sk_db_append(db, &stream, NULL, 0);
    if (!whole && !db->status)
        db->status = sk_fail_memory(db->error, 8.0 * BLOCK * (double)width, "rows of the model");
    free(stream.bytes);
    free(out);
}

/* The first of an array's among all columns of the rows. */
static int64_t column_of(const char *name, const surekrig_data *data)
{
    return !strcmp(name, "x")       ? 0
           : !strcmp(name, "y")     ? data->d
           : !strcmp(name, "noise") ? data->d + data->l
                                    : data->d + data->l + (data->noise != NULL);
}

void sk_db_transfer_rows(sk_database *db, const char *name, const surekrig_data *data, const double *values,
                         int64_t width)
{
    if (db->in_parts && !db->writing)
        sk_parts_read(db, column_of(name, data), width, (double *)values);
    else if (db->in_parts)
        return;
    else if (db->writing && data->ranks)
        write_rows(db, name, data, values, width);
    else if (!db->ranks)
        sk_db_transfer_array(db, name, (double *)values, data->n * width);
    else
        sk_db_read_part(db, name, (double *)values, data->n * width,
                        (int64_t[]){db->begin * width * (int64_t)sizeof *values,
                                    db->end * width * (int64_t)sizeof *values});
}
