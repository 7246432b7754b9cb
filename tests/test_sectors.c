/* Neighbours in sectors, by every instruction set of the machine, against sorting all points: random points, grids full
 * of ties, clusters, duplicates, gaps, edges and one-sided data; rows, distances and groups left out; frames;
 * threads. */
#include "neighbors_support.h"

static const int64_t SOME_K[] = {1, 2, 7, 8, 9, 16, 23, 64, 101, 200};

/* Strangers, and the points themselves without themselves, for many k. */
static void agrees(const cloud *c, const double *strangers, int64_t count)
{
    surekrig_index *index = index_of(c);
    int64_t *row = own_rows(c->n);
    for (size_t i = 0; i < sizeof SOME_K / sizeof *SOME_K; i++) {
        int64_t k = SOME_K[i] < c->n ? SOME_K[i] : c->n;
        surekrig_neighbor_query q = {.n = count, .x = strangers, .k = k, .threads = 1, .sectors = 1};
        same_as_plain(c, index, &q);
        q.n = c->n < 60 ? c->n : 60;
        q.x = c->x;
        q.row = row;
        same_as_plain(c, index, &q);
    }
    free(row);
    surekrig_index_free(index);
}

static void random_points(void **state)
{
    (void)state;
    const int64_t dimensions[] = {1, 2, 3, 4, 5, 8};
    enum { N = 500, Q = 40 };
    static double x[N * 8], strangers[Q * 8];
    for (int i = 0; i < 6; i++) {
        draws d = {61 + (uint64_t)i, 0};
        fill_uniform(&d, N * dimensions[i], 0, 1, x);
        fill_uniform(&d, Q * dimensions[i], -0.2, 1.2, strangers); /* inside, at the edge, outside */
        agrees(&(cloud){N, dimensions[i], x, NULL}, strangers, Q);
    }
}

/* Directions and distances are shared by many: half-open angles and rows decide. Strangers lie on points and
 * between. */
static void grids_full_of_ties(void **state)
{
    (void)state;
    const int64_t sides[] = {600, 25, 9}; /* per dimension: 1, 2, 3 */
    static double x[729 * 3], strangers[40 * 3];
    for (int64_t d = 1; d <= 3; d++) {
        int64_t n = 1;
        for (int64_t a = 0; a < d; a++)
            n *= sides[d - 1];
        for (int64_t i = 0; i < n; i++) {
            int64_t at = i * 89 % n; /* a shuffled order: 89 divides none of the sizes */
            for (int64_t a = 0; a < d; a++, at /= sides[d - 1])
                x[i * d + a] = (double)(at % sides[d - 1]);
        }
        for (int64_t i = 0; i < 40 * d; i++)
            strangers[i] = x[i] + (i / d % 2 ? 0.5 : 0);
        agrees(&(cloud){n, d, x, NULL}, strangers, 40);
    }
}

/* Heavy tails: sectors whose points are near, far, beyond the reach of 32 neighbourhoods, or not there. */
static void clustered_points(void **state)
{
    (void)state;
    static double x[400 * 3], strangers[30 * 3];
    for (int64_t dim = 1; dim <= 3; dim++)
        for (int power = 3; power <= 15; power += 6) {
            draws d = {71 + (uint64_t)(dim + power), 0};
            for (int64_t i = 0; i < 400 * dim; i++)
                x[i] = pow(draw(&d, -1, 1), power);
            for (int64_t i = 0; i < 30 * dim; i++)
                strangers[i] = pow(draw(&d, -1, 1), 5);
            agrees(&(cloud){400, dim, x, NULL}, strangers, 30);
        }
}

/* A disc without points, from which all sides are equally far, seen from its middle to its rim; and a strip. */
static void gaps(void **state)
{
    (void)state;
    enum { N = 2000, Q = 80 };
    static double disc[N * 2], strip[N * 2], strangers[Q * 2];
    draws d = {81, 0};
    for (int64_t i = 0; i < N; i++) {
        do
            fill_uniform(&d, 2, -1, 1, disc + 2 * i);
        while (hypot(disc[2 * i], disc[2 * i + 1]) < 0.6);
        strip[2 * i] = (i % 2 ? 1 : -1) * draw(&d, 0.3, 0.5);
        strip[2 * i + 1] = draw(&d, 0, 1);
    }
    for (int64_t i = 0; i < Q; i++) {
        strangers[2 * i] = 0.6 * (double)i / Q;
        strangers[2 * i + 1] = i % 3 ? draw(&d, -0.1, 0.1) : 0;
    }
    agrees(&(cloud){N, 2, disc, NULL}, strangers, Q);
    agrees(&(cloud){N, 2, strip, NULL}, strangers, Q);
}

