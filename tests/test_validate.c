/* Cross-validation: a point left out of `validate` is one left out of the data, whatever the mean, the terms and the
 * widths; with every other point for a neighbour it is the dense process; a block's points do not see each other. */
#include "fit_support.h"
#include "predict/inside.h"

enum { N = 90 };

typedef struct validated {
    surekrig_validated v;
    int64_t rows;
} validated;

static validated room(const surekrig_model *model, int64_t rows)
{
    const surekrig_info *info = surekrig_model_info(model);
    rows = rows ? rows : info->n;
    return (validated){{sk_alloc(rows, sizeof(int64_t)), sk_doubles(rows * info->l), sk_doubles(rows * info->l),
                        sk_doubles(rows), -7, -7},
                       rows};
}

static validated validate(const surekrig_model *model, surekrig_validation how)
{
    validated made = room(model, how.rows);
    surekrig_error error;
    succeed(surekrig_validate(model, &how, NULL, &made.v, &error), &error);
    return made;
}

static void free_validated(validated *made)
{
    free(made->v.row);
    free(made->v.mean);
    free(made->v.sd);
    free(made->v.distance);
}

/* The data without a row; points: freed by the caller. */
static points without(const points *p, int64_t row)
{
    int64_t d = p->data.d, l = p->data.l, n = p->data.n - 1;
    points rest = {.data = {.n = n, .d = d, .l = l},
                   .x = sk_doubles(n * d),
                   .y = sk_doubles(n * l),
                   .noise = p->noise ? sk_doubles(n) : NULL};
    for (int64_t i = 0; i < n; i++) {
        int64_t from = i < row ? i : i + 1;
        memcpy(rest.x + i * d, p->x + from * d, (size_t)d * sizeof(double));
        memcpy(rest.y + i * l, p->y + from * l, (size_t)l * sizeof(double));
        if (rest.noise)
            rest.noise[i] = p->noise[from];
    }
    rest.data.x = rest.x;
    rest.data.y = rest.y;
    rest.data.noise = rest.noise;
    return rest;
}

static double nearest_of(const points *p, int64_t row)
{
    double least = INFINITY;
    for (int64_t i = 0; i < p->data.n; i++) {
        double sum = 0;
        for (int64_t a = 0; a < p->data.d; a++)
            sum += pow(p->x[i * p->data.d + a] - p->x[row * p->data.d + a], 2);
        least = i == row ? least : fmin(least, sqrt(sum));
    }
    return least;
}

