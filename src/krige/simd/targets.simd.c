/* Further places of the neighbourhoods of a group: TILE places a lane at a time are one more panel below L. */
#include "krige/simd/group.h"

#include <math.h>

static int64_t targets_of(const group *g, int lane)
{
    const int64_t *first = g->job->targets->first + g->point[lane];
    return first[1] - first[0];
}

/* The places from `from` on of each lane; a lane that has no more repeats its last, or has its neighbourhood's own. */
static void aim(const group *g, int64_t from)
{
    const sk_krige_targets *t = g->job->targets;
    int64_t d = g->points->data->d;
    for (int lane = 0; lane < L; lane++)
        for (int64_t r = 0; r < TILE; r++) {
            int64_t count = targets_of(g, lane), at = from + r < count ? from + r : count - 1;
            const double *x = count ? t->x + (t->first[g->point[lane]] + at) * d
                                    : g->job->batch->x + g->point[lane] * d;
            for (int64_t a = 0; a < g->kernel->d; a++)
                ((double *)(g->w->aim + a * TILE + r))[lane] = x[g->axis[a]];
        }
}

/* Products of the panel's rows with a right-hand side of the group, or with themselves. */
static void products(const group *g, const sk_vec *side, sk_vec out[TILE])
{
    for (int r = 0; r < TILE; r++)
        out[r] = sk_all(0);
    for (int64_t p = 0; p < g->k; p++)
        for (int r = 0; r < TILE; r++) {
            sk_vec a = g->w->side[p * TILE + r];
            out[r] += a * (side ? side[p * TILE] : a);
        }
}

/* Row r of the panel is each lane's target from + r. */
static void store(const group *g, int64_t from, const sk_vec value[TILE], int64_t stride, double *out)
{
    const int64_t *first = g->job->targets->first;
    for (int lane = 0; lane < L; lane++)
        for (int64_t r = 0; r < TILE && from + r < targets_of(g, lane); r++)
            out[(first[g->point[lane]] + from + r) * stride] = value[r][lane];
}

void SK_HERE(sk_krige_targets)(group *g)
{
    const sk_krige_targets *t = g->job->targets;
    bool unknown = g->points->unknown_mean;
    int64_t l = g->points->data->l, most = 0;
    sk_vec gg = unknown ? side_dot(g, 1, 1) : sk_all(1), rest[TILE], value[TILE];
    for (int lane = 0; lane < L; lane++)
        most = targets_of(g, lane) > most ? targets_of(g, lane) : most;
    for (int64_t from = 0; from < most; from += TILE) {
        aim(g, from);
        SK_HERE(sk_fill_targets)(g, g->w->side);
        SK_HERE(sk_factor_panel)(g, tiles(g->k + g->sides), g->w->side);
        products(g, NULL, value);
        if (unknown)
            products(g, row_of(g, g->k + 1), rest);
        for (int r = 0; r < TILE; r++) {
            rest[r] = unknown ? 1 - rest[r] : sk_all(0);
            sk_vec left = sk_kernel_at_zero(g->kernel) - value[r]; /* below 0: round-off */
            value[r] = sk_select(left > 0, left, sk_all(0)) + rest[r] * rest[r] / gg;
        }
        store(g, from, value, 1, t->variance);
        for (int64_t q = 0; q < l; q++) {
            int64_t e = g->sides - l + q;
            sk_vec mu = unknown ? side_dot(g, 1, e) / gg : sk_all(0);
            products(g, row_of(g, g->k + e), value);
            for (int r = 0; r < TILE; r++)
                value[r] += rest[r] * mu;
            store(g, from, value, l, t->mean + q);
        }
    }
}