/* A line of points along an axis or a diagonal is an edge of sectors everywhere. */
static void lines(void **state)
{
    (void)state;
    enum { N = 700 };
    static double x[N * 3], strangers[40 * 3];
    for (int64_t dim = 2; dim <= 3; dim++)
        for (int which = 0; which < 4; which++) {
            draws d = {91, 0};
            for (int64_t i = 0; i < N * dim; i += dim)
                for (int64_t a = 0; a < dim; a++)
                    x[i + a] = (which >> a & 1 ? -1 : 1) * (which < 3 || a == 0 ? (double)(i / dim * 89 % N) : 0);
            for (int64_t i = 0; i < 40 * dim; i++)
                strangers[i] = i / dim % 2 ? x[i] : draw(&d, 0, N);
            agrees(&(cloud){N, dim, x, NULL}, strangers, 40);
        }
}

/* Fewer places than points: at the question itself, along the axes and the diagonals. */
static void duplicates(void **state)
{
    (void)state;
    enum { N = 500 };
    static double x[N * 2];
    for (int places = 1; places <= 9; places += 2) {
        for (int64_t i = 0; i < N; i++) {
            x[2 * i] = (double)(i * 7 % places % 3);
            x[2 * i + 1] = (double)(i * 7 % places / 3);
        }
        agrees(&(cloud){N, 2, x, NULL}, x, 30);
    }
}

/* Ties without end must not make each question look at all of them: a hundred thousand points at nine places. */
static void many_duplicates(void **state)
{
    (void)state;
    enum { N = 100000, Q = 20000, K = 50 };
    double *x = sk_doubles(N * 2), start = sk_now();
    int64_t *neighbor = sk_alloc(Q * K, sizeof *neighbor);
    for (int64_t i = 0; i < N; i++) {
        x[2 * i] = (double)(i % 3);
        x[2 * i + 1] = (double)(i / 3 % 3);
    }
    cloud c = {N, 2, x, NULL};
    surekrig_index *index = index_of(&c);
    for (int i = 0; i < 2; i++) {
        double *at = sk_doubles(Q * 2);
        for (int64_t j = 0; j < Q * 2; j++)
            at[j] = x[j] + (i ? 0.5 : 0);
        surekrig_neighbor_query q = {.n = Q, .x = at, .k = K, .sectors = 1};
        assert_int_equal(surekrig_neighbors(index, &q, neighbor, NULL, NULL), SUREKRIG_OK);
        q.n = 12;
        same_as_plain(&c, index, &q);
        free(at);
    }
    surekrig_index_free(index);
    assert_true(sk_now() - start < 30); /* all with all would be hundreds */
    free(x);
    free(neighbor);
}

/* Every n to 40, every k from S on, leave-one-out: coordinates 0..4, so that points coincide and distances tie. */
static void small_sizes_exhaustively(void **state)
{
    (void)state;
    double x[40 * 3];
    for (int64_t n = 2; n <= 40; n++)
        for (int64_t d = 1; d <= 3; d++) {
            draws dr = {(uint64_t)(2000 * n + d), 0};
            for (int64_t i = 0; i < n * d; i++)
                x[i] = (double)draw_below(&dr, 5);
            cloud c = {n, d, x, NULL};
            surekrig_index *index = index_of(&c);
            int64_t *row = own_rows(n);
            for (int64_t k = 2 * d; k <= n; k++)
                same_as_plain(
                    &c, index,
                    &(surekrig_neighbor_query){.n = n, .x = x, .k = k, .row = row, .threads = 1, .sectors = 1});
            free(row);
            surekrig_index_free(index);
        }
}

#ifdef __SANITIZE_ADDRESS__ /* which looks for other faults, many times as slowly */
enum { GROWTH = 6 };
#else
enum { GROWTH = 1 };
#endif

/* Row, distance and group, singly and together; k is often more than what is allowed. */
static void rows_distances_and_groups_left_out(void **state)
{
    (void)state;
    enum { N = 200 };
    const double distances[] = {0, 1, 2.5, 5, 12, 100}; /* on a grid of step 1: 1 and 5 are there exactly */
    static double x[N * 2];
    int64_t group[N], own[N], *row = own_rows(N);
    for (int64_t i = 0; i < N; i++) {
        x[2 * i] = (double)(i * 31 % N / 20);
        x[2 * i + 1] = (double)(i * 31 % N % 20);
        group[i] = i % 3 + (x[2 * i] > 5 ? 2 : 0);
        own[i] = i % 7 - 1; /* groups -1 and 5 have no points */
    }
    cloud c = {N, 2, x, NULL};
    surekrig_index *index = index_of(&c);
    for (int m = 0; m < 6; m++)
        for (int with = 0; with < 4; with++)
            for (int64_t k = 8; k <= N; k += 1 + GROWTH * k / 2)
                same_as_plain(&c, index,
                              &(surekrig_neighbor_query){.n = N,
                                                         .x = x,
                                                         .k = k,
                                                         .row = with % 2 ? row : NULL,
                                                         .min_distance = distances[m],
                                                         .group = with / 2 ? group : NULL,
                                                         .own_group = with / 2 ? own : NULL,
                                                         .threads = 1,
                                                         .sectors = 1});
    free(row);
    surekrig_index_free(index);
}

