/* Which instruction sets this machine has: asked in plain code, before any of theirs runs. Those of other processors
 * are known by name. */
#include "krige/krige.h"

#define DECLARE(isa) bool sk_usable_##isa(void);
SK_EACH_ISA(DECLARE)

#define USABLE(isa)                                                                                                    \
    bool sk_usable_##isa(void)                                                                                         \
    {                                                                                                                  \
        return sk_isa_here(SK_ISA_##isa);                                                                              \
    }
SK_EACH_ISA(USABLE)

#if !defined __x86_64__
static bool never(void)
{
    return false;
}

const sk_backend sk_backend_avx512 = {.name = "avx512", .usable = never};
const sk_backend sk_backend_avx2 = {.name = "avx2", .usable = never};
#endif
