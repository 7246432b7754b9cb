/* Which way steps are filled: each is tried on a few of them. The gaps of every step are laid over it once more,
 * mirrored or moved, so that held-out pixels lie in gaps like the true ones, in space and in time. */
#include "trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 3, LATTICE = 4, LAYINGS = 4, LEAST = 20 };
static const int64_t SIDE = 128; /* pixels of a step that is tried, at most */

/* -------------------------------------------------------------------------------------------------- held-out pixels */

/* Where the gap comes from that is laid over a pixel: mirrored left and right, up and down, both, or moved by half. */
static int64_t laid_from(const trial *t, int laying, int64_t pixel)
{
    int64_t wide = t->at.columns, high = t->at.rows, c = pixel % wide, r = pixel / wide;
    if (laying == 3)
        return (r + high / 2) % high * wide + (c + wide / 2) % wide;
    return (laying == 1 ? r : high - 1 - r) * wide + (laying == 0 ? c : wide - 1 - c);
}

/* Whether a gap may be laid elsewhere: some step around has the pixel. What none has, as the sea, no way fills well,
 * and laid over land it would hide what the ways differ in. */
static bool is_passing(const trial *t, int64_t pixel)
{
    for (int s = 0; s <= t->last - t->first; s++)
        if (!isnan(t->raw[s][pixel]))
            return true;
    return false;
}

/* Whether a step's gap is laid over a pixel. */
static bool is_laid(const trial *t, int step, int laying, int64_t pixel)
{
    int64_t from = laid_from(t, laying, pixel);
    return isnan(t->raw[step][from]) && is_passing(t, from);
}

/* Pixels that a laying holds out; 0 where it leaves too few. */
static int64_t count_hidden(const trial *t, int laying)
{
    const double *own = t->raw[t->band - t->first];
    int64_t hidden = 0, valid = 0;
    for (int64_t i = 0; i < t->pixels; i++) {
        valid += !isnan(own[i]);
        hidden += !isnan(own[i]) && is_laid(t, t->band - t->first, laying, i);
    }
    int64_t left = valid - hidden;
    return left > hidden / 2 && left > 2 * t->f->neighbors && left > LEAST ? hidden : 0;
}

static bool lay_gaps(trial *t)
{
    int best = 0;
    for (int laying = 1; laying < LAYINGS; laying++)
        best = count_hidden(t, laying) > count_hidden(t, best) ? laying : best;
    for (int s = 0; s <= t->last - t->first; s++)
        for (int64_t i = 0; i < t->pixels; i++)
            t->seen[s][i] = is_laid(t, s, best, i) ? NAN : t->raw[s][i];
    return count_hidden(t, best) >= LEAST;
}

/* --------------------------------------------------------------------------------------------------- where to try */

/* Of a large raster the part with most of both, gaps and valid pixels. */
static surekrig_status choose_part(trial *t, surekrig_error *error)
{
    const io_grid *grid = &t->f->frame.grid;
    int64_t wide = grid->columns < SIDE ? grid->columns : SIDE, high = grid->rows < SIDE ? grid->rows : SIDE, most = -1;
    bool small = wide == grid->columns && high == grid->rows;
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; i < (small ? 1 : LATTICE * LATTICE) && !status; i++) {
        io_window at = {(grid->columns - wide) * (i % LATTICE) / (LATTICE - 1),
                        (grid->rows - high) * (i / LATTICE) / (LATTICE - 1), wide, high};
        int64_t gaps = 0;
        status = fill_read(t->f, t->band, at, t->raw[0], error);
        for (int64_t p = 0; p < wide * high && !status; p++)
            gaps += isnan(t->raw[0][p]);
        int64_t both = gaps < wide * high - gaps ? gaps : wide * high - gaps;
        t->at = both > most ? at : t->at;
        most = both > most ? both : most;
    }
    t->pixels = wide * high;
    return status;
}

