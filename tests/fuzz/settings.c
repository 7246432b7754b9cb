/* Lines NAME=VALUE, set one after the other. Whatever is taken reads back to the same settings; what is refused changes
 * nothing. */
#include "settings/settings.h"
#include "fuzz.h"

static void same_texts(const surekrig_settings *a, const surekrig_settings *b, const char *what)
{
    for (int i = 0; surekrig_settings_row(i); i++) {
        const char *name = surekrig_settings_row(i)->name;
        FUZZ_HOLDS(!strcmp(surekrig_settings_get(a, name), surekrig_settings_get(b, name)), what);
    }
}

static void set_line(surekrig_settings *settings, char *line)
{
    surekrig_error error = {0};
    surekrig_settings *before = NULL;
    char *value = strchr(line, '=');
    if (!value || sk_settings_copy(settings, &before, &error))
        return;
    *value++ = 0;
    surekrig_status status = surekrig_settings_set(settings, line, value, &error);
    if (status) {
        fuzz_failed(status, &error);
        same_texts(settings, before, "a refused setting changed something");
    }
    surekrig_settings_free(before);
}

/* Each text alone gives the same value; the preset, which resets the others, first. */
static void set_again(const surekrig_settings *settings)
{
    surekrig_settings *again = NULL;
    surekrig_error error = {0};
    if (surekrig_settings_new(&again, &error))
        abort();
    for (int presets = 1; presets >= 0; presets--)
        for (int i = 0; surekrig_settings_row(i); i++) {
            const char *name = surekrig_settings_row(i)->name;
            if (presets == !strcmp(name, "preset"))
                FUZZ_HOLDS(!surekrig_settings_set(again, name, surekrig_settings_get(settings, name), &error),
                           "a setting's own text is refused");
        }
    same_texts(again, settings, "texts do not read back");
    surekrig_settings_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    surekrig_settings *settings = NULL;
    surekrig_error error = {0};
    char *text = malloc(count + 1);
    if (!text || surekrig_settings_new(&settings, &error))
        abort();
    memcpy(text, bytes, count);
    text[count] = 0;
    for (char *line = text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        set_line(settings, line);
    }
    set_again(settings);
    surekrig_settings_free(settings);
    free(text);
    return 0;
}