static void equals_refits(const points *p, const char *words)
{
    char all[400];
    snprintf(all, sizeof all, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=12 nodes=no batch=40 %s", words);
    surekrig_model *model = fit(&p->data, all);
    int64_t l = p->data.l;
    const double level = 0.9;
    double lower[2 * N], upper[2 * N];
    validated v = room(model, 0);
    v.v.lower = lower;
    v.v.upper = upper;
    surekrig_error said;
    succeed(surekrig_validate(model, &(surekrig_validation){.threads = 2, .levels = 1, .level = &level}, NULL, &v.v,
                              &said),
            &said);
    for (int64_t i = 0; i < N * l; i++) {
        double half = surekrig_model_quantile(model, i % l, level) * v.v.sd[i];
        assert_true(lower[i] == v.v.mean[i] - half && upper[i] == v.v.mean[i] + half);
    }
    for (int64_t i = 0; i < N; i++) {
        points rest = without(p, i);
        surekrig_model *left = NULL;
        surekrig_error error;
        double mean[2], sd[2];
        succeed(surekrig_refit(&rest.data, model, &left, &error), &error);
        surekrig_query query = {1, p->x + i * p->data.d, 0, 1, p->noise ? p->noise + i : NULL};
        succeed(surekrig_predict(left, &query, NULL, &(surekrig_prediction){.mean = mean, .sd = sd}, &error), &error);
        for (int64_t q = 0; q < l; q++) {
            near_to(v.v.mean[i * l + q], mean[q], 1e-11);
            close_to(v.v.sd[i * l + q], sd[q], 1e-11);
            assert_true(surekrig_model_quantile(left, q, 0.9) == surekrig_model_quantile(model, q, 0.9));
        }
        assert_int_equal(v.v.row[i], i);
        close_to(v.v.distance[i], nearest_of(p, i), 1e-12);
        surekrig_model_free(left);
        free_points(&rest);
    }
    free_validated(&v);
    surekrig_model_free(model);
}

/* A slope, so that a trend lost on the way would show. */
static points sloping(int64_t l, uint64_t seed)
{
    points p = make_field(N, 2, l, 0.8, 0.3, 0.02, seed);
    for (int64_t i = 0; i < N * l; i++)
        p.y[i] += 5 * p.x[i / l * 2] - 2 * p.x[i / l * 2 + 1];
    return p;
}

static void leaving_out_is_refitting_without(void **state)
{
    (void)state;
    points one = sloping(1, 51), two = sloping(2, 52), noisy = sloping(1, 53);
    equals_refits(&one, "");
    equals_refits(&one, "mean=local");
    equals_refits(&one, "mean=trend");
    equals_refits(&two, "mean=trend trend=x1");
    equals_refits(&one, "terms=2 long_ratio=8 long_share=0.4 mean=local");
    equals_refits(&one, "sectors=yes mean=local");
    equals_refits(&two, "variance=local mean=local");
    equals_refits(&one, "interval=conformal variance=local mean=trend sectors=yes");
    equals_refits(&two, "interval=conformal");
    add_noise(&noisy, 54);
    equals_refits(&noisy, "gamma2=1.3 mean=local");
    free_points(&one);
    free_points(&two);
    free_points(&noisy);
}

/* mean = y - (K^-1 y)_i / (K^-1)_ii, variance = 1 / (K^-1)_ii: the identity for k = n - 1, K by GSL and inverted by
 * LAPACK. */
static void all_neighbours_are_the_dense_identity(void **state)
{
    (void)state;
    points p = make_field(N, 2, 1, 0.8, 0.3, 0.02, 55);
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.02 coverage=none mean=zero neighbors=89");
    double rho[2] = {0.3, 0.3}, center[1] = {0}, *k = sk_doubles(N * N), gamma2 = value_of(model, "gamma2");
    oracle o = {&p.data, 0.8, 0.02, 0, rho, center};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            k[i * N + j] = oracle_covariance(&o, p.x + 2 * i, p.x + 2 * j) + (i == j ? 0.02 : 0);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', N, k, N), 0);
    assert_int_equal(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'U', N, k, N), 0);
    validated v = validate(model, (surekrig_validation){0});
    for (int i = 0; i < N; i++) {
        double product = 0, own = k[i * N + i];
        for (int j = 0; j < N; j++)
            product += (i <= j ? k[i * N + j] : k[j * N + i]) * p.y[j];
        near_to(v.v.mean[i], p.y[i] - product / own, 1e-9);
        close_to(v.v.sd[i], sqrt(gamma2 / own), 1e-9);
    }
    free(k);
    free_validated(&v);
    surekrig_model_free(model);
    free_points(&p);
}

/* Two blocks, of which the cut across the longer side can be worked out here: nobody's nearest is on its own side, and
 * the predictions are those of a model of the other side's points. */
