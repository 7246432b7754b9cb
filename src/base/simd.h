/* Code compiled once per instruction set. A file NAME.simd.c is built once for each set below, with its flags; each name
 * that it shows to the outside goes through SK_HERE(), and the caller chooses by sk_isa_best() from a table made with
 * SK_EACH_ISA. Inside, lanes = the native width: wider spills registers, narrower idles them. */
#ifndef SK_SIMD_H
#define SK_SIMD_H

#include <stdbool.h>
#include <stdint.h>

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

#if defined __AVX512F__
#define SK_HERE(name) name##_avx512
enum { SK_LANES = 8 };
#elif defined __AVX2__
#define SK_HERE(name) name##_avx2
enum { SK_LANES = 4 };
#else
#define SK_HERE(name) name##_portable
enum { SK_LANES = 2 };
#endif

typedef double sk_vec __attribute__((vector_size(8 * SK_LANES)));
typedef int64_t sk_mask __attribute__((vector_size(8 * SK_LANES))); /* a comparison's outcome: 0 or -1 in each lane */

#endif
