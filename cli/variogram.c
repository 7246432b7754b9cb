/* The empirical variogram of a table, or of a model's data beside the model's own. */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of more rows than MOST_ROWS so many are drawn at random, and all their pairs count: a second. */
enum { MOST_ROWS = 10000, MOST_CLASSES = 1000, STEPS = 200 };

typedef struct variogram {
    int64_t n, d, l;
    const double *x, *y; /* [n][d], [n][l] */
    const char *const *x_names, *const *y_names;
    cli_training table;    /* of a table, or */
    surekrig_model *model; /* of a model; NULL: none */
    double *place, *rest;  /* [n][coordinates], [n][l] less the trend */
    int64_t coordinates;
    double length;    /* of a length scale, in these coordinates */
    const char *unit; /* of distances, in words */
    bool robust;
    int classes;
    double cutoff;
    double *distance, *pairs; /* [classes]: mean, and how many */
    double *semivariance;     /* [l][classes] */
    double *fitted;           /* [l][classes], or NULL */
} variogram;

static void free_variogram(variogram *v)
{
    cli_free_training(&v->table);
    surekrig_model_free(v->model);
    free(v->place);
    free(v->rest);
    free(v->distance);
    free(v->pairs);
    free(v->semivariance);
    free(v->fitted);
}

/* ---- places and values */

static surekrig_status read_table(const cli_call *call, variogram *v, surekrig_error *error)
{
    surekrig_status status = cli_read_training(call, &v->table, error);
    const cli_training *t = &v->table;
    v->n = t->n;
    v->d = v->coordinates = t->d;
    v->l = t->l;
    v->x = t->x;
    v->y = t->y;
    v->x_names = (const char *const *)t->x_names;
    v->y_names = (const char *const *)t->y_names;
    bool degrees = !status && t->d == 2 && (cli_is_longitude(t->x_names[0]) || cli_is_longitude(t->x_names[1])) &&
                   (cli_is_latitude(t->x_names[0]) || cli_is_latitude(t->x_names[1]));
    v->unit = degrees ? "distance in degrees, as in a plane" : "distance, in the features' units";
    if (degrees && !cli_value(call, "quiet"))
        fprintf(stderr, "surekrig variogram: %s; that of a model on the sphere is in km\n", v->unit);
    return status;
}

/* The columns of one part of the metric, from coordinate `at` on; how many. One length scale leaves them in their unit,
 * else they are in length scales. */
static int64_t lay_part(variogram *v, const cli_metric_part *part, int64_t at, bool one, double *pair)
{
    double unit = one ? 1 : part->rho;
    int64_t lon = part->feature[0], lat = part->feature[1], width = lat < 0 ? 1 : 3;
    if (lat >= 0) {
        surekrig_sphere sphere;
        surekrig_sphere_new((double[2]){v->x[lon], v->x[lat]}, &sphere);
        for (int64_t i = 0; i < v->n; i++) {
            double degrees[2] = {v->x[i * v->d + lon], v->x[i * v->d + lat]};
            surekrig_sphere_places(&sphere, 1, degrees, pair);
            for (int a = 0; a < 3; a++)
                v->place[i * v->coordinates + at + a] = pair[a] / unit;
        }
    }
    for (int64_t i = 0; i < v->n && lat < 0; i++)
        v->place[i * v->coordinates + at] = v->x[i * v->d + lon] / unit;
    return width;
}

/* Coordinates as the model's distances are measured, and responses less its trend. */
static surekrig_status read_model(const cli_call *call, variogram *v, surekrig_error *error)
{
    surekrig_status status = surekrig_model_load(call->argument[0], &v->model, error);
    if (status)
        return status;
    const surekrig_info *info = surekrig_model_info(v->model);
    const surekrig_data *data = surekrig_model_data(v->model);
    v->n = data->n;
    v->d = data->d;
    v->l = data->l;
    v->x = data->x;
    v->y = data->y;
    v->x_names = info->x_names;
    v->y_names = info->y_names;
    cli_metric_part *part = malloc((size_t)v->d * sizeof *part);
    int parts = part ? cli_metric_parts(info, part) : 0;
    bool one = !isnan(cli_estimate(info, "rho"));
    for (int i = 0; i < parts; i++)
        v->coordinates += part[i].feature[1] < 0 ? 1 : 3;
    v->place = malloc((size_t)(v->n * v->coordinates) * sizeof *v->place);
    v->rest = malloc((size_t)(v->n * v->l) * sizeof *v->rest);
    if (!part || !v->place || !v->rest) {
        free(part);
        return cli_no_memory(error);
    }
    double pair[3];
    for (int64_t i = 0, at = 0; i < parts; i++)
        at += lay_part(v, &part[i], at, one, pair);
    v->length = one ? part[0].rho : 1;
    v->unit = !one                      ? "distance in the fitted metric, in length scales"
              : part[0].feature[1] >= 0 ? "distance, in km"
                                        : "distance, in the features' units";
    free(part);
    memcpy(v->rest, v->y, (size_t)(v->n * v->l) * sizeof *v->rest);
    for (int64_t a = 0; a < v->d; a++)
        for (int64_t q = 0; q < v->l; q++) {
            char name[80];
            snprintf(name, sizeof name, v->l > 1 ? "trend_%.30s_%.30s" : "trend_%.60s", v->x_names[a], v->y_names[q]);
            double slope = cli_estimate(info, name);
            for (int64_t i = 0; i < v->n && !isnan(slope); i++)
                v->rest[i * v->l + q] -= slope * v->x[i * v->d + a];
        }
    v->x = v->place;
    v->y = v->rest;
    return SUREKRIG_OK;
}

