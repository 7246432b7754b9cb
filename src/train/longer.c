/* Whether two features with one length scale want one each, and along which directions. Two coordinates are of one
 * kind, and most fields are as long along both; where one is plainly longer, or the two are no coordinates, as a year
 * and a month, one length scale predicts much worse. A few evaluations tell: as it is, and twice as long along the
 * first feature, the second, and between them to both sides. The four gains g say where the field is longest, for small
 * differences
 *   angle = atan2(g45 - g135, g0 - g90) / 2;
 * a search from there by the same neighbourhoods, of angle and ratio of the length scales, says whether it is plainly
 * better to turn the axes than to leave them. */
#include "train/longer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool sk_may_ask_longer(const surekrig_data *data, const surekrig_settings *s)
{
    return data->d == 2 && s->anisotropic == SK_ANISOTROPIC_AUTO && s->rho.how == SK_AUTO && isinf(s->seconds) &&
           s->coverage.count < 1;
}

static const double SURELY = 10; /* in twice the log likelihood: what it must gain */
static const double FIRST = 16;  /* degrees, and a doubling of the ratio: the first step of the search */
enum { MOST = 64 };              /* its evaluations */

/* The training, and its rows and left-out points as they are and turned. */
typedef struct plane {
    sk_training *t;
    const double *rows;
    double *points, *turned_rows, *turned_points;
    double turn; /* degrees, as they are now */
} plane;

typedef struct shape { /* of the correlation: how much longer, as a power of 2, and along which direction in degrees */
    double turn, doublings, loss;
} shape;

static void turn_all(int64_t n, const double *x, double degrees, double *to)
{
    double angle = degrees * acos(-1) / 180, c = cos(angle), s = sin(angle);
    for (int64_t i = 0; i < n; i++) {
        to[2 * i] = c * x[2 * i] + s * x[2 * i + 1];
        to[2 * i + 1] = c * x[2 * i + 1] - s * x[2 * i];
    }
}

/* Neighbours stay as they are: what the losses differ by is the shape alone. */
static void turn_to(plane *p, double degrees)
{
    surekrig_model *m = p->t->m;
    bool as_they_are = degrees == 0 || !p->turned_rows ||
                       !p->turned_points; /* never without room, but analysers cannot know */
    if (p->turn != degrees && !as_they_are) {
        turn_all(sk_held(&m->data), p->rows, degrees, p->turned_rows);
        turn_all(p->t->batch.n, p->points, degrees, p->turned_points);
        p->turn = degrees;
    }
    m->kriged.x = as_they_are ? p->rows : p->turned_rows;
    p->t->batch.x = as_they_are ? p->points : p->turned_points;
}

static surekrig_status measure(plane *p, shape *of, surekrig_error *error)
{
    sk_training *t = p->t;
    double stretch = exp2(of->doublings / 2);
    turn_to(p, of->turn);
    sk_hyper_copy(&t->m->hyper, &t->trial); /* what was chosen: the report has tried others since */
    t->trial.rho[0] *= stretch;
    t->trial.rho[1] /= stretch;
    sk_hyper_settle(&t->trial);
    surekrig_status status = sk_training_measure(t, &of->loss, error);
    of->loss = status == SUREKRIG_NUMERIC ? INFINITY : of->loss;
    turn_to(p, 0);
    return status == SUREKRIG_NUMERIC ? SUREKRIG_OK : status;
}

/* From a shape on, in steps that shrink; turns: or the ratio alone. */
static surekrig_status search(plane *p, bool turns, shape *best, surekrig_error *error)
{
    int asked = 0;
    surekrig_status status = measure(p, best, error);
    for (double step = FIRST; step >= 1 && asked < MOST && !status; step /= 2) {
        int back = -1; /* where it came from */
        for (bool better = true; better && asked < MOST && !status;) {
            better = false;
            for (int way = turns ? 0 : 2; way < 4 && !status; way++) {
                if (way == back)
                    continue;
                double by = way % 2 ? -step : step;
                shape next = {best->turn + (way < 2 ? by : 0), best->doublings + (way < 2 ? 0 : by / FIRST), 0};
                status = measure(p, &next, error);
                asked++;
                if (!status && next.loss < best->loss) {
                    *best = next;
                    better = true;
                    back = way ^ 1;
                }
            }
        }
    }
    return status;
}

