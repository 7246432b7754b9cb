/* CSV: where rows begin in a part of a file. Whether a line end at the part's beginning ends a row, or stands in a quoted
 * cell, is for the parts before to say. So the part is looked over once for each way in which it can begin, all at the
 * same time; ways that have met go on as one, and of those that begin outside quotes the first line end makes one.
 *
 * A row begins with its first byte that is no blank: a row is of the part that has this byte. Faults are not looked for:
 * whoever reads the row finds them. */
#include "csv.h"

#include <string.h>

/* What the bytes so far have led to. */
typedef enum way { ROW, AFTER_RETURN, BLANKS, CELL, TEXT, QUOTED, CLOSED, BLANKS_AFTER, WAYS } way;
_Static_assert((int)WAYS == (int)IO_CUTS, "a count has room for each way");

typedef enum sort { OTHER, BLANK, SEPARATOR, QUOTE, RETURN, FEED, SORTS } sort;

/* As csv_rows.c splits rows: a quote opens a cell only where the cell begins. */
static const unsigned char NEXT[WAYS][SORTS] = {
    [ROW] = {TEXT, BLANKS, CELL, QUOTED, AFTER_RETURN, ROW},
    [AFTER_RETURN] = {TEXT, BLANKS, CELL, QUOTED, AFTER_RETURN, ROW},
    [BLANKS] = {TEXT, BLANKS, CELL, QUOTED, AFTER_RETURN, ROW},
    [CELL] = {TEXT, CELL, CELL, QUOTED, AFTER_RETURN, ROW},
    [TEXT] = {TEXT, TEXT, CELL, TEXT, AFTER_RETURN, ROW},
    [QUOTED] = {QUOTED, QUOTED, QUOTED, CLOSED, QUOTED, QUOTED},
    [CLOSED] = {TEXT, BLANKS_AFTER, CELL, QUOTED, AFTER_RETURN, ROW},
    [BLANKS_AFTER] = {TEXT, BLANKS_AFTER, CELL, TEXT, AFTER_RETURN, ROW},
};

typedef struct window {
    const unsigned char *sort; /* [256] of each byte */
    const bool *stop;          /* [256]: what ends a cell without quotes */
    const char *begin, *end;
    char before; /* the byte before begin */
    bool plain;  /* neither quotes nor carriage returns: within a row, the next line feed ends it */
} window;

/* What comes of a window that begins in some way. */
typedef struct outcome {
    bool known;
    way end;
    int64_t rows;
    const char *first; /* row's beginning, or NULL */
} outcome;

static outcome look_over(const window *w, way now)
{
    outcome found = {.known = true};
    for (const char *at = w->begin; at < w->end; at++) {
        if (now == QUOTED) {
            at = memchr(at, '"', (size_t)(w->end - at));
            if (!at)
                break;
        } else if (now == TEXT) {
            const char *feed = w->plain ? memchr(at, '\n', (size_t)(w->end - at)) : NULL;
            if (feed)
                at = feed;
            while (at < w->end && !w->stop[(unsigned char)*at])
                at++;
            if (at == w->end)
                break;
        }
        way next = NEXT[now][w->sort[(unsigned char)*at]];
        if (now <= BLANKS && next > BLANKS) { /* ROW to BLANKS: nothing of the row has come */
            found.rows++;
            found.first = found.first ? found.first : at;
        }
        now = next;
    }
    found.end = now;
    return found;
}

/* In little sums, of which compilers make many at once. */
static int64_t count_feeds(const char *at, const char *end)
{
    enum { SOME = 128 };
    int64_t feeds = 0;
    for (int count; at < end; at += count) {
        unsigned char some = 0;
        count = end - at < SOME ? (int)(end - at) : SOME;
        for (int i = 0; i < count; i++)
            some = (unsigned char)(some + (at[i] == '\n'));
        feeds += some;
    }
    return feeds;
}

/* Up to end; a line feed after a carriage return ends no further line. */
static int64_t count_line_ends(const window *w, const char *end)
{
    const char *at = w->begin;
    if (at == end)
        return 0;
    int64_t lines = *at == '\r' || (*at == '\n' && w->before != '\r');
    if (w->plain)
        return lines + count_feeds(at + 1, end);
    for (at++; at < end; at++)
        lines += *at == '\r' || (*at == '\n' && at[-1] != '\r');
    return lines;
}

/* place: of the window in the file. */
static void add(const window *w, int64_t place, io_part_count *count)
{
    outcome of[WAYS] = {0};
    for (int i = 0; i < WAYS; i++) {
        way now = (way)count->by[i].end;
        if (!of[now].known)
            of[now] = look_over(w, now);
        if (of[now].first && count->by[i].first < 0) {
            count->by[i].first = place + (of[now].first - w->begin);
            count->by[i].first_line = count->lines + count_line_ends(w, of[now].first);
        }
        count->by[i].last_rows = count->by[i].rows += of[now].rows;
        count->by[i].end = of[now].end;
    }
    count->lines += count_line_ends(w, w->end);
}

static void sort_bytes(const csv_table *csv, unsigned char sort_of[256])
{
    memset(sort_of, OTHER, 256);
    sort_of[' '] = sort_of['\t'] = BLANK;
    sort_of[(unsigned char)csv->separator] = SEPARATOR;
    sort_of['"'] = QUOTE;
    sort_of['\r'] = RETURN;
    sort_of['\n'] = FEED;
}

surekrig_status csv_count(io_reader *reader, int64_t begin, int64_t end, io_part_count *count, surekrig_error *error)
{
    csv_table *csv = reader->state;
    io_source *source = csv->source;
    int64_t data = io_source_at(source); /* behind the header, where a row begins */
    unsigned char sort_of[256];
    sort_bytes(csv, sort_of);
    for (int i = 0; i < WAYS; i++) {
        count->by[i].first = -1;
        count->by[i].end = begin > data ? i : ROW;
    }
    if (end <= data)
        return SUREKRIG_OK;
    if (begin <= data)
        count->lines = csv->line - 1;
    begin = begin > data ? begin : data;
    surekrig_status status = io_source_seek(source, begin - (begin > 0), end, error);
    if (!status)
        status = io_source_need(source, 1, error);
    window w = {.sort = sort_of, .stop = csv->stop, .before = '\0'};
    if (begin > 0)
        w.before = source->buffer[0];
    source->begin = begin > 0;
    for (int64_t place = begin; !status && source->end > source->begin; place += w.end - w.begin) {
        w.begin = source->buffer + source->begin;
        w.end = source->buffer + source->end;
        w.plain = !memchr(w.begin, '"', (size_t)(w.end - w.begin)) && !memchr(w.begin, '\r', (size_t)(w.end - w.begin));
        add(&w, place, count);
        w.before = w.end[-1];
        source->begin = source->end;
        status = io_source_need(source, 1, error);
    }
    return status;
}
