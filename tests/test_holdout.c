/* Held-out points: whose neighbours they get under each geometry, that they are never their own neighbours, and what
 * happens where the targets are odd. */
#include "fit_support.h"
#include "heldout/inside.h"
#include "train/train.h"

#define WIDTHS "nu=0.5 rho=0.3 tau2=0.01 coverage=none neighbors=12 variance=local threads=1"

/* ---- models to hold out from */

/* A model with data, frame, index and targets, untrained. */
static surekrig_model *untrained(const surekrig_data *data, const char *words)
{
    surekrig_settings *settings = settings_of(words);
    surekrig_model *m = NULL;
    surekrig_error error;
    succeed(sk_model_new(data, settings, &m, &error), &error);
    succeed(sk_model_index(m, &error), &error);
    succeed(sk_model_take_targets(m, data, &error), &error);
    surekrig_settings_free(settings);
    return m;
}

static void free_untrained(surekrig_model *m)
{
    sk_model_forget_targets(m);
    surekrig_model_free(m);
}

static sk_holdout hold_out(const surekrig_model *m, sk_holdout_wish wish)
{
    sk_holdout h = {0};
    surekrig_error error;
    succeed(sk_holdout_new(m, wish, &h, &error), &error);
    return h;
}

/* A grid of side^2 points with spacing 1; response: their number. */
static points make_grid(int64_t side)
{
    points p = {.data = {.n = side * side, .d = 2, .l = 1},
                .x = sk_doubles(2 * side * side),
                .y = sk_doubles(side * side)};
    for (int64_t i = 0; i < p.data.n; i++) {
        p.x[2 * i] = (double)(i / side);
        p.x[2 * i + 1] = (double)(i % side);
        p.y[i] = (double)i;
    }
    p.data.x = p.x;
    p.data.y = p.y;
    return p;
}

static int64_t neighbours_of(const sk_holdout *h, int64_t i)
{
    return h->count ? h->count[i] : h->k;
}

static double gap(const surekrig_model *m, int64_t row, int64_t other)
{
    double sum = 0;
    for (int64_t a = 0; a < m->data.d; a++) {
        double apart = (m->data.x[row * m->data.d + a] - m->data.x[other * m->data.d + a]) / m->frame.side[a];
        sum += apart * apart;
    }
    return sqrt(sum);
}

/* What holds for every geometry: rows of the data, at their places, neighbours of their own and no two alike. */
static void is_sound(const surekrig_model *m, const sk_holdout *h)
{
    assert_true(h->n >= 2 && h->k == m->info.neighbors);
    for (int64_t i = 0; i < h->n; i++) {
        const int64_t *near = h->neighbor + i * h->k;
        assert_in_range(h->row[i], 0, m->data.n - 1);
        same_bits(h->x + i * m->data.d, m->data.x + h->row[i] * m->data.d, m->data.d);
        assert_in_range(neighbours_of(h, i), 1, h->k);
        for (int64_t j = 0; j < neighbours_of(h, i); j++) {
            assert_in_range(near[j], 0, m->data.n - 1);
            if (near[j] == h->row[i])
                fail_msg("row %lld is its own neighbour", (long long)near[j]);
            for (int64_t g = 0; g < j; g++)
                assert_true(near[g] != near[j]);
        }
    }
}

/* ---- all geometries, dimensions and neighbourhoods */

static const char *const GEOMETRY[] = {"", "nearest", "transplant", "distance", "thinned", "similar"};

/* The same points once more, in the same metric: with the same neighbours, unless they are turned about at random. */
static void comes_out_again(const surekrig_model *m, sk_holdout_wish wish, const sk_holdout *h)
{
    sk_holdout again = {0};
    surekrig_error error;
    succeed(sk_holdout_again(m, wish, h, &again, &error), &error);
    assert_true(again.n == h->n && again.k == h->k && again.geometry == h->geometry);
    assert_memory_equal(again.row, h->row, (size_t)h->n * sizeof *h->row);
    same_bits(again.x, h->x, h->n * m->data.d);
    bool turned = h->geometry == SK_GEOMETRY_TRANSPLANT || h->geometry == SK_GEOMETRY_SIMILAR;
    assert_true(!turned || !memcmp(again.target, h->target, (size_t)h->n * sizeof *h->target));
    is_sound(m, &again);
    for (int64_t i = 0; i < h->n && !turned; i++) {
        assert_int_equal(neighbours_of(&again, i), neighbours_of(h, i));
        for (int64_t j = 0; j < neighbours_of(h, i); j++)
            assert_int_equal(again.neighbor[i * h->k + j], h->neighbor[i * h->k + j]);
    }
    sk_holdout_free(&again);
}

