/* Sentences about failures, and foreign text made fit to stand in them. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

surekrig_status io_fail(surekrig_error *error, surekrig_status status, const char *format, ...)
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

const char *io_label(const char *path)
{
    enum { LONGEST = 200 };
    size_t length = strlen(path);
    return length > LONGEST ? path + length - LONGEST : path;
}

/* Bytes of the UTF-8 character that text begins with; 0 where it begins with none. */
static size_t character(const unsigned char *text, size_t left)
{
    if (text[0] < 0x80)
        return 1;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return 0;
    size_t length = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if (length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* Whether a terminal would do something else than print what text begins with: control characters, as bytes or in
 * UTF-8, and those that turn the direction of writing. bytes: of it, as character says. */
static bool is_command(const unsigned char *text, size_t bytes)
{
    if (bytes == 2)
        return text[0] == 0xc2 && text[1] < 0xa0;
    if (bytes == 3 && text[0] == 0xe2)
        return (text[1] == 0x80 && text[2] >= 0xaa && text[2] <= 0xae) ||
               (text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9);
    return text[0] < 0x20 || (text[0] >= 0x7f && text[0] < 0xa0);
}

/* Bytes of the printable UTF-8 character that text begins with; 0 where it begins with none. */
static size_t printable(const unsigned char *text, size_t left)
{
    size_t bytes = character(text, left);
    return is_command(text, bytes) ? 0 : bytes;
}

const char *io_show(const char *text, size_t length, char shown[IO_SHOWN])
{
    size_t at = 0, used = 0;
    for (int characters = 0; at < length && characters < 40; characters++) {
        const unsigned char *from = (const unsigned char *)text + at;
        size_t bytes = printable(from, length - at);
        if (bytes)
            memcpy(shown + used, from, bytes);
        else
            snprintf(shown + used, 5, "\\x%02x", from[0]);
        used += bytes ? bytes : 4;
        at += bytes ? bytes : 1;
    }
    strcpy(shown + used, at < length ? "..." : "");
    return shown;
}

void io_plain(char *text, char instead)
{
    size_t left = strlen(text);
    for (unsigned char *at = (unsigned char *)text; left > 0;) {
        size_t bytes = character(at, left), width = bytes ? bytes : 1;
        if (*at != '\n' && *at != '\t' && is_command(at, bytes))
            memset(at, instead, width);
        at += width;
        left -= width;
    }
}
