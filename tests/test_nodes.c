/* Places kriged from the nodes of a lattice: continuous, the same whatever else is asked, as good as kriged alone, and
 * exact where every neighbourhood has all the data. */
#include "fit_support.h"
#include "predict/predict.h"

#include <unistd.h>

static const char PLAIN[] = "preset=coverage optimizer=lbfgs coverage=none nu=1 rho=0.2 tau2=0.01 sectors=yes "
                            "mean=local variance=local neighbors=40 ";

/* A grid of a smooth field with a hole in its middle, and a cluster, ten times as dense, in a corner. */
static points clustered(int64_t cluster)
{
    enum { SIDE = 40 };
    points p = make_field(SIDE * SIDE + cluster, 2, 1, 1, 0.2, 0.01, 21);
    int64_t kept = 0;
    for (int64_t i = 0; i < SIDE * SIDE + cluster; i++) {
        double x[2] = {((double)(i / SIDE) + 0.5) / SIDE, ((double)(i % SIDE) + 0.5) / SIDE};
        if (i >= SIDE * SIDE) {
            x[0] = 0.15 * p.x[2 * i];
            x[1] = 0.15 * p.x[2 * i + 1];
        }
        p.x[2 * kept] = x[0];
        p.x[2 * kept + 1] = x[1];
        p.y[kept] = sin(7 * x[0]) + cos(9 * x[1]) + 0.1 * normal(22, (uint64_t)i);
        kept += !(fabs(x[0] - 0.5) < 0.15 && fabs(x[1] - 0.5) < 0.15);
    }
    p.data.n = kept;
    return p;
}

static surekrig_model *fitted(const points *p, const char *more)
{
    char words[512];
    snprintf(words, sizeof words, "%s%s", PLAIN, more);
    return fit(&p->data, words);
}

enum { LINE = 4001 };

/* Along a line through the hole and the cluster. */
static double *line(void)
{
    double *x = sk_doubles(2 * LINE);
    for (int i = 0; i < LINE; i++) {
        x[2 * i] = (double)i / (LINE - 1);
        x[2 * i + 1] = 0.02 + 0.9 * (double)i / (LINE - 1);
    }
    return x;
}

static double largest_step(const double *value)
{
    double largest = 0;
    for (int i = 1; i < LINE; i++)
        largest = fmax(largest, fabs(value[i] - value[i - 1]));
    return largest;
}

static void maps_have_no_steps(void **state)
{
    (void)state;
    points p = clustered(0);
    double *x = line();
    surekrig_model *nodes = fitted(&p, ""), *alone = fitted(&p, "nodes=no");
    assert_true(nodes->lattice[2] > 0 && alone->lattice[2] == 0);
    predicted smooth = predict(nodes, LINE, x, 0, 2), rough = predict(alone, LINE, x, 0, 2);
    printf("largest steps of the mean %.2g and %.2g, of the sd %.2g and %.2g\n", largest_step(smooth.mean),
           largest_step(rough.mean), largest_step(smooth.sd), largest_step(rough.sd));
    assert_true(largest_step(smooth.mean) < 0.3 * largest_step(rough.mean));
    assert_true(largest_step(smooth.sd) < 0.5 * largest_step(rough.sd));
    double off = 0;
    for (int i = 0; i < LINE; i++)
        off += pow((smooth.mean[i] - rough.mean[i]) / rough.sd[i], 2) / LINE;
    assert_true(sqrt(off) < 0.2);
    free_predicted(&smooth);
    free_predicted(&rough);
    surekrig_model_free(nodes);
    surekrig_model_free(alone);
    free(x);
    free_points(&p);
}

