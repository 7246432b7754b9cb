#include "base/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one process */

static void gather_alone(const sk_ranks *ranks, const void *own, const int64_t *bytes, void *all)
{
    (void)ranks;
    memcpy(all, own, (size_t)bytes[0]);
}

static void exchange_alone(const sk_ranks *ranks, const void *out, const int64_t *out_bytes, void *in,
                           const int64_t *in_bytes)
{
    (void)ranks;
    (void)in_bytes;
    memcpy(in, out, (size_t)out_bytes[0]);
}

static const sk_ranks ALONE = {0, 1, NULL, gather_alone, exchange_alone, NULL};

/* Not for a process alone, which needs no memory here. */
static void *must(const sk_ranks *ranks, void *memory)
{
    if (!memory) {
        ranks->fail(ranks, "out of memory for what ranks have in common");
        __builtin_unreachable(); /* it does not return */
    }
    return memory;
}

bool sk_is_spread(const surekrig_data *data)
{
    return data->ranks && !data->ranks->alike;
}

const sk_ranks *sk_ranks_of(const surekrig_data *data)
{
    return sk_is_spread(data) ? &data->ranks->link : &ALONE;
}

int64_t sk_own(const surekrig_data *data)
{
    return sk_is_spread(data) ? data->ranks->own : data->n;
}

int64_t sk_held(const surekrig_data *data)
{
    return sk_is_spread(data) ? data->ranks->held : data->n;
}

int64_t sk_number(const surekrig_data *data, int64_t row)
{
    return sk_is_spread(data) && row >= 0 ? data->ranks->number[row] : row;
}

sk_column sk_file_column(const surekrig_data *data, const double *value, int64_t stride)
{
    if (!sk_is_spread(data))
        return (sk_column){data->n, value, stride, NULL};
    double *made = must(&data->ranks->link, data->ranks->to_file(data->ranks->rows, value, stride));
    return (sk_column){data->ranks->came, made, 1, made};
}

surekrig_status sk_refuse_many(const surekrig_data *data, const char *what, surekrig_error *error)
{
    return sk_is_spread(data) && data->ranks->link.size > 1
               ? sk_fail(error, SUREKRIG_INVALID, "%s not for many ranks yet: use plain surekrig", what)
               : SUREKRIG_OK;
}

/* ---- what they have in common */

void *sk_gather(const sk_ranks *ranks, const void *own, int64_t count, int64_t *bytes)
{
    int64_t *each = sk_alloc(ranks->size, sizeof *each), all = 0;
    for (int r = 0; each && r < ranks->size; r++)
        each[r] = sizeof *each;
    if (!each)
        return NULL;
    ranks->gather(ranks, &count, each, bytes);
    free(each);
    for (int r = 0; r < ranks->size; r++)
        all += bytes[r];
    void *gathered = sk_alloc(all, 1);
    if (gathered)
        ranks->gather(ranks, own, bytes, gathered);
    return gathered;
}

void *sk_exchange(const sk_ranks *ranks, const void *out, const int64_t *out_bytes, int64_t *in_bytes)
{
    int64_t *each = sk_alloc(ranks->size, sizeof *each), all = 0;
    for (int r = 0; each && r < ranks->size; r++)
        each[r] = sizeof *each;
    if (!each)
        return NULL;
    ranks->exchange(ranks, out_bytes, each, in_bytes, each);
    free(each);
    for (int r = 0; r < ranks->size; r++)
        all += in_bytes[r];
    void *in = sk_alloc(all, 1);
    if (in)
        ranks->exchange(ranks, out, out_bytes, in, in_bytes);
    return in;
}

surekrig_status sk_agree(const sk_ranks *ranks, surekrig_status status, surekrig_error *error)
{
    if (ranks->size == 1)
        return status;
    surekrig_error own = {.status = status};
    int64_t *bytes = sk_alloc(ranks->size, sizeof *bytes);
    if (status && error)
        own = *error;
    surekrig_error *all = bytes ? sk_gather(ranks, &own, sizeof own, bytes) : NULL;
    int first = 0;
    for (int r = 0; all && r < ranks->size; r++)
        if (bytes[r] != sizeof own) /* what failed here alone: others are somewhere else, and cannot be told */
            ranks->fail(ranks, status && error ? error->sentence : "another rank has failed");
    while (all && first < ranks->size && !all[first].status)
        first++;
    if (!all)
        status = sk_fail_memory(error, sizeof own * (double)ranks->size, "what ranks agree on");
    else if (first < ranks->size) {
        status = all[first].status;
        if (error)
            *error = all[first];
    }
    free(all);
    free(bytes);
    return status;
}

surekrig_status sk_agree_least(const sk_ranks *ranks, surekrig_status status, int64_t number, surekrig_error *error)
{
    double least = status ? (double)number : INFINITY;
    sk_least(ranks, 1, &least);
    return sk_agree(ranks, status && (double)number > least ? SUREKRIG_OK : status, error);
}

bool sk_first_says(const surekrig_ranks *of, bool own)
{
    double said = own;
    if (!of || of->apart)
        return own;
    if (of->link.rank)
        said = INFINITY;
    sk_least(&of->link, 1, &said);
    return said > 0;
}

