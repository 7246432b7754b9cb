/* Pixels of a raster as points with coordinates and covariates. */
#include "steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void fill_free_points(fill_points *p)
{
    free(p->x);
    free(p->y);
    free(p->pixel);
    *p = (fill_points){0};
}

bool fill_make_room(const fill *f, fill_points *p, int64_t more)
{
    if (p->n + more <= p->capacity)
        return true;
    int64_t capacity = p->n + more + p->n / 4;
    double *x = realloc(p->x, (size_t)(capacity * f->d) * sizeof *x);
    p->x = x ? x : p->x;
    double *y = realloc(p->y, (size_t)capacity * sizeof *y);
    p->y = y ? y : p->y;
    int64_t *pixel = realloc(p->pixel, (size_t)capacity * sizeof *pixel);
    p->pixel = pixel ? pixel : p->pixel;
    p->capacity = x && y && pixel ? capacity : p->capacity;
    return x && y && pixel;
}

/* ------------------------------------------------------------------------------------------------------- reading */

typedef struct layer {
    io_raster *raster;
    int band;
} layer;

/* Columns beyond the last are the first ones again, where the raster wraps; value: [rows][columns] of the window. */
static surekrig_status read_layer(const fill *f, layer from, io_window at, double *value, surekrig_error *error)
{
    int64_t all = f->frame.grid.columns, done = 0;
    if (at.column >= 0 && at.column + at.columns <= all)
        return io_raster_read(from.raster, from.band, at, value, error);
    double *part = malloc((size_t)(at.columns * at.rows) * sizeof *part);
    surekrig_status status = part ? SUREKRIG_OK : cli_no_memory(error);
    while (done < at.columns && !status) {
        int64_t column = (at.column + done + all) % all, left = at.columns - done,
                columns = all - column < left ? all - column : left;
        status = io_raster_read(from.raster, from.band, (io_window){column, at.row, columns, at.rows}, part, error);
        for (int64_t r = 0; r < at.rows && !status; r++)
            memcpy(value + r * at.columns + done, part + r * columns, (size_t)columns * sizeof *part);
        done += columns;
    }
    free(part);
    return status;
}

surekrig_status fill_read(fill *f, int band, io_window at, double *value, surekrig_error *error)
{
    return read_layer(f, (layer){f->raster, band}, at, value, error);
}

surekrig_status fill_read_layers(fill *f, int band, io_window at, double *layers, surekrig_error *error)
{
    int64_t pixels = at.columns * at.rows;
    surekrig_status status = fill_read(f, band, at, layers, error);
    for (int c = 0; c < f->covariates && !status; c++)
        status = read_layer(f, (layer){f->covariate[c].raster, f->covariate[c].band}, at, layers + (c + 1) * pixels,
                            error);
    return status;
}

bool fill_has_covariates(const fill *f, const double *layers, int64_t pixels, int64_t pixel)
{
    for (int c = 1; c <= f->covariates; c++)
        if (isnan(layers[c * pixels + pixel]))
            return false;
    return true;
}

static void features(const fill *f, io_window at, int64_t pixel, const double *layers, double *x)
{
    fill_place(&f->frame, at.column + pixel % at.columns, at.row + pixel / at.columns, x);
    for (int c = 0; c < f->covariates; c++)
        x[f->d - f->covariates + c] = layers[(c + 1) * at.columns * at.rows + pixel];
}

static void sort_pixels(const fill *f, const fill_patch *patch, fill_points *valid, fill_points *gaps)
{
    io_window at = patch->at;
    const double *layers = patch->layers;
    int64_t pixels = at.columns * at.rows;
    bool joint = f->way == FILL_JOINT;
    double scale, offset, above = joint ? f->shift[patch->band] : 0;
    io_raster_band_scale(f->raster, patch->band, &scale, &offset);
    for (int64_t i = 0; i < pixels; i++) {
        fill_points *to = isnan(layers[i]) ? gaps : valid;
        if (!to || !fill_has_covariates(f, layers, pixels, i))
            continue;
        features(f, at, i, layers, to->x + to->n * f->d);
        if (joint)
            to->x[to->n * f->d + f->frame.d] = f->time[patch->band];
        to->y[to->n] = scale * layers[i] + offset - above;
        to->pixel[to->n++] = i;
    }
}

surekrig_status fill_take(const fill *f, const fill_patch *patch, fill_points *valid, fill_points *gaps,
                          surekrig_error *error)
{
    int64_t pixels = patch->at.columns * patch->at.rows, missing = 0;
    for (int64_t i = 0; i < pixels; i++)
        missing += isnan(patch->layers[i]);
    int64_t into_gaps = valid == gaps ? pixels : missing; /* one list may take both */
    if ((valid && !fill_make_room(f, valid, pixels - missing)) || (gaps && !fill_make_room(f, gaps, into_gaps)))
        return cli_no_memory(error);
    sort_pixels(f, patch, valid, gaps);
    return SUREKRIG_OK;
}