/* ---- pairs */

static double apart(const variogram *v, int64_t i, int64_t j)
{
    double square = 0;
    for (int64_t a = 0; a < v->coordinates; a++) {
        double gap = v->x[i * v->coordinates + a] - v->x[j * v->coordinates + a];
        square += gap * gap;
    }
    return sqrt(square);
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The first `count` of a random order of all rows. */
static int64_t *draw_rows(int64_t n, int64_t count, uint64_t seed)
{
    int64_t *row = malloc(((size_t)n + 1) * sizeof *row);
    for (int64_t i = 0; row && i < n; i++)
        row[i] = i;
    for (int64_t i = 0; row && i < count; i++) {
        int64_t j = i + (int64_t)(next_random(&seed) % (uint64_t)(n - i)), kept = row[i];
        row[i] = row[j];
        row[j] = kept;
    }
    return row;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Half the largest distance; more where in many dimensions all points are far from each other. */
static double usual_cutoff(const variogram *v, uint64_t seed)
{
    enum { SAMPLE = 4000 };
    double *distance = malloc(SAMPLE * sizeof *distance), cutoff = 0;
    for (int i = 0; distance && i < SAMPLE; i++) {
        int64_t a = (int64_t)(next_random(&seed) % (uint64_t)v->n), b = (int64_t)(next_random(&seed) % (uint64_t)v->n);
        distance[i] = apart(v, a, b);
    }
    if (distance) {
        qsort(distance, SAMPLE, sizeof *distance, by_size);
        cutoff = fmax(distance[SAMPLE - 1] / 2, distance[SAMPLE / 4]);
    }
    free(distance);
    return cutoff;
}

static void add_pair(variogram *v, int64_t i, int64_t j)
{
    double h = apart(v, i, j);
    if (!(h < v->cutoff))
        return;
    int c = (int)(h / v->cutoff * v->classes);
    c = c < v->classes ? c : v->classes - 1;
    v->distance[c] += h;
    v->pairs[c]++;
    for (int64_t q = 0; q < v->l; q++) {
        double gap = fabs(v->y[i * v->l + q] - v->y[j * v->l + q]);
        v->semivariance[q * v->classes + c] += v->robust ? sqrt(gap) : gap * gap;
    }
}

/* Half the mean square; robust: N. Cressie and D. M. Hawkins, Robust estimation of the variogram, 1980:
 *   (mean |gap|^(1/2))^4 / (0.457 + 0.494/N) / 2 */
static void settle(variogram *v)
{
    int kept = 0;
    for (int c = 0; c < v->classes; c++) {
        double n = v->pairs[c];
        if (!(n > 0))
            continue;
        v->distance[kept] = v->distance[c] / n;
        v->pairs[kept] = n;
        for (int64_t q = 0; q < v->l; q++) {
            double mean = v->semivariance[q * v->classes + c] / n;
            v->semivariance[q * v->classes + kept] = v->robust ? pow(mean, 4) / (0.457 + 0.494 / n) / 2 : mean / 2;
        }
        kept++;
    }
    for (int64_t q = 1; q < v->l; q++)
        memmove(v->semivariance + q * kept, v->semivariance + q * v->classes, (size_t)kept * sizeof(double));
    v->classes = kept;
}

static surekrig_status compute(const cli_call *call, variogram *v, surekrig_error *error)
{
    uint64_t seed = 1;
    surekrig_status status = cli_seed(call, &seed, error);
    if (!status && v->n < 2)
        status = cli_error(error, SUREKRIG_DATA, "%s has %lld rows with all values: at least 2 are needed",
                           call->argument[0], (long long)v->n);
    if (status)
        return status;
    int64_t rows = v->n < MOST_ROWS ? v->n : MOST_ROWS, *row = draw_rows(v->n, rows < v->n ? rows : 0, seed);
    v->distance = calloc((size_t)v->classes, sizeof(double));
    v->pairs = calloc((size_t)v->classes, sizeof(double));
    v->semivariance = calloc((size_t)(v->classes * v->l), sizeof(double));
    if (!row || !v->distance || !v->pairs || !v->semivariance) {
        free(row);
        return cli_no_memory(error);
    }
    v->cutoff = v->cutoff > 0 ? v->cutoff : usual_cutoff(v, seed);
    for (int64_t i = 0; i < rows && !cli_interrupted(); i++)
        for (int64_t j = i + 1; j < rows; j++)
            add_pair(v, row[i], row[j]);
    free(row);
    settle(v);
    if (!v->classes)
        return cli_error(error, SUREKRIG_DATA,
                         "no two points looked at are less than %g apart: a larger --cutoff is needed", v->cutoff);
    if (rows < v->n && !cli_value(call, "quiet"))
        fprintf(stderr, "surekrig variogram: %lld of the %lld rows, drawn at random\n", (long long)rows,
                (long long)v->n);
    return SUREKRIG_OK;
}

/* ---- the model's */

/* gamma2 (tau2 + 1 - correlation), and known noise; at the distances, into fitted [n] */
static surekrig_status fit_curve(const variogram *v, int64_t q, int64_t n, const double *distance, double *fitted,
                                 surekrig_error *error)
{
    const surekrig_info *info = surekrig_model_info(v->model);
    const double *noise = surekrig_model_data(v->model)->noise;
    double *scaled = malloc(((size_t)n + 1) * sizeof *scaled), tau2 = cli_estimate(info, "tau2"), known = 0;
    char name[80];
    snprintf(name, sizeof name, v->l > 1 ? "gamma2_%s" : "gamma2", v->y_names[q]);
    double gamma2 = cli_estimate(info, name);
    for (int64_t i = 0; noise && i < v->n; i++)
        known += noise[i] / (double)v->n;
    for (int64_t i = 0; scaled && i < n; i++)
        scaled[i] = distance[i] / v->length;
    surekrig_status status = scaled ? cli_correlation(info, n, scaled, fitted, error) : cli_no_memory(error);
    for (int64_t i = 0; i < n && !status; i++)
        fitted[i] = known + gamma2 * (tau2 + 1 - fitted[i]);
    free(scaled);
    return status;
}

static surekrig_status fit_classes(variogram *v, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    v->fitted = v->model ? calloc((size_t)(v->classes * v->l) + 1, sizeof *v->fitted) : NULL;
    if (v->model && !v->fitted)
        return cli_no_memory(error);
    for (int64_t q = 0; v->model && q < v->l && !status; q++)
        status = fit_curve(v, q, v->classes, v->distance, v->fitted + q * v->classes, error);
    return status;
}

/* ---- outputs */

static char *column_name(const void *of, int column)
{
    static const char *const WORDS[] = {"semivariance", "model", NULL};
    const variogram *v = of;
    surekrig_info names = {.l = v->l, .y_names = v->y_names};
    int each = v->model ? 2 : 1, at = column - 2;
    return column < 2 ? strdup(column ? "pairs" : "distance") : cli_output_name(&names, WORDS, at % each, at / each);
}

static surekrig_status write_table(const cli_call *call, const variogram *v, surekrig_error *error)
{
    int columns = 2 + (v->model ? 2 : 1) * (int)v->l;
    io_writer *writer = NULL;
    double *row = malloc((size_t)columns * sizeof *row);
    surekrig_status status = row ? cli_create(cli_value(call, "output"), columns, column_name, v, &writer, error)
                                 : cli_no_memory(error);
    for (int c = 0; c < v->classes && !status; c++) {
        int at = 0;
        row[at++] = v->distance[c];
        row[at++] = v->pairs[c];
        for (int64_t q = 0; q < v->l; q++) {
            row[at++] = v->semivariance[q * v->classes + c];
            if (v->model)
                row[at++] = v->fitted[q * v->classes + c];
        }
        status = io_write(writer, 1, row, error);
    }
    free(row);
    return status;
}

static surekrig_status draw(const cli_call *call, const variogram *v, surekrig_error *error)
{
    double step[STEPS], curve[STEPS];
    char response[200];
    report_picture *picture;
    surekrig_status status = SUREKRIG_OK;
    if (v->l > 1)
        return cli_usage(error, "a picture shows one response, and there are %lld: a table (-o OUT.csv) has them all",
                         (long long)v->l);
    if (!report_gnuplot_there())
        return cli_error(error, SUREKRIG_FILE, "there is no gnuplot to draw with; %s", report_install);
    for (int i = 0; i < STEPS; i++) /* from next to 0, where the nugget shows */
        step[i] = v->cutoff * fmax(i, 1e-9) / (STEPS - 1);
    if (v->model)
        status = fit_curve(v, 0, STEPS, step, curve, error);
    if (!status)
        status = plot_open(call, &picture, error);
    if (status)
        return status;
    snprintf(response, sizeof response, "semivariance of %s", v->y_names[0]);
    report_variogram_draw(&(report_variogram){.classes = v->classes,
                                              .distance = v->distance,
                                              .semivariance = v->semivariance,
                                              .pairs = v->pairs,
                                              .steps = v->model ? STEPS : 0,
                                              .step = step,
                                              .fitted = curve,
                                              .range = v->model
                                                           ? v->length *
                                                                 cli_practical_range(surekrig_model_info(v->model), "")
                                                           : NAN,
                                              .unit = v->unit,
                                              .response = response,
                                              .title = cli_value(call, "title")},
                          picture);
    return SUREKRIG_OK;
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    const char *output = cli_value(call, "output");
    variogram v = {.robust = cli_value(call, "robust"), .classes = 15};
    bool model = cli_is_model(call->argument[0]);
    for (int i = 0; model && call->command->option[i].name; i++)
        if (call->value[i] && cli_in_list("features,response," CLI_TABLE_NAMES, call->command->option[i].name))
            return cli_usage(error, "--%s goes with a table: a model has its data", call->command->option[i].name);
    if (output && cli_same_file(output, call->argument[0]))
        return cli_usage(error, "the variogram would replace %s", output);
    surekrig_status status = cli_number(call, "cutoff", 1e-300, 1e300, &v.cutoff, error);
    if (!status)
        status = cli_count(call, "classes", MOST_CLASSES, &v.classes, error);
    if (!status)
        status = model ? read_model(call, &v, error) : read_table(call, &v, error);
    if (!status)
        status = compute(call, &v, error);
    if (!status)
        status = fit_classes(&v, error);
    if (!status)
        status = output && report_picture_kind(output) ? draw(call, &v, error) : write_table(call, &v, error);
    if (!status && model && !cli_value(call, "quiet"))
        fprintf(stderr, "surekrig variogram: %s\n", v.unit);
    free_variogram(&v);
    return status;
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "OUT",
     "A table, or a picture where the name ends in .png, .svg or .pdf; default: a table on standard output."},
    {"features", 'x', "NAMES",
     "Columns in which distances are measured; default: every numeric column but the response."},
    {"response", 'y', "NAMES", "Response columns; default: the last column."},
    {"cutoff", 0, "DISTANCE", "Pairs less far apart than this count; default: half the largest distance."},
    {"classes", 0, "N", "Classes of distance, equally wide; default 15."},
    {"robust", 0, NULL, "By Cressie and Hawkins, which outliers move less, instead of mean squares."},
    {"seed", 0, "SEED", "Of the rows drawn where there are more than 10,000; default 1."},
    {"title", 0, "TEXT", "Above the picture; default: none."},
    {"script", 0, NULL, "Keep gnuplot's script and its data beside the picture, as NAME.gp and NAME.gp.dat."},
    CLI_TABLE_OPTIONS,
    {"quiet", 'q', NULL, "No words about columns, rows and units."},
    {0},
};

const cli_command cli_variogram = {
    .name = "variogram",
    .summary = "Tell how differences of a response grow with distance, in data and under a model.",
    .arguments = "DATA|MODEL",
    .least = 1,
    .most = 1,
    .example = "surekrig variogram temp.model -o variogram.png",
    .details =
        "Half the mean squared difference of the response in classes of distance, with the mean distance and the number of\n"
        "pairs of each. Of a MODEL, its data's, less a trend if it has one, beside what the fitted covariance says (of a model\n"
        "that auto averaged, the first one's). Distances are the model's: where each feature has a length scale they are\n"
        "measured in these, and 1 is a length scale; on the sphere they are chords in km. Training looks at neighbours, so the\n"
        "two agree best at short distances. Of more than 10,000 rows so many are drawn at random.",
    .option = OPTIONS,
    .run = run,
};
