/* Which trials a call is about, in the order they run: all of a trial's cases and methods before the next trial, so
 * that what an interrupted study has is a smaller whole one, and the time left is known early. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const EX_PRESET[EX_PRESETS] = {"default", "paper", "lool", "budget"};

surekrig_status ex_apply_words(surekrig_settings *settings, const char *words, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (const char *at = words + strspn(words, " "); *at && !status; at += strspn(at, " ")) {
        char word[256], *value;
        size_t length = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        value = strchr(word, '=');
        if (!value)
            return ex_fail(error, SUREKRIG_INVALID, "'%s' is no setting", word);
        *value++ = 0;
        status = surekrig_settings_set(settings, word, value, error);
        at += length;
    }
    return status;
}

/* Whether name stands in the list "a,b,c". */
static bool listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == length && !strncmp(at, name, length))
            return true;
    return false;
}

static bool scenario_asked(const ex_run *r, const ex_scenario *s)
{
    const char *cases = r->options->cases;
    return cases ? listed(cases, s->name) || listed(cases, "all") : !s->extra;
}

static bool method_asked(const ex_run *r, const ex_method *m)
{
    return listed(r->options->presets ? r->options->presets : "default,paper", m->preset);
}

/* Every word of the list must be one that the study knows. */
static surekrig_status check_list(const ex_run *r, const char *list, bool cases, surekrig_error *error)
{
    const ex_study *s = r->study;
    char word[64], known[200] = "";
    int count = cases ? s->scenarios : s->methods;
    for (int i = 0; i < count; i++) {
        const char *name = cases ? s->scenario[i].name : s->method[i].preset;
        if (!*known || !listed(known, name))
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", *known ? "," : "", name);
    }
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        if (!listed(known, word) && !(cases && !strcmp(word, "all")))
            return ex_fail(error, SUREKRIG_INVALID, "the study %s has no %s '%s'; it has %s", s->name,
                           cases ? "case" : "preset", word, known);
    }
    return SUREKRIG_OK;
}

/* Settings given for every fit, as words; where the study itself says how trials differ, they are refused. */
static surekrig_status take_settings(ex_run *r, surekrig_error *error)
{
    static const char *const OWN[] = {"seed", "threads"};
    const surekrig_settings *given = r->options->settings;
    r->seed = 1;
    r->threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; given && surekrig_settings_row(i); i++) {
        const surekrig_setting *row = surekrig_settings_row(i);
        const char *value = surekrig_settings_get(given, row->name);
        if (!strcmp(row->name, "preset") && strcmp(value, row->fallback))
            return ex_fail(error, SUREKRIG_INVALID, "a study runs presets side by side: choose by --presets %s", value);
        if (!surekrig_settings_given(given, row->name))
            continue; /* one that is set to its default may still undo a preset's */
        if (!strcmp(row->name, OWN[0]))
            r->seed = strtoull(value, NULL, 10);
        else if (!strcmp(row->name, OWN[1]))
            r->threads = atoi(value);
        else if (strlen(r->words) + strlen(row->name) + strlen(value) + 3 < sizeof r->words)
            sprintf(r->words + strlen(r->words), " %s=%s", row->name, value);
        else
            return ex_fail(error, SUREKRIG_INVALID, "the settings of a study take at most %zu characters together",
                           sizeof r->words);
    }
    r->threads = r->threads < 1 ? 1 : r->threads > 256 ? 256 : r->threads;
    return SUREKRIG_OK;
}

static void add_trials(ex_run *r, int number)
{
    const ex_study *s = r->study;
    bool fresh = s->own_data || r->options->fresh_data;
    for (int i = 0; i < s->scenarios; i++)
        for (int j = 0; scenario_asked(r, &s->scenario[i]) && j < s->methods; j++) {
            if (!method_asked(r, &s->method[j]))
                continue;
            uint64_t later = (uint64_t)number - 1;
            r->trial[r->trials++] = (ex_trial){.scenario = &s->scenario[i],
                                               .method = &s->method[j],
                                               .number = number,
                                               .seed = r->seed + later,
                                               .data_seed = r->options->data_seed + (fresh ? later : 0)};
        }
}

surekrig_status ex_make_plan(ex_run *r, surekrig_error *error)
{
    const experiment_options *o = r->options;
    r->points = o->points ? o->points : r->study->points;
    surekrig_status status = take_settings(r, error);
    if (!status && o->cases)
        status = check_list(r, o->cases, true, error);
    if (!status && o->presets)
        status = check_list(r, o->presets, false, error);
    if (status)
        return status;
    r->trial = calloc((size_t)o->trials * (size_t)r->study->scenarios * (size_t)r->study->methods + 1,
                      sizeof *r->trial);
    if (!r->trial)
        return ex_no_memory(error);
    for (int number = 1; number <= o->trials; number++)
        add_trials(r, number);
    return SUREKRIG_OK;
}
