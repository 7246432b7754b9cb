/* The foundations: Cholesky against LAPACK, Philox against a second Philox and its known answers, samples, memory and
 * sentences. */
#include "base/ranks.h"
#include "base/simd.h"
#include "support.h"

#include <lapacke.h>

/* ------------------------------------------------------------------------------------------------------ Cholesky */

enum { RIDERS = 3 }; /* right-hand sides that ride along */

/* X'X/n + 1/10 of random X, upper triangle and riders: [n][n + RIDERS]; below the diagonal stands what must survive. */
static double *random_system(int64_t n, uint64_t seed)
{
    int64_t width = n + RIDERS;
    double *a = sk_doubles(n * width), *x = sk_doubles(n * n);
    draws d = {seed, 0};
    fill_uniform(&d, n * n, -1, 1, x);
    fill_uniform(&d, n * width, -1, 1, a);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++) {
            double sum = i == j ? 0.1 : 0;
            for (int64_t k = 0; k < n; k++)
                sum += x[i * n + k] * x[j * n + k] / (double)n;
            a[i * width + j] = sum;
        }
    free(x);
    return a;
}

static double largest_difference(const double *a, const double *b, int64_t n)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fabs(a[i] - b[i]) > largest || isnan(a[i]) ? fabs(a[i] - b[i]) : largest;
    return largest;
}

static void agrees_with_lapack(int64_t n)
{
    int64_t width = n + RIDERS;
    double *mine = random_system(n, (uint64_t)n), *theirs = sk_copy(mine, n * width, sizeof(double));
    assert_int_equal(sk_cholesky(n, width, mine, 0, 1), 0);
    lapack_int size = (lapack_int)n, stride = (lapack_int)width;
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', size, theirs, stride), 0);
    assert_int_equal(LAPACKE_dtrtrs(LAPACK_ROW_MAJOR, 'U', 'T', 'N', size, RIDERS, theirs, stride, theirs + n, stride),
                     0);
    double worst = largest_difference(mine, theirs, n * width); /* elements of the factor are of order 1 */
    if (!(worst <= 2e-13))
        fail_msg("n = %lld: %g from LAPACK's", (long long)n, worst);
    free(mine);
    free(theirs);
}

static void cholesky_agrees_with_lapack(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 200; n++)
        agrees_with_lapack(n);
    agrees_with_lapack(700);
}

/* Around the block of 64 rows, the tile of 512 columns, and the size from which threads are used. */
static void cholesky_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 63, 64, 65, 200, 511, 512, 513, 700};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s], width = n + RIDERS;
        size_t bytes = (size_t)(n * width) * sizeof(double);
        double *start = random_system(n, 7), *one = sk_copy(start, n * width, sizeof(double));
        assert_int_equal(sk_cholesky(n, width, one, 0, 1), 0);
        const int threads[] = {2, 7};
        for (int t = 0; t < 2; t++) {
            double *more = sk_copy(start, n * width, sizeof(double));
            assert_int_equal(sk_cholesky(n, width, more, 0, threads[t]), 0);
            assert_memory_equal(one, more, bytes);
            free(more);
        }
        free(start);
        free(one);
    }
}

/* The factor of a leading block is the leading block of the factor, and riders do not change it: to the bit. */
static void cholesky_of_a_leading_block(void **state)
{
    (void)state;
    enum { N = 130, PART = 77 };
    int64_t width = N + RIDERS;
    double *whole = random_system(N, 3), *part = sk_doubles(PART * PART);
    for (int64_t i = 0; i < PART; i++)
        memcpy(part + i * PART, whole + i * width, PART * sizeof(double));
    assert_int_equal(sk_cholesky(N, width, whole, 0, 1), 0);
    assert_int_equal(sk_cholesky(PART, PART, part, 0, 1), 0);
    for (int64_t i = 0; i < PART; i++)
        assert_memory_equal(part + i * PART + i, whole + i * width + i, (size_t)(PART - i) * sizeof(double));
    free(whole);
    free(part);
}

