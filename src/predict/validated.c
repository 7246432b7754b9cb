/* What was found of rows in cross-validation: on all ranks, where each has all rows, or of each rank's own on its way to
 * the ranks that the rows came from. */
#include "predict/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 7 };

/* What is said of a row. */
static void list_columns(const surekrig_model *m, const surekrig_validated *v, int levels, sk_shared column[COLUMNS])
{
    int64_t l = m->data.l;
    const sk_shared all[COLUMNS] = {{v->x, m->data.d},      {v->y, l},
                                    {v->mean, l},           {v->sd, l},
                                    {v->lower, l * levels}, {v->upper, l * levels},
                                    {v->distance, 1}};
    memcpy(column, all, sizeof all);
}

surekrig_status sk_validated_new(const surekrig_model *m, const surekrig_validated *wanted, int levels, int64_t rows,
                                 surekrig_validated *v, surekrig_error *error)
{
    double **const to[COLUMNS] = {&v->x, &v->y, &v->mean, &v->sd, &v->lower, &v->upper, &v->distance};
    sk_shared column[COLUMNS];
    list_columns(m, wanted, levels, column);
    *v = (surekrig_validated){.row = sk_alloc(rows, sizeof *v->row)};
    bool room = v->row;
    for (int i = 0; i < COLUMNS; i++)
        if (column[i].value)
            room &= (*to[i] = sk_doubles(rows * column[i].width)) != NULL;
    return room ? SUREKRIG_OK : sk_fail_memory(error, 64.0 * (double)rows, "what is validated");
}

void sk_validated_free(surekrig_validated *v)
{
    void *owned[] = {v->row, v->x, v->y, v->mean, v->sd, v->lower, v->upper, v->distance};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    *v = (surekrig_validated){0};
}

void sk_validated_rows(const surekrig_model *m, const sk_own_rows *rows, surekrig_validated *v)
{
    int64_t d = m->data.d, l = m->data.l;
    for (int64_t i = 0; i < rows->own; i++) {
        int64_t row = rows->row[i];
        v->row[i] = sk_number(&m->data, row);
        if (v->x)
            memcpy(v->x + i * d, m->data.x + row * d, (size_t)d * sizeof *v->x);
        if (v->y)
            memcpy(v->y + i * l, m->data.y + row * l, (size_t)l * sizeof *v->y);
    }
    v->count = rows->own;
}

surekrig_status sk_validated_share(const surekrig_model *m, surekrig_validated *v, int levels, int64_t rows,
                                   surekrig_status status, surekrig_error *error)
{
    const sk_ranks *ranks = sk_sharers(m);
    sk_shared column[COLUMNS];
    list_columns(m, v, levels, column);
    column[0].value = column[1].value = NULL; /* features and responses, which everyone has */
    status = sk_share(ranks, rows, COLUMNS, column, status, error);
    if (status)
        return status;
    v->jittered = sk_sum(ranks, v->jittered);
    sk_most(ranks, 1, &v->max_jitter);
    return SUREKRIG_OK;
}

surekrig_status sk_validated_to_file(const surekrig_model *m, surekrig_validated *mine, int levels,
                                     surekrig_validated *out, surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(&m->data);
    sk_shared column[COLUMNS];
    list_columns(m, mine, levels, column);
    int64_t width = 1 + sk_columns_width(COLUMNS, column); /* with the row's number before them */
    sk_records r = {mine->count, width, 1, sk_doubles(mine->count * width)};
    if (!r.value)
        return sk_fail_memory(error, 8.0 * (double)(r.n * r.width), "what is validated");
    for (int64_t i = 0; i < r.n; i++)
        r.value[i * width] = (double)mine->row[i];
    sk_columns_pack(COLUMNS, column, (sk_laid){r.n, width, r.value + 1});
    out->jittered = sk_sum(ranks, mine->jittered);
    out->max_jitter = mine->max_jitter;
    sk_most(ranks, 1, &out->max_jitter);
    sk_validated_free(mine);
    surekrig_status status = sk_records_to_file(&m->data, &r, error);
    list_columns(m, out, levels, column);
    for (int64_t i = 0; i < r.n && !status; i++)
        out->row[i] = (int64_t)r.value[i * width];
    if (!status)
        sk_columns_unpack(COLUMNS, column, (sk_laid){r.n, width, r.value + 1});
    out->count = r.n;
    free(r.value);
    return status;
}
