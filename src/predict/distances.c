/* Scores of validated points by their distance from the nearest datum used. Of many ranks each has some of the points;
 * put in the order of distances, each has those of a range, and sums go from one to the next. */
#include "predict/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A record of each point, by distance and then by row. */
enum { DISTANCE, ROW, KEYS, Y = KEYS, MEAN, SD, WIDTH };
enum { CLASSES = sizeof((surekrig_by_distance){0}).of / sizeof(surekrig_class) };

typedef struct sorted {
    const sk_ranks *ranks;
    sk_records points;
    int64_t before, all;   /* points of the ranks before, and of all */
    double *y, *mean, *sd; /* [points] in order */
    double last;           /* distance before the first of them; none: NaN */
    double level, quantile;
} sorted;

static double distance(const sorted *s, int64_t i)
{
    return i < 0 ? s->last : s->points.value[i * WIDTH + DISTANCE];
}

/* Ranks without points have none before the next. */
static surekrig_status find_last(sorted *s, surekrig_error *error)
{
    int64_t *bytes = sk_alloc(s->ranks->size, sizeof *bytes);
    double own = s->points.n ? distance(s, s->points.n - 1) : NAN;
    double *all = bytes ? sk_gather(s->ranks, &own, sizeof own, bytes) : NULL;
    s->last = NAN;
    for (int r = 0; all && r < s->ranks->rank; r++)
        s->last = isnan(all[r]) ? s->last : all[r];
    free(bytes);
    free(all);
    return all ? SUREKRIG_OK : sk_fail_memory(error, 16.0 * s->ranks->size, "the order of distances");
}

static surekrig_status sort_points(const surekrig_model *m, const surekrig_validated *v, int64_t q, sorted *s,
                                   surekrig_error *error)
{
    int64_t n = v->count, l = m->data.l;
    s->points = (sk_records){n, WIDTH, KEYS, sk_doubles(n * WIDTH)};
    if (!s->points.value)
        return sk_fail_memory(error, 8.0 * (double)(n * WIDTH), "the order of distances");
    for (int64_t i = 0; i < n; i++) {
        const double record[WIDTH] = {v->distance[i], (double)v->row[i], v->y[i * l + q], v->mean[i * l + q],
                                      v->sd[i * l + q]};
        memcpy(s->points.value + i * WIDTH, record, sizeof record);
    }
    surekrig_status status = sk_records_sort(s->ranks, &s->points, error);
    if (status)
        return status;
    n = s->points.n;
    s->before = sk_before(s->ranks, n);
    s->all = sk_sum(s->ranks, n);
    s->y = sk_doubles(3 * n);
    if (!s->y)
        return sk_fail_memory(error, 24.0 * (double)n, "the order of distances");
    s->mean = s->y + n;
    s->sd = s->mean + n;
    for (int64_t i = 0; i < 3 * n; i++)
        s->y[i] = s->points.value[i % n * WIDTH + Y + i / n];
    return find_last(s, error);
}

/* Where a class may begin, from a point of all on: what differs in the last digits is one distance. */
static int64_t find_bound(const sorted *s, int64_t from)
{
    int64_t i = from > s->before ? from - s->before : 0;
    while (i < s->points.n && distance(s, i) <= (1 + 1e-6) * distance(s, i - 1))
        i++;
    double found = i < s->points.n ? (double)(s->before + i) : (double)s->all;
    sk_least(s->ranks, 1, &found);
    return (int64_t)found;
}

static surekrig_status score(const sorted *s, const surekrig_ranks *ranks, const int64_t range[2],
                             surekrig_scores *scores, surekrig_error *error)
{
    surekrig_scored part = {range[1] - range[0], s->y + range[0], s->mean + range[0], s->sd + range[0], s->quantile};
    part.ranks = ranks;
    return surekrig_score(&part, s->level, scores, error);
}

typedef struct widths {
    const double *sd;
    int64_t n;
    double all;
} widths;

static void add_widths(void *context, double *mean)
{
    const widths *w = context;
    for (int64_t i = 0; i < w->n; i++)
        *mean += w->sd[i] / w->all;
}

/* Of points begin .. end of all. */
static surekrig_status score_class(const sorted *s, const surekrig_ranks *ranks, const int64_t bound[2],
                                   surekrig_class *of, surekrig_error *error)
{
    int64_t range[2];
    for (int side = 0; side < 2; side++) {
        int64_t at = bound[side] - s->before;
        range[side] = at < 0 ? 0 : at < s->points.n ? at : s->points.n;
    }
    bool any = range[1] > range[0];
    *of = (surekrig_class){any ? distance(s, range[0]) : INFINITY, any ? distance(s, range[1] - 1) : -INFINITY, 0, {0}};
    sk_least(s->ranks, 1, &of->from);
    sk_most(s->ranks, 1, &of->to);
    sk_in_turn(s->ranks, add_widths, &(widths){s->sd + range[0], range[1] - range[0], (double)(bound[1] - bound[0])}, 1,
               &of->sd);
    return score(s, ranks, range, &of->scores, error);
}

/* bound: [CLASSES + 1]; how many classes. */
static int find_bounds(const sorted *s, int64_t *bound)
{
    int classes = 1;
    bound[0] = 0;
    for (int c = 1; c < CLASSES; c++) {
        int64_t at = c * s->all / CLASSES;
        at = at > 0 ? find_bound(s, at) : 0;
        if (at > bound[classes - 1] && at < s->all)
            bound[classes++] = at;
    }
    bound[classes] = s->all;
    return classes;
}

static surekrig_status check(const surekrig_model *m, const surekrig_validated *v, int64_t q, double level,
                             surekrig_error *error)
{
    bool all = v->row && v->y && v->mean && v->sd && v->distance;
    if (q < 0 || q >= m->data.l)
        return sk_fail(error, SUREKRIG_INVALID, "response %lld asked; those of the model are 0 to %lld", (long long)q,
                       (long long)m->data.l - 1);
    if (!(level > 0 && level < 1))
        return sk_fail(error, SUREKRIG_INVALID, "level = %g; it must lie between 0 and 1, both excluded", level);
    if (v->count < 0 || (v->count > 0 && !all))
        return sk_fail(error, SUREKRIG_INVALID,
                       "row, y, mean, sd and distance must be arrays of %lld points; one of them is NULL",
                       (long long)v->count);
    return SUREKRIG_OK;
}

surekrig_status surekrig_score_distances(const surekrig_model *m, const surekrig_validated *v, int64_t q, double level,
                                         surekrig_by_distance *out, surekrig_error *error)
{
    surekrig_by_distance made = {0};
    if (sk_check_needed((sk_needed[]){{"model", m}, {"validated", v}, {"by_distance", out}, {0}}, error))
        return SUREKRIG_INVALID;
    const surekrig_ranks *ranks = sk_is_spread(&m->data) ? m->data.ranks : NULL;
    sorted s = {.ranks = sk_ranks_of(&m->data), .level = level};
    int64_t bound[CLASSES + 1];
    surekrig_status status = sk_agree(s.ranks, check(m, v, q, level, error), error);
    if (status)
        return status;
    s.quantile = surekrig_model_quantile(m, q, level);
    status = sort_points(m, v, q, &s, error);
    if (!status)
        status = score(&s, ranks, (int64_t[]){0, s.points.n}, &made.all, error);
    if (!status)
        made.classes = find_bounds(&s, bound);
    for (int c = 0; c < made.classes && !status; c++)
        status = score_class(&s, ranks, bound + c, &made.of[c], error);
    free(s.points.value);
    free(s.y);
    if (!status)
        *out = made;
    return status;
}
