/* What distances a model goes by, for people: on the sphere or not, its ranges, and which features matter. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One length scale, or many features: one line for all. */
static void print_one_range(FILE *to, double range, const cli_metric_part *part, bool one)
{
    fprintf(to, "  %-16s %12.6g   %s the correlation has fallen to 0.05, in %s\n", "practical range",
            one ? range * part->rho : range, one ? "where" : "where, along each feature,",
            !one                    ? "its length scale"
            : part->feature[1] >= 0 ? "km"
                                    : "the features' units");
}

static surekrig_status print_range_of(FILE *to, const surekrig_info *info, const cli_metric_part *part,
                                      surekrig_error *error)
{
    char label[96];
    double range;
    if (!isfinite(part->rho))
        return SUREKRIG_OK;
    surekrig_status status = cli_practical_range(info, part->name, &range, error);
    if (status)
        return status;
    snprintf(label, sizeof label, "range_%s", part->name);
    fprintf(to, "  %-*s %12.6g   where the correlation has fallen to 0.05, in %s\n", cli_pad(label, 16), label,
            range * part->rho, part->feature[1] >= 0 ? "km" : "its unit");
    return SUREKRIG_OK;
}

void cli_print_range(FILE *to, const surekrig_info *info)
{
    enum { MOST = 6 };
    double range = NAN;
    surekrig_error error;
    cli_metric_part *part = malloc((size_t)info->d * sizeof *part);
    surekrig_status status = part ? cli_practical_range(info, "", &range, &error) : cli_no_memory(&error);
    int parts = part && !isnan(range) ? cli_metric_parts(info, part) : 0;
    bool one = !isnan(cli_estimate(info, "rho")), few = parts <= MOST;
    if (parts && (one || !few))
        print_one_range(to, range, part, one);
    for (int i = 0; i < parts && !one && few && !status; i++)
        status = print_range_of(to, info, part + i, &error);
    if (status) /* a summary goes on without it */
        fprintf(to, "  %-16s %12s   not told: %s\n", "practical range", "-", error.sentence);
    free(part);
}

const char *cli_distance_unit(const surekrig_info *info)
{
    const char *scaling = surekrig_settings_get(info->settings, "scaling");
    bool one = !isnan(cli_estimate(info, "rho")), axis = !strcmp(scaling, "axis");
    if (info->fitted_metric)
        return "in length scales, each feature's about its own";
    if (axis || (!one && !strcmp(scaling, "auto")))
        return "each feature divided by its extent in the data";
    return cli_sphere(info) ? "in km" : info->d == 1 ? "in the feature's unit" : "in the features' unit";
}

/* A feature's extent in its length scale, or a group's; 0: it is of no use. */
typedef struct relevance {
    int group; /* as cli_group_of */
    char name[120];
    double extent, value;
} relevance;

static int by_relevance(const void *a, const void *b)
{
    double x = ((const relevance *)a)->value, y = ((const relevance *)b)->value;
    return (x < y) - (x > y);
}

/* What has a length scale, in the order of the estimates: features but for the sphere's, a group with its first one. */
static int list_scaled(const surekrig_info *info, int most, relevance *of)
{
    const char *groups = surekrig_settings_get(info->settings, "group"), *sphere = cli_sphere(info);
    int count = 0;
    for (int64_t a = 0; a < info->d; a++) {
        const char *name = info->x_names[a];
        int group = cli_group_of(groups, name), i = 0;
        double extent = info->box[info->d + a] - info->box[a];
        while (i < count && (!group || of[i].group != group))
            i++;
        if (cli_in_list(sphere, name) || i == most)
            continue;
        size_t used = i < count ? strlen(of[i].name) : 0;
        if (i == count)
            of[count++] = (relevance){.group = group};
        snprintf(of[i].name + used, sizeof of[i].name - used, "%s%s", used ? ", " : "", name);
        of[i].extent = fmax(of[i].extent, extent);
    }
    return count;
}