static void free_trial(trial *t)
{
    for (int s = 0; s < TRIAL_STEPS; s++) {
        free(t->raw[s]);
        free(t->seen[s]);
    }
    free(t->layers);
    free(t->mean);
    free(t->sd);
}

static surekrig_status open_trial(trial *t, surekrig_error *error)
{
    fill *f = t->f;
    size_t room = (size_t)(SIDE * SIDE) * sizeof(double);
    bool good = true;
    fill_window(f, t->band, &t->first, &t->last);
    for (int s = 0; s <= t->last - t->first; s++)
        good &= (t->raw[s] = malloc(room)) && (t->seen[s] = malloc(room));
    good &= (t->layers = malloc(room * (size_t)(1 + f->covariates + FILL_PARTNERS))) != NULL;
    good &= (t->mean = malloc(room)) && (t->sd = malloc(room));
    surekrig_status status = good ? choose_part(t, error) : cli_no_memory(error);
    for (int s = t->first; s <= t->last && !status; s++)
        status = fill_read(f, s, t->at, t->raw[s - t->first], error);
    if (!status)
        status = fill_read_layers(f, t->band, t->at, t->layers, error);
    return status;
}

/* -------------------------------------------------------------------------------------------------------- judging */

static bool make_room(trial_scores *all, int64_t more)
{
    size_t bytes = (size_t)(all->n + more) * sizeof(double);
    double *y = realloc(all->y, bytes);
    all->y = y ? y : all->y;
    bool good = y;
    for (int w = 0; w < FILL_WAYS; w++) {
        double *mean = realloc(all->mean[w], bytes), *sd = realloc(all->sd[w], bytes);
        all->mean[w] = mean ? mean : all->mean[w];
        all->sd[w] = sd ? sd : all->sd[w];
        good &= mean && sd;
    }
    int *block = realloc(all->block, (size_t)(all->n + more) * sizeof *block);
    all->block = block ? block : all->block;
    return good && block;
}

/* Sixteen parts of the piece, whose errors have little to do with each other. */
static int block_of(const trial *t, int sample, int64_t pixel)
{
    int64_t c = pixel % t->at.columns, r = pixel / t->at.columns;
    return sample * LATTICE * LATTICE + (int)(r * LATTICE / t->at.rows) * LATTICE + (int)(c * LATTICE / t->at.columns);
}

static bool is_hidden(const trial *t, int64_t pixel)
{
    int own = t->band - t->first;
    return !isnan(t->raw[own][pixel]) && isnan(t->seen[own][pixel]) &&
           fill_has_covariates(t->f, t->layers, t->pixels, pixel);
}

/* What the way says of hidden pixels, behind those of other samples. A way that cannot be gone is out. */
static surekrig_status try_way(trial *t, fill_way way, trial_scores *all, surekrig_error *error)
{
    double scale, offset;
    int64_t n = all->n;
    surekrig_status status = trial_krige(t, way, error);
    all->out[way] |= status == SUREKRIG_DATA || status == SUREKRIG_INVALID || status == SUREKRIG_NUMERIC;
    io_raster_band_scale(t->f->raster, t->band, &scale, &offset);
    for (int64_t i = 0; i < t->pixels && !status; i++)
        if (is_hidden(t, i)) {
            all->y[n] = scale * t->raw[t->band - t->first][i] + offset;
            all->block[n] = block_of(t, all->samples, i);
            all->mean[way][n] = t->mean[i];
            all->sd[way][n++] = t->sd[i];
        }
    all->most = n > all->most ? n : all->most;
    return all->out[way] ? SUREKRIG_OK : status;
}

static surekrig_status try_band(fill *f, int band, trial_scores *all, surekrig_error *error)
{
    trial t = {.f = f, .band = band, .learned = all->learned};
    surekrig_status status = open_trial(&t, error);
    bool usable = !status && lay_gaps(&t);
    if (usable && !make_room(all, t.pixels))
        status = cli_no_memory(error);
    for (fill_way way = FILL_ALONE; way < FILL_AUTO && usable && !status; way++)
        if (!all->out[way])
            status = try_way(&t, way, all, error);
    all->samples += usable;
    all->n = all->most;
    free_trial(&t);
    return status;
}