static void held_out(const surekrig_data *data, const char *words, int64_t wish)
{
    for (int g = SK_GEOMETRY_NEAREST; g <= SK_GEOMETRY_SIMILAR; g++)
        for (int sectors = 0; sectors < 2; sectors++) {
            char all[200];
            snprintf(all, sizeof all, "threads=1 holdout=%s sectors=%s %s", GEOMETRY[g], sectors ? "yes" : "no", words);
            surekrig_model *m = untrained(data, all);
            sk_holdout h = hold_out(m, (sk_holdout_wish){.n = wish});
            is_sound(m, &h);
            comes_out_again(m, (sk_holdout_wish){.n = wish}, &h);
            sk_holdout_free(&h);
            free_untrained(m);
        }
}

/* For every number of points, for what is dealt in hands need not come out even. */
static void nobody_is_its_own_neighbour(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= 3; d++) {
        points p = make_field(200, d, 1, 0.5, 0.3, 0.01, (uint64_t)d);
        double *target = make_places(15, d, 2, 90 + (uint64_t)d);
        memcpy(target, p.x, (size_t)(3 * d) * sizeof *target);         /* three are data */
        memcpy(target + 3 * d, p.x, (size_t)(2 * d) * sizeof *target); /* two of them twice */
        p.data.target = target;
        p.data.targets = 15;
        for (int64_t wish = 2; wish < 80; wish += 7)
            held_out(&p.data, "neighbors=6", wish);
        held_out(&p.data, "neighbors=199", 50);
        p.data.targets = 1;
        held_out(&p.data, "neighbors=20", 200);
        p.data.n = 12;
        held_out(&p.data, "neighbors=11", 100);
        p.data.n = 3;
        held_out(&p.data, "neighbors=2", 100);
        free(target);
        free_points(&p);
    }
}

/* Its neighbours are the nearest others, with those at its own place or without. */
static void has_the_nearest(const surekrig_model *m, const sk_holdout *h, bool with_its_place)
{
    assert_int_equal(h->geometry, SK_GEOMETRY_NEAREST);
    is_sound(m, h);
    for (int64_t i = 0; i < h->n; i++) {
        double farthest = 0;
        int64_t nearer = 0;
        assert_int_equal(neighbours_of(h, i), h->k);
        for (int64_t j = 0; j < h->k; j++) {
            double far = gap(m, h->row[i], h->neighbor[i * h->k + j]);
            assert_true(far >= farthest && (far > 0 || with_its_place));
            farthest = far;
        }
        for (int64_t r = 0; r < m->data.n; r++) {
            double far = gap(m, h->row[i], r);
            nearer += r != h->row[i] && (far > 0 || with_its_place) && far < farthest;
        }
        assert_true(nearer < h->k);
    }
}

static void nearest_neighbours(void **state)
{
    (void)state;
    points p = make_field(100, 2, 1, 0.5, 0.3, 0.01, 7);
    memcpy(p.x, p.x + 100, 100 * sizeof *p.x); /* places of two rows each */
    surekrig_model *m = untrained(&p.data, "threads=1 holdout=nearest neighbors=9 sectors=no scaling=axis");
    sk_holdout h = hold_out(m, (sk_holdout_wish){.n = 40}), rows = {0};
    surekrig_error error;
    const int64_t row[] = {77, 3, 50, 0, 99};
    has_the_nearest(m, &h, false);
    succeed(sk_holdout_rows(m, 5, row, &rows, &error), &error);
    assert_int_equal(rows.n, 5);
    assert_memory_equal(rows.row, row, sizeof row);
    has_the_nearest(m, &rows, true);
    sk_holdout_free(&h);
    sk_holdout_free(&rows);
    free_untrained(m);
    free_points(&p);
}

/* Rows that share a place, all of them ten times. */
static void duplicates(void **state)
{
    (void)state;
    points p = make_field(200, 2, 1, 0.5, 0.3, 0.1, 5);
    for (int64_t i = 20; i < 200; i++)
        memcpy(p.x + 2 * i, p.x + 2 * (i % 20), 2 * sizeof *p.x);
    p.data.target = p.x;
    p.data.targets = 40;
    held_out(&p.data, "neighbors=15", 60);
    held_out(&p.data, "neighbors=199", 60);
    free_points(&p);
}

/* ---- transplant */

enum { SIDE = 61, HOLE = 3 };

/* A grid with a square hole of 2 HOLE - 1 points a side in its middle, and the hole's points as targets. */
static points grid_with_a_hole(double *target, int64_t *targets)
{
    points p = make_grid(SIDE);
    int64_t kept = 0, missing = 0, middle = SIDE / 2;
    for (int64_t i = 0; i < p.data.n; i++) {
        bool inside = llabs(i / SIDE - middle) < HOLE && llabs(i % SIDE - middle) < HOLE;
        double *to = inside ? target + 2 * missing++ : p.x + 2 * kept++;
        memmove(to, p.x + 2 * i, 2 * sizeof *to);
    }
    *targets = missing;
    p.data.n = kept;
    p.data.target = target;
    p.data.targets = missing;
    return p;
}

