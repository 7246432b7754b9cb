/* Which files tables are: as they are named, or by a pattern, in the order of their names' bytes, which is the same
 * everywhere. */
#include "internal.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void io_free_files(io_files *files)
{
    for (int i = 0; files->path && i < files->count; i++)
        free(files->path[i]);
    free(files->path);
    free(files->size);
    *files = (io_files){0};
}

static bool add_file(io_files *files, const char *path)
{
    struct stat file;
    char **paths = realloc(files->path, ((size_t)files->count + 1) * sizeof *paths);
    if (paths)
        files->path = paths;
    int64_t *size = paths ? realloc(files->size, ((size_t)files->count + 1) * sizeof *size) : NULL;
    if (size)
        files->size = size;
    char *copy = size ? strdup(path) : NULL;
    if (!copy)
        return false;
    size[files->count] = stat(path, &file) == 0 && S_ISREG(file.st_mode) ? file.st_size : 0;
    paths[files->count++] = copy;
    return true;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Of a pattern that fits nothing, the pattern itself: opening it says what is wrong. */
static bool add_pattern(io_files *files, const char *pattern)
{
    glob_t found;
    int failure = glob(pattern, GLOB_NOSORT, NULL, &found);
    if (failure)
        return failure != GLOB_NOSPACE && add_file(files, pattern);
    bool whole = true;
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, by_bytes);
    for (size_t i = 0; i < found.gl_pathc && whole; i++)
        whole = add_file(files, found.gl_pathv[i]);
    globfree(&found);
    return whole;
}

surekrig_status io_find_files(const io_tables *tables, io_files *files, surekrig_error *error)
{
    for (int i = 0; i < tables->count; i++) {
        const char *path = tables->path[i];
        bool pattern = strpbrk(path, "*?[") && access(path, F_OK) != 0;
        if (!(pattern ? add_pattern(files, path) : add_file(files, path)))
            return io_fail_memory(error, path);
    }
    return SUREKRIG_OK;
}

bool io_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino &&
           S_ISREG(of_a.st_mode);
}

bool io_names_file(const char *path, const char *file)
{
    io_files files = {0};
    surekrig_error ignored;
    bool found = false;
    io_find_files(&(io_tables){1, &path, NULL}, &files, &ignored);
    for (int i = 0; i < files.count && !found; i++)
        found = io_same_file(files.path[i], file);
    io_free_files(&files);
    return found;
}

static uint64_t mix(uint64_t stamp, uint64_t more)
{
    stamp = (stamp ^ more) * 0x9e3779b97f4a7c15u;
    return stamp ^ stamp >> 29;
}

uint64_t io_stamp(const char *path)
{
    io_files files = {0};
    surekrig_error ignored;
    struct stat file;
    uint64_t stamp = 1;
    bool all = !io_find_files(&(io_tables){1, &path, NULL}, &files, &ignored);
    for (int i = 0; i < files.count && all; i++) {
        for (const char *at = files.path[i]; *at; at++)
            stamp = mix(stamp, (unsigned char)*at);
        all = stat(files.path[i], &file) == 0 && S_ISREG(file.st_mode);
        stamp = mix(stamp, all ? (uint64_t)file.st_size : 0);
        stamp = mix(stamp, all ? (uint64_t)file.st_mtim.tv_sec * 1000000007u + (uint64_t)file.st_mtim.tv_nsec : 0);
    }
    io_free_files(&files);
    return all ? stamp | 1 : 0;
}
