/* The help, the man page and the completion, all from the tables of commands and settings. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

enum { TEXT_AT = 27, WIDTH = 100 };

/* Words in lines of WIDTH, the first from where it stands, all others from the indent. */
static void print_words(FILE *to, int column, int indent, const char *words, size_t length)
{
    const char *w = words, *end = words + length;
    for (bool begins = true; w < end; begins = false) {
        int size = (int)strcspn(w, " \n");
        size = size < end - w ? size : (int)(end - w);
        bool next = !begins && column + 1 + size > WIDTH;
        if (next)
            column = fprintf(to, "\n%*s", indent, "") - 1;
        column += fprintf(to, "%s%.*s", begins || next ? "" : " ", size, w);
        w += size + (w + size < end);
    }
    fputc('\n', to);
}

/* How long the paragraph is, and whether it is one of command lines, which keep their lines. */
static size_t paragraph(const char *text, bool *lines)
{
    const char *end = strstr(text, "\n\n");
    *lines = !strncmp(text, "surekrig ", 9);
    return end ? (size_t)(end - text) : strlen(text);
}

static void print_details(FILE *to, const char *text)
{
    bool lines;
    for (size_t length; *text; text += length + strspn(text + length, "\n")) {
        length = paragraph(text, &lines);
        if (lines)
            fprintf(to, "%.*s\n", (int)length, text);
        else
            print_words(to, 0, 0, text, length);
        fputc('\n', to);
    }
}

static void print_item(FILE *to, const char *left, const char *words)
{
    print_words(to, fprintf(to, "  %-*s ", TEXT_AT - 3, left), TEXT_AT, words, strlen(words));
}

static void print_option(FILE *to, const cli_option *o)
{
    char left[64];
    snprintf(left, sizeof left, "%c%c%s--%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
             o->letter ? ", " : "  ", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    print_item(to, left, o->sentence);
}

/* The beginning of its sentence: what it is, not each of its values. */
static void print_setting(FILE *to, const surekrig_setting *row)
{
    char left[64], text[512];
    size_t length = 0;
    while (row->sentence[length] && !(strchr(":;.", row->sentence[length]) && strchr(" ", row->sentence[length + 1])))
        length++;
    snprintf(left, sizeof left, "    --%s", row->name);
    snprintf(text, sizeof text, "%.*s [%s]", (int)length, row->sentence, row->fallback);
    print_item(to, left, text);
}

/* Whether the command has an option of this name, which then hides the setting. */
static bool has_option(const cli_command *c, const char *name)
{
    for (int i = 0; c->option[i].name; i++)
        if (!strcmp(c->option[i].name, name))
            return true;
    return false;
}

void cli_print_command(FILE *to, const cli_command *c)
{
    fprintf(to, "%s\n\nUsage: surekrig %s%s%s [OPTION]...\n\nExample:\n  %s\n\n", c->summary, c->name,
            *c->arguments ? " " : "", c->arguments, c->example);
    if (c->details)
        print_details(to, c->details);
    fputs("Options:\n", to);
    for (int i = 0; c->option[i].name; i++)
        print_option(to, &c->option[i]);
    fprintf(to, "  %-24s This text.\n", "-h, --help");
    if (!c->settings)
        return;
    fputs("\nSettings, with their defaults ('surekrig settings NAME' explains one):\n", to);
    for (int i = 0; surekrig_settings_row(i); i++)
        if (!has_option(c, surekrig_settings_row(i)->name))
            print_setting(to, surekrig_settings_row(i));
}

static void print_overview(void)
{
    puts("surekrig: Gaussian-process kriging of large point sets, with intervals you can trust.\n\n"
         "Usage: surekrig COMMAND [ARGUMENT]... [OPTION]...\n\nCommands:");
    for (int i = 0; cli_commands[i]; i++)
        printf("  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    puts(
        "\nA first run:\n"
        "  surekrig krige train.csv new.csv -o out.csv\n\n"
        "'surekrig COMMAND --help' says more, with an example. Data go to standard output or -o, messages to standard\n"
        "error. Exit status: 0 worked, 1 failed, 2 wrong usage.");
}

/* ---- the man page */

/* Text with what roff would read as its own escaped. */
static void roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '-' || *text == '\\')
            putchar('\\');
        putchar(*text);
        if (*text == '\n' && (text[1] == '.' || text[1] == '\''))
            fputs("\\&", stdout);
    }
}

static void roff_item(const char *name, char letter, const char *argument, const char *sentence)
{
    fputs(".TP\n", stdout);
    if (letter)
        printf(".BR \\-%c \", \" ", letter);
    else
        fputs(".BR ", stdout);
    fputs("\\-\\-", stdout);
    roff(name);
    if (argument)
        printf(" \" \\fI%s\\fR\"", argument);
    putchar('\n');
    roff(sentence);
    putchar('\n');
}

