/* link: -Wl,--wrap=malloc,--wrap=sk_now */
/* Ranks that are threads of this process: what they fit, predict, save and refuse together is what one process does
 * with all rows, to the bit. So the sanitizers see what processes would hide from them. */
#include "base/ranks.h"
#include "file/file.h"
#include "fit_support.h"

#include <pthread.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------- the transport */

enum { RANKS = 5 };

/* What each rank shows the others between two meetings. */
typedef struct world {
    pthread_barrier_t meeting;
    const char *out[RANKS];
    const int64_t *bytes[RANKS];
} world;

static void gather(const sk_ranks *ranks, const void *own, const int64_t *bytes, void *all)
{
    world *w = ranks->with;
    char *to = all;
    w->out[ranks->rank] = own;
    pthread_barrier_wait(&w->meeting);
    for (int r = 0; r < ranks->size; to += bytes[r++])
        if (bytes[r])
            memcpy(to, w->out[r], (size_t)bytes[r]);
    pthread_barrier_wait(&w->meeting);
}

static void exchange(const sk_ranks *ranks, const void *out, const int64_t *out_bytes, void *in,
                     const int64_t *in_bytes)
{
    world *w = ranks->with;
    char *to = in;
    w->out[ranks->rank] = out;
    w->bytes[ranks->rank] = out_bytes;
    pthread_barrier_wait(&w->meeting);
    for (int r = 0; r < ranks->size; to += in_bytes[r++]) {
        const char *from = w->out[r];
        for (int s = 0; s < ranks->rank; s++)
            from += w->bytes[r][s];
        if (in_bytes[r])
            memcpy(to, from, (size_t)in_bytes[r]);
    }
    pthread_barrier_wait(&w->meeting);
}

static void fail_all(const sk_ranks *ranks, const char *sentence)
{
    fprintf(stderr, "rank %d: %s\n", ranks->rank, sentence);
    abort();
}

/* ---------------------------------------------------------------------------------------------- memory that runs out */

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

static _Thread_local size_t refused; /* what has this size, on this rank */

/* What was in memory before: large numbers on one rank, on the next one large negative ones. */
static _Thread_local int litter = 0xfe;

void *__wrap_malloc(size_t size)
{
    void *made = refused && size == refused ? NULL : __real_malloc(size);
    return made ? memset(made, litter, size) : NULL;
}

/* ----------------------------------------------------------------------------------------------- clocks that differ */

double __real_sk_now(void);
double __wrap_sk_now(void);

/* Where a tick is set, the clock of this rank goes by it each time it is asked. */
static _Thread_local double tick, ticked;

double __wrap_sk_now(void)
{
    return tick > 0 ? (ticked += tick) : __real_sk_now();
}

/* ------------------------------------------------------------------------------------------------------ the jobs */

enum { N = 260, D = 2, POINTS = 30, LEVELS = 2 };
static const double LEVEL[LEVELS] = {0.5, 0.9};

typedef struct answer {
    double mean[POINTS], sd[POINTS], lower[POINTS * LEVELS], upper[POINTS * LEVELS], estimate[12], loss, within,
        max_jitter;
    int64_t evaluations, shared[2], counted[2]; /* jittered and beyond */
} answer;

typedef struct job {
    surekrig_data data; /* of all */
    const double *at;   /* [POINTS][D] */
    bool noisy;         /* these points have noise of their own */
    const char *words;
    const char *path;               /* the model is saved there, and loaded; NULL: not */
    bool parts;                     /* likewise in parts */
    bool poor;                      /* for which the third rank has no memory */
    bool there;                     /* it is there already: nothing is saved */
    int lonely;                     /* a rank without rows; -1: none */
    const surekrig_validation *how; /* it is cross-validated; NULL: not */
    bool often;                     /* before with fewer blocks, then twice with the same */
    int64_t many;                   /* so many points are predicted besides */
    int64_t ordered;                /* so many points are put in order; 0: none */
    bool fetches;                   /* rows come, go, and others come in their places */
    bool again;                     /* all but the first rows are fitted again, with what was found */
    bool alike;                     /* each rank has all rows */
    const double *ticks;            /* of the first rank's clock and of the others'; NULL: as it is */
} job;

/* What is told of rows that a rank gave. */
typedef struct residuals {
    int64_t row[N];
    double mean[N], sd[N], distance[N], lower[N * LEVELS], x[N * D], y[N];
    surekrig_validated made;
    surekrig_by_distance scores;
    surekrig_scores together;
} residuals;

typedef struct rank {
    const job *of;
    surekrig_ranks ranks;
    answer found, loaded, apart;
    residuals left_out;
    double *mean;   /* [many] */
    int64_t *order; /* [ordered] */
    surekrig_status status;
    surekrig_error error;
} rank;

static double noise[N];

static void count_points(const surekrig_prediction *out, answer *a)
{
    a->counted[0] = out->jittered;
    a->counted[1] = out->beyond;
    a->max_jitter = out->max_jitter;
}

