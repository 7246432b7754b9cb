/* What is said of rows, between an array of each kind, as a caller has it, and records, as they go from rank to rank. */
#include "predict/inside.h"

#include <string.h>

int64_t sk_columns_width(int columns, const sk_shared *column)
{
    int64_t width = 0;
    for (int i = 0; i < columns; i++)
        width += column[i].value ? column[i].width : 0;
    return width;
}

static void lay(int columns, const sk_shared *column, sk_laid records, bool pack)
{
    for (int64_t i = 0; i < records.n; i++) {
        double *at = records.record + i * records.stride;
        for (int j = 0; j < columns; j++) {
            int64_t count = column[j].value ? column[j].width : 0;
            double *of = count ? column[j].value + i * count : at;
            memcpy(pack ? at : of, pack ? of : at, (size_t)count * sizeof *at);
            at += count;
        }
    }
}

void sk_columns_pack(int columns, const sk_shared *column, sk_laid to)
{
    lay(columns, column, to, true);
}

void sk_columns_unpack(int columns, const sk_shared *column, sk_laid from)
{
    lay(columns, column, from, false);
}