static void a_block_does_not_see_itself(void **state)
{
    (void)state;
    points p = make_field(N, 2, 1, 0.8, 0.3, 0.02, 56);
    for (int i = 0; i < N; i++)
        p.x[2 * i] *= 3; /* the longer side */
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=9 mean=local");
    validated v = validate(model, (surekrig_validation){.blocks = 2});
    double *sorted = sk_doubles(N);
    for (int i = 0; i < N; i++)
        sorted[i] = p.x[2 * i];
    sk_sort(N, sorted);
    double middle = (sorted[N / 2 - 1] + sorted[N / 2]) / 2;
    for (int side = 0; side < 2; side++) {
        points other = make_field(N / 2, 2, 1, 0.8, 0.3, 0.02, 56);
        surekrig_model *left = NULL;
        surekrig_error error;
        for (int i = 0, at = 0; i < N; i++)
            if ((p.x[2 * i] > middle) != side) {
                memcpy(other.x + 2 * at, p.x + 2 * i, 2 * sizeof(double));
                other.y[at++] = p.y[i];
            }
        succeed(surekrig_refit(&other.data, model, &left, &error), &error);
        predicted made = predict(left, N, p.x, 0, 1);
        for (int i = 0; i < N; i++) {
            double least = INFINITY;
            if ((p.x[2 * i] > middle) != side)
                continue;
            near_to(v.v.mean[i], made.mean[i], 1e-11);
            close_to(v.v.sd[i], made.sd[i], 1e-11);
            for (int j = 0; j < N / 2; j++)
                least = fmin(least, hypot(other.x[2 * j] - p.x[2 * i], other.x[2 * j + 1] - p.x[2 * i + 1]));
            close_to(v.v.distance[i], least, 1e-12);
        }
        free_predicted(&made);
        surekrig_model_free(left);
        free_points(&other);
    }
    free(sorted);
    free_validated(&v);
    surekrig_model_free(model);
    free_points(&p);
}

/* Points on a line in 7 blocks: the nearest used is beyond the block's nearer end, so that the distances show the
 * blocks. */
static void blocks_are_compact_and_even(void **state)
{
    (void)state;
    enum { MANY = 1000, BLOCKS = 7 };
    points p = make_field(MANY, 1, 1, 0.5, 0.3, 0.02, 57);
    for (int i = 0; i < MANY; i++)
        p.x[i] = (i * 389) % MANY; /* each of 0 .. 999 once, in no order */
    surekrig_model *model = fit(&p.data, "nu=0.5 rho=30 tau2=0.02 coverage=none neighbors=5 scaling=none");
    validated v = validate(model, (surekrig_validation){.blocks = BLOCKS});
    double far[MANY];
    int blocks = 0;
    for (int i = 0; i < MANY; i++)
        far[(int)p.x[i]] = v.v.distance[i];
    for (int from = 0, end; from < MANY; from = end, blocks++) {
        for (end = from + 1; end < MANY && !(far[end - 1] == 1 && far[end] == 1); end++)
            ; /* a border: both beside it have the other for their nearest */
        assert_in_range(end - from, MANY / BLOCKS - 1, MANY / BLOCKS + 2);
        for (int i = from; i < end; i++) {
            double before = from > 0 ? i - from + 1 : INFINITY, after = end < MANY ? end - i : INFINITY;
            assert_true(far[i] == fmin(before, after));
        }
    }
    assert_int_equal(blocks, BLOCKS);
    free_validated(&v);
    surekrig_model_free(model);
    free_points(&p);
}

/* A sample's rows are rows of the whole; threads do not show. 9000 rows cross two borders of what is kriged at once. */
static void samples_and_threads_do_not_show(void **state)
{
    (void)state;
    enum { MANY = 9000, SOME = 5000 };
    points small = make_field(300, 2, 2, 0.8, 0.3, 0.02, 58), p = {.data = {.n = MANY, .d = 2, .l = 2}};
    p.x = make_places(MANY, 2, 1, 59);
    p.y = sk_doubles(2 * MANY);
    for (int i = 0; i < 2 * MANY; i++)
        p.y[i] = small.y[i % 600];
    p.data.x = p.x;
    p.data.y = p.y;
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.1 coverage=none neighbors=6");
    validated all = validate(model, (surekrig_validation){.blocks = 30, .threads = 1});
    validated again = validate(model, (surekrig_validation){.blocks = 30, .threads = 3});
    same_bits(all.v.mean, again.v.mean, 2 * MANY);
    same_bits(all.v.sd, again.v.sd, 2 * MANY);
    same_bits(all.v.distance, again.v.distance, MANY);
    assert_true(all.v.jittered == 0 && all.v.max_jitter == 0);
    validated some = validate(model, (surekrig_validation){.blocks = 30, .rows = SOME, .seed = 5});
    for (int i = 0; i < SOME; i++) {
        int64_t row = some.v.row[i];
        assert_true(row >= 0 && row < MANY && (i == 0 || row > some.v.row[i - 1]));
        same_bits(some.v.mean + 2 * i, all.v.mean + 2 * row, 2);
        same_bits(some.v.sd + 2 * i, all.v.sd + 2 * row, 2);
        same_bits(some.v.distance + i, all.v.distance + row, 1);
    }
    free_validated(&all);
    free_validated(&again);
    free_validated(&some);
    surekrig_model_free(model);
    free_points(&p);
    free_points(&small);
}

