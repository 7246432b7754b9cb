/* Nearest neighbours, by every instruction set of the machine, against sorting all points by (distance, row): random
 * points, grids full of ties, duplicates, all small sizes, many dimensions; rows, distances and groups left out;
 * frames; threads; the order of questions. */
#include "neighbors_support.h"

/* Strangers, and the points themselves with and without leaving themselves out, for several k. */
static void agrees(const cloud *c, const double *strangers, int64_t count)
{
    surekrig_index *index = index_of(c);
    const int64_t some_k[] = {1, 2, 3, 10, 16, 17, 50, c->n / 2, c->n - 1, c->n};
    int64_t *row = own_rows(c->n);
    for (int i = 0; i < 10; i++) {
        int64_t k = some_k[i];
        if (k < 1 || k > c->n)
            continue;
        same_as_plain(c, index, &(surekrig_neighbor_query){.n = count, .x = strangers, .k = k, .threads = 1});
        same_as_plain(c, index, &(surekrig_neighbor_query){.n = c->n, .x = c->x, .k = k, .row = row, .threads = 2});
        same_as_plain(c, index, &(surekrig_neighbor_query){.n = c->n, .x = c->x, .k = k, .threads = 1});
    }
    free(row);
    surekrig_index_free(index);
}

/* ----------------------------------------------------------------------------------------------------- all sorts */

static void random_points(void **state)
{
    (void)state;
    const int64_t dimensions[] = {1, 2, 3, 4, 5, 8, 16, 32};
    static double x[300 * 32], strangers[40 * 32];
    for (int i = 0; i < 8; i++) {
        draws d = {41 + (uint64_t)i, 0};
        fill_uniform(&d, 300 * dimensions[i], 0, 1, x);
        fill_uniform(&d, 40 * dimensions[i], -0.5, 1.5, strangers); /* inside and outside */
        agrees(&(cloud){300, dimensions[i], x, NULL}, strangers, 40);
    }
}

/* Heavy tails: boxes of very different sizes. */
static void clustered_points(void **state)
{
    (void)state;
    static double x[257 * 2];
    draws d = {45, 0};
    for (int i = 0; i < 257 * 2; i++)
        x[i] = pow(draw(&d, -1, 1), 15);
    agrees(&(cloud){257, 2, x, NULL}, x, 20);
}

/* Enough points for three levels of nodes, a k from one to hundreds, and guesses from one question to the next that are
 * far too near or too far: every other point is in one of three tiny clusters. */
static void many_points(void **state)
{
    (void)state;
    enum { N = 3000, Q = 260 };
    const int64_t dimensions[] = {1, 2, 3, 6}, some_k[] = {1, 50, 512};
    static double x[N * 6], strangers[Q * 6];
    for (int i = 0; i < 4; i++) {
        int64_t dim = dimensions[i];
        draws d = {145 + (uint64_t)i, 0};
        for (int64_t j = 0; j < N; j++)
            for (int64_t a = 0; a < dim; a++)
                x[j * dim + a] = j % 2 ? draw(&d, 0, 1) : 0.3 * (double)(j % 3) + draw(&d, 0, 1e-4);
        for (int64_t j = 0; j < Q * dim; j++)
            strangers[j] = j / dim % 2 ? draw(&d, -0.1, 1.1) : x[j] + 1e-5;
        cloud c = {N, dim, x, NULL};
        surekrig_index *index = index_of(&c);
        int64_t *row = own_rows(Q);
        for (int k = 0; k < 3; k++) {
            same_as_plain(&c, index, &(surekrig_neighbor_query){.n = Q, .x = strangers, .k = some_k[k], .threads = 2});
            same_as_plain(&c, index,
                          &(surekrig_neighbor_query){.n = Q,
                                                     .x = x,
                                                     .k = some_k[k],
                                                     .row = row,
                                                     .min_distance = k % 2 ? 0.01 : 0,
                                                     .threads = 1});
        }
        free(row);
        surekrig_index_free(index);
    }
}

