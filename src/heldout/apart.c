/* Held-out points of rows that are dealt out, with their nearest neighbours. Each is kriged by the rank that has its
 * row, where most of its neighbours are, too; what others have is asked of them while the points before are kriged.
 * Then all ranks learn what was kriged. If all asked the same, each would fetch the neighbours of every point. */
#include "heldout/inside.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512 };

typedef struct part {
    sk_machine *machine;
    int64_t n, k, d, width; /* own points; numbers of a record */
    int64_t *row, *group;   /* [n]; group: of each, all of which is left out with it, or NULL */
    double *x;              /* [n][d] */
    double *record;         /* [n][width] which of all points it is, and what was kriged */
    int64_t *neighbor[2];   /* [BLOCK][k] of one block, and of the next */
    int64_t *count;         /* [BLOCK] of neighbours */
    bool lacking;           /* some point has too few */
    sk_kriging block;       /* of one */
} part;

/* What was kriged of point i, to a record or from it; where that ends. */
static double *lay(const surekrig_model *m, const sk_kriging *k, int64_t i, double *at, bool write)
{
    int64_t width = m->kriged.l;
    sk_shared of[] = {
        {k->mean, width}, {k->variance_share, 1}, {k->jitter, 1}, {k->scale_std, width}, {k->scatter_std, m->data.l}};
    for (size_t j = 0; j < sizeof of / sizeof *of; at += of[j++].width) {
        double *value = of[j].value + i * of[j].width;
        memcpy(write ? at : value, write ? value : at, (size_t)of[j].width * sizeof *at);
    }
    return m->partner ? lay(m->partner, k->partner, i, at, write) : at;
}

static int64_t width_of(const surekrig_model *m)
{
    return 2 * m->kriged.l + m->data.l + 2 + (m->partner ? width_of(m->partner) : 0);
}

static void close_part(part *p)
{
    void *owned[] = {p->row, p->x, p->record, p->neighbor[0], p->neighbor[1], p->group, p->count};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    sk_kriging_free(&p->block);
}

static surekrig_status open_part(sk_machine *machine, const sk_holdout *h, part *p, surekrig_error *error)
{
    const surekrig_model *m = machine->m;
    int64_t own = sk_own(&m->data), n = 0;
    *p = (part){.machine = machine, .k = h->k, .d = m->kriged.d, .width = 1 + width_of(m)};
    for (int64_t i = 0; i < h->n; i++)
        p->n += h->row[i] < own;
    p->row = sk_alloc(p->n, sizeof *p->row);
    p->group = m->data.group ? sk_alloc(p->n, sizeof *p->group) : NULL;
    p->count = sk_alloc(BLOCK, sizeof *p->count);
    p->x = sk_doubles(p->n * p->d);
    p->record = sk_doubles(p->n * p->width);
    for (int i = 0; i < 2; i++)
        p->neighbor[i] = sk_alloc(BLOCK * p->k, sizeof *p->neighbor[i]);
    bool room = p->row && p->x && p->record && p->count && (p->group || !m->data.group);
    if (!room || !p->neighbor[0] || !p->neighbor[1])
        return sk_fail_memory(error, 8.0 * (double)(p->n * (p->d + p->width)), "held-out points");
    for (int64_t i = 0; i < h->n; i++) {
        if (h->row[i] >= own)
            continue;
        p->row[n] = h->row[i];
        if (p->group)
            p->group[n] = m->data.group[h->row[i]];
        p->record[n * p->width] = (double)i;
        memcpy(p->x + n * p->d, h->x + i * p->d, (size_t)p->d * sizeof *p->x);
        n++;
    }
    return sk_kriging_new(m, BLOCK, SK_WANT_SCALE, &p->block, error);
}

/* ---- block after block */

typedef struct kriging {
    part *of;
    int64_t i, from, count; /* which block, and its points */
    surekrig_status status;
    surekrig_error error;
} kriging;

static kriging block_at(part *p, int64_t i)
{
    int64_t from = i * BLOCK < p->n ? i * BLOCK : p->n, left = p->n - from;
    return (kriging){.of = p, .i = i, .from = from, .count = left < BLOCK ? left : BLOCK};
}