/* A pivot reduced by its excess over -1, over 0, over half the bound: row by row the answer is 1 + row. */
static void cholesky_names_the_failing_pivot(void **state)
{
    (void)state;
    enum { N = 150 };
    const int64_t rows[] = {0, 1, 3, 63, 64, 65, 127, 128, 149};
    const double pivots[] = {-1, 0, 0.005, NAN, INFINITY};
    double *start = random_system(N, 11), *factor = sk_copy(start, N * (N + RIDERS), sizeof(double));
    assert_int_equal(sk_cholesky(N, N + RIDERS, factor, 0.01, 1), 0);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t p = 0; p < sizeof pivots / sizeof *pivots; p++) {
            double *a = sk_copy(start, N * (N + RIDERS), sizeof(double));
            int64_t at = rows[r] * (N + RIDERS) + rows[r];
            a[at] += pivots[p] - factor[at] * factor[at];
            assert_int_equal(sk_cholesky(N, N + RIDERS, a, 0.01, 1), 1 + rows[r]);
            free(a);
        }
    free(start);
    free(factor);
}

static void a_pivot_at_the_bound_fails(void **state)
{
    (void)state;
    double at = 0.25, above = nextafter(0.25, 1);
    assert_int_equal(sk_cholesky(1, 1, &at, 0.25, 1), 1);
    assert_int_equal(sk_cholesky(1, 1, &above, 0.25, 1), 0);
    assert_true(above == sqrt(nextafter(0.25, 1)));
}

static void triangular_solves_agree_with_lapack(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 3, 10, 64, 199};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s], width = n + RIDERS;
        lapack_int size = (lapack_int)n, stride = (lapack_int)width;
        double *u = random_system(n, 13), *b = sk_doubles(n);
        draws d = {17, 0};
        assert_int_equal(sk_cholesky(n, width, u, 0, 1), 0);
        fill_uniform(&d, n, -1, 1, b);
        double *theirs = sk_copy(b, n, sizeof(double));
        sk_solve_lower(n, width, u, b);
        assert_int_equal(LAPACKE_dtrtrs(LAPACK_ROW_MAJOR, 'U', 'T', 'N', size, 1, u, stride, theirs, 1), 0);
        double scale = 0;
        for (int64_t i = 0; i < n; i++)
            scale = fmax(scale, fabs(theirs[i]));
        assert_true(largest_difference(b, theirs, n) <= 1e-12 * scale);
        free(theirs);
        free(u);
        free(b);
    }
}

/* -------------------------------------------------------------------------------------------------------- Philox */

/* Philox4x32-10 from its paper: two products a round, the key raised by the Weyl constants. */
static void philox(uint32_t counter[4], uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 10; round++, key0 += 0x9e3779b9u, key1 += 0xbb67ae85u) {
        uint64_t p0 = (uint64_t)0xd2511f53u * counter[0], p1 = (uint64_t)0xcd9e8d57u * counter[2];
        uint32_t next[4] = {(uint32_t)(p1 >> 32) ^ counter[1] ^ key0, (uint32_t)p1,
                            (uint32_t)(p0 >> 32) ^ counter[3] ^ key1, (uint32_t)p0};
        memcpy(counter, next, sizeof next);
    }
}