/* Questions that look into most of the points, and so are asked together. */
static void many_dimensions(void **state)
{
    (void)state;
    enum { N = 5000, D = 32, Q = 290 };
    double *x = sk_doubles(N * D);
    int64_t *row = own_rows(Q), *group = sk_alloc(N, sizeof *group);
    draws d = {155, 0};
    fill_uniform(&d, N * D, 0, 1, x);
    for (int64_t i = 0; i < N; i++)
        group[i] = i % 10;
    cloud c = {N, D, x, NULL};
    surekrig_index *index = index_of(&c);
    surekrig_neighbor_query q = {.n = Q, .x = x, .k = 50, .row = row, .threads = 2};
    same_as_plain(&c, index, &q);
    q.group = group;
    q.own_group = group;
    q.k = 3;
    q.min_distance = 1.5;
    same_as_plain(&c, index, &q);
    surekrig_index_free(index);
    free(x);
    free(row);
    free(group);
}

/* Distances on a grid are exact and mostly shared: only the row decides. Strangers on cell centres tie most. */
static void grids_full_of_ties(void **state)
{
    (void)state;
    const int64_t sides[] = {150, 13, 6}; /* per dimension: 1, 2, 3 */
    static double x[216 * 3], strangers[216 * 3];
    for (int64_t d = 1; d <= 3; d++) {
        int64_t n = 1;
        for (int64_t a = 0; a < d; a++)
            n *= sides[d - 1];
        for (int64_t i = 0; i < n; i++) {
            int64_t at = i * 89 % n; /* a shuffled order: 89 divides none of the sizes */
            for (int64_t a = 0; a < d; a++, at /= sides[d - 1]) {
                x[i * d + a] = (double)(at % sides[d - 1]);
                strangers[i * d + a] = x[i * d + a] + 0.5;
            }
        }
        agrees(&(cloud){n, d, x, NULL}, strangers, 30);
    }
}

static void duplicates_come_by_row(void **state)
{
    (void)state;
    static double x[100 * 2];
    for (int64_t n = 1; n <= 100; n = n < 40 ? n + 1 : n + 20) {
        for (int64_t i = 0; i < n * 2; i++)
            x[i] = i % 2 ? 7 : -1e-3;
        agrees(&(cloud){n, 2, x, NULL}, x, 1);
    }
    for (int i = 0; i < 200; i++) /* two places, fifty points each, interleaved */
        x[i] = i / 2 % 2;
    agrees(&(cloud){100, 2, x, NULL}, x, 2);
}

/* A place shared by a hundred thousand points, and a hundred places by a thousand each: ties without end must not make
 * each question look at all of them. */
static void many_duplicates(void **state)
{
    (void)state;
    enum { N = 100000, K = 50 };
    double *x = sk_doubles(N * 2), start = sk_now();
    int64_t *neighbor = sk_alloc(N * K, sizeof *neighbor), *row = own_rows(N);
    for (int64_t places = 1; places <= 100; places *= 100) {
        for (int64_t i = 0; i < N * 2; i++)
            x[i] = (double)(i / 2 % places) * 0.37;
        cloud c = {N, 2, x, NULL};
        surekrig_index *index = index_of(&c);
        surekrig_neighbor_query q = {.n = N, .x = x, .k = K, .row = row};
        assert_int_equal(surekrig_neighbors(index, &q, neighbor, NULL, NULL), SUREKRIG_OK);
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0, r = i % places; j < K; j++, r += places) {
                r += r == i ? places : 0; /* the smallest rows of the place, without its own */
                assert_int_equal(neighbor[i * K + j], r);
            }
        surekrig_index_free(index);
    }
    assert_true(sk_now() - start < 60); /* all with all would be hundreds */
    free(x);
    free(neighbor);
    free(row);
}

/* Every n to 40, every k, leave-one-out: coordinates 0..4, so that points coincide and distances tie. */
static void small_sizes_exhaustively(void **state)
{
    (void)state;
    double x[40 * 2];
    for (int64_t n = 1; n <= 40; n++)
        for (int64_t d = 1; d <= 2; d++) {
            draws dr = {(uint64_t)(1000 * n + d), 0};
            for (int64_t i = 0; i < n * d; i++)
                x[i] = (double)draw_below(&dr, 5);
            cloud c = {n, d, x, NULL};
            surekrig_index *index = index_of(&c);
            int64_t *row = own_rows(n);
            for (int64_t k = 1; k <= n; k++)
                same_as_plain(&c, index, &(surekrig_neighbor_query){.n = n, .x = x, .k = k, .row = row, .threads = 1});
            free(row);
            surekrig_index_free(index);
        }
}