/* Questions that look into most of the points, and so are asked together. */
static void many_dimensions(void **state)
{
    (void)state;
    enum { N = 5000, D = 24, Q = 140 };
    double *x = sk_doubles(N * D);
    draws d = {155, 0};
    fill_uniform(&d, N * D, 0, 1, x);
    cloud c = {N, D, x, NULL};
    surekrig_index *index = index_of(&c);
    for (int64_t k = 47; k <= 97; k += 25) /* 48 sectors */
        same_as_plain(&c, index, &(surekrig_neighbor_query){.n = Q, .x = x, .k = k, .threads = 2, .sectors = 1});
    surekrig_index_free(index);
    free(x);
}

/* Directions are those of the frame: its sides bend them. */
static void frames_measure_the_directions(void **state)
{
    (void)state;
    enum { N = 600, D = 3 };
    static double x[N * D], strangers[40 * D];
    double lower[D] = {-3, 0.1, 1e6}, upper[D] = {0, 0, 0}, side[D] = {1, 0.01, 1e5};
    draws d = {47, 0};
    for (int64_t dim = 2; dim <= D; dim++) {
        sk_frame frame = {dim, lower, upper, side, .origin = lower};
        for (int64_t i = 0; i < N * dim; i++)
            x[i] = lower[i % dim] + side[i % dim] * draw(&d, 0, 3);
        for (int64_t i = 0; i < 40 * dim; i++)
            strangers[i] = lower[i % dim] + side[i % dim] * draw(&d, -1, 4);
        agrees(&(cloud){N, dim, x, &frame}, strangers, 40);
    }
}

static void threads_change_nothing(void **state)
{
    (void)state;
    enum { N = 3000, K = 50 };
    static double x[N * 2];
    static int64_t neighbor[4][N * K], count[4][N];
    const int threads[] = {1, 2, 7, 0};
    draws d = {50, 0};
    for (int i = 0; i < N * 2; i++)
        x[i] = pow(draw(&d, 0, 1), 3);
    surekrig_index *index = index_of(&(cloud){N, 2, x, NULL});
    for (int t = 0; t < 4; t++) {
        surekrig_neighbor_query q = {.n = N, .x = x, .k = K, .threads = threads[t], .sectors = 1};
        assert_int_equal(surekrig_neighbors(index, &q, neighbor[t], count[t], NULL), SUREKRIG_OK);
        assert_memory_equal(neighbor[t], neighbor[0], sizeof neighbor[0]);
        assert_memory_equal(count[t], count[0], sizeof count[0]);
    }
    surekrig_index_free(index);
}

/* From so far away that all squares overflow, all distances are equal: rows decide within sectors. */
static void questions_from_far_away(void **state)
{
    (void)state;
    static double x[1000 * 2];
    const double far[8] = {1e300, 0, -1e300, 1e300, 0.5, 0.5, 40, 0.5};
    draws d = {52, 0};
    fill_uniform(&d, 2000, 0, 1, x);
    cloud c = {1000, 2, x, NULL};
    surekrig_index *index = index_of(&c);
    for (int64_t k = 8; k <= 1000; k *= 5)
        same_as_plain(&c, index, &(surekrig_neighbor_query){.n = 4, .x = far, .k = k, .threads = 1, .sectors = 1});
    surekrig_index_free(index);
}

/* What it is for: between two shores neighbours are on both, where the nearest alone are on one. */
static void both_shores_are_neighbours(void **state)
{
    (void)state;
    enum { N = 400, K = 16 };
    double x[N], at = -0.1;
    int64_t neighbor[K], right[2] = {0, 0};
    for (int64_t i = 0; i < N; i++)
        x[i] = (i % 2 ? 1 : -1) * (1 + 0.001 * (double)(i / 2));
    surekrig_index *index = index_of(&(cloud){N, 1, x, NULL});
    for (int sectors = 0; sectors < 2; sectors++) {
        surekrig_neighbor_query q = {.n = 1, .x = &at, .k = K, .sectors = sectors};
        assert_int_equal(surekrig_neighbors(index, &q, neighbor, NULL, NULL), SUREKRIG_OK);
        for (int j = 0; j < K; j++)
            right[sectors] += x[neighbor[j]] > 0;
    }
    assert_true(right[0] == 0 && right[1] == K / 2);
    surekrig_index_free(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_points),
        cmocka_unit_test(grids_full_of_ties),
        cmocka_unit_test(clustered_points),
        cmocka_unit_test(gaps),
        cmocka_unit_test(lines),
        cmocka_unit_test(duplicates),
        cmocka_unit_test(many_duplicates),
        cmocka_unit_test(small_sizes_exhaustively),
        cmocka_unit_test(rows_distances_and_groups_left_out),
        cmocka_unit_test(many_dimensions),
        cmocka_unit_test(frames_measure_the_directions),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(questions_from_far_away),
        cmocka_unit_test(both_shores_are_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
