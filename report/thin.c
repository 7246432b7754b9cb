/* Points thinned to a picture: values averaged by cell, in memory that the number of points does not change.
 *
 * The first points are kept and looked at: do they stand on a grid? Then a cell is a place of the grid, else a square
 * laid over them. All that follows goes to its cell at once. Where a point lies beyond the CELLS that an axis may have,
 * cells are joined in pairs until it does not, so that one pass over the points is enough, from a pipe too. */
#include "report.h"

#include "lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEPT = 1 << 18, /* points looked at before the first cell is filled */
    CELLS = 1024,   /* along an axis, at most; a power of two */
    MOST_DOTS = 20000,
    CROWD = 4,  /* points that an occupied square of scattered points has, on average at least, */
    COARSE = 64 /* unless there are so few squares: most values may be missing */
};
static const double FINEST = 1e-200; /* step of cells: a coordinate as large as 1e100 is at a finite number of them */

typedef struct cell {
    double sum;
    int64_t count;
} cell;

struct report_thin {
    double *kept; /* [KEPT][3], until settled */
    int64_t kepts, points, missing;
    bool settled, grid;
    report_lattice axis[2];
    double joined[2];       /* units of the lattice in a cell, along each axis */
    double low[2], high[2]; /* cells in use */
    cell *cell;             /* [CELLS][CELLS]: cell (i, j) is at (i mod CELLS, j mod CELLS) */
    double *mean;           /* [size[1]][size[0]], at the end */
    double box[2][2], range[2];
};

static surekrig_status no_memory(surekrig_error *error)
{
    snprintf(error->sentence, sizeof error->sentence, "out of memory");
    return error->status = SUREKRIG_MEMORY;
}

surekrig_status report_thin_new(report_thin **thin, surekrig_error *error)
{
    report_thin *t = calloc(1, sizeof *t);
    if (!t || !(t->kept = malloc((size_t)KEPT * 3 * sizeof *t->kept))) {
        report_thin_free(t);
        return no_memory(error);
    }
    t->range[0] = INFINITY;
    t->range[1] = -INFINITY;
    for (int a = 0; a < 2; a++) {
        t->box[a][0] = t->low[a] = INFINITY;
        t->box[a][1] = t->high[a] = -INFINITY;
    }
    *thin = t;
    return SUREKRIG_OK;
}

void report_thin_free(report_thin *t)
{
    if (!t)
        return;
    free(t->kept);
    free(t->cell);
    free(t->mean);
    free(t);
}

/* ---- cells */

static cell *cell_at(cell *cells, double i, double j)
{
    return &cells[((int64_t)j & (CELLS - 1)) * CELLS + ((int64_t)i & (CELLS - 1))];
}

/* Joins 2^s cells in one along each axis. */
static surekrig_status join(report_thin *t, const int s[2], surekrig_error *error)
{
    cell *joined = calloc((size_t)CELLS * CELLS, sizeof *joined);
    double by[2] = {ldexp(1, s[0]), ldexp(1, s[1])};
    if (!joined)
        return no_memory(error);
    for (double j = t->low[1]; j <= t->high[1]; j++)
        for (double i = t->low[0]; i <= t->high[0]; i++) {
            const cell *from = cell_at(t->cell, i, j);
            cell *to = cell_at(joined, floor(i / by[0]), floor(j / by[1]));
            to->sum += from->sum;
            to->count += from->count;
        }
    free(t->cell);
    t->cell = joined;
    for (int a = 0; a < 2; a++) {
        t->joined[a] *= by[a];
        t->low[a] = floor(t->low[a] / by[a]);
        t->high[a] = floor(t->high[a] / by[a]);
    }
    return SUREKRIG_OK;
}

/* Where a point is, in cells. */
static double place(const report_thin *t, int a, double x)
{
    return floor(((x - t->axis[a].first) / t->axis[a].step + (t->grid ? 0.5 : 0)) / t->joined[a]);
}

/* Makes room for the point at `at`. */
static surekrig_status reach(report_thin *t, const double *point, double at[2], surekrig_error *error)
{
    int s[2] = {0, 0};
    for (int a = 0; a < 2; a++) {
        double low = fmin(t->low[a], at[a]), high = fmax(t->high[a], at[a]);
        while (floor(ldexp(high, -s[a])) - floor(ldexp(low, -s[a])) >= CELLS)
            s[a]++;
    }
    surekrig_status status = s[0] || s[1] ? join(t, s, error) : SUREKRIG_OK;
    for (int a = 0; a < 2; a++) {
        at[a] = place(t, a, point[a]);
        t->low[a] = fmin(t->low[a], at[a]);
        t->high[a] = fmax(t->high[a], at[a]);
    }
    return status;
}

static surekrig_status put(report_thin *t, int64_t n, const double *point, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (const double *p = point; p < point + 3 * n && !status; p += 3) {
        double at[2] = {place(t, 0, p[0]), place(t, 1, p[1])};
        if (!(at[0] >= t->low[0] && at[0] <= t->high[0] && at[1] >= t->low[1] && at[1] <= t->high[1]))
            status = reach(t, p, at, error);
        if (status || isnan(p[2]))
            continue;
        cell *c = cell_at(t->cell, at[0], at[1]);
        c->sum += p[2];
        c->count++;
    }
    return status;
}

/* ---- the points */

