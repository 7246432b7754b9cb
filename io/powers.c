/* The powers of ten to 128 bits, made at first use in a few microseconds: shorter to read than a table of them.
 *
 * 10^k = 5^k 2^k, so that its leading bits are those of 5^k. Upwards 5^k itself is held, downwards floor(2^B / 5^k):
 * floor(floor(a / b) / c) = floor(a / bc), hence dividing on and cutting off bits rounds down as one division would. */
#include "internal.h"

#include <pthread.h>

enum { LIMBS = 31 }; /* 992 bits: 2^991 / 5^342 still has 197, 2^159 5^324 has 913 */

io_power io_powers_of_ten[IO_POWER_MOST - IO_POWER_LEAST + 1];

/* The 128 bits from the highest one on; the number is at least 2^159. */
static io_power leading_bits(const uint32_t limb[LIMBS])
{
    int top = LIMBS - 1;
    while (limb[top] == 0)
        top--;
    int up = __builtin_clz(limb[top]);
    uint64_t high = (uint64_t)limb[top] << 32 | limb[top - 1], low = (uint64_t)limb[top - 2] << 32 | limb[top - 3];
    uint64_t next = (uint64_t)limb[top - 4] << 32;
    return (io_power){high << up | low >> 32 >> (32 - up), low << up | next >> 32 >> (32 - up)};
}

static void make_upwards(void)
{
    uint32_t limb[LIMBS] = {[4] = 1u << 31}; /* 2^159 5^k */
    for (int k = 0; k <= IO_POWER_MOST; k++) {
        io_powers_of_ten[k - IO_POWER_LEAST] = leading_bits(limb);
        uint64_t carry = 0;
        for (int i = 0; i < LIMBS; i++, carry >>= 32) {
            carry += (uint64_t)limb[i] * 5;
            limb[i] = (uint32_t)carry;
        }
    }
}

static void make_downwards(void)
{
    uint32_t limb[LIMBS] = {[LIMBS - 1] = 1u << 31}; /* floor(2^991 / 5^-k) */
    for (int k = 0; k >= IO_POWER_LEAST; k--) {
        io_powers_of_ten[k - IO_POWER_LEAST] = leading_bits(limb);
        uint64_t rest = 0;
        for (int i = LIMBS - 1; i >= 0; i--, rest %= 5) {
            rest = rest << 32 | limb[i];
            limb[i] = (uint32_t)(rest / 5);
        }
    }
}

static void make_powers(void)
{
    make_upwards();
    make_downwards();
}

void io_prepare_numbers(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_powers);
}
