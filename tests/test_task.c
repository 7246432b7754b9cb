/* Held-out points in the shape of the task: what a target has no data from, they are predicted without. */
#include "fit_support.h"
#include "heldout/heldout.h"

enum { SITES = 30, TIMES = 40, D = 3 };
static const char *const NAMES[] = {"x", "y", "t"};

typedef struct world {
    points p;
    double *target;
    int64_t *group;
    surekrig_settings *settings;
    surekrig_model *m;
    sk_holdout h;
} world;

/* Stations by days: those of the data for which kept says so. */
static void make_world(world *w, bool (*kept)(int64_t site, int64_t time), const char *words)
{
    *w = (world){.settings = settings_of(words)};
    points *p = &w->p;
    p->x = sk_doubles(SITES * TIMES * D);
    p->y = sk_doubles(SITES * TIMES);
    w->target = sk_doubles(SITES * TIMES * D);
    w->group = sk_alloc(SITES * TIMES, sizeof *w->group);
    p->data = (surekrig_data){.d = D, .l = 1, .x = p->x, .y = p->y, .x_names = NAMES, .target = w->target};
    for (int64_t t = 0; t < TIMES; t++)
        for (int64_t s = 0; s < SITES; s++) {
            const double x[D] = {sk_uniform(1, STREAM_PLACES, (uint64_t)(2 * s)),
                                 sk_uniform(1, STREAM_PLACES, (uint64_t)(2 * s + 1)), (double)t};
            bool data = kept(s, t);
            memcpy(data ? p->x + p->data.n * D : w->target + p->data.targets * D, x, sizeof x);
            w->group[p->data.n] = s % 5;
            p->y[p->data.n] = normal(2, (uint64_t)(s * TIMES + t));
            ++*(data ? &p->data.n : &p->data.targets);
        }
}

/* The points that stand for the targets. */
static void hold_out(world *w, sk_geometry geometry)
{
    surekrig_error error = {0};
    succeed(sk_model_new(&w->p.data, w->settings, &w->m, &error), &error);
    succeed(sk_model_index(w->m, &error), &error);
    succeed(sk_model_take_targets(w->m, &w->p.data, &error), &error);
    succeed(sk_holdout_new(w->m, (sk_holdout_wish){.n = 400}, &w->h, &error), &error);
    assert_int_equal(w->h.geometry, geometry);
    assert_true(w->h.n >= 200 && w->h.accepted > 0 && w->h.accepted <= 1);
    assert_true(w->h.n <= 400 * w->h.accepted + 0.5); /* those without a place are gone */
}

static void free_world(world *w)
{
    sk_model_forget_targets(w->m);
    sk_holdout_free(&w->h);
    surekrig_model_free(w->m);
    surekrig_settings_free(w->settings);
    free_points(&w->p);
    free(w->target);
    free(w->group);
}

/* Of point i, neighbour j: the time from the one to the other, and whether they share a place. */
static double gap(const world *w, int64_t i, int64_t j, bool *same)
{
    const double *a = w->p.x + w->h.row[i] * D, *b = w->p.x + w->h.neighbor[i * w->h.k + j] * D;
    *same = a[0] == b[0] && a[1] == b[1];
    return b[2] - a[2];
}

static int64_t count_of(const world *w, int64_t i)
{
    return w->h.count ? w->h.count[i] : w->h.k;
}

static bool not_last_sites(int64_t site, int64_t time)
{
    (void)time;
    return site < SITES - 6;
}

static void new_stations_are_left_out_whole(void **state)
{
    world w;
    bool same;
    (void)state;
    make_world(&w, not_last_sites, "time=t");
    hold_out(&w, SK_GEOMETRY_TASK);
    for (int64_t i = 0; i < w.h.n; i++)
        for (int64_t j = 0; j < count_of(&w, i); j++) {
            gap(&w, i, j, &same);
            assert_false(same);
        }
    free_world(&w);
}

static bool until_30(int64_t site, int64_t time)
{
    (void)site;
    return time < 30;
}

/* Targets are 1 to 10 days ahead: so are the points. */
static void forecasts_see_nothing_of_their_future(void **state)
{
    world w;
    bool same;
    int64_t ahead[11] = {0};
    (void)state;
    make_world(&w, until_30, "time=t neighbors=20");
    hold_out(&w, SK_GEOMETRY_TASK);
    for (int64_t i = 0; i < w.h.n; i++) {
        double nearest = -INFINITY;
        for (int64_t j = 0; j < count_of(&w, i); j++)
            nearest = fmax(nearest, gap(&w, i, j, &same));
        assert_true(nearest <= -1 && nearest >= -10);
        ahead[(int)-nearest]++;
    }
    for (int lead = 1; lead <= 5; lead++)
        assert_true(ahead[lead] > 0);
    free_world(&w);
}

static bool from_10(int64_t site, int64_t time)
{
    (void)site;
    return time >= 10;
}

/* Targets are 1 to 10 days behind: likewise. */
static void hindcasts_see_nothing_of_their_past(void **state)
{
    world w;
    bool same;
    int64_t behind[11] = {0};
    (void)state;
    make_world(&w, from_10, "time=t neighbors=20");
    hold_out(&w, SK_GEOMETRY_TASK);
    for (int64_t i = 0; i < w.h.n; i++) {
        double nearest = INFINITY;
        for (int64_t j = 0; j < count_of(&w, i); j++)
            nearest = fmin(nearest, gap(&w, i, j, &same));
        assert_true(nearest >= 1 && nearest <= 10);
        behind[(int)nearest]++;
    }
    for (int lead = 1; lead <= 5; lead++)
        assert_true(behind[lead] > 0);
    free_world(&w);
}

