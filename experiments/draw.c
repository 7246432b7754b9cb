/* Data sets: numbers drawn by place, so that a trial needs no other's; and the files of the temperatures. */
#include "inside.h"

#include "io.h"

#include <stdlib.h>
#include <string.h>

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014) over a counter. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double ex_uniform(uint64_t seed, uint32_t stream, uint64_t index)
{
    uint64_t key = mix(mix(seed + 0x9e3779b97f4a7c15u) + stream);
    return ((double)(mix(key + 0x9e3779b97f4a7c15u * (index + 1)) >> 12) + 0.5) * 0x1p-52;
}

double ex_normal(uint64_t seed, uint32_t stream, uint64_t index) /* Box and Muller */
{
    return sqrt(-2 * log(ex_uniform(seed, stream, 2 * index))) *
           cos(6.283185307179586 * ex_uniform(seed, stream, 2 * index + 1));
}

surekrig_status ex_dataset_alloc(ex_dataset *data, int64_t n, int64_t m, int64_t d, surekrig_error *error)
{
    size_t all = (size_t)(n + m);
    *data = (ex_dataset){.n = n, .m = m, .d = d};
    data->x = malloc((all * (size_t)d + 1) * sizeof *data->x);
    data->y = malloc((all + 1) * sizeof *data->y);
    if (data->x && data->y)
        return SUREKRIG_OK;
    ex_dataset_free(data);
    return ex_no_memory(error);
}

void ex_dataset_free(ex_dataset *data)
{
    free(data->x);
    free(data->y);
    free(data->trend);
    *data = (ex_dataset){0};
}

/* ---- files: every column a feature but the last, which is the response */

typedef struct rows {
    int64_t n, capacity;
    int width;
    double *value; /* [capacity][width] */
} rows;

static surekrig_status read_rows(io_reader *reader, rows *to, surekrig_error *error)
{
    enum { AT_ONCE = 8192 };
    surekrig_status status = SUREKRIG_OK;
    to->width = io_columns(reader);
    for (int64_t got = 1; !status && got > 0;) {
        if (to->n + AT_ONCE > to->capacity) {
            to->capacity = 2 * to->capacity + AT_ONCE;
            double *grown = realloc(to->value, (size_t)to->capacity * (size_t)to->width * sizeof *grown);
            if (!grown)
                return ex_no_memory(error);
            to->value = grown;
        }
        status = io_read(reader, AT_ONCE, to->value + to->n * to->width, &got, error);
        to->n += status ? 0 : got;
    }
    return status;
}

static surekrig_status read_file(const char *path, rows *to, surekrig_error *error)
{
    io_reader *reader = NULL;
    surekrig_status status = io_open(path, NULL, &reader, error);
    if (!status)
        status = read_rows(reader, to, error);
    io_close(reader);
    for (int64_t i = 0; !status && i < to->n * to->width; i++)
        if (!isfinite(to->value[i]))
            status = ex_fail(error, SUREKRIG_DATA, "%s, row %lld: a value is missing or not finite", path,
                             (long long)(i / to->width + 1));
    if (!status && (to->width < 2 || to->n < 2))
        status = ex_fail(error, SUREKRIG_DATA,
                         "%s has %d columns and %lld rows: features, a response and two rows are needed", path,
                         to->width, (long long)to->n);
    return status;
}

static void take_apart(const rows *from, int64_t first, ex_dataset *data)
{
    for (int64_t i = 0; i < from->n; i++) {
        memcpy(data->x + (first + i) * data->d, from->value + i * from->width, (size_t)data->d * sizeof *data->x);
        data->y[first + i] = from->value[i * from->width + data->d];
    }
}

surekrig_status ex_read_files(ex_run *r, surekrig_error *error)
{
    rows train = {0}, test = {0};
    surekrig_status status = read_file(r->options->train, &train, error);
    if (!status)
        status = read_file(r->options->test, &test, error);
    if (!status && train.width != test.width)
        status = ex_fail(error, SUREKRIG_DATA, "%s has %d columns, %s has %d", r->options->train, train.width,
                         r->options->test, test.width);
    if (!status)
        status = ex_dataset_alloc(&r->source, train.n, test.n, train.width - 1, error);
    if (!status) {
        take_apart(&train, 0, &r->source);
        take_apart(&test, train.n, &r->source);
    }
    free(train.value);
    free(test.value);
    return status;
}
