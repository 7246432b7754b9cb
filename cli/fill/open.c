/* What is asked of 'surekrig fill': bands, coordinates, covariates and their roles. */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

static const int64_t ONE_TILE_BELOW = 1 << 22; /* pixels */
enum { TILE = 2048, JOINT_TILE = 768 };
static const char TIME[] = "time";

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

/* Coordinates said to be degrees that are none: the plane is told of, unless the sphere was asked for by name. */
static surekrig_status check_globe(const fill *f, bool *sphere, bool open, surekrig_error *error)
{
    static const char *const WHAT[] = {"lon", "lat"}, *const NAME[] = {"longitude", "latitude"};
    const char *path = io_raster_path(f->raster);
    int axis;
    double beyond;
    if (!*sphere || fill_on_globe(io_raster_grid(f->raster), &axis, &beyond))
        return SUREKRIG_OK;
    if (!open)
        return cli_error(error, SUREKRIG_DATA,
                         "%s goes to a %s of %.9g, which is no %s in degrees: place it with 'gdal_edit.py -a_ullr', or "
                         "take --sphere no",
                         path, WHAT[axis], beyond, NAME[axis]);
    cli_say(stderr,
            "surekrig fill: %s goes to a %s of %.9g, which is no %s in degrees, so distances are not on the sphere",
            path, WHAT[axis], beyond, NAME[axis]);
    *sphere = false;
    return SUREKRIG_OK;
}

/* --sphere, or where coordinates are degrees. */
static surekrig_status choose_frame(fill *f, surekrig_error *error)
{
    const char *asked = cli_value(f->call, "sphere");
    const io_grid *grid = io_raster_grid(f->raster);
    bool open = !asked || !strcmp(asked, "auto"), sphere = open ? grid->geographic : !strcmp(asked, "yes");
    if (sphere && !grid->geographic)
        return cli_error(error, SUREKRIG_INVALID,
                         "%s is not in degrees of longitude and latitude: its distances are those of the plane",
                         io_raster_path(f->raster));
    surekrig_status status = check_globe(f, &sphere, open, error);
    if (status)
        return status;
    fill_frame_new(grid, !sphere ? FILL_PLANE : open && fill_is_region(grid) ? FILL_REGION : FILL_SPHERE, &f->frame);
    return SUREKRIG_OK;
}

/* As many pixels at once, of one step or of several. */
static void choose_tile(fill *f)
{
    const io_grid *grid = &f->frame.grid;
    bool joint = f->way == FILL_JOINT;
    int64_t pixels = grid->columns * grid->rows * (joint ? 2 * FILL_REACH + 1 : 1);
    f->tile = pixels <= ONE_TILE_BELOW ? (grid->columns > grid->rows ? grid->columns : grid->rows)
              : joint                  ? JOINT_TILE
                                       : TILE;
    const char *tile = getenv("SUREKRIG_TILE"); /* for tests: the result must not depend on it */
    f->tile = tile && atoi(tile) > 0 ? atoi(tile) : f->tile;
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

/* Where it is not so already: a setting that was never spoken of leaves more open. */
static surekrig_status set(const fill *f, const char *name, const char *value, surekrig_error *error)
{
    surekrig_settings *settings = f->call->settings;
    return strcmp(surekrig_settings_get(settings, name), value) ? surekrig_settings_set(settings, name, value, error)
                                                                : SUREKRIG_OK;
}

/* Covariates serve the trend, unless the user says otherwise (--trend), steps beside this one in any case. */
static char *join_trend(const fill *f)
{
    bool own = strcmp(f->trend, "all") != 0;
    const char *name[1 + FILL_PARTNERS] = {f->trend};
    const char **partner = f->names + f->d - f->partners;
    memcpy(name + 1, partner, (size_t)f->partners * sizeof *name);
    return own ? join(name, 1 + f->partners) : join(f->names + f->d - f->covariates, f->covariates);
}

/* Places serve the distances, and with time the joint way. */
static surekrig_status give_distances(const fill *f, surekrig_error *error)
{
    bool joint = f->way == FILL_JOINT, plane = f->frame.d == 2 && !f->covariates;
    char *places = join(f->names, f->frame.d), *all = join(f->names, f->frame.d + joint);
    surekrig_status status = places && all ? SUREKRIG_OK : cli_no_memory(error);
    if (!status)
        status = set(f, "distance", f->covariates ? all : "all", error);
    if (!status)
        status = set(f, "group", joint && f->frame.d > 1 ? places : "none", error);
    if (!status)
        status = set(f, "time", joint ? TIME : "none", error);
    if (!status)
        status = set(f, "anisotropic", joint || plane || strcmp(f->anisotropic, "auto") ? f->anisotropic : "no",
                     error); /* the axes of space, and places beside covariates, are of one kind */
    free(places);
    free(all);
    return status;
}

surekrig_status fill_give_roles(fill *f, surekrig_error *error)
{
    bool joint = f->way == FILL_JOINT;
    int places = f->frame.d;
    f->d = places + joint + f->covariates;
    for (int a = 0; a < f->d; a++)
        f->names[a] = a < places           ? fill_axis_name(&f->frame, a)
                      : a < places + joint ? TIME
                                           : f->covariate[a - places - joint].name;
    choose_tile(f);
    char *trend = join_trend(f);
    surekrig_status status = trend ? set(f, "mean", f->covariates ? "trend" : f->mean, error) : cli_no_memory(error);
    if (!status)
        status = set(f, "trend", f->covariates ? trend : f->trend, error);
    free(trend);
    return status ? status : give_distances(f, error);
}

/* What the settings say without time, and room for the names with it. */
static surekrig_status name_features(fill *f, surekrig_error *error)
{
    surekrig_settings *settings = f->call->settings;
    f->names = malloc((size_t)(f->frame.d + 1 + f->covariates + FILL_PARTNERS) * sizeof *f->names);
    f->mean = strdup(surekrig_settings_get(settings, "mean"));
    f->trend = strdup(surekrig_settings_get(settings, "trend"));
    f->anisotropic = strdup(surekrig_settings_get(settings, "anisotropic"));
    return f->names && f->mean && f->trend && f->anisotropic ? fill_give_roles(f, error) : cli_no_memory(error);
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
    if (!status)
        status = fill_find_times(f, error);
    return status ? status : fill_count_pixels(f, error);
}
