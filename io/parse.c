/* Text to doubles, correctly rounded.
 *
 * D 10^q with D <= 2^53 and |q| <= 22 rounds once in doubles already: W. D. Clinger, How to read floating point numbers
 * accurately, PLDI 1990. Otherwise 10^q = (t + f) 2^e with t of 128 bits and 0 <= f < 1 (internal.h), so that
 * D 10^q 2^-e lies between D t and D (t + 1), two numbers of 192 bits; mostly both round to one double, as in D.
 * Lemire, Number parsing at a gigabyte per second, 2021. Of more than 19 digits the first 19 and their successor must
 * agree. What is left, some one in 2^60 and ties that somebody made, goes to libc. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first of eight digits is taken from the lowest byte");

typedef unsigned __int128 wide;

enum { MOST_DIGITS = 19 }; /* 10^19 < 2^64 */

static const double exact_power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

typedef struct decimal {
    bool negative, cut; /* cut: digits other than 0 follow those kept */
    uint64_t digits;    /* the first 19 */
    int64_t exponent;   /* the value is digits 10^exponent */
} decimal;

/* ------------------------------------------------------------------------------------------------------ scanning */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The number whose digits are the eight bytes of x, the first in the lowest. */
static uint64_t join_eight(uint64_t x)
{
    const uint64_t pairs = 0x000000ff000000ff;
    x = 10 * x + (x >> 8); /* each even byte: its own digit and the next one */
    uint64_t outer = (x & pairs) * (100 + (UINT64_C(1000000) << 32));
    uint64_t inner = (x >> 16 & pairs) * (1 + (UINT64_C(10000) << 32));
    return (outer + inner) >> 32;
}

