/* Rows fetched from the ranks that have them, each once. */
#include "spread/inside.h"

#include <stdlib.h>

static int by_owner(const void *a, const void *b)
{
    const sk_row_at *p = a, *q = b;
    return p->owner != q->owner ? (p->owner > q->owner) - (p->owner < q->owner)
                                : (p->number > q->number) - (p->number < q->number);
}

/* Those that are not held, each once, by owner; how many. */
static int64_t keep_missing(const struct sk_rows *rows, int64_t count, sk_row_at *of)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++)
        if (sk_row_find(rows, of[i].number) < 0)
            of[kept++] = of[i];
    qsort(of, (size_t)kept, sizeof *of, by_owner);
    count = kept;
    kept = 0;
    for (int64_t i = 0; i < count; i++)
        if (!kept || of[i].number != of[kept - 1].number)
            of[kept++] = of[i];
    return kept;
}

/* What others ask for; bytes: [size] how much each does, then how much each gets. */
static sk_word *pack_asked(const struct sk_rows *rows, const int64_t *number, int64_t *bytes)
{
    int64_t w = sk_row_words(rows), all = 0;
    for (int r = 0; r < rows->of.link.size; r++) {
        all += bytes[r] / (int64_t)sizeof *number;
        bytes[r] *= w;
    }
    sk_word *out = sk_alloc(all * w, sizeof *out);
    for (int64_t i = 0; i < all && out; i++)
        sk_row_pack(rows, sk_count_below(rows->of.own, rows->of.number, number[i]), out + i * w);
    return out;
}

bool sk_rows_fetch(struct sk_rows *rows, int64_t count, sk_row_at *of)
{
    const sk_ranks *ranks = &rows->of.link;
    int64_t n = keep_missing(rows, count, of), w = sk_row_words(rows), *number = sk_alloc(n, sizeof *number);
    int64_t *out = sk_zeroed(ranks->size, sizeof *out), *in = sk_alloc(ranks->size, sizeof *in), *asked = NULL;
    sk_word *told = NULL, *come = NULL;
    for (int64_t i = 0; i < n && number && out; i++) {
        number[i] = of[i].number;
        out[of[i].owner] += (int64_t)sizeof *number;
    }
    if (number && out && in)
        asked = sk_exchange(ranks, number, out, in);
    if (asked)
        told = pack_asked(rows, asked, in);
    if (told)
        come = sk_exchange(ranks, told, in, out);
    bool room = come;
    for (int64_t i = 0; i < n && room; i++)
        room = sk_row_add(rows, come + i * w) >= 0;
    free(number);
    free(out);
    free(in);
    free(asked);
    free(told);
    free(come);
    return room;
}
