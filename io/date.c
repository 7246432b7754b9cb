/* Dates of ISO 8601 as days since 1970-01-01, and back: 2024-03-01, 2024-03-01T12:00, 2024-03-01 12:00:30.25,
 * 2024-03-01T12:00:00Z, 2024-03-01T14:00+02:00; read, too, with the day first and points, 01.03.2024, or the year first
 * and slashes, 2024/03/01. With slashes the year has to be first: 1/3/2024 is another day elsewhere. The calendar is
 * the Gregorian one for all years, as in ISO 8601. */
#include "internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FIRST = -719162, LAST = 2932896 }; /* 0001-01-01 and 9999-12-31 */

/* Days before March of a year that begins in March, for a month counted from it: 0, 31, 61, ... */
static int64_t days_before(int64_t month)
{
    return (153 * month + 2) / 5;
}

/* With years from March on, the leap day is a year's last. */
static int64_t day_of(int64_t year, int month, int day)
{
    int64_t y = year - (month < 3), m = (month + 9) % 12;
    return 365 * y + y / 4 - y / 100 + y / 400 + days_before(m) + day - 1 - 719468; /* 0000-03-01 is day 0 */
}

static void date_of(int64_t day, int64_t *year, int *month, int *of_month)
{
    int64_t from = day + 719468, y = from * 400 / 146097; /* at most one too many */
    while (365 * y + y / 4 - y / 100 + y / 400 > from)
        y--;
    while (365 * (y + 1) + (y + 1) / 4 - (y + 1) / 100 + (y + 1) / 400 <= from)
        y++;
    int64_t rest = from - (365 * y + y / 4 - y / 100 + y / 400), m = (5 * rest + 2) / 153;
    *of_month = (int)(rest - days_before(m)) + 1;
    *month = (int)((m + 2) % 12) + 1;
    *year = y + (*month < 3);
}

static int month_days(int64_t year, int month)
{
    return (int)(day_of(month == 12 ? year + 1 : year, month % 12 + 1, 1) - day_of(year, month, 1));
}

/* So many digits from *at on, a number of at most `most`. */
static bool take(const char **at, int digits, int most, int *value)
{
    *value = 0;
    for (int i = 0; i < digits; i++, ++*at) {
        if (**at < '0' || **at > '9')
            return false;
        *value = 10 * *value + (**at - '0');
    }
    return *value <= most;
}

/* "T12:00:30.25": the part of a day; nothing: 0. */
static bool take_clock(const char **at, double *part)
{
    int hour, minute, second = 0;
    bool seconds = false;
    double fraction = 0, unit = 0.1;
    *part = 0;
    bool mark = **at == 'T' || **at == 't' || (**at == ' ' && (*at)[1] >= '0' && (*at)[1] <= '9');
    if (!mark)
        return true;
    ++*at;
    if (!take(at, 2, 24, &hour) || *(*at)++ != ':' || !take(at, 2, 59, &minute))
        return false;
    if (**at == ':') {
        ++*at;
        seconds = take(at, 2, 60, &second); /* a leap second */
        if (!seconds)
            return false;
    }
    if (**at == '.' && seconds)
        for (++*at; **at >= '0' && **at <= '9'; ++*at, unit /= 10)
            fraction += unit * (**at - '0');
    *part = (3600 * hour + 60 * minute + second + fraction) / 86400;
    return *part <= 1;
}

/* "Z" or "+02:00": what is to be taken off, in days. */
static bool take_zone(const char **at, double *ahead)
{
    int hour = 0, minute = 0, sign = **at == '-' ? -1 : 1;
    *ahead = 0;
    if (**at == 'Z' || **at == 'z') {
        ++*at;
        return true;
    }
    if (**at != '+' && **at != '-')
        return true;
    ++*at;
    if (!take(at, 2, 23, &hour))
        return false;
    *at += **at == ':';
    if (**at >= '0' && **at <= '9' && !take(at, 2, 59, &minute))
        return false;
    *ahead = sign * (60 * hour + minute) / 1440.0;
    return true;
}

/* "2024-03-01", "2024/03/01" or "01.03.2024". */
static bool take_date(const char **at, int *year, int *month, int *day)
{
    bool first = (*at)[2] == '.'; /* the day */
    int mark = first ? '.' : (*at)[4] == '/' ? '/' : '-';
    bool there = (first ? take(at, 2, 31, day) : take(at, 4, 9999, year)) && *(*at)++ == mark &&
                 take(at, 2, 12, month) && *(*at)++ == mark && (first ? take(at, 4, 9999, year) : take(at, 2, 31, day));
    return there && *year >= 1 && *month >= 1 && *day >= 1 && *day <= month_days(*year, *month);
}

