/* Steps near those to be filled, each filled alone, so that they can be covariates. They go into a file of their own that
 * is gone when it is closed: a cube need not fit into memory. */
#include "steps.h"

#include <stdlib.h>
#include <unistd.h>

static bool is_near_wanted(const fill *f, int step)
{
    for (int i = 0; i < f->bands; i++)
        if (f->band[i].wanted && abs(f->band[i].number - step) <= FILL_REACH)
            return true;
    return false;
}

/* Where the steps that have no gaps any more are in what was filled. */
static void note_complete(fill *f, const fill *plain)
{
    for (int k = 0; k < plain->bands; k++) {
        const fill_band *band = &plain->band[k];
        bool whole = !band->hopeless && (band->gaps == 0 || band->wanted) && band->low < band->high;
        f->complete[band->number] = whole ? IO_ROLES * k : -1;
    }
}

static surekrig_status fill_each(fill *plain, const char *path, surekrig_error *error)
{
    surekrig_model *model = NULL;
    const char **name = malloc((size_t)plain->bands * sizeof *name);
    for (int k = 0; k < plain->bands && name; k++)
        name[k] = io_raster_band_name(plain->raster, plain->band[k].number);
    io_raster_plan plan = {.format = "GTiff",
                           .grid = plain->frame.grid,
                           .bands = plain->bands,
                           .name = name,
                           .level = plain->level,
                           .history = "steps filled alone",
                           .doubles = io_raster_needs_doubles(plain->raster)};
    surekrig_status status = name ? cli_create_scratch(path, &plan, &plain->writer, error) : cli_no_memory(error);
    for (int k = 0; k < plain->bands && !status; k++)
        status = fill_one_band(plain, k, &model, error);
    surekrig_model_free(model);
    free(name);
    if (!status)
        return cli_read_scratch(path, plain->writer, &plain->filled, error);
    cli_drop_scratch(plain->writer);
    return status;
}

static surekrig_status fill_partners(fill *f, fill *plain, surekrig_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%.4000s.tmp-steps-%d-%ld", cli_value(f->call, "output"), cli_on.rank, (long)getpid());
    for (int s = 0; s < io_raster_bands(f->raster); s++) {
        f->complete[s] = -1;
        if (is_near_wanted(f, s))
            plain->band[plain->bands++].number = s;
    }
    surekrig_status status = fill_count_pixels(plain, error);
    if (!status)
        status = fill_plan_bands(plain, error);
    if (!status)
        status = fill_each(plain, path, error);
    if (!status)
        note_complete(f, plain);
    f->filled = plain->filled;
    return status;
}

surekrig_status fill_make_partners(fill *f, surekrig_error *error)
{
    size_t steps = (size_t)io_raster_bands(f->raster);
    fill plain = *f;
    plain.way = FILL_ALONE;
    plain.plain = true;
    plain.writer = NULL;
    plain.smooth = false;
    plain.wanted = plain.bands = 0;
    plain.band = calloc(steps, sizeof *plain.band);
    f->complete = malloc(steps * sizeof *f->complete);
    surekrig_status status = plain.band && f->complete ? fill_partners(f, &plain, error) : cli_no_memory(error);
    for (int k = 0; k < plain.bands; k++)
        free(plain.band[k].cell);
    free(plain.band);
    return status;
}