/* ------------------------------------------------------------------------------------------------------ left out */

/* Row, distance and group, singly and together; k is often more than what is allowed. */
static void leave_out(int64_t n)
{
    enum { MOST = 144 };
    const double distances[] = {0, 1, 2, 2.5, 5, 12, 100}; /* on a grid of step 1: 1, 2 and 5 are there exactly */
    double x[MOST * 2];
    int64_t group[MOST], own[MOST], *row = own_rows(n);
    for (int64_t i = 0; i < n; i++) {
        x[2 * i] = (double)(i * 31 % n / 12);
        x[2 * i + 1] = (double)(i * 31 % n % 12);
        group[i] = i % 5;
        own[i] = i % 7 - 1; /* groups -1 and 5 have no points */
    }
    cloud c = {n, 2, x, NULL};
    surekrig_index *index = index_of(&c);
    for (int m = 0; m < 7; m++)
        for (int with = 0; with < 4; with++)
            for (int64_t k = 1; k <= n; k += 1 + 11 * (k > 3))
                same_as_plain(&c, index,
                              &(surekrig_neighbor_query){.n = n,
                                                         .x = x,
                                                         .k = k,
                                                         .row = with % 2 ? row : NULL,
                                                         .min_distance = distances[m],
                                                         .group = with / 2 ? group : NULL,
                                                         .own_group = with / 2 ? own : NULL,
                                                         .threads = 1});
    free(row);
    surekrig_index_free(index);
}

/* In one leaf, in leaves under one node, and under several. */
static void rows_distances_and_groups_left_out(void **state)
{
    (void)state;
    leave_out(13);
    leave_out(100);
    leave_out(144);
}

/* Other rows than one's own, and rows that are not there. */
static void any_row_may_be_left_out(void **state)
{
    (void)state;
    double x[50];
    int64_t row[50];
    draws d = {46, 0};
    fill_uniform(&d, 50, 0, 1, x);
    for (int64_t i = 0; i < 50; i++)
        row[i] = i % 3 ? (i * 7) % 50 : -1;
    cloud c = {50, 1, x, NULL};
    surekrig_index *index = index_of(&c);
    for (int64_t k = 1; k <= 50; k += 7)
        same_as_plain(&c, index, &(surekrig_neighbor_query){.n = 50, .x = x, .k = k, .row = row, .threads = 1});
    surekrig_index_free(index);
}

static void nothing_allowed_is_no_neighbour(void **state)
{
    (void)state;
    double x[3] = {1, 2, 3};
    int64_t neighbor[6], count[2], group[3] = {4, 4, 4}, own[2] = {4, 4};
    cloud c = {3, 1, x, NULL};
    surekrig_index *index = index_of(&c);
    surekrig_neighbor_query q = {.n = 2, .x = x, .k = 3, .group = group, .own_group = own};
    assert_int_equal(surekrig_neighbors(index, &q, neighbor, count, NULL), SUREKRIG_OK);
    for (int i = 0; i < 6; i++)
        assert_int_equal(neighbor[i], -1);
    assert_true(count[0] == 0 && count[1] == 0);
    surekrig_index_free(index);
}

/* --------------------------------------------------------------------------------------------- frames and scales */

