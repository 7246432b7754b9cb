/* bench_seek ROWS QUESTIONS K [THREADS [FOLDER]]: exact neighbours among rows that are dealt out over ranks, as a row
 * of a table: seconds of the index and of the answers, questions a second, microseconds of processors a question
 * without messages, messages, bytes, questions that another rank is asked, share of the time in messages, and what
 * shows that answers are the same; on one rank plain search by as many threads. Questions begin at ranks where they do
 * not lie, go there, and are asked in blocks, as the command's are. FOLDER: rows and questions of each rank are written
 * there, as numbers, for another program to answer (bench/peers/arborx.cpp). scripts/bench-mpi runs it. */
#include "spread/inside.h"
#include "surekrig_mpi.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { D = 2, WIDTH = D + 1, BLOCK = 4096 }; /* a question is a place and its number */

static int rank, size, threads;
static surekrig_ranks *ranks;

/* What this rank says to others. */
static struct {
    sk_ranks by; /* MPI's own */
    double seconds, processor, messages, bytes;
} said;

/* Of all threads: other programs do not count. */
static double processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(surekrig_status status, const surekrig_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "rank %d: %s\n", rank, error->sentence);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void count_to(int r, int64_t bytes)
{
    said.messages += r != rank && bytes;
    said.bytes += r != rank ? (double)bytes : 0;
}

static void counted_exchange(const sk_ranks *of, const void *out, const int64_t *out_bytes, void *in,
                             const int64_t *in_bytes)
{
    double begun = sk_now(), spent = processor();
    said.by.exchange(of, out, out_bytes, in, in_bytes);
    said.seconds += sk_now() - begun;
    said.processor += processor() - spent;
    for (int r = 0; r < size; r++)
        count_to(r, out_bytes[r]);
}

static void counted_gather(const sk_ranks *of, const void *own, const int64_t *bytes, void *all)
{
    double begun = sk_now(), spent = processor();
    said.by.gather(of, own, bytes, all);
    said.seconds += sk_now() - begun;
    said.processor += processor() - spent;
    for (int r = 0; r < size; r++)
        count_to(r, bytes[rank]);
}

static void nothing(void *of)
{
    (void)of;
}

typedef struct task {
    int64_t k, n;     /* questions here */
    double *question; /* [n][WIDTH] */
    surekrig_data whole;
    sk_frame frame;
    surekrig_index *index; /* of own rows */
    double *box;
    sk_seek seek;
} task;

static void make_places(int64_t begin, int64_t end, uint64_t seed, int64_t width, double *x)
{
    for (int64_t i = begin; i < end; i++, x += width)
        for (int64_t a = 0; a < D; a++)
            x[a] = sk_uniform(seed, 77, (uint64_t)(i * D + a));
}

/* Returns the seconds of the index. */
static double make_task(task *t, int64_t rows, int64_t questions)
{
    surekrig_error error;
    int64_t begin = rows * rank / size, end = rows * (rank + 1) / size, first = questions * rank / size;
    double *x = sk_doubles((end - begin) * D), *y = sk_doubles(end - begin);
    make_places(begin, end, 1, D, x);
    for (int64_t i = 0; i < end - begin; i++)
        y[i] = x[i * D]; /* nobody asks for it, but a constant is refused */
    surekrig_data part = {.n = end - begin, .d = D, .l = 1, .x = x, .y = y, .ranks = ranks};
    must(sk_deal(&part, "none", "all", &t->whole, &error), &error);
    double begun = sk_now();
    surekrig_data corners = {.n = 2, .d = D, .x = (const double[]){0, 0, 1, 1}};
    must(sk_frame_new(&corners, SK_SCALING_BOX, NULL, &t->frame, &error), &error);
    must(sk_index_new(&(sk_points){sk_own(&t->whole), D, t->whole.x, &t->frame, threads}, &t->index, &error), &error);
    double seconds = sk_now() - begun;
    t->box = sk_doubles(2 * D * size);
    must(sk_seek_boxes(&t->whole, t->box, &error), &error);
    t->seek = (sk_seek){&t->whole, t->index, &t->frame, t->box, nothing, NULL};
    t->n = questions * (rank + 1) / size - first;
    t->question = sk_doubles(t->n * WIDTH);
    make_places(first, first + t->n, 2, WIDTH, t->question);
    for (int64_t i = 0; i < t->n; i++)
        t->question[i * WIDTH + D] = (double)(first + i);
    return seconds;
}

/* Questions to where they lie, and in an order in which near ones follow one another; x: [n][D] of them then. */
static double *settle(task *t)
{
    surekrig_error error;
    double *x = sk_doubles(t->n * D);
    for (int64_t i = 0; i < t->n; i++)
        memcpy(x + i * D, t->question + i * WIDTH, D * sizeof *x);
    if (size > 1) {
        sk_visitors moved;
        must(sk_points_move(&t->seek, &(sk_points_asked){t->n, WIDTH, x, t->question}, &moved, &error), &error);
        free(t->question);
        t->n = moved.came;
        t->question = sk_copy(moved.value, t->n * WIDTH, sizeof *t->question);
        sk_visitors_free(&moved);
        free(x);
        x = sk_doubles(t->n * D);
        for (int64_t i = 0; i < t->n; i++)
            memcpy(x + i * D, t->question + i * WIDTH, D * sizeof *x);
    }
    int64_t *order = sk_alloc(t->n, sizeof *order);
    double *by_order = sk_doubles(t->n * WIDTH);
    must(sk_index_order(t->index, t->n, x, threads, order, &error), &error);
    for (int64_t i = 0; i < t->n; i++) {
        memcpy(by_order + i * WIDTH, t->question + order[i] * WIDTH, WIDTH * sizeof *x);
        memcpy(x + i * D, by_order + i * WIDTH, D * sizeof *x);
    }
    free(t->question);
    free(order);
    t->question = by_order;
    return x;
}

