/* A run of predictions, block by block: made, or taken from what a run before has finished, then written. */
#include "predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Kept of a block beside its predictions: points beyond, jittered, and the most; and a sum of what it is made from. */
enum { FACTS = 4 };

/* How many points are next: as many as a block has that begins here, or up to the next that there is. */
static int64_t batch(const predict_stream *s)
{
    int64_t count = 0;
    uint64_t here = (uint64_t)(s->first + s->rows);
    if (s->is_raster)
        return predict_raster_batch(&s->raster);
    if (cli_on.size > 1 && !s->apart)
        return s->at_once;
    uint64_t next = cli_partial_next(s->partial, here, &count);
    int64_t rows = next == here                         ? (count - FACTS) / (s->info->l * s->each)
                   : next - here < (uint64_t)s->at_once ? (int64_t)(next - here)
                                                        : 0;
    return rows > 0 && rows <= s->at_once ? rows : s->at_once;
}

/* A batch's part of the whole, as far as that is known. */
typedef struct part {
    surekrig_progress whole;
    double from, share;
    bool known, last;
} part;

static int show_part(void *user, const surekrig_progress_report *own)
{
    const part *p = user;
    surekrig_progress_report of_whole = *own;
    of_whole.done = p->from + p->share * own->done;
    return p->whole.report(p->whole.user, &of_whole);
}

static void set_part(const predict_stream *s, double done, double rows, part *p)
{
    double left = (double)(s->reader ? io_rows_left(s->reader) : s->grid.end - s->grid.next);
    p->known |= left > 0; /* 0: the last rows, or of a pipe */
    p->last = left == 0;
    p->from = p->known ? done / (done + rows + left) : 0;
    p->share = p->known ? rows / (done + rows + left) : 1;
}

/* Predictions of response q, as its own model has made them, beside those of the others. */
static void put_beside(const predict_stream *s, int64_t q, int64_t rows, const surekrig_prediction *own)
{
    int64_t l = s->info->l, levels = s->levels.count;
    for (int64_t i = 0; i < rows; i++) {
        s->mean[i * l + q] = own->mean[i];
        for (int64_t j = 0; j < levels && own->sd; j++) {
            s->lower[(i * l + q) * levels + j] = own->lower[i * levels + j];
            s->upper[(i * l + q) * levels + j] = own->upper[i * levels + j];
        }
        if (own->sd)
            s->sd[i * l + q] = own->sd[i];
    }
}

static surekrig_status predict_each(const predict_stream *s, const surekrig_model *const *model,
                                    const surekrig_query *query, part *p, surekrig_prediction *made,
                                    surekrig_error *error)
{
    double *own = s->own, from = p->from, share = p->share / (double)s->info->l;
    surekrig_progress progress = {show_part, p};
    surekrig_status status = SUREKRIG_OK;
    for (int64_t q = 0; q < s->info->l && !status; q++) {
        surekrig_prediction one = {.mean = own};
        if (!s->mean_only) {
            one.sd = own + s->at_once;
            one.lower = own + 2 * s->at_once;
            one.upper = one.lower + (int64_t)s->levels.count * s->at_once;
        }
        p->from = from + (double)q * share;
        p->share = share;
        status = surekrig_predict(model[q], query, &progress, &one, error);
        if (!status)
            put_beside(s, q, query->n, &one);
        made->beyond = one.beyond > made->beyond ? one.beyond : made->beyond;
        made->jittered = one.jittered > made->jittered ? one.jittered : made->jittered; /* points, as of beyond */
        made->max_jitter = fmax(made->max_jitter, one.max_jitter);
    }
    return status;
}

static surekrig_status predict_rows(const predict_stream *s, const surekrig_model *const *model, int64_t rows, part *p,
                                    surekrig_prediction *made, surekrig_error *error)
{
    surekrig_progress progress = {show_part, p};
    surekrig_query query = {.n = rows,
                            .x = s->x,
                            .latent = s->latent,
                            .threads = s->threads,
                            .noise = s->noisy ? s->noise : NULL,
                            .levels = s->levels.count,
                            .level = s->levels.level,
                            .apart = s->apart};
    if (s->apiece)
        return predict_each(s, model, &query, p, made, error);
    made->mean = s->mean;
    if (!s->mean_only) {
        made->sd = s->sd;
        made->lower = s->lower;
        made->upper = s->upper;
    }
    return surekrig_predict(*model, &query, &progress, made, error);
}

