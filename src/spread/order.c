/* Points in the order of the nodes of one tree of all rows, as sk_index_order has it, where no rank has them all: the
 * tree is grown by all ranks together (grow.c), and of it only boxes are kept. */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>

void sk_homes_free(sk_homes *h)
{
    if (!h)
        return;
    for (int level = 0; level <= SK_MOST_LEVELS; level++)
        free(h->box[level]);
    free(h->origin);
    free(h->side);
    free(h->frame_side);
    free(h->of);
    free(h);
}

int64_t sk_homes_children(const sk_homes *h, int level, int64_t j)
{
    int64_t left = h->width[level - 1] - SK_WIDE * j;
    return left < SK_WIDE ? left : SK_WIDE;
}

int64_t sk_homes_count(const sk_homes *h)
{
    return h->levels > SK_HOMES ? h->width[SK_HOMES] : 1;
}

/* The sides of the frame, times a power of two near the longest (neighbors/index.c). */
static void set_frame(sk_homes *h, const sk_frame *frame)
{
    double longest = 0;
    for (int64_t a = 0; a < h->d; a++)
        longest = fmax(longest, (frame->upper[a] / 2 - frame->lower[a] / 2) / frame->side[a]);
    double unit = longest > 0 ? ldexp(1, ilogb(longest) < -1000 ? -1000 : ilogb(longest)) : 1;
    for (int64_t a = 0; a < h->d; a++) {
        h->origin[a] = frame->origin[a];
        h->side[a] = frame->side[a] * unit;
        h->frame_side[a] = frame->side[a];
    }
}

/* Made in this frame? */
static bool is_of(const sk_homes *h, const sk_frame *frame)
{
    bool same = h->d == frame->d;
    for (int64_t a = 0; a < h->d && same; a++)
        same = h->origin[a] == frame->origin[a] && h->frame_side[a] == frame->side[a];
    return same;
}

static bool make_boxes(sk_homes *h, const sk_ranks *ranks)
{
    int64_t d = h->d, n = h->width[SK_HOMES] * d;
    double *end = sk_doubles(n);
    for (int side = 0; side < 2 && end; side++) {
        for (int64_t i = 0; i < n; i++)
            end[i] = h->box[SK_HOMES][i / d * 2 * d + side * d + i % d];
        (side ? sk_most : sk_least)(ranks, n, end);
        for (int64_t i = 0; i < n; i++)
            h->box[SK_HOMES][i / d * 2 * d + side * d + i % d] = end[i];
    }
    for (int level = SK_HOMES + 1; level <= h->levels && end; level++)
        for (int64_t i = 0; i < h->width[level - 1]; i++)
            for (int64_t a = 0; a < d; a++) {
                double *to = h->box[level] + i / SK_WIDE * 2 * d, *own = h->box[level - 1] + i * 2 * d;
                to[a] = fmin(to[a], own[a]);
                to[d + a] = fmax(to[d + a], own[d + a]);
            }
    free(end);
    return end != NULL;
}

static sk_homes *new_homes(const sk_seek *seek)
{
    sk_homes *h = sk_zeroed(1, sizeof *h);
    if (!h)
        return NULL;
    h->d = seek->data->d;
    h->n = seek->data->n;
    h->width[0] = (h->n + SK_LEAF - 1) / SK_LEAF;
    do
        h->width[h->levels + 1] = (h->width[h->levels] + SK_WIDE - 1) / SK_WIDE;
    while (h->width[++h->levels] > 1);
    h->origin = sk_doubles(h->d);
    h->side = sk_doubles(h->d);
    h->frame_side = sk_doubles(h->d);
    bool room = h->origin && h->side && h->frame_side;
    for (int level = SK_HOMES; level <= h->levels && room; level++) {
        int64_t numbers = h->width[level] * 2 * h->d;
        room = (h->box[level] = sk_doubles(numbers));
        for (int64_t i = 0; i < numbers && room; i++)
            h->box[level][i] = i / h->d % 2 ? -INFINITY : INFINITY;
    }
    if (room)
        set_frame(h, seek->frame);
    else
        sk_homes_free(h);
    return room ? h : NULL;
}

surekrig_status sk_homes_find(const sk_seek *seek, bool rows, sk_homes **out, surekrig_error *error)
{
    sk_homes *h = new_homes(seek);
    bool grows = h && h->levels > SK_HOMES, room = h;
    if (h && rows)
        room = (h->of = sk_zeroed(sk_own(seek->data), sizeof *h->of));
    if (room && (!grows || (sk_homes_grow(h, seek->data) && make_boxes(h, sk_ranks_of(seek->data))))) {
        *out = h;
        return SUREKRIG_OK;
    }
    sk_homes_free(h);
    return sk_fail_memory(error, 8.0 * (double)(sk_own(seek->data) * (seek->data->d + 1)), "the order of rows");
}

/* ---- the order */

int64_t sk_homes_at(const sk_homes *h, const double *place)
{
    int64_t j = 0, d = h->d;
    for (int level = h->levels; level > SK_HOMES; level--) {
        double least = INFINITY;
        int64_t nearest = 0;
        for (int64_t c = 0; c < sk_homes_children(h, level, j) && least > 0; c++) {
            const double *box = h->box[level - 1] + (SK_WIDE * j + c) * 2 * d;
            double sum = 0;
            for (int64_t a = 0; a < d; a++) {
                double x = (place[a] - h->origin[a]) / h->side[a], gap = fmax(fmax(box[a] - x, x - box[d + a]), 0);
                sum += gap * gap;
            }
            nearest = sum < least ? c : nearest;
            least = fmin(sum, least);
        }
        j = SK_WIDE * j + nearest;
    }
    return j;
}

static surekrig_status sort(const sk_homes *h, int64_t n, const double *x, int64_t *order, surekrig_error *error)
{
    int64_t all = sk_homes_count(h), bins;
    int shift = 0;
    while ((bins = ((all - 1) >> shift) + 1) > n && bins > 1) /* as in neighbors/order.c */
        shift++;
    int64_t *home = sk_alloc(n, sizeof *home), *bin = sk_zeroed(bins + 1, sizeof *bin);
    bool room = home && bin;
    for (int64_t i = 0; i < n && room; i++) {
        home[i] = sk_homes_at(h, x + i * h->d) >> shift;
        bin[home[i] + 1]++;
    }
    for (int64_t b = 0; b < bins && room; b++)
        bin[b + 1] += bin[b];
    for (int64_t i = 0; i < n && room; i++)
        order[bin[home[i]]++] = i;
    free(home);
    free(bin);
    return room ? SUREKRIG_OK : sk_fail_memory(error, 16.0 * (double)n, "the order of places");
}

surekrig_status sk_seek_order(const sk_seek *seek, int64_t n, const double *x, int threads, int64_t *order,
                              surekrig_error *error)
{
    if (!seek->data->ranks)
        return sk_index_order(seek->index, n, x, threads, order, error);
    struct sk_rows *rows = seek->data->ranks->rows;
    surekrig_status status = SUREKRIG_OK;
    if (rows->homes && !is_of(rows->homes, seek->frame)) {
        sk_homes_free(rows->homes);
        rows->homes = NULL;
    }
    if (!rows->homes)
        status = sk_homes_find(seek, false, &rows->homes, error);
    return status ? status : sort(rows->homes, n, x, order, error);
}
