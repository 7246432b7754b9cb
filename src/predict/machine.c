/* Kriging under a model: its data and trend on a back end, the kernel of some hyperparameters, and the same of the
 * partner with which it is averaged. Training tries hyperparameters of its own; everyone else takes the model's. */
#include "predict/inside.h"

#include <math.h>
#include <stdlib.h>

/* ---- what it says */

void sk_kriging_free(sk_kriging *k)
{
    void *owned[] = {k->mean,        k->variance_share,        k->jitter,      k->scale_std,
                     k->scatter_std, k->block.log_determinant, k->block.square};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    if (k->partner)
        sk_kriging_free(k->partner);
    free(k->partner);
    *k = (sk_kriging){0};
}

surekrig_status sk_kriging_new(const surekrig_model *m, int64_t n, int wants, sk_kriging *out, surekrig_error *error)
{
    int64_t l = m->data.l, width = m->kriged.l;
    bool scale = wants & SK_WANT_SCALE, block = wants & SK_WANT_BLOCK;
    sk_kriging k = {sk_doubles(n * width),
                    sk_doubles(n),
                    sk_doubles(n),
                    scale ? sk_doubles(n * width) : NULL,
                    scale ? sk_doubles(n * l) : NULL,
                    {block ? sk_doubles(n) : NULL, block ? sk_doubles(n * width) : NULL},
                    m->partner ? sk_zeroed(1, sizeof k) : NULL};
    surekrig_status status = SUREKRIG_OK;
    if ((m->partner && !k.partner) || !k.mean || !k.variance_share || !k.jitter ||
        (scale && !(k.scale_std && k.scatter_std)) || (block && !(k.block.log_determinant && k.block.square)))
        status = sk_fail_memory(error, 8.0 * (double)(n * (3 * width + l + 3)), "what is kriged");
    if (!status && m->partner)
        status = sk_kriging_new(m->partner, n, wants, k.partner, error);
    if (status)
        sk_kriging_free(&k);
    else
        *out = k;
    return status;
}

/* ---- opening */

const sk_backend *sk_machine_backend(const surekrig_model *m)
{
    const sk_backend *asked = sk_backend_find(sk_backend_name(m->settings));
    return asked ? asked : sk_backend_find("auto");
}

surekrig_status sk_machine_open(const surekrig_model *m, bool exactly, int threads, sk_machine *machine,
                                surekrig_error *error)
{
    int64_t most = sk_has_nodes(m) ? sk_nodes_neighbors(m) : m->info.neighbors;
    sk_krige_points points = {&m->kriged, m->center, most, threads, sk_model_unknown_mean(m), m->spread};
    surekrig_status status = SUREKRIG_OK;
    *machine = (sk_machine){.m = m, .threads = threads};
    if (exactly)
        status = sk_backend_choose(sk_backend_name(m->settings), &machine->back, error);
    else
        machine->back = sk_machine_backend(m);
    if (!status)
        status = machine->back->open(&points, &machine->state, error);
    machine->trend = sk_doubles(m->trend.columns);
    if (!status && !machine->trend)
        status = sk_fail_memory(error, 8.0 * (double)m->trend.columns, "the trend's columns");
    if (status || !m->partner)
        return status;
    machine->partner = sk_zeroed(1, sizeof *machine);
    if (!machine->partner)
        return sk_fail_memory(error, sizeof *machine, "a second model");
    status = sk_machine_open(m->partner, exactly, threads, machine->partner, error);
    return status ? status : sk_machine_set(machine->partner, &m->partner->hyper, error);
}

void sk_machine_close(sk_machine *machine)
{
    if (machine->back)
        machine->back->close(machine->state);
    sk_kernel_free(machine->kernel);
    free(machine->trend);
    if (machine->partner)
        sk_machine_close(machine->partner);
    free(machine->partner);
    *machine = (sk_machine){0};
}

surekrig_status sk_machine_set(sk_machine *machine, const sk_hyper *hyper, surekrig_error *error)
{
    surekrig_term term[2];
    surekrig_theta theta = sk_model_theta(machine->m, hyper, term);
    sk_kernel_free(machine->kernel);
    machine->kernel = NULL;
    machine->hyper = hyper;
    return sk_kernel_new(&theta, machine->m->kriged.d, machine->distance, &machine->kernel, error);
}

