#include "cli.h"

#include <errno.h>
#include <string.h>

/* A command is a row here and a file, or a folder of them, that defines cli_NAME. Help lists them in this order. */
#define COMMANDS(ROW)                                                                                                  \
    ROW(krige)                                                                                                         \
    ROW(fit)                                                                                                           \
    ROW(predict)                                                                                                       \
    ROW(fill)                                                                                                          \
    ROW(score)                                                                                                         \
    ROW(cv)                                                                                                            \
    ROW(variogram)                                                                                                     \
    ROW(simulate)                                                                                                      \
    ROW(plot)                                                                                                          \
    ROW(info)                                                                                                          \
    ROW(experiment)                                                                                                    \
    ROW(settings)                                                                                                      \
    ROW(bench)                                                                                                         \
    ROW(help)
#define DECLARED(name) extern const cli_command cli_##name;
#define ADDRESS(name) &cli_##name,

COMMANDS(DECLARED)
const cli_command *const cli_commands[] = {COMMANDS(ADDRESS) NULL};

/* The command line's first word, then the command's own. */
static int dispatch(int count, char **word)
{
    if (count >= 2 && (!strcmp(word[1], "--version") || !strcmp(word[1], "-V"))) {
        printf("surekrig %s\n", surekrig_version());
        return CLI_OK;
    }
    if (count < 2 || !strcmp(word[1], "--help") || !strcmp(word[1], "-h"))
        return cli_run(&cli_help, 0, NULL) ? CLI_FAILURE : count < 2 ? CLI_USAGE : CLI_OK;
    for (int i = 0; cli_commands[i]; i++)
        if (!strcmp(word[1], cli_commands[i]->name))
            return cli_run(cli_commands[i], count - 2, word + 2);
    const char *guess = cli_guess_command(word[1]);
    char name[80];
    snprintf(name, sizeof name, "%s", word[1]);
    cli_one_line(name);
    fprintf(stderr, "surekrig: there is no command '%s'%s\n", name, *guess ? guess : "; 'surekrig help' lists them");
    return CLI_USAGE;
}

#ifndef CLI_MAIN /* of another program, mpi/main.c, it is a part */
#define CLI_MAIN main
#endif
int CLI_MAIN(int count, char **word);
int CLI_MAIN(int count, char **word)
{
    if (cli_on.size == 1)
        cli_catch_signals();
    int code = dispatch(count, word);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "surekrig: cannot write standard output: %s\n", strerror(errno));
        code = code ? code : CLI_FAILURE;
    }
    cli_leave(code);
}