/* Of one term or two, of nodes or not: whatever stands in the same vector. */
static void no_answer_depends_on_the_others(void **state)
{
    static const char *const MODELS[] = {"", "terms=2 long_ratio=300 long_share=0.3",
                                         "terms=2 long_ratio=300 long_share=0.3 nodes=no"};
    (void)state;
    points p = clustered(2000);
    double *x = line();
    x[2 * 7] = 1e200;                              /* beyond any lattice */
    for (int64_t i = 0; i + 1 < p.data.n; i += 40) /* two at one place, for whose distance the table has no bucket */
        memcpy(p.x + 2 * i + 2, p.x + 2 * i, 2 * sizeof(double));
    for (int c = SANITIZED; c < 3; c++) {
        surekrig_model *m = fitted(&p, MODELS[c]);
        predicted all = predict(m, LINE, x, 0, 2);
        for (int i = 0; i < LINE; i += i < (SANITIZED ? 10 : 40) ? 1 : SANITIZED ? 199 : 97) {
            predicted one = predict(m, 1, x + 2 * i, 0, 1);
            same_bits(one.mean, all.mean + i, 1);
            same_bits(one.sd, all.sd + i, 1);
            free_predicted(&one);
        }
        free_predicted(&all);
        surekrig_model_free(m);
    }
    free(x);
    free_points(&p);
}

/* In the cluster a node's neighbours do not reach over a cell. */
static void dense_places_are_kriged_alone(void **state)
{
    (void)state;
    points p = clustered(150);
    surekrig_model *nodes = fitted(&p, ""), *alone = fitted(&p, "nodes=no");
    enum { N = 200 };
    double *x = make_places(N, 2, 1, 31);
    int same = 0;
    for (int i = 0; i < 2 * N; i++)
        x[i] *= 0.1;
    predicted by_nodes = predict(nodes, N, x, 0, 1), by_itself = predict(alone, N, x, 0, 1);
    for (int i = 0; i < N; i++)
        same += by_nodes.mean[i] == by_itself.mean[i] && by_nodes.sd[i] == by_itself.sd[i];
    printf("%d of %d places are kriged alone\n", same, N);
    assert_true(same > N / 4 && same < N);
    free_predicted(&by_nodes);
    free_predicted(&by_itself);
    surekrig_model_free(nodes);
    surekrig_model_free(alone);
    free(x);
    free_points(&p);
}

/* All data in each node's neighbourhood: the blend is the exact process. */
static void all_neighbours_are_the_exact_process(void **state)
{
    (void)state;
    enum { N = 60, TEST = 50 };
    points p = make_field(N, 2, 1, 1, 0.3, 0.01, 41);
    surekrig_model *m = fit(&p.data, "coverage=none nu=1 rho=0.3 tau2=0.01 neighbors=50 sectors=yes mean=zero gamma2=1 "
                                     "scaling=none");
    double *x = make_places(TEST, 2, 1, 42), rho[2] = {0.3, 0.3}, zero = 0, mean, variance;
    oracle o = {&p.data, 1, 0.01, 0, rho, &zero};
    int64_t row[N];
    int exact = 0;
    for (int64_t i = 0; i < N; i++)
        row[i] = i;
    predicted made = predict(m, TEST, x, 0, 1);
    assert_true(m->lattice[2] > 0);
    for (int i = 0; i < TEST; i++) {
        oracle_krige(&o, N, row, x + 2 * i, &mean, &variance);
        exact += fabs(made.mean[i] - mean) < 1e-10 && fabs(made.sd[i] - sqrt(variance + 0.01)) < 1e-10;
    }
    assert_int_equal(exact, TEST);
    free_predicted(&made);
    surekrig_model_free(m);
    free(x);
    free_points(&p);
}

/* ---- places from nodes, made again */

/* How far the rows reach in the direction where that is least: eight of them with sectors, else one. */
static double reach_of(const surekrig_model *m, const double *at, int64_t k, const int64_t *row)
{
    double farthest[8] = {0}, least = INFINITY;
    int count[8] = {0};
    for (int64_t j = 0; j < k && k < m->data.n; j++) {
        double x = (m->data.x[2 * row[j]] - at[0]) / m->frame.side[0],
               y = (m->data.x[2 * row[j] + 1] - at[1]) / m->frame.side[1];
        int o = m->settings->sectors ? (int)floor((atan2(y, x) / M_PI + 1) * 4) % 8 : 0;
        farthest[o] = fmax(farthest[o], hypot(x, y));
        count[o]++;
    }
    for (int o = 0; o < 8; o++)
        if (count[o] > 0 && count[o] >= k / 8)
            least = fmin(least, farthest[o]);
    return least;
}

