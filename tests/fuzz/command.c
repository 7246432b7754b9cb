/* link: -Wl,--wrap=cli_progress */
/* Command lines: a word a line, in a folder with a table, points and a model. Whatever they say, the command ends with
 * 0, 1 or 2, and a failure leaves every file as it was and none more. Slashes are taken out of words, as they would
 * lead out of the folder; long work is stopped; what starts other programs or measures is parsed and no more.
 * FUZZ_MODELS: as for values.c. */
#include "cli.h"
#include "fuzz.h"

#include <dirent.h>

enum { WORDS = 24, LENGTH = 200, FILES = 3, MOST_MODEL = 1 << 18 };

static struct {
    const char *name;
    char *bytes;
    size_t count;
} file[FILES] = {{.name = "t.csv"}, {.name = "p.csv"}, {.name = "m.model"}};

surekrig_progress __wrap_cli_progress(const cli_call *call);

static int stop_soon(void *user, const surekrig_progress_report *report)
{
    int *calls = user;
    (void)report;
    return ++*calls > 20;
}

surekrig_progress __wrap_cli_progress(const cli_call *call)
{
    static int calls;
    (void)call;
    calls = 0;
    return (surekrig_progress){stop_soon, &calls};
}

/* ---- the folder */

static void make_table(int which, int rows, const char *header)
{
    char *text = file[which].bytes = malloc((size_t)rows * 80 + 100);
    int used = sprintf(text, "%s\n", header);
    for (int i = 0; i < rows; i++)
        used += sprintf(text + used, "%d.%d,%d.5,2024-01-%02d,w%d,%.3f\n", i % 7, i % 10, i / 7, 1 + i % 28, i % 3,
                        1.0 * (i * 37 % 19) / 7);
    file[which].count = (size_t)used;
}

static void make_files(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s/a.model", getenv("FUZZ_MODELS"));
    FILE *model = fopen(path, "rb");
    file[2].bytes = malloc(MOST_MODEL);
    if (!model || !file[2].bytes)
        exit(99);
    file[2].count = fread(file[2].bytes, 1, MOST_MODEL, model);
    fclose(model);
    make_table(0, 40, "x,y,day,word,z");
    make_table(1, 10, "x,y,day,word,z");
}

static void fill_folder(void)
{
    DIR *folder = opendir(".");
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && remove(entry->d_name))
            abort(); /* a folder: no command that runs here makes one */
    closedir(folder);
    for (int i = 0; i < FILES; i++)
        fuzz_write(file[i].name, file[i].bytes, file[i].count);
}

static void check_folder(void)
{
    static char bytes[MOST_MODEL + 1];
    DIR *folder = opendir(".");
    int found = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        found += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    closedir(folder);
    FUZZ_HOLDS(found == FILES, "a command that failed left a file");
    for (int i = 0; i < FILES; i++) {
        FILE *in = fopen(file[i].name, "rb");
        FUZZ_HOLDS(in && fread(bytes, 1, sizeof bytes, in) == file[i].count &&
                       !memcmp(bytes, file[i].bytes, file[i].count),
                   "a command that failed changed a file");
        fclose(in);
    }
}

/* ---- the words */

static bool runs(const char *command)
{
    return !strstr(" plot bench experiment ", command);
}

static void parse(const cli_command *command, int count, char **word)
{
    cli_call call = {.command = command, .words = count, .word = word};
    surekrig_error error = {0};
    surekrig_status status = cli_parse(&call, &error);
    FUZZ_HOLDS(!status || strlen(error.sentence) > 3, "a failure without its sentence");
    surekrig_settings_free(call.settings);
    free(call.given);
}

static void run(const cli_command *command, int count, char **word)
{
    fill_folder();
    int code = cli_run(command, count, word);
    FUZZ_HOLDS(code >= 0 && code <= 2, "another exit status");
    if (code)
        check_folder();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static char text[WORDS * LENGTH + 1];
    char *word[WORDS];
    int words = 0, commands = 0;
    if (count >= sizeof text || !count)
        return 0;
    if (!file[0].bytes)
        make_files();
    fuzz_enter_folder();
    memcpy(text, bytes, count);
    text[count] = 0;
    for (char *at = text; (at = strchr(at, '/'));)
        *at = '_';
    for (char *at = strtok(text, "\n"); at && words < WORDS; at = strtok(NULL, "\n"))
        word[words++] = at;
    while (cli_commands[commands])
        commands++;
    for (int i = 0; i < commands && words; i++)
        if (!strcmp(word[0], cli_commands[i]->name))
            (runs(word[0]) ? run : parse)(cli_commands[i], words - 1, word + 1);
    return 0;
}