static void frames_measure_the_distances(void **state)
{
    (void)state;
    enum { N = 200, D = 3 };
    static double x[N * D], strangers[20 * D];
    double lower[D] = {-3, 0.1, 1e6}, upper[D] = {0, 0, 0}, side[D] = {1, 0.01, 1e5};
    sk_frame frame = {D, lower, upper, side, .origin = lower};
    draws d = {47, 0};
    for (int i = 0; i < N * D; i++)
        x[i] = lower[i % D] + side[i % D] * draw(&d, 0, 3);
    for (int i = 0; i < 20 * D; i++)
        strangers[i] = lower[i % D] + side[i % D] * draw(&d, -1, 4);
    cloud framed = {N, D, x, &frame}, plain = {N, D, x, NULL};
    agrees(&framed, strangers, 20);
    int64_t near_framed[N], near_plain[N], differ = 0, *row = own_rows(N); /* and the frame is not idle */
    surekrig_neighbor_query q = {.n = N, .x = x, .k = 1, .row = row, .min_distance = 0};
    surekrig_index *index = index_of(&framed), *other = index_of(&plain);
    assert_int_equal(surekrig_neighbors(index, &q, near_framed, NULL, NULL), SUREKRIG_OK);
    assert_int_equal(surekrig_neighbors(other, &q, near_plain, NULL, NULL), SUREKRIG_OK);
    for (int i = 0; i < N; i++)
        differ += near_framed[i] != near_plain[i];
    assert_true(differ > N / 2);
    q.min_distance = 0.3; /* in the frame */
    for (q.k = 1; q.k < 60; q.k += 29)
        same_as_plain(&framed, index, &q);
    free(row);
    surekrig_index_free(index);
    surekrig_index_free(other);
}

/* A power of two changes no digit. */
static void scaling_changes_nothing(void **state)
{
    (void)state;
    enum { N = 100, K = 20 };
    static double x[N * 2], scaled[N * 2];
    static int64_t neighbor[N * K], again[N * K];
    const int exponents[] = {-400, -30, 1, 400};
    draws d = {48, 0};
    fill_uniform(&d, N * 2, -1, 1, x);
    cloud c = {N, 2, x, NULL}, s = {N, 2, scaled, NULL};
    surekrig_index *index = index_of(&c);
    surekrig_neighbor_query q = {.n = N, .x = x, .k = K};
    assert_int_equal(surekrig_neighbors(index, &q, neighbor, NULL, NULL), SUREKRIG_OK);
    surekrig_index_free(index);
    for (int e = 0; e < 4; e++) {
        for (int i = 0; i < N * 2; i++)
            scaled[i] = ldexp(x[i], exponents[e]);
        index = index_of(&s);
        q.x = scaled;
        assert_int_equal(surekrig_neighbors(index, &q, again, NULL, NULL), SUREKRIG_OK);
        assert_memory_equal(neighbor, again, sizeof neighbor);
        surekrig_index_free(index);
    }
}

/* The index keeps a copy: what happens to x afterwards does not matter. */
static void the_index_owns_its_points(void **state)
{
    (void)state;
    double x[60], copy[60];
    draws d = {49, 0};
    fill_uniform(&d, 60, 0, 1, x);
    memcpy(copy, x, sizeof x);
    cloud c = {30, 2, x, NULL}, before = {30, 2, copy, NULL};
    surekrig_index *index = index_of(&c);
    fill_uniform(&d, 60, 0, 1, x);
    same_as_plain(&before, index, &(surekrig_neighbor_query){.n = 30, .x = copy, .k = 5});
    surekrig_index_free(index);
    surekrig_index_free(NULL);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    enum { N = 3000, K = 15 };
    static double x[N * 3];
    static int64_t neighbor[4][N * K], count[4][N];
    const int threads[] = {1, 2, 7, 0};
    draws d = {50, 0};
    fill_uniform(&d, N * 3, 0, 1, x);
    cloud c = {N, 3, x, NULL};
    surekrig_index *index = index_of(&c);
    int64_t *row = own_rows(N);
    for (int t = 0; t < 4; t++) {
        surekrig_neighbor_query q = {.n = N, .x = x, .k = K, .row = row, .min_distance = 0.05, .threads = threads[t]};
        assert_int_equal(surekrig_neighbors(index, &q, neighbor[t], count[t], NULL), SUREKRIG_OK);
        assert_memory_equal(neighbor[t], neighbor[0], sizeof neighbor[0]);
        assert_memory_equal(count[t], count[0], sizeof count[0]);
    }
    surekrig_neighbor_query some = {.n = 50, .x = x, .k = K, .row = row, .min_distance = 0.05};
    same_as_plain(&c, index, &some);
    free(row);
    surekrig_index_free(index);
}

