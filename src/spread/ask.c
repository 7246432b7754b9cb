/* Neighbours among the rows of all ranks, of each rank's own points. A question is asked first where its point lies:
 * the rows there, a rank's own or its guests, bound how far a neighbour can be, and only ranks whose boxes are within
 * that bound are asked too. What is chosen of all rows is chosen of each rank's: the choice is made once more among
 * their answers (select.c). */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MARGIN = 1 + 1e-9; /* for round-off, which may ask a rank more */

typedef struct search {
    const sk_seek *seek;
    const surekrig_neighbor_query *query;
    sk_questions questions;
    int64_t quota;
    bool nearly;               /* with a slack: homes are asked, then what is within it */
    double *aim;               /* [n] the home then; later the square that the known candidates reach */
    int *home;                 /* [n] */
    bool *open;                /* [n] its answer is to be chosen from candidates */
    sk_answers answers;        /* candidates */
    int64_t *first, *row;      /* [n + 1], theirs by question */
    sk_candidate *scratch;     /* [threads][most] */
    int64_t most;              /* of one question */
    int64_t *neighbor, *count; /* as surekrig_neighbors */
} search;

static void close_search(search *s)
{
    void *owned[] = {s->aim, s->home, s->open, s->answers.question, s->answers.row, s->first, s->row, s->scratch};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

/* Of own rows, the neighbours of some questions: neighbor [count][k]. */
static surekrig_status ask_here(const search *s, int64_t count, const int64_t *which, bool sectors, int64_t *neighbor,
                                surekrig_error *error)
{
    const surekrig_neighbor_query *q = s->query;
    int64_t d = s->seek->data->d, own = sk_own(s->seek->data), k = q->k < own ? q->k : own;
    double *x = sk_doubles(count * d);
    int64_t *row = sk_alloc(count, sizeof *row), *group = sk_alloc(count, sizeof *group);
    surekrig_status status = x && row && group ? SUREKRIG_OK
                                               : sk_fail_memory(error, 8.0 * (double)(count * d), "questions");
    for (int64_t i = 0; i < count && !status; i++) {
        memcpy(x + i * d, q->x + which[i] * d, (size_t)d * sizeof *x);
        row[i] = q->row && q->row[which[i]] < own ? q->row[which[i]] : -1;
        group[i] = q->group ? q->own_group[which[i]] : 0;
    }
    surekrig_neighbor_query some = *q;
    some.n = count;
    some.x = x;
    some.k = k;
    some.row = row;
    some.own_group = group;
    some.sectors = sectors ? q->sectors : 0;
    if (!status)
        status = surekrig_neighbors(s->seek->index, &some, neighbor, NULL, error);
    for (int64_t i = count - 1; i >= 0 && !status && k < q->k; i--) { /* as wide as is asked */
        memmove(neighbor + i * q->k, neighbor + i * k, (size_t)k * sizeof *neighbor);
        for (int64_t j = k; j < q->k; j++)
            neighbor[i * q->k + j] = -1;
    }
    free(x);
    free(row);
    free(group);
    return status;
}

/* Candidates by question. */
static bool sort_answers(search *s)
{
    int64_t n = s->query->n, most = 0;
    int threads = sk_threads(s->query->threads);
    free(s->first);
    free(s->row);
    free(s->scratch);
    s->first = sk_zeroed(n + 2, sizeof *s->first);
    s->row = sk_alloc(s->answers.count, sizeof *s->row);
    s->scratch = NULL;
    if (!s->first || !s->row)
        return false;
    for (int64_t i = 0; i < s->answers.count; i++)
        s->first[s->answers.question[i] + 2]++;
    for (int64_t i = 0; i < n; i++) {
        most = s->first[i + 2] > most ? s->first[i + 2] : most;
        s->first[i + 2] += s->first[i + 1];
    }
    for (int64_t i = 0; i < s->answers.count; i++)
        s->row[s->first[s->answers.question[i] + 1]++] = s->answers.row[i];
    s->scratch = sk_alloc(threads * most, sizeof *s->scratch);
    s->most = most;
    return s->scratch;
}

static sk_selection selection(const search *s, int64_t i)
{
    return (sk_selection){s->seek, s->query->k, s->quota, s->query->x + i * s->seek->data->d};
}

/* What is known of a question, in order, each once; how many. */
static int64_t gather_known(const search *s, const sk_selection *of, int64_t i, int worker, sk_candidate **known)
{
    *known = s->scratch + worker * s->most;
    return sk_candidates(of, s->first[i + 1] - s->first[i], s->row + s->first[i], *known);
}

/* Whether another rank's box is within the square. */
static bool leaves_box(const search *s, int64_t i, double square)
{
    const sk_ranks *ranks = sk_ranks_of(s->seek->data);
    for (int r = 0; r < ranks->size; r++)
        if (r != s->home[i] && sk_box_square(s->seek, r, s->query->x + i * s->seek->data->d) <= square * MARGIN)
            return true;
    return false;
}

/* Is the answer of own rows all there is? They are by increasing distance. Where sectors want more than they have, only
 * the k nearest can tell. */
static bool is_closed(const search *s, int64_t i, const int64_t *neighbor)
{
    sk_selection of = selection(s, i);
    int64_t k = s->query->k;
    if (neighbor[k - 1] < 0)
        return false;
    double farthest = sk_square(&of, neighbor[k - 1]);
    return !leaves_box(s, i, farthest) && (!s->quota || sk_sectors_full(&of, k, neighbor));
}

/* Answers of own rows to some questions, which: [n of them], found: [n][k]. */
typedef struct found_here {
    search *s;
    const int64_t *which, *found;
} found_here;

static void take_found(void *context, int64_t begin, int64_t end, int worker)
{
    const found_here *f = context;
    int64_t k = f->s->query->k;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        memcpy(f->s->neighbor + f->which[i] * k, f->found + i * k, (size_t)k * sizeof *f->found);
        f->s->open[f->which[i]] = !is_closed(f->s, f->which[i], f->found + i * k);
    }
}

