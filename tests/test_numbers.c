/* Numbers as text: read as strtod does, to the bit, and printed in the fewest digits; halfway cases and powers of ten
 * are made by exact arithmetic. */
#include "internal.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* ------------------------------------------------------------------------------------------------------- helpers */

static uint64_t seed = 11;

static uint64_t random_bits(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Positive and finite, of all exponents. */
static double random_positive(void)
{
    return from_bits(1 + random_bits() % (to_bits(DBL_MAX)));
}

static int prepare(void **state)
{
    (void)state;
    io_prepare_numbers();
    return 0;
}

/* A whole number of up to 2,560 bits. */
enum { LIMBS = 80 };
typedef struct big {
    uint32_t limb[LIMBS];
} big;

static void times_plus(big *n, uint32_t factor, uint32_t plus)
{
    uint64_t carry = plus;
    for (int i = 0; i < LIMBS; i++, carry >>= 32) {
        carry += (uint64_t)n->limb[i] * factor;
        n->limb[i] = (uint32_t)carry;
    }
    assert_true(carry == 0);
}

static void times_power(big *n, uint32_t base, int exponent)
{
    for (int i = 0; i < exponent; i++)
        times_plus(n, base, 0);
}

static big big_from(uint64_t high, uint64_t low)
{
    return (big){{(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
}

static int compare(const big *a, const big *b)
{
    int i = LIMBS - 1;
    while (i > 0 && a->limb[i] == b->limb[i])
        i--;
    return (a->limb[i] > b->limb[i]) - (a->limb[i] < b->limb[i]);
}

/* In decimal; returns the number of digits. */
static int spell(big n, char *text)
{
    char reversed[1000];
    int length = 0, top = LIMBS - 1;
    for (; top >= 0; top -= top >= 0 && n.limb[top] == 0) {
        uint64_t rest = 0;
        for (int i = top; i >= 0; i--, rest %= 10) {
            rest = rest << 32 | n.limb[i];
            n.limb[i] = (uint32_t)(rest / 10);
            if (i == 0)
                reversed[length++] = (char)('0' + rest % 10);
        }
    }
    while (length > 1 && reversed[length - 1] == '0')
        length--;
    for (int i = 0; i < length; i++)
        text[i] = reversed[length - 1 - i];
    text[length] = '\0';
    return length;
}

/* ------------------------------------------------------------------------------------------------- powers of ten */

/* t 2^e <= 10^k < (t + 1) 2^e, without fractions. */
static void test_powers(void **state)
{
    (void)state;
    for (int k = IO_POWER_LEAST; k <= IO_POWER_MOST; k++) {
        io_power t = io_powers_of_ten[k - IO_POWER_LEAST];
        int e = io_power_exponent(k);
        big least = big_from(t.high, t.low), most = least, power = big_from(0, 1);
        times_plus(&most, 1, 1);
        assert_true(t.high >> 63);
        times_power(&least, 2, e > 0 ? e : 0);
        times_power(&most, 2, e > 0 ? e : 0);
        times_power(&power, 2, e < 0 ? -e : 0);
        times_power(&power, 10, k > 0 ? k : 0);
        times_power(&least, 10, k < 0 ? -k : 0);
        times_power(&most, 10, k < 0 ? -k : 0);
        assert_true(compare(&least, &power) <= 0 && compare(&power, &most) < 0);
    }
}

/* ------------------------------------------------------------------------------------------------------- reading */

static void reads_as_strtod(const char *number)
{
    static char text[2000];
    size_t length = strlen(number);
    double value = 0, expected = strtod(number, NULL);
    memcpy(text, number, length);
    memset(text + length, ',', IO_AHEAD);
    io_kind kind = io_parse_number(text, length, &value);
    if (isinf(expected) ? kind != IO_TOO_LARGE : kind != IO_NUMBER || to_bits(value) != to_bits(expected))
        fail_msg("%s: kind %d, %.17g instead of %.17g", number, kind, value, expected);
}

static void test_corners(void **state)
{
    (void)state;
    static const char *const corner[] = {
        "0",
        "-0",
        "+0.0",
        "0e5",
        "-0e-999999999999",
        "0e99999999999999999999",
        "1e-400",
        "-1e-400",
        "1e400",
        "1e308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "2e308",
        "4.9e-324",
        "2.4e-324",
        "2.47032822920623272e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.5e-324",
        "7.4e-324",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "2.225073858507201e-308",
        "9007199254740992",
        "9007199254740993",
        "9007199254740994",
        "9007199254740995",
        "9007199254740993.0",
        "9007199254740992.99999999999999999",
        "9007199254740993.00000000000000001",
        "900719925474099.3e1",
        "1.",
        ".5",
        "5.e-1",
        "00000000000000000000000001",
        "0.00000000000000000000000000000001",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "99999999999999999999",
        "1e22",
        "1e23",
        "8.5e22",
        "1e-22",
        "1e-23",
        "123456789012345678901234567890e-400",
        "0.5000000000000000000",
        "0.50000000000000000000000",
        "1E5",
        "1e+5",
        "1e0000000000000000000000000000005",
        "6.0221407623e+23",
        "1.00000005960464477550",
        "1.0000000000000001110223",
        "17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797758720709633028641669"
        "28879109465555478519404026306574886715058206819089020007083836762738548458177115317644757302700698555713669596228"
        "4291481986083493647529271907416844436551070434271155969950809304288e177",
    };
    for (size_t i = 0; i < sizeof corner / sizeof *corner; i++)
        reads_as_strtod(corner[i]);
    static char zeros[1500];
    for (int before = 0; before < 700; before += 23) { /* 0.00...01e+700 */
        snprintf(zeros, sizeof zeros, "0.%0*d0000000000000000000000e%d", before, 1, before);
        reads_as_strtod(zeros);
        snprintf(zeros, sizeof zeros, "1%0*d.%0*de-%d", before, 0, before, 7, before + 1);
        reads_as_strtod(zeros);
    }
}

/* 1 to 25 digits, rarely 400, with a point anywhere, half of them with an exponent. */
static void random_decimal(char *text)
{
    size_t length = 0;
    int digits = 1 + (int)(random_bits() % (random_bits() % 64 ? 25 : 400)), point = (int)(random_bits() % 30);
    if (random_bits() % 2)
        text[length++] = '-';
    for (int i = 0; i < digits; i++) {
        if (i == point)
            text[length++] = '.';
        text[length++] = (char)('0' + random_bits() % 10);
    }
    int spread = random_bits() % 2 ? 30 : 340;
    int exponent = (int)(random_bits() % (uint64_t)(2 * spread)) - spread;
    text[length] = '\0';
    if (random_bits() % 2)
        sprintf(text + length, "e%d", exponent - digits);
}

static void test_random_decimals(void **state)
{
    (void)state;
    char text[500];
    for (int i = 0; i < 2000000; i++) {
        random_decimal(text);
        reads_as_strtod(text);
    }
}

/* Doubles in 15 to 20 digits: nearly ties, for the first of them. */
static void test_printed_doubles(void **state)
{
    (void)state;
    char text[64];
    for (int i = 0; i < 1000000; i++) {
        snprintf(text, sizeof text, "%.*e", 14 + i % 6, random_positive());
        reads_as_strtod(text);
    }
}

/* Halfway between a double and the next, in all of its up to 770 digits: as it is, a little more, and a little less. */
static void read_halfway(double value)
{
    int exponent;
    char text[1200];
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    int last = exponent - 53; /* value = mantissa 2^last */
    if (last < -1074) {
        mantissa >>= -1074 - last;
        last = -1074;
    }
    big n = big_from(0, 2 * mantissa + 1); /* 2^(last - 1) */
    times_power(&n, last > 0 ? 2 : 5, last > 0 ? last - 1 : 1 - last);
    int length = spell(n, text);
    sprintf(text + length, "e%d", last > 0 ? 0 : last - 1);
    reads_as_strtod(text);
    sprintf(text + length, "000000001e%d", (last > 0 ? 0 : last - 1) - 9);
    reads_as_strtod(text);
    text[length - 1]--; /* no 0: the number is odd or a multiple of 5, or else the digit goes to a non-digit */
    sprintf(text + length, "9e%d", (last > 0 ? 0 : last - 1) - 1);
    if (text[length - 1] >= '0')
        reads_as_strtod(text);
    if (length > 19) {
        sprintf(text + 19, "e%d", (last > 0 ? 0 : last - 1) + length - 19);
        reads_as_strtod(text);
    }
}

static void test_halfway(void **state)
{
    (void)state;
    const int count = SANITIZED ? 2000 : 20000;
    for (int i = 0; i < count; i++)
        read_halfway(random_positive());
    for (int i = 0; i < count; i++) /* of everyday size, where a tie has few digits */
        read_halfway(ldexp(1 + (double)(random_bits() >> 12) * 0x1p-52, (int)(random_bits() % 140) - 20));
    for (uint64_t bits = 1; bits < 2000; bits++) {
        read_halfway(from_bits(bits));
        read_halfway(from_bits((UINT64_C(1) << 52) - 1000 + bits));
    }
}

static void test_no_numbers(void **state)
{
    (void)state;
    static const char *const word[] = {
        ".",        "-",    "+",   "e5",  "1e",     "1e+",       "--1",
        "1.2.3",    "0x10", "1 2", "1,5", "nan(1)", "12345678x", "1234567890123456789012345x",
        "infinite", "n.a.", "-NA", "nul", "#NA"};
    static const char *const missing[] = {"", "NA", "na", "N/A", "#N/A", "#n/a", "NaN", "-nan", "null", "NULL", "None"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        char text[40] = {0};
        double value = 7;
        strcpy(text, missing[i]);
        assert_int_equal(io_parse_number(text, strlen(text), &value), IO_MISSING);
        assert_true(isnan(value));
    }
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        char text[40] = {0};
        double value = 7;
        strcpy(text, word[i]);
        assert_int_equal(io_parse_number(text, strlen(text), &value), IO_WORD);
        assert_true(value == 7);
    }
}

/* ------------------------------------------------------------------------------------------------------ printing */

static int significant(const char *text)
{
    int count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '1' && *text <= '9') {
            count += 1 + zeros;
            zeros = 0;
        } else if (*text == '0' && count > 0) {
            zeros++;
        }
    return count;
}

/* Whether a decimal of so many digits next to value, on either side, reads back. */
static bool shorter_reads_back(double value, int digits)
{
    char exact[80], below[80];
    snprintf(exact, sizeof exact, "%.40e",
             value); /* d.ddd... e, enough digits to cut without rounding up to the next */
    const char *exponent = strchr(exact, 'e');
    snprintf(below, sizeof below, "%.*s%s", digits > 1 ? digits + 1 : 1, exact, exponent);
    double step = strtod(below, NULL);
    if (step == value)
        return true;
    for (int i = digits > 1 ? digits : 0;; i--) { /* one more in the last place */
        if (below[i] == '.')
            continue;
        below[i] = (char)(below[i] == '9' ? '0' : below[i] + 1);
        if (below[i] != '0')
            return strtod(below, NULL) == value;
        if (i == 0)
            break;
    }
    char above[90];
    snprintf(above, sizeof above, "10%s", below + 1);
    return strtod(above, NULL) == value;
}

static void prints_shortest(double value)
{
    char text[IO_PRINTED + 1], nearest[64];
    size_t length = io_print_number(value, text);
    assert_true(length < IO_PRINTED);
    text[length] = '\0';
    if (to_bits(strtod(text, NULL)) != to_bits(value))
        fail_msg("%s is not %.17g", text, value);
    int digits = significant(text);
    if (digits > 1 && shorter_reads_back(value, digits - 1))
        fail_msg("%s: fewer digits would do for %.17g", text, value);
    snprintf(nearest, sizeof nearest, "%.*e", digits - 1, value);
    if (strtod(nearest, NULL) == value && strtold(nearest, NULL) != strtold(text, NULL))
        fail_msg("%s: %s is closer to %.17g", text, nearest, value);
}

static void test_random_bits(void **state)
{
    (void)state;
    for (int i = 0; i < (SANITIZED ? 100000 : 1200000); i++) {
        double value = from_bits(random_bits());
        if (isfinite(value) && value != 0)
            prints_shortest(value);
    }
}

/* The powers of two, below which doubles are closer, with their neighbours; and the smallest. */
static void test_every_exponent(void **state)
{
    (void)state;
    for (uint64_t exponent = 0; exponent < 2047; exponent++)
        for (uint64_t i = 0; i < 40; i++) {
            uint64_t bits = (exponent << 52) + i - 20;
            if (bits - 1 < to_bits(DBL_MAX))
                prints_shortest(from_bits(bits));
        }
    for (uint64_t bits = 1; bits < 20000; bits++)
        prints_shortest(from_bits(bits));
    for (int k = -323; k <= 308; k++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", k);
        uint64_t bits = to_bits(strtod(text, NULL));
        for (uint64_t i = 0; i < 20; i++)
            if (bits + i > 10)
                prints_shortest(from_bits(bits + i - 10));
    }
}

/* Numbers with few digits, as people write them, come out as they went in. */
static void test_few_digits(void **state)
{
    (void)state;
    for (int i = 0; i < 500000; i++) {
        int64_t whole = (int64_t)(random_bits() >> (14 + random_bits() % 50)) - (1 << 20);
        char text[IO_PRINTED + 1], expected[40];
        double value = (double)whole / pow(10, (double)(random_bits() % 19));
        size_t length = io_print_number(value, text);
        text[length] = '\0';
        for (int precision = 15; precision <= 17; precision++) {
            snprintf(expected, sizeof expected, "%.*g", precision, value);
            if (strtod(expected, NULL) == value)
                break;
        }
        if (strlen(expected) <= length || value == 0)
            assert_string_equal(text, expected);
        else /* where libc's nearest in 16 digits is not inside, another is */
            assert_true(strtod(text, NULL) == value && strlen(expected) == length + 1);
    }
}

static const struct {
    double value;
    const char *text;
} layouts[] = {
    {0.0, "0"},
    {-0.0, "-0"},
    {INFINITY, "inf"},
    {-INFINITY, "-inf"},
    {1, "1"},
    {-1.5, "-1.5"},
    {0.0001, "0.0001"},
    {-0.00012345678901234567, "-0.00012345678901234567"},
    {0.00001, "1e-05"},
    {1.5e-7, "1.5e-07"},
    {100, "100"},
    {123456789012345.6, "123456789012345.6"},
    {999999999999999, "999999999999999"},
    {1e15, "1e+15"},
    {1234567890123456, "1234567890123456"},
    {12345678901234568, "12345678901234568"},
    {1e22, "1e+22"},
    {1e23, "1e+23"},
    {5e-324, "5e-324"},
    {1e-323, "1e-323"},
    {DBL_MIN, "2.2250738585072014e-308"},
    {-DBL_MAX, "-1.7976931348623157e+308"},
    {0x1p-44, "5.684341886080802e-14"},
    {9007199254740992, "9007199254740992"},
    {0.1, "0.1"},
    {0.3, "0.3"},
};

static void test_layouts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        char text[IO_PRINTED + 1];
        text[io_print_number(layouts[i].value, text)] = '\0';
        assert_string_equal(text, layouts[i].text);
    }
}