io_dates io_parse_date(const char *text, size_t length, double *days)
{
    const char *at = text, *clock, *zone;
    int year = 0, month = 0, day = 0;
    double part, ahead = 0;
    if (length < 10 || length > 40 || !take_date(&at, &year, &month, &day))
        return IO_NO_DATES;
    clock = at;
    if (!take_clock(&at, &part))
        return IO_NO_DATES;
    zone = at;
    if (zone > clock && !take_zone(&at, &ahead))
        return IO_NO_DATES;
    if (at != text + length)
        return IO_NO_DATES;
    part += (double)day_of(year, month, day) - (zone > clock ? ahead : 0);
    if (!(part >= FIRST && part < LAST + 1)) /* it could not be written */
        return IO_NO_DATES;
    *days = part;
    return at > zone ? IO_TIMES_UTC : zone > clock ? IO_TIMES : IO_DATES;
}

/* ------------------------------------------------------------------------------------------------ of other forms */

static bool is_month(const char *word, size_t length)
{
    static const char *const MONTHS[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                         "jul", "aug", "sep", "oct", "nov", "dec"};
    for (size_t i = 0; i < sizeof MONTHS / sizeof *MONTHS && length >= 3; i++)
        if (!strncasecmp(word, MONTHS[i], 3))
            return true;
    return false;
}

/* What the words of a text so far may be. */
typedef struct date_words {
    int count, years, names, days, months; /* names: of months; months: days that are also the number of one */
} date_words;

static bool take_word(const char *word, size_t length, date_words *words)
{
    int value = 0;
    words->count++;
    if (!isdigit((unsigned char)*word)) {
        words->names++;
        return is_month(word, length);
    }
    for (size_t i = 0; i < length && length <= 4; i++)
        value = 10 * value + (word[i] - '0');
    if ((length == 4 && value >= 1500 && value < 2500) || (length == 2 && words->count == 3 && words->years == 0)) {
        words->years++;
        return true;
    }
    words->days++;
    words->months += value <= 12;
    return length <= 2 && value >= 1 && value <= 31;
}

static bool is_compact(const char *text, size_t length)
{
    int year, month, day;
    const char *at = text;
    return length == 8 && take(&at, 4, 2199, &year) && take(&at, 2, 12, &month) && take(&at, 2, 31, &day) &&
           year >= 1800 && month >= 1 && day >= 1;
}

bool io_looks_like_date(const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    date_words words = {0};
    if (is_compact(text, length))
        return true;
    while (words.count < 3 && at < end) {
        const char *word = at;
        bool digits = isdigit((unsigned char)*at);
        while (at < end && (digits ? isdigit((unsigned char)*at) : isalpha((unsigned char)*at)))
            at++;
        if (at == word || !take_word(word, (size_t)(at - word), &words))
            return false;
        while (words.count < 3 && at < end && *at && strchr("/.-, ", *at))
            at++;
    }
    bool over = at == end || *at == ' ' || *at == 'T' || *at == ','; /* a clock may follow */
    return over && words.years == 1 && words.names + words.days == 2 && words.days > 0 &&
           words.names + words.months > 0;
}

/* A time zone in every row or in none. */
const char *io_take_date(io_dates *style, const char *text, size_t length, double *days)
{
    io_dates here = io_parse_date(text, length, days);
    if (!here)
        return "is not a date as 2024-03-01 or 2024-03-01T12:00:00Z, as the rows before have";
    if ((here == IO_TIMES_UTC) != (*style == IO_TIMES_UTC))
        return here == IO_TIMES_UTC
                   ? "has a time zone, and rows before have none: give every row one, as Z or +02:00, or none"
                   : "has no time zone, and rows before have one: give every row one, as Z or +02:00, or none";
    *style = here > *style ? here : *style;
    return NULL;
}

/* To a tenth of a millisecond: a double's digits of a day end not far below. */
size_t io_print_date(double days, io_dates style, char text[IO_PRINTED])
{
    const int64_t second = 10000, day = 86400 * second;
    int64_t year;
    int month, of_month;
    if (!(days >= FIRST && days < LAST + 1))
        return io_print_number(days, text);
    int64_t whole = (int64_t)floor(days), rest = llround((days - floor(days)) * (double)day);
    if (rest == day && whole == LAST) /* the last moment that has a date */
        rest--;
    whole += rest == day;
    rest %= day;
    date_of(whole, &year, &month, &of_month);
    int clock = (int)(rest / second),
        used = snprintf(text, IO_PRINTED, "%04d-%02d-%02d", (int)(year % 10000), month, of_month);
    if (style == IO_DATES && rest == 0)
        return (size_t)used;
    used += snprintf(text + used, IO_PRINTED - (size_t)used, "T%02d:%02d:%02d", clock / 3600, clock / 60 % 60,
                     clock % 60);
    if (rest % second)
        used += snprintf(text + used, IO_PRINTED - (size_t)used, ".%04d", (int)(rest % second));
    if (style == IO_TIMES_UTC)
        text[used++] = 'Z';
    return (size_t)used;
}