/* Appends to *digits, eight bytes at a time, all digits from at on; returns their end. */
static const char *scan_digits(const char *at, uint64_t *digits)
{
    static const uint32_t shift[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    for (int count = 8; count == 8; at += count) {
        uint64_t x;
        memcpy(&x, at, 8);
        x ^= 0x3030303030303030; /* a digit becomes its value, all else 10 or more */
        uint64_t others = ((x + 0x7676767676767676) | x) & 0x8080808080808080;
        count = others ? __builtin_ctzll(others) / 8 : 8;
        if (count == 0)
            break;
        *digits = *digits * shift[count] + join_eight(x << (64 - 8 * count)); /* zeros in front */
    }
    return at;
}

/* More digits than digits can hold: the first 19 from the first that is not 0. */
static void scan_many(const char *at, const char *end, decimal *number)
{
    int kept = 0;
    number->digits = 0;
    for (; at < end; at++) {
        if (*at == '.')
            continue;
        if (kept < MOST_DIGITS) {
            number->digits = 10 * number->digits + (uint64_t)(*at - '0');
            kept += number->digits > 0;
        } else {
            number->cut |= *at != '0';
            number->exponent++;
        }
    }
}

/* The end of an exponent "e-12", or at itself where there is none. */
static const char *scan_exponent(const char *at, decimal *number)
{
    if (*at != 'e' && *at != 'E')
        return at;
    const char *digit = at + 1 + (at[1] == '+' || at[1] == '-');
    if (!is_digit(*digit))
        return at;
    int64_t exponent = 0; /* one that is cut is out of reach of any number of zeros in a row */
    for (; is_digit(*digit); digit++)
        exponent = exponent < 1000000000000 ? 10 * exponent + (*digit - '0') : exponent;
    number->exponent += at[1] == '-' ? -exponent : exponent;
    return digit;
}

/* The decimal's end; NULL where there is none. */
static const char *scan_decimal(const char *text, decimal *number)
{
    *number = (decimal){.negative = *text == '-'};
    const char *whole = text + (*text == '-' || *text == '+');
    const char *end = scan_digits(whole, &number->digits);
    ptrdiff_t digits = end - whole;
    if (*end == '.') {
        const char *fraction = end + 1;
        end = scan_digits(fraction, &number->digits);
        number->exponent = fraction - end;
        digits += end - fraction;
    }
    if (digits == 0)
        return NULL;
    if (digits > MOST_DIGITS)
        scan_many(whole, end, number);
    return scan_exponent(end, number);
}

/* ------------------------------------------------------------------------------------------------------ rounding */

/* x 2^p to the nearest double, ties to even. x >= 2^62; its lowest bit stands for all that was cut off below it. */
static double round_once(uint64_t x, int p)
{
    int down = 11 - __builtin_clzll(x); /* leaves 53 bits */
    if (down + p < -1074)               /* subnormal: the last bit is 2^-1074 */
        down = -1074 - p;
    if (down > 65)
        return 0;
    int spare = down - 2; /* leaves two bits more: a half, and whether there is anything below it */
    uint64_t y = x >> spare;
    y |= y << spare != x;
    uint64_t mantissa = (y + 1 + (y >> 2 & 1)) >> 2;
    int64_t exponent = down + p +
                       1074; /* of a subnormal 0; of others one less, for the mantissa's highest bit adds 1 */
    uint64_t bits = exponent >= 2046 ? UINT64_C(2047) << 52 : ((uint64_t)exponent << 52) + mantissa;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Where 5^-q divides D, D 10^q = (D / 5^-q) 2^q rounds once in doubles: the ties and the exact among them. */
static bool divide_exactly(uint64_t digits, int64_t q, double *value)
{
    uint64_t divisor = 1;
    if (q < -27 || q > 0) /* 5^27 < 2^64 */
        return false;
    for (int64_t i = 0; i < -q; i++)
        divisor *= 5;
    *value = ldexp((double)(digits / divisor), (int)q);
    return digits % divisor == 0;
}

/* digits 10^q for digits > 0; false where 128 bits of 10^q do not decide. */
static bool nearest(uint64_t digits, int64_t q, double *value)
{
    *value = q > 308 ? INFINITY : 0; /* 1e309 is too large, 2^64 1e-343 rounds to 0 */
    if (q > 308 || q < IO_POWER_LEAST)
        return true;
    io_power power = io_powers_of_ten[q - IO_POWER_LEAST];
    int up = __builtin_clzll(digits);
    uint64_t d = digits << up;
    wide low = (wide)d * power.low;
    wide product = (wide)d * power.high + (uint64_t)(low >> 64);      /* D t: product and the low word of low */
    uint64_t rest = (uint64_t)low, error = q >= 0 && q <= 55 ? 0 : d; /* 5^55 < 2^128: f = 0 */
    wide most = product + (rest + error < rest);                      /* D (t + 1) */
    uint64_t x = (uint64_t)(product >> 64) | (((uint64_t)product | rest) != 0);
    uint64_t y = (uint64_t)(most >> 64) | (((uint64_t)most | (rest + error)) != 0);
    int p = io_power_exponent((int)q) - up + 128;
    *value = round_once(x, p);
    return x == y || *value == round_once(y, p) || divide_exactly(digits, q, value);
}

static double decimal_value(const decimal *number, const char *text)
{
    double value, above;
    uint64_t digits = number->digits;
    int64_t q = number->exponent;
    if (digits <= (uint64_t)1 << 53 && q >= -22 && q <= 22 && !number->cut)
        value = q < 0 ? (double)digits / exact_power[-q] : (double)digits * exact_power[q];
    else if (digits == 0)
        value = 0;
    else if (!nearest(digits, q, &value) || (number->cut && !(nearest(digits + 1, q, &above) && above == value)))
        return strtod(text, NULL);
    return number->negative ? -value : value;
}

/* ------------------------------------------------------------------------------------------------------- numbers */

const char *io_scan_number(const char *text, double *value)
{
    decimal number;
    const char *end = scan_decimal(text, &number);
    if (end)
        *value = decimal_value(&number, text);
    return end;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

bool io_says_none(const char *text, size_t length)
{
    static const char *const WORDS[] = {"null", "None", "N/A", "#N/A"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (is_word(text, length, WORDS[i]))
            return true;
    return false;
}

bool io_means_missing(const char *text, size_t length)
{
    bool sign = length > 0 && (*text == '-' || *text == '+');
    return length == 0 || is_word(text, length, "NA") || is_word(text + sign, length - sign, "NaN") ||
           io_says_none(text, length);
}

/* No decimal: infinite, missing or a word. */
static io_kind parse_word(const char *text, size_t length, double *value)
{
    bool sign = length > 0 && (*text == '-' || *text == '+');
    if (io_means_missing(text, length)) {
        *value = NAN;
        return IO_MISSING;
    }
    if (!is_word(text + sign, length - sign, "inf") && !is_word(text + sign, length - sign, "infinity"))
        return IO_WORD;
    *value = *text == '-' ? -INFINITY : INFINITY;
    return IO_NUMBER;
}

io_kind io_parse_number(const char *text, size_t length, double *value)
{
    double parsed;
    if (io_scan_number(text, &parsed) != text + length)
        return parse_word(text, length, value);
    if (isinf(parsed))
        return IO_TOO_LARGE;
    *value = parsed;
    return IO_NUMBER;
}
