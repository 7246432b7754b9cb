/* Doubles to text: the fewest digits that read back, after R. Giulietti, The Schubfach way to render doubles, 2020.
 *
 * v = c 2^q stands for all numbers from l = (c - 1/2) 2^q to r = (c + 1/2) 2^q; for c = 2^52 from (c - 1/4) 2^q, as the
 * doubles below are closer. Both ends belong to it where c is even. With 10^k <= r - l < 10^(k+1) there is a multiple
 * of 10^k in there, and at most one of 10^(k+1), which is shorter; s = floor(v 10^-k) is next to all of them.
 *
 * l, v and r are u 2^(q-2) with whole u. X(u) = u 2^q 10^-k is four times what they are in units of 10^k, and is
 * compared with even numbers: its floor, made odd where X(u) is no whole number, does. With h = q + e + 128 and 10^-k =
 * (t + f) 2^e, X(u) = u 2^h (t + f) 2^-128, and u 2^h (t + 1) 2^-128 is too large by less than 2^-68. The fraction of
 * X(u) is 0 or between 2^-65.5 and 1 - 2^-63.5 (for each q, by the continued fraction of 2^q 10^-k, over all u <= 2^55
 * + 2), so that both the floor and whether X(u) is whole are seen from that. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first of eight digits is put into the lowest byte");

typedef unsigned __int128 wide;

enum { DIGITS = 17, ROOM = 40 };

typedef struct decimal {
    uint64_t digits;
    int exponent; /* the value is digits 10^exponent */
} decimal;

/* ------------------------------------------------------------------------------------------------- fewest digits */

/* factor g 2^-128, its floor made odd where it is no whole number. */
static uint64_t scale(uint64_t factor, io_power g)
{
    wide low = (wide)factor * g.low;
    wide product = (wide)factor * g.high + (uint64_t)(low >> 64);
    return (uint64_t)(product >> 64) | (((uint64_t)product | (uint64_t)low >> 60) != 0);
}

/* s 10^k or (s + 1) 10^k, whichever is inside; the closer one where both are. All in units of 10^k / 4. */
static uint64_t choose(uint64_t s, uint64_t left, uint64_t middle, uint64_t right)
{
    bool below = left <= 4 * s, above = 4 * s + 4 <= right;
    if (below != above)
        return s + above;
    return s + (middle > 4 * s + 2 || (middle == 4 * s + 2 && (s & 1)));
}

/* c 2^q for c > 0. closer: whether the double below is closer than the one above. */
static decimal shortest(uint64_t c, int q, bool closer)
{
    int k = (q * 1262611 - (closer ? 524031 : 0)) >> 22; /* floor(log10(2^q)), floor(log10(3/4 2^q)) */
    int h = q + io_power_exponent(-k) + 128;             /* 1 to 4 */
    io_power g = io_powers_of_ten[-k - IO_POWER_LEAST];
    g.high += ++g.low == 0; /* t + 1 */
    uint64_t outside = c & 1;
    uint64_t left = scale((4 * c - 2 + closer) << h, g) + outside;
    uint64_t middle = scale(4 * c << h, g);
    uint64_t right = scale((4 * c + 2) << h, g) - outside;
    uint64_t s = middle / 4, tens = s / 10;
    bool below = left <= 40 * tens, above = 40 * tens + 40 <= right;
    if (below != above)
        return (decimal){tens + above, k + 1};
    return (decimal){choose(s, left, middle, right), k};
}

static decimal decimal_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52 & 2047);
    if (exponent == 0)
        return shortest(mantissa, -1074, false);
    return shortest(mantissa | UINT64_C(1) << 52, exponent - 1075, mantissa == 0 && exponent > 1);
}

/* ---------------------------------------------------------------------------------------------------- characters */

/* The eight digits of n < 10^8 as bytes, the first in the lowest: halved three times, all parts at once. */
static uint64_t eight_digits(uint32_t n)
{
    uint64_t x = n / 10000 | (uint64_t)(n % 10000) << 32;
    uint64_t hundreds = (x * 10486 >> 20) & 0x0000007f0000007f; /* 10486 / 2^20 = 1 / 100, near enough below 10^4 */
    x = hundreds | (x - 100 * hundreds) << 16;
    uint64_t tens = (x * 103 >> 10) & 0x000f000f000f000f; /* 103 / 2^10 = 1 / 10, near enough below 100 */
    return tens | (x - 10 * tens) << 8;
}

/* 17 digits as characters, with zeros behind; returns how many are left without the zeros at their end. */
static int spell(uint64_t digits, char text[ROOM])
{
    const uint64_t zeros = 0x3030303030303030;
    uint64_t rest = digits % 10000000000000000u;
    uint64_t middle = eight_digits((uint32_t)(rest / 100000000)), last = eight_digits((uint32_t)(rest % 100000000));
    memset(text, '0', ROOM);
    text[0] = (char)('0' + digits / 10000000000000000u);
    memcpy(text + 1, &(uint64_t){middle | zeros}, 8);
    memcpy(text + 9, &(uint64_t){last | zeros}, 8);
    if (last)
        return DIGITS - __builtin_clzll(last) / 8;
    return middle ? DIGITS - 8 - __builtin_clzll(middle) / 8 : 1;
}

static size_t print_scientific(const char digit[ROOM], int count, int exponent, char *text)
{
    text[0] = digit[0];
    text[1] = '.';
    memcpy(text + 2, digit + 1, 16);
    char *at = text + count + (count > 1);
    int size = exponent < 0 ? -exponent : exponent;
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    if (size >= 100)
        *at++ = (char)('0' + size / 100);
    *at++ = (char)('0' + size / 10 % 10);
    *at++ = (char)('0' + size % 10);
    return (size_t)(at - text);
}

static size_t print_fixed(const char digit[ROOM], int count, int exponent, char *text)
{
    if (exponent < 0) {
        int zeros = 1 - exponent; /* with the point */
        memcpy(text, "0.000000", 8);
        memcpy(text + zeros, digit, DIGITS);
        return (size_t)(zeros + count);
    }
    int whole = exponent + 1;
    memcpy(text, digit, DIGITS);
    text[whole] = '.';
    memcpy(text + whole + 1, digit + whole, DIGITS - 1);
    return (size_t)(count > whole ? count + 1 : whole);
}

/* As %.15g, or %.16g or %.17g where so many are needed. */
static size_t print_positive(double value, char *text)
{
    char digit[ROOM];
    decimal d = decimal_of(value);
    for (; d.digits < 10000000000000000u; d.exponent--)
        d.digits *= 10;
    int count = spell(d.digits, digit), exponent = d.exponent + DIGITS - 1;
    if (exponent < -4 || exponent >= (count > 15 ? count : 15))
        return print_scientific(digit, count, exponent, text);
    return print_fixed(digit, count, exponent, text);
}

size_t io_print_number(double value, char text[IO_PRINTED])
{
    bool negative = signbit(value);
    text[0] = '-';
    if (value == 0 || isinf(value))
        return (size_t)snprintf(text, IO_PRINTED, "%g", value);
    return negative + print_positive(fabs(value), text + negative);
}