/* The offsets of a row's neighbours are those of some target's neighbours, all of them: on a grid nothing moves. */
static bool like_a_target(const surekrig_model *m, const sk_holdout *h, int64_t i)
{
    for (int64_t t = 0; t < m->data.targets; t++) {
        const double *target = m->data.target + 2 * t;
        int64_t row[64], same = 0;
        surekrig_error error;
        succeed(sk_model_neighbors(m, (surekrig_neighbor_query){.n = 1, .x = target, .threads = 1}, row, NULL, &error),
                &error);
        for (int64_t j = 0; j < h->k; j++)
            for (int64_t g = 0; g < neighbours_of(h, i); g++) {
                const double *a = m->data.x + 2 * row[j], *b = m->data.x + 2 * h->neighbor[i * h->k + g];
                same += a[0] - target[0] == b[0] - h->x[2 * i] && a[1] - target[1] == b[1] - h->x[2 * i + 1];
            }
        if (same == h->k)
            return true;
    }
    return false;
}

/* Beside the edge or the hole a datum stands in for another within a step of the grid, or a quarter of the way to the
 * row. */
static void no_neighbour_is_far_from_its_place(const surekrig_model *m, const sk_holdout *h, int64_t i)
{
    const double *target = sk_holdout_target(m, m->settings->seed, h->target[i] - 1);
    int64_t row[64];
    surekrig_error error;
    succeed(sk_model_neighbors(m, (surekrig_neighbor_query){.n = 1, .x = target, .threads = 1}, row, NULL, &error),
            &error);
    for (int64_t g = 0; g < neighbours_of(h, i); g++) {
        const double *b = m->data.x + 2 * h->neighbor[i * h->k + g];
        bool near = false;
        for (int64_t j = 0; j < h->k; j++) {
            const double *a = m->data.x + 2 * row[j];
            double u = a[0] - target[0], v = a[1] - target[1];
            double off = hypot(b[0] - h->x[2 * i] - u, b[1] - h->x[2 * i + 1] - v);
            near |= off <= 1.000001 * fmax(m->frame.side[0] / (SIDE - 1), 0.25 * hypot(u, v));
        }
        assert_true(near);
    }
}

static void a_transplant_reproduces_a_target_on_a_grid(void **state)
{
    (void)state;
    double target[2 * SIDE * SIDE];
    int64_t targets, exact = 0;
    points p = grid_with_a_hole(target, &targets);
    surekrig_model *m = untrained(&p.data, "neighbors=16 sectors=yes holdout=transplant threads=1");
    sk_holdout h = hold_out(m, (sk_holdout_wish){.n = 200});
    is_sound(m, &h);
    assert_int_equal(h.geometry, SK_GEOMETRY_TRANSPLANT);
    assert_true(h.accepted > 0.5 && h.accepted <= 1 && h.n == (int64_t)lround(h.accepted * 200));
    for (int64_t i = 0; i < h.n; i++) {
        exact += like_a_target(m, &h, i);
        assert_true(neighbours_of(&h, i) >= 15); /* nine of ten */
        no_neighbour_is_far_from_its_place(m, &h, i);
    }
    if (exact < 2 * h.n / 3) /* the others lie beside the edge or the hole */
        fail_msg("%lld of %lld neighbourhoods are a target's", (long long)exact, (long long)h.n);
    for (int64_t i = 0; i < h.n; i++) /* a gap around every point, as around the targets: in a grid the next is at 1 */
        for (int64_t j = 0; j < neighbours_of(&h, i) && like_a_target(m, &h, i); j++)
            assert_true(gap(m, h.row[i], h.neighbor[i * h.k + j]) >= 0.999 / (SIDE - 1));
    sk_holdout_free(&h);
    free_untrained(m);
    free_points(&p);
}

/* ---- similar */

/* Scattered points of which those in a disc are the targets instead; responses follow if it is given what is added inside
 * of a wider disc. */
static points scattered_with_a_hole(double bump, double *target, int64_t *targets)
{
    points p = make_field(1200, 2, 1, 0.7, 0.3, 0.01, 12);
    int64_t kept = 0;
    *targets = 0;
    for (int64_t i = 0; i < p.data.n; i++) {
        double from = hypot(p.x[2 * i] - 0.5, p.x[2 * i + 1] - 0.5);
        double *to = from < 0.15 ? target + 2 * (*targets)++ : p.x + 2 * kept;
        double x[2] = {p.x[2 * i], p.x[2 * i + 1]}, y = p.y[i] + (from < 0.19 ? bump : 0);
        memcpy(to, x, sizeof x);
        if (from >= 0.15)
            p.y[kept++] = y;
    }
    p.data.n = kept;
    p.data.target = target;
    p.data.targets = *targets;
    return p;
}