static int stop_at_once(void *user, const surekrig_progress_report *report)
{
    (void)user;
    assert_string_equal(report->phase, "validation");
    return 1;
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    points p = make_field(N, 2, 1, 0.8, 0.3, 0.02, 60);
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=50");
    validated v = room(model, 0);
    const struct {
        surekrig_validation how;
        const char *why;
    } wrong[] = {
        {{.blocks = 1}, "1 blocks asked of 90 points"},
        {{.blocks = -1}, "-1 blocks"},
        {{.blocks = 91}, "91 blocks"},
        {{.rows = 91}, "91 rows"},
        {{.rows = -1}, "-1 rows"},
        {{.threads = -1}, "-1 threads"},
        {{.by = "height"},
         "by = 'height': it takes what the model was fitted by (none) or some of its features, which are x1, x2"},
        {{.by = "x1,x"}, "by = 'x1,x'"},
        {{.by = "x1,"}, "by = 'x1,'"},
        {{.by = ""}, "by = ''"},
        {{.blocks = 2}, "the largest of 2 blocks holds 45 of 90 points and leaves 45, fewer than the 50 neighbours"},
    };
    surekrig_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(surekrig_validate(model, &wrong[i].how, NULL, &v.v, &error), SUREKRIG_INVALID);
        mentions(&error, wrong[i].why);
    }
    surekrig_progress stop = {stop_at_once, NULL};
    assert_int_equal(surekrig_validate(model, &(surekrig_validation){.threads = 1}, &stop, &v.v, &error),
                     SUREKRIG_STOPPED);
    assert_true(v.v.jittered == -7);
    free_validated(&v);
    surekrig_model_free(model);
    free_points(&p);
}