typedef struct kriged {
    double mean, variance;
    bool dense; /* the neighbours reach less far than the pitch */
} kriged;

/* From the k neighbours of a node. */
static kriged krige_from(const surekrig_model *m, const oracle *o, int64_t k, const double *node, const double *x)
{
    int64_t row[64];
    kriged of;
    surekrig_error error;
    surekrig_neighbor_query query = {.n = 1, .x = node, .k = k, .threads = 1};
    succeed(sk_model_neighbors(m, query, row, NULL, &error), &error);
    oracle_krige(o, k, row, x, &of.mean, &of.variance);
    of.dense = reach_of(m, node, k, row) < m->lattice[2];
    return of;
}

/* From the four nodes around it; from its own neighbours where those of a node are dense, as it says. */
static kriged by_hand(const surekrig_model *m, const oracle *o, const double *x)
{
    int64_t k = m->info.neighbors;
    kriged all = {0};
    for (int c = 0; c < 4; c++) {
        double weight = 1, corner[2];
        for (int a = 0; a < 2; a++) {
            double pitch = m->lattice[2] * m->frame.side[a], u = (x[a] - m->lattice[a]) / pitch, up = c >> a & 1;
            corner[a] = m->lattice[a] + (floor(u) + up) * pitch;
            weight *= up > 0 ? u - floor(u) : 1 - (u - floor(u));
        }
        kriged of = krige_from(m, o, k + k / 2, corner, x);
        all.mean += weight * of.mean;
        all.variance += weight * of.variance;
        all.dense |= of.dense;
    }
    if (all.dense) {
        kriged alone = krige_from(m, o, k, x, x);
        all.mean = alone.mean;
        all.variance = alone.variance;
    }
    return all;
}

/* A cluster in a sparse field of which one side is longer; by sectors and without. */
static void places_are_blends_of_their_nodes(void **state)
{
    (void)state;
    enum { ROWS = 400, TEST = 60 };
    static const char *const WORDS[] = {"sectors=yes", "sectors=no nodes=yes"};
    points p = make_field(ROWS, 2, 1, 0.5, 0.3, 0.02, 71);
    double *x = make_places(TEST, 2, 1, 72);
    for (int64_t i = 0; i < ROWS; i++) {
        p.x[2 * i] *= i % 12 ? 1 : 0.04;
        p.x[2 * i + 1] *= i % 12 ? 5 : 0.2;
    }
    for (int i = 0; i < TEST; i++) {
        x[2 * i] *= i % 3 ? 1 : 0.06;
        x[2 * i + 1] *= i % 3 ? 5 : 0.3;
    }
    for (int w = 0; w < 2; w++) {
        char words[200];
        snprintf(words, sizeof words,
                 "coverage=none nu=0.5 rho=0.3,1.5 anisotropic=yes tau2=0.02 neighbors=16 mean=zero gamma2=2 %s",
                 WORDS[w]);
        surekrig_model *m = fit(&p.data, words);
        double rho[2] = {0.3, 1.5}, zero = 0;
        oracle o = {&p.data, 0.5, 0.02, 0, rho, &zero};
        predicted got = predict(m, TEST, x, 0, 1);
        int alone = 0;
        assert_true(m->lattice[2] > 0);
        for (int i = 0; i < TEST; i++) {
            kriged of = by_hand(m, &o, x + 2 * i);
            near_to(got.mean[i], of.mean, 1e-9);
            close_to(got.sd[i], sqrt(2 * (of.variance + 0.02)), 1e-9);
            alone += of.dense;
        }
        printf("%d of %d places are kriged alone\n", alone, TEST);
        assert_in_range(alone, 5, TEST - 5);
        free_predicted(&got);
        surekrig_model_free(m);
    }
    free(x);
    free_points(&p);
}

