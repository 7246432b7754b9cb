/* Neighbours among rows that are dealt out over ranks are those of one index of all rows: nearest, without a row, beyond
 * a distance, without a group, in sectors; on grids, where most distances are equal, and where a rank has next to
 * nothing. Every rank has all rows here, to compare with. */
#include "spread/spread.h"
#include "surekrig_mpi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static surekrig_ranks *ranks;
static int rank, size, compared;

static void must(surekrig_status status, const surekrig_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "rank %d: %s\n", rank, error->sentence);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

typedef struct cloud {
    const char *name;
    int64_t n, d;
    bool grid; /* whole numbers, and most places several times */
} cloud;

static void fill(const cloud *c, double *x, double *y, int64_t *group)
{
    for (int64_t i = 0; i < c->n * c->d; i++) {
        double u = sk_uniform(5, 1, (uint64_t)i);
        x[i] = c->grid ? floor(12 * u) : u;
    }
    for (int64_t i = 0; i < c->n; i++) {
        y[i] = (double)i;
        group[i] = i % 7;
    }
}

static void nothing(void *of)
{
    (void)of;
}

typedef struct fixture {
    surekrig_data all, whole;
    surekrig_index *index, *own; /* of all rows, and of a rank's */
    sk_frame frame;
    sk_seek seek;
} fixture;

static void compare(const fixture *f, const surekrig_neighbor_query *q, const char *what, bool apart)
{
    surekrig_error error;
    surekrig_neighbor_query dealt = *q;
    int64_t n = q->n, k = q->k, *row = q->row ? sk_copy(q->row, n, sizeof *row) : NULL;
    int64_t *wanted = sk_alloc(n * k, sizeof *wanted), *found = sk_alloc(n * k, sizeof *found);
    int64_t *most = sk_alloc(n, sizeof *most), *count = sk_alloc(n, sizeof *count);
    if (row)
        must(sk_rows_take(&f->whole, n, row, &error), &error);
    dealt.row = row;
    dealt.group = q->group ? f->whole.group : NULL;
    f->whole.ranks->apart = apart;
    if (apart) /* each asks another part of them, the last none */
        dealt.n = n = size == 1 ? n : n * (size - 1 - rank) / size;
    must(surekrig_neighbors(f->index, q, wanted, most, &error), &error);
    must(sk_seek_neighbors(&f->seek, &dealt, found, count, &error), &error);
    if (apart)
        must(sk_seek_serve(&f->seek, &error), &error);
    f->whole.ranks->apart = false;
    for (int64_t i = 0; i < n * k; i++)
        if (sk_number(&f->whole, found[i]) != wanted[i] || count[i / k] != most[i / k]) {
            fprintf(stderr, "rank %d of %d, %s: question %lld, neighbour %lld is %lld, not %lld\n", rank, size, what,
                    (long long)(i / k), (long long)(i % k), (long long)sk_number(&f->whole, found[i]),
                    (long long)wanted[i]);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    compared++;
    free(row);
    free(wanted);
    free(found);
    free(most);
    free(count);
}

static void ask(const fixture *f, int64_t n, const double *x, const int64_t *row)
{
    static const struct {
        const char *what;
        int64_t k;
        bool leave, far, group, sectors;
    } CASES[] = {{"the nearest", 10, false, false, false, false},
                 {"one", 1, false, false, false, false},
                 {"leave-one-out", 9, true, false, false, false},
                 {"beyond a distance", 7, true, true, false, false},
                 {"without a group", 12, true, false, true, false},
                 {"in sectors", 24, false, false, false, true},
                 {"in sectors, fewer than these", 5, false, false, false, true},
                 {"in sectors, far, without a group", 17, true, true, true, true},
                 {"all", 0, false, false, false, true}};
    int64_t *own = sk_alloc(n, sizeof *own);
    for (int64_t i = 0; i < n; i++)
        own[i] = row[i] % 7;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        int64_t k = CASES[i].k ? CASES[i].k : f->all.n;
        surekrig_neighbor_query q = {.n = n,
                                     .x = x,
                                     .k = k < f->all.n ? k : f->all.n,
                                     .row = CASES[i].leave ? row : NULL,
                                     .min_distance = CASES[i].far ? 0.2 : 0,
                                     .group = CASES[i].group ? f->all.group : NULL,
                                     .own_group = own,
                                     .threads = 1,
                                     .sectors = CASES[i].sectors};
        compare(f, &q, CASES[i].what, false);
        if (!CASES[i].leave)
            compare(f, &q, CASES[i].what, true);
    }
    free(own);
}

