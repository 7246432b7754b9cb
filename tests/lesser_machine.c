/* Linked into every test program: under BACKEND=avx2, portable or reference in the environment the machine looks as if
 * it had nothing better, so that `auto` is that back end, and the neighbours and the kernel are by its instruction set
 * (reference: by the portable one). A back end that the machine does not have: status 77, skipped. */
#include "base/simd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool __real_sk_isa_here(sk_isa isa);
bool __wrap_sk_isa_here(sk_isa isa);
sk_isa __wrap_sk_isa_best(void);

#define NAME(isa) #isa,
static const char *const NAMES[] = {SK_EACH_ISA(NAME) "reference"}; /* best first */
static int best; /* the first of them that the machine admits to have */

__attribute__((constructor)) static void choose(void)
{
    const char *asked = getenv("BACKEND");
    while (asked && best <= SK_ISA_COUNT && strcmp(NAMES[best], asked))
        best++;
    if (best > SK_ISA_COUNT || (best < SK_ISA_COUNT && asked && !__real_sk_isa_here((sk_isa)best))) {
        printf("skipped: back end %s, which this machine cannot run\n", asked);
        exit(77);
    }
}

bool __wrap_sk_isa_here(sk_isa isa)
{
    return (int)isa >= best && __real_sk_isa_here(isa);
}

sk_isa __wrap_sk_isa_best(void)
{
    int isa = 0;
    while (isa < SK_ISA_portable && !__wrap_sk_isa_here((sk_isa)isa))
        isa++;
    return (sk_isa)isa;
}
