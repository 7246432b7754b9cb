/* Maps of a field on a grid of places: the data with their gaps, the filled mean, its standard deviation, and the error
 * at the test points, from the predictions that the first trial left. */
#include "inside.h"

#include "io.h"

#include <stdlib.h>
#include <string.h>

void ex_predictions_name(const ex_run *r, const ex_trial *t, char name[128])
{
    name[0] = 0;
    if (r->study->files && t->number == 1 && !strcmp(t->method->loss, "mm"))
        snprintf(name, 128, "predictions-%s-%s-%s.csv", t->scenario->name, t->method->loss, t->method->preset);
}

/* ---- the grid that the places stand on */

typedef struct axis {
    int count;
    double *at; /* [count], rising */
} axis;

static bool find_axis(const ex_dataset *data, int which, axis *a)
{
    int64_t n = data->n + data->m;
    a->at = malloc((size_t)n * sizeof *a->at);
    for (int64_t i = 0; a->at && i < n; i++)
        a->at[i] = data->x[i * data->d + which];
    if (!a->at)
        return false;
    a->count = (int)report_distinct(n, a->at);
    return true;
}

static int place_on(const axis *a, double value)
{
    int low = 0, high = a->count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (a->at[middle] <= value)
            low = middle;
        else
            high = middle - 1;
    }
    return low + 1 < a->count && a->at[low + 1] - value < value - a->at[low] ? low + 1 : low;
}

typedef struct pixel {
    double data, mean, sd, error;
} pixel;

static void fill_pixels(const ex_dataset *data, const double *predicted, const axis a[2], pixel *pixels)
{
    for (int64_t i = 0; i < (int64_t)a[0].count * a[1].count; i++)
        pixels[i] = (pixel){NAN, NAN, NAN, NAN};
    for (int64_t i = 0; i < data->n + data->m; i++) {
        pixel *p = &pixels[place_on(&a[1], data->x[2 * i + 1]) * (int64_t)a[0].count + place_on(&a[0], data->x[2 * i])];
        if (i < data->n) {
            p->data = p->mean = data->y[i];
        } else {
            const double *of = predicted + 2 * (i - data->n);
            *p = (pixel){p->data, of[0], of[1], of[0] - data->y[i]};
        }
    }
}

/* ---- files */

static void write_pixels(FILE *to, const axis a[2], const pixel *pixels)
{
    fputs("# x, y, data, filled mean, standard deviation, mean less truth\n", to);
    for (int j = 0; j < a[1].count; j++)
        for (int i = 0; i < a[0].count; i++) {
            const pixel *p = &pixels[(int64_t)j * a[0].count + i];
            fprintf(to, "%.6f %.6f %.5g %.5g %.4g %.4g\n", a[0].at[i], a[1].at[j], p->data, p->mean, p->sd, p->error);
        }
}