/* Known answers of Random123, kat_vectors, philox4x32 10. */
static void the_second_philox_knows_the_answers(void **state)
{
    (void)state;
    uint32_t block[3][4] = {{0, 0, 0, 0},
                            {0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
                            {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}};
    const uint32_t key[3][2] = {{0, 0}, {0xffffffffu, 0xffffffffu}, {0xa4093822u, 0x299f31d0u}};
    const uint32_t answer[3][4] = {{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u},
                                   {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu},
                                   {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}};
    for (int i = 0; i < 3; i++) {
        philox(block[i], key[i][0], key[i][1]);
        assert_memory_equal(block[i], answer[i], sizeof answer[i]);
    }
}

/* The middle of the cell that the leading 52 bits number. */
static double cell_middle(uint32_t high, uint32_t low)
{
    return ldexp((double)(((uint64_t)high << 32 | low) >> 12) + 0.5, -52);
}

static void numbers_are_philox_blocks(void **state)
{
    (void)state;
    assert_true(sk_uniform(0, 0, 0) == cell_middle(0x6627e8d5u, 0xe169c58du));
    const uint64_t corners[] = {0, 1, 2, 0xffffffffu, 0x100000000u, (uint64_t)1 << 63, UINT64_MAX, 0x0123456789abcdefu};
    const uint32_t streams[] = {0, 1, SK_STREAM_FIELD, UINT32_MAX};
    for (int s = 0; s < 8; s++)
        for (int i = 0; i < 8; i++)
            for (int k = 0; k < 4; k++) {
                uint64_t seed = corners[s], index = corners[i];
                uint32_t v[4] = {(uint32_t)index, (uint32_t)(index >> 32), streams[k], 0};
                philox(v, (uint32_t)seed, (uint32_t)(seed >> 32));
                assert_true(sk_uniform(seed, streams[k], index) == cell_middle(v[0], v[1]));
                double pair[2], turn = 8 * atan(1) * cell_middle(v[2], v[3]);
                sk_normal_pair(seed, streams[k], index, pair);
                double radius = sqrt(-2 * log(cell_middle(v[0], v[1])));
                close_within(pair[0], radius * cos(turn), 0, 1e-14);
                close_within(pair[1], radius * sin(turn), 0, 1e-14);
            }
}

static void within(double got, double expected, double sigma)
{
    if (!(fabs(got - expected) <= 5 * sigma))
        fail_msg("%.10g is more than five times %g from %g", got, sigma, expected);
}

/* Powers of a uniform: mean 1/(p+1), variance 1/(2p+1) - 1/(p+1)^2. Next in index, stream or seed: independent. */
static void uniforms_have_their_moments(void **state)
{
    (void)state;
    enum { MANY = 200000 };
    double power[5] = {0}, product[3] = {0}, least = 1, most = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        double u = sk_uniform(1, 1, i), raised = 1;
        least = fmin(least, u);
        most = fmax(most, u);
        for (int p = 1; p < 5; p++)
            power[p] += (raised *= u) / MANY;
        product[0] += (u - 0.5) * (sk_uniform(1, 1, i + 1) - 0.5) / MANY;
        product[1] += (u - 0.5) * (sk_uniform(1, 2, i) - 0.5) / MANY;
        product[2] += (u - 0.5) * (sk_uniform(2, 1, i) - 0.5) / MANY;
    }
    assert_true(least > 0 && most < 1);
    assert_true(least < 20.0 / MANY && most > 1 - 20.0 / MANY); /* missed with probability e^-20 */
    for (int p = 1; p < 5; p++)
        within(power[p], 1.0 / (p + 1), sqrt((1.0 / (2 * p + 1) - 1.0 / ((p + 1) * (p + 1))) / MANY));
    for (int k = 0; k < 3; k++)
        within(product[k], 0, 1.0 / 12 / sqrt(MANY));
}

/* Moments of a normal: 0 1 0 3, of variance 1 2 15 96; the pair is uncorrelated, and so are the squares. */
static void normals_have_their_moments(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    const double mean[5] = {0, 0, 1, 0, 3}, variance[5] = {0, 1, 2, 15, 96};
    double power[2][5] = {{0}}, product = 0, squares = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        double pair[2];
        sk_normal_pair(3, 4, i, pair);
        for (int k = 0; k < 2; k++) {
            double raised = 1;
            for (int p = 1; p < 5; p++)
                power[k][p] += (raised *= pair[k]) / MANY;
        }
        product += pair[0] * pair[1] / MANY;
        squares += (pair[0] * pair[0] - 1) * (pair[1] * pair[1] - 1) / MANY;
    }
    for (int k = 0; k < 2; k++)
        for (int p = 1; p < 5; p++)
            within(power[k][p], mean[p], sqrt(variance[p] / MANY));
    within(product, 0, 1 / sqrt(MANY));
    within(squares, 0, 2 / sqrt(MANY));
}

/* ------------------------------------------------------------------------------------------------------- samples */

static void sample(uint64_t seed, int64_t n, int64_t count, int64_t *row)
{
    surekrig_error error = {0};
    succeeded(sk_sample_rows(seed, n, count, row, &error), &error);
}

static void samples_are_the_same_as_bits(void **state)
{
    (void)state;
    enum { MOST = 300 };
    for (int64_t n = 1; n <= MOST; n += 1 + n / 2)
        for (int64_t count = 0; count <= n; count++) {
            int64_t row[MOST], at = 0;
            uint64_t mark[MOST / 64 + 1] = {0};
            sample(5, n, count, row);
            sk_sample_marks(5, n, count, mark);
            for (int64_t i = 0; i < n; i++) {
                bool there = at < count && row[at] == i;
                assert_int_equal(mark[i / 64] >> i % 64 & 1, there);
                at += there;
            }
            assert_int_equal(at, count);
        }
}