/* ---- in gaps, what the neighbours of nodes farther around say of the variance */

/* Where the node is that lies `at`, in pitches. */
static void node_place(const surekrig_model *m, const double *at, double *x)
{
    for (int a = 0; a < 2; a++) /* in the order of the library's products: on a grid, ties hang on round-off */
        x[a] = m->lattice[a] + at[a] * m->frame.side[a] * m->lattice[2];
}

/* v, s and c of a node. */
static sk_signs signs_of(const surekrig_model *m, const double *at)
{
    double node[2], scale, scatter;
    int64_t row[64], k = m->info.neighbors + m->info.neighbors / 2;
    sk_signs of;
    surekrig_error error;
    surekrig_term term[2];
    surekrig_theta theta = sk_model_theta(m, &m->hyper, term);
    node_place(m, at, node);
    succeed(sk_model_neighbors(m, (surekrig_neighbor_query){.n = 1, .x = node, .k = k, .threads = 1}, row, NULL,
                               &error),
            &error);
    surekrig_neighborhoods hood = {1, k, row, NULL, node};
    surekrig_kriged out = {.variance = &of.variance_share, .scale = &scale};
    succeed(surekrig_krige(&m->data, &hood, &theta, "reference", &out, &error), &error);
    succeed(sk_scatter_std(m, &hood, 1, &scatter, &error), &error);
    of.variance_share += m->hyper.tau2;
    of.scale_std = scale / m->spread[0] / m->spread[0];
    of.scatter_std = scatter;
    return of;
}

/* Adds the signs of every 2^level-th node around it, each with one neighbour more that has gamma2, as logarithms. */
static void add_signs(const surekrig_model *m, const double *at, int level, double share, double sum[2])
{
    double one_more = m->hyper.gamma2_std[0] / (double)m->info.neighbors;
    for (int c = 0; c < 4; c++) {
        double corner[2], step = pow(2, level), weight = share;
        for (int a = 0; a < 2; a++) {
            double off = at[a] - step * floor(at[a] / step);
            corner[a] = at[a] - off + (c >> a & 1 ? step : 0);
            weight *= (c >> a & 1 ? off : step - off) / step;
        }
        sk_signs of = weight > 0 ? signs_of(m, corner) : (sk_signs){0, 1, 1};
        sum[0] += weight * log(of.scale_std + one_more);
        sum[1] += weight * log(of.scatter_std + one_more);
    }
}

static double gap_around(const surekrig_model *m, const double *x)
{
    double least = INFINITY;
    for (int64_t i = 0; i < m->data.n; i++)
        least = fmin(least, hypot((m->data.x[2 * i] - x[0]) / m->frame.side[0],
                                  (m->data.x[2 * i + 1] - x[1]) / m->frame.side[1]));
    return least / m->lattice[2];
}

/* Places that are nodes, in a hole with rough data on one side and a flat field, of which s and c are 0, on the other. */
static void signs_in_gaps_come_from_farther_around(void **state)
{
    (void)state;
    points p = clustered(0);
    for (int64_t i = 0; i < p.data.n; i++)
        p.y[i] = p.x[2 * i] > 0.5 ? p.y[i] + normal(23, (uint64_t)i) : 0;
    surekrig_model *m = fitted(&p, "mean=zero");
    int looked = 0, wide = 0;
    for (double row = 0; row < 40; row++)
        for (double column = 0; column < 40; column++) {
            double at[2] = {column, row}, x[2], sum[2] = {0};
            node_place(m, at, x);
            if (fabs(x[0] - 0.5) > 0.15 || fabs(x[1] - 0.5) > 0.15)
                continue;
            double level = fmax(log2(2 * gap_around(m, x)), 0);
            add_signs(m, at, (int)level, 1 - (level - floor(level)), sum);
            add_signs(m, at, (int)level + 1, level - floor(level), sum);
            double one_more = m->hyper.gamma2_std[0] / (double)m->info.neighbors;
            sk_signs own = signs_of(m, at),
                     blurred = {own.variance_share, exp(sum[0]) - one_more, exp(sum[1]) - one_more};
            predicted got = predict(m, 1, x, 0, 1);
            close_to(got.sd[0], m->spread[0] * sqrt(sk_widths_variance_std(m, 0, blurred)), 1e-6);
            looked++;
            wide += level >= 1;
            free_predicted(&got);
        }
    printf("%d nodes, %d of them in wide gaps\n", looked, wide);
    assert_true(m->widths.local && looked > 4 && wide > 0 && wide < looked);
    surekrig_model_free(m);
    free_points(&p);
}