static void find_homes(void *context, int64_t begin, int64_t end, int worker)
{
    search *s = context;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        const double *x = s->query->x + i * s->seek->data->d;
        if (s->nearly) {
            int64_t home = sk_homes_at(s->seek->guests->homes, x);
            s->aim[i] = (double)home;
            s->home[i] = sk_guests_rank(s->seek->guests, home);
        } else {
            s->home[i] = sk_seek_home(s->seek, x);
        }
    }
}

/* By all threads of this rank: what is done for every question would else be most of what many threads wait for. */
static void for_each(const search *s, int64_t count, void (*run)(void *, int64_t, int64_t, int), void *context)
{
    sk_task task = {count, 64, sk_threads(s->query->threads), run, context, NULL};
    sk_parallel(&task);
}

static bool add_candidates(search *s, int64_t i, const int64_t *row)
{
    bool room = true;
    for (int64_t j = 0; j < s->query->k && room; j++)
        if (row[j] >= 0)
            room = sk_answers_add(&s->answers, i, row[j]);
    return room;
}

/* Questions whose points lie here; those that may need others' rows are left open, with all that own rows tell. */
static surekrig_status ask_own(search *s, surekrig_error *error)
{
    int64_t n = s->query->n, k = s->query->k, count = 0, rest = 0;
    int rank = sk_ranks_of(s->seek->data)->rank;
    if (!s->seek->index)
        return SUREKRIG_OK;
    int64_t *which = sk_alloc(n, sizeof *which), *found = sk_alloc(n * k, sizeof *found);
    bool room = which && found;
    for (int64_t i = 0; i < n && room; i++)
        if (s->home[i] == rank)
            which[count++] = i;
    surekrig_status status = room && count ? ask_here(s, count, which, true, found, error) : SUREKRIG_OK;
    if (room && !status)
        for_each(s, count, take_found, &(found_here){s, which, found});
    for (int64_t i = 0; i < count && room && !status; i++)
        if (s->open[which[i]]) {
            room = add_candidates(s, which[i], found + i * k);
            which[rest++] = which[i];
        }
    if (room && !status && s->quota && rest)
        status = ask_here(s, rest, which, false, found, error);
    for (int64_t i = 0; i < rest && room && !status && s->quota; i++)
        room = add_candidates(s, which[i], found + i * k);
    free(which);
    free(found);
    return room ? status : sk_fail_memory(error, 8.0 * (double)(n * k), "neighbours");
}

static int by_rank(const void *a, const void *b)
{
    const sk_pair *p = a, *q = b;
    return p->rank != q->rank ? p->rank - q->rank : (p->question > q->question) - (p->question < q->question);
}

/* Asks the home of questions that own rows could not answer: those that lie elsewhere, or all. */
static surekrig_status ask_homes(search *s, surekrig_error *error)
{
    int64_t n = s->query->n, count = 0;
    int rank = sk_ranks_of(s->seek->data)->rank;
    sk_pair *pair = sk_alloc(n, sizeof *pair);
    if (!pair)
        return sk_fail_memory(error, 16.0 * (double)n, "questions");
    for (int64_t i = 0; i < n; i++)
        if (s->home[i] != rank || !s->seek->index) {
            s->open[i] = true;
            pair[count++] = (sk_pair){i, s->home[i]};
        }
    qsort(pair, (size_t)count, sizeof *pair, by_rank);
    surekrig_status status = sk_ask(&s->questions, count, pair, &s->answers, error);
    free(pair);
    return status;
}