/* No scattered point has a target's surroundings exactly, many have them roughly: the hole is there, of that size. */
static void scattered_points_have_similar_surroundings(void **state)
{
    (void)state;
    double target[2400], held = 0, wanted = 0, plain = 0;
    int64_t targets, first[200];
    points p = scattered_with_a_hole(0, target, &targets);
    surekrig_model *m = untrained(&p.data, "neighbors=30 sectors=yes threads=1");
    surekrig_error error;
    sk_holdout h = hold_out(m, (sk_holdout_wish){.n = 200});
    is_sound(m, &h);
    assert_int_equal(h.geometry, SK_GEOMETRY_SIMILAR);
    assert_true(h.accepted > 0.5 && h.accepted <= 1);
    surekrig_neighbor_query one = {.n = 1, .k = 1};
    for (int64_t i = 0; i < h.n; i++) {
        double nearest = INFINITY, side = m->frame.side[0];
        const double *t = sk_holdout_target(m, m->settings->seed, h.target[i] - 1);
        one.x = t;
        one.row = NULL;
        succeed(surekrig_neighbors(m->index, &one, first, NULL, &error), &error);
        double from = hypot(t[0] - m->data.x[2 * first[0]], t[1] - m->data.x[2 * first[0] + 1]) / side;
        for (int64_t j = 0; j < neighbours_of(&h, i); j++)
            nearest = fmin(nearest, gap(m, h.row[i], h.neighbor[i * h.k + j]));
        assert_true(nearest >= 0.79 * from && neighbours_of(&h, i) >= 15);
        one.x = h.x + 2 * i;
        one.row = h.row + i;
        succeed(surekrig_neighbors(m->index, &one, first, NULL, &error), &error);
        held += nearest / (double)h.n;
        wanted += from / (double)h.n;
        plain += gap(m, h.row[i], first[0]) / (double)h.n;
    }
    if (!(plain < 0.4 * wanted && held > 0.85 * wanted && held < 1.25 * wanted))
        fail_msg("nearest at %g where targets have it at %g, and points without a gap at %g", held, wanted, plain);
    sk_holdout_free(&h);
    free_untrained(m);
    free_points(&p);
}

/* ---- shores */

/* What lies beside the targets and nowhere else widens intervals and raises what is expected. */
static void errors_beside_the_targets_count(void **state)
{
    (void)state;
    double target[2400], half[2];
    surekrig_scores said[2], margin[2];
    for (int i = 0; i < 2; i++) {
        int64_t targets;
        points p = scattered_with_a_hole(i ? 3 : 0, target, &targets);
        surekrig_model *m = fit(&p.data, "nu=0.7 rho=0.3 tau2=0.01 coverage=none variance=local interval=conformal "
                                         "gamma2=1 neighbors=30 sectors=yes");
        const surekrig_info *info = surekrig_model_info(m);
        surekrig_query query = {.n = 1, .x = (double[]){0.5, 0.5}};
        double sd;
        surekrig_prediction out = {.sd = &sd};
        surekrig_error error;
        succeed(surekrig_predict(m, &query, NULL, &out, &error), &error);
        assert_int_equal(info->holdout, SUREKRIG_HOLDOUT_SIMILAR);
        half[i] = sd * surekrig_model_quantile(m, 0, 0.95);
        said[i] = info->held_out;
        margin[i] = info->margin;
        if (i ? info->beside < 1.2 : info->beside > 1.1)
            fail_msg("errors beside the targets count %g times", info->beside);
        surekrig_model_free(m);
        free_points(&p);
    }
    assert_true(half[1] > 1.2 * half[0] && said[1].mae > 1.2 * said[0].mae);
    assert_true(margin[0].n == 16 && margin[0].mae > 0 && margin[0].mae < 0.5 * said[0].mae);
    assert_true(margin[0].cov > 0 && margin[0].cov < 0.2 && margin[1].mae > margin[0].mae);
}

/* ---- distance */

static void neighbours_lie_beyond_the_targets_distances(void **state)
{
    (void)state;
    enum { N = 400, TARGETS = 5 };
    points p = make_field(N, 2, 1, 0.5, 0.3, 0.01, 7);
    double target[2 * TARGETS], least = INFINITY, most = 0;
    for (int64_t t = 0; t < TARGETS; t++) { /* beside a corner, ever farther */
        target[2 * t] = -0.05 * (double)(t + 1);
        target[2 * t + 1] = -0.05 * (double)(t + 1);
    }
    p.data.target = target;
    p.data.targets = TARGETS;
    surekrig_model *m = untrained(&p.data, "neighbors=10 holdout=distance threads=1");
    for (int64_t t = 0; t < TARGETS; t++) {
        double nearest = INFINITY;
        for (int64_t i = 0; i < N; i++)
            nearest = fmin(nearest,
                           hypot(p.x[2 * i] - target[2 * t], p.x[2 * i + 1] - target[2 * t + 1]) / m->frame.side[0]);
        least = fmin(least, nearest);
        most = fmax(most, nearest);
    }
    sk_holdout h = hold_out(m, (sk_holdout_wish){.n = 160});
    int64_t far = 0;
    is_sound(m, &h);
    for (int64_t i = 0; i < h.n; i++) {
        double nearest = INFINITY;
        for (int64_t j = 0; j < neighbours_of(&h, i); j++)
            nearest = fmin(nearest, gap(m, h.row[i], h.neighbor[i * h.k + j]));
        assert_true(nearest >= least * (1 - 1e-12));
        far += nearest >= most * (1 - 1e-12);
    }
    assert_in_range(far, 16, 64); /* about a fifth: as many as the farthest target stands for */
    sk_holdout_free(&h);
    free_untrained(m);
    free_points(&p);
}

