/* --grid: the centers of regular cells, row by row from the top, made a batch at a time. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_CELLS = 1e9;

/* As many numbers as there are, up to six; 0: not a list of numbers. */
static int numbers(const char *text, double value[6])
{
    for (int count = 0; count < 6;) {
        char *end;
        value[count++] = strtod(text, &end);
        if (end == text || !isfinite(value[count - 1]))
            return 0;
        if (!*end)
            return count;
        if (*end != ',')
            return 0;
        text = end + 1;
    }
    return 0;
}

/* The least step with which there are not too many cells; an axis has one at least. */
static double least_step(int d, const double *value)
{
    double across = value[d] - value[0], up = d == 2 ? value[3] - value[1] : 0;
    return fmax(fmax(across, up) / MOST_CELLS, sqrt(across / MOST_CELLS) * sqrt(up));
}

surekrig_status cli_read_grid(const cli_call *call, cli_grid *grid, surekrig_error *error)
{
    const char *text = cli_value(call, "grid");
    double value[6];
    int count = numbers(text, value), d = count == 3 ? 1 : 2;
    if (count != 3 && count != 5 && count != 6)
        return cli_usage(
            error,
            "--grid takes xmin,ymin,xmax,ymax,step (or xstep,ystep), or xmin,xmax,step for one feature, not '%s'",
            text);
    *grid = (cli_grid){.d = d, .size = {1, 1}, .step = {value[2 * d], value[count - 1]}};
    double cells = 1;
    for (int a = 0; a < d; a++) {
        double low = value[a], high = value[d + a], across = fmax(ceil((high - low) / grid->step[a] - 1e-6), 1);
        if (!(grid->step[a] > 0 && low < high))
            return cli_usage(error, "--grid %s: the box must end above where it begins, and the step be above 0", text);
        cells *= across;
        if (!(cells <= MOST_CELLS))
            return cli_usage(error, "--grid %s has more than %g cells: a step of at least %.3g is needed", text,
                             MOST_CELLS, least_step(d, value));
        grid->low[a] = low;
        grid->size[a] = (int64_t)across;
    }
    grid->end = grid->size[0] * grid->size[1];
    return SUREKRIG_OK;
}

surekrig_status cli_match_grid(cli_grid *grid, const surekrig_info *info, surekrig_error *error)
{
    if (grid->d != info->d) {
        cli_error(error, SUREKRIG_DATA, "--grid has %d coordinate%s, the model %lld feature%s:", grid->d,
                  grid->d == 1 ? "" : "s", (long long)info->d, info->d == 1 ? "" : "s");
        for (int64_t a = 0; a < info->d; a++) {
            size_t used = strlen(error->sentence);
            snprintf(error->sentence + used, sizeof error->sentence - used, "%s %s", a ? "," : "", info->x_names[a]);
        }
        return SUREKRIG_DATA;
    }
    grid->swapped = grid->d == 2 && cli_is_latitude(info->x_names[0]) && cli_is_longitude(info->x_names[1]);
    return SUREKRIG_OK;
}

void cli_grid_share(cli_grid *g)
{
    int64_t cells = g->size[0] * g->size[1], size = cli_on.size, rank = cli_on.rank;
    g->next = cells / size * rank + cells % size * rank / size;
    g->end = cells / size * (rank + 1) + cells % size * (rank + 1) / size;
}

int64_t cli_grid_rows(cli_grid *g, int64_t limit, double *x)
{
    int64_t left = g->end - g->next, rows = left < limit ? left : limit;
    for (int64_t i = 0; i < rows; i++, g->next++) {
        x[i * g->d + g->swapped] = g->low[0] + ((double)(g->next % g->size[0]) + 0.5) * g->step[0];
        if (g->d == 2)
            x[i * 2 + !g->swapped] = g->low[1] + ((double)(g->size[1] - 1 - g->next / g->size[0]) + 0.5) * g->step[1];
    }
    return rows;
}
