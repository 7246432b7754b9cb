/* Questions on their way to other ranks, their answers, and the rows that go with these: each once a message. */
#include "spread/inside.h"

#include <stdlib.h>
#include <string.h>

/* ---- a growing list of words */

typedef struct words {
    int64_t count, room;
    sk_word *at;
} words;

static bool grow(words *w, int64_t more)
{
    if (w->at && w->count + more <= w->room)
        return true;
    int64_t room = w->room + w->room / 2 + more;
    sk_word *at = realloc(w->at, (size_t)room * sizeof *at);
    if (!at)
        return false;
    w->at = at;
    w->room = room;
    return true;
}

static void put(words *w, int64_t count)
{
    w->at[w->count++].count = count;
}

bool sk_answers_add(sk_answers *a, int64_t question, int64_t row)
{
    if (a->count == a->room) {
        int64_t room = 2 * a->room + 1024;
        int64_t *of = realloc(a->question, (size_t)room * sizeof *of);
        if (!of)
            return false;
        a->question = of;
        int64_t *rows = realloc(a->row, (size_t)room * sizeof *rows);
        if (!rows)
            return false;
        a->row = rows;
        a->room = room;
    }
    a->question[a->count] = question;
    a->row[a->count++] = row;
    return true;
}

/* ---- questions */

enum { HEAD = 7, TAIL = 3, BY_NONE = 0, BY_GROUP, BY_PLACE, BY_OTHER };

static int64_t by_what(const sk_seek *seek, const surekrig_neighbor_query *query)
{
    const struct sk_rows *rows = seek->data->ranks->rows;
    const int64_t *group = query->group;
    return !group ? BY_NONE : group == rows->group ? BY_GROUP : group == rows->place ? BY_PLACE : BY_OTHER;
}

bool sk_asks_other_groups(const sk_seek *seek, const surekrig_neighbor_query *query)
{
    return by_what(seek, query) == BY_OTHER;
}

/* k, sectors, groups, the least distance, whether there will be more, the stage and the slack; then of each its place,
 * row, group and aim. */
static bool write_questions(const sk_questions *of, int64_t count, const sk_pair *pair, words *out)
{
    const surekrig_neighbor_query *q = of->query;
    int64_t d = of->seek->data->d;
    if (!grow(out, HEAD + count * (d + TAIL)))
        return false;
    put(out, q->k);
    put(out, q->sectors);
    put(out, by_what(of->seek, q));
    out->at[out->count++].value = q->min_distance;
    put(out, of->over);
    put(out, of->stage);
    out->at[out->count++].value = q->slack;
    for (int64_t i = 0; i < count; i++) {
        int64_t j = pair[i].question;
        memcpy(out->at + out->count, q->x + j * d, (size_t)d * sizeof(double));
        out->count += d;
        put(out, q->row ? sk_number(of->seek->data, q->row[j]) : -1);
        put(out, q->group ? q->own_group[j] : 0);
        out->at[out->count++].value = of->aim ? of->aim[j] : 0;
    }
    return true;
}

/* ---- answers */

int64_t sk_rows_unique(int64_t n, int64_t *row)
{
    int64_t kept = 0, all = 0;
    for (int64_t i = 0; i < n; i++)
        if (row[i] >= 0)
            row[all++] = row[i];
    sk_sort_numbers(all, row);
    for (int64_t i = 0; i < all; i++)
        if (!kept || row[i] != row[kept - 1])
            row[kept++] = row[i];
    return kept;
}

/* The neighbours of a rank's questions: the nearest and, with sectors, those of each; [n][width]. */
typedef struct asked {
    surekrig_neighbor_query query;
    int64_t *row, *own;
    double *x, *bound; /* of an approximate search [n] the bounds, or */
    uint32_t *home;    /* the homes, by their numbers here */
    int64_t width, *list;
} asked;

/* Words of a row that is told of: of a guest its number and who has it, else all of it. */
static int64_t told_words(const sk_seek *seek)
{
    return seek->guests ? 2 : sk_row_words(seek->data->ranks->rows);
}

static void tell(const sk_seek *seek, int64_t row, sk_word *to)
{
    const sk_guests *guests = seek->guests;
    if (guests) {
        to[0].count = guests->number[row];
        to[1].count = guests->owner[row];
    } else {
        sk_row_pack(seek->data->ranks->rows, row, to);
    }
}

/* lists: [n][width] of rows, or guests where there are any, -1 where there is none. The rows, then each list as places
 * among these. */
static bool write_rows(const sk_seek *seek, const asked *a, words *out)
{
    int64_t n = a->query.n, width = a->width, w = told_words(seek);
    const int64_t *list = a->list;
    int64_t *row = sk_copy(list, n * width, sizeof *row);
    int64_t count = row ? sk_rows_unique(n * width, row) : 0;
    bool room = row && grow(out, 1 + count * w + n * width);
    if (room)
        put(out, count);
    for (int64_t i = 0; i < count && room; i++, out->count += w)
        tell(seek, row[i], out->at + out->count);
    for (int64_t i = 0; i < n * width && room; i++)
        put(out, list[i] < 0 ? -1 : sk_count_below(count, row, list[i]));
    free(row);
    return room;
}