int64_t sk_at_once(const sk_ranks *ranks)
{
    enum { ALL = 1 << 20, LEAST = 1 << 8 };
    int64_t share = ALL / ranks->size;
    return share > LEAST ? share : LEAST;
}

static void combine(const sk_ranks *ranks, int64_t n, double *value, double (*both)(double, double))
{
    if (ranks->size == 1)
        return;
    int64_t *each = must(ranks, sk_alloc(ranks->size, sizeof *each)), at_once = sk_at_once(ranks);
    for (int64_t count; n > 0; n -= count, value += count) {
        count = n < at_once ? n : at_once;
        double *all = must(ranks, sk_gather(ranks, value, count * (int64_t)sizeof *value, each));
        for (int64_t i = 0; i < count * ranks->size; i++)
            value[i % count] = i < count ? all[i] : both(value[i % count], all[i]);
        free(all);
    }
    free(each);
}

void sk_least(const sk_ranks *ranks, int64_t n, double *value)
{
    combine(ranks, n, value, fmin);
}

void sk_most(const sk_ranks *ranks, int64_t n, double *value)
{
    combine(ranks, n, value, fmax);
}

static double add(double a, double b)
{
    return a + b;
}

void sk_add(const sk_ranks *ranks, int64_t n, double *value)
{
    combine(ranks, n, value, add);
}

int64_t sk_sum(const sk_ranks *ranks, int64_t value)
{
    double sum = (double)value;
    sk_add(ranks, 1, &sum);
    return (int64_t)sum;
}

int64_t sk_before(const sk_ranks *ranks, int64_t value)
{
    if (ranks->size == 1)
        return 0;
    int64_t *bytes = must(ranks, sk_alloc(ranks->size, sizeof *bytes)), sum = 0;
    int64_t *all = must(ranks, sk_gather(ranks, &value, sizeof value, bytes));
    for (int r = 0; r < ranks->rank; r++)
        sum += all[r];
    free(all);
    free(bytes);
    return sum;
}

void sk_in_turn(const sk_ranks *ranks, void (*more)(void *context, double *value), void *context, int64_t n,
                double *value)
{
    if (ranks->size == 1) {
        more(context, value);
        return;
    }
    int64_t *bytes = must(ranks, sk_zeroed(ranks->size, sizeof *bytes));
    double *own = must(ranks, sk_doubles(n));
    for (int r = 0; r < ranks->size; r++) {
        if (r == ranks->rank)
            more(context, value);
        memcpy(own, value, (size_t)n * sizeof *own);
        bytes[r] = n * (int64_t)sizeof *value;
        ranks->gather(ranks, own, bytes, value);
        bytes[r] = 0;
    }
    free(bytes);
    free(own);
}

bool sk_in_common(const surekrig_data *data)
{
    return sk_is_spread(data) && !data->ranks->apart;
}

int64_t sk_slice(const sk_ranks *ranks, int64_t n, int rank)
{
    enum { TOGETHER = 64 }; /* more than a vector of points, which may share round-off in derivatives */
    int64_t at = TOGETHER * ((n + TOGETHER - 1) / TOGETHER * rank / ranks->size);
    return at < n ? at : n;
}

/* Puts the slice of a rank into the message, or takes it from there; where the next one is. */
static double *pass_slice(const sk_ranks *ranks, int64_t n, const sk_shared *of, int rank, double *at, bool put)
{
    int64_t begin = sk_slice(ranks, n, rank), count = (sk_slice(ranks, n, rank + 1) - begin) * of->width;
    if (!of->value)
        return at;
    if (put)
        memcpy(at, of->value + begin * of->width, (size_t)count * sizeof *at);
    else
        memcpy(of->value + begin * of->width, at, (size_t)count * sizeof *at);
    return at + count;
}

surekrig_status sk_share(const sk_ranks *ranks, int64_t n, int parts, const sk_shared *part, surekrig_status status,
                         surekrig_error *error)
{
    int64_t *bytes = must(ranks, sk_alloc(ranks->size, sizeof *bytes)), width = 0, all = 0;
    bool failed = false;
    for (int i = 0; i < parts; i++)
        width += part[i].value ? part[i].width : 0;
    for (int r = 0; r < ranks->size; r++) {
        bytes[r] = (1 + (sk_slice(ranks, n, r + 1) - sk_slice(ranks, n, r)) * width) * (int64_t)sizeof(double);
        all += bytes[r];
    }
    double *own = must(ranks, sk_alloc(bytes[ranks->rank], 1)), *message = must(ranks, sk_alloc(all, 1)), *at = own + 1;
    own[0] = status;
    for (int i = 0; i < parts; i++)
        at = pass_slice(ranks, n, &part[i], ranks->rank, at, true);
    ranks->gather(ranks, own, bytes, message);
    at = message;
    for (int r = 0; r < ranks->size; r++) {
        failed |= *at++ != 0;
        for (int i = 0; i < parts; i++)
            at = pass_slice(ranks, n, &part[i], r, at, false);
    }
    free(bytes);
    free(own);
    free(message);
    return failed ? sk_agree(ranks, status, error) : SUREKRIG_OK;
}