/* What is added up of all answers: whoever found them, it is the same. Of squared distances, but for round-off. */
typedef struct answers {
    uint64_t sum;
    double squares;
} answers;

static void fold(const task *t, int64_t from, int64_t count, const int64_t *neighbor, answers *to)
{
    for (int64_t i = 0; i < count * t->k; i++) {
        const double *q = t->question + (from + i / t->k) * WIDTH, *x = t->whole.x + neighbor[i] * D;
        uint64_t of = (uint64_t)q[D] * 1024 + (uint64_t)(i % t->k);
        uint64_t word = (of * 0x9e3779b97f4a7c15u) ^ (uint64_t)sk_number(&t->whole, neighbor[i]);
        to->sum += (word ^ word >> 29) * 0xbf58476d1ce4e5b9u;
        to->squares += (x[0] - q[0]) * (x[0] - q[0]) + (x[1] - q[1]) * (x[1] - q[1]);
    }
}

static answers answer(const task *t, const double *x)
{
    surekrig_error error;
    int64_t *neighbor = sk_alloc(BLOCK * t->k, sizeof *neighbor);
    answers all = {0};
    bool many = size > 1;
    if (many) {
        sk_rows_mark(&t->whole);
        t->whole.ranks->apart = true;
    }
    for (int64_t from = 0; from < t->n; from += BLOCK) {
        int64_t count = t->n - from < BLOCK ? t->n - from : BLOCK;
        surekrig_neighbor_query query = {.n = count, .x = x + from * D, .k = t->k, .threads = threads};
        must(many ? sk_seek_neighbors(&t->seek, &query, neighbor, NULL, &error)
                  : surekrig_neighbors(t->index, &query, neighbor, NULL, &error),
             &error);
        fold(t, from, count, neighbor, &all);
        if (many)
            sk_rows_forget(&t->whole);
    }
    if (many) {
        must(sk_seek_serve(&t->seek, &error), &error);
        t->whole.ranks->apart = false;
    }
    free(neighbor);
    return all;
}

/* Questions here that another rank's box is near enough for. */
static double count_asked(const task *t, const double *x)
{
    surekrig_error error;
    int64_t *own = sk_alloc(t->n * t->k, sizeof *own);
    sk_candidate *of = sk_alloc(t->k, sizeof *of);
    surekrig_neighbor_query query = {.n = t->n, .x = x, .k = t->k, .threads = threads};
    must(surekrig_neighbors(t->index, &query, own, NULL, &error), &error);
    double asked = 0;
    for (int64_t i = 0; i < t->n; i++) {
        sk_selection s = {&t->seek, t->k, 0, x + i * D};
        bool near = false;
        sk_candidates(&s, t->k, own + i * t->k, of);
        for (int r = 0; r < size; r++)
            near |= r != rank && sk_box_square(&t->seek, r, x + i * D) <= of[t->k - 1].square;
        asked += near;
    }
    free(own);
    free(of);
    return asked;
}

static void write_numbers(const char *folder, const char *name, int64_t n, const double *x)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%d", folder, name, rank);
    FILE *to = fopen(path, "wb");
    if (!to || fwrite(x, D * sizeof *x, (size_t)n, to) != (size_t)n || fclose(to))
        must(SUREKRIG_FILE, &(surekrig_error){.sentence = "cannot write into FOLDER"});
}

static void print_row(const double seconds[2], const double sums[7], uint64_t sum)
{
    double n = sums[0];
    printf("| %s | %d | %d | %.2f | %.2f | %.0f | %.2f | %.4f | %.1f | %.2f %% | %.0f %% | %.7g | %016" PRIx64 " |\n",
           size > 1 ? "dealt out" : "plain", size, threads, seconds[0], seconds[1], n / seconds[1], 1e6 * sums[6] / n,
           sums[1] / n, sums[2] / n, 100 * sums[3] / n, 100 * sums[4] / size / seconds[1], sums[5], sum);
}

int main(int count, char **word)
{
    surekrig_error error;
    MPI_Init(&count, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (count < 4) {
        fputs("bench_seek ROWS QUESTIONS K [THREADS [FOLDER]]\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    threads = count > 4 ? atoi(word[4]) : 1;
    must(surekrig_mpi_ranks(MPI_COMM_WORLD, &ranks, &error), &error);
    said.by = ranks->link;
    ranks->link.exchange = counted_exchange;
    ranks->link.gather = counted_gather;
    double seconds[2], most[2];
    task t = {.k = atoll(word[3])};
    seconds[0] = make_task(&t, atoll(word[1]), atoll(word[2]));
    MPI_Barrier(MPI_COMM_WORLD);
    said.seconds = said.processor = said.messages = said.bytes = 0;
    double begun = sk_now(), spent = processor(), *x = settle(&t);
    answers own = answer(&t, x);
    uint64_t sum;
    seconds[1] = sk_now() - begun;
    double sums[7] = {(double)t.n, said.messages, said.bytes, 0, said.seconds, own.squares}, all[7];
    sums[6] = processor() - spent - said.processor;
    sums[3] = size > 1 ? count_asked(&t, x) : 0;
    MPI_Reduce(seconds, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(sums, all, 7, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&own.sum, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        print_row(most, all, sum);
    if (count > 5) {
        write_numbers(word[5], "rows", sk_own(&t.whole), t.whole.x);
        write_numbers(word[5], "questions", t.n, x);
    }
    MPI_Finalize(); /* memory goes with the process */
    return 0;
}
