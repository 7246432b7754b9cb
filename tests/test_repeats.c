/* Rows at one place: found, counted, told whether they agree, and left out together. */
#include "fit_support.h"
#include "heldout/heldout.h"

enum { PLACES = 500, EACH = 3, ROWS = PLACES * EACH };

/* Every place EACH times, rows in turn. The last column is for no distance. */
static points repeated(double noise)
{
    points p = {.data = {.n = ROWS, .d = 3, .l = 1}, .x = sk_doubles(3 * ROWS), .y = sk_doubles(ROWS)};
    double *place = make_places(PLACES, 2, 1, 5);
    for (int64_t i = 0; i < ROWS; i++) {
        const double *at = place + 2 * (i % PLACES);
        p.x[3 * i] = at[0];
        p.x[3 * i + 1] = at[1];
        p.x[3 * i + 2] = (double)i;
        p.y[i] = sin(5 * at[0]) + cos(4 * at[1]) + noise * normal(6, (uint64_t)i);
    }
    free(place);
    p.data.x = p.x;
    p.data.y = p.y;
    return p;
}

static void repeats_are_counted(void **state)
{
    (void)state;
    points p = repeated(0.1);
    surekrig_error error;
    sk_frame frame;
    sk_repeats found;
    const bool counts[3] = {true, true, false};
    p.x[0] = -0.0; /* two names of one number */
    p.x[3 * PLACES] = 0;
    succeed(sk_frame_new(&p.data, SK_SCALING_NONE, counts, &frame, &error), &error);
    succeed(sk_repeats_find(&p.data, &frame, &found, &error), &error);
    assert_int_equal(found.shared_rows, ROWS - 1); /* the third at the first place lies elsewhere now */
    assert_int_equal(found.shared_places, PLACES);
    assert_int_equal(found.most, EACH);
    for (int64_t i = 0; i < ROWS; i++)
        assert_int_equal(found.of[i], i == 2 * PLACES ? i : i % PLACES);
    near_to(found.within_sd[0], 0.1, 0.005);
    sk_repeats_free(&found);
    sk_frame_free(&frame);
    succeed(sk_frame_new(&p.data, SK_SCALING_NONE, NULL, &frame, &error), &error); /* now the last one counts */
    succeed(sk_repeats_find(&p.data, &frame, &found, &error), &error);
    assert_true(!found.of && found.shared_rows == 0);
    sk_frame_free(&frame);
    free_points(&p);
}

/* So many rows that a sample of the places is looked at first. */
static void many_rows_have_their_repeats_found(void **state)
{
    (void)state;
    int64_t n = 3 << 20;
    surekrig_data data = {.n = n, .d = 1, .l = 1};
    double *x = sk_doubles(n), *y = sk_zeroed(n, sizeof *y);
    for (int64_t i = 0; i < n; i++)
        x[i] = (double)(i < n / 2 ? i : n - 1 - i);
    data.x = x;
    data.y = y;
    surekrig_error error;
    sk_frame frame;
    sk_repeats found;
    succeed(sk_frame_new(&data, SK_SCALING_NONE, NULL, &frame, &error), &error);
    succeed(sk_repeats_find(&data, &frame, &found, &error), &error);
    assert_int_equal(found.shared_rows, n);
    assert_int_equal(found.shared_places, n / 2);
    assert_true(found.within_sd[0] == 0);
    sk_repeats_free(&found);
    sk_frame_free(&frame);
    free(x);
    free(y);
}

static void a_place_is_left_out_whole(void **state)
{
    (void)state;
    points p = repeated(0.1);
    surekrig_model *m = fit(&p.data, "distance=x1,x2 nu=1.5 rho=1 tau2=0.01 neighbors=20 coverage=none");
    sk_holdout h;
    surekrig_error error;
    succeed(sk_holdout_new(m, (sk_holdout_wish){.n = 200}, &h, &error), &error);
    for (int64_t i = 0; i < h.n * h.k; i++)
        assert_true(h.neighbor[i] % PLACES != h.row[i / h.k] % PLACES);
    sk_holdout_free(&h);
    surekrig_model_free(m);
    free_points(&p);
}

