/* More neighbours for predictions than for training: smooth functions of many features gain by them, and training, which
 * kriges its batch a hundred times, need not pay for it. Twice as many again and again, while held-out points gain. Of few
 * rows all at once, and for any gain: that is soon done, and what the exact process does. */
#include "train/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };
static const double WORTH = 0.98; /* of the CRPS: less of a gain is not worth eight times the time */

/* What held-out points say of the model with so many neighbours; its gamma2 stays, its widths are the trial's. */
static surekrig_status judge(const surekrig_data *data, surekrig_model *m, int64_t k, surekrig_trial *trial,
                             surekrig_error *error)
{
    sk_judges judges = {0};
    sk_judged by = {0};
    size_t bytes = (size_t)m->data.l * sizeof(double);
    double *kept = sk_copy(m->hyper.gamma2_std, m->data.l, sizeof *kept), start = sk_now();
    m->info.neighbors = k;
    surekrig_status status = kept ? sk_try_model(&judges, m, data, &by, error)
                                  : sk_fail_memory(error, (double)bytes, "a model's scale");
    if (!status)
        status = sk_judged_score(&judges, &by, NULL, trial, error);
    if (kept)
        memcpy(m->hyper.gamma2_std, kept, bytes);
    snprintf(trial->what, sizeof trial->what, "neighbors = %lld", (long long)k);
    trial->seconds = sk_now() - start;
    sk_judged_free(&by);
    sk_judges_free(&judges);
    free(kept);
    return status;
}

/* That many from now on, in files and refits too. */
static surekrig_status take(surekrig_model *m, int64_t k, surekrig_error *error)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)k);
    m->info.neighbors = k;
    return surekrig_settings_set(m->settings, "neighbors", text, error);
}

static void note(sk_choice *choice, const surekrig_trial *trial)
{
    if (choice->trials < SK_TRIALS)
        choice->trial[choice->trials++] = *trial;
}

surekrig_status sk_widen(const surekrig_data *data, surekrig_model *m, sk_choice *choice, surekrig_error *error)
{
    int64_t k = m->info.neighbors;
    surekrig_trial best = {0}, trial = {0};
    int kept = choice->trials;
    if (!m->anisotropic || m->metric.parts <= SK_FEW_FEATURES || m->partner)
        return SUREKRIG_OK;
    surekrig_status status = judge(data, m, k, &best, error);
    note(choice, &best);
    bool few = m->data.n <= MOST;
    int64_t most = few ? m->data.n - 1 : MOST;
    while (!status && k < most) {
        int64_t wide = !few && 2 * k < most ? 2 * k : most;
        status = judge(data, m, wide, &trial, error);
        note(choice, &trial);
        if (status || trial.crps > (few ? 1 : WORTH) * best.crps)
            break;
        k = wide;
        best = trial;
        kept++;
    }
    if (kept < SK_TRIALS)
        choice->trial[kept].kept = 1;
    return status ? status : take(m, k, error);
}