/* The share of the points that lie nearer than a distance to 64 of them, which are spread over their list. */
static double share_of_nearer(const surekrig_model *m, const sk_holdout *h, double distance)
{
    double nearer = 0;
    for (int64_t i = 0; i < 64; i++)
        for (int64_t j = 0; j < h->n; j++)
            nearer += j != i * h->n / 64 && gap(m, h->row[i * h->n / 64], h->row[j]) < distance;
    return nearer / (64.0 * (double)h->n);
}

/* On a grid of spacing 1: 2, 4, ... away, as long as a sixteenth of the points at most lie nearer; each hand is worth
 * as many points as have nothing in common. */
static void farther_neighbours_lie_beyond_distances_that_double(void **state)
{
    (void)state;
    enum { WISH = 330 };
    points p = make_grid(40);
    surekrig_model *m = untrained(&p.data, "neighbors=12 sectors=no threads=1 scaling=none");
    sk_holdout h = {0}, asked = {0};
    surekrig_error error;
    double weight[WISH];
    succeed(sk_holdout_choose(m, (sk_holdout_wish){.n = WISH}, &h, &error), &error);
    succeed(sk_holdout_choose(m, (sk_holdout_wish){.n = WISH}, &asked, &error), &error);
    succeed(sk_surround_farther(m, &h, weight, &error), &error);
    int64_t hands = 0;
    while (share_of_nearer(m, &asked, ldexp(1 / m->frame.side[0], (int)hands + 1)) <= 1 / 16.0)
        hands++;
    assert_int_equal(hands, 2);
    is_sound(m, &h);
    for (int64_t i = 0; i < h.n; i++) {
        int64_t hand = i < h.n / hands + (h.n % hands > 0) ? 0 : 1, dealt = (h.n + (hand == 0)) / hands;
        double away = ldexp(1, (int)hand + 1) / m->frame.side[0], nearest = INFINITY;
        for (int64_t j = 0; j < neighbours_of(&h, i); j++)
            nearest = fmin(nearest, gap(m, h.row[i], h.neighbor[i * h.k + j]));
        assert_true(nearest >= away * (1 - 1e-12) &&
                    nearest < 1.3 * away); /* the grid has some just beyond, even at a corner */
        close_to(weight[i], fmin(1, 1 / (share_of_nearer(m, &asked, away) * (double)dealt)), 1e-12);
    }
    assert_true(weight[0] > weight[h.n - 1]);
    sk_holdout_free(&h);
    sk_holdout_free(&asked);
    free_untrained(m);
    free_points(&p);
}

/* Whose errors train widths farther off: rows left out alone, or with their group; not points made for targets. */
static void widths_farther_off_are_for_rows(void **state)
{
    (void)state;
    points p = make_field(500, 2, 1, 0.5, 0.3, 0.01, 9);
    int64_t *group = sk_alloc(500, sizeof *group);
    double target[40] = {0};
    for (int64_t i = 0; i < 500; i++)
        group[i] = i % 100;
    for (int i = 0; i < 40; i++)
        target[i] = 0.4 + 0.01 * i * (i % 2 ? 0.5 : 1);
    for (int of = 0; of < 3; of++) {
        surekrig_data one = p.data;
        one.group = of == 1 ? group : NULL;
        one.targets = of == 2 ? 20 : 0;
        one.target = of == 2 ? target : NULL;
        surekrig_model *m = fit(&one, of == 2 ? WIDTHS " holdout=distance" : WIDTHS);
        assert_true(m->widths.local && !m->widths.farther == (of == 2));
        surekrig_model_free(m);
    }
    free(group);
    free_points(&p);
}

/* In many dimensions the next distance already holds a large part of the data: there is no farther. */
static void in_many_dimensions_there_is_no_farther(void **state)
{
    (void)state;
    points p = make_field(300, 9, 1, 0.5, 0.3, 0.01, 8);
    surekrig_model *m = untrained(&p.data, "neighbors=10 threads=1");
    sk_holdout h = {0};
    surekrig_error error;
    double weight[100];
    succeed(sk_holdout_choose(m, (sk_holdout_wish){.n = 100}, &h, &error), &error);
    succeed(sk_surround_farther(m, &h, weight, &error), &error);
    assert_int_equal(h.n, 0);
    sk_holdout_free(&h);
    free_untrained(m);
    free_points(&p);
}

/* In the middle of a shell of data nothing may be as far away as twice the usual distance: such rows are left out of
 * the hands. */
