/* Blocks of points, one after another. Where their neighbours are asked of other ranks, the next block's are found while
 * one is kriged: what messages take, and who answers late, then costs nothing as long as kriging takes longer. */
#include "predict/inside.h"

enum { ROUND = 16 }; /* blocks after which fetched rows are forgotten; then none may be kriged */

/* One that is kriged beside. */
typedef struct kriging {
    const sk_blocks *of;
    sk_block *block;
    int64_t i;
    bool begun;
    sk_aside *aside;
    surekrig_status status;
    surekrig_error error;
} kriging;

static void krige(void *context)
{
    kriging *k = context;
    k->status = k->of->krige(k->of->work, k->block, k->i, NULL, &k->error);
}

static void set_ticker(const sk_blocks *of, int64_t i)
{
    of->ticker->from = of->from + of->span * (double)i / (double)of->count;
    of->ticker->span = of->span / (double)of->count;
}

/* The ticker is the calling thread's. */
static surekrig_status finish(kriging *k, surekrig_error *error)
{
    const sk_blocks *of = k->of;
    if (!k->begun)
        return SUREKRIG_OK;
    sk_end_aside(k->aside);
    k->begun = false;
    if (k->status) {
        if (error)
            *error = k->error;
        return k->status;
    }
    of->write(of->work, k->block, k->i);
    set_ticker(of, k->i);
    bool stop = sk_tick(of->ticker, 1) && k->i + 1 < of->count;
    return stop ? sk_fail(error, SUREKRIG_STOPPED, "stopped") : SUREKRIG_OK;
}

static surekrig_status run_ahead(const sk_blocks *of, sk_block *first, surekrig_error *error)
{
    const surekrig_data *data = &first->m->data;
    sk_block second, *block[2] = {first, &second};
    kriging now = {.of = of};
    first->machine.aside = true;
    surekrig_status status = sk_block_beside(first, first->capacity, &second, error), late;
    for (int64_t i = 0; i < of->count && !status; i++) {
        if (i % ROUND == 0) {
            status = finish(&now, error);
            sk_rows_forget(data);
        }
        if (!status)
            status = of->find(of->work, block[i % 2], i, error);
        if (!status)
            status = finish(&now, error);
        if (status)
            break;
        now = (kriging){.of = of, .block = block[i % 2], .i = i, .begun = true};
        now.aside = sk_begin_aside(krige, &now);
    }
    late = finish(&now, status ? NULL : error);
    sk_block_close(&second);
    first->machine.aside = false;
    return status ? status : late;
}

surekrig_status sk_blocks_run(const sk_blocks *of, sk_block *block, surekrig_error *error)
{
    const surekrig_model *m = block->m;
    surekrig_status status = SUREKRIG_OK;
    if (m->held && m->data.ranks->apart && of->count > 1)
        return run_ahead(of, block, error);
    for (int64_t i = 0; i < of->count && !status; i++) {
        sk_rows_forget(&m->data);
        status = of->find(of->work, block, i, error);
        set_ticker(of, i);
        if (!status)
            status = of->krige(of->work, block, i, of->ticker, error);
        if (!status)
            of->write(of->work, block, i);
    }
    return status;
}