static void samples_are_sorted_distinct_and_in_range(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 3, 5, 16, 100, 1000, 1000000000000};
    for (int s = 0; s < 8; s++)
        for (int64_t count = 0; count <= sizes[s] && count <= 1000; count += 1 + count / 3)
            for (uint64_t seed = 0; seed < 5; seed++) {
                int64_t row[1001];
                row[count] = -7;
                sample(seed, sizes[s], count, row);
                assert_int_equal(row[count], -7);
                for (int64_t i = 0; i < count; i++)
                    assert_true(row[i] >= 0 && row[i] < sizes[s] && (i == 0 || row[i] > row[i - 1]));
            }
}

static void a_sample_of_all_is_all(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 300; n++) {
        int64_t row[300];
        sample((uint64_t)n, n, n, row);
        for (int64_t i = 0; i < n; i++)
            assert_int_equal(row[i], i);
    }
}

/* Every row equally often, every pair of rows equally often: with N rows, COUNT drawn and T trials, the sum of squared
 * deviations over T p (1-p) is about N (rows: chi-square of N - 1, times (N-1)/N), with sd sqrt(2 N). */
static void samples_are_uniform(void **state)
{
    (void)state;
    enum { N = 40, COUNT = 13, TRIALS = 20000 };
    static int64_t times[N], together[N][N];
    memset(times, 0, sizeof times);
    memset(together, 0, sizeof together);
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        int64_t row[COUNT];
        sample(1000 + seed, N, COUNT, row);
        for (int i = 0; i < COUNT; i++) {
            times[row[i]]++;
            for (int j = 0; j < i; j++)
                together[row[j]][row[i]]++;
        }
    }
    double p = (double)COUNT / N, p2 = p * (COUNT - 1) / (N - 1), square = 0, square2 = 0, pairs = N * (N - 1) / 2.0;
    for (int i = 0; i < N; i++) {
        double off = (double)times[i] - TRIALS * p;
        square += off * off / (TRIALS * p * (1 - p));
        for (int j = i + 1; j < N; j++) {
            double off2 = (double)together[i][j] - TRIALS * p2;
            square2 += off2 * off2 / (TRIALS * p2 * (1 - p2));
        }
    }
    within(square, N, sqrt(2 * N));
    within(square2, pairs, sqrt(2 * pairs) * 2); /* pairs that share a row are correlated */
}

static void seeds_give_other_samples(void **state)
{
    (void)state;
    int64_t a[50], b[50], again[50];
    sample(1, 1000000, 50, a);
    sample(2, 1000000, 50, b);
    sample(1, 1000000, 50, again);
    assert_memory_equal(a, again, sizeof a);
    assert_memory_not_equal(a, b, sizeof a);
}

/* ------------------------------------------------------------------------------------------ memory and sentences */

static void impossible_memory_is_null(void **state)
{
    (void)state;
    const int64_t counts[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 8 + 1, (int64_t)1 << 61};
    for (int i = 0; i < 5; i++) {
        assert_null(sk_alloc(counts[i], 8));
        assert_null(sk_zeroed(counts[i], 8));
        assert_null(sk_doubles(counts[i]));
        assert_null(sk_copy(counts, counts[i], 8));
    }
    assert_null(sk_alloc(3, (size_t)1 << 62));
}

static void memory_holds_what_it_should(void **state)
{
    (void)state;
    double from[3] = {1, 2, 3}, *copy = sk_copy(from, 3, sizeof(double)), *zeroed = sk_zeroed(100, sizeof(double));
    assert_memory_equal(copy, from, sizeof from);
    assert_ptr_not_equal(copy, from);
    for (int i = 0; i < 100; i++)
        assert_true(zeroed[i] == 0);
    char *text = sk_text("length scale");
    assert_string_equal(text, "length scale");
    void *none[] = {sk_alloc(0, 8), sk_zeroed(0, 8), sk_doubles(0), sk_copy(NULL, 0, 8), copy, zeroed, text};
    for (int i = 0; i < 7; i++) {
        assert_non_null(none[i]);
        free(none[i]);
    }
}

static void failures_say_why(void **state)
{
    (void)state;
    surekrig_error error = {0};
    assert_int_equal(sk_fail(&error, SUREKRIG_DATA, "row %d of %s", 17, "x.csv"), SUREKRIG_DATA);
    assert_int_equal(error.status, SUREKRIG_DATA);
    assert_string_equal(error.sentence, "row 17 of x.csv");
    assert_int_equal(sk_fail(NULL, SUREKRIG_FILE, "nobody listens"), SUREKRIG_FILE);
    refused(sk_fail_memory(&error, 2.5e9, "the index"), &error, SUREKRIG_MEMORY, "the index needs 2.5e+03 MB");
    char longer[2000];
    memset(longer, 'x', sizeof longer);
    longer[1999] = 0;
    sk_fail(&error, SUREKRIG_FILE, "%s", longer);
    assert_int_equal(strlen(error.sentence), sizeof error.sentence - 1);
    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", SUREKRIG_VERSION_MAJOR, SUREKRIG_VERSION_MINOR,
             SUREKRIG_VERSION_PATCH);
    assert_string_equal(SUREKRIG_VERSION, version);
    assert_string_equal(surekrig_version(), version);
}

