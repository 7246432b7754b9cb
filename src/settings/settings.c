/* The settings as an object: each as text and as a value. */
#include "settings/inside.h"

#include "data/data.h"

#include <stdlib.h>
#include <string.h>

static surekrig_status refuse(const sk_setting_row *r, const char *value, surekrig_error *error)
{
    return sk_fail(error, SUREKRIG_INVALID, "%s = '%s' is not possible: it takes %s", r->public.name, value,
                   r->public.takes);
}

static surekrig_status set_row(surekrig_settings *settings, int i, const char *value, surekrig_error *error)
{
    char *text = sk_text(value);
    if (!text)
        return sk_fail_memory(error, 64, "a setting");
    if (!sk_setting_parse(&sk_setting_rows[i], value, (char *)settings + sk_setting_rows[i].offset)) {
        free(text);
        return refuse(&sk_setting_rows[i], value, error);
    }
    free(settings->text[i]);
    settings->text[i] = text;
    return SUREKRIG_OK;
}

surekrig_status surekrig_settings_new(surekrig_settings **out, surekrig_error *error)
{
    if (sk_check_needed((sk_needed[]){{"settings", out}, {0}}, error))
        return SUREKRIG_INVALID;
    surekrig_settings *settings = sk_zeroed(1, sizeof *settings);
    if (settings)
        settings->text = sk_zeroed(sk_setting_count, sizeof *settings->text);
    if (!settings || !settings->text) {
        surekrig_settings_free(settings);
        return sk_fail_memory(error, sizeof *settings, "the settings");
    }
    surekrig_status status = SUREKRIG_OK;
    sk_plain_locale locale = sk_enter_plain_locale();
    for (int i = 0; i < sk_setting_count && !status; i++)
        status = set_row(settings, i, sk_setting_rows[i].public.fallback, error);
    sk_leave_plain_locale(&locale);
    if (status)
        surekrig_settings_free(settings);
    else
        *out = settings;
    return status;
}

/* Defaults, then what the preset says; the old settings go only when the new ones are whole. */
static surekrig_status set_preset(surekrig_settings *settings, int at, const char *preset, surekrig_error *error)
{
    surekrig_settings *made = NULL, old = *settings;
    surekrig_status status = surekrig_settings_new(&made, error);
    for (int i = 0; i < sk_preset_count && !status; i++)
        if (!strcmp(sk_preset_rows[i].preset, preset))
            status = set_row(made, sk_setting_find(sk_preset_rows[i].name), sk_preset_rows[i].value, error);
    if (!status)
        status = set_row(made, at, preset, error);
    if (!status) {
        *settings = *made;
        *made = old;
    }
    surekrig_settings_free(made);
    return status;
}

surekrig_status surekrig_settings_set(surekrig_settings *settings, const char *name, const char *value,
                                      surekrig_error *error)
{
    if (sk_check_needed((sk_needed[]){{"settings", settings}, {"name", name}, {"value", value}, {0}}, error))
        return SUREKRIG_INVALID;
    int i = sk_setting_find(name);
    if (i < 0)
        return sk_fail(error, SUREKRIG_INVALID, "there is no setting '%s'; 'surekrig settings' lists them", name);
    bool preset = sk_setting_rows[i].kind == SK_PRESET && sk_setting_word(sk_setting_rows[i].words, value) >= 0;
    sk_plain_locale locale = sk_enter_plain_locale();
    surekrig_status status = preset ? set_preset(settings, i, value, error) : set_row(settings, i, value, error);
    sk_leave_plain_locale(&locale);
    if (!status && !preset)
        settings->given |= UINT64_C(1) << i;
    return status;
}

void surekrig_settings_free(surekrig_settings *settings)
{
    if (!settings)
        return;
    for (int i = 0; settings->text && i < sk_setting_count; i++)
        free(settings->text[i]);
    free(settings->text);
    free(settings);
}

const char *surekrig_settings_get(const surekrig_settings *settings, const char *name)
{
    int i = settings && name ? sk_setting_find(name) : -1;
    return i < 0 ? NULL : settings->text[i];
}

int surekrig_settings_given(const surekrig_settings *settings, const char *name)
{
    int i = settings && name ? sk_setting_find(name) : -1;
    return i >= 0 && (settings->given >> i & 1);
}

int surekrig_settings_time(const surekrig_settings *settings, int64_t d, const char *const *x_names)
{
    static const char *const OF_DISTANCES[] = {"time", "group", "anisotropic", "distance", "rho", "turn", "terms"};
    const char *preset = surekrig_settings_get(settings, "preset");
    bool free = !preset || (strcmp(preset, "coverage") != 0 && strcmp(preset, "paper") != 0);
    for (size_t i = 0; i < sizeof OF_DISTANCES / sizeof *OF_DISTANCES; i++)
        free &= !surekrig_settings_given(settings, OF_DISTANCES[i]);
    return free ? sk_metric_moment(d, x_names) : -1;
}

surekrig_status sk_settings_copy(const surekrig_settings *from, surekrig_settings **to, surekrig_error *error)
{
    surekrig_settings *made = NULL;
    surekrig_status status = surekrig_settings_new(&made, error);
    for (int i = sk_setting_count - 1; i >= 0 && !status; i--) /* the preset is last in the table: first here */
        status = surekrig_settings_set(made, sk_setting_rows[i].public.name, from->text[i], error);
    if (status) {
        surekrig_settings_free(made);
        return status;
    }
    made->given = from->given;
    *to = made;
    return SUREKRIG_OK;
}

const char *sk_backend_name(const surekrig_settings *settings)
{
    return settings->text[sk_setting_find("backend")];
}

const char *sk_kernel_name(const surekrig_settings *settings)
{
    return settings->text[sk_setting_find("kernel")];
}

const char *sk_setting_names(const surekrig_settings *settings, const char *name)
{
    return settings->text[sk_setting_find(name)];
}

bool sk_setting_given(const surekrig_settings *settings, const char *name)
{
    int i = sk_setting_find(name);
    return settings->given >> i & 1 || strcmp(settings->text[i], sk_setting_rows[i].public.fallback) != 0;
}

int sk_thread_setting(const surekrig_settings *settings)
{
    return settings->threads > 0 ? (int)settings->threads : 0;
}