static void scores_by_distance_that_cannot_be(void **state)
{
    (void)state;
    points p = make_field(N, 2, 2, 0.8, 0.3, 0.02, 61);
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=12");
    validated v = validate(model, (surekrig_validation){0});
    surekrig_validated with_y = v.v, none = {0};
    surekrig_by_distance scores = {.classes = -7};
    surekrig_error error;
    with_y.y = p.y;
    const struct {
        const surekrig_validated *of;
        int64_t response;
        double level;
        surekrig_status status;
        const char *why;
    } wrong[] = {{&with_y, -1, 0.9, SUREKRIG_INVALID, "response -1 asked; those of the model are 0 to 1"},
                 {&with_y, 2, 0.9, SUREKRIG_INVALID, "response 2 asked"},
                 {&with_y, 0, 1, SUREKRIG_INVALID, "level = 1"},
                 {&with_y, 0, NAN, SUREKRIG_INVALID, "level = nan"},
                 {&v.v, 0, 0.9, SUREKRIG_INVALID, "one of them is NULL"},
                 {&none, 0, 0.9, SUREKRIG_DATA, "nothing to score"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(surekrig_score_distances(model, wrong[i].of, wrong[i].response, wrong[i].level, &scores,
                                                  &error),
                         wrong[i].status);
        mentions(&error, wrong[i].why);
        assert_int_equal(scores.classes, -7);
    }
    succeed(surekrig_score_distances(model, &with_y, 1, 0.9, &scores, &error), &error);
    assert_int_equal(scores.all.n, N);
    free_validated(&v);
    surekrig_model_free(model);
    free_points(&p);
}

/* ---- scores by distance, made again */

static const double *sorted_by;

static int by_distance(const void *a, const void *b)
{
    int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    return sorted_by[i] != sorted_by[j] ? (sorted_by[i] > sorted_by[j]) - (sorted_by[i] < sorted_by[j])
                                        : (i > j) - (i < j);
}

/* Those of rows order[begin] .. order[end - 1]. */
static surekrig_class class_of(const surekrig_model *m, const surekrig_validated *v, const int64_t *order, int64_t n,
                               int64_t q)
{
    double y[N], mean[N], sd[N];
    int64_t l = surekrig_model_info(m)->l;
    surekrig_class made = {.from = v->distance[order[0]], .to = v->distance[order[n - 1]]};
    surekrig_error error;
    for (int64_t i = 0; i < n; i++) {
        y[i] = v->y[order[i] * l + q];
        mean[i] = v->mean[order[i] * l + q];
        sd[i] = v->sd[order[i] * l + q];
        made.sd += sd[i] / (double)n;
    }
    surekrig_scored scored = {.n = n, .y = y, .mean = mean, .sd = sd, .quantile = surekrig_model_quantile(m, q, 0.9)};
    succeed(surekrig_score(&scored, 0.9, &made.scores, &error), &error);
    return made;
}

/* Sixths of the points, where equal distances stay together. */
static void equals_the_scores(const surekrig_model *m, const surekrig_validated *v, int64_t q)
{
    int64_t order[N], bound[7] = {0};
    int classes = 1;
    for (int64_t i = 0; i < N; i++)
        order[i] = i;
    sorted_by = v->distance;
    qsort(order, N, sizeof *order, by_distance);
    for (int64_t c = 1; c < 6; c++) {
        int64_t at = c * N / 6;
        while (at < N && v->distance[order[at]] <= (1 + 1e-6) * v->distance[order[at - 1]])
            at++;
        if (at > bound[classes - 1] && at < N)
            bound[classes++] = at;
    }
    bound[classes] = N;
    surekrig_by_distance got;
    surekrig_error error;
    succeed(surekrig_score_distances(m, v, q, 0.9, &got, &error), &error);
    surekrig_class all = class_of(m, v, order, N, q);
    assert_memory_equal(&got.all, &all.scores, sizeof got.all);
    assert_int_equal(got.classes, classes);
    for (int c = 0; c < classes; c++) {
        surekrig_class of = class_of(m, v, order + bound[c], bound[c + 1] - bound[c], q);
        assert_true(got.of[c].from == of.from && got.of[c].to == of.to);
        close_to(got.of[c].sd, of.sd, 1e-14);
        assert_memory_equal(&got.of[c].scores, &of.scores, sizeof of.scores);
    }
}

static void scores_by_distance_are_those_of_classes(void **state)
{
    (void)state;
    points p = make_field(N, 2, 2, 0.8, 0.3, 0.02, 63);
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=12");
    validated v = validate(model, (surekrig_validation){0});
    v.v.y = p.y;
    equals_the_scores(model, &v.v, 0);
    equals_the_scores(model, &v.v, 1);
    for (int i = 0; i < N; i++) /* few distances, which differ at all only in their last digits */
        v.v.distance[i] = (1 + i % 4 / 2) * (1 + 1e-9 * (i % 5));
    equals_the_scores(model, &v.v, 1);
    for (int i = 0; i < N; i++)
        v.v.distance[i] = 1;
    equals_the_scores(model, &v.v, 0);
    free_validated(&v);
    surekrig_model_free(model);
    free_points(&p);
}

/* ---- blocks, made again: along the longest side, in sides of the frame, the first half of them gets its part of the
 * points, and so on */

static void cut(const surekrig_model *m, int64_t n, int64_t *row, int64_t blocks, int64_t first, int64_t *group)
{
    double along[N], longest = -1;
    if (blocks == 1) {
        for (int64_t i = 0; i < n; i++)
            group[row[i]] = first;
        return;
    }
    for (int64_t a = 0, axis = 0; a < m->kriged.d; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < n; i++) {
            low = fmin(low, m->kriged.x[row[i] * m->kriged.d + a]);
            high = fmax(high, m->kriged.x[row[i] * m->kriged.d + a]);
        }
        axis = (high - low) / m->frame.side[a] > longest ? a : axis;
        longest = fmax(longest, (high - low) / m->frame.side[a]);
        for (int64_t i = 0; i < n && axis == a; i++)
            along[row[i]] = m->kriged.x[row[i] * m->kriged.d + a];
    }
    sorted_by = along;
    qsort(row, (size_t)n, sizeof *row, by_distance);
    int64_t half = blocks / 2, many = n * half / blocks;
    cut(m, many, row, half, first, group);
    cut(m, n - many, row + many, blocks - half, first + half, group);
}