static int by_size(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

/* The share of |values| of a column below which the colours tell apart; the rest has the end's colour. */
static double scale_of(const double *value, int64_t n, int step, double share)
{
    double *copy = malloc((size_t)n * sizeof *copy), result = 1;
    for (int64_t i = 0; copy && i < n; i++)
        copy[i] = value[i * step];
    if (copy) {
        qsort(copy, (size_t)n, sizeof *copy, by_size);
        result = fabs(copy[(int64_t)(share * (double)(n - 1))]);
    }
    free(copy);
    return result > 0 ? result : 1;
}

static void write_map(FILE *to, const char *name, const char *title, int column)
{
    fprintf(to, "set title '%s'\nplot '%s.dat' using 1:2:%d with image notitle\n", title, name, column);
}

static surekrig_status write_script(ex_run *r, const ex_trial *t, const axis a[2], const double *predicted,
                                    surekrig_error *error)
{
    static const char DIVERGING[] =
        "set palette defined (-1 '#053061', -0.5 '#4393c3', 0 '#f7f7f7', 0.5 '#d6604d', 1 '#67001f')\n";
    const ex_dataset *data = &r->source;
    double low = scale_of(data->y, data->n, 1, 0.005), high = scale_of(data->y, data->n, 1, 0.995);
    double sd = scale_of(predicted + 1, data->m, 2, 0.99);
    char name[64], caption[640];
    ex_output o;
    snprintf(name, sizeof name, "maps-%s-%s", t->scenario->name, t->method->preset);
    surekrig_status status = ex_script_open(r, name, 1040, 700, &o, error);
    if (status)
        return status;
    fprintf(o.to,
            "set multiplot layout 2,2 margins char 6, char 9, char 3, char 3 spacing char 14, char 4\nunset grid\nset "
            "border 15\nset object 1 rectangle from graph 0,0 to graph 1,1 "
            "behind fc rgb '#d9d9d9' fs noborder\nset xrange [%.6f:%.6f]\nset yrange [%.6f:%.6f]\nset size ratio "
            "-1\nset xtics 1\nset ytics 1\n",
            a[0].at[0], a[0].at[a[0].count - 1], a[1].at[0], a[1].at[a[1].count - 1]);
    report_viridis(o.to);
    fprintf(o.to, "set cbrange [%.4g:%.4g]\n", low, high);
    write_map(o.to, name, "data, with gaps", 3);
    write_map(o.to, name, "filled mean", 4);
    fprintf(o.to, "set cbrange [0:%.3g]\n", sd);
    write_map(o.to, name, "standard deviation of the prediction", 5);
    fprintf(o.to, "%sset cbrange [%.3g:%.3g]\n", DIVERGING, -2 * sd, 2 * sd);
    write_map(o.to, name, "error: mean less held-out value", 6);
    snprintf(caption, sizeof caption,
             "Case %s, %s, preset %s, trial 1. Grey: no value. Colours end at the 0.5 and 99.5 %% points of the data, "
             "the 99 %% point of the "
             "standard deviation, and twice that for the error.",
             t->scenario->name, t->method->label, t->method->preset);
    return ex_script_close(r, &o, name, caption, error);
}

static surekrig_status write_grid(ex_run *r, const ex_trial *t, const axis a[2], const double *predicted,
                                  surekrig_error *error)
{
    pixel *pixels = malloc((size_t)a[0].count * (size_t)a[1].count * sizeof *pixels);
    char file[96];
    ex_output o;
    if (!pixels)
        return ex_no_memory(error);
    fill_pixels(&r->source, predicted, a, pixels);
    snprintf(file, sizeof file, "figures/maps-%s-%s.dat", t->scenario->name, t->method->preset);
    surekrig_status status = ex_output_open(r, file, &o, error);
    if (!status) {
        write_pixels(o.to, a, pixels);
        status = ex_output_commit(&o, error);
    }
    free(pixels);
    return status ? status : write_script(r, t, a, predicted, error);
}

/* predicted: [m][2] */
static surekrig_status read_predictions(const ex_run *r, const ex_trial *t, double *predicted, surekrig_error *error)
{
    char name[128], path[EX_PATH_SIZE];
    io_reader *reader = NULL;
    int64_t got = 0, rows = 1;
    ex_predictions_name(r, t, name);
    ex_path_in(r, name, path);
    surekrig_status status = io_open(path, NULL, &reader, error);
    for (; !status && rows > 0 && got < r->source.m; got += rows)
        status = io_read(reader, r->source.m - got, predicted + 2 * got, &rows, error);
    if (!status && (io_columns(reader) != 2 || got != r->source.m))
        status = ex_fail(error, SUREKRIG_FILE,
                         "%s does not fit the test points: remove it, and the same command makes it anew", path);
    io_close(reader);
    return status;
}

surekrig_status ex_map_figure(ex_run *r, const ex_trial *t, surekrig_error *error)
{
    axis a[2] = {{0, NULL}, {0, NULL}};
    double *predicted = malloc(((size_t)r->source.m + 1) * 2 * sizeof *predicted);
    surekrig_status status = predicted ? SUREKRIG_OK : ex_no_memory(error);
    if (!status && r->source.d == 2) {
        if (!find_axis(&r->source, 0, &a[0]) || !find_axis(&r->source, 1, &a[1]))
            status = ex_no_memory(error);
        /* scattered places have no map of pixels */
        bool grid = !status && (int64_t)a[0].count * a[1].count <= 4 * (r->source.n + r->source.m);
        if (grid)
            status = read_predictions(r, t, predicted, error);
        if (grid && !status)
            status = write_grid(r, t, a, predicted, error);
    }
    free(a[0].at);
    free(a[1].at);
    free(predicted);
    return status;
}
