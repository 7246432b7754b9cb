/* What is asked of 'surekrig fill': bands, coordinates, covariates and their roles. */
#include "fill.h"

#include <stdlib.h>
#include <string.h>

static const int64_t ONE_TILE_BELOW = 1 << 22; /* pixels */
enum { TILE = 2048 };

/* --band "2,5", or all of them. */
static surekrig_status choose_bands(fill *f, surekrig_error *error)
{
    const char *list = cli_value(f->call, "band");
    int all = io_raster_bands(f->raster);
    f->band = calloc((size_t)all, sizeof *f->band);
    if (!f->band)
        return cli_no_memory(error);
    for (int i = 0; i < all && !list; i++)
        f->band[f->bands++].number = i;
    for (const char *at = list; at; at = *at ? at + 1 : NULL) {
        char *end;
        long number = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || number < 1 || number > all || f->bands == all)
            return cli_error(error, SUREKRIG_INVALID,
                             "--band takes different numbers from 1 to %d, separated by commas, not '%s'", all, list);
        for (int i = 0; i < f->bands; i++)
            if (f->band[i].number == number - 1)
                return cli_error(error, SUREKRIG_INVALID, "band %ld is named twice", number);
        f->band[f->bands++].number = (int)number - 1;
        at = end;
    }
    return SUREKRIG_OK;
}

/* --sphere, or where coordinates are degrees. */
static surekrig_status choose_frame(fill *f, surekrig_error *error)
{
    const char *asked = cli_value(f->call, "sphere");
    const io_grid *grid = io_raster_grid(f->raster);
    bool sphere = asked && strcmp(asked, "auto") != 0 ? !strcmp(asked, "yes") : grid->geographic;
    if (sphere && !grid->geographic)
        return cli_error(error, SUREKRIG_INVALID,
                         "%s is not in degrees of longitude and latitude: its distances are those of the plane",
                         io_raster_path(f->raster));
    fill_frame_new(grid, sphere, &f->frame);
    f->tile = grid->columns * grid->rows <= ONE_TILE_BELOW ? (grid->columns > grid->rows ? grid->columns : grid->rows)
                                                           : TILE;
    const char *tile = getenv("SUREKRIG_TILE"); /* for tests: the result must not depend on it */
    f->tile = tile && atoi(tile) > 0 ? atoi(tile) : f->tile;
    return SUREKRIG_OK;
}

/* Joins names with commas; the caller's to free. */
static char *join(const char *const *name, int count)
{
    size_t room = 1;
    for (int i = 0; i < count; i++)
        room += strlen(name[i]) + 1;
    char *list = calloc(room, 1);
    for (int i = 0; list && i < count; i++) {
        strcat(list, i ? "," : "");
        strcat(list, name[i]);
    }
    return list;
}

/* Covariates serve the trend, unless the user says otherwise (--trend), and places the distances. */
static surekrig_status give_roles(fill *f, surekrig_error *error)
{
    surekrig_settings *settings = f->call->settings;
    char *places = join(f->names, f->frame.d), *trend = join(f->names + f->frame.d, f->covariates);
    surekrig_status status = places && trend ? SUREKRIG_OK : cli_no_memory(error);
    if (!status)
        status = surekrig_settings_set(settings, "mean", "trend", error);
    if (!status && !strcmp(surekrig_settings_get(settings, "trend"), "all"))
        status = surekrig_settings_set(settings, "trend", trend, error);
    if (!status)
        status = surekrig_settings_set(settings, "distance", places, error);
    free(places);
    free(trend);
    return status;
}

static surekrig_status name_features(fill *f, surekrig_error *error)
{
    f->d = f->frame.d + f->covariates;
    f->names = malloc((size_t)f->d * sizeof *f->names);
    if (!f->names)
        return cli_no_memory(error);
    for (int a = 0; a < f->d; a++)
        f->names[a] = a < f->frame.d ? fill_axis_name(&f->frame, a) : f->covariate[a - f->frame.d].name;
    return f->covariates ? give_roles(f, error) : SUREKRIG_OK;
}

surekrig_status fill_open(fill *f, surekrig_error *error)
{
    const char *covariates = cli_value(f->call, "covariate");
    surekrig_status status = io_raster_open(f->call->argument[0], cli_value(f->call, "variable"),
                                            cli_value(f->call, "driver"), &f->raster, error);
    if (!status)
        status = choose_bands(f, error);
    if (!status)
        status = choose_frame(f, error);
    if (!status && covariates)
        status = fill_open_covariates(f, covariates, error);
    if (!status)
        status = name_features(f, error);
    return status ? status : fill_count_pixels(f, error);
}