/* Far from the origin; sides by axis, and one for all. */
static void blocks_are_halves_of_halves(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=5 scaling=axis",
                                        "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=5 scaling=none"};
    points p = make_field(N, 3, 1, 0.8, 0.3, 0.02, 64);
    for (int i = 0; i < N; i++) {
        p.x[3 * i] = 3 * p.x[3 * i] - 50;
        p.x[3 * i + 1] = floor(8 * p.x[3 * i + 1]) / 4 + 40; /* many at one place along this one */
    }
    for (int w = 0; w < 2; w++) {
        surekrig_model *m = fit(&p.data, WORDS[w]);
        for (int64_t blocks = 2; blocks <= N; blocks = blocks < 12 ? blocks + 1 : 5 * blocks / 2) {
            int64_t row[N], wanted[N], got[N];
            surekrig_error error;
            for (int64_t i = 0; i < N; i++)
                row[i] = i;
            cut(m, N, row, blocks, 0, wanted);
            succeed(sk_rows_blocks(m, blocks, got, &error), &error);
            assert_memory_equal(got, wanted, sizeof got);
        }
        surekrig_model_free(m);
    }
    free_points(&p);
}

/* Groups that are given are those of a feature that tells them; one a row is leave-one-out; and not with other ways. */
static void groups_of_the_caller(void **state)
{
    (void)state;
    points p = make_field(N, 2, 1, 0.8, 0.3, 0.02, 61);
    int64_t group[N], own[N];
    for (int64_t i = 0; i < N; i++) {
        p.x[2 * i + 1] = floor(9 * p.x[2 * i + 1]);
        group[i] = 7 - 3 * (int64_t)p.x[2 * i + 1];
        own[i] = i;
    }
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=12");
    validated a = validate(model, (surekrig_validation){.by = "x2"});
    validated b = validate(model, (surekrig_validation){.group = group});
    validated c = validate(model, (surekrig_validation){.group = own});
    validated d = validate(model, (surekrig_validation){0});
    assert_memory_equal(a.v.mean, b.v.mean, N * sizeof(double));
    assert_memory_equal(c.v.mean, d.v.mean, N * sizeof(double));
    assert_memory_not_equal(a.v.mean, d.v.mean, N * sizeof(double));
    surekrig_error error;
    assert_int_equal(surekrig_validate(model, &(surekrig_validation){.by = "x2", .group = group}, NULL, &a.v, &error),
                     SUREKRIG_INVALID);
    mentions(&error, "ask for one");
    for (int64_t i = 0; i < N; i++) /* which a double does not tell from one another */
        group[i] += INT64_C(1) << 60;
    validated e = validate(model, (surekrig_validation){.group = group});
    assert_memory_equal(a.v.mean, e.v.mean, N * sizeof(double));
    for (int64_t i = 0; i < N; i++)
        group[i] = i < N - 5;
    assert_int_equal(surekrig_validate(model, &(surekrig_validation){.group = group}, NULL, &a.v, &error),
                     SUREKRIG_DATA);
    mentions(&error, "the largest group by number holds 85 of 90 points");
    for (int64_t i = 0; i < N; i++)
        group[i] = i < N - 11;
    assert_int_equal(surekrig_validate(model, &(surekrig_validation){.group = group}, NULL, &a.v, &error),
                     SUREKRIG_DATA);
    mentions(&error, "leaves 11, fewer than the 12 neighbours");
    group[0] = 0; /* just enough */
    validated f = validate(model, (surekrig_validation){.group = group});
    validated *all[] = {&a, &b, &c, &d, &e, &f};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free_validated(all[i]);
    surekrig_model_free(model);
    free_points(&p);
}