static void rows_that_see_nothing_so_far_are_dropped(void **state)
{
    (void)state;
    enum { SHELL = 6000, D = 11, ALL = SHELL + 20 };
    points p = {.data = {.n = ALL, .d = D, .l = 1}, .x = sk_doubles(D * ALL), .y = sk_doubles(ALL)};
    for (int64_t i = 0; i < ALL; i++) {
        double length = 0, *x = p.x + D * i;
        for (int a = 0; a < D; a++)
            length += pow(x[a] = normal(33, (uint64_t)(D * i + a)), 2);
        for (int a = 0; a < D; a++)
            x[a] *= i < SHELL ? 1 / sqrt(length) : 0.002;
        p.y[i] = x[0];
    }
    p.data.x = p.x;
    p.data.y = p.y;
    surekrig_model *m = untrained(&p.data, "neighbors=5 sectors=no threads=1 scaling=none");
    sk_holdout h = {0}, asked = {0};
    surekrig_error error;
    double *weight = sk_doubles(ALL);
    succeed(sk_holdout_choose(m, (sk_holdout_wish){.n = ALL}, &h, &error), &error);
    succeed(sk_holdout_choose(m, (sk_holdout_wish){.n = ALL}, &asked, &error), &error);
    succeed(sk_surround_farther(m, &h, weight, &error), &error);
    assert_in_range(h.n, 100, asked.n - 10);
    for (int64_t i = 0; i < h.n; i++) {
        assert_true(neighbours_of(&h, i) > 0 && h.row[i] < SHELL);
        assert_true(weight[i] > 0 && weight[i] <= 1);
    }
    sk_holdout_free(&h);
    sk_holdout_free(&asked);
    free(weight);
    free_untrained(m);
    free_points(&p);
}

/* Targets at random are as rows are: one row at a time is left out. A gap is not, but for few rows it counts in what is
 * told alone; nor is one target far away. */
static void rows_stand_for_targets_among_them(void **state)
{
    (void)state;
    for (int64_t n = 200; n <= 800; n += 600) {
        points p = make_field(n, 2, 1, 0.5, 0.3, 0.01, 8);
        double among[2 * 60], gap[2 * 60], away[2] = {2.5, 2.5};
        for (int i = 0; i < 2 * 60; i++) {
            among[i] = sk_uniform(9, 0, (uint64_t)i);
            gap[i] = 1.1 + 0.3 * sk_uniform(9, 1, (uint64_t)i);
        }
        const double *targets[] = {among, gap, away};
        surekrig_model *m = untrained(&p.data, "neighbors=10");
        for (int which = 0; which < 3; which++) {
            surekrig_error error;
            p.data.target = targets[which];
            p.data.targets = which < 2 ? 60 : 1;
            succeed(sk_model_take_targets(m, &p.data, &error), &error);
            for (int told = 0; told < 2; told++) {
                sk_holdout h = hold_out(m, (sk_holdout_wish){.n = 100, .told = told});
                assert_int_equal(h.geometry == SK_GEOMETRY_NEAREST, which == 0 || (n == 200 && !told));
                sk_holdout_free(&h);
            }
            sk_model_forget_targets(m);
        }
        free_untrained(m);
        free_points(&p);
    }
}

/* 150 places with four readings each; targets at new places, or at half of these. */
static points readings(bool at_places, double *target)
{
    enum { PLACES = 150, EACH = 4 };
    points p = make_field(PLACES * EACH, 2, 1, 0.5, 0.3, 0.05, 31);
    for (int64_t i = 0; i < PLACES * EACH; i++)
        memcpy(p.x + 2 * i, p.x + 2 * (i % PLACES), 2 * sizeof *p.x);
    for (int64_t i = 0; i < PLACES; i++)
        for (int a = 0; a < 2; a++)
            target[2 * i + a] = at_places ? p.x[2 * (i / 2) + a]
                                          : 0.8 * sk_uniform(32, STREAM_PLACES, (uint64_t)(2 * i + a));
    p.data.target = target;
    p.data.targets = PLACES;
    return p;
}

/* A target at a new place stands for a place that is left out whole, one at a place with readings for one more of them. */
static void readings_at_one_place_have_surroundings(void **state)
{
    (void)state;
    for (int at_places = 0; at_places < 2; at_places++) {
        double target[2 * 150];
        points p = readings(at_places, target);
        surekrig_model *m = untrained(&p.data, "neighbors=40 sectors=no threads=1 holdout=similar");
        sk_holdout h = hold_out(m, (sk_holdout_wish){.n = 300});
        assert_int_equal(h.geometry, SK_GEOMETRY_SIMILAR); /* not their distances alone */
        assert_true(h.accepted > 0.7);
        for (int64_t i = 0; i < h.n; i++) {
            int64_t here = 0;
            for (int64_t j = 0; j < neighbours_of(&h, i); j++)
                here += gap(m, h.row[i], h.neighbor[i * h.k + j]) == 0;
            assert_int_equal(here, at_places ? 3 : 0);
        }
        sk_holdout_free(&h);
        free_untrained(m);
        free_points(&p);
    }
}

