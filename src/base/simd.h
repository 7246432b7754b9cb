/* Code compiled once per instruction set. A file NAME.simd.c is built once for each set below, with its flags; each
 * name that it shows to the outside goes through SK_HERE(), and the caller chooses by sk_isa_best() from a table made
 * with SK_EACH_ISA. Inside, lanes = the native width: wider spills registers, narrower idles them. */
#ifndef SK_SIMD_H
#define SK_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

/* Best first. portable: what every 64-bit CPU of the family has. */
#if defined __x86_64__
#define SK_EACH_ISA(X) X(avx512) X(avx2) X(portable)
#else
#define SK_EACH_ISA(X) X(portable)
#endif

#define SK_ISA_NUMBER(isa) SK_ISA_##isa,
typedef enum sk_isa { SK_EACH_ISA(SK_ISA_NUMBER) SK_ISA_COUNT } sk_isa;

bool sk_isa_here(sk_isa isa); /* cpu.c: can this machine run it? */
sk_isa sk_isa_best(void);
bool sk_cpu_gathers(void); /* is it quicker to gather eight numbers than to load eight buckets and transpose them? */

#if defined __AVX512F__
#define SK_HERE(name) name##_avx512
#define SK_ISA_TEXT "avx512"
enum { SK_LANES = 8 };
#elif defined __AVX2__
#define SK_HERE(name) name##_avx2
#define SK_ISA_TEXT "avx2"
enum { SK_LANES = 4 };
#else
#define SK_HERE(name) name##_portable
#define SK_ISA_TEXT "portable"
enum { SK_LANES = 2 };
#endif

/* Vectors stay in registers only where nothing is called. */
#define SK_INLINE static inline __attribute__((always_inline))

typedef double sk_vec __attribute__((vector_size(8 * SK_LANES)));
typedef int64_t sk_mask __attribute__((vector_size(8 * SK_LANES))); /* a comparison's outcome: 0 or -1 in each lane */

SK_INLINE sk_vec sk_all(double value) /* in every lane */
{
    return value - (sk_vec){0};
}

SK_INLINE sk_vec sk_select(sk_mask mask, sk_vec yes, sk_vec no)
{
    return (sk_vec)(((sk_mask)yes & mask) | ((sk_mask)no & ~mask));
}

SK_INLINE sk_vec sk_sqrt(sk_vec v)
{
#if defined __AVX512F__
    return (sk_vec)_mm512_sqrt_pd((__m512d)v);
#elif defined __AVX2__
    return (sk_vec)_mm256_sqrt_pd((__m256d)v);
#else
    return (sk_vec){__builtin_sqrt(v[0]), __builtin_sqrt(v[1])};
#endif
}

SK_INLINE bool sk_any(sk_mask mask)
{
#if defined __AVX512F__
    return _mm512_movepi64_mask((__m512i)mask) != 0;
#elif defined __AVX2__
    return _mm256_movemask_pd((__m256d)mask) != 0;
#else
    return (mask[0] | mask[1]) != 0;
#endif
}

#endif