/* Points after a time are those, each at a distance from what is not after it; there must be some, and enough others. */
static void points_after_a_time(void **state)
{
    (void)state;
    enum { ROWS = 90, K = 8 };
    points p = make_field(ROWS, 2, 1, 0.5, 0.3, 0.01, 41);
    surekrig_model *m = fit(&p.data,
                            "time=x2 neighbors=8 nu=0.5 tau2=0.01 coverage=none batch=40 evaluations=6 polish=0");
    double mean[ROWS], sd[ROWS], distance[ROWS], time[ROWS];
    int64_t row[ROWS], found = 0;
    surekrig_validated v = {.row = row, .mean = mean, .sd = sd, .distance = distance};
    surekrig_error error;
    for (int i = 0; i < ROWS; i++)
        time[i] = p.x[2 * i + 1];
    sk_sort(ROWS, time);
    const double last = time[ROWS - 1], many = time[K - 1], few = time[K - 2], middle = time[ROWS / 2];
    succeed(surekrig_validate(m, &(surekrig_validation){.threads = 1, .after = &middle}, NULL, &v, &error), &error);
    for (int64_t i = 0; i < ROWS; i++)
        if (p.x[2 * i + 1] > middle)
            assert_int_equal(row[found++], i);
    assert_int_equal(v.count, found);
    for (int64_t i = 0; i < found; i++)
        assert_true(isfinite(mean[i]) && sd[i] > 0 && distance[i] > 0);
    int64_t nth[ROWS], some[ROWS];
    double of[ROWS];
    for (int64_t i = 0; i < found; i++)
        of[row[i]] = mean[i];
    memcpy(some, row, (size_t)found * sizeof *row);
    for (int64_t asked = found - 1; asked > 0; asked -= 9) { /* samples of these rows: the same said of each */
        succeed(surekrig_validate(m, &(surekrig_validation){.rows = asked, .seed = 3, .threads = 1, .after = &middle},
                                  NULL, &v, &error),
                &error);
        succeed(sk_sample_rows(3, found, asked, nth, &error), &error);
        assert_int_equal(v.count, asked);
        for (int64_t i = 0; i < asked; i++) {
            assert_int_equal(row[i], some[nth[i]]);
            same_bits(&mean[i], &of[row[i]], 1);
        }
    }
    succeed(surekrig_validate(m, &(surekrig_validation){.threads = 1, .after = &many}, NULL, &v, &error), &error);
    assert_int_equal(v.count, ROWS - K);
    const double *const refused[] = {&last, &few};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(surekrig_validate(m, &(surekrig_validation){.threads = 1, .after = refused[i]}, NULL, &v,
                                           &error),
                         SUREKRIG_DATA);
        assert_non_null(strstr(error.sentence, i ? "83 of 90 points are after" : "0 of 90 points are after"));
    }
    surekrig_model_free(m);
    free_points(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_after_a_time),
        cmocka_unit_test(scores_by_distance_are_those_of_classes),
        cmocka_unit_test(blocks_are_halves_of_halves),
        cmocka_unit_test(groups_of_the_caller),
        cmocka_unit_test(scores_by_distance_that_cannot_be),
        cmocka_unit_test(leaving_out_is_refitting_without),
        cmocka_unit_test(all_neighbours_are_the_dense_identity),
        cmocka_unit_test(a_block_does_not_see_itself),
        cmocka_unit_test(blocks_are_compact_and_even),
        cmocka_unit_test(samples_and_threads_do_not_show),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
