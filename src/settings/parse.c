/* One setting's value, from its text. */
#include "settings/inside.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_real(const char *text, size_t length, double *value)
{
    char buffer[64], *end;
    if (length == 0 || length >= sizeof buffer)
        return false;
    memcpy(buffer, text, length);
    buffer[length] = 0;
    *value = strtod(buffer, &end);
    bool overflow = isinf(*value) && strpbrk(buffer, "0123456789"); /* 1e999 is not meant as inf */
    return *end == 0 && end != buffer && !isnan(*value) && !overflow;
}

/* "a,b,c" into list; how many, or -1. */
static int parse_list(const char *text, char separator, double *list)
{
    int count = 0;
    for (const char *at = text;; at++) {
        const char *end = strchr(at, separator);
        size_t length = end ? (size_t)(end - at) : strlen(at);
        if (count == SK_LIST_MAX || !parse_real(at, length, &list[count++]))
            return -1;
        if (!end)
            return count;
        at = end;
    }
}

static bool within(const sk_setting_row *r, double value)
{
    bool known_nu = r->offset == offsetof(surekrig_settings, nu) &&
                    sk_family_of(value, NULL); /* infinite: the Gaussian */
    return (value >= r->lowest && value <= r->highest) || known_nu;
}

static bool parse_parameter(const sk_setting_row *r, const char *text, sk_parameter *p)
{
    double list[SK_LIST_MAX];
    sk_parameter made = {.start = NAN};
    if (r->words && !strcmp(text, r->words)) {
        *p = made; /* SK_AUTO */
        return true;
    }
    bool range = strchr(text, ':') != NULL;
    int count = parse_list(text, range ? ':' : ',', list);
    for (int i = 0; i < count; i++)
        if (!within(r, list[i]) || (range && (list[i] <= 0 || isinf(list[i]))))
            return false;
    if (range) {
        if (count < 2 || count > 3 || !(list[0] < list[count - 1]) ||
            !(list[0] <= list[1] && list[1] <= list[count - 1]))
            return false;
        made = (sk_parameter){SK_RANGE, 0, {0}, list[0], count == 3 ? list[1] : NAN, list[count - 1]};
    } else {
        if (count < 1 || (count > 1 && r->offset != offsetof(surekrig_settings, rho)))
            return false;
        made.how = SK_FIXED;
        made.count = count;
        memcpy(made.fixed, list, (size_t)count * sizeof *list);
    }
    *p = made;
    return true;
}

static bool parse_levels(const char *text, sk_levels *levels)
{
    sk_levels made = {0};
    if (strcmp(text, "none") && strcmp(text, "auto")) { /* auto: settled with the data */
        made.count = parse_list(text, ',', made.alpha);
        for (int i = 0; i < made.count; i++)
            if (!(made.alpha[i] > 0 && made.alpha[i] < 1))
                return false;
    }
    if (made.count < 0)
        return false;
    *levels = made;
    return true;
}

int sk_setting_word(const char *words, const char *text)
{
    size_t length = strlen(text);
    for (int number = 0; length > 0; number++) {
        size_t here = strcspn(words, " ");
        if (here == length && !strncmp(words, text, length))
            return number;
        if (!words[here])
            break;
        words += here + 1;
    }
    return -1;
}

/* "all", "none" or "a,c" of the words "a b c": bits 0 and 2. */
static bool parse_words(const char *words, const char *text, int *bits)
{
    int made = 0, every = 1;
    for (const char *at = words; *at; at++)
        every += *at == ' ';
    if (!strcmp(text, "all") || !strcmp(text, "none")) {
        *bits = *text == 'a' ? (1 << every) - 1 : 0;
        return true;
    }
    for (const char *at = text;; at++) {
        char word[32];
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        int number = sk_setting_word(words, word);
        if (number < 0)
            return false;
        made |= 1 << number;
        at += length;
        if (!*at)
            break;
    }
    *bits = made;
    return true;
}

static bool parse_seed(const char *text, uint64_t *seed)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno)
        return false;
    *seed = value;
    return true;
}

static bool parse_number(const sk_setting_row *r, const char *text, void *field)
{
    double value;
    if (r->words && !strcmp(text, r->words))
        value = r->kind == SK_COUNT ? -1 : INFINITY;
    else if (!parse_real(text, strlen(text), &value) || !within(r, value) ||
             (r->kind == SK_COUNT && value != floor(value)))
        return false;
    if (r->kind == SK_COUNT)
        *(int64_t *)field = (int64_t)value;
    else
        *(double *)field = value;
    return true;
}

bool sk_setting_parse(const sk_setting_row *r, const char *text, void *field)
{
    switch (r->kind) {
    case SK_COUNT:
    case SK_REAL:
        return parse_number(r, text, field);
    case SK_CHOICE:
        if (sk_setting_word(r->words, text) < 0)
            return false;
        *(int *)field = sk_setting_word(r->words, text);
        return true;
    case SK_WORDS:
        return parse_words(r->words, text, field);
    case SK_PARAMETER:
        return parse_parameter(r, text, field);
    case SK_LEVEL_LIST:
        return parse_levels(text, field);
    case SK_NAMES: /* looked up when the data are known */
        return *text != 0;
    case SK_SEED:
        return parse_seed(text, field);
    case SK_PRESET:
        return sk_setting_word(r->words, text) >= 0;
    }
    return false;
}