static surekrig_status answer_of(const surekrig_model *m, const job *j, answer *a, surekrig_error *error)
{
    const surekrig_info *info = surekrig_model_info(m);
    surekrig_query query = {.n = POINTS, .x = j->at, .threads = 1, .levels = LEVELS, .level = LEVEL};
    query.noise = j->noisy ? noise : NULL;
    surekrig_prediction out = {.mean = a->mean, .sd = a->sd, .lower = a->lower, .upper = a->upper};
    for (int i = 0; i < info->estimates && i < 12; i++)
        a->estimate[i] = info->estimate[i].value;
    a->loss = info->loss;
    a->evaluations = info->evaluations;
    a->shared[0] = info->shared_rows;
    a->shared[1] = info->shared_places;
    a->within = info->within_sd ? info->within_sd[0] : 0;
    surekrig_status status = surekrig_predict(m, &query, NULL, &out, error);
    count_points(&out, a);
    return status;
}

/* Some of the points by itself, the first rank the fewest: as all of them are told to all; NaN where there is none. */
static surekrig_status apart_of(const surekrig_model *m, const sk_ranks *link, const job *j, answer *a,
                                surekrig_error *error)
{
    int64_t r = link->rank, from = POINTS * r * r / link->size / link->size,
            n = POINTS * (r + 1) * (r + 1) / link->size / link->size - from;
    surekrig_query query = {
        .n = n, .x = j->at + from * j->data.d, .threads = 1, .levels = LEVELS, .level = LEVEL, .apart = 1};
    surekrig_prediction out = {a->mean + from, a->sd + from, .lower = a->lower + from * LEVELS,
                               .upper = a->upper + from * LEVELS};
    query.noise = j->noisy ? noise + from : NULL;
    memset(a->mean + from, 0xff, (size_t)n * sizeof *a->mean);
    memset(a->sd + from, 0xff, (size_t)n * sizeof *a->sd);
    surekrig_status status = surekrig_predict(m, &query, NULL, &out, error);
    count_points(&out, a);
    return status;
}

/* Points among the rows and around them, by the leaves of one tree of all rows. */
static surekrig_status put_in_order(const surekrig_model *m, int64_t n, int64_t *order, surekrig_error *error)
{
    double *place = malloc((size_t)(n * D) * sizeof *place);
    for (int64_t i = 0; i < n * D; i++)
        place[i] = 3 * sk_uniform(18, 3, (uint64_t)i) - 1;
    surekrig_status status = sk_seek_order(&(sk_seek){&m->kriged, m->index, &m->frame}, n, place, 1, order, error);
    free(place);
    return status;
}

/* Several blocks, whose neighbours are found ahead. */
static surekrig_status predict_many(const surekrig_model *m, int64_t n, double *mean, surekrig_error *error)
{
    double *place = malloc((size_t)(n * D) * sizeof *place);
    for (int64_t i = 0; i < n * D; i++)
        place[i] = sk_uniform(17, 3, (uint64_t)i);
    surekrig_query query = {.n = n, .x = place, .threads = 2};
    surekrig_status status = surekrig_predict(m, &query, NULL, &(surekrig_prediction){.mean = mean}, error);
    free(place);
    return status;
}

static surekrig_status validate(const surekrig_model *m, const surekrig_validation *how, residuals *v,
                                surekrig_error *error)
{
    v->made = (surekrig_validated){
        .row = v->row, .mean = v->mean, .sd = v->sd, .distance = v->distance, .lower = v->lower, .x = v->x, .y = v->y};
    surekrig_status status = surekrig_validate(m, how, NULL, &v->made, error);
    if (!status)
        status = surekrig_score_distances(m, &v->made, 0, LEVEL[1], &v->scores, error);
    bool any = v->made.count > 0; /* a rank without rows has no arrays */
    surekrig_scored scored = {.n = v->made.count,
                              .y = any ? v->y : NULL,
                              .mean = any ? v->mean : NULL,
                              .sd = any ? v->sd : NULL,
                              .quantile = surekrig_model_quantile(m, 0, LEVEL[1]),
                              .ranks = m->data.ranks};
    return status ? status : surekrig_score(&scored, LEVEL[1], &v->together, error);
}

/* Rows that others have are fetched from some numbers on. */
static surekrig_status take(const surekrig_model *m, int64_t from, int64_t count, surekrig_error *error)
{
    int64_t row[N];
    for (int64_t i = 0; i < count; i++)
        row[i] = from + i;
    return sk_rows_take(&m->data, count, row, error);
}

