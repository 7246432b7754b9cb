/* The covariances of a panel: distances, then the kernel's values, a list of vectors at a time. */
#include "krige/simd/group.h"

/* M of one term where some lane is outside the table's near buckets. */
static sk_vec __attribute__((noinline))
outside(const sk_kernel *kernel, int term, sk_vec s, sk_lane_place p, sk_lane_place q)
{
    const sk_table *table = kernel->term[term].table;
    if (table->exponential)
        return sk_exponential_lanes(s);
    sk_mask near = ~sk_outside_reach(table, s), far = (s >= table->reach) & (s < table->high);
    sk_mask none = s >= table->family->end, rest = ~(near | far | none);
    sk_vec other, value = sk_all(0);
    if (sk_any(near))
        value = sk_near_lanes(table, sk_select(near, s, sk_all(table->low)), table->gathers, &other);
    if (sk_any(far))
        value = sk_select(far, sk_far_lanes(table, sk_select(far, s, sk_all(table->reach))), value);
    value = sk_select(none, sk_all(0), value);
    if (sk_any(rest)) { /* mostly observations at one place */
        sk_mask same = ~(sk_mask){0};
        for (int64_t a = 0; a < kernel->d; a++)
            same &= p.x[a * p.stride] == q.x[a * q.stride];
        value = sk_select(rest & same, sk_all(1), value);
        rest &= ~same;
    }
    for (int l = 0; l < L && sk_any(rest); l++)
        if (rest[l])
            value[l] = s[l] < SK_TINY_SQUARE
                           ? sk_kernel_close(kernel, term, (sk_place){(const double *)p.x + l, p.stride * L},
                                             (sk_place){(const double *)q.x + l, q.stride * L})
                           : sk_table_at(table, s[l], NULL);
    return value;
}

/* The covariances that a row of tiles wants, column by column: rows `first` .. rows-1 of column j, which are those of
 * the tiles left of the diagonal, its lower triangle, and c, whose place is the target's. */
typedef struct want {
    int64_t i, columns; /* its first row of L, and the columns of L it has */
    int rows;           /* without the responses */
    int64_t d;
    const sk_vec *at; /* [d][stride] where its rows are */
    int64_t stride;
} want;

/* Is there such a row? A place to be predicted is one. */
SK_INLINE sk_mask real_row(const group *g, want w, int r)
{
    return g->w->real[w.i + r < g->k ? w.i + r : g->k];
}

SK_INLINE int first_row(want w, int64_t j)
{
    return j < w.i ? 0 : (int)(j - w.i) + 1;
}

/* Scaled squared distances into s; returns whether the table's near buckets have them all. */
SK_INLINE bool squares(const group *g, int term, want w, sk_vec *restrict s)
{
    const sk_kernel *kernel = g->kernel;
    const sk_table *table = kernel->term[term].table;
    const double *scale = kernel->scale + term * w.d;
    const sk_vec *x = g->w->x;
    int64_t stride = g->k + 1;
    sk_mask rare = {0};
    for (int64_t j = 0; j < w.columns; j++)
        for (int r = first_row(w, j); r < w.rows; r++) {
            sk_vec sum = sk_all(0);
            for (int64_t a = 0; a < w.d; a++) {
                sk_vec difference = scale[a] * (w.at[a * w.stride + r] - x[a * stride + j]);
                sum += difference * difference;
            }
            if (g->ragged)
                sum = sk_select(real_row(g, w, r) & g->w->real[j], sum, sk_all(1));
            rare |= sk_outside_reach(table, sum);
            *s++ = sum;
        }
    return !sk_any(rare);
}

/* From squares to covariances, where all are near. */
SK_INLINE void near_values(const sk_table *table, double weight, int64_t n, bool gathers, sk_vec *s)
{
    const sk_lane_buckets buckets = {table->near, table->first, SK_BUCKET_BITS, gathers};
    const sk_vec edge = sk_all(sk_start_of(table->complements, SK_BUCKET_BITS));
    for (int64_t i = 0; i < n; i++) {
        sk_vec p = sk_polynomial_lanes(buckets, &s[i]);
        s[i] = weight * sk_select(s[i] < edge, 1 - p, p); /* as rare_values has it, to the bit */
    }
}

/* M of a term between two places, whatever s is. */
SK_INLINE sk_vec value_between(const sk_kernel *kernel, int term, sk_vec s, sk_lane_place p, sk_lane_place q)
{
    const sk_table *table = kernel->term[term].table;
    sk_vec other;
    if (!sk_any(sk_outside_reach(table, s)))
        return sk_near_lanes(table, s, table->gathers, &other);
    if (!sk_any(~((s >= table->reach) & (s < table->high))))
        return sk_far_lanes(table, s);
    return outside(kernel, term, s, p, q);
}

SK_INLINE sk_lane_place point_at(const group *g, int64_t i)
{
    return (sk_lane_place){g->w->x + i, g->k + 1};
}

