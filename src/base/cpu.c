#include "base/simd.h"

/* The processor's word and the system's: registers that the system does not save are not offered. */
bool sk_isa_here(sk_isa isa)
{
#if defined __x86_64__
    __builtin_cpu_init();
    if (isa == SK_ISA_avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (isa == SK_ISA_avx2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#endif
    return isa == SK_ISA_portable;
}

sk_isa sk_isa_best(void)
{
    int isa = 0;
    while (!sk_isa_here((sk_isa)isa))
        isa++;
    return (sk_isa)isa;
}

/* Kriging with k = 50 by AVX-512, when buckets had eight words: 3.9 against 6.5 us a point on an Intel Sapphire
 * Rapids, 5.8 against 3.6 on an AMD Zen 4. */
bool sk_cpu_gathers(void)
{
#if defined __x86_64__
    __builtin_cpu_init();
    return __builtin_cpu_is("intel");
#else
    return false;
#endif
}