/* Marks that are set anew between a time that rows are forgotten and the time that others' trend is made. */
static surekrig_status fetch(const surekrig_model *m, surekrig_error *error)
{
    if (m->data.ranks)
        m->data.ranks->kept = m->data.ranks->own; /* what training has fetched goes */
    sk_rows_forget(&m->data);
    surekrig_status status = take(m, 0, 100, error);
    sk_model_derive(m);
    sk_rows_forget(&m->data);
    if (!status)
        status = take(m, 100, 50, error);
    sk_rows_mark(&m->data);
    if (!status)
        status = take(m, 200, 60, error);
    sk_model_derive(m);
    for (int64_t i = 0; i < sk_held(&m->data) && !status; i++) {
        double column[D];
        sk_trend_features(&m->trend, m->data.x + i * D, column);
        if (memcmp(column, m->kriged.y + i * m->kriged.l + 1, (size_t)m->trend.columns * sizeof *column) != 0)
            status = sk_fail(error, SUREKRIG_DATA, "row %lld has the trend of another", (long long)i);
    }
    sk_rows_forget(&m->data);
    return status;
}

/* Rows of rank r: begin .. begin of the next one. */
static int64_t first_row(const job *of, int size, int r)
{
    return of->lonely >= 0 && r > of->lonely ? of->data.n * (r - 1) / (size - 1)
           : of->lonely >= 0                 ? of->data.n * r / (size - 1)
                                             : of->data.n * r / size;
}

/* Under the model's hyperparameters, the rows of a part but for the first of all. */
static surekrig_status fit_again(const surekrig_model *m, surekrig_data part, const job *j, answer *a,
                                 surekrig_error *error)
{
    enum { LESS = 20 };
    surekrig_model *again = NULL;
    bool first = !part.ranks || part.ranks->link.rank == 0;
    part.n -= first ? LESS : 0;
    part.x += first ? LESS * part.d : 0;
    part.y += first ? LESS : 0;
    surekrig_status status = surekrig_refit(&part, m, &again, error);
    if (!status)
        status = answer_of(again, j, a, error);
    surekrig_model_free(again);
    return status;
}

static void save_and_load(rank *self, const surekrig_model *m)
{
    const job *j = self->of;
    const sk_ranks *link = &self->ranks.link;
    surekrig_model *again = NULL;
    refused = j->poor && link->rank == 2 ? sizeof(double) << 16 : 0; /* a block of a part */
    if (!j->there)
        self->status = (j->parts ? surekrig_model_save_parts : surekrig_model_save)(m, j->path, &self->error);
    refused = 0;
    if (!self->status)
        self->status = sk_model_load_on(link->size > 1 ? &self->ranks : NULL, j->path, &again, &self->error);
    if (!self->status)
        self->status = answer_of(again, j, &self->loaded, &self->error);
    surekrig_model_free(again);
}

static void *run_rank(void *of)
{
    rank *self = of;
    const job *j = self->of;
    sk_ranks *link = &self->ranks.link;
    surekrig_data part = j->data;
    litter = link->rank % 2 ? 0x7f : 0xfe;
    int64_t begin = link->size > 1 && !j->alike ? first_row(j, link->size, link->rank) : 0;
    tick = j->ticks ? j->ticks[link->rank > 0] : 0;
    self->ranks.alike = j->alike;
    if (j->alike) {
        part.ranks = &self->ranks;
    } else if (link->size > 1) {
        part.n = (link->rank + 1 < link->size ? first_row(j, link->size, link->rank + 1) : j->data.n) - begin;
        part.ranks = &self->ranks;
    }
    part.x += begin * part.d;
    part.y += begin;
    part.noise = part.noise ? part.noise + begin : NULL;
    part.group = part.group ? part.group + begin : NULL;
    surekrig_settings *settings = settings_of(j->words);
    surekrig_model *m = NULL;
    self->status = surekrig_fit(&part, settings, NULL, &m, &self->error);
    if (!self->status)
        self->status = answer_of(m, j, &self->found, &self->error);
    self->apart = self->found;
    if (!self->status)
        self->status = apart_of(m, link, j, &self->apart, &self->error);
    if (!self->status && j->many)
        self->status = predict_many(m, j->many, self->mean, &self->error);
    if (!self->status && j->ordered)
        self->status = put_in_order(m, j->ordered, self->order, &self->error);
    if (!self->status && j->fetches)
        self->status = fetch(m, &self->error);
    if (!self->status && j->how) {
        surekrig_validation how = *j->how;
        how.group = how.group && link->rank != 2 ? how.group + begin : NULL;
        for (int turn = j->often ? 0 : 2; turn < 3 && !self->status; turn++) {
            surekrig_validation now = how;
            now.blocks -= turn == 0;
            self->status = validate(m, &now, &self->left_out, &self->error);
        }
    }
    if (!self->status && j->again)
        self->status = fit_again(m, part, j, &self->loaded, &self->error);
    if (!self->status && j->path)
        save_and_load(self, m);
    surekrig_model_free(m);
    surekrig_settings_free(settings);
    return NULL;
}

