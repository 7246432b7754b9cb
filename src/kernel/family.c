/* The families by name, and what nu has to do with it. */
#include "kernel/family.h"

#include <math.h>
#include <string.h>

#define ENTRY(name) &sk_family_##name,
static const sk_family *const FAMILIES[] = {SK_EACH_FAMILY(ENTRY, ENTRY, ENTRY)};

const sk_family *sk_family_named(const char *name)
{
    if (!name)
        return FAMILIES[0];
    for (size_t i = 0; i < sizeof FAMILIES / sizeof *FAMILIES; i++)
        if (!strcmp(FAMILIES[i]->name, name))
            return FAMILIES[i];
    return NULL;
}

const sk_family *sk_family_of(double nu, const char *name)
{
    const sk_family *family = sk_family_named(name);
    if (!family || !family->smoothness || (nu >= SK_NU_MIN && nu <= SK_NU_MAX))
        return family;
    return isinf(nu) && nu > 0 ? family->limit : NULL;
}