static void find_reach(void *context, int64_t begin, int64_t end, int worker)
{
    search *s = context;
    for (int64_t i = begin; i < end; i++) {
        sk_candidate *known;
        sk_selection of = selection(s, i);
        int64_t count = s->open[i] ? gather_known(s, &of, i, worker, &known) : 0;
        if (s->open[i])
            s->aim[i] = sk_reach(&of, count, known);
    }
}

/* Whether a rank may have more of a question's neighbours than are known. */
static bool is_within(const search *s, int64_t i, int rank)
{
    if (rank == s->home[i] && !s->nearly)
        return false;
    double square = sk_box_square(s->seek, rank, s->query->x + i * s->seek->data->d);
    double slack = s->nearly ? s->query->slack * s->query->slack : 1;
    return isfinite(square) && square * slack <= s->aim[i] * MARGIN;
}

/* Asks every other rank within reach of what is open. */
static surekrig_status ask_others(search *s, surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(s->seek->data);
    s->questions.stage = s->nearly ? SK_STAGE_BEYOND : SK_STAGE_EXACT;
    int64_t n = s->query->n, count = 0, room = ranks->size + 1024;
    sk_pair *pair = malloc((size_t)room * sizeof *pair);
    bool whole = sort_answers(s) && pair;
    if (whole)
        for_each(s, n, find_reach, s);
    for (int64_t i = 0; i < n && whole; i++) {
        if (!s->open[i])
            continue;
        if (count + ranks->size > room) {
            room = 2 * room + ranks->size;
            sk_pair *more = realloc(pair, (size_t)room * sizeof *pair);
            whole = more;
            pair = more ? more : pair;
        }
        for (int r = 0; r < ranks->size && whole; r++)
            if (is_within(s, i, r))
                pair[count++] = (sk_pair){i, r};
    }
    if (whole)
        qsort(pair, (size_t)count, sizeof *pair, by_rank);
    surekrig_status status = whole ? sk_ask(&s->questions, count, pair, &s->answers, error)
                                   : sk_fail_memory(error, 16.0 * (double)count, "questions to other ranks");
    free(pair);
    return status;
}

static void choose(void *context, int64_t begin, int64_t end, int worker)
{
    const search *s = context;
    int64_t k = s->query->k;
    for (int64_t i = begin; i < end; i++) {
        int64_t *neighbor = s->neighbor + i * k, found = k;
        sk_selection of = selection(s, i);
        if (s->open[i]) {
            sk_candidate *known;
            int64_t count = gather_known(s, &of, i, worker, &known);
            found = sk_choose_neighbors(&of, count, known, neighbor);
        }
        for (int64_t j = found; j < k; j++)
            neighbor[j] = -1;
        if (s->count)
            s->count[i] = found;
    }
}

surekrig_status sk_seek_apart(const sk_seek *seek, const surekrig_neighbor_query *query, int64_t *neighbor,
                              int64_t *count, surekrig_error *error)
{
    int64_t n = query->n, sectors = sk_sectors(seek->data->d);
    sk_seek among = *seek;
    among.box = seek->guests ? seek->guests->box : seek->box;
    search s = {&among, query, {&among, query, false}, query->sectors ? query->k / sectors : 0};
    s.nearly = query->slack > 1;
    s.aim = sk_doubles(n);
    s.questions.aim = s.nearly ? s.aim : NULL;
    s.questions.stage = s.nearly ? SK_STAGE_HOME : SK_STAGE_EXACT;
    s.home = sk_alloc(n, sizeof *s.home);
    s.open = sk_zeroed(n, sizeof *s.open);
    s.neighbor = neighbor;
    s.count = count;
    surekrig_status status = s.aim && s.home && s.open ? SUREKRIG_OK
                                                       : sk_fail_memory(error, 5.0 * (double)n, "neighbours");
    if (!status)
        for_each(&s, n, find_homes, &s);
    if (!status)
        status = ask_own(&s, error);
    if (!status)
        status = ask_homes(&s, error);
    if (!status)
        status = ask_others(&s, error);
    if (!status && !sort_answers(&s))
        status = sk_fail_memory(error, 8.0 * (double)s.answers.count, "neighbours of other ranks");
    if (!status)
        for_each(&s, n, choose, &s);
    close_search(&s);
    return status;
}

surekrig_status sk_seek_serve(const sk_seek *seek, surekrig_error *error)
{
    surekrig_neighbor_query none = {.k = 1};
    sk_questions questions = {seek, &none, true};
    sk_answers answers = {0};
    surekrig_status status = SUREKRIG_OK;
    while (!status && !answers.all_over)
        status = sk_ask(&questions, 0, NULL, &answers, error);
    return status;
}
