/* The settings' table and its values, for the files of this room. */
#ifndef SK_SETTINGS_INSIDE_H
#define SK_SETTINGS_INSIDE_H

#include "settings/settings.h"

#include <stddef.h>

typedef enum sk_setting_kind {
    SK_COUNT,
    SK_REAL,
    SK_CHOICE,
    SK_WORDS, /* some of them: a bit each */
    SK_PARAMETER,
    SK_LEVEL_LIST,
    SK_NAMES, /* of features: looked up when the data are known */
    SK_SEED,
    SK_PRESET
} sk_setting_kind;

typedef struct sk_setting_row {
    surekrig_setting public;
    sk_setting_kind kind;
    size_t offset;          /* of its value in surekrig_settings */
    double lowest, highest; /* counts, reals and the values of a parameter */
    const char *words;      /* of a choice: "lool mse huber"; of a number: a word that stands for -1 or infinity */
} sk_setting_row;

/* ---- table.c */

extern const sk_setting_row sk_setting_rows[];
extern const int sk_setting_count;
int sk_setting_find(const char *name); /* or -1 */

/* What a preset says; the settings it does not name go back to their defaults. */
typedef struct sk_preset_row {
    const char *preset, *name, *value;
} sk_preset_row;
extern const sk_preset_row sk_preset_rows[];
extern const int sk_preset_count;

/* ---- parse.c */

bool sk_setting_parse(const sk_setting_row *row, const char *text, void *field);
int sk_setting_word(const char *words, const char *text); /* its number among them, or -1 */

#endif
