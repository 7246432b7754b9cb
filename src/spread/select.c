/* One point's neighbours out of candidates from several ranks: what the index finds among all rows (neighbors/walk.h,
 * sectors.h), chosen anew from few. Candidates hold the k nearest of each rank, and of each sector its nearest there. */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- measured as the index does: in the frame, axis by axis */

static double in_frame(const sk_frame *frame, const double *x, int64_t a)
{
    return (x[a] - frame->origin[a]) / frame->side[a];
}

static int64_t sector_of_plane(double x, double y)
{
    bool up = y > 0, down = y<0, right = x> 0, left = x < 0;
    bool from_0 = up || (right && !down), from_45 = y > x || (y == x && up), from_90 = left || (up && !right);
    int64_t others = from_45 + from_90 + (-y > x || (-y == x && up));
    return from_0 ? others : up || down || left || right ? 7 - others : 0;
}

static int64_t sector_of(const sk_selection *s, const double *x)
{
    const sk_frame *frame = s->seek->frame;
    double longest = 0;
    int64_t sector = 0;
    if (frame->d == 2)
        return sector_of_plane(in_frame(frame, x, 0) - in_frame(frame, s->x, 0),
                               in_frame(frame, x, 1) - in_frame(frame, s->x, 1));
    for (int64_t a = 0; a < frame->d; a++) {
        double gap = in_frame(frame, x, a) - in_frame(frame, s->x, a);
        if (fabs(gap) > longest) {
            sector = 2 * a + (gap < 0);
            longest = fabs(gap);
        }
    }
    return sector;
}

static double square_of(const sk_selection *s, const double *x)
{
    double sum = 0;
    for (int64_t a = 0; a < s->seek->frame->d; a++) {
        double gap = in_frame(s->seek->frame, x, a) - in_frame(s->seek->frame, s->x, a);
        sum += gap * gap;
    }
    return sum;
}

double sk_box_square(const sk_seek *seek, int rank, const double *x)
{
    int64_t d = seek->frame->d;
    const double *lower = seek->box + 2 * d * rank, *upper = lower + d;
    double sum = 0;
    if (!(lower[0] <= upper[0]))
        return INFINITY; /* it has no rows */
    for (int64_t a = 0; a < d; a++) {
        double below = in_frame(seek->frame, lower, a) - in_frame(seek->frame, x, a);
        double above = in_frame(seek->frame, x, a) - in_frame(seek->frame, upper, a);
        double gap = fmax(fmax(below, above), 0);
        sum += gap * gap;
    }
    return sum;
}

/* ---- the choice */

static int by_distance(const void *a, const void *b)
{
    const sk_candidate *p = a, *q = b;
    return p->square != q->square ? (p->square > q->square) - (p->square < q->square)
                                  : (p->number > q->number) - (p->number < q->number);
}

int64_t sk_candidates(const sk_selection *s, int64_t count, const int64_t *row, sk_candidate *of)
{
    const surekrig_data *data = s->seek->data;
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        const double *x = data->x + row[i] * data->d;
        of[i] = (sk_candidate){square_of(s, x), sk_number(data, row[i]), row[i], s->quota ? sector_of(s, x) : 0};
    }
    qsort(of, (size_t)count, sizeof *of, by_distance);
    for (int64_t i = 0; i < count; i++)
        if (!i || of[i].number != of[kept - 1].number)
            of[kept++] = of[i];
    return kept;
}

double sk_square(const sk_selection *s, int64_t row)
{
    return square_of(s, s->seek->data->x + row * s->seek->data->d);
}

bool sk_sectors_full(const sk_selection *s, int64_t count, const int64_t *row)
{
    enum { MOST = 256 };
    int64_t sectors = sk_sectors(s->seek->frame->d), here[MOST] = {0}, full = 0;
    for (int64_t i = 0; i < count && sectors <= MOST; i++)
        full += ++here[sector_of(s, s->seek->data->x + row[i] * s->seek->data->d)] == s->quota;
    return full == sectors;
}

double sk_reach(const sk_selection *s, int64_t count, const sk_candidate *of)
{
    int64_t sectors = sk_sectors(s->seek->frame->d);
    if (count < s->k)
        return INFINITY;
    double reach = of[s->k - 1].square;
    for (int64_t i = 0; i < sectors && s->quota; i++) {
        int64_t here = 0, j = 0;
        for (; j < count && here < s->quota; j++)
            here += of[j].sector == i;
        reach = here < s->quota ? SK_SECTOR_REACH * SK_SECTOR_REACH * of[s->k - 1].square
                                : fmax(reach, of[j - 1].square);
        if (here < s->quota)
            break;
    }
    return reach;
}

/* Marks what is chosen by a sector of -1 - itself: beyond the k nearest, each sector's nearest up to its quota. Returns
 * how many those are; among: [sectors] of the k nearest. */
static int64_t look_beyond(const sk_selection *s, int64_t count, sk_candidate *of, int64_t *among, int64_t sectors)
{
    double limit = SK_SECTOR_REACH * SK_SECTOR_REACH * of[s->k - 1].square;
    int64_t found = 0;
    for (int64_t i = 0; i < sectors; i++) {
        among[i] = 0;
        for (int64_t j = 0; j < s->k; j++)
            among[i] += of[j].sector == i;
        for (int64_t j = s->k, have = among[i]; j < count && have < s->quota && of[j].square <= limit; j++)
            if (of[j].sector == i) {
                of[j].sector = -1 - i;
                have++;
                found++;
            }
    }
    return found;
}

int64_t sk_choose_neighbors(const sk_selection *s, int64_t count, sk_candidate *of, int64_t *neighbor)
{
    enum { MOST = 256 };
    int64_t sectors = sk_sectors(s->seek->frame->d), among[MOST], to = 0;
    bool plain = !s->quota || count < s->k || of[s->k - 1].square == 0 || sectors > MOST;
    int64_t leaving = plain ? 0 : look_beyond(s, count, of, among, sectors);
    for (int64_t j = s->k - 1; j >= 0 && leaving > 0; j--) /* the farthest of the k beyond their sectors' quotas */
        if (among[of[j].sector] > s->quota) {
            among[of[j].sector]--;
            of[j].sector = INT64_MAX;
            leaving--;
        }
    for (int64_t j = 0; j < count && to < s->k; j++)
        if (j < s->k ? of[j].sector != INT64_MAX : of[j].sector < 0)
            neighbor[to++] = of[j].row;
    return to;
}
