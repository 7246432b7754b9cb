/* The columns of predictions: mean, sd and interval of a response, by name or as bands of a raster. */
#include "cli.h"
#include "raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "mean" or "mean_temp" in the predictions, likewise sd. */
static int find_prediction(const io_reader *predictions, const char *what, const char *name)
{
    char both[512];
    snprintf(both, sizeof both, "%s_%s", what, name);
    int column = io_find_column(predictions, both);
    return column >= 0 ? column : io_find_column(predictions, what);
}

/* The sd of a band in a raster that predict or fill wrote, "temp sd" of "temp"; -1: it is no such band. */
static int sd_of_band(const io_reader *predictions, int band)
{
    char sd[512];
    snprintf(sd, sizeof sd, "%s sd", io_column_name(predictions, band));
    return io_table_grid(predictions) ? io_find_column(predictions, sd) : -1;
}

/* The band of that name, or the only one with an sd. */
static int find_band(const io_reader *predictions, const char *name)
{
    int found = io_find_column(predictions, name), count = 0;
    if (found >= 0 && sd_of_band(predictions, found) >= 0)
        return found;
    for (int i = 0; i < io_columns(predictions); i++)
        if (sd_of_band(predictions, i) >= 0) {
            found = i;
            count++;
        }
    return count == 1 ? found : -1;
}

/* The lower or upper end in a raster, "temp lower" of "temp", or in a table. */
static int find_end(const io_reader *predictions, int mean, const char *end, const char *name)
{
    char band[512];
    snprintf(band, sizeof band, "%s %s", io_column_name(predictions, mean), end);
    return io_table_grid(predictions) ? io_find_column(predictions, band) : find_prediction(predictions, end, name);
}

/* The column "lower_0.9" or "lower_0.9_temp" says 0.9; any other 0. */
static double level_of(const char *column, const char *name)
{
    char *end = "";
    double level = strncmp(column, "lower_", 6) ? 0 : strtod(column + 6, &end);
    return level > 0 && level < 1 && (!*end || (*end == '_' && !strcmp(end + 1, name))) ? level : 0;
}

/* The ends of the interval at *level, or, where that is 0, of the highest level there is, which it then becomes; or of
 * one whose name says no level. False: there is none. */
static bool find_interval(const io_reader *predictions, const char *name, int mean, double *level, int end[2])
{
    double asked = *level, best = 0;
    for (int i = 0; i < io_columns(predictions); i++) {
        const char *lower = io_column_name(predictions, i);
        double here = level_of(lower, name);
        char upper[512];
        snprintf(upper, sizeof upper, "upper%s", lower + (here > 0 ? 5 : 0));
        if (here <= best || (asked > 0 && fabs(here - asked) > 1e-12) || io_find_column(predictions, upper) < 0)
            continue;
        *level = best = here;
        end[0] = i;
        end[1] = io_find_column(predictions, upper);
    }
    if (best > 0)
        return true;
    end[0] = find_end(predictions, mean, "lower", name);
    end[1] = find_end(predictions, mean, "upper", name);
    return end[0] >= 0 && end[1] >= 0;
}

static surekrig_status find_mean_and_sd(const io_reader *predictions, const char *name, int *mean, int *sd,
                                        surekrig_error *error)
{
    *mean = find_prediction(predictions, "mean", name);
    *sd = find_prediction(predictions, "sd", name);
    if (*mean < 0 || *sd < 0) {
        *mean = find_band(predictions, name);
        *sd = *mean < 0 ? -1 : sd_of_band(predictions, *mean);
    }
    if (*mean >= 0)
        return SUREKRIG_OK;
    if (io_table_grid(predictions))
        return cli_error(error, SUREKRIG_DATA,
                         "%s has no bands '%s' and '%s sd', as 'surekrig predict' and 'fill' write them",
                         io_path(predictions), name, name);
    return cli_error(error, SUREKRIG_DATA, "%s has no columns mean and sd, as 'surekrig predict' writes them",
                     io_path(predictions));
}

/* The columns of numbers that are no responses, into column, or NULL; how many. */
static int features_of(const io_reader *test, const cli_scored *s, int *column)
{
    int count = 0;
    for (int i = 0; i < io_columns(test); i++) {
        bool feature = io_column_numeric(test, i) && !cli_is_blank(test, i);
        for (int q = 0; q < s->l; q++)
            feature &= strcmp(io_column_name(test, i), s->name[q]) != 0;
        if (feature && column)
            column[count] = i;
        count += feature;
    }
    return count;
}

/* NPY has no names: the test file's features are then taken to stand first, and mean, sd, lower and upper behind them,
 * as 'surekrig predict' writes them. */
static surekrig_status find_by_place(const io_reader *predictions, const io_reader *test, const cli_scored *s,
                                     int *column, surekrig_error *error)
{
    int features = features_of(test, s, NULL), all = io_columns(predictions);
    if (s->l > 1 || all != features + 4)
        return cli_error(
            error, SUREKRIG_DATA,
            "%s has no names, and %d column%s where %d are expected: %d feature%s as in %s, mean, sd, lower and "
            "upper of one response; CSV has names",
            io_path(predictions), all, all == 1 ? "" : "s", features + 4, features, features == 1 ? "" : "s",
            io_path(test));
    for (int i = 0; i < 4; i++)
        column[i] = features + i;
    return SUREKRIG_OK;
}

surekrig_status cli_find_predictions(const io_reader *predictions, const io_reader *test, cli_scored *s, int *column,
                                     bool *own, surekrig_error *error)
{
    int l = s->l;
    *own = true;
    if (!io_named(predictions) && !io_table_grid(predictions))
        return find_by_place(predictions, test, s, column, error);
    surekrig_status status = SUREKRIG_OK;
    for (int q = 0; q < l && !status; q++) {
        int end[2];
        status = find_mean_and_sd(predictions, s->name[q], &column[q], &column[l + q], error);
        *own = !status && *own && find_interval(predictions, s->name[q], column[q], &s->level, end);
        for (int e = 0; e < 2 && *own; e++)
            column[(2 + e) * l + q] = end[e];
    }
    return status;
}

int cli_shared_columns(const io_reader *predictions, const io_reader *test, const cli_scored *s, int *pair)
{
    int count = 0, most = io_columns(predictions);
    if (!io_named(predictions) && !io_table_grid(predictions)) { /* found by place */
        count = features_of(test, s, pair + most);
        for (int i = 0; i < count; i++)
            pair[i] = i;
        return count;
    }
    for (int i = 0; io_named(predictions) && io_named(test) && i < most; i++) {
        int there = io_find_column(test, io_column_name(predictions, i));
        bool response = sd_of_band(predictions, i) >= 0;
        for (int q = 0; q < s->l; q++)
            response |= !strcmp(io_column_name(predictions, i), s->name[q]);
        if (there < 0 || response || !io_column_numeric(test, there) || !io_column_numeric(predictions, i))
            continue;
        pair[count] = i;
        pair[most + count++] = there;
    }
    return count;
}