/* Whether the kept points stand on a grid; else squares are laid over them. */
static surekrig_status look(report_thin *t, surekrig_error *error)
{
    bool regular[2];
    for (int a = 0; a < 2; a++)
        if (!report_lattice_find(t->kepts, t->kept + a, &t->axis[a], &regular[a]))
            return no_memory(error);
    /* scattered points with few digits stand on a grid too, but a sparse one */
    t->grid = regular[0] && regular[1] && fmin(t->axis[0].step, t->axis[1].step) >= FINEST &&
              t->axis[0].span * t->axis[1].span <= 10.0 * (double)t->kepts &&
              (double)t->kepts >= 2.0 * fmax(t->axis[0].values, t->axis[1].values);
    for (int a = 0; a < 2 && !t->grid; a++) {
        double width = t->box[a][1] - t->box[a][0];
        t->axis[a].first = t->box[a][0];
        /* all in one place: later points say how far cells must reach */
        double step = width > 0 ? width * (1 + 1e-9) / (CELLS / 2) : fabs(t->box[a][0]) * 0x1p-50;
        t->axis[a].step = fmax(step, FINEST);
    }
    return SUREKRIG_OK;
}

static surekrig_status settle(report_thin *t, surekrig_error *error)
{
    t->settled = true;
    t->joined[0] = t->joined[1] = 1;
    t->cell = calloc((size_t)CELLS * CELLS, sizeof *t->cell);
    surekrig_status status = t->cell ? put(t, t->kepts, t->kept, error) : no_memory(error);
    free(t->kept);
    t->kept = NULL;
    return status;
}

/* Drops what has no place; counts the rest. */
static int64_t take(report_thin *t, int64_t n, const double *point, double *to)
{
    int64_t taken = 0;
    for (const double *p = point; p < point + 3 * n; p += 3) {
        if (isnan(p[0]) || isnan(p[1]))
            continue;
        for (int a = 0; a < 2; a++) {
            t->box[a][0] = fmin(t->box[a][0], p[a]);
            t->box[a][1] = fmax(t->box[a][1], p[a]);
        }
        t->missing += isnan(p[2]);
        t->points += !isnan(p[2]);
        memcpy(to + 3 * taken++, p, 3 * sizeof *p);
    }
    return taken;
}

surekrig_status report_thin_add(report_thin *t, int64_t n, const double *point, surekrig_error *error)
{
    enum { AT_ONCE = 4096 };
    double some[3 * AT_ONCE];
    surekrig_status status = SUREKRIG_OK;
    for (int64_t from = 0; from < n && !status; from += AT_ONCE) {
        int64_t taken = take(t, n - from < AT_ONCE ? n - from : AT_ONCE, point + 3 * from, some);
        if (!t->settled && t->kepts + taken > KEPT) {
            status = look(t, error);
            status = status ? status : settle(t, error);
        }
        if (status)
            break;
        if (!t->kept) {
            status = put(t, taken, some, error);
        } else {
            memcpy(t->kept + 3 * t->kepts, some, (size_t)(3 * taken) * sizeof *some);
            t->kepts += taken;
        }
    }
    return status;
}

/* ---- the end */

static void widen(report_thin *t, double value)
{
    if (isnan(value))
        return;
    t->range[0] = fmin(t->range[0], value);
    t->range[1] = fmax(t->range[1], value);
}

static int64_t occupied(const report_thin *t)
{
    int64_t count = 0;
    for (double j = t->low[1]; j <= t->high[1]; j++)
        for (double i = t->low[0]; i <= t->high[0]; i++)
            count += cell_at(t->cell, i, j)->count > 0;
    return count;
}

static surekrig_status average(report_thin *t, report_thinned *out, surekrig_error *error)
{
    double shift = t->grid ? 0.5 : 0;
    for (int a = 0; a < 2; a++) {
        out->size[a] = (int)(t->high[a] - t->low[a]) + 1;
        out->step[a] = t->joined[a] * t->axis[a].step;
        out->first[a] = t->axis[a].first + ((t->low[a] + 0.5) * t->joined[a] - shift) * t->axis[a].step;
    }
    t->mean = malloc((size_t)out->size[0] * (size_t)out->size[1] * sizeof *t->mean);
    if (!t->mean)
        return no_memory(error);
    for (int j = 0; j < out->size[1]; j++)
        for (int i = 0; i < out->size[0]; i++) {
            const cell *c = cell_at(t->cell, t->low[0] + i, t->low[1] + j);
            double mean = c->count ? c->sum / (double)c->count : NAN;
            widen(t, t->mean[(int64_t)j * out->size[0] + i] = mean);
        }
    out->mean = t->mean;
    out->filled = occupied(t);
    return SUREKRIG_OK;
}

static bool is_coarse(const report_thin *t)
{
    return t->high[0] - t->low[0] < COARSE && t->high[1] - t->low[1] < COARSE;
}

static surekrig_status end_cells(report_thin *t, report_thinned *out, surekrig_error *error)
{
    static const int BOTH[2] = {1, 1};
    surekrig_status status = t->settled ? SUREKRIG_OK : settle(t, error);
    while (!status && !t->grid && !is_coarse(t) && occupied(t) * CROWD > t->points)
        status = join(t, BOTH, error);
    return status ? status : average(t, out, error);
}

surekrig_status report_thin_end(report_thin *t, report_thinned *out, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    *out = (report_thinned){.points = t->points, .missing = t->missing};
    if (!t->settled && t->kepts)
        status = look(t, error);
    out->grid = t->grid;
    out->dots = !t->settled && !t->grid && t->kepts <= MOST_DOTS;
    for (int64_t i = 0; out->dots && i < t->kepts; i++)
        widen(t, t->kept[3 * i + 2]);
    out->dot = out->dots ? t->kept : NULL;
    out->filled = t->points;
    if (!status && !out->dots)
        status = end_cells(t, out, error);
    memcpy(out->box, t->box, sizeof out->box);
    memcpy(out->range, t->range, sizeof out->range);
    return status;
}