/* Along the axis that is nearer to the turned shape's, at best. */
static surekrig_status search_axis(plane *p, const shape *turned, double *loss, surekrig_error *error)
{
    double away = fabs(remainder(turned->turn, 180));
    shape axis = {0, away < 45 ? turned->doublings : -turned->doublings, 0};
    surekrig_status status = search(p, false, &axis, error);
    *loss = axis.loss;
    return status;
}

/* gain: of a field twice as long along 0, 45, 90 and 135 degrees. */
static surekrig_status find_turn(plane *p, const double *gain, sk_longer *longer, surekrig_error *error)
{
    double angle = atan2(gain[1] - gain[3], gain[0] - gain[2]) / 2 * 180 / acos(-1), axis;
    shape turned = {angle, 1, 0};
    surekrig_status status = search(p, true, &turned, error);
    if (!status)
        status = search_axis(p, &turned, &axis, error);
    if (!status && turned.loss < axis - sk_training_in_mean(p->t, SURELY)) {
        double turn = turned.turn + (turned.doublings < 0 ? 90 : 0);
        turn -= 180 * floor(turn / 180);
        longer->plainly = true;
        longer->turn = round(100 * turn) / 100; /* as its setting says it */
        longer->doublings = fabs(turned.doublings);
    }
    return status;
}

static surekrig_status ask(plane *p, bool may_turn, sk_longer *longer, surekrig_error *error)
{
    double gain[4] = {0}, sure = sk_training_in_mean(p->t, SURELY);
    shape alike = {0, 0, 0};
    surekrig_status status = measure(p, &alike, error);
    for (int i = 0; i < 4 && !status; i += may_turn ? 1 : 2) {
        shape stretched = {i % 2 ? 45 : 0, i < 2 ? 1 : -1, 0};
        status = measure(p, &stretched, error);
        gain[i] = alike.loss - stretched.loss;
    }
    longer->plainly = !status && fmax(gain[0], gain[2]) > sure;
    bool oblique = may_turn && (longer->plainly || fmax(gain[1], gain[3]) > sure);
    return status || !oblique ? status : find_turn(p, gain, longer, error);
}

surekrig_status sk_training_longer(sk_training *t, sk_longer *longer, surekrig_error *error)
{
    bool may_turn = isinf(t->m->settings->turn);
    int64_t rows = sk_held(&t->m->data), points = t->batch.n;
    plane p = {t, t->m->kriged.x, t->batch.x, NULL, NULL, 0};
    *longer = (sk_longer){0};
    if (may_turn) {
        p.turned_rows = sk_doubles(2 * rows);
        p.turned_points = sk_doubles(2 * points);
    }
    surekrig_status status = !may_turn || (p.turned_rows && p.turned_points)
                                 ? ask(&p, may_turn, longer, error)
                                 : sk_fail_memory(error, 16.0 * (double)(rows + points), "a plane that is turned");
    free(p.turned_rows);
    free(p.turned_points);
    return status;
}

surekrig_status sk_take_longer(const sk_longer *longer, surekrig_settings *settings, surekrig_error *error)
{
    char degrees[32];
    surekrig_status status = surekrig_settings_set(settings, "anisotropic", "yes", error);
    if (status || !(longer->turn > 0))
        return status;
    sk_plain_locale locale = sk_enter_plain_locale();
    snprintf(degrees, sizeof degrees, "%.2f", longer->turn);
    sk_leave_plain_locale(&locale);
    return surekrig_settings_set(settings, "turn", degrees, error);
}

void sk_begin_longer(const sk_longer *longer, const surekrig_settings *settings, sk_start *start)
{
    double stretch = exp2(longer->doublings / 2);
    if (!(longer->turn > 0) || settings->metric != SK_METRIC_FITTED)
        return;
    start->by_feature = true;
    start->side[0] = start->hyper.rho[0] *= stretch;
    start->side[1] = start->hyper.rho[1] /= stretch;
}
