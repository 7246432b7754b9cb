#include "base/base.h"

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