/* Every point once, and those that follow one another are near. */
static void orders_are_by_place(void **state)
{
    (void)state;
    enum { N = 20000, Q = 3000 };
    double *x = sk_doubles(N * 2), step = 0;
    int64_t order[Q];
    bool seen[Q] = {false};
    draws d = {51, 0};
    fill_uniform(&d, N * 2, 0, 1, x);
    cloud c = {N, 2, x, NULL};
    surekrig_index *index = index_of(&c);
    surekrig_error error = {0};
    for (int64_t n = 0; n <= 2; n++) {
        succeeded(sk_index_order(index, n, x, 1, order, &error), &error);
        assert_true(n == 0 || (order[0] >= 0 && order[0] < n));
    }
    succeeded(sk_index_order(index, Q, x, 2, order, &error), &error);
    for (int64_t i = 0; i < Q; i++) {
        assert_true(order[i] >= 0 && order[i] < Q && !seen[order[i]]);
        seen[order[i]] = true;
        step += i > 0 ? sqrt(square_between(&c, x + 2 * order[i - 1], x + 2 * order[i])) / (Q - 1) : 0;
    }
    assert_true(step < 0.2); /* at random 0.52; a home holds a twentieth of the points */
    surekrig_index_free(index);
    free(x);
}

/* ------------------------------------------------------------------------------------------------------ refusals */

static void impossible_indexes_are_refused(void **state)
{
    (void)state;
    double x[6] = {1, 2, 3, 4, 5, 6};
    surekrig_error error = {0};
    surekrig_index *index = (surekrig_index *)&error; /* must stay */
    refused(surekrig_index_new(0, 2, x, &index, &error), &error, SUREKRIG_INVALID, "0 in 2 dimensions");
    refused(surekrig_index_new(-1, 2, x, &index, &error), &error, SUREKRIG_INVALID, "-1 in 2 dimensions");
    refused(surekrig_index_new(3, 0, x, &index, &error), &error, SUREKRIG_INVALID, "3 in 0 dimensions");
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        x[3] = bad[i];
        refused(surekrig_index_new(3, 2, x, &index, &error), &error, SUREKRIG_DATA, "point 2, coordinate 2");
        assert_int_equal(surekrig_index_new(3, 2, x, &index, NULL), SUREKRIG_DATA);
    }
    refused(sk_index_new(&(sk_points){.n = 5000000000, .d = 2, .x = x}, &index, &error), &error, SUREKRIG_INVALID,
            "5000000000 points given");
    assert_ptr_equal(index, &error);
}

static void query_refused(const surekrig_index *index, surekrig_neighbor_query q, surekrig_status status,
                          const char *why)
{
    int64_t neighbor[12], count[3];
    surekrig_error error = {0};
    memset(neighbor, 0x5a, sizeof neighbor);
    memset(count, 0x5a, sizeof count);
    refused(surekrig_neighbors(index, &q, neighbor, count, &error), &error, status, why);
    assert_int_equal(surekrig_neighbors(index, &q, neighbor, count, NULL), status);
    for (int i = 0; i < 12; i++)
        assert_int_equal(neighbor[i], 0x5a5a5a5a5a5a5a5a);
    for (int i = 0; i < 3; i++)
        assert_int_equal(count[i], 0x5a5a5a5a5a5a5a5a);
}

