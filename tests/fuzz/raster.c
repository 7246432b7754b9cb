/* Any bytes as a raster or a file of features, by the real GDAL, which is not instrumented: it is our use of what it
 * says that is tested. The first byte says what the file is called and how it is read. */
#include "raster.h"
#include "fuzz.h"

static void read_raster(const char *path)
{
    enum { MOST = 1 << 16 };
    io_raster *raster = NULL;
    surekrig_error error = {0};
    surekrig_status status = io_raster_open(path, NULL, NULL, &raster, &error);
    if (status) {
        fuzz_failed(status, &error);
        return;
    }
    const io_grid *grid = io_raster_grid(raster);
    int bands = io_raster_bands(raster);
    int64_t rows = grid->columns > MOST ? 0 : MOST / grid->columns;
    double *value = malloc(MOST * sizeof *value), *time = malloc(((size_t)bands + 1) * sizeof *time);
    rows = rows > grid->rows ? grid->rows : rows;
    if (value && time)
        io_raster_times(raster, time);
    for (int i = 0; value && i < bands && i < 8 && rows && !status; i++)
        status = io_raster_read(raster, i, (io_window){0, 0, grid->columns, rows}, value, &error);
    free(value);
    free(time);
    io_raster_close(raster);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char *const NAMES[] = {"a.tif", "a.nc", "a.vrt", "a.geojson", "a.gpkg", "a.asc", "a.png", "a"};
    fuzz_stream s = {bytes, count};
    uint64_t how = fuzz_take(&s, 1);
    const char *path = NAMES[how % 8];
    fuzz_enter_folder();
    fuzz_write(path, s.byte, s.left);
    if (how & 8)
        read_raster(path);
    else
        fuzz_read_table(path, NULL, how & 16);
    return 0;
}
