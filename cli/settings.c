#include "cli.h"

#include <string.h>

static void print_row(const surekrig_setting *row)
{
    printf("%s = %s\n    %s\n    Takes %s.\n", row->name, row->fallback, row->sentence, row->takes);
}

static void print_markdown(void)
{
    puts(
        "# Settings\n\n"
        "One name everywhere: `--NAME VALUE` on the command line, `surekrig_settings_set(s, \"NAME\", \"VALUE\", e)` in C,\n"
        "`SureKrigRegressor(NAME=VALUE)` in Python.\n"
        "A hyperparameter is fixed (`0.5`), searched (`0.05:2.5`, or with a start `0.05:0.5:2.5`) or `auto`.\n"
        "A preset sets several at once and goes before the others.\n"
        "This page is made by `surekrig settings --markdown`.\n\n"
        "| name | default | takes | what it is |\n| --- | --- | --- | --- |");
    for (int i = 0; surekrig_settings_row(i); i++) {
        const surekrig_setting *row = surekrig_settings_row(i);
        printf("| `%s` | `%s` | %s | %s |\n", row->name, row->fallback, row->takes, row->sentence);
    }
}

static void print_json(const char *name)
{
    bool first = true;
    putchar('[');
    for (int i = 0; surekrig_settings_row(i); i++) {
        const surekrig_setting *row = surekrig_settings_row(i);
        if (name && strcmp(row->name, name))
            continue;
        const char *const part[][2] = {{"name", row->name},
                                       {"default", row->fallback},
                                       {"takes", row->takes},
                                       {"sentence", row->sentence}};
        printf("%s{", first ? "" : ",\n ");
        first = false;
        for (int j = 0; j < 4; j++) {
            printf("%s\"%s\": ", j ? ", " : "", part[j][0]);
            cli_json_text(stdout, part[j][1]);
        }
        putchar('}');
    }
    puts("]");
}

static surekrig_status no_setting(const char *name, surekrig_error *error)
{
    cli_guess guess = {.word = name};
    for (int i = 0; surekrig_settings_row(i); i++)
        cli_guess_words(&guess, surekrig_settings_row(i)->name);
    return cli_usage(error, "there is no setting '%s'%s", name, cli_guessed(&guess, ""));
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    const char *name = call->arguments ? call->argument[0] : NULL;
    if (name && !surekrig_settings_get(call->settings, name))
        return no_setting(name, error);
    if (cli_value(call, "markdown"))
        print_markdown();
    else if (cli_value(call, "json"))
        print_json(name);
    else
        for (int i = 0; surekrig_settings_row(i); i++)
            if (!name || !strcmp(surekrig_settings_row(i)->name, name))
                print_row(surekrig_settings_row(i));
    return SUREKRIG_OK;
}

static const cli_option OPTIONS[] = {
    {"markdown", 0, NULL, "As the page docs/settings.md."},
    {"json", 0, NULL, "As JSON."},
    {0},
};

const cli_command cli_settings = {
    "settings",
    "List the settings of training, or explain one.",
    "[NAME]",
    0,
    1,
    false,
    "surekrig settings coverage",
    NULL,
    OPTIONS,
    run,
};
