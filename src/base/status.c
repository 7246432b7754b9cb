#include "base/base.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

surekrig_status sk_fail(surekrig_error *error, surekrig_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->sentence, sizeof error->sentence, format, arguments);
        va_end(arguments);
    }
    return status;
}

surekrig_status sk_check_arrays(const sk_array *array, surekrig_error *error)
{
    static const double MOST = (double)(INT64_MAX / 16);
    for (; array->name; array++) {
        const long long a = array->size[0], b = array->size[1], c = array->size[2];
        if (fmax(1, (double)a) * fmax(1, (double)b) * fmax(1, (double)c) > MOST)
            return sk_fail(error, SUREKRIG_INVALID, "%s of %lld x %lld x %lld numbers: no memory holds so many",
                           array->name, a, b, c);
        if (!array->at && a > 0 && b > 0 && c > 0)
            return sk_fail(error, SUREKRIG_INVALID, "%s is NULL, not an array of %lld numbers", array->name, a * b * c);
    }
    return SUREKRIG_OK;
}

surekrig_status sk_check_needed(const sk_needed *needed, surekrig_error *error)
{
    for (; needed->name; needed++)
        if (!needed->at)
            return sk_fail(error, SUREKRIG_INVALID, "%s is NULL", needed->name);
    return SUREKRIG_OK;
}

surekrig_status sk_check_path(const char *path, surekrig_error *error)
{
    return path ? SUREKRIG_OK : sk_fail(error, SUREKRIG_INVALID, "a model's path is NULL");
}

sk_plain_locale sk_enter_plain_locale(void)
{
    sk_plain_locale locale = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (locale.plain) /* else there is no memory, and what follows will say so */
        locale.before = uselocale(locale.plain);
    return locale;
}

void sk_leave_plain_locale(sk_plain_locale *locale)
{
    if (!locale->plain)
        return;
    uselocale(locale->before);
    freelocale(locale->plain);
}

const char *surekrig_version(void)
{
    return SUREKRIG_VERSION;
}