static surekrig_status find(const kriging *b, surekrig_error *error)
{
    part *p = b->of;
    surekrig_neighbor_query query = {.n = b->count, .x = p->x + b->from * p->d, .row = p->row + b->from};
    if (p->group) {
        query.group = p->machine->m->data.group;
        query.own_group = p->group + b->from;
    }
    surekrig_status status = sk_model_neighbors(p->machine->m, query, p->neighbor[b->i % 2], p->count, error);
    for (int64_t i = 0; i < b->count && !status; i++)
        p->lacking |= p->count[i] < p->k;
    return status;
}

static void krige(void *context)
{
    kriging *b = context;
    part *p = b->of;
    sk_asked asked = {
        {b->count, p->k, p->neighbor[b->i % 2], NULL, p->x + b->from * p->d}, NULL, p->row + b->from, NULL, NULL};
    if (b->count)
        b->status = sk_machine_krige(p->machine, &asked, (sk_wanted){true, true}, &p->block, &b->error);
    for (int64_t i = 0; i < b->count && !b->status; i++)
        lay(p->machine->m, &p->block, i, p->record + (b->from + i) * p->width + 1, true);
}

/* Whose kriging fails still answers the others; neighbours it must find, as they do. */
static surekrig_status run_blocks(part *p, surekrig_error *error)
{
    double rounds = (double)((p->n + BLOCK - 1) / BLOCK);
    kriging now = {0}, next;
    sk_aside *aside = NULL;
    surekrig_status status = SUREKRIG_OK;
    sk_most(sk_ranks_of(&p->machine->m->data), 1, &rounds);
    for (int64_t i = 0; i < (int64_t)rounds && !status; i++) {
        next = block_at(p, i);
        status = find(&next, error);
        sk_end_aside(aside);
        aside = NULL;
        next.status = now.status;
        next.error = now.error;
        now = next;
        if (!status && !now.status && !p->lacking)
            aside = sk_begin_aside(krige, &now);
    }
    sk_end_aside(aside);
    if (!status && now.status && error)
        *error = now.error;
    return status ? status : now.status;
}

/* What each rank has of its own points becomes everyone's. */
static surekrig_status share(const part *p, sk_kriging *out, surekrig_error *error)
{
    const surekrig_model *m = p->machine->m;
    const sk_ranks *ranks = sk_ranks_of(&m->data);
    int64_t *bytes = sk_alloc(ranks->size, sizeof *bytes), all = 0, size = sizeof *p->record;
    double *record = bytes ? sk_gather(ranks, p->record, p->n * p->width * size, bytes) : NULL;
    for (int r = 0; r < ranks->size && record; r++)
        all += bytes[r] / size / p->width;
    for (int64_t i = 0; i < all; i++)
        lay(m, out, (int64_t)record[i * p->width], record + i * p->width + 1, false);
    bool room = record;
    free(record);
    free(bytes);
    return room ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)(p->n * p->width), "held-out points of all ranks");
}

surekrig_status sk_krige_apart(sk_machine *machine, const sk_holdout *h, sk_kriging *out, bool *lacking,
                               surekrig_error *error)
{
    const surekrig_data *data = &machine->m->data;
    sk_ticker *ticker = machine->ticker;
    part p;
    surekrig_status status = sk_agree(sk_ranks_of(data), open_part(machine, h, &p, error), error);
    machine->ticker = NULL; /* the calling thread's */
    machine->aside = data->ranks->apart = true;
    sk_rows_mark(data);
    if (!status)
        status = run_blocks(&p, error);
    sk_rows_forget(data);
    machine->aside = data->ranks->apart = false;
    machine->ticker = ticker;
    status = sk_agree(sk_ranks_of(data), status, error);
    *lacking = !status && sk_sum(sk_ranks_of(data), p.lacking) > 0;
    if (!status && !*lacking)
        status = share(&p, out, error);
    close_part(&p);
    return status;
}