/* What a run before has finished of the same points; the last span is the facts'. */
static bool take_block(predict_stream *s, uint64_t key, const cli_span *span, int spans, double sum)
{
    bool taken = cli_on.size > 1 && !s->apart ? cli_partial_take(s->partial, key, span, spans)
                                              : cli_partial_take_any(s->partial, key, span, spans);
    double *fact = span[spans - 1].value;
    if (!taken || fact[FACTS - 1] == sum)
        return taken;
    memset(fact, 0, FACTS * sizeof *fact);
    return false;
}

/* Made, or taken. Ranks with points of their own make them together, as long as any has some to make. */
static surekrig_status predict_block(predict_stream *s, const surekrig_model *const *model, int64_t rows, part *p,
                                     surekrig_error *error)
{
    int64_t l = s->info->l, levels = s->mean_only ? 0 : s->levels.count, before;
    uint64_t key = (uint64_t)(s->first + s->rows);
    double fact[FACTS] = {0};
    cli_span span[] = {{s->mean, rows * l},
                       {s->sd, s->mean_only ? 0 : rows * l},
                       {s->lower, rows * l * levels},
                       {s->upper, rows * l * levels},
                       {fact, FACTS}};
    enum { SPANS = sizeof span / sizeof *span };
    surekrig_prediction made = {0};
    const cli_span from[] = {{s->x, rows * s->info->d}, {s->noise, s->noisy ? rows : 0}, {&s->aim, 1}};
    double sum = cli_partial_sum(from, 3);
    bool taken = rows == 0 || take_block(s, key, span, SPANS, sum);
    if (s->apart ? cli_sum(!taken, &before) > 0 : !taken) {
        surekrig_status status = predict_rows(s, model, taken ? 0 : rows, p, &made, error);
        if (status)
            return status;
    }
    if (!taken) {
        memcpy(fact, (double[]){(double)made.beyond, (double)made.jittered, made.max_jitter, sum}, sizeof fact);
        if (!p->last || s->apart)
            cli_partial_give(s->partial, key, span, SPANS);
    }
    s->rows += rows;
    s->beyond += (int64_t)fact[0];
    s->jittered += (int64_t)fact[1];
    s->max_jitter = fmax(s->max_jitter, fact[2]);
    return SUREKRIG_OK;
}

/* What all ranks have predicted, to be told. */
static surekrig_status add_up(predict_stream *s, surekrig_error *error)
{
    enum { COUNTS = 5 };
    double own[COUNTS] = {(double)s->rows, (double)s->missing, (double)s->beyond, (double)s->jittered, s->max_jitter};
    double *all = malloc((size_t)cli_on.size * sizeof own);
    if (!all)
        return cli_no_memory(error);
    cli_on.gather(own, sizeof own, all);
    s->rows = s->missing = s->beyond = s->jittered = 0;
    for (const double *of = all; of < all + COUNTS * cli_on.size; of += COUNTS) {
        s->rows += (int64_t)of[0];
        s->missing += (int64_t)of[1];
        s->beyond += (int64_t)of[2];
        s->jittered += (int64_t)of[3];
        s->max_jitter = fmax(s->max_jitter, of[4]);
    }
    free(all);
    return SUREKRIG_OK;
}

surekrig_status predict_all(const cli_call *call, const surekrig_model *const *model, predict_stream *s,
                            surekrig_error *error)
{
    part p = {.whole = cli_progress(call)};
    for (;;) {
        int64_t rows, before;
        surekrig_status status = predict_next_points(s, batch(s), &rows, error);
        if (status)
            return status;
        if ((s->apart ? cli_sum(rows, &before) : rows) == 0)
            return s->apart ? add_up(s, error) : SUREKRIG_OK;
        set_part(s, (double)s->rows, (double)rows, &p);
        status = predict_block(s, model, rows, &p, error);
        if (!status && rows > 0)
            status = predict_write(s, rows, error);
        if (status)
            return status;
    }
}