static void impossible_questions_are_refused(void **state)
{
    (void)state;
    double x[6] = {1, 2, 3, 4, 5, 6}, lost[6] = {1, 2, 3, NAN, 5, 6};
    int64_t group[3] = {0, 1, 2};
    cloud c = {3, 2, x, NULL};
    surekrig_index *index = index_of(&c);
    query_refused(index, (surekrig_neighbor_query){.n = 3, .x = x, .k = 0}, SUREKRIG_INVALID, "0 neighbours of 3");
    query_refused(index, (surekrig_neighbor_query){.n = -2, .x = x, .k = 1}, SUREKRIG_INVALID, "of -2 points");
    query_refused(index, (surekrig_neighbor_query){.n = 3, .x = x, .k = 1, .threads = -1}, SUREKRIG_INVALID,
                  "on -1 threads");
    query_refused(index, (surekrig_neighbor_query){.n = 3, .x = x, .k = 4}, SUREKRIG_INVALID,
                  "k = 4 neighbours asked, 3 points given");
    query_refused(index, (surekrig_neighbor_query){.n = 3, .x = x, .k = 2, .min_distance = -1}, SUREKRIG_INVALID, "-1");
    query_refused(index, (surekrig_neighbor_query){.n = 3, .x = x, .k = 2, .min_distance = NAN}, SUREKRIG_INVALID,
                  "nan");
    query_refused(index, (surekrig_neighbor_query){.n = 3, .x = x, .k = 2, .group = group}, SUREKRIG_INVALID, "groups");
    query_refused(index, (surekrig_neighbor_query){.n = 3, .x = lost, .k = 2}, SUREKRIG_DATA,
                  "point 2, coordinate 2: nan");
    lost[3] = -INFINITY;
    query_refused(index, (surekrig_neighbor_query){.n = 3, .x = lost, .k = 2}, SUREKRIG_DATA, "-inf");
    surekrig_neighbor_query none = {.n = 0, .k = 1};
    assert_int_equal(surekrig_neighbors(index, &none, NULL, NULL, NULL), SUREKRIG_OK);
    surekrig_index_free(index);
}

/* Squares of such distances overflow or underflow; their order must not. */
static void extreme_scales(void **state)
{
    (void)state;
    const double scale[] = {1e-300, 1e-170, 1e200, 5e307};
    for (int c = 0; c < 4; c++) {
        double x[4] = {3 * scale[c], 2 * scale[c], scale[c], 0}, zero = 0;
        int64_t neighbor[4], count;
        surekrig_index *index = NULL;
        surekrig_error error;
        succeeded(surekrig_index_new(4, 1, x, &index, &error), &error);
        surekrig_neighbor_query q = {.n = 1, .x = &zero, .k = 4};
        succeeded(surekrig_neighbors(index, &q, neighbor, &count, &error), &error);
        for (int j = 0; j < 4; j++)
            assert_int_equal(neighbor[j], 3 - j);
        q.min_distance = 2.5 * scale[c];
        succeeded(surekrig_neighbors(index, &q, neighbor, &count, &error), &error);
        assert_true(count == 1 && neighbor[0] == 0);
        surekrig_index_free(index);
    }
}

/* From so far away that all squares overflow, all distances are equal: rows decide. */
static void questions_from_far_away(void **state)
{
    (void)state;
    static double x[1000 * 2];
    const double far[6] = {1e300, 0, -1e300, 1e300, 0.5, 0.5};
    draws d = {52, 0};
    fill_uniform(&d, 2000, 0, 1, x);
    cloud c = {1000, 2, x, NULL};
    surekrig_index *index = index_of(&c);
    for (int64_t k = 1; k <= 1000; k = 4 * k + (k == 256))
        same_as_plain(&c, index, &(surekrig_neighbor_query){.n = 3, .x = far, .k = k < 1000 ? k : 1000, .threads = 1});
    surekrig_index_free(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_points),
        cmocka_unit_test(clustered_points),
        cmocka_unit_test(many_points),
        cmocka_unit_test(many_dimensions),
        cmocka_unit_test(grids_full_of_ties),
        cmocka_unit_test(duplicates_come_by_row),
        cmocka_unit_test(many_duplicates),
        cmocka_unit_test(small_sizes_exhaustively),
        cmocka_unit_test(rows_distances_and_groups_left_out),
        cmocka_unit_test(any_row_may_be_left_out),
        cmocka_unit_test(nothing_allowed_is_no_neighbour),
        cmocka_unit_test(frames_measure_the_distances),
        cmocka_unit_test(scaling_changes_nothing),
        cmocka_unit_test(the_index_owns_its_points),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(orders_are_by_place),
        cmocka_unit_test(extreme_scales),
        cmocka_unit_test(questions_from_far_away),
        cmocka_unit_test(impossible_indexes_are_refused),
        cmocka_unit_test(impossible_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