static void roff_details(const char *text)
{
    bool lines;
    for (size_t length; *text; text += length + strspn(text + length, "\n")) {
        char words[4096];
        length = paragraph(text, &lines);
        snprintf(words, sizeof words, "%.*s", (int)length, text);
        fputs(lines ? ".EX\n" : "", stdout);
        roff(words);
        fputs(lines ? "\n.EE\n.PP\n" : "\n.PP\n", stdout);
    }
}

static void man_command(const cli_command *c)
{
    printf(*c->arguments ? ".SS surekrig %s \\fI%s\\fR\n" : ".SS surekrig %s\n", c->name, c->arguments);
    roff(c->summary);
    fputs("\n.PP\n", stdout);
    if (c->details)
        roff_details(c->details);
    fputs(".EX\n", stdout);
    roff(c->example);
    fputs("\n.EE\n", stdout);
    for (int i = 0; c->option[i].name; i++)
        roff_item(c->option[i].name, c->option[i].letter, c->option[i].argument, c->option[i].sentence);
}

static void print_man(void)
{
    printf(
        ".TH SUREKRIG 1 \"\" \"surekrig %s\"\n.SH NAME\nsurekrig \\- kriging of large point sets with calibrated "
        "intervals\n.SH SYNOPSIS\n.B surekrig\n\\fICOMMAND\\fR [\\fIARGUMENT\\fR]... [\\fIOPTION\\fR]...\n"
        ".SH DESCRIPTION\nGaussian\\-process regression by nearest\\-neighbour kriging with a Mat\\('ern kernel of any "
        "smoothness, trained by likelihood, with intervals that points left out have set or under a coverage "
        "constraint.\n.SH COMMANDS\n",
        surekrig_version());
    for (int i = 0; cli_commands[i]; i++)
        man_command(cli_commands[i]);
    fputs(
        ".SH SETTINGS\nEach is an option of\n.BR \"surekrig krige\" ,\nof\n.BR \"surekrig fit\" ,\nof\n.BR \"surekrig fill\" ,\nand of\n.BR \"surekrig experiment\" ,\nwhich hands it to every fit.\n",
        stdout);
    for (int i = 0; surekrig_settings_row(i); i++) {
        const surekrig_setting *row = surekrig_settings_row(i);
        roff_item(row->name, 0, "VALUE", row->sentence);
        fputs(".br\nTakes ", stdout);
        roff(row->takes);
        fputs("; default ", stdout);
        roff(row->fallback);
        fputs(".\n", stdout);
    }
    fputs(".SH EXIT STATUS\n0 worked, 1 failed, 2 wrong usage; 128 and the signal's number where one ended it.\n",
          stdout);
}

/* ---- bash completion */

static void print_completion(void)
{
    fputs("# bash completion for surekrig; made by 'surekrig help --completion'\n"
          "_surekrig()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} options\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W \"",
          stdout);
    for (int i = 0; cli_commands[i]; i++)
        printf("%s%s", i ? " " : "", cli_commands[i]->name);
    fputs("\" -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n", stdout);
    for (int i = 0; cli_commands[i]; i++) {
        const cli_command *c = cli_commands[i];
        printf("    %s) options=\"--help", c->name);
        for (int j = 0; c->option[j].name; j++)
            printf(" --%s", c->option[j].name);
        for (int j = 0; c->settings && surekrig_settings_row(j); j++)
            if (!has_option(c, surekrig_settings_row(j)->name))
                printf(" --%s", surekrig_settings_row(j)->name);
        fputs("\" ;;\n", stdout);
    }
    fputs("    *) options=\"\" ;;\n    esac\n"
          "    case $word in\n"
          "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
          "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
          "    esac\n}\n"
          "complete -o filenames -F _surekrig surekrig\n",
          stdout);
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    if (cli_value(call, "man")) {
        print_man();
        return SUREKRIG_OK;
    }
    if (cli_value(call, "completion")) {
        print_completion();
        return SUREKRIG_OK;
    }
    if (!call->arguments) {
        print_overview();
        return SUREKRIG_OK;
    }
    for (int i = 0; cli_commands[i]; i++)
        if (!strcmp(cli_commands[i]->name, call->argument[0])) {
            cli_print_command(stdout, cli_commands[i]);
            return SUREKRIG_OK;
        }
    return cli_usage(error, "there is no command '%s'%s", call->argument[0], cli_guess_command(call->argument[0]));
}

static const cli_option OPTIONS[] = {
    {"man", 0, NULL, "The manual page."},
    {"completion", 0, NULL, "The completion for bash."},
    {0},
};

const cli_command cli_help = {
    "help", "Explain the commands, or one of them.", "[COMMAND]", 0, 1, false, "surekrig help fit", NULL, OPTIONS, run,
};