static void numbers_are_sorted(void **state)
{
    (void)state;
    draws d = {3, 0};
    for (int64_t n = 0; n < 40; n++) {
        double value[40], sum[2] = {0};
        int64_t number[40], total[2] = {0};
        for (int64_t i = 0; i < n; i++) {
            value[i] = draw(&d, -1, 1);
            number[i] = draw_below(&d, 9) - 4; /* some twice */
            sum[0] += value[i];
            total[0] += number[i];
        }
        sk_sort(n, value);
        sk_sort_numbers(n, number);
        for (int64_t i = 0; i < n; i++) {
            assert_true(i == 0 || (value[i - 1] <= value[i] && number[i - 1] <= number[i]));
            sum[1] += value[i];
            total[1] += number[i];
        }
        close_within(sum[0], sum[1], 0, 1e-13);
        assert_int_equal(total[0], total[1]);
        for (int64_t it = -5; it <= 5; it++) {
            int64_t below = 0;
            for (int64_t i = 0; i < n; i++)
                below += number[i] < it;
            assert_int_equal(sk_count_below(n, number, it), below);
        }
    }
}

/* ---- shares of ranks */

/* One after another, all of them, whole vectors but for the end, and as many for each as vectors allow. */
static void slices_are_even(void **state)
{
    (void)state;
    enum { VECTORS = 64 };
    for (int size = 1; size < 8; size++)
        for (int64_t n = 0; n < 700; n++) {
            sk_ranks ranks = {.size = size};
            assert_true(sk_slice(&ranks, n, 0) == 0 && sk_slice(&ranks, n, size) == n);
            for (int r = 0; r < size; r++) {
                int64_t begin = sk_slice(&ranks, n, r), count = sk_slice(&ranks, n, r + 1) - begin;
                assert_true(count >= 0 && (begin % VECTORS == 0 || begin == n));
                assert_true(count <= VECTORS * (n / VECTORS / size + 2) && count >= VECTORS * (n / VECTORS / size - 1));
            }
        }
}

/* ---- ranks that say the same */

/* However many numbers: as many at once as a million allows, shared among the ranks. */
static void sums_of_many_numbers(void **state)
{
    (void)state;
    sk_ranks ranks = {.rank = 1, .size = 4096, .gather = echo};
    assert_int_equal(sk_at_once(&(sk_ranks){.size = 1}), 1 << 20);
    assert_int_equal(sk_at_once(&(sk_ranks){.size = 1000}), (1 << 20) / 1000);
    assert_int_equal(sk_at_once(&ranks), 256);
    assert_int_equal(sk_at_once(&(sk_ranks){.size = 5000}), 256);
    for (int64_t n = 0; n <= 600; n += n < 250 || n > 260 ? 50 : 1) {
        double value[600];
        for (int64_t i = 0; i < n; i++)
            value[i] = (double)i;
        sk_add(&ranks, n, value);
        for (int64_t i = 0; i < n; i++)
            assert_true(value[i] == 4096 * (double)i);
        sk_least(&ranks, n, value);
        sk_most(&ranks, n, value);
        for (int64_t i = 0; i < n; i++)
            assert_true(value[i] == 4096 * (double)i);
    }
    assert_int_equal(sk_sum(&ranks, 3), 3 * 4096);
    assert_int_equal(sk_before(&ranks, 3), 3);
    ranks.rank = 5;
    assert_int_equal(sk_before(&ranks, 3), 15);
    ranks.size = 1;
    assert_int_equal(sk_before(&ranks, 3), 0);
    assert_int_equal(sk_sum(&ranks, 3), 3);
}

/* Another rank, before this one, that failed at a number. */
typedef struct other {
    int calls; /* lengths, numbers, lengths, what failed */
    double number;
    bool tells; /* its failure, which is that at the least number */
} other;

