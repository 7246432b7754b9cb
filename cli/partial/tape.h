/* A file of blocks of numbers, in the order in which they were made. Blocks that a kill, of the program or the machine,
 * has cut short are not taken, nor what follows them. */
#ifndef CLI_TAPE_H
#define CLI_TAPE_H

#include "cli.h"

typedef struct tape_block {
    uint64_t key;
    int64_t count; /* of numbers behind it */
    uint64_t mark; /* a sum of theirs */
    int64_t place; /* where it begins in the file, which does not hold this */
} tape_block;

typedef struct tape {
    char *path;
    uint64_t job;      /* whose it is */
    bool read_only;    /* another process writes it */
    bool checked_late; /* whether a block is as it was written: when it is taken, not when it is found */
    int fd;            /* -1: nothing is on disk yet, or no more */
    int64_t end;       /* of the file, past the last whole block */
    int64_t blocks;    /* of a run before */
    tape_block *block; /* [blocks] */
} tape;

/* Of a run of the same job that was stopped, if there is one; one that is still written to belongs to another that
 * runs. */
surekrig_status tape_open(tape *tape, surekrig_error *error);
bool tape_empty(const tape *tape);
/* The numbers of an old block, if there are as many. */
bool tape_read(const tape *tape, int64_t block, const cli_span *span, int spans);
/* Cuts the file behind its end; false: it cannot be. */
bool tape_cut(const tape *tape);
/* The file is made by the first; false, with errno: it cannot be. */
bool tape_append(tape *tape, uint64_t key, const cli_span *span, int spans);
void tape_free(tape *tape); /* not the file */
/* Whether the file is such a tape, or the first bytes of one that was cut short, and not somebody else's. */
bool tape_known(int fd);
/* Whether another run writes the file. A file system without locks does not tell, and keeps no run from going on. */
bool tape_in_use(int fd);

/* FNV-1a, on words of eight bytes and what is left. */
uint64_t tape_mix(uint64_t mark, const void *bytes, size_t count);

#endif
