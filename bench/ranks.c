/* bench_mpi TRAIN.npy POINTS.npy MODEL [NAME=VALUE ...]: what each phase of a job takes on each rank, seconds of the
 * slowest and peak memory of the largest, as rows of a table. A thread looks at the memory every ten milliseconds. The
 * last column is the response. scripts/bench-mpi runs it. */
#include "io.h"
#include "surekrig_mpi.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 65536, PHASES = 8, LONGEST = 1 << 20 };

static int rank, size;
static surekrig_ranks *ranks;

static struct {
    int count;
    double at[LONGEST], bytes[LONGEST];
    volatile bool over;
} looked;

static struct {
    int count;
    const char *name[PHASES];
    double begin[PHASES], end[PHASES];
} phase;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *look(void *nothing)
{
    while (!looked.over && looked.count < LONGEST) {
        long pages = 0;
        FILE *from = fopen("/proc/self/statm", "r");
        if (from && fscanf(from, "%*d %ld", &pages) != 1)
            pages = 0;
        if (from)
            fclose(from);
        looked.at[looked.count] = now();
        looked.bytes[looked.count++] = (double)pages * (double)sysconf(_SC_PAGESIZE);
        usleep(10000);
    }
    return nothing;
}

static void must(surekrig_status status, const surekrig_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "rank %d: %s\n", rank, error->sentence);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void add_phase(const char *name, double begin, double end)
{
    phase.name[phase.count] = name;
    phase.begin[phase.count] = begin;
    phase.end[phase.count++] = end;
}

static io_reader *open_part(const char *path)
{
    surekrig_error error;
    io_tables tables = {1, &path, NULL};
    io_part_count own, *all = malloc((size_t)size * sizeof *all);
    io_reader *reader = NULL;
    must(io_count_part(&tables, rank, size, &own, &error), &error);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    must(io_open_part(&tables, rank, size, all, &reader, &error), &error);
    free(all);
    return reader;
}

typedef struct rows {
    int64_t n, d;
    double *x, *y;
    double dealt; /* when they were */
} rows;

static void read_rows(const char *path, rows *r)
{
    surekrig_error error;
    io_reader *reader = open_part(path);
    int64_t room = io_rows_left(reader) + ROWS, width = io_columns(reader), more = 1;
    double *block = malloc((size_t)(ROWS * width) * sizeof *block);
    r->d = width - 1;
    r->x = malloc((size_t)(room * r->d) * sizeof *r->x);
    r->y = malloc((size_t)room * sizeof *r->y);
    while (more > 0) {
        must(io_read(reader, ROWS, block, &more, &error), &error);
        for (int64_t i = 0; i < more; i++, r->n++) {
            memcpy(r->x + r->n * r->d, block + i * width, (size_t)r->d * sizeof *block);
            r->y[r->n] = block[i * width + r->d];
        }
    }
    free(block);
    io_close(reader);
}

static void free_rows(void *of)
{
    rows *r = of;
    free(r->x);
    free(r->y);
    r->dealt = now();
}

static surekrig_model *fit(rows *r, int words, char **word)
{
    surekrig_error error;
    surekrig_settings *settings = NULL;
    surekrig_model *model = NULL;
    must(surekrig_settings_new(&settings, &error), &error);
    for (int i = 0; i < words; i++) {
        char *value = strchr(word[i], '=');
        if (value)
            *value++ = 0;
        must(surekrig_settings_set(settings, word[i], value ? value : "yes", &error), &error);
    }
    surekrig_data data = {.n = r->n, .d = r->d, .l = 1, .x = r->x, .y = r->y, .ranks = ranks};
    surekrig_mpi_when_dealt(ranks, free_rows, r);
    double begun = now();
    r->dealt = begun;
    must(surekrig_fit(&data, settings, NULL, &model, &error), &error);
    if (size == 1)
        free_rows(r), r->dealt = begun;
    double end = now(), indexed = r->dealt + surekrig_model_info(model)->phase[0].seconds;
    add_phase("dealt out", begun, r->dealt);
    add_phase("indexed", r->dealt, indexed);
    add_phase("fitted", indexed, end);
    surekrig_settings_free(settings);
    return model;
}

static void predict(const surekrig_model *model, const char *path)
{
    surekrig_error error;
    io_reader *reader = open_part(path);
    int64_t d = surekrig_model_info(model)->d, here = 1, any = 1;
    int *column = malloc((size_t)d * sizeof *column);
    double *x = malloc((size_t)(ROWS * d) * sizeof *x), *made = malloc(4 * ROWS * sizeof *made), level = 0.95;
    for (int i = 0; i < d; i++)
        column[i] = i;
    must(io_select(reader, (int)d, column, &error), &error);
    while (any) {
        if (here)
            must(io_read(reader, ROWS, x, &here, &error), &error);
        MPI_Allreduce(&here, &any, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        surekrig_query query = {.n = here, .x = x, .levels = 1, .level = &level, .apart = 1};
        surekrig_prediction out = {.mean = made, .sd = made + ROWS, .lower = made + 2 * ROWS, .upper = made + 3 * ROWS};
        if (any)
            must(surekrig_predict(model, &query, NULL, &out, &error), &error);
    }
    io_close(reader);
    free(column);
    free(made);
    free(x);
}

/* Of the slowest rank, and of the largest. */
static void print_phases(void)
{
    for (int i = 0; i < phase.count; i++) {
        double own[2] = {phase.end[i] - phase.begin[i], 0}, most[2];
        for (int j = 0; j < looked.count; j++)
            if (looked.at[j] >= phase.begin[i] - 0.01 && looked.at[j] <= phase.end[i] + 0.01)
                own[1] = fmax(own[1], looked.bytes[j]);
        MPI_Reduce(own, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("| %s | %.2f | %.0f |\n", phase.name[i], most[0], most[1] / 1e6);
    }
}

int main(int count, char **word)
{
    surekrig_error error;
    surekrig_model *model = NULL;
    pthread_t thread;
    rows r = {0};
    MPI_Init(&count, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (count < 4) {
        fputs("bench_mpi TRAIN.npy POINTS.npy MODEL [NAME=VALUE ...]\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    must(surekrig_mpi_ranks(MPI_COMM_WORLD, &ranks, &error), &error);
    if (pthread_create(&thread, NULL, look, NULL))
        MPI_Abort(MPI_COMM_WORLD, 1);
    double begun = now();
    read_rows(word[1], &r);
    add_phase("read", begun, now());
    model = fit(&r, count - 4, word + 4);
    begun = now();
    must(surekrig_model_save_parts(model, word[3], &error), &error);
    add_phase("saved", begun, now());
    surekrig_model_free(model);
    begun = now();
    must(surekrig_mpi_load(ranks, word[3], &model, &error), &error);
    add_phase("loaded", begun, now());
    begun = now();
    predict(model, word[2]);
    add_phase("predicted", begun, now());
    looked.over = true;
    pthread_join(thread, NULL);
    print_phases();
    surekrig_model_free(model);
    surekrig_mpi_free(ranks);
    MPI_Finalize();
    return 0;
}