/* ---- kriging */

sk_krige_theta sk_machine_theta(const sk_machine *machine)
{
    const sk_hyper *h = machine->hyper;
    return (sk_krige_theta){machine->kernel, h->tau2, sk_model_noise_share(machine->m, h)};
}

/* The trend's columns, which were kriged along, also widen the variance. */
static void add_own_trend(sk_machine *machine, const sk_asked *asked, sk_wanted wanted, sk_kriging *k)
{
    const surekrig_model *m = machine->m;
    for (int64_t i = 0; i < asked->at.n && m->trend.columns > 0; i++) {
        const double *x = asked->x ? asked->x + i * m->data.d : m->data.x + asked->row[i] * m->data.d;
        sk_trend_features(&m->trend, x, machine->trend);
        double added = sk_trend_add(&m->trend, machine->trend, k->mean + i * m->kriged.l);
        if (wanted.sd)
            k->variance_share[i] += added;
    }
}

void sk_machine_trend(sk_machine *machine, const sk_asked *asked, sk_wanted wanted, sk_kriging *k)
{
    add_own_trend(machine, asked, wanted, k);
    if (machine->partner)
        sk_machine_trend(machine->partner, asked, wanted, k->partner);
}

/* The same points on all ranks: each kriges a slice of them. */
static surekrig_neighborhoods slice(const surekrig_model *m, const surekrig_neighborhoods *at, int64_t begin,
                                    int64_t end)
{
    return (surekrig_neighborhoods){end - begin, at->k, at->neighbor + begin * at->k,
                                    at->count ? at->count + begin : NULL, at->x + begin * m->kriged.d};
}

static double *from(double *values, int64_t at)
{
    return values ? values + at : NULL;
}

/* Points from the slice's first on. */
static sk_kriging shifted(const surekrig_model *m, const sk_kriging *k, int64_t by)
{
    int64_t width = m->kriged.l;
    return (sk_kriging){from(k->mean, by * width),
                        from(k->variance_share, by),
                        from(k->jitter, by),
                        from(k->scale_std, by * width),
                        from(k->scatter_std, by * m->data.l),
                        {from(k->block.log_determinant, by), from(k->block.square, by * width)},
                        NULL};
}

static surekrig_status share(const surekrig_model *m, int64_t n, sk_wanted wanted, const sk_kriging *k,
                             surekrig_status status, surekrig_error *error)
{
    int64_t width = m->kriged.l;
    bool means = wanted.mean || m->trend.columns > 0;
    sk_shared part[] = {{means ? k->mean : NULL, width},
                        {wanted.sd ? k->variance_share : NULL, 1},
                        {wanted.sd ? k->scale_std : NULL, width},
                        {wanted.sd ? k->scatter_std : NULL, m->data.l},
                        {k->jitter, 1},
                        {k->block.log_determinant, 1},
                        {k->block.square, width}};
    return sk_share(sk_sharers(m), n, sizeof part / sizeof *part, part, status, error);
}

static surekrig_status krige_slice(sk_machine *machine, const sk_asked *asked, sk_wanted wanted, sk_kriging *k,
                                   surekrig_error *error)
{
    sk_krige_theta theta = sk_machine_theta(machine);
    bool means = wanted.mean || machine->m->trend.columns > 0;
    surekrig_kriged out = {means ? k->mean : NULL, wanted.sd ? k->variance_share : NULL, k->jitter,
                           wanted.sd ? k->scale_std : NULL};
    sk_krige_targets targets = {asked->first, asked->target, k->mean, k->variance_share};
    sk_krige_job job = {&asked->at,
                        &theta,
                        machine->ticker,
                        &out,
                        k->block.square ? &k->block : NULL,
                        NULL,
                        asked->first ? &targets : NULL};
    if (asked->first)
        out.mean = out.variance = NULL; /* those of targets are wanted */
    surekrig_status status = machine->back->run(machine->state, &job, error);
    if (!status && wanted.sd && k->scatter_std)
        status = sk_scatter_std(machine->m, &asked->at, machine->threads, k->scatter_std, error);
    return status;
}