static void run_job(const job *of, int size, rank *all)
{
    world w;
    pthread_t thread[RANKS];
    pthread_barrier_init(&w.meeting, NULL, (unsigned)size);
    for (int r = 0; r < size; r++) {
        all[r] = (rank){.of = of,
                        .ranks.link = {r, size, &w, gather, exchange, fail_all},
                        .mean = all[r].mean,
                        .order = all[r].order};
        assert_int_equal(pthread_create(&thread[r], NULL, run_rank, &all[r]), 0);
    }
    for (int r = 0; r < size; r++)
        pthread_join(thread[r], NULL);
    pthread_barrier_destroy(&w.meeting);
}

/* ----------------------------------------------------------------------------------------------------- the tests */

static double x[N * 3], y[N], at[POINTS * 3];
static int64_t group[N];

/* A cloud, or a grid where most places are several rows'. */
static job make_job(const char *words, bool grid)
{
    for (int i = 0; i < N * D; i++) {
        double u = sk_uniform(11, 1, (uint64_t)i);
        x[i] = grid ? floor(9 * u) / 9 : u;
    }
    for (int i = 0; i < N; i++) {
        y[i] = sin(5 * x[D * i]) + x[D * i + 1] + 0.1 * normal(12, (uint64_t)i);
        noise[i] = 0.01 * (1 + i % 3);
        group[i] = i % 40;
    }
    for (int i = 0; i < POINTS * D; i++)
        at[i] = i % 3 ? 1.2 * sk_uniform(13, 2, (uint64_t)i) - 0.1 : x[i];
    return (job){.data = {.n = N, .d = D, .l = 1, .x = x, .y = y}, .at = at, .words = words, .lonely = -1};
}

static void same(const answer *a, const answer *b)
{
    assert_memory_equal(a->mean, b->mean, sizeof a->mean);
    assert_memory_equal(a->sd, b->sd, sizeof a->sd);
    assert_memory_equal(a->lower, b->lower, sizeof a->lower);
    assert_memory_equal(a->upper, b->upper, sizeof a->upper);
    assert_memory_equal(a->estimate, b->estimate, sizeof a->estimate);
    assert_true(a->loss == b->loss || (isnan(a->loss) && isnan(b->loss)));
    assert_int_equal(a->evaluations, b->evaluations);
    assert_memory_equal(a->shared, b->shared, sizeof a->shared);
    close_to(a->within, b->within, 1e-12);
    assert_memory_equal(a->counted, b->counted, sizeof a->counted);
    assert_true(a->max_jitter == b->max_jitter);
}

/* Of points of their own ranks count their own. */
static void count_together(rank *all, int size)
{
    answer sum = {0};
    for (int r = 0; r < size; r++) {
        sum.counted[0] += all[r].apart.counted[0];
        sum.counted[1] += all[r].apart.counted[1];
        sum.max_jitter = fmax(sum.max_jitter, all[r].apart.max_jitter);
    }
    for (int r = 0; r < size; r++) {
        memcpy(all[r].apart.counted, sum.counted, sizeof sum.counted);
        all[r].apart.max_jitter = sum.max_jitter;
    }
}

/* On some ranks, each of which must have what one process has. */
static void compare(job j, const int *sizes, int count)
{
    static rank alone[1], many[RANKS];
    run_job(&j, 1, alone);
    succeed(alone->status, &alone->error);
    for (int i = 0; i < count; i++) {
        run_job(&j, sizes[i], many);
        count_together(many, sizes[i]);
        for (int r = 0; r < sizes[i]; r++) {
            succeed(many[r].status, &many[r].error);
            same(&many[r].found, &alone->found);
            same(&many[r].apart, &alone->found);
            if (j.path || j.again)
                same(&many[r].loaded, &alone->loaded);
        }
    }
}

#define GIVEN "threads=1 preset=coverage nu=0.5 rho=0.4 tau2=0.01 coverage=none neighbors=9 batch=60 calibration=80 "
#define SEARCHED "threads=1 preset=coverage coverage=0.9 neighbors=8 batch=50 rounds=2 evaluations=6 polish=0 "

static void given_hyperparameters(void **state)
{
    (void)state;
    compare(make_job(GIVEN "variance=local interval=conformal", false), (int[]){2, 3, 5}, 3);
    compare(make_job(GIVEN "variance=local mean=trend", true), (int[]){2, 5}, 2);
    compare(make_job(GIVEN "sectors=yes nodes=yes", false), (int[]){3}, 1);
    compare(make_job(GIVEN "sphere=x1,x2 rho=40 variance=local mean=trend", false), (int[]){3}, 1); /* in km */
}

/* In space and on a grid, where sectors meet in many of the points. */
static void sectors_of_a_cube(void **state)
{
    (void)state;
    job j = make_job(GIVEN "sectors=yes neighbors=12", true);
    for (int i = 0; i < N * 3; i++)
        x[i] = floor(7 * sk_uniform(14, 1, (uint64_t)i)) / 7;
    for (int i = 0; i < POINTS * 3; i++)
        at[i] = floor(7 * sk_uniform(15, 2, (uint64_t)i)) / 7;
    j.data.d = 3;
    compare(j, (int[]){2, 3}, 2);
}