static void targets_far_away_leave_only_distances(void **state)
{
    (void)state;
    static const double AWAY[] = {3, 1e3, 1e12, 1e200};
    for (int64_t d = 1; d <= 3; d++)
        for (int i = 0; i < 4; i++) {
            points p = make_field(120, d, 1, 0.5, 0.3, 0.01, 8);
            double target[3] = {AWAY[i], AWAY[i], AWAY[i]};
            p.data.target = target;
            p.data.targets = 1;
            surekrig_model *m = fit(&p.data, "nu=0.5 rho=0.3 tau2=0.01 coverage=none neighbors=10 interval=conformal");
            const surekrig_info *info = surekrig_model_info(m);
            assert_int_equal(info->holdout, SK_GEOMETRY_DISTANCE);
            assert_true(info->accepted < 0.25 && info->held_out.n >= 60 && isfinite(info->held_out.crps));
            surekrig_error error;
            succeed(sk_model_take_targets(m, &p.data, &error), &error);
            sk_holdout h = hold_out(
                m, (sk_holdout_wish){.n = 100,
                                     .told = true}); /* as far as the data allow: for half of them by half the box */
            double nearest = 0;
            for (int64_t j = 0; j < h.n; j++)
                nearest += gap(m, h.row[j], h.neighbor[j * h.k]) / (double)h.n;
            assert_true(nearest > 0.25);
            sk_holdout_free(&h);
            sk_model_forget_targets(m);
            surekrig_model_free(m);
            free_points(&p);
        }
}

/* ---- thinned */

static void thinned_neighbours_come_from_samples(void **state)
{
    (void)state;
    enum { N = 640, K = 9 };
    points p = make_field(N, 2, 1, 0.5, 0.3, 0.01, 9);
    surekrig_model *m = untrained(&p.data, "neighbors=9 holdout=thinned threads=1");
    sk_holdout h = hold_out(m, (sk_holdout_wish){.n = 123});
    is_sound(m, &h);
    assert_true(h.n == 123 && !h.count);
    double mean[16] = {0};
    int64_t levels = 0, first = 0;
    while (N >> levels >= 2 * K + 2)
        levels++;
    assert_int_equal(levels, 6); /* 640, 320, 160, 80, 40, 20 */
    for (int64_t s = 0; s < levels; s++) {
        int64_t size = N >> s, row[N], many = 123 / levels + (s < 123 % levels);
        surekrig_error error;
        succeed(sk_sample_rows(m->settings->seed + (uint64_t)size, N, size, row, &error), &error);
        for (int64_t i = first; i < first + many; i++)
            for (int64_t j = 0; j < K; j++) {
                int64_t here = h.neighbor[i * K + j];
                bool found = false;
                for (int64_t r = 0; r < size; r++)
                    found |= row[r] == here;
                assert_true(found);
                mean[s] += gap(m, h.row[i], here) / (double)(many * K);
            }
        first += many;
    }
    for (int64_t s = 1; s < levels; s++) /* half as many points lie 1.4 times as far apart */
        assert_true(mean[s] > 1.1 * mean[s - 1] && mean[s] < 1.9 * mean[s - 1]);
    sk_holdout_free(&h);
    free_untrained(m);
    free_points(&p);
}

/* ---- which rows */

static int64_t in_common(const sk_holdout *a, const sk_holdout *b)
{
    int64_t count = 0;
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t j = 0; j < b->n; j++)
            count += a->row[i] == b->row[j];
    return count;
}

static void rows_of_the_batch_are_avoided(void **state)
{
    (void)state;
    double target[2 * SIDE * SIDE];
    int64_t targets;
    points p = grid_with_a_hole(target, &targets);
    for (int g = SK_GEOMETRY_NEAREST; g <= SK_GEOMETRY_SIMILAR; g++) {
        char words[100];
        snprintf(words, sizeof words, "neighbors=8 threads=1 holdout=%s", GEOMETRY[g]);
        surekrig_model *m = untrained(&p.data, words);
        sk_holdout batch = hold_out(m, (sk_holdout_wish){.n = 300});
        sk_holdout others = hold_out(m, (sk_holdout_wish){200, 1, &batch});
        sk_holdout most = hold_out(m, (sk_holdout_wish){600, 1, &batch});
        sk_holdout all = hold_out(m, (sk_holdout_wish){40000, 1, &batch}); /* too few others for this */
        assert_int_equal(in_common(&batch, &others), 0);
        assert_int_equal(in_common(&batch, &most), 0);
        assert_true(in_common(&batch, &all) > 0 && all.n > p.data.n / 4);
        assert_true(others.n > 50 && others.n < 350 && most.n > others.n);
        sk_holdout *each[] = {&batch, &others, &most, &all};
        for (int i = 0; i < 4; i++)
            sk_holdout_free(each[i]);
        free_untrained(m);
    }
    free_points(&p);
}

