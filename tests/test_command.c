/* The protocol of commands: whatever one opens is kept where it succeeds and gone where it fails or a signal comes, and
 * its exit status says which, though it does nothing about it. Each runs in a process of its own. */
#include "cli.h"
#include "support.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *name_of(const void *of, int column)
{
    (void)of;
    return strdup(column ? "b" : "a");
}

static surekrig_status write_some(const char *path, surekrig_error *error)
{
    io_writer *writer = NULL;
    surekrig_status status = cli_create(path, 2, name_of, NULL, &writer, error);
    return status ? status : io_write(writer, 1, (double[]){1, 2}, error);
}

/* ---- commands that forget everything */

static surekrig_status works(cli_call *call, surekrig_error *error)
{
    surekrig_status status = write_some(cli_value(call, "output"), error);
    return status ? status : write_some("second.csv", error);
}

static surekrig_status fails(cli_call *call, surekrig_error *error)
{
    surekrig_status status = works(call, error);
    return status ? status : cli_error(error, SUREKRIG_DATA, "the data are bad");
}

static surekrig_status misused(cli_call *call, surekrig_error *error)
{
    surekrig_status status = works(call, error);
    return status ? status : cli_usage(error, "nobody can want that");
}

static surekrig_status signalled(cli_call *call, surekrig_error *error)
{
    surekrig_status status = works(call, error);
    raise(SIGTERM);
    return status;
}

static surekrig_status signalled_and_fails(cli_call *call, surekrig_error *error)
{
    signalled(call, error);
    return cli_error(error, SUREKRIG_FILE, "an interrupted read");
}

static surekrig_status signalled_before(cli_call *call, surekrig_error *error)
{
    raise(SIGINT); /* nothing is open: this is the end */
    return works(call, error);
}

static surekrig_status signalled_after(cli_call *call, surekrig_error *error)
{
    surekrig_status status = works(call, error);
    if (!status)
        status = cli_keep(error);
    raise(SIGINT);
    return status;
}

static surekrig_status cannot_open(cli_call *call, surekrig_error *error)
{
    surekrig_status status = write_some(cli_value(call, "output"), error);
    return status ? status : write_some("no/such/folder.csv", error);
}

static surekrig_status drops_then_signalled(cli_call *call, surekrig_error *error)
{
    surekrig_status status = works(call, error);
    cli_drop();
    raise(SIGINT); /* nothing is open any more */
    return status;
}

/* ---- running them */

static const cli_option OPTIONS[] = {{"output", 'o', "OUT", ""}, {0}};
const cli_command *const cli_commands[] = {NULL};

static void end_of(surekrig_status (*run)(cli_call *, surekrig_error *), int expected, bool files, const char *sentence)
{
    static char *words[] = {"-o", "first.csv"};
    cli_command command = {.name = "test", .summary = "", .arguments = "", .option = OPTIONS, .run = run};
    char place[] = "/tmp/surekrig-command.XXXXXX", said[400] = "";
    assert_non_null(mkdtemp(place));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(place) || !freopen("said", "w", stderr))
            _exit(99);
        setvbuf(stderr, NULL, _IONBF, 0); /* as it is by itself */
        cli_catch_signals();
        _exit(cli_run(&command, 2, words));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), expected);
    assert_int_equal(chdir(place), 0);
    FILE *file = fopen("said", "r");
    said[fread(said, 1, sizeof said - 1, file)] = 0;
    fclose(file);
    if (sentence ? !strstr(said, sentence) : *said)
        fail_msg("it said '%s', not '%s'", said, sentence ? sentence : "");
    assert_int_equal(unlink("said"), 0);
    assert_int_equal(unlink("first.csv"), files ? 0 : -1);
    assert_int_equal(unlink("second.csv"), files ? 0 : -1);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(place), 0); /* nothing else was left */
}

static void outputs_follow_the_end(void **state)
{
    (void)state;
    end_of(works, 0, true, NULL);
    end_of(fails, 1, false, "surekrig test: the data are bad\n");
    end_of(misused, 2, false, "surekrig test: nobody can want that\nTry 'surekrig test --help'.\n");
    end_of(cannot_open, 1, false, "cannot write no/such/folder.csv");
}

static void a_signal_decides(void **state)
{
    (void)state;
    end_of(signalled, 128 + SIGTERM, false, "surekrig test: interrupted; nothing was written\n");
    end_of(signalled_and_fails, 128 + SIGTERM, false, "surekrig test: interrupted; nothing was written\n");
    end_of(signalled_before, 128 + SIGINT, false, "surekrig: interrupted; nothing was written\n");
    end_of(drops_then_signalled, 128 + SIGINT, false, "surekrig: interrupted; nothing was written\n");
    end_of(signalled_after, 128 + SIGINT, true, NULL); /* what is kept stays */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_follow_the_end),
        cmocka_unit_test(a_signal_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
