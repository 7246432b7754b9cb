/* A container may see all processors of a machine and be given the time of a few. More threads than that are stopped in
 * turn, each for tens of milliseconds, and the others wait for them. */
#include "base/base.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 2048 };

/* The numbers in folder/name: how many were there. */
static int read_numbers(const char *folder, const char *name, double *value, int count)
{
    char path[2 * LINE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    int got = 0;
    while (file && got < count && fscanf(file, "%lf", &value[got]) == 1)
        got++;
    if (file)
        fclose(file);
    return got;
}

/* Processors' worth of time: "cpu.max" in the second version of control groups, two files in the first. No limit:
 * "max", or -1. */
static double limit_of(const char *folder)
{
    double value[2];
    bool known = read_numbers(folder, "cpu.max", value, 2) == 2 ||
                 (read_numbers(folder, "cpu.cfs_quota_us", value, 1) == 1 &&
                  read_numbers(folder, "cpu.cfs_period_us", value + 1, 1) == 1);
    return known && value[0] > 0 && value[1] > 0 ? value[0] / value[1] : INFINITY;
}

/* The least of a group's limit and those of all around it. A container may see its group's path and not its folders:
 * then the outermost, which is there, is its own. */
static double least_limit(char *folder, size_t outermost)
{
    double least = limit_of(folder);
    for (char *cut; strlen(folder) > outermost && (cut = strrchr(folder, '/')); least = fmin(least, limit_of(folder)))
        *cut = 0;
    return least;
}

int sk_quota(const char *groups, const char *mounted)
{
    char line[LINE], folder[2 * LINE];
    double least = INFINITY;
    FILE *file = fopen(groups, "re");
    while (file &&
           fgets(line, sizeof line, file)) { /* number:controllers:path, of the second version without controllers */
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(++controllers, ':') : NULL;
        if (!path)
            continue;
        *path++ = 0;
        bool second = !*controllers;
        if (!second && strcmp(controllers, "cpu") && strcmp(controllers, "cpu,cpuacct"))
            continue;
        snprintf(folder, sizeof folder, "%s%s", mounted, second ? "" : "/cpu");
        size_t outermost = strlen(folder);
        snprintf(folder + outermost, sizeof folder - outermost, "%s", path);
        least = fmin(least, least_limit(folder, outermost));
    }
    if (file)
        fclose(file);
    return least < INT_MAX ? (int)fmax(ceil(least), 1) : INT_MAX;
}