sk_vec SK_HERE(sk_term_value)(const group *g, int term, sk_vec s, int64_t i, int64_t j)
{
    return value_between(g->kernel, term, s, point_at(g, i), point_at(g, j));
}

static void rare_values(const group *g, int term, want w, sk_vec *s)
{
    double weight = g->kernel->term[term].weight;
    for (int64_t j = 0; j < w.columns; j++)
        for (int r = first_row(w, j); r < w.rows; r++, s++)
            *s = weight * value_between(g->kernel, term, *s, (sk_lane_place){w.at + r, w.stride}, point_at(g, j));
}

static void clear_missing(const group *g, want w, sk_vec *value)
{
    for (int64_t j = 0; j < w.columns; j++)
        for (int r = first_row(w, j); r < w.rows; r++, value++)
            *value = sk_select(real_row(g, w, r) & g->w->real[j], *value, sk_all(0));
}

static int64_t wanted(want w)
{
    int64_t n = 0;
    for (int64_t j = w.i < w.columns ? w.i : w.columns; j < w.columns; j++)
        n += w.rows > first_row(w, j) ? w.rows - first_row(w, j) : 0;
    return n + (w.i < w.columns ? w.i : w.columns) * w.rows;
}

/* One term's covariances. */
static void term_values(const group *g, int term, want w, sk_vec *value)
{
    const sk_kernel_term *t = &g->kernel->term[term];
    bool near = w.d == 2 && w.rows == TILE && !g->ragged
                    ? squares(g, term, (want){w.i, w.columns, TILE, 2, w.at, w.stride}, value)
                    : squares(g, term, w, value);
    if (near && t->table->gathers)
        near_values(t->table, t->weight, wanted(w), true, value);
    else if (near)
        near_values(t->table, t->weight, wanted(w), false, value);
    else
        rare_values(g, term, w, value);
    if (g->ragged)
        clear_missing(g, w, value);
}

/* M of one factor of a product. Half of all pairs may be at one place or at one time, where it is 1. */
SK_INLINE sk_vec factor_at(const sk_kernel *kernel, int term, sk_vec s, sk_lane_place p, sk_lane_place q)
{
    sk_mask none = s == 0;
    sk_vec apart = sk_select(none, sk_all(kernel->term[term].table->low), s);
    return sk_select(none, sk_all(1), value_between(kernel, term, apart, p, q));
}

/* p of the square in time. */
static sk_vec mix_at(const sk_kernel *kernel, sk_vec s)
{
    s *= kernel->mix_scale;
    sk_mask rare = sk_outside_reach(kernel->mix, s);
    sk_vec other, near = sk_select(rare, sk_all(kernel->mix->low), s);
    sk_vec value = sk_near_lanes(kernel->mix, near, kernel->mix->gathers, &other);
    for (int l = 0; l < L && sk_any(rare); l++)
        if (rare[l])
            value[l] = s[l] > 0 ? sk_table_at(kernel->mix, s[l], NULL) : 1;
    return value;
}

SK_INLINE sk_vec factor_square(const group *g, int term, sk_lane_place p, sk_lane_place q)
{
    const sk_kernel *kernel = g->kernel;
    const double *scale = kernel->scale + term * kernel->d;
    sk_vec sum = sk_all(0);
    for (int64_t a = 0; a < kernel->d; a++) {
        sk_vec difference = scale[a] * (p.x[a * p.stride] - q.x[a * q.stride]);
        sum += difference * difference;
    }
    return sum;
}

/* Where space and time meet: p^(a/2) M(sqrt(p) u) T, a the axes of space. */
static void mixed_values(const group *g, want w, sk_vec *value)
{
    const sk_kernel *kernel = g->kernel;
    for (int64_t j = 0; j < w.columns; j++)
        for (int r = first_row(w, j); r < w.rows; r++, value++) {
            sk_lane_place p = {w.at + r, w.stride}, q = point_at(g, j);
            sk_vec space = factor_square(g, 0, p, q), time = factor_square(g, 1, p, q);
            if (g->ragged) {
                sk_mask real = real_row(g, w, r) & g->w->real[j];
                space = sk_select(real, space, sk_all(0));
                time = sk_select(real, time, sk_all(0));
            }
            sk_vec mix = mix_at(kernel, time);
            *value = factor_at(kernel, 0, mix * space, p, q) * factor_at(kernel, 1, time, p, q);
            for (int half = 0; half < kernel->space; half += 2)
                *value *= half + 1 < kernel->space ? mix : sk_sqrt(mix);
        }
}

/* Squares along the axes that a factor has; whether all are 0 or in the table's near buckets. */
SK_INLINE bool factor_squares(const group *g, int term, want w, int64_t from, int64_t axes, sk_vec *restrict s)
{
    const sk_table *table = g->kernel->term[term].table;
    const double *scale = g->kernel->scale + term * w.d + from;
    int64_t stride = g->k + 1;
    const sk_vec *at = w.at + from * w.stride, *x = g->w->x + from * stride;
    sk_mask rare = {0};
    for (int64_t j = 0; j < w.columns; j++)
        for (int r = first_row(w, j); r < w.rows; r++) {
            sk_vec sum = sk_all(0);
            for (int64_t a = 0; a < axes; a++) {
                sk_vec difference = scale[a] * (at[a * w.stride + r] - x[a * stride + j]);
                sum += difference * difference;
            }
            if (g->ragged)
                sum = sk_select(real_row(g, w, r) & g->w->real[j], sum, sk_all(0));
            rare |= sk_outside_reach(table, sum) & (sum != 0);
            *s++ = sum;
        }
    return !sk_any(rare);
}