/* Every date of four digits, printed and read again, is its day and the C library's date. */
static void dates_are_days(void **state)
{
    char text[IO_PRINTED + 1], expected[40];
    double days;
    (void)state;
    for (int64_t day = -719162; day <= 2932896; day += 61) { /* 0001-01-01 to 9999-12-31 */
        time_t seconds = (time_t)(day * 86400 + 3723);
        struct tm date;
        assert_non_null(gmtime_r(&seconds, &date));
        text[io_print_date((double)day, IO_DATES, text)] = 0;
        snprintf(expected, sizeof expected, "%04d-%02d-%02d", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
        assert_string_equal(text, expected);
        assert_int_equal(io_parse_date(text, strlen(text), &days), IO_DATES);
        assert_true(days == (double)day);
        snprintf(text, sizeof text, "%02d.%02d.%04d", date.tm_mday, date.tm_mon + 1, date.tm_year + 1900);
        assert_int_equal(io_parse_date(text, strlen(text), &days), IO_DATES);
        assert_true(days == (double)day);
        snprintf(text, sizeof text, "%04d/%02d/%02d", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
        assert_int_equal(io_parse_date(text, strlen(text), &days), IO_DATES);
        assert_true(days == (double)day);
        text[io_print_date((double)day + 3723 / 86400., IO_TIMES_UTC, text)] = 0;
        strcat(expected, "T01:02:03Z");
        assert_string_equal(text, expected);
        assert_int_equal(io_parse_date(text, strlen(text), &days), IO_TIMES_UTC);
        assert_true(fabs(days - ((double)day + 3723 / 86400.)) < 1e-9);
    }
}

/* The last day has all of its moments: each is printed as one, to a tenth of a millisecond. */
static void the_last_day_is_whole(void **state)
{
    static const double LAST = 2932896;
    const double at[] = {LAST, LAST + 0.25, LAST + 0.5, LAST + 0.75, nextafter(LAST + 1, 0), -719162};
    char text[IO_PRINTED + 1];
    double days;
    (void)state;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        text[io_print_date(at[i], IO_TIMES, text)] = 0;
        assert_int_equal(io_parse_date(text, strlen(text), &days), IO_TIMES);
        assert_true(fabs(days - at[i]) < 2e-9);
    }
    text[io_print_date(LAST + 1, IO_TIMES, text)] = 0;
    assert_string_equal(text, "2932897");
}

static void what_is_no_date_is_refused(void **state)
{
    static const char *const NONE[] = {"2024-02-30",
                                       "2023-02-29",
                                       "2024-13-01",
                                       "2024-00-10",
                                       "2024-1-01",
                                       "2024-01-01T25:00",
                                       "2024-01-01T12:60",
                                       "2024-01-01T",
                                       "20240101",
                                       "2024-01-01T12:00+",
                                       "2024-01-01T12:00Zx",
                                       "2024-01-01Z",
                                       "1900-02-29",
                                       "2024-01-01T24:00:01",
                                       "2024-01-01T12:00.5",
                                       "30.02.2024",
                                       "1.2.2024 12",
                                       "01.13.2024",
                                       "01/02/2024",
                                       "01.02-2024",
                                       "2024.02.01",
                                       "01.02.24 12",
                                       "2024/02-01",
                                       "9999-12-31T24:00",
                                       "0001-01-01T00:00+01:00"};
    double days = 7;
    (void)state;
    for (size_t i = 0; i < sizeof NONE / sizeof *NONE; i++)
        if (io_parse_date(NONE[i], strlen(NONE[i]), &days) != IO_NO_DATES)
            fail_msg("'%s' passes for a date", NONE[i]);
    assert_true(days == 7);
    static const char *const SAME[] = {"2024-02-29T12:00Z",        "2024-02-29 14:00+02:00", "2024-02-29T05:30:00-0630",
                                       "2024-02-29T12:00:00.000Z", "2024-02-29t12:00z",      "29.02.2024 12:00Z"};
    for (size_t i = 0; i < sizeof SAME / sizeof *SAME; i++) {
        assert_int_equal(io_parse_date(SAME[i], strlen(SAME[i]), &days), IO_TIMES_UTC);
        assert_true(fabs(days - 19782.5) < 1e-12);
    }
}

static void dates_of_other_forms_look_like_dates(void **state)
{
    static const char *const LIKE[] = {"01/31/2024",   "31/01/2024",   "1/31/24",    "31-Jan-2024", "31-JAN-24",
                                       "Jan 31, 2024", "31 March 99",  "2024-1-31",  "2024.01.31",  "20240131",
                                       "31.1.2024",    "1/2/24 12:30", "2024-Jan-31"};
    static const char *const UNLIKE[] = {"",           "a",         "station",     "1/2",         "10.0.0.1",
                                         "31/31/2024", "12-34-567", "2024-2023-1", "0/1/2024",    "20241301",
                                         "Jan Feb 99", "Jan 2024",  "31-Xan-2024", "1/2/2024abc", "janus-1",
                                         "555-12-34x", "A-1-24",    "99999999",    "1 / 2"};
    (void)state;
    for (size_t i = 0; i < sizeof LIKE / sizeof *LIKE; i++)
        if (!io_looks_like_date(LIKE[i], strlen(LIKE[i])))
            fail_msg("'%s' does not look like a date", LIKE[i]);
    for (size_t i = 0; i < sizeof UNLIKE / sizeof *UNLIKE; i++)
        if (io_looks_like_date(UNLIKE[i], strlen(UNLIKE[i])))
            fail_msg("'%s' looks like a date", UNLIKE[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_days),
        cmocka_unit_test(what_is_no_date_is_refused),
        cmocka_unit_test(dates_of_other_forms_look_like_dates),
        cmocka_unit_test(the_last_day_is_whole),
        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_corners),
        cmocka_unit_test(test_random_decimals),
        cmocka_unit_test(test_printed_doubles),
        cmocka_unit_test(test_halfway),
        cmocka_unit_test(test_no_numbers),
        cmocka_unit_test(test_random_bits),
        cmocka_unit_test(test_every_exponent),
        cmocka_unit_test(test_few_digits),
        cmocka_unit_test(test_layouts),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