surekrig_status fill_append(fill *f, int band, io_window at, fill_points *valid, fill_points *gaps,
                            surekrig_error *error)
{
    double *layers = malloc((size_t)(at.columns * at.rows * (1 + f->covariates)) * sizeof *layers);
    surekrig_status status = layers ? fill_read_layers(f, band, at, layers, error) : cli_no_memory(error);
    if (!status)
        status = fill_take(f, &(fill_patch){band, at, layers}, valid, gaps, error);
    free(layers);
    return status;
}

surekrig_status fill_append_steps(fill *f, int band, io_window at, fill_points *valid, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    int first, last;
    fill_window(f, band, &first, &last);
    for (int s = first; s <= last && !status; s++)
        if (s != band && f->way == FILL_JOINT)
            status = fill_append(f, s, at, valid, NULL, error);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- covariates */

static bool same_grid(const io_grid *a, const io_grid *b)
{
    double pixel = fabs(a->transform[1]) + fabs(a->transform[2]) + fabs(a->transform[4]) + fabs(a->transform[5]);
    bool same = a->columns == b->columns && a->rows == b->rows;
    for (int i = 0; i < 6; i++) { /* within a hundredth of a pixel, at the far end too */
        double far = i % 3 == 0 ? 1 : (double)(a->columns + a->rows);
        same &= fabs(a->transform[i] - b->transform[i]) * far < 0.01 * pixel;
    }
    return same;
}

static bool name_taken(const fill *f, const char *name)
{
    for (int i = 0; i < f->covariates; i++)
        if (!strcmp(f->covariate[i].name, name))
            return true;
    return false;
}

/* FILE_BAND; where two files and their bands are called the same, FILE_BAND_2 and so on. */
static char *name_covariate(const fill *f, const io_raster *raster, int band)
{
    const char *path = io_raster_path(raster), *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
    const char *of_band = io_raster_band_name(raster, band);
    size_t room = strlen(path) + strlen(of_band) + 16;
    char *name = malloc(room);
    if (!name)
        return NULL;
    int length = snprintf(name, room, "%.*s_%s", (int)strcspn(stem, "."), stem, of_band);
    for (char *at = name; *at; at++) /* the settings' lists are separated by commas */
        if (*at == ',')
            *at = '_';
    for (int i = 2; name_taken(f, name); i++)
        snprintf(name + length, room - (size_t)length, "_%d", i);
    return name;
}

static surekrig_status add_covariate(fill *f, io_raster *raster, int band, surekrig_error *error)
{
    fill_covariate *grown = realloc(f->covariate, (size_t)(f->covariates + 1) * sizeof *grown);
    if (!grown)
        return cli_no_memory(error);
    f->covariate = grown;
    char *name = name_covariate(f, raster, band);
    if (!name)
        return cli_no_memory(error);
    f->covariate[f->covariates++] = (fill_covariate){raster, band, name};
    return SUREKRIG_OK;
}

static surekrig_status open_covariate(fill *f, const char *path, surekrig_error *error)
{
    io_raster *raster = NULL;
    surekrig_status status = io_raster_open(path, NULL, NULL, &raster, error);
    if (status)
        return status;
    const io_grid *grid = io_raster_grid(raster), *own = &f->frame.grid;
    if (!same_grid(own, grid))
        status = cli_error(error, SUREKRIG_DATA,
                           "%s is not on the raster's grid (%lld x %lld pixels from %.9g, %.9g; the raster "
                           "has %lld x %lld from %.9g, %.9g): gdalwarp brings it there",
                           path, (long long)grid->columns, (long long)grid->rows, grid->transform[0],
                           grid->transform[3], (long long)own->columns, (long long)own->rows, own->transform[0],
                           own->transform[3]);
    int before = f->covariates;
    for (int b = 0; b < io_raster_bands(raster) && !status; b++)
        status = add_covariate(f, raster, b, error);
    if (f->covariates == before) /* else it is closed with the last of its bands */
        io_raster_close(raster);
    return status;
}

surekrig_status fill_open_covariates(fill *f, const char *list, surekrig_error *error)
{
    cli_names paths;
    if (!cli_split_names(list, &paths))
        return cli_no_memory(error);
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; i < paths.count && !status; i++) {
        for (int j = 0; j < i && !status; j++)
            if (!strcmp(paths.name[i], paths.name[j]) || io_same_file(paths.name[i], paths.name[j]))
                status = cli_error(error, SUREKRIG_INVALID, "--covariate names one file twice: %s and %s",
                                   paths.name[j], paths.name[i]);
        status = status ? status : open_covariate(f, paths.name[i], error);
    }
    cli_free_names(&paths);
    return status;
}