static void groups_and_noise(void **state)
{
    (void)state;
    job j = make_job(GIVEN, true);
    j.data.noise = noise;
    j.noisy = true;
    compare(j, (int[]){3}, 1);
    j.data.noise = NULL;
    j.data.group = group;
    j.words = GIVEN "variance=local";
    compare(j, (int[]){2, 4}, 2);
}

/* Singular matrices, and points farther off than all that was seen. */
static void points_that_are_counted(void **state)
{
    (void)state;
    static rank alone[1];
    job j = make_job(GIVEN "tau2=0 variance=local", false);
    for (int i = 0; i < N; i += 5)
        memcpy(x + D * i, x + D * (i + 1), D * sizeof *x);
    at[0] = at[D * POINTS - 1] = 9;
    run_job(&j, 1, alone);
    succeed(alone->status, &alone->error);
    assert_in_range(alone->found.counted[0], 1, POINTS - 1);
    assert_in_range(alone->found.counted[1], 1, POINTS - 1);
    compare(j, (int[]){2, 5}, 2);
}

static void groups_by_features(void **state)
{
    (void)state;
    compare(make_job(GIVEN "by=x1 variance=local", true), (int[]){2, 3, 5}, 3);
    job j = make_job(GIVEN "by=x1,x2", true);
    j.lonely = 1;
    compare(j, (int[]){4}, 1);
    j = make_job(GIVEN "by=x1 variance=local", true); /* a group so large that without it others are too few */
    for (int i = 8; i < N; i++)
        x[D * i] = 0.5;
    compare(j, (int[]){3}, 1);
}

/* New rows under what was found: of one model, of a trend, of a metric. */
static void hyperparameters_kept(void **state)
{
    (void)state;
    static const char *const WORDS[] = {GIVEN "variance=local interval=conformal", GIVEN "variance=local mean=trend",
                                        SEARCHED "optimizer=local anisotropic=yes"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        job j = make_job(WORDS[i], i == 1);
        j.again = true;
        compare(j, i ? (int[]){3} : (int[]){2, 5}, i ? 1 : 2);
    }
}

static void neighbours_in_samples(void **state)
{
    (void)state;
    compare(make_job(GIVEN "holdout=thinned variance=local", false), (int[]){2, 3, 5}, 3);
    job j = make_job(GIVEN "holdout=thinned variance=local sectors=yes", true);
    j.lonely = 2;
    compare(j, (int[]){4}, 1);
}

/* The second feature is time. Targets lie at places with rows and without, between times, after and before them. */
static void targets_in_time(void **state)
{
    (void)state;
    job j = make_job(GIVEN "time=x2 holdout=task variance=local", true);
    static double target[POINTS * D];
    for (int kind = 0; kind < 4; kind++) {
        for (int i = 0; i < POINTS; i++) {
            double there = floor(9 * sk_uniform(14, 2, (uint64_t)i)) / 9, u = sk_uniform(15, 2, (uint64_t)i);
            target[D * i] = kind == 1 ? u : there;
            target[D * i + 1] = kind == 2 ? 1 + u / 3 : kind == 3 ? -u / 3 : floor(9 * u) / 9;
        }
        for (int i = 0; i < N && kind == 2; i++) /* and a time at which no place has any */
            x[D * i + 1] = x[D * i + 1] > 0.6 ? x[D * i + 1] + 5 : x[D * i + 1];
        for (int i = 0; i < POINTS && kind == 2; i += 2)
            target[D * i + 1] = 3;
        j.data.targets = POINTS;
        j.data.target = target;
        j.lonely = kind == 1 ? 0 : -1;
        compare(j, (int[]){2, 3, 5}, 3);
    }
}

/* So many that leaving the place out would leave too few. */
static void nearly_all_rows_at_one_place(void **state)
{
    (void)state;
    job j = make_job(SEARCHED "optimizer=local", false);
    for (int i = 0; i < N * D; i++)
        x[i] = i / D % 52 ? 0.5 : x[i % (2 * 52 * D)]; /* the others at two places */
    compare(j, (int[]){3}, 1);
}

static void a_rank_without_rows(void **state)
{
    (void)state;
    job j = make_job(GIVEN "variance=local", false);
    for (j.lonely = 0; j.lonely < 4; j.lonely++)
        compare(j, (int[]){4}, 1);
}

static void fewer_rows_than_ranks(void **state)
{
    (void)state;
    job j = make_job("threads=1 preset=coverage nu=0.5 rho=0.4 tau2=0.01 coverage=none", false);
    for (j.data.n = 2; j.data.n < 5; j.data.n++)
        compare(j, (int[]){5}, 1);
}

static void searches(void **state)
{
    (void)state;
    compare(make_job(SEARCHED "optimizer=local", false), (int[]){3}, 1);
    compare(make_job(SEARCHED "optimizer=lbfgs", true), (int[]){2}, 1);
}

