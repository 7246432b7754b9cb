/* Cuts that deal rows out among ranks: even, and by the features that count. */
#include "spread/inside.h"
#include "support.h"

enum { N = 1000, D = 3, RANKS = 5 };

/* As many rows to each rank, but for rows that are alike; what does not count decides nothing. */
static void cuts_are_even(void **state)
{
    (void)state;
    static const char *const NAMES[D] = {"a", "b", "c"}, *const DISTANCE[] = {"all", "b", "c,a"};
    static double x[N * D];
    double point[D];
    draws d = {7, 0};
    for (int64_t i = 0; i < N * D; i++)
        x[i] = pow(draw(&d, 0, 1), 3);
    for (int64_t i = 0; i < N; i++)
        x[D * i + 1] = floor(300 * x[D * i + 1]); /* many are alike along it */
    for (int size = 2; size <= RANKS; size++)
        for (int w = 0; w < 3; w++) {
            surekrig_ranks of = {.link = {.size = size, .gather = echo}};
            surekrig_data part = {.n = N, .d = D, .l = 1, .x = x, .x_names = NAMES, .ranks = &of};
            sk_cuts c = {.part = &part};
            surekrig_error error;
            int64_t rows[RANKS] = {0};
            succeeded(sk_cuts_make(&c, DISTANCE[w], &error), &error);
            assert_int_equal(c.features, w == 0 ? 3 : w);
            for (int64_t i = 0; i < N; i++) {
                int rank = sk_cuts_rank(&c, size, x + D * i, point);
                double other[D] = {x[D * i] + 5, x[D * i + 1], x[D * i + 2] + 5};
                assert_true(rank >= 0 && rank < size);
                rows[rank]++;
                if (w == 1)
                    assert_int_equal(sk_cuts_rank(&c, size, other, point), rank);
            }
            for (int r = 0; r < size; r++)
                if (w != 1 && llabs(rows[r] - N / size) > 3)
                    fail_msg("%d ranks by %s: %d rows of %d are rank %d's", size, DISTANCE[w], (int)rows[r], N, r);
            sk_cuts_free(&c);
        }
}

/* More ranks than places: each place has one. */
static void cuts_of_few_places(void **state)
{
    (void)state;
    for (int64_t places = 1; places <= 3; places++) {
        double x[30], point;
        surekrig_ranks of = {.link = {.size = RANKS, .gather = echo}};
        surekrig_data part = {.n = 30, .d = 1, .l = 1, .x = x, .ranks = &of};
        sk_cuts c = {.part = &part};
        surekrig_error error;
        int last = -1;
        for (int64_t i = 0; i < 30; i++)
            x[i] = (double)(i % places);
        succeeded(sk_cuts_make(&c, "all", &error), &error);
        for (int64_t i = 0; i < places; i++) {
            int rank = sk_cuts_rank(&c, RANKS, x + i, &point);
            assert_true(rank > last && rank < RANKS);
            last = rank;
        }
        sk_cuts_free(&c);
    }
}

/* Of many rows so many, evenly, and of many ranks so many of each; their rows are sorted alike. */
static void cuts_by_a_sample(void **state)
{
    (void)state;
    static const struct {
        int ranks;
        int64_t n, samples;
    } CASES[] = {{2, 40000, 1 << 16}, {2, 30000, 60000}, {200, 1000, 200 * 512}, {200, 300, 200 * 300}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        int64_t n = CASES[i].n, step = n * CASES[i].ranks / CASES[i].samples;
        double *x = sk_doubles(n), point;
        surekrig_ranks of = {.link = {.size = CASES[i].ranks, .gather = echo}};
        surekrig_data part = {.n = n, .d = 1, .l = 1, .x = x, .ranks = &of};
        sk_cuts c = {.part = &part};
        surekrig_error error;
        for (int64_t j = 0; j < n; j++)
            x[j] = (double)j;
        succeeded(sk_cuts_make(&c, "all", &error), &error);
        assert_int_equal(c.samples, CASES[i].samples);
        assert_true(c.extent[0] <= (double)(n - 1) && c.extent[0] >= (double)(n - 1 - 2 * step));
        int64_t mine = 0;
        for (int64_t j = 0; j < n; j++)
            mine += sk_cuts_rank(&c, CASES[i].ranks, x + j, &point) == 1;
        assert_true(llabs(mine - n / CASES[i].ranks) <= 2 * step);
        sk_cuts_free(&c);
        free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_are_even),
        cmocka_unit_test(cuts_of_few_places),
        cmocka_unit_test(cuts_by_a_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