static surekrig_status krige_own(sk_machine *machine, const sk_asked *asked, sk_wanted wanted, sk_kriging *k,
                                 surekrig_error *error)
{
    const surekrig_model *m = machine->m;
    surekrig_status status;
    if (sk_shares(m, &asked->at) && !asked->first && !asked->at.count) { /* else vectors would hold others */
        const sk_ranks *ranks = sk_sharers(m);
        int64_t begin = sk_slice(ranks, asked->at.n, ranks->rank), end = sk_slice(ranks, asked->at.n, ranks->rank + 1);
        sk_asked some = {slice(m, &asked->at, begin, end), NULL, NULL, NULL, NULL};
        sk_kriging own = shifted(m, k, begin);
        status = end > begin ? krige_slice(machine, &some, wanted, &own, error) : SUREKRIG_OK;
        status = share(m, asked->at.n, wanted, k, status, error);
    } else {
        status = krige_slice(machine, asked, wanted, k, error);
    }
    if (!status && !asked->first)
        add_own_trend(machine, asked, wanted, k);
    return status;
}

surekrig_status sk_machine_krige(sk_machine *machine, const sk_asked *asked, sk_wanted wanted, sk_kriging *k,
                                 surekrig_error *error)
{
    sk_ticker *ticker = machine->ticker;
    if (!machine->aside)
        sk_model_derive(machine->m);
    if (!machine->partner)
        return krige_own(machine, asked, wanted, k, error);
    machine->partner->aside = machine->aside;
    if (ticker)
        ticker->span /= 2; /* one half of the work, then the other */
    surekrig_status status = krige_own(machine, asked, wanted, k, error);
    if (ticker)
        ticker->from += ticker->span;
    machine->partner->ticker = ticker;
    if (!status)
        status = sk_machine_krige(machine->partner, asked, wanted, k->partner, error);
    for (int64_t i = 0; i < asked->at.n && !status; i++)
        k->jitter[i] = fmax(k->jitter[i], k->partner->jitter[i]);
    return status;
}

static surekrig_status run_slopes(sk_machine *machine, const surekrig_neighborhoods *batch, const sk_krige_theta *theta,
                                  sk_krige_slopes wanted, surekrig_error *error)
{
    const surekrig_model *m = machine->m;
    const sk_ranks *ranks = sk_sharers(m);
    bool common = sk_shares(m, batch) && !batch->count;
    int64_t begin = common ? sk_slice(ranks, batch->n, ranks->rank) : 0, width = m->kriged.l;
    int64_t end = common ? sk_slice(ranks, batch->n, ranks->rank + 1) : batch->n;
    int64_t parameters = sk_krige_parameters(&m->kriged);
    surekrig_neighborhoods some = slice(m, batch, begin, end);
    sk_krige_slopes own = wanted;
    own.by_mean += begin * width;
    own.by_variance += begin;
    own.by_determinant = wanted.by_determinant ? wanted.by_determinant + begin : NULL;
    own.by_square = wanted.by_square ? wanted.by_square + begin * width : NULL;
    own.gradient += begin * parameters;
    sk_krige_job job = {&some, theta, machine->ticker, &(surekrig_kriged){0}, NULL, &own};
    surekrig_status status = end > begin ? machine->back->run(machine->state, &job, error) : SUREKRIG_OK;
    if (!common)
        return status;
    return sk_share(ranks, batch->n, 1, &(sk_shared){wanted.gradient, parameters}, status, error);
}

surekrig_status sk_machine_slopes(sk_machine *machine, const surekrig_neighborhoods *batch, sk_krige_slopes wanted,
                                  surekrig_error *error)
{
    sk_slopes *slopes[SK_SLOPED];
    surekrig_status status = sk_kernel_slopes(machine->kernel, machine->threads, slopes, error);
    if (!status) {
        sk_krige_theta theta = sk_machine_theta(machine);
        for (int t = 0; t < SK_SLOPED; t++)
            wanted.kernel[t] = slopes[t];
        status = run_slopes(machine, batch, &theta, wanted, error);
    }
    for (int t = 0; t < SK_SLOPED; t++)
        sk_slopes_free(slopes[t]);
    return status;
}