/* The first rank's clock counts for all, whether it is the slowest or the fastest. */
static void limited_seconds(void **state)
{
    (void)state;
    enum { FEWER = 40 };
    static const double TICKS[][2] = {{0.01, 100}, {100, 0.01}};
    static rank all[RANKS];
    static const char *const WORDS[] = {SEARCHED "optimizer=local evaluations=80 seconds=0.2",
                                        SEARCHED "optimizer=lbfgs anisotropic=yes seconds=0.2",
                                        SEARCHED "optimizer=bayes evaluations=80 seconds=0.2 mean=trend",
                                        "threads=1 auto=yes neighbors=8 seconds=0.2"};
    for (int i = 0; i < 2 * 2 * 4; i++) {
        job j = make_job(WORDS[i / 4], false);
        j.ticks = TICKS[i % 2];
        j.alike = i / 2 % 2;
        run_job(&j, 3, all);
        for (int r = 0; r < 3; r++) {
            succeed(all[r].status, &all[r].error);
            same(&all[r].found, &all[0].found);
        }
        assert_true(all->found.evaluations < FEWER);
    }
}

/* An approximate search passes over leaves of one tree of all rows, of which a rank has some homes. */
static void approximate_neighbours(void **state)
{
    (void)state;
    enum { MANY = 5000, AXES = 4 };
    static double place[MANY * AXES], value[MANY], asked[POINTS * AXES];
    static int64_t lake[MANY];
    static rank exact[1], nearly[1];
    for (int i = 0; i < MANY * AXES; i++)
        place[i] = i % 3 ? sk_uniform(16, 1, (uint64_t)i) : floor(20 * sk_uniform(16, 1, (uint64_t)i)) / 20;
    for (int i = 0; i < 200 * AXES; i++) /* some rows share a place */
        place[(MANY - 200) * AXES + i] = place[i];
    for (int i = 0; i < MANY; i++) {
        value[i] = sin(5 * place[AXES * i]) + place[AXES * i + 1] + 0.1 * normal(17, (uint64_t)i);
        lake[i] = (int64_t)(12 * place[AXES * i]);
    }
    for (int i = 0; i < POINTS * AXES; i++)
        asked[i] = i % 5 ? 1.2 * sk_uniform(18, 2, (uint64_t)i) - 0.1 : place[i];
    job j = {.data = {.n = MANY, .d = AXES, .l = 1, .x = place, .y = value}, .at = asked, .lonely = -1};
    j.words = GIVEN "search=exact";
    run_job(&j, 1, exact);
    j.words = GIVEN "search=approximate";
    run_job(&j, 1, nearly);
    assert_memory_not_equal(exact->found.mean, nearly->found.mean, sizeof exact->found.mean);
    compare(j, (int[]){2, 3, 5}, 3);
    j.words = GIVEN "search=approximate variance=local interval=conformal holdout=thinned";
    compare(j, (int[]){3}, 1);
    j.words = SEARCHED "search=approximate optimizer=lbfgs anisotropic=yes";
    compare(j, (int[]){4}, 1);
    j.lonely = 1;
    j.data.group = lake;
    j.words = GIVEN "search=approximate variance=local";
    compare(j, (int[]){3}, 1);
    j.data.group = NULL;
    j.data.targets = POINTS;
    j.data.target = asked;
    j.words = GIVEN "search=approximate holdout=distance variance=local";
    compare(j, (int[]){2}, 1);
    for (int i = 0; i < MANY; i++)
        place[AXES * i + AXES - 1] = floor(9 * place[AXES * i + AXES - 1]);
    j.words = GIVEN "search=approximate time=x4 holdout=task variance=local";
    compare(j, (int[]){3}, 1);
}

static void saved_and_loaded(void **state)
{
    (void)state;
    char path[] = "/tmp/surekrig-spread-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    job j = make_job(GIVEN "variance=local", true);
    j.path = path;
    compare(j, (int[]){3, 5}, 2);
    j.words = GIVEN;
    j.data.noise = noise;
    compare(j, (int[]){2}, 1);
    unlink(path);
}

/* What three ranks saved in parts is read by other numbers of them: each begins and ends within a part. */
static void parts_of_three_for_others(void **state)
{
    (void)state;
    static rank three[RANKS], others[RANKS];
    char folder[] = "/tmp/surekrig-spread-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/z.model", folder);
    job j = make_job(GIVEN "variance=local", true);
    j.data.group = group;
    j.path = path;
    j.parts = true;
    run_job(&j, 3, three);
    succeed(three->status, &three->error);
    j.there = true;
    for (int size = 1; size <= 5; size += size < 2 ? 1 : 3) {
        run_job(&j, size, others);
        for (int r = 0; r < size; r++) {
            succeed(others[r].status, &others[r].error);
            same(&others[r].loaded, &three->loaded);
            same(&others[r].loaded, &others[r].found);
        }
    }
    j.parts = j.there = false; /* without parts: those there are swept away */
    run_job(&j, 1, others);
    succeed(others->status, &others->error);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

