/* settings.txt: under which settings and on which data a directory's trials were run. A run under others is refused,
 * since its trials would not belong together. */
#include "inside.h"

#include <string.h>

enum { SETTINGS_SIZE = 4096 };

/* FNV-1a of all values: trials on other data do not belong together. */
static uint64_t checksum(const ex_dataset *data)
{
    uint64_t sum = 14695981039346656037u;
    const unsigned char *part[] = {(const unsigned char *)data->x, (const unsigned char *)data->y};
    size_t size[] = {(size_t)((data->n + data->m) * data->d) * sizeof(double),
                     (size_t)(data->n + data->m) * sizeof(double)};
    for (int i = 0; i < 2; i++)
        for (size_t j = 0; j < size[i]; j++)
            sum = (sum ^ part[i][j]) * 1099511628211u;
    return sum;
}

static void print_settings(const ex_run *r, char text[SETTINGS_SIZE])
{
    const experiment_options *o = r->options;
    int at = snprintf(text, SETTINGS_SIZE, "surekrig %s\nstudy %s\nfirst seed %llu\nfirst data seed %llu\nsettings%s\n",
                      surekrig_version(), r->study->name, (unsigned long long)r->seed, (unsigned long long)o->data_seed,
                      *r->words ? r->words : " -");
    if (r->study->files)
        snprintf(text + at, (size_t)(SETTINGS_SIZE - at), "training %lld points, test %lld points, checksum %016llx\n",
                 (long long)r->source.n, (long long)r->source.m, (unsigned long long)checksum(&r->source));
    else
        snprintf(text + at, (size_t)(SETTINGS_SIZE - at), "points %lld\nsplit %s\ndata %s\n", (long long)r->points,
                 o->random_half ? "random half" : "every other point",
                 o->fresh_data || r->study->own_data ? "new for each trial" : "shared by all trials");
}

static surekrig_status other_settings(const ex_run *r, const char *old, const char *new, surekrig_error *error)
{
    size_t at = 0;
    while (old[at] && old[at] == new[at])
        at++;
    while (at > 0 && old[at - 1] != '\n')
        at--;
    return ex_fail(error, SUREKRIG_INVALID,
                   "%s holds trials under other settings ('%.*s' in its settings.txt, '%.*s' now); choose "
                   "another directory",
                   r->options->directory, (int)strcspn(old + at, "\n"), old + at, (int)strcspn(new + at, "\n"),
                   new + at);
}

surekrig_status ex_settle_settings(const ex_run *r, surekrig_error *error)
{
    char text[SETTINGS_SIZE], old[SETTINGS_SIZE] = "", path[EX_PATH_SIZE];
    print_settings(r, text);
    ex_path_in(r, "settings.txt", path);
    FILE *from = fopen(path, "r");
    if (from) {
        size_t length = fread(old, 1, sizeof old - 1, from);
        old[length] = 0;
        fclose(from);
        return strcmp(old, text) ? other_settings(r, old, text, error) : SUREKRIG_OK;
    }
    if (ex_is_there(r, "trials.csv"))
        return ex_fail(error, SUREKRIG_FILE,
                       "%s/trials.csv is there without its settings.txt; choose another directory",
                       r->options->directory);
    ex_output o;
    surekrig_status status = ex_output_open(r, "settings.txt", &o, error);
    if (status)
        return status;
    fputs(text, o.to);
    return ex_output_commit(&o, error);
}