/* Points in the order of one tree of all rows. */
static void compare_order(const fixture *f, int64_t n, const double *x)
{
    surekrig_error error;
    int64_t *wanted = sk_alloc(n, sizeof *wanted), *found = sk_alloc(n, sizeof *found);
    must(sk_index_order(f->index, n, x, 1, wanted, &error), &error);
    must(sk_seek_order(&f->seek, n, x, 1, found, &error), &error);
    if (memcmp(wanted, found, (size_t)n * sizeof *found)) {
        fprintf(stderr, "rank %d of %d: another order of %lld points\n", rank, size, (long long)n);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    compared++;
    free(wanted);
    free(found);
}

/* What a rank gave is not looked at once it is dealt out. */
static void spoil(void *part)
{
    const surekrig_data *data = part;
    memset((double *)data->x, -1, (size_t)(data->n * data->d) * sizeof(double));
    memset((double *)data->y, -1, (size_t)data->n * sizeof(double));
}

/* Columns come back in the file's order, each rank's own rows of it. */
static void compare_columns(const fixture *f, int64_t begin, int64_t end)
{
    for (int64_t a = -1; a < f->all.d; a++) {
        const surekrig_data *all = &f->all, *whole = &f->whole;
        sk_column made = a < 0 ? sk_file_column(whole, whole->y, 1) : sk_file_column(whole, whole->x + a, all->d);
        for (int64_t i = begin; i < end; i++) {
            double wanted = a < 0 ? all->y[i] : all->x[i * all->d + a];
            if (made.n != end - begin || made.value[i - begin] != wanted) {
                fprintf(stderr, "rank %d of %d: row %lld of column %lld is another\n", rank, size, (long long)i,
                        (long long)a);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
        free(made.made);
        compared++;
    }
}

static void run(const cloud *c)
{
    surekrig_error error;
    int64_t n = c->n, d = c->d, begin = n * rank / size, end = n * (rank + 1) / size, questions = 60;
    double *x = sk_doubles(n * d), *y = sk_doubles(n), *at = sk_doubles(questions * d);
    int64_t *group = sk_alloc(n, sizeof *group), *row = sk_alloc(questions, sizeof *row);
    fill(c, x, y, group);
    fixture f = {.all = {.n = n, .d = d, .l = 1, .x = x, .y = y, .group = group}};
    surekrig_data part = f.all;
    part.n = end - begin;
    double *given_x = sk_copy(x + begin * d, part.n * d, sizeof *x), *given_y = sk_copy(y + begin, part.n, sizeof *y);
    part.x = given_x;
    part.y = given_y;
    part.group = group + begin;
    part.ranks = ranks;
    surekrig_mpi_when_dealt(ranks, spoil, &part);
    must(sk_deal(&part, "none", "all", &f.whole, &error), &error);
    if (part.n && !isnan(*given_y)) {
        fprintf(stderr, "rank %d of %d: nobody said that rows are dealt out\n", rank, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    compare_columns(&f, begin, end);
    must(sk_frame_new(&f.all, SK_SCALING_BOX, NULL, &f.frame, &error), &error);
    must(sk_index_new(&(sk_points){n, d, x, &f.frame, 1}, &f.index, &error), &error);
    if (sk_own(&f.whole))
        must(sk_index_new(&(sk_points){sk_own(&f.whole), d, f.whole.x, &f.frame, 1}, &f.own, &error), &error);
    double *box = sk_doubles(2 * d * size);
    must(sk_seek_boxes(&f.whole, box, &error), &error);
    f.seek = (sk_seek){&f.whole, f.own, &f.frame, box, nothing, NULL};
    for (int64_t i = 0; i < questions; i++)
        row[i] = (int64_t)(sk_uniform(8, 2, (uint64_t)i) * (double)n);
    for (int64_t i = 0; i < questions * d; i++) /* at rows, between them, and beside them all */
        at[i] = i % (3 * d) < d ? x[row[i / d] * d + i % d]
                                : (c->grid ? 12 : 1) * (1.6 * sk_uniform(9, 3, (uint64_t)i) - 0.3);
    if (n < 5000)
        ask(&f, questions, at, row);
    compare_order(&f, questions, at);
    compare_order(&f, n < 5000 ? 10 : 500, x);
    sk_rows_free(f.whole.ranks);
    surekrig_index_free(f.index);
    surekrig_index_free(f.own);
    sk_frame_free(&f.frame);
    free(given_x);
    free(given_y);
    free(x);
    free(y);
    free(at);
    free(group);
    free(row);
    free(box);
}

int main(int count, char **word)
{
    static const cloud CLOUDS[] = {{"plane", 1200, 2, false},        {"grid", 500, 2, true}, {"line", 200, 1, true},
                                   {"space", 600, 3, false},         {"few", 11, 2, false},  {"many", 6000, 2, false},
                                   {"many of a grid", 5100, 3, true}};
    surekrig_error error;
    MPI_Init(&count, &word);
    must(surekrig_mpi_ranks(MPI_COMM_WORLD, &ranks, &error), &error);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1)
        for (size_t i = 0; i < sizeof CLOUDS / sizeof *CLOUDS; i++)
            run(&CLOUDS[i]);
    if (rank == 0)
        printf("%d ranks: %d comparisons\n", size, compared);
    surekrig_mpi_free(ranks);
    MPI_Finalize();
    return 0;
}
