/* Which bands can be filled, and why not. */
#include "fill.h"

/* Why no band has anything to estimate. */
static surekrig_status nothing_to_do(const fill *f, surekrig_error *error)
{
    const char *path = io_raster_path(f->raster);
    const char *with = f->covariates ? " with all covariates" : "";
    int64_t gaps = 0, valid = 0, hopeless = 0;
    for (int i = 0; i < f->bands; i++) {
        gaps += f->band[i].gaps;
        hopeless += f->band[i].hopeless;
        valid = f->band[i].valid > valid ? f->band[i].valid : valid;
    }
    if (gaps == 0 && hopeless)
        return cli_error(error, SUREKRIG_DATA,
                         "none of the %lld missing pixels of %s can be filled: a covariate is missing there too",
                         (long long)hopeless, path);
    if (gaps == 0 && !f->smooth)
        return cli_error(error, SUREKRIG_DATA,
                         "every pixel of %s is valid: there is nothing to fill (is its nodata value set?)", path);
    if (valid == 0)
        return cli_error(error, SUREKRIG_DATA, "no pixel of %s is valid%s: there is nothing to fill it from", path,
                         with);
    if (f->constant)
        return cli_error(error, SUREKRIG_DATA, "no band of %s with gaps has different values to learn from", path);
    if (valid <= 2 || !f->neighbors)
        return cli_error(error, SUREKRIG_DATA, "%s has %lld valid pixel%s%s, too few to learn from", path,
                         (long long)valid, valid == 1 ? "" : "s", with);
    return cli_error(error, SUREKRIG_DATA,
                     "%s has %lld valid pixels%s, too few for %lld neighbours: choose fewer by --neighbors", path,
                     (long long)valid, with, (long long)f->neighbors);
}

static int64_t wanted_of(const fill *f, const fill_band *band)
{
    return band->gaps + (f->smooth ? band->valid : 0);
}

/* One of several bands that cannot be filled does not keep the others from it. */
static void tell_left(const fill *f, const fill_band *band, bool enough)
{
    const char *name = io_raster_band_name(f->raster, band->number);
    if (enough)
        fprintf(stderr, "surekrig fill: %s is constant, with nothing to learn from: it stays as it is\n", name);
    else
        fprintf(stderr, "surekrig fill: %s has %lld valid pixel%s, too few to fill it: it stays as it is\n", name,
                (long long)band->valid, band->valid == 1 ? "" : "s");
}

surekrig_status fill_plan_bands(fill *f, surekrig_error *error)
{
    for (int i = 0; i < f->bands; i++) {
        fill_band *band = &f->band[i];
        bool enough = band->valid > (f->fewer ? 0 : f->neighbors) && band->valid > 2;
        bool constant = enough && band->low == band->high &&
                        (f->bands > 1 || f->plain); /* a single one is refused by the training */
        band->wanted = enough && !constant && wanted_of(f, band) > 0;
        f->wanted += band->wanted ? wanted_of(f, band) : 0;
        f->constant |= constant && wanted_of(f, band) > 0;
        if (!band->wanted && wanted_of(f, band) > 0 && f->bands > 1 && !f->plain)
            tell_left(f, band, enough);
    }
    return f->wanted || f->plain ? SUREKRIG_OK : nothing_to_do(f, error);
}
