/* Problems of kriging at random, and their answers on every back end. */
#ifndef KRIGE_SUPPORT_H
#define KRIGE_SUPPORT_H

#include "krige/krige.h"
#include "support.h"

static const char *BACKENDS[8] = {"reference"}; /* and those that this machine has, auto last */
static int backends = 1;

static inline int find_backends(void **state)
{
    const char *const fast[] = {"portable", "avx2", "avx512", "auto"};
    (void)state;
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++)
        if (sk_backend_find(fast[i]))
            BACKENDS[backends++] = fast[i];
        else
            printf("skipped: back end %s, which this machine cannot run\n", fast[i]);
    return 0;
}

/* Data, neighbourhoods and theta, each of the caller's making; the arrays are the problem's. */
typedef struct problem {
    surekrig_data data;
    surekrig_neighborhoods hoods;
    surekrig_theta theta;
    surekrig_term term[2];
    double *x, *y, *noise, *target, *rho;
    int64_t *neighbor, *count;
} problem;

typedef struct shape {
    int64_t n, d, l, points, k;
} shape;

/* Uniform points and targets, normal responses, each neighbourhood k distinct rows at random; nugget 1e-3. */
static inline problem new_problem(shape s, double nu, uint64_t seed)
{
    problem p = {.x = sk_doubles(s.n * s.d),
                 .y = sk_doubles(s.n * s.l),
                 .noise = sk_doubles(s.n),
                 .target = sk_doubles(s.points * s.d),
                 .rho = sk_doubles(2 * s.d),
                 .neighbor = sk_alloc(s.points * s.k, sizeof(int64_t)),
                 .count = sk_alloc(s.points, sizeof(int64_t))};
    draws d = {seed, 0};
    fill_uniform(&d, s.n * s.d, 0, 1, p.x);
    fill_normal(&d, s.n * s.l, p.y);
    fill_uniform(&d, s.n, 0, 0.3, p.noise);
    fill_uniform(&d, s.points * s.d, -0.1, 1.1, p.target);
    fill_uniform(&d, 2 * s.d, 0.3, 0.6, p.rho);
    for (int64_t i = 0; i < s.points; i++) {
        int64_t *row = p.neighbor + i * s.k;
        assert_int_equal(sk_sample_rows(seed + (uint64_t)i, s.n, s.k, row, NULL), SUREKRIG_OK);
        for (int64_t j = s.k - 1; j > 0; j--) { /* in no order */
            int64_t other = draw_below(&d, j + 1), held = row[j];
            row[j] = row[other];
            row[other] = held;
        }
        p.count[i] = 1 + draw_below(&d, s.k);
    }
    p.data = (surekrig_data){.n = s.n, .d = s.d, .l = s.l, .x = p.x, .y = p.y};
    p.hoods = (surekrig_neighborhoods){s.points, s.k, p.neighbor, NULL, p.target};
    p.term[0] = (surekrig_term){1, nu, p.rho};
    p.theta = (surekrig_theta){1, NULL, 1e-3, 1.7};
    return p;
}

static inline void free_problem(problem *p)
{
    void *owned[] = {p->x, p->y, p->noise, p->target, p->rho, p->neighbor, p->count};
    for (int i = 0; i < 7; i++)
        free(owned[i]);
}

typedef struct answer {
    double *mean, *variance, *jitter; /* [points][l], [points], [points] */
} answer;

static inline answer new_answer(const problem *p)
{
    int64_t points = p->hoods.n;
    return (answer){sk_doubles(points * p->data.l), sk_doubles(points), sk_doubles(points)};
}

static inline void free_answer(answer *a)
{
    free(a->mean);
    free(a->variance);
    free(a->jitter);
}

static inline answer krige_on(problem *p, const char *backend)
{
    answer a = new_answer(p);
    surekrig_kriged out = {a.mean, a.variance, a.jitter};
    surekrig_error error = {0};
    p->theta.term = p->term;
    succeeded(surekrig_krige(&p->data, &p->hoods, &p->theta, backend, &out, &error), &error);
    for (int64_t i = 0; i < p->hoods.n; i++)
        assert_true(a.variance[i] >= 0 && a.jitter[i] >= 0);
    return a;
}

/* Largest absolute differences; NaN where either has one. */
static inline double mean_gap(const problem *p, const double *a, const double *b)
{
    double gap = 0;
    for (int64_t i = 0; i < p->hoods.n * p->data.l; i++)
        gap = fabs(a[i] - b[i]) <= gap ? gap : fabs(a[i] - b[i]);
    return gap;
}

static inline double variance_gap(const problem *p, const double *a, const double *b)
{
    double gap = 0;
    for (int64_t i = 0; i < p->hoods.n; i++)
        gap = fabs(a[i] - b[i]) <= gap ? gap : fabs(a[i] - b[i]);
    return gap;
}

/* On every back end, which must agree; the fastest one's answer is returned. */
static inline answer krige(problem *p)
{
    answer first = krige_on(p, BACKENDS[0]);
    for (int b = 1; b < backends; b++) {
        answer other = krige_on(p, BACKENDS[b]);
        assert_true(mean_gap(p, first.mean, other.mean) <= 1e-11);
        assert_true(variance_gap(p, first.variance, other.variance) <= 1e-11);
        free_answer(&first);
        first = other;
    }
    return first;
}

#endif
