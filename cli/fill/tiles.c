/* Filling, a tile at a time: by one process, by all ranks together, or by each its own. */
#include "tile.h"

static surekrig_status write_tile(tile *t, int band, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (io_role role = IO_VALUE; role < IO_ROLES && !status; role++)
        status = io_raster_write(t->f->writer, band, role, t->at, t->out[role], error);
    return status;
}

static tile tile_at(fill *f, int band, int64_t number, const surekrig_model *model)
{
    int64_t columns = f->frame.grid.columns, rows = f->frame.grid.rows, side = f->tile;
    int64_t column = number % tile_columns(f) * side, row = number / tile_columns(f) * side;
    io_window at = {column, row, columns - column < side ? columns - column : side,
                    rows - row < side ? rows - row : side};
    return (tile){.f = f, .number = f->band[band].number, .trained = model, .at = at};
}

/* What a rank has estimated of a tile becomes the first's, and of partners, which each rank has a file of, everyone's. */
static void pass(tile *t, int from)
{
    void (*by)(int from, void *what, int64_t bytes) = t->f->plain ? cli_on.tell : cli_on.hand;
    if (cli_on.rank == from)
        tile_give_made(t);
    for (int r = 0; r < IO_ROLES && by; r++)
        by(from, t->made[r], t->number_asked * (int64_t)sizeof *t->made[r]);
    if (cli_on.rank != from)
        tile_take_made(t);
}

static bool has_file(const fill *f)
{
    return f->plain || cli_on.rank == 0;
}

/* By one process, or by all ranks together. */
static surekrig_status fill_in_common(fill *f, int band, int64_t number, const surekrig_model *model,
                                      surekrig_error *error)
{
    tile t = tile_at(f, band, number, model);
    surekrig_status status = tile_open(&t, band, error);
    bool finished = !status && cli_told(cli_on.rank == 0 && tile_take_finished(&t, band));
    if (finished && f->plain)
        pass(&t, 0);
    if (!status && !finished)
        status = tile_estimate(&t, band, error);
    if (!status && has_file(f))
        status = write_tile(&t, band, error);
    tile_free(&t);
    return status;
}

/* ---- by ranks, each its own */

/* The first has it from a run before. */
static surekrig_status fill_again(fill *f, int band, int64_t number, const surekrig_model *model, surekrig_error *error)
{
    tile t = tile_at(f, band, number, model);
    surekrig_status status = has_file(f) ? tile_open(&t, band, error) : SUREKRIG_OK;
    if (!status && cli_on.rank == 0 && !tile_take_finished(&t, band))
        status = tile_estimate(&t, band, error);
    if (!status && f->plain)
        pass(&t, 0);
    if (!status && has_file(f))
        status = write_tile(&t, band, error);
    tile_free(&t);
    return status;
}

/* Another rank's tile. */
static surekrig_status receive(tile *t, int band, int from, surekrig_error *error)
{
    surekrig_status status = tile_open(t, band, error);
    if (status)
        return status;
    pass(t, from);
    if (cli_on.rank == 0)
        tile_keep_finished(t, band);
    return write_tile(t, band, error);
}

/* As many tiles as there are ranks, from this one on: each estimates one. */
static surekrig_status fill_dealt(fill *f, int band, int64_t first, const surekrig_model *model, surekrig_error *error)
{
    int64_t left = tile_columns(f) * tile_rows(f) - first;
    int count = left < cli_on.size ? (int)left : cli_on.size;
    tile own = tile_at(f, band, first + cli_on.rank, model);
    surekrig_status status = cli_on.rank < count ? tile_open(&own, band, error) : SUREKRIG_OK;
    if (!status && cli_on.rank < count)
        status = tile_estimate(&own, band, error);
    for (int r = 0; r < count && !status; r++) {
        tile t = tile_at(f, band, first + r, model);
        if (r == cli_on.rank)
            pass(&own, r);
        if (r == cli_on.rank && has_file(f))
            status = write_tile(&own, band, error);
        else if (r != cli_on.rank && has_file(f))
            status = receive(&t, band, r, error);
        tile_free(&t);
    }
    tile_free(&own);
    return status;
}

surekrig_status fill_tiles(fill *f, int band, const surekrig_model *model, surekrig_error *error)
{
    int64_t tiles = tile_columns(f) * tile_rows(f), next = 0;
    bool dealt = cli_on.size > 1 && tiles >= cli_on.size;
    surekrig_status status = SUREKRIG_OK;
    f->sharers = dealt ? NULL : cli_on.alike;
    for (; next < tiles && !dealt && !status; next++)
        status = fill_in_common(f, band, next, model, error);
    while (next < tiles && !status && cli_told(cli_partial_has(f->partial, tile_key(f, band, next))))
        status = fill_again(f, band, next++, model, error);
    for (; next < tiles && !status; next += cli_on.size)
        status = fill_dealt(f, band, next, model, error);
    return status;
}