/* Rows that are copies would predict one another: intervals must hold at new places all the same. */
static void copies_do_not_flatter(void **state)
{
    (void)state;
    enum { NEW = 400 };
    points p = make_field(PLACES + NEW, 2, 1, 1, 0.3, 0, 9);
    double *x = sk_doubles(4 * PLACES), *y = sk_doubles(2 * PLACES);
    for (int copy = 0; copy < 2; copy++) {
        memcpy(x + copy * 2 * PLACES, p.x, 2 * PLACES * sizeof *x);
        memcpy(y + copy * PLACES, p.y, PLACES * sizeof *y);
    }
    surekrig_data twice = {.n = 2 * PLACES, .d = 2, .l = 1, .x = x, .y = y};
    surekrig_model *m = fit(&twice, "variance=local interval=conformal coverage=none mean=local");
    const surekrig_info *info = surekrig_model_info(m);
    assert_true(info->shared_rows == 2 * PLACES && info->shared_places == PLACES && info->within_sd[0] == 0);
    predicted made = predict(m, NEW, p.x + 2 * PLACES, 0, 1);
    double inside = 0, quantile = surekrig_model_quantile(m, 0, 0.95);
    for (int i = 0; i < NEW; i++)
        inside += fabs(p.y[PLACES + i] - made.mean[i]) <= quantile * made.sd[i];
    near_to(inside / NEW, 0.95, 0.04); /* 0.01 when they did */
    free_predicted(&made);
    surekrig_model_free(m);
    free(x);
    free(y);
    free_points(&p);
}

/* Half of the points that judge a model say what gamma2 is: over them the squared errors are the variances on average. */
static void half_of_the_judges_set_the_scale(void **state)
{
    (void)state;
    points p = make_field(300, 2, 2, 0.5, 0.3, 0.01, 31);
    surekrig_model *m = fit(&p.data, "neighbors=10 nu=0.5 rho=0.3 tau2=0.01 coverage=none batch=50");
    sk_judges judges = {0};
    sk_judged judged = {0};
    surekrig_error error;
    succeed(sk_try_model(&judges, m, &p.data, &judged, &error), &error);
    for (int64_t q = 0; q < 2; q++) {
        double sum = 0, count = 0;
        for (int64_t i = 0; i < judges.points.n; i += 2, count++)
            sum += pow(judged.residual_std[2 * i + q] / judged.sd_std[2 * i + q], 2);
        close_to(sum / count, 1, 1e-12);
    }
    sk_judged_free(&judged);
    sk_judges_free(&judges);
    surekrig_model_free(m);
    free_points(&p);
}

/* For places far from the data intervals widen, and means stay; few data keep their kind of intervals. */
static void intervals_are_calibrated_for_places(void **state)
{
    (void)state;
    for (int many = 0; many < 2; many++) {
        points p = make_field(many ? 400 : 120, 2, 1, 0.5, 0.3, 0.01, 51);
        double places[2 * 40], width[2] = {0};
        surekrig_error error;
        for (int i = 0; i < 80; i++)
            places[i] = i % 2 ? sk_uniform(3, 4, (uint64_t)i) : 1.2;
        surekrig_model *m = fit(
            &p.data, "neighbors=10 nu=0.5 rho=0.3 tau2=0.01 coverage=none batch=50 interval=gaussian variance=global");
        assert_int_equal(surekrig_calibrate(m, 0, places, &error), SUREKRIG_INVALID);
        mentions(&error, "0 given");
        predicted before = predict(m, 40, places, 0, 1);
        width[0] = surekrig_model_quantile(m, 0, 0.9) * before.sd[0];
        succeed(surekrig_calibrate(m, 40, places, &error), &error);
        predicted after = predict(m, 40, places, 0, 1);
        width[1] = surekrig_model_quantile(m, 0, 0.9) * after.sd[0];
        assert_memory_equal(before.mean, after.mean, 40 * sizeof(double));
        assert_true(m->widths.local == many && (m->widths.scores > 0) == many);
        succeed(surekrig_calibrate(m, 1, places, &error), &error); /* the least that does */
        assert_true(isfinite(width[1]) && (many ? width[1] != width[0] : width[1] > 0));
        free_predicted(&before);
        free_predicted(&after);
        surekrig_model_free(m);
        free_points(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_are_counted),
        cmocka_unit_test(many_rows_have_their_repeats_found),
        cmocka_unit_test(a_place_is_left_out_whole),
        cmocka_unit_test(copies_do_not_flatter),
        cmocka_unit_test(half_of_the_judges_set_the_scale),
        cmocka_unit_test(intervals_are_calibrated_for_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