static const int64_t *group_of(const sk_questions *of, int64_t by)
{
    const sk_guests *guests = of->seek->guests;
    const struct sk_rows *rows = of->seek->data->ranks->rows;
    const int64_t *OWN[] = {
        [BY_NONE] = NULL, [BY_GROUP] = rows->group, [BY_PLACE] = rows->place, [BY_OTHER] = of->query->group};
    if (!guests)
        return OWN[by];
    const int64_t *GUESTS[] = {
        [BY_NONE] = NULL, [BY_GROUP] = guests->group, [BY_PLACE] = guests->place, [BY_OTHER] = guests->other};
    return GUESTS[by];
}

static int64_t row_of(const sk_questions *of, int64_t number)
{
    const struct sk_rows *rows = of->seek->data->ranks->rows;
    if (number < 0 || of->seek->guests)
        return number < 0 ? -1 : sk_guest_find(of->seek->guests, number);
    int64_t row = sk_row_find(rows, number);
    return row < rows->of.own ? row : -1;
}

static bool read_questions(const sk_questions *of, const sk_word *in, int64_t n, asked *a)
{
    const sk_guests *guests = of->seek->guests;
    int64_t d = of->seek->data->d, k = in[0].count, own = guests ? guests->n : sk_own(of->seek->data);
    *a = (asked){.row = sk_alloc(n, sizeof *a->row), .own = sk_alloc(n, sizeof *a->own), .x = sk_doubles(n * d)};
    a->bound = sk_doubles(n);
    a->home = sk_alloc(n, sizeof *a->home);
    a->query = (surekrig_neighbor_query){.n = n,
                                         .x = a->x,
                                         .k = k < own ? k : own,
                                         .row = a->row,
                                         .min_distance = in[3].value,
                                         .group = group_of(of, in[2].count),
                                         .own_group = a->own,
                                         .sectors = (int)in[1].count,
                                         .threads = of->query->threads,
                                         .slack = guests ? in[6].value : 0};
    a->width = in[1].count ? 2 * a->query.k : a->query.k;
    a->list = sk_alloc(n * a->width, sizeof *a->list);
    if (!a->row || !a->own || !a->x || !a->bound || !a->home || !a->list)
        return false;
    bool home = in[5].count == SK_STAGE_HOME;
    in += HEAD;
    for (int64_t i = 0; i < n; i++, in += d + TAIL) {
        memcpy(a->x + i * d, in, (size_t)d * sizeof(double));
        a->row[i] = row_of(of, in[d].count);
        a->own[i] = in[d + 1].count;
        a->bound[i] = in[d + 2].value;
        a->home[i] = home && guests ? (uint32_t)((int64_t)in[d + 2].value - guests->first) : 0;
    }
    return true;
}

static void free_asked(asked *a)
{
    free(a->row);
    free(a->own);
    free(a->x);
    free(a->bound);
    free(a->home);
    free(a->list);
}

static surekrig_status look(const surekrig_index *index, const asked *a, int64_t stage, surekrig_error *error)
{
    sk_part_asked part = {stage == SK_STAGE_HOME ? a->home : NULL, stage == SK_STAGE_BEYOND ? a->bound : NULL};
    return stage == SK_STAGE_EXACT ? surekrig_neighbors(index, &a->query, a->list, NULL, error)
                                   : sk_neighbors_part(index, &a->query, &part, a->list, error);
}

static surekrig_status answer(const sk_questions *of, const sk_word *in, int64_t n, words *out, surekrig_error *error)
{
    const sk_guests *guests = of->seek->guests;
    const surekrig_index *index = guests ? guests->index : of->seek->index;
    asked a;
    if (!n || !index)
        return SUREKRIG_OK;
    bool room = read_questions(of, in, n, &a);
    surekrig_status status = room ? look(index, &a, in[5].count, error) : SUREKRIG_OK;
    int64_t k = a.query.k, *both = room && a.query.sectors ? sk_alloc(n * k, sizeof *both) : NULL;
    if (!status && both) {
        surekrig_neighbor_query plain = a.query;
        plain.sectors = 0;
        status = surekrig_neighbors(index, &plain, both, NULL, error);
        for (int64_t i = n - 1; i >= 0; i--) { /* side by side */
            memmove(a.list + i * 2 * k, a.list + i * k, (size_t)k * sizeof *both);
            memcpy(a.list + i * 2 * k + k, both + i * k, (size_t)k * sizeof *both);
        }
    }
    room &= !a.query.sectors || both;
    if (!status && room)
        room = grow(out, 1);
    if (!status && room) {
        put(out, a.width);
        room = write_rows(of->seek, &a, out);
    }
    free(both);
    free_asked(&a);
    return room ? status : sk_fail_memory(error, 16.0 * (double)(n * k), "answers to other ranks");
}

