/* Doubles to text and back, exactly.
 *
 * Numbers of everyday size are handled in integers: a decimal of up to 19 digits is D / 10^k with D < 2^64, and a
 * double is m 2^e with m < 2^53, so that both D / 10^k and m 2^e 10^k can be rounded once, from all of their bits, in
 * 128-bit arithmetic. Everything else goes to libc, which is as exact and some ten times slower.
 *
 * W. D. Clinger, How to read floating point numbers accurately, PLDI 1990: for D <= 2^53 and k <= 22 the product
 * D 10^k rounds once already in doubles. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef unsigned __int128 wide;

enum { MOST_DECIMALS = 19 }; /* 10^19 < 2^64 */

static const double exact_power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static uint64_t power_of_ten(int exponent)
{
    return (uint64_t)exact_power[exponent];
}

/* digits / 10^decimals, correctly rounded, for digits > 0. */
static double quotient(uint64_t digits, int decimals)
{
    uint64_t divisor = power_of_ten(decimals);
    int up = __builtin_clzll(digits), down = __builtin_clzll(divisor);
    divisor <<= down;
    wide dividend = (wide)(digits << up) << 63; /* in [2^126, 2^127) over [2^63, 2^64): at least 62 bits of quotient */
    uint64_t bits = (uint64_t)(dividend / divisor);
    bits |= dividend % divisor != 0; /* far below the last bit kept: only breaks ties */
    return ldexp((double)bits, down - up - 63);
}

/* --------------------------------------------------------------------------------------------------- text to double */

typedef struct decimal {
    bool negative;
    uint64_t digits; /* of all of them, while they fit */
    bool fits;
    int64_t exponent; /* the value is digits 10^exponent */
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *scan_digits(const char *at, decimal *number)
{
    for (; is_digit(*at); at++) {
        if (number->digits >= 1000000000000000000u)
            number->fits = false;
        else
            number->digits = 10 * number->digits + (uint64_t)(*at - '0');
    }
    return at;
}

/* The end of an exponent "e-12", or at itself where there is none. */
static const char *scan_exponent(const char *at, decimal *number)
{
    if (*at != 'e' && *at != 'E')
        return at;
    const char *digit = at + 1 + (at[1] == '+' || at[1] == '-');
    if (!is_digit(*digit))
        return at;
    int64_t exponent = 0;
    for (; is_digit(*digit); digit++)
        exponent = exponent < 100000 ? 10 * exponent + (*digit - '0') : exponent;
    number->exponent += at[1] == '-' ? -exponent : exponent;
    return digit;
}

static bool scan_decimal(const char *text, size_t length, decimal *number)
{
    *number = (decimal){.negative = *text == '-', .fits = true};
    const char *whole = text + (*text == '-' || *text == '+');
    const char *at = scan_digits(whole, number);
    ptrdiff_t digits = at - whole;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = scan_digits(fraction, number);
        number->exponent = -(at - fraction);
        digits += at - fraction;
    }
    return digits > 0 && scan_exponent(at, number) == text + length;
}

static double decimal_value(const decimal *number, const char *text)
{
    double value;
    if (number->fits && number->digits == 0)
        value = 0;
    else if (number->fits && number->exponent <= 0 && number->exponent >= -MOST_DECIMALS)
        value = quotient(number->digits, (int)-number->exponent);
    else if (number->fits && number->exponent > 0 && number->exponent <= 22 && number->digits <= (uint64_t)1 << 53)
        value = (double)number->digits * exact_power[number->exponent];
    else
        return strtod(text, NULL);
    return number->negative ? -value : value;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

/* No decimal: infinite, missing or a word. */
static io_kind parse_word(const char *text, size_t length, double *value)
{
    bool sign = length > 0 && (*text == '-' || *text == '+');
    if (length == 0 || is_word(text, length, "NA") || is_word(text + sign, length - sign, "NaN")) {
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
    decimal number;
    if (!scan_decimal(text, length, &number))
        return parse_word(text, length, value);
    double parsed = decimal_value(&number, text);
    if (isinf(parsed))
        return IO_TOO_LARGE;
    *value = parsed;
    return IO_NUMBER;
}

/* --------------------------------------------------------------------------------------------------- double to text */

/* Digits before the point; for 0.00ddd, minus the zeros that follow it. value in [0.001, 1e15). */
static int whole_digits(double value)
{
    int digits = value >= 0.1 ? 0 : value >= 0.01 ? -1 : -2;
    while (digits >= 0 && value >= exact_power[digits])
        digits++;
    return digits;
}

/* value 10^decimals to the nearest integer, ties to even. value in [0.001, 1e15): its last bit is 2^-62 to 2^-3. */
static uint64_t scaled(double value, int decimals)
{
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    int fraction_bits = 53 - exponent;
    wide product = (wide)mantissa * power_of_ten(decimals);
    wide half = (wide)1 << (fraction_bits - 1), rest = product & (2 * half - 1);
    uint64_t nearest = (uint64_t)(product >> fraction_bits);
    return nearest + (rest > half || (rest == half && (nearest & 1)));
}

/* digits / 10^decimals in full, without zeros at its end. */
static size_t print_fixed(uint64_t digits, int decimals, char *text)
{
    char reversed[IO_PRINTED];
    size_t length = 0;
    for (; decimals > 0 && digits % 10 == 0; decimals--)
        digits /= 10;
    for (int place = 0; digits > 0 || place <= decimals; place++, digits /= 10) {
        if (place == decimals && place > 0)
            reversed[length++] = '.';
        reversed[length++] = (char)('0' + digits % 10);
    }
    for (size_t i = 0; i < length; i++)
        text[i] = reversed[length - 1 - i];
    return length;
}

static size_t print_everyday(double value, char *text)
{
    for (int precision = 15;; precision++) {
        int decimals = precision - whole_digits(value);
        uint64_t digits = scaled(value, decimals);
        if (precision == 17 || quotient(digits, decimals) == value)
            return print_fixed(digits, decimals, text);
    }
}

static size_t print_any(double value, char *text)
{
    for (int precision = 15;; precision++) {
        int length = snprintf(text, IO_PRINTED, "%.*g", precision, value);
        if (precision == 17 || strtod(text, NULL) == value)
            return (size_t)length;
    }
}

size_t io_print_number(double value, char text[IO_PRINTED])
{
    double size = fabs(value);
    if (!(size >= 0.001 && size < 1e15))
        return print_any(value, text);
    text[0] = '-';
    bool negative = value < 0;
    return negative + print_everyday(size, text + negative);
}
