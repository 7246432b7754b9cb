/* Cuts along the features that count, each through the middle of a sample of all rows, until there is a part for each
 * rank. Rows at one place go together: what is equal along one feature is told by the next. */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 1 << 16, EACH = 512 }; /* points of the sample at least, and of each rank */

/* Along an axis, then along those after it. */
static int compare(const double *a, const double *b, int64_t axis, int64_t features)
{
    for (int64_t i = 0; i < features; i++) {
        int64_t f = (axis + i) % features;
        if (a[f] != b[f])
            return a[f] < b[f] ? -1 : 1;
    }
    return 0;
}

static void swap(double *a, double *b, int64_t features)
{
    for (int64_t i = 0; i < features; i++) {
        double held = a[i];
        a[i] = b[i];
        b[i] = held;
    }
}

/* The points before the middle one come first. Pivots are random, lest ranks whose rows are sorted alike cost the
 * square of the points; what is cut does not hang on them. */
static void halve(sk_cuts *c, int64_t axis, int64_t begin, int64_t middle, int64_t end)
{
    int64_t w = c->features;
    for (uint64_t turn = 0; end - begin > 1; turn++) {
        double *first = c->sample + begin * w;
        int64_t low = begin, high = begin;
        int64_t pivot = begin + (int64_t)(sk_uniform(0, SK_STREAM_ORDER, turn) * (double)(end - begin));
        swap(first, c->sample + pivot * w, w);
        for (int64_t i = begin + 1; i < end; i++) { /* below the pivot, equal to it, above it */
            int to = compare(c->sample + i * w, first, axis, w);
            if (to > 0)
                continue;
            swap(c->sample + ++high * w, c->sample + i * w, w);
            if (to < 0)
                swap(c->sample + ++low * w, c->sample + high * w, w);
        }
        swap(first, c->sample + low * w, w);
        if (middle < low)
            end = low;
        else if (middle > high)
            begin = high + 1;
        else
            return;
    }
}

static int64_t longest(const sk_cuts *c, int64_t begin, int64_t end)
{
    int64_t axis = 0;
    double most = -1;
    for (int64_t f = 0; f < c->features; f++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = begin; i < end; i++) {
            low = fmin(low, c->sample[i * c->features + f]);
            high = fmax(high, c->sample[i * c->features + f]);
        }
        double side = (high - low) / c->extent[f];
        axis = side > most ? f : axis;
        most = fmax(side, most);
    }
    return axis;
}

/* Ranks from .. to-1 share these points of the sample. */
static void cut(sk_cuts *c, int64_t begin, int64_t end, int from, int to)
{
    int half = from + (to - from) / 2;
    if (to - from < 2)
        return;
    int64_t middle = begin + (end - begin) * (half - from) / (to - from), axis = longest(c, begin, end);
    halve(c, axis, begin, middle, end);
    c->axis[half] = axis;
    int64_t at = middle < end || !middle ? middle : middle - 1; /* of fewer points than ranks some have none */
    memcpy(c->at + half * c->features, c->sample + at * c->features, (size_t)c->features * sizeof(double));
    cut(c, begin, middle, from, half);
    cut(c, middle, end, half, to);
}

int sk_cuts_rank(const sk_cuts *c, int ranks, const double *x, double *point)
{
    int from = 0, to = ranks;
    for (int64_t f = 0; f < c->features; f++)
        point[f] = x[c->feature[f]];
    while (to - from > 1) {
        int half = from + (to - from) / 2;
        bool before = compare(point, c->at + half * c->features, c->axis[half], c->features) < 0;
        *(before ? &to : &from) = half;
    }
    return from;
}

/* Which features are named; all where none is. */
static int64_t find_features(const surekrig_data *part, const char *distance, int64_t *feature)
{
    int64_t found = 0;
    for (int64_t a = 0; a < part->d && part->x_names; a++)
        for (const char *at = distance; *at; at += strcspn(at, ","), at += *at == ',') {
            size_t length = strcspn(at, ",");
            if (strlen(part->x_names[a]) == length && !strncmp(part->x_names[a], at, length)) {
                feature[found++] = a;
                break;
            }
        }
    for (int64_t a = 0; a < part->d && !found; a++)
        feature[a] = a;
    return found ? found : part->d;
}

surekrig_status sk_cuts_make(sk_cuts *c, const char *distance, surekrig_error *error)
{
    const surekrig_data *part = c->part;
    const sk_ranks *ranks = sk_ranks_of(part);
    int64_t n = sk_sum(ranks, part->n), d = part->d, sample = SAMPLE > EACH * ranks->size ? SAMPLE : EACH * ranks->size;
    int64_t few = n > sample ? (int64_t)((double)sample * ((double)part->n / (double)n)) : part->n;
    c->feature = sk_alloc(d, sizeof *c->feature);
    c->extent = sk_doubles(d);
    c->axis = sk_zeroed(ranks->size, sizeof *c->axis);
    c->at = sk_doubles(ranks->size * d);
    double *own = sk_doubles(few * d);
    int64_t *bytes = sk_zeroed(ranks->size, sizeof *bytes);
    if (!c->feature || !c->extent || !c->axis || !c->at || !own || !bytes) {
        free(own);
        free(bytes);
        return sk_fail_memory(error, 8.0 * (double)(few * d), "a sample of the rows");
    }
    c->features = find_features(part, distance, c->feature);
    for (int64_t i = 0; i < few * c->features; i++) {
        int64_t row = (int64_t)((double)(i / c->features) * ((double)part->n / (double)few));
        own[i] = part->x[row * d + c->feature[i % c->features]];
    }
    c->sample = sk_gather(ranks, own, few * c->features * (int64_t)sizeof *own, bytes);
    for (int r = 0; r < ranks->size; r++)
        c->samples += bytes[r] / (int64_t)sizeof *own / c->features;
    free(own);
    free(bytes);
    if (!c->sample)
        return sk_fail_memory(error, 8.0 * (double)(sample * d), "a sample of the rows");
    for (int64_t f = 0; f < c->features; f++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = f; i < c->samples * c->features; i += c->features) {
            low = fmin(low, c->sample[i]);
            high = fmax(high, c->sample[i]);
        }
        c->extent[f] = high > low ? high - low : 1;
    }
    cut(c, 0, c->samples, 0, ranks->size);
    return SUREKRIG_OK;
}

void sk_cuts_free(sk_cuts *c)
{
    free(c->feature);
    free(c->sample);
    free(c->extent);
    free(c->axis);
    free(c->at);
}