/* Many features with a length scale each, the most relevant first. */
static void print_relevance(FILE *to, const surekrig_info *info)
{
    enum { MOST = 256 };
    relevance of[MOST];
    int count = list_scaled(info, MOST, of), rhos = 0, last = -1, useless = 0;
    for (int i = 0; i < info->estimates; i++)
        if (!strncmp(info->estimate[i].name, "rho_", 4)) {
            rhos++;
            last = i;
        }
    if (count < 4 || rhos < count) /* the sphere's stands before them, in km */
        return;
    for (int i = 0; i < count; i++)
        of[i].value = of[i].extent / info->estimate[last - count + 1 + i].value;
    qsort(of, (size_t)count, sizeof *of, by_relevance);
    fputs("relevance ", to);
    for (int i = 0; i < count; i++) {
        if (of[i].value > 0)
            fprintf(to, "%s %s %.3g", i && of[i].group ? ";" : "", of[i].name, of[i].value);
        useless += !(of[i].value > 0);
    }
    fputs("   (its extent in length scales; the largest matters most)\n", to);
    if (!useless)
        return;
    fprintf(to, "           %d of %d count in distances no more, as they do not help:", useless, count);
    for (int i = 0, told = 0; i < count; i++)
        if (!(of[i].value > 0) && told++ < 8)
            fprintf(to, "%s %s", told > 1 ? "," : "", of[i].name);
    fputs(useless > 8 ? ", ...\n" : "\n", to);
}

static void print_groups(FILE *to, const surekrig_info *info)
{
    enum { MOST = 256 };
    relevance of[MOST];
    int count = list_scaled(info, MOST, of);
    for (int i = 0; i < count; i++)
        if (of[i].group)
            fprintf(to, "distances  %s have one length scale\n", of[i].name);
}

/* Names of degrees, and values that are none: a mistake, or a plane after all. */
static void print_degrees(FILE *to, const surekrig_info *info)
{
    const double *low = info->box, *high = info->box + info->d;
    for (int64_t a = 0; a < info->d; a++) {
        bool lon = cli_is_longitude(info->x_names[a]), lat = cli_is_latitude(info->x_names[a]);
        double least = lat ? -90 : -180, most = lat ? 90 : 360;
        if ((lon || lat) && (low[a] < least || high[a] > most))
            fprintf(to,
                    "note       %s has the value %g, which is no %s in degrees, so distances are not on the sphere\n",
                    info->x_names[a], low[a] < least ? low[a] : high[a], lat ? "latitude" : "longitude");
    }
}

void cli_print_distances(FILE *to, const surekrig_info *info)
{
    const char *sphere = cli_sphere(info);
    if (sphere)
        fprintf(to, "distances  of %s on the sphere, in km\n", sphere);
    else
        print_degrees(to, info);
    if (cli_turn(info) > 0)
        fprintf(to,
                "distances  one length scale along a direction that is turned by %.4g degrees from %s towards %s, one "
                "across it\n",
                cli_turn(info), info->x_names[0], info->x_names[1]);
    print_groups(to, info);
    print_relevance(to, info);
}

void cli_print_scaling(FILE *to, const surekrig_info *info)
{
    double longest = 0, shortest = INFINITY;
    const char *distance = surekrig_settings_get(info->settings, "distance");
    for (int64_t a = 0; a < info->d; a++) {
        if (strcmp(distance, "all") && !cli_in_list(distance, info->x_names[a]))
            continue; /* the trend's alone */
        longest = fmax(longest, info->box[info->d + a] - info->box[a]);
        shortest = fmin(shortest, info->box[info->d + a] - info->box[a]);
    }
    if (longest > 100 * shortest && strcmp(surekrig_settings_get(info->settings, "scaling"), "axis") &&
        !strcmp(surekrig_settings_get(info->settings, "anisotropic"), "no"))
        fprintf(
            to,
            "note       the features' extents differ by a factor of %.2g, so the narrow ones hardly count; are they in "
            "different units?\n           then try --scaling axis, or --anisotropic yes\n",
            longest / shortest);
}
