/* io: numbers as text beside libc and C++'s charconv, and whole files: the processor's seconds, in the best of several
 * runs. Arguments: files to read, to time those too. */
#include "base/base.h"
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 15, NUMBERS = 200000, WIDTH = 40 };

double charconv_parse(const char *text, size_t length);
size_t charconv_print(double value, char *text);

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double best_seconds(void (*work)(void *), void *context, int runs)
{
    double best = INFINITY;
    for (int i = 0; i < runs; i++) {
        double start = processor_seconds();
        work(context);
        best = fmin(best, processor_seconds() - start);
    }
    return best;
}

/* ---- numbers */

typedef struct numbers {
    double value[NUMBERS], sum;
    char text[NUMBERS][WIDTH]; /* each ends in a comma */
    size_t length[NUMBERS], bytes;
} numbers;

static double seven_digits(uint64_t i)
{
    return round((sk_uniform(1, 1, i) * 360 - 180) * 1e5) / 1e5;
}

static double seventeen_digits(uint64_t i)
{
    return sk_uniform(1, 1, i) * 360 - 180;
}

/* Every exponent alike. */
static double any_size(uint64_t i)
{
    return ldexp(1 + sk_uniform(1, 1, i), (int)(2046 * sk_uniform(1, 2, i)) - 1022);
}

static numbers *make_numbers(double (*make)(uint64_t i))
{
    numbers *all = calloc(1, sizeof *all);
    for (int i = 0; i < NUMBERS; i++) {
        all->value[i] = make((uint64_t)i);
        all->length[i] = io_print_number(all->value[i], all->text[i]);
        all->text[i][all->length[i]] = ',';
        all->bytes += all->length[i] + 1;
    }
    return all;
}

static void parse_ours(void *context)
{
    numbers *all = context;
    for (int i = 0; i < NUMBERS; i++) {
        double value = 0;
        io_parse_number(all->text[i], all->length[i], &value);
        all->sum += value;
    }
}

static void parse_libc(void *context)
{
    numbers *all = context;
    for (int i = 0; i < NUMBERS; i++)
        all->sum += strtod(all->text[i], NULL);
}

static void parse_charconv(void *context)
{
    numbers *all = context;
    for (int i = 0; i < NUMBERS; i++)
        all->sum += charconv_parse(all->text[i], all->length[i]);
}

static void print_ours(void *context)
{
    numbers *all = context;
    char text[WIDTH];
    for (int i = 0; i < NUMBERS; i++)
        all->sum += (double)io_print_number(all->value[i], text);
}

static void print_libc(void *context)
{
    numbers *all = context;
    char text[WIDTH];
    for (int i = 0; i < NUMBERS; i++)
        all->sum += snprintf(text, sizeof text, "%.17g", all->value[i]);
}

static void print_charconv(void *context)
{
    numbers *all = context;
    char text[WIDTH];
    for (int i = 0; i < NUMBERS; i++)
        all->sum += (double)charconv_print(all->value[i], text);
}

static void bench_numbers(const char *what, double (*make)(uint64_t i))
{
    numbers *all = make_numbers(make);
    double ours = best_seconds(parse_ours, all, RUNS), libc = best_seconds(parse_libc, all, RUNS);
    double charconv = best_seconds(parse_charconv, all, RUNS);
    printf("read %-18s %6.1f ns %6.0f MB/s   strtod %6.1f ns, ratio %4.1f   from_chars %6.1f ns, ratio %4.1f\n", what,
           1e9 * ours / NUMBERS, 1e-6 * (double)all->bytes / ours, 1e9 * libc / NUMBERS, libc / ours,
           1e9 * charconv / NUMBERS, charconv / ours);
    ours = best_seconds(print_ours, all, RUNS), libc = best_seconds(print_libc, all, RUNS);
    charconv = best_seconds(print_charconv, all, RUNS);
    printf("print %-17s %6.1f ns %6.1f M/s    printf %6.1f ns, ratio %4.1f   to_chars   %6.1f ns, ratio %4.1f\n", what,
           1e9 * ours / NUMBERS, 1e-6 * NUMBERS / ours, 1e9 * libc / NUMBERS, libc / ours, 1e9 * charconv / NUMBERS,
           charconv / ours);
    free(all);
}

/* ---- files */

typedef struct file_job {
    const char *path;
    int64_t rows;
    const double *value; /* [rows][3] */
} file_job;

static void stop_on(surekrig_status status, const surekrig_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", error->sentence);
    exit(1);
}

static void read_file(void *context)
{
    enum { AT_ONCE = 16384 };
    file_job *job = context;
    surekrig_error error;
    io_reader *reader = NULL;
    stop_on(io_open(job->path, NULL, &reader, &error), &error);
    double *value = malloc((size_t)io_columns(reader) * AT_ONCE * sizeof *value);
    job->rows = 0;
    for (int64_t rows = 1; rows > 0; job->rows += rows)
        stop_on(io_read(reader, AT_ONCE, value, &rows, &error), &error);
    free(value);
    io_close(reader);
}

static void write_file(void *context)
{
    const file_job *job = context;
    surekrig_error error;
    io_writer *writer = NULL;
    stop_on(io_create(job->path, 3, (const char *const[]){"x", "y", "z"}, &writer, &error), &error);
    stop_on(io_write(writer, job->rows, job->value, &error), &error);
    stop_on(io_commit(writer, &error), &error);
}

static double megabytes(const char *path)
{
    FILE *file = fopen(path, "rb");
    double bytes = file && fseek(file, 0, SEEK_END) == 0 ? (double)ftell(file) : 0;
    if (file)
        fclose(file);
    return 1e-6 * bytes;
}

static void bench_reading(const char *what, const char *path)
{
    file_job job = {.path = path};
    double seconds = best_seconds(read_file, &job, RUNS), size = megabytes(path);
    printf("read %-25s %9lld rows %7.1f MB %8.2f ms %6.0f MB/s\n", what, (long long)job.rows, size, 1e3 * seconds,
           size / seconds);
}

static void bench_files(const char *what, double (*make)(uint64_t i), int64_t rows)
{
    char path[64]; /* in memory */
    snprintf(path, sizeof path, "/dev/shm/bench-io-%ld.%.3s", (long)getpid(), what);
    double *value = malloc((size_t)(3 * rows) * sizeof *value);
    for (int64_t i = 0; i < 3 * rows; i++)
        value[i] = make((uint64_t)i);
    file_job job = {path, rows, value};
    double seconds = best_seconds(write_file, &job, 3), size = megabytes(path);
    printf("write %-24s %9lld rows %7.1f MB %8.2f ms %6.0f MB/s\n", what, (long long)rows, size, 1e3 * seconds,
           size / seconds);
    bench_reading(what, path);
    unlink(path);
    free(value);
}

int main(int count, char **word)
{
    io_prepare_numbers();
    bench_numbers("of 7 digits", seven_digits);
    bench_numbers("of 17 digits", seventeen_digits);
    bench_numbers("of any size", any_size);
    bench_files("csv of 7 digits", seven_digits, 1000000);
    bench_files("csv of 17 digits", seventeen_digits, 1000000);
    bench_files("npy", seventeen_digits, 1000000);
    for (int i = 1; i < count; i++) {
        const char *slash = strrchr(word[i], '/');
        bench_reading(slash ? slash + 1 : word[i], word[i]);
    }
    return 0;
}
