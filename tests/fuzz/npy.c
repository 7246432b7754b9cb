/* Any header and any data behind the mark of an NPY file; every other time the header ends with its first line. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    enum { MOST = 1 << 12 };
    static uint8_t file[MOST + 16] = "\x93NUMPY";
    fuzz_stream s = {bytes, count};
    uint64_t how = fuzz_take(&s, 1), length = fuzz_take(&s, 2);
    size_t used = 8;
    if (s.left > MOST)
        return 0;
    file[6] = how & 1 ? 2 : how & 2 ? 3 : 1;
    file[7] = how & 4 && how & 8;
    const uint8_t *end = memchr(s.byte, '\n', s.left);
    if (how & 16)
        length = end ? (uint64_t)(end - s.byte) + 1 : length % (s.left + 1);
    size_t width = file[6] == 1 ? 2 : 4;
    for (size_t i = 0; i < width; i++)
        file[used++] = (uint8_t)(length >> 8 * i);
    memcpy(file + used, s.byte, s.left);
    fuzz_enter_folder();
    fuzz_write("t.npy", file, used + s.left);
    fuzz_read_table("t.npy", &(io_dialect){.missing = how & 32 ? "-9999,nan" : NULL}, how & 64);
    return 0;
}
