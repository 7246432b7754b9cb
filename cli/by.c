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