static void files_and_refits_keep_the_lattice(void **state)
{
    (void)state;
    points p = clustered(0);
    char path[] = "/tmp/surekrig-nodes-XXXXXX";
    close(mkstemp(path));
    double *x = line();
    surekrig_model *m = fitted(&p, ""), *again = NULL, *part = NULL;
    surekrig_error error;
    succeed(surekrig_model_save(m, path, &error), &error);
    succeed(surekrig_model_load(path, &again, &error), &error);
    predicted a = predict(m, LINE, x, 0, 1), b = predict(again, LINE, x, 0, 1);
    same_bits(a.mean, b.mean, LINE);
    same_bits(a.sd, b.sd, LINE);
    p.data.n /= 2;
    succeed(surekrig_refit(&p.data, m, &part, &error), &error);
    same_bits(part->lattice, m->lattice, 3);
    remove(path);
    free_predicted(&a);
    free_predicted(&b);
    surekrig_model_free(m);
    surekrig_model_free(again);
    surekrig_model_free(part);
    free(x);
    free_points(&p);
}

/* Half of the data, and before it rows where it ends: where those say that the half suffices, it does. Every other
 * place is on the data's grid, where many rows are equally near. */
static void part_suffices(const char *words)
{
    enum { N = 500 };
    points p = clustered(0), part = clustered(0), rows = clustered(0);
    double *x = make_places(N, 2, 1, 51);
    surekrig_model *m = fitted(&p, words), *half = NULL, *fenced = NULL;
    surekrig_error error;
    for (int i = 0; i < 2 * N; i++)
        x[i] = i / 2 % 2 ? (floor(40 * x[i]) + 0.5) / 40 : x[i];
    int64_t kept = 0, fence = 0, within[2] = {0};
    int is[N];
    for (int64_t i = 0; i < p.data.n; i++) /* what follows */
        if (p.x[2 * i] >= 0.7 && p.x[2 * i] < 0.73)
            memcpy(rows.x + 2 * fence++, p.x + 2 * i, 2 * sizeof *x);
    for (int64_t i = 0; i < p.data.n; i++)
        if (p.x[2 * i] < 0.7) {
            memcpy(part.x + 2 * kept, p.x + 2 * i, 2 * sizeof *x);
            memcpy(rows.x + 2 * (fence + kept), p.x + 2 * i, 2 * sizeof *x);
            part.y[kept++] = p.y[i];
        }
    part.data.n = kept;
    rows.data.n = fence + kept;
    succeed(surekrig_refit(&part.data, m, &half, &error), &error);
    succeed(surekrig_refit(&rows.data, m, &fenced, &error), &error);
    succeed(surekrig_within(fenced, &(surekrig_query){.n = N, .x = x, .threads = 1}, fence, is, &error), &error);
    predicted by_all = predict(m, N, x, 0, 1), by_half = predict(half, N, x, 0, 1);
    for (int i = 0; i < N; i++) {
        within[is[i]]++;
        if (is[i]) {
            same_bits(by_half.mean + i, by_all.mean + i, 1);
            same_bits(by_half.sd + i, by_all.sd + i, 1);
        }
    }
    assert_true(within[0] > N / 5 && within[1] > N / 5);
    free_predicted(&by_all);
    free_predicted(&by_half);
    surekrig_model_free(m);
    surekrig_model_free(half);
    surekrig_model_free(fenced);
    free(x);
    free_points(&p);
    free_points(&part);
    free_points(&rows);
}

