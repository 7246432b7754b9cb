/* Any bytes at all, as a table: the first says how it is to be read. A tiny buffer puts its edge everywhere. What
 * begins as a raster is not handed to GDAL. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_stream s = {bytes, count};
    uint64_t how = fuzz_take(&s, 1);
    io_dialect dialect = {.no_header = how & 1, .decimal = how & 2 ? ',' : how & 4 ? '.' : 0};
    if (how & 8)
        dialect.missing = "-9999,n.a.,,1e400";
    fuzz_enter_folder();
    fuzz_write("t.csv", s.byte, s.left);
    fuzz_read_table("t.csv", &dialect, how & 16);
    return 0;
}