static void with_another(const sk_ranks *ranks, const void *own, const int64_t *bytes, void *all)
{
    other *o = ranks->with;
    echo(ranks, own, bytes, all);
    if (o->calls == 1)
        memcpy(all, &o->number, sizeof o->number);
    if (o->calls++ == 3)
        memcpy(all, &(surekrig_error){o->tells ? SUREKRIG_NUMERIC : SUREKRIG_OK, "another"}, sizeof(surekrig_error));
}

/* Of several failures that at the least number is all ranks'. */
static void the_least_failure_counts(void **state)
{
    (void)state;
    for (int c = 0; c < 4; c++) {
        other o = {0, c == 3 ? INFINITY : 3, c == 1};
        sk_ranks ranks = {.rank = 1, .size = 2, .gather = c == 2 ? echo : with_another, .with = &o};
        surekrig_error error = {SUREKRIG_DATA, "this one"};
        surekrig_status status = sk_agree_least(&ranks, SUREKRIG_DATA, c == 1 ? 5 : 2, &error);
        assert_int_equal(status, c == 1 ? SUREKRIG_NUMERIC : SUREKRIG_DATA);
        assert_string_equal(error.sentence, c == 1 ? "another" : "this one");
    }
    surekrig_error error = {SUREKRIG_DATA, "alone"};
    sk_ranks alone = {.size = 1};
    assert_int_equal(sk_agree_least(&alone, SUREKRIG_DATA, 7, &error), SUREKRIG_DATA);
    assert_int_equal(sk_agree_least(&alone, SUREKRIG_OK, 7, &error), SUREKRIG_OK);
    sk_ranks both = {.size = 2, .gather = echo};
    assert_int_equal(sk_agree_least(&both, SUREKRIG_OK, 7, &error), SUREKRIG_OK);
}

/* What the first of them says is all ranks' word, but for ranks apart. */
static void the_first_rank_says(void **state)
{
    (void)state;
    for (int c = 0; c < 8; c++) {
        bool own = c & 1, first = c & 2, apart = c & 4;
        other o = {.number = first};
        surekrig_ranks of = {.link = {.rank = 1, .size = 2, .gather = with_another, .with = &o}, .apart = apart};
        assert_int_equal(sk_first_says(&of, own), apart ? own : first);
        of.link = (sk_ranks){.rank = 0, .size = 2, .gather = echo};
        assert_int_equal(sk_first_says(&of, own), own);
        assert_int_equal(sk_first_says(NULL, own), own);
    }
}

/* ---- the processor */

bool __real_sk_isa_here(sk_isa isa);
sk_isa __real_sk_isa_best(void);

/* What the library itself takes, which other tests may not see (lesser_machine.c): the first that is here. */
static void the_best_instructions_are_taken(void **state)
{
    (void)state;
    int best = (int)__real_sk_isa_best();
    assert_true(__real_sk_isa_here((sk_isa)best) && __real_sk_isa_here(SK_ISA_portable));
    for (int isa = 0; isa < best; isa++)
        assert_false(__real_sk_isa_here((sk_isa)isa));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_even),
        cmocka_unit_test(sums_of_many_numbers),
        cmocka_unit_test(the_least_failure_counts),
        cmocka_unit_test(the_first_rank_says),
        cmocka_unit_test(the_best_instructions_are_taken),
        cmocka_unit_test(cholesky_agrees_with_lapack),
        cmocka_unit_test(cholesky_bits_do_not_depend_on_threads),
        cmocka_unit_test(cholesky_of_a_leading_block),
        cmocka_unit_test(cholesky_names_the_failing_pivot),
        cmocka_unit_test(a_pivot_at_the_bound_fails),
        cmocka_unit_test(triangular_solves_agree_with_lapack),
        cmocka_unit_test(the_second_philox_knows_the_answers),
        cmocka_unit_test(numbers_are_philox_blocks),
        cmocka_unit_test(uniforms_have_their_moments),
        cmocka_unit_test(normals_have_their_moments),
        cmocka_unit_test(samples_are_the_same_as_bits),
        cmocka_unit_test(samples_are_sorted_distinct_and_in_range),
        cmocka_unit_test(a_sample_of_all_is_all),
        cmocka_unit_test(samples_are_uniform),
        cmocka_unit_test(seeds_give_other_samples),
        cmocka_unit_test(numbers_are_sorted),
        cmocka_unit_test(impossible_memory_is_null),
        cmocka_unit_test(memory_holds_what_it_should),
        cmocka_unit_test(failures_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