static void a_part_of_the_data_may_suffice(void **state)
{
    (void)state;
    part_suffices("");
    part_suffices("sectors=no nodes=yes");
    part_suffices("sectors=no nodes=no");
}

/* Clusters around a place between nodes, in pitches: each node around it has a cluster next to it, or farther away in
 * its cell of every second row and column. One datum more, the first, is a neighbour of a single node, and of none that
 * it takes signs from. */
static void a_part_has_the_nodes_own_neighbours(void **state)
{
    (void)state;
    static const double AT[][3] = {{9, 10.35, 1},    {7.9, 7.9, 11}, {6.95, 8, 1}, {10.1, 7.9, 13}, {7.9, 10.1, 13},
                                   {10.1, 10.1, 13}, {12, 8, 13},    {8, 12, 13},  {12, 12, 13},    {10.3, 9, 1}};
    points p = make_field(2000, 2, 1, 1, 0.2, 0.01, 21), some = make_field(200, 2, 1, 1, 0.2, 0.01, 21);
    surekrig_model *m = fit(&p.data, "preset=coverage optimizer=lbfgs coverage=none nu=1 rho=0.5 tau2=0.01 mean=local "
                                     "variance=local anisotropic=no sectors=no nodes=yes neighbors=8"),
                   *part, *all;
    surekrig_error error;
    int64_t n = 0;
    int is = -1;
    for (size_t c = 0; c < sizeof AT / sizeof *AT; c++)
        for (int i = 0; i < (int)AT[c][2]; i++, n++) {
            double off = AT[c][2] > 1 ? 0.03 : 0, at[2];
            for (int a = 0; a < 2; a++)
                at[a] = AT[c][a] + off * normal(5, (uint64_t)(2 * n + a));
            node_place(m, at, some.x + 2 * n);
            some.y[n] = normal(6, (uint64_t)n);
        }
    some.y[0] = 50;
    some.data.n = n;
    surekrig_data others = some.data;
    others.n--;
    others.x += 2;
    others.y++;
    double x[2];
    node_place(m, (double[]){8.9, 8.9}, x);
    succeed(surekrig_refit(&others, m, &part, &error), &error);
    succeed(surekrig_refit(&some.data, m, &all, &error), &error);
    succeed(surekrig_within(all, &(surekrig_query){.n = 1, .x = x, .threads = 1}, 1, &is, &error), &error);
    predicted by_part = predict(part, 1, x, 0, 1), by_all = predict(all, 1, x, 0, 1);
    assert_true(m->widths.local && fabs(by_part.mean[0] - by_all.mean[0]) > 0.1);
    assert_int_equal(is, 0);
    succeed(surekrig_within(all, &(surekrig_query){.n = 1, .x = x, .threads = 1}, 0, &is, &error), &error);
    assert_int_equal(is, 1); /* without a fence all is within */
    free_predicted(&by_part);
    free_predicted(&by_all);
    surekrig_model_free(m);
    surekrig_model_free(part);
    surekrig_model_free(all);
    free_points(&p);
    free_points(&some);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    points p = make_field(60, 3, 1, 1, 0.3, 0.01, 61);
    fit_is_refused(&p.data, "nodes=yes anisotropic=no", SUREKRIG_INVALID, "two coordinates");
    free_points(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_have_no_steps),
        cmocka_unit_test(no_answer_depends_on_the_others),
        cmocka_unit_test(dense_places_are_kriged_alone),
        cmocka_unit_test(all_neighbours_are_the_exact_process),
        cmocka_unit_test(places_are_blends_of_their_nodes),
        cmocka_unit_test(signs_in_gaps_come_from_farther_around),
        cmocka_unit_test(files_and_refits_keep_the_lattice),
        cmocka_unit_test(a_part_of_the_data_may_suffice),
        cmocka_unit_test(a_part_has_the_nodes_own_neighbours),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