/* What a rank said to count questions. */
static bool read_answers(const sk_questions *of, const sk_word *in, int64_t count, const sk_pair *pair, sk_answers *to)
{
    struct sk_rows *rows = of->seek->data->ranks->rows;
    int64_t width = in[0].count, n = in[1].count, w = told_words(of->seek), *row = sk_alloc(n, sizeof *row);
    bool room = row;
    in += 2;
    for (int64_t i = 0; i < n && room; i++, in += w) {
        row[i] = of->seek->guests ? sk_row_find(rows, in[0].count) : sk_row_add(rows, in);
        room = row[i] >= 0;
    }
    for (int64_t i = 0; i < count * width && room; i++)
        if (in[i].count >= 0)
            room = sk_answers_add(to, pair[i / width].question, row[in[i].count]);
    free(row);
    return room;
}

/* ---- both ways */

typedef struct mail {
    int64_t *bytes, *in; /* [ranks] */
    words out;
    sk_word *come;
} mail;

static surekrig_status send_questions(const sk_questions *of, int64_t count, const sk_pair *pair, mail *m,
                                      surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(of->seek->data);
    int64_t at = 0;
    bool room = true;
    for (int r = 0; r < ranks->size && room; r++) {
        int64_t begin = at, before = m->out.count;
        while (at < count && pair[at].rank == r)
            at++;
        room = write_questions(of, at - begin, pair + begin, &m->out);
        m->bytes[r] = (m->out.count - before) * (int64_t)sizeof *m->out.at;
    }
    m->come = room ? sk_exchange(ranks, m->out.at, m->bytes, m->in) : NULL;
    return m->come ? SUREKRIG_OK : sk_fail_memory(error, 1e6, "questions to other ranks");
}

static surekrig_status send_answers(const sk_questions *of, mail *m, sk_answers *answers, surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(of->seek->data);
    int64_t d = of->seek->data->d;
    sk_word *at = m->come;
    surekrig_status status = SUREKRIG_OK;
    m->out.count = 0;
    answers->all_over = true;
    for (int r = 0; r < ranks->size && !status; r++) {
        int64_t before = m->out.count, got = m->in[r] / (int64_t)sizeof *at;
        answers->all_over &= at[4].count != 0;
        status = answer(of, at, (got - HEAD) / (d + TAIL), &m->out, error);
        m->bytes[r] = (m->out.count - before) * (int64_t)sizeof *at;
        at += got;
    }
    free(m->come);
    m->come = status ? NULL : sk_exchange(ranks, m->out.at, m->bytes, m->in);
    return status || m->come ? status : sk_fail_memory(error, 1e6, "answers of other ranks");
}

/* The rows that guests have told of. */
static bool fetch_told(const sk_questions *of, const mail *m)
{
    const sk_ranks *ranks = sk_ranks_of(of->seek->data);
    int64_t all = 0, count = 0;
    const sk_word *in = m->come;
    for (int r = 0; r < ranks->size; in += m->in[r++] / (int64_t)sizeof *in)
        all += m->in[r] ? in[1].count : 0;
    sk_row_at *wanted = sk_alloc(all, sizeof *wanted);
    in = m->come;
    for (int r = 0; r < ranks->size && wanted; in += m->in[r++] / (int64_t)sizeof *in)
        for (int64_t i = 0; m->in[r] && i < in[1].count; i++)
            wanted[count++] = (sk_row_at){in[2 + 2 * i].count, in[3 + 2 * i].count};
    bool room = wanted && sk_rows_fetch(of->seek->data->ranks->rows, count, wanted);
    free(wanted);
    return room;
}

surekrig_status sk_ask(const sk_questions *of, int64_t count, const sk_pair *pair, sk_answers *answers,
                       surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(of->seek->data);
    mail m = {.bytes = sk_zeroed(ranks->size, sizeof *m.bytes), .in = sk_zeroed(ranks->size, sizeof *m.in)};
    surekrig_status status = m.bytes && m.in ? send_questions(of, count, pair, &m, error)
                                             : sk_fail_memory(error, 16.0 * ranks->size, "questions");
    if (!status)
        status = send_answers(of, &m, answers, error);
    if (!status && of->seek->guests && !fetch_told(of, &m))
        status = sk_fail_memory(error, 1e6, "rows of other ranks");
    const sk_word *in = m.come;
    for (int64_t r = 0, at = 0; r < ranks->size && !status; in += m.in[r] / (int64_t)sizeof *in, r++) {
        int64_t begin = at;
        while (at < count && pair[at].rank == r)
            at++;
        if (at > begin && m.in[r] && !read_answers(of, in, at - begin, pair + begin, answers))
            status = sk_fail_memory(error, (double)m.in[r], "rows of other ranks");
    }
    of->seek->ready(of->seek->of);
    free(m.bytes);
    free(m.in);
    free(m.out.at);
    free(m.come);
    return status;
}