/* Whether its squared errors are smaller in sum, by more than one standard error over blocks. */
static bool beats_alone(const trial_scores *all, fill_way way)
{
    int blocks = all->samples * LATTICE * LATTICE;
    double difference[SAMPLES * LATTICE * LATTICE] = {0}, sum = 0, square = 0;
    for (int64_t i = 0; i < all->n; i++) {
        double own = all->y[i] - all->mean[way][i], alone = all->y[i] - all->mean[FILL_ALONE][i];
        difference[all->block[i]] += own * own - alone * alone;
    }
    for (int b = 0; b < blocks; b++) {
        sum += difference[b];
        square += difference[b] * difference[b];
    }
    return sum < -sqrt(fmax(0, square - sum * sum / blocks));
}

static surekrig_status judge(fill *f, const trial_scores *all, surekrig_error *error)
{
    static const char *const NAME[] = {"alone", "covariates", "joint"},
                             *const DONE[] = {"each step is filled alone",
                                              "steps are filled with those beside them as covariates",
                                              "steps are filled jointly, in space and time"};
    surekrig_scores scores[FILL_WAYS] = {{0}};
    surekrig_status status = SUREKRIG_OK;
    f->way = FILL_ALONE;
    for (fill_way w = FILL_ALONE; w < FILL_AUTO && !status; w++) {
        if (all->out[w])
            continue;
        status = surekrig_score(&(surekrig_scored){.n = all->n, .y = all->y, .mean = all->mean[w], .sd = all->sd[w]},
                                f->level, &scores[w], error);
        if (!status && w != FILL_ALONE && scores[w].rmse < scores[f->way].rmse && beats_alone(all, w))
            f->way = w;
    }
    if (status || cli_value(f->call, "quiet"))
        return status;
    cli_progress_end();
    fprintf(stderr, "time: %s; %lld pixels held out, as the gaps lie:", DONE[f->way], (long long)all->n);
    for (int w = 0; w < FILL_WAYS; w++)
        if (!all->out[w])
            fprintf(stderr, "%s %s RMSE %.4g CRPS %.4g", w ? "," : "", NAME[w], scores[w].rmse, scores[w].crps);
    fputc('\n', stderr);
    return SUREKRIG_OK;
}

static surekrig_status try_all(fill *f, trial_scores *all, surekrig_error *error)
{
    int wanted = 0, next = 0, tried = 0;
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; i < f->bands; i++)
        wanted += f->band[i].wanted && f->band[i].gaps > 0;
    int samples = wanted < SAMPLES ? wanted : SAMPLES;
    for (int i = 0; i < f->bands && tried < samples && !status; i++) {
        if (!f->band[i].wanted || f->band[i].gaps == 0)
            continue;
        if (next++ == (2 * tried + 1) * wanted / (2 * samples)) { /* evenly among them */
            status = try_band(f, f->band[i].number, all, error);
            tried++;
        }
    }
    return status;
}

surekrig_status fill_choose_way(fill *f, surekrig_error *error)
{
    if (f->way != FILL_AUTO)
        return SUREKRIG_OK;
    trial_scores all = {0};
    all.out[FILL_COVARIATES] = cli_setting_given(f->call, "mean") && strcmp(f->mean, "trend");
    surekrig_status status = try_all(f, &all, error);
    fill_drop_partners(f);
    f->way = FILL_ALONE;
    if (!status && all.n > 0 && !all.out[FILL_ALONE])
        status = judge(f, &all, error);
    else if (!status && !cli_value(f->call, "quiet"))
        fputs("time: each step is filled alone: there are too few pixels to hold out, to try other ways\n", stderr);
    free(all.y);
    free(all.block);
    for (int w = 0; w < FILL_WAYS; w++) {
        free(all.mean[w]);
        free(all.sd[w]);
        surekrig_model_free(all.learned[w]);
    }
    return status;
}
