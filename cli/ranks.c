/* One process, or one of many that run the same command (mpi/main.c). */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

cli_ranks cli_on = {.size = 1};

/* What all ranks do together; what the first does alone; the rest is refused. */
static const char *const TOGETHER[] = {"fit", "predict", "krige", "fill", "cv", "score", NULL};
static const char *const ALONE[] = {"help", "info", "settings", NULL};

static bool among(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

surekrig_status cli_take_part(const cli_command *command, bool *takes_part, surekrig_error *error)
{
    *takes_part = cli_on.size == 1 || among(TOGETHER, command->name) || cli_on.rank == 0;
    if (cli_on.size == 1 || among(TOGETHER, command->name) || among(ALONE, command->name))
        return SUREKRIG_OK;
    return cli_error(error, SUREKRIG_INVALID, "%s is not for many ranks yet: use plain surekrig", command->name);
}

int64_t cli_sum(int64_t own, int64_t *before)
{
    int64_t sum = own, *all = cli_on.size > 1 ? malloc((size_t)cli_on.size * sizeof *all) : NULL;
    *before = 0;
    if (cli_on.size == 1)
        return own;
    if (!all)
        cli_on.fail("", "out of memory");
    cli_on.gather(&own, sizeof own, all);
    sum = 0;
    for (int r = 0; r < cli_on.size && all; r++) {
        *before += r < cli_on.rank ? all[r] : 0;
        sum += all[r];
    }
    free(all);
    return sum;
}

const char *cli_output_path(const char *path)
{
    return cli_on.rank > 0 ? "/dev/null" : path;
}

surekrig_status cli_load_whole(const char *path, surekrig_model **model, surekrig_error *error)
{
    return cli_on.load ? cli_on.load(cli_on.alike, path, model, error) : surekrig_model_load(path, model, error);
}

/* Its rows lie in a folder beside it. */
static bool in_parts(const char *path)
{
    static const char ENDING[] = ".parts";
    char *folder = malloc(strlen(path) + sizeof ENDING);
    if (folder)
        strcat(strcpy(folder, path), ENDING);
    bool there = folder && !access(folder, F_OK);
    free(folder);
    return there;
}

surekrig_status cli_load(const char *path, surekrig_model **model, surekrig_error *error)
{
    enum { ROW = 64 }; /* bytes, or more */
    struct stat file;
    bool few = stat(path, &file) || !S_ISREG(file.st_mode) || file.st_size <= ROW * cli_on.few;
    if (cli_on.size == 1 || cli_told(few && !in_parts(path))) /* another may see the folder later */
        return cli_load_whole(path, model, error);
    return cli_on.load(cli_on.ranks, path, model, error);
}

int64_t cli_told(int64_t value)
{
    if (cli_on.size > 1)
        cli_on.tell(0, &value, sizeof value);
    return value;
}

/* ---- training rows */

/* values: [rows of this rank][width], in their place those of all; rows: [ranks]. */
static bool gather_rows(const int64_t *rows, size_t width, void **values)
{
    size_t n = 1;
    for (int r = 0; r < cli_on.size; r++)
        n += (size_t)rows[r];
    char *all = malloc(n * width), *at = all;
    for (int r = 0; all && r < cli_on.size; at += (size_t)rows[r++] * width) {
        if (r == cli_on.rank)
            memcpy(at, *values, (size_t)rows[r] * width);
        cli_on.tell(r, at, rows[r] * (int64_t)width);
    }
    if (all) {
        free(*values);
        *values = all;
    }
    return all;
}

surekrig_status cli_gather_training(cli_training *t, surekrig_error *error)
{
    int64_t *rows = malloc((size_t)cli_on.size * sizeof *rows), n = 0;
    if (!rows)
        return cli_no_memory(error);
    cli_on.gather(&t->n, sizeof t->n, rows);
    for (int r = 0; r < cli_on.size; r++)
        n += rows[r];
    bool room = true, all = n <= cli_on.few;
    t->ranks = all ? cli_on.alike : cli_on.ranks;
    if (all) {
        room = gather_rows(rows, (size_t)t->d * sizeof *t->x, (void **)&t->x) &&
               gather_rows(rows, (size_t)t->l * sizeof *t->y, (void **)&t->y) &&
               (!t->noise || gather_rows(rows, sizeof *t->s, (void **)&t->s)) &&
               (!t->group || gather_rows(rows, sizeof *t->group, (void **)&t->group));
        t->n = n;
    }
    free(rows);
    return room ? SUREKRIG_OK : cli_no_memory(error);
}