/* From squares to the factor, where all are near or 0. */
SK_INLINE void near_factor(const sk_table *table, int64_t n, bool gathers, sk_vec *s)
{
    const sk_lane_buckets buckets = {table->near, table->first, SK_BUCKET_BITS, gathers};
    const sk_vec edge = sk_all(sk_start_of(table->complements, SK_BUCKET_BITS)), low = sk_all(table->low);
    for (int64_t i = 0; i < n; i++) {
        sk_mask none = s[i] == 0;
        sk_vec apart = sk_select(none, low, s[i]), p = sk_polynomial_lanes(buckets, &apart);
        s[i] = sk_select(none, sk_all(1), sk_select(apart < edge, 1 - p, p));
    }
}

/* One factor of a product: axes of the other have the scale 0 in it, and as a rule are before or after its own. */
static void factor_values(const group *g, int term, want w, sk_vec *value)
{
    const sk_table *table = g->kernel->term[term].table;
    const double *scale = g->kernel->scale + term * w.d;
    int64_t from = 0, end = w.d;
    while (from < end && scale[from] == 0)
        from++;
    while (end > from && scale[end - 1] == 0)
        end--;
    bool near = end - from == 1   ? factor_squares(g, term, w, from, 1, value)
                : end - from == 2 ? factor_squares(g, term, w, from, 2, value)
                                  : factor_squares(g, term, w, from, end - from, value);
    near &= table->near != NULL; /* an empty table: all are 0 */
    if (near && table->gathers)
        near_factor(table, wanted(w), true, value);
    else if (near)
        near_factor(table, wanted(w), false, value);
    else
        for (int64_t j = 0; j < w.columns; j++)
            for (int r = first_row(w, j); r < w.rows; r++, value++)
                *value = factor_at(g->kernel, term, *value, (sk_lane_place){w.at + r, w.stride}, point_at(g, j));
}

/* Space times time. */
static void product_values(const group *g, want w, sk_vec *value)
{
    if (g->kernel->mix) {
        mixed_values(g, w, value);
        return;
    }
    factor_values(g, 0, w, value);
    factor_values(g, 1, w, g->w->more);
    for (int64_t n = 0; n < wanted(w); n++)
        value[n] *= g->w->more[n];
}

/* Column j of the panel from its packed covariances, which end before `value`; returns where they begin. */
SK_INLINE const sk_vec *unpack_column(const group *g, want w, int64_t j, const sk_vec *value, sk_vec *column)
{
    int64_t k = g->k;
    for (int r = TILE - 1; r >= 0; r--) {
        int64_t side = w.i + r - k;
        column[r] = side >= g->sides           ? sk_all(0)
                    : side > 0                 ? g->w->y[(side - 1) * k + j]
                    : r >= first_row(w, j)     ? *--value
                    : r + 1 == first_row(w, j) ? g->w->diagonal[j]
                                               : sk_all(0);
    }
    return value;
}

static void all_terms(const group *g, want w, sk_vec *panel)
{
    if (g->kernel->product) {
        product_values(g, w, panel);
        if (g->ragged)
            clear_missing(g, w, panel);
        return;
    }
    term_values(g, 0, w, panel);
    for (int t = 1; t < g->kernel->terms; t++) {
        term_values(g, t, w, g->w->more);
        for (int64_t n = 0; n < wanted(w); n++)
            panel[n] += g->w->more[n];
    }
}

void SK_HERE(sk_fill_panel)(const group *g, int64_t I, sk_vec *panel)
{
    int64_t k = g->k, i = I * TILE, end = i + TILE < k ? i + TILE : k;
    int rows = k + 1 < i ? 0 : k + 1 - i < TILE ? (int)(k + 1 - i) : TILE;
    want w = {i, end, rows, g->kernel->d, g->w->x + i, k + 1};
    all_terms(g, w, panel);
    const sk_vec *value = panel + wanted(w);
    for (int64_t j = end - 1; j >= 0 && (j >= i || w.rows < TILE); j--)
        value = unpack_column(g, w, j, value, panel + j * TILE);
}

/* All rows have all columns, so they need not be unpacked. */
void SK_HERE(sk_fill_targets)(const group *g, sk_vec *panel)
{
    all_terms(g, (want){g->k, g->k, TILE, g->kernel->d, g->w->aim, TILE}, panel);
    for (int64_t n = g->k * TILE; n < tiles(g->k) * TILE * TILE; n++)
        panel[n] = sk_all(0);
}