static bool in_bursts(int64_t site, int64_t time)
{
    (void)site;
    return time < 8 || (time >= 24 && time < 32);
}

/* The targets of one time alone, moved to another. */
static void aim_at(world *w, double from, double to)
{
    int64_t count = 0;
    for (int64_t i = 0; i < w->p.data.targets; i++)
        if (w->target[i * D + 2] == from) {
            memcpy(w->target + count * D, w->target + i * D, D * sizeof(double));
            w->target[D * count++ + 2] = to;
        }
    w->p.data.targets = count;
}

/* Farther ahead than a burst of data is long, and less than half a step ahead: points see nothing of their own time. */
static void bursts_and_short_leads_see_nothing_of_their_time(void **state)
{
    static const double TO[] = {31.4, 37, 50};
    bool same;
    (void)state;
    for (int c = 0; c < 3; c++) {
        world w;
        make_world(&w, in_bursts, "time=t neighbors=20 holdout=task");
        aim_at(&w, 35, TO[c]);
        hold_out(&w, SK_GEOMETRY_TASK);
        for (int64_t i = 0; i < w.h.n; i++)
            for (int64_t j = 0; j < count_of(&w, i); j++)
                assert_true(gap(&w, i, j, &same) < 0);
        free_world(&w);
    }
}

/* Late in the gap between the bursts, where no row is as far from what is left: 7 of the 24 times that are asked for. */
static void targets_without_a_row_do_not_count(void **state)
{
    world w;
    (void)state;
    make_world(&w, in_bursts, "time=t neighbors=20 holdout=task");
    hold_out(&w, SK_GEOMETRY_TASK);
    near_to(w.h.accepted, 17.0 / 24, 0.1);
    near_to((double)w.h.n, 400 * w.h.accepted, 0.5);
    free_world(&w);
}

static bool but_an_outage(int64_t site, int64_t time)
{
    (void)site;
    return time < 12 || time >= 24;
}

static void outages_are_left_out_as_long(void **state)
{
    world w;
    bool same;
    (void)state;
    make_world(&w, but_an_outage, "time=t neighbors=20");
    hold_out(&w, SK_GEOMETRY_TASK);
    int64_t far = 0;
    for (int64_t i = 0; i < w.h.n; i++) {
        double before = INFINITY, after = INFINITY;
        for (int64_t j = 0; j < count_of(&w, i); j++) {
            double step = gap(&w, i, j, &same);
            assert_true(step != 0);
            *(step < 0 ? &before : &after) = fmin(step < 0 ? before : after, fabs(step));
        }
        far += fmin(before, after) >= 3;
    }
    assert_true(far > w.h.n / 4); /* in the midst of it */
    free_world(&w);
}

static bool but_holes(int64_t site, int64_t time)
{
    return (time + 5 * site) % 20 >= 4; /* four days of each station, at other times */
}

static void holes_are_left_out_at_their_station_alone(void **state)
{
    world w;
    bool same;
    int64_t own = 0, now = 0;
    (void)state;
    make_world(&w, but_holes, "time=t neighbors=60");
    hold_out(&w, SK_GEOMETRY_TASK);
    for (int64_t i = 0; i < w.h.n; i++) {
        double nearest = INFINITY;
        for (int64_t j = 0; j < count_of(&w, i); j++) {
            double step = gap(&w, i, j, &same);
            now += step == 0;
            nearest = same ? fmin(nearest, fabs(step)) : nearest;
        }
        assert_true(nearest >= 1);
        own += isfinite(nearest);
    }
    assert_true(own > w.h.n / 2 && now > w.h.n);
    free_world(&w);
}

static void groups_are_left_out_whole(void **state)
{
    world w;
    (void)state;
    for (int given = 0; given < 2; given++) { /* numbers, or what is alike in features */
        make_world(&w, not_last_sites, given ? "time=t by=fifth" : "time=t by=t");
        w.p.data.group = given ? w.group : NULL;
        hold_out(&w, SK_GEOMETRY_GROUP);
        for (int64_t i = 0; i < w.h.n; i++)
            for (int64_t j = 0; j < count_of(&w, i); j++) {
                int64_t other = w.h.neighbor[i * w.h.k + j];
                if (given)
                    assert_int_not_equal(w.group[other], w.group[w.h.row[i]]);
                else
                    assert_true(w.p.x[other * D + 2] != w.p.x[w.h.row[i] * D + 2]);
            }
        free_world(&w);
    }
}

static void bad_groups_get_a_sentence(void **state)
{
    world w;
    (void)state;
    make_world(&w, not_last_sites, "time=t");
    fit_is_refused(&w.p.data, "by=station", SUREKRIG_INVALID, "there is no feature 'station'");
    memset(w.group, 0, SITES * TIMES * sizeof *w.group);
    w.p.data.group = w.group;
    fit_is_refused(&w.p.data, "by=station", SUREKRIG_DATA, "of one group");
    fit_is_refused(&w.p.data, "", SUREKRIG_DATA, "by = 'group': all rows are of one group");
    w.p.data.group = NULL;
    fit_is_refused(&w.p.data, "holdout=task", SUREKRIG_INVALID, "name its column");
    hold_out(&w, SK_GEOMETRY_TASK);
    free_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_stations_are_left_out_whole),
        cmocka_unit_test(forecasts_see_nothing_of_their_future),
        cmocka_unit_test(hindcasts_see_nothing_of_their_past),
        cmocka_unit_test(bursts_and_short_leads_see_nothing_of_their_time),
        cmocka_unit_test(targets_without_a_row_do_not_count),
        cmocka_unit_test(outages_are_left_out_as_long),
        cmocka_unit_test(holes_are_left_out_at_their_station_alone),
        cmocka_unit_test(groups_are_left_out_whole),
        cmocka_unit_test(bad_groups_get_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