/* A rank that has no memory to write its part takes part in what the others need of it, and all fail. */
static void a_part_without_memory(void **state)
{
    (void)state;
    static rank many[RANKS];
    char folder[] = "/tmp/surekrig-spread-XXXXXX", path[64], parts[80];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/z.model", folder);
    snprintf(parts, sizeof parts, "%s.parts", path);
    job j = make_job(GIVEN, false);
    j.path = path;
    j.parts = j.poor = true;
    run_job(&j, 4, many);
    for (int r = 0; r < 4; r++) {
        assert_int_equal(many[r].status, SUREKRIG_MEMORY);
        mentions(&many[r].error, "a part of the model");
    }
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_not_equal(access(parts, F_OK), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void more_ranks_than_can_be(void **state)
{
    (void)state;
    surekrig_error error;
    surekrig_model *m = NULL;
    surekrig_ranks ranks = {.link = {.size = 70000}};
    job j = make_job(GIVEN, false);
    surekrig_settings *settings = settings_of(GIVEN);
    j.data.ranks = &ranks;
    assert_int_equal(surekrig_fit(&j.data, settings, NULL, &m, &error), SUREKRIG_INVALID);
    mentions(&error, "at most 65536 ranks, not 70000");
    surekrig_settings_free(settings);
}

/* Each rank is told of the rows it gave, one after another; and all have the scores. */
static void same_residuals(const residuals *one, const rank *many, int size)
{
    int64_t from = 0;
    for (int r = 0; r < size; r++) {
        const residuals *v = &many[r].left_out;
        size_t n = (size_t)v->made.count;
        assert_true(from + v->made.count <= one->made.count);
        assert_memory_equal(v->row, one->row + from, n * sizeof *v->row);
        assert_memory_equal(v->mean, one->mean + from, n * sizeof(double));
        assert_memory_equal(v->sd, one->sd + from, n * sizeof(double));
        assert_memory_equal(v->distance, one->distance + from, n * sizeof(double));
        assert_memory_equal(v->lower, one->lower + from * LEVELS, n * LEVELS * sizeof(double));
        assert_memory_equal(v->x, one->x + from * D, n * D * sizeof(double));
        assert_memory_equal(v->y, one->y + from, n * sizeof(double));
        assert_int_equal(v->made.jittered, one->made.jittered);
        assert_int_equal(v->scores.classes, one->scores.classes);
        assert_memory_equal(&v->scores.all, &one->scores.all, sizeof v->scores.all);
        assert_memory_equal(&v->together, &one->together, sizeof v->together);
        assert_memory_equal(v->scores.of, one->scores.of, (size_t)one->scores.classes * sizeof *v->scores.of);
        from += v->made.count;
    }
    assert_int_equal(from, one->made.count);
}

static void left_out(void **state)
{
    (void)state;
    static rank alone[1], many[RANKS];
    const double after = 0.7;
    const surekrig_validation HOW[] = {{.blocks = 0}, {.blocks = 7},     {.blocks = N, .rows = 40},
                                       {.by = "x1"},  {.after = &after}, {.after = &after, .rows = 9, .seed = 3},
                                       {.rows = 100}, {.blocks = 8}};
    for (size_t i = 0; i < sizeof HOW / sizeof *HOW; i++) {
        surekrig_validation how = HOW[i];
        how.threads = 1;
        how.levels = LEVELS;
        how.level = LEVEL;
        bool often = how.blocks == 8; /* groups that guests did not know, and then do */
        job j = make_job(how.after ? GIVEN "time=x2" : often ? GIVEN "search=approximate" : GIVEN, i % 2);
        j.often = often;
        j.how = &how;
        j.lonely = i == 1 ? 2 : -1;
        run_job(&j, 1, alone);
        succeed(alone->status, &alone->error);
        for (int size = 3; size <= RANKS; size += 2) {
            run_job(&j, size, many);
            for (int r = 0; r < size; r++)
                succeed(many[r].status, &many[r].error);
            same_residuals(&alone->left_out, many, size);
        }
    }
}

/* Ranks that have all rows share the work, and each has all of what was found. */
static void left_out_by_ranks_that_are_alike(void **state)
{
    (void)state;
    static rank alone[1], many[RANKS];
    surekrig_validation how = {.threads = 1, .levels = LEVELS, .level = LEVEL};
    job j = make_job(GIVEN "tau2=0", false);
    /* Singular matrices, of the first one's rows alone, which are far from all others. */
    for (int i = 0; i < 14 * D; i++)
        x[i] += 10;
    memcpy(x, x + D, D * sizeof *x);
    j.how = &how;
    run_job(&j, 1, alone);
    succeed(alone->status, &alone->error);
    assert_true(alone->left_out.made.jittered > 0 && alone->left_out.made.max_jitter > 0);
    j.alike = true;
    run_job(&j, 3, many);
    for (int r = 0; r < 3; r++) {
        succeed(many[r].status, &many[r].error);
        same_residuals(&alone->left_out, &many[r], 1);
        assert_true(many[r].left_out.made.max_jitter == alone->left_out.made.max_jitter);
    }
}

static void others_in_their_places(void **state)
{
    (void)state;
    job j = make_job(GIVEN "mean=trend", false);
    j.fetches = true;
    compare(j, (int[]){2, 4}, 2);
}

/* Groups beside the model's own are of rows that were given, which lie elsewhere now; one rank gives none. */
static void groups_of_the_caller(void **state)
{
    (void)state;
    static rank many[RANKS];
    job j = make_job(GIVEN, false);
    surekrig_validation how = {.threads = 1, .group = group};
    j.how = &how;
    run_job(&j, 4, many);
    for (int r = 0; r < 4; r++) {
        assert_int_equal(many[r].status, SUREKRIG_INVALID);
        mentions(&many[r].error, "groups that the model does not know are not for many ranks yet");
    }
}

static void several_blocks(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    static const char *const WORDS[] = {GIVEN "mean=trend variance=local", GIVEN "sectors=yes nodes=yes"};
    static double mean[3][MANY];
    static rank alone[1], many[RANKS];
    for (int i = 0; i < 2; i++) {
        job j = make_job(WORDS[i], false);
        j.many = MANY;
        alone->mean = mean[0];
        many[0].mean = mean[1];
        many[1].mean = mean[2];
        run_job(&j, 1, alone);
        succeed(alone->status, &alone->error);
        run_job(&j, 2, many);
        for (int r = 0; r < 2; r++) {
            succeed(many[r].status, &many[r].error);
            assert_memory_equal(many[r].mean, alone->mean, sizeof mean[0]);
        }
    }
}

/* So many rows that their tree has branches, and held-out points that they are kriged in blocks. */
static void many_rows(void **state)
{
    (void)state;
    enum { ROWS = 2500, ASKED = 3000, SIZE = 3 };
    static double far[ROWS * D], value[ROWS];
    static int64_t order[SIZE + 1][ASKED];
    static rank alone[1], many[RANKS];
    for (int grid = 0; grid < 2; grid++) {
        job j = make_job(GIVEN "calibration=2200 variance=local", false);
        for (int i = 0; i < ROWS * D; i++) {
            double u = sk_uniform(16, 1, (uint64_t)i);
            far[i] = grid ? floor(20 * u) / 20 : u;
            value[i / D] = u;
        }
        j.data.n = ROWS;
        j.data.x = far;
        j.data.y = value;
        j.ordered = ASKED;
        alone->order = order[SIZE];
        for (int r = 0; r < SIZE; r++)
            many[r].order = order[r];
        run_job(&j, 1, alone);
        succeed(alone->status, &alone->error);
        run_job(&j, SIZE, many);
        for (int r = 0; r < SIZE; r++) {
            succeed(many[r].status, &many[r].error);
            assert_memory_equal(order[r], order[SIZE], sizeof order[r]);
            same(&many[r].found, &alone->found);
        }
    }
}

/* All ranks have the sentence that one process has, with the row's number in the file. */
static void bad_rows(void **state)
{
    (void)state;
    static rank alone[1], many[RANKS];
    job j = make_job(GIVEN, false);
    y[200] = NAN;
    run_job(&j, 1, alone);
    run_job(&j, 4, many);
    assert_int_not_equal(alone->status, SUREKRIG_OK);
    for (int r = 0; r < 4; r++) {
        assert_int_equal(many[r].status, alone->status);
        assert_string_equal(many[r].error.sentence, alone->error.sentence);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_hyperparameters),
        cmocka_unit_test(sectors_of_a_cube),
        cmocka_unit_test(groups_and_noise),
        cmocka_unit_test(points_that_are_counted),
        cmocka_unit_test(groups_by_features),
        cmocka_unit_test(hyperparameters_kept),
        cmocka_unit_test(neighbours_in_samples),
        cmocka_unit_test(targets_in_time),
        cmocka_unit_test(nearly_all_rows_at_one_place),
        cmocka_unit_test(a_rank_without_rows),
        cmocka_unit_test(fewer_rows_than_ranks),
        cmocka_unit_test(searches),
        cmocka_unit_test(limited_seconds),
        cmocka_unit_test(approximate_neighbours),
        cmocka_unit_test(saved_and_loaded),
        cmocka_unit_test(parts_of_three_for_others),
        cmocka_unit_test(a_part_without_memory),
        cmocka_unit_test(more_ranks_than_can_be),
        cmocka_unit_test(left_out),
        cmocka_unit_test(left_out_by_ranks_that_are_alike),
        cmocka_unit_test(others_in_their_places),
        cmocka_unit_test(groups_of_the_caller),
        cmocka_unit_test(several_blocks),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(bad_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