static void the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    double target[2 * SIDE * SIDE];
    int64_t targets;
    points p = grid_with_a_hole(target, &targets);
    for (int g = SK_GEOMETRY_NEAREST; g <= SK_GEOMETRY_SIMILAR; g++) {
        sk_holdout h[2];
        for (int i = 0; i < 2; i++) {
            char words[100];
            snprintf(words, sizeof words, "neighbors=8 holdout=%s threads=%d", GEOMETRY[g], i ? 3 : 1);
            surekrig_model *m = untrained(&p.data, words);
            h[i] = hold_out(m, (sk_holdout_wish){.n = 150});
            free_untrained(m);
        }
        assert_int_equal(h[0].n, h[1].n);
        assert_memory_equal(h[0].row, h[1].row, (size_t)h[0].n * sizeof(int64_t));
        for (int64_t i = 0; i < h[0].n; i++) {
            assert_int_equal(neighbours_of(&h[0], i), neighbours_of(&h[1], i));
            assert_memory_equal(h[0].neighbor + i * 8, h[1].neighbor + i * 8,
                                (size_t)neighbours_of(&h[0], i) * sizeof(int64_t));
        }
        sk_holdout_free(&h[0]);
        sk_holdout_free(&h[1]);
    }
    free_points(&p);
}

/* ---- what is refused */

static void odd_targets_are_refused(void **state)
{
    (void)state;
    points p = make_field(60, 2, 1, 0.5, 0.3, 0.01, 10);
    const char *words = "nu=0.5 rho=0.3 tau2=0.01 coverage=none neighbors=10 threads=1";
    double target[4] = {0.5, 0.5, 0.5, NAN};
    p.data.targets = 1;
    fit_is_refused(&p.data, words, SUREKRIG_INVALID, "1 targets, and no places are given");
    p.data.targets = 2;
    fit_is_refused(&p.data, words, SUREKRIG_INVALID, "2 targets, and no places are given");
    p.data.target = target;
    fit_is_refused(&p.data, words, SUREKRIG_DATA, "target 2, x2: nan is not a finite number");
    fit_is_refused(&p.data, "auto=yes threads=1", SUREKRIG_DATA, "target 2, x2: nan is not a finite number");
    target[3] = -INFINITY;
    fit_is_refused(&p.data, words, SUREKRIG_DATA, "target 2, x2: -inf is not a finite number");
    p.data.targets = -1;
    fit_is_refused(&p.data, words, SUREKRIG_INVALID, "-1 targets");
    p.data.targets = 0;
    fit_is_refused(&p.data, "holdout=transplant threads=1", SUREKRIG_INVALID, "need targets");
    fit_is_refused(&p.data, "holdout=distance threads=1", SUREKRIG_INVALID, "need targets");
    free_points(&p);
}

/* Points that are all alike leave what chance gives; many targets are as their regions, few scatter more. */
static void margins_know_chance(void **state)
{
    (void)state;
    enum { N = 40, REGIONS = 4 };
    int64_t of[N];
    double value[N], chance = 0.0475, between = 0;
    sk_regions r = {.n = N, .regions = REGIONS, .of = of, .targets = REGIONS};
    for (int i = 0; i < N; i++) {
        of[i] = i % REGIONS;
        value[i] = 1;
    }
    close_to(sk_regions_deviation(&r, value, 0, 0), 0, 1e-15);
    close_to(sk_regions_deviation(&r, value, 0, chance), sqrt(chance / N + chance / N),
             1e-12); /* 1 - 1 is not 0 +- 0 */
    r.asked = 5;
    close_to(sk_regions_deviation(&r, value, 0, chance), sqrt(chance / N + chance / 5), 1e-12);
    for (int i = 0; i < N; i++) /* region means of 0, 1, 2 and 3: an sd far above chance */
        value[i] = of[i];
    for (int i = 0; i < REGIONS; i++)
        between += (i - 1.5) * (i - 1.5) / (REGIONS - 1);
    close_to(sk_regions_deviation(&r, value, 0, chance), sqrt(between / REGIONS + between / REGIONS), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_know_chance),
        cmocka_unit_test(nobody_is_its_own_neighbour),
        cmocka_unit_test(nearest_neighbours),
        cmocka_unit_test(duplicates),
        cmocka_unit_test(a_transplant_reproduces_a_target_on_a_grid),
        cmocka_unit_test(scattered_points_have_similar_surroundings),
        cmocka_unit_test(errors_beside_the_targets_count),
        cmocka_unit_test(neighbours_lie_beyond_the_targets_distances),
        cmocka_unit_test(farther_neighbours_lie_beyond_distances_that_double),
        cmocka_unit_test(widths_farther_off_are_for_rows),
        cmocka_unit_test(in_many_dimensions_there_is_no_farther),
        cmocka_unit_test(rows_that_see_nothing_so_far_are_dropped),
        cmocka_unit_test(rows_stand_for_targets_among_them),
        cmocka_unit_test(readings_at_one_place_have_surroundings),
        cmocka_unit_test(targets_far_away_leave_only_distances),
        cmocka_unit_test(thinned_neighbours_come_from_samples),
        cmocka_unit_test(rows_of_the_batch_are_avoided),
        cmocka_unit_test(the_same_on_any_number_of_threads),
        cmocka_unit_test(odd_targets_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
