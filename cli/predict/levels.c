/* --level: which intervals, and what their columns are called. */
#include "predict.h"

#include <stdlib.h>
#include <string.h>

surekrig_status predict_read_levels(const cli_call *call, predict_levels *s, surekrig_error *error)
{
    const char *text = cli_value(call, "level") ? cli_value(call, "level") : "0.95";
    bool several = strchr(text, ',');
    s->what[0] = "mean";
    s->what[1] = "sd";
    for (const char *at = text;; at++) {
        char *end;
        double level = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !(level >= 1e-6 && level <= 0.999999))
            return cli_usage(error, "--level takes numbers from 1e-06 to 0.999999, separated by commas, not '%s'",
                             text);
        if (s->count == PREDICT_LEVELS)
            return cli_usage(error, "--level takes at most %d levels", PREDICT_LEVELS);
        for (int j = 0; j < s->count; j++)
            if (s->level[j] == level)
                return cli_usage(error, "--level has %g twice", level);
        for (int b = 0; b < 2; b++) {
            char *name = s->bound[2 * s->count + b];
            snprintf(name, sizeof *s->bound, several ? "%s_%.*s" : "%s", b ? "upper" : "lower", (int)(end - at), at);
            s->what[2 + 2 * s->count + b] = name;
        }
        s->level[s->count++] = level;
        at = end;
        if (!*at)
            return SUREKRIG_OK;
    }
}
