/* Rows that are left out together: those whose cells in the columns of --by read alike are one group, numbered as they
 * come. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    char *text; /* NULL: free */
    int64_t group;
} entry;

struct cli_groups {
    entry *slot; /* [slots], a power of two */
    size_t slots;
    int64_t count;
};

void cli_groups_free(cli_groups *g)
{
    for (size_t i = 0; g && i < g->slots; i++)
        free(g->slot[i].text);
    if (g)
        free(g->slot);
    free(g);
}

/* FNV-1a */
static size_t hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3;
    return (size_t)(h ^ h >> 32);
}

static entry *find(entry *slot, size_t slots, const char *text)
{
    size_t at = hash(text) & (slots - 1);
    while (slot[at].text && strcmp(slot[at].text, text) != 0)
        at = (at + 1) & (slots - 1);
    return &slot[at];
}

/* Half of the slots stay free. */
static bool grow(cli_groups *g)
{
    size_t slots = g->slots ? 2 * g->slots : 256;
    entry *slot = calloc(slots, sizeof *slot);
    for (size_t i = 0; slot && i < g->slots; i++)
        if (g->slot[i].text)
            *find(slot, slots, g->slot[i].text) = g->slot[i];
    if (!slot)
        return false;
    free(g->slot);
    g->slot = slot;
    g->slots = slots;
    return true;
}

int64_t cli_groups_count(const cli_groups *g)
{
    return g ? g->count : 0;
}

int64_t cli_group_number(cli_groups **groups, const char *text)
{
    cli_groups *g = *groups ? *groups : (*groups = calloc(1, sizeof **groups));
    if (!g || (2 * (size_t)(g->count + 1) > g->slots && !grow(g)))
        return -1;
    entry *e = find(g->slot, g->slots, text);
    if (!e->text) {
        *e = (entry){strdup(text), g->count};
        g->count += e->text != NULL;
    }
    return e->text ? e->group : -1;
}

/* ---- many ranks, of which each has numbered those of its part */

/* Their names in the order of their numbers, each with its end; bytes: out. The caller's; NULL: no memory. */
static char *write_names(const cli_groups *g, int64_t *bytes)
{
    int64_t count = cli_groups_count(g), room = 1;
    const char **name = calloc((size_t)count + 1, sizeof *name);
    for (size_t i = 0; name && g && i < g->slots; i++)
        if (g->slot[i].text) {
            name[g->slot[i].group] = g->slot[i].text;
            room += (int64_t)strlen(g->slot[i].text) + 1;
        }
    char *text = name ? malloc((size_t)room) : NULL, *to = text;
    for (int64_t i = 0; text && i < count && name[i]; i++)
        to = stpcpy(to, name[i]) + 1;
    free(name);
    *bytes = text ? to - text : 0;
    return text;
}

/* One rank's names are numbered after those before it; number: [of this rank's groups], where they are its. */
static bool add_names(cli_groups **all, const char *text, int64_t bytes, int64_t *number)
{
    int64_t group = 0;
    for (const char *at = text; at < text + bytes && group >= 0; at += strlen(at) + 1) {
        group = cli_group_number(all, at);
        if (number)
            *number++ = group;
    }
    return group >= 0;
}

surekrig_status cli_groups_join(cli_groups **groups, int64_t n, int64_t *group, surekrig_error *error)
{
    cli_groups *all = NULL;
    int64_t own, *bytes = malloc((size_t)cli_on.size * sizeof *bytes);
    int64_t *number = malloc((size_t)(cli_groups_count(*groups) + 1) * sizeof *number);
    char *mine = write_names(*groups, &own);
    bool room = bytes && number && mine;
    if (room)
        cli_on.gather(&own, sizeof own, bytes);
    for (int r = 0; r < cli_on.size && room; r++) {
        bool here = r == cli_on.rank;
        char *text = here ? mine : malloc((size_t)bytes[r] + 1);
        room = text;
        if (room)
            cli_on.tell(r, text, bytes[r]);
        room = room && add_names(&all, text, bytes[r], here ? number : NULL);
        if (!here)
            free(text);
    }
    for (int64_t i = 0; i < n && room; i++)
        group[i] = number[group[i]];
    cli_groups_free(*groups);
    *groups = all;
    free(bytes);
    free(number);
    free(mine);
    return room ? SUREKRIG_OK : cli_no_memory(error);
}
