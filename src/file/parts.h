/* The rows of a model in files of their own, beside the model's: MODEL.parts/SAVE-NUMBER, one of each rank that wrote it,
 * with the rows that came from that rank, in the file's order. The model file names them, with a checksum of every block
 * of every column, and is what makes them count: it is written last. A save makes new files, and removes those of the
 * save before when the model file no longer names them.
 *
 * A part is a heading, then its columns one after another: features, responses, noise, group, those that there are. */
#ifndef SK_FILE_PARTS_H
#define SK_FILE_PARTS_H

#include "file/file.h"

enum { SK_PART_BLOCK = 1 << 16, SK_PART_HEADING = 64 }; /* rows of a checksum; bytes */
#define SK_PART_MAGIC "surekrig rows 1\n"

typedef struct sk_part_heading {
    char magic[16]; /* without its end */
    int64_t save, number, rows, columns;
    char zero[16];
} sk_part_heading;
_Static_assert(sizeof(sk_part_heading) == SK_PART_HEADING, "as it stands in the file");

/* parts.c */
sk_parts *sk_parts_new(const char *path, int64_t count, int64_t columns, surekrig_error *error); /* NULL: no memory */
int64_t sk_part_columns(const surekrig_data *data, bool noise, bool group);                      /* of a model's rows */
int64_t sk_part_blocks(int64_t rows);
uint64_t sk_part_sum(int64_t count, const double *value);
void sk_part_name(const sk_parts *parts, int64_t number, char *name); /* name: [folder + 64] */

/* parts_write.c, for save.c: a turn lasts from before a model file is named until parts are swept, else one save sweeps
 * what another has just named. A descriptor; -1: there are no parts, or the turn did not come, and nothing is swept. */
int sk_parts_turn(const char *path);
void sk_parts_turn_over(int turn);
void sk_parts_sweep(const char *path, int64_t save); /* those of other saves that are over go; 0: all */

#endif
