/* io/: what is written reads back to the bit, libc agrees on every number, and a file is whole or not there at all. */
#include "io_support.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "ordinary_user.h"

/* ------------------------------------------------------------------------------------------------------- numbers */

/* 1 to 25 digits with a point anywhere, half of them with an exponent. */
static void random_decimal(uint64_t *state, char text[64])
{
    size_t length = 0;
    int digits = 1 + (int)(random_bits(state) % 25), point = (int)(random_bits(state) % 30);
    if (random_bits(state) % 2)
        text[length++] = '-';
    for (int i = 0; i < digits; i++) {
        if (i == point)
            text[length++] = '.';
        text[length++] = (char)('0' + random_bits(state) % 10);
    }
    int spread = random_bits(state) % 2 ? 30 : 320;
    int exponent = (int)(random_bits(state) % (uint64_t)(2 * spread)) - spread;
    text[length] = '\0';
    if (random_bits(state) % 2)
        sprintf(text + length, "e%d", exponent - digits);
}

static void test_numbers_as_strtod(void **state)
{
    (void)state;
    enum { ROWS = 50000 };
    double *expected = malloc(ROWS * sizeof *expected), *value;
    uint64_t seed = 1;
    FILE *file = fopen("t.csv", "wb");
    for (int i = 0; i < ROWS; i++) {
        char text[64];
        random_decimal(&seed, text);
        expected[i] = strtod(text, NULL);
        if (isinf(expected[i]))
            expected[i] = strtod(strcpy(text, "0"), NULL);
        fprintf(file, "%s\n", text);
    }
    fclose(file);
    io_reader *reader = open_file("t.csv", true);
    assert_int_equal(read_rows(reader, ROWS, 1, &value), ROWS);
    assert_same_bits(value, expected, ROWS);
    io_close(reader);
    unlink("t.csv");
    free(expected);
    free(value);
}

/* A third of any size, a third of everyday size, a third with few digits. */
static double *random_table(int64_t count)
{
    static const double ends[] = {0.0, -0.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, INFINITY, NAN};
    static const double corners[] = {1e15, 0.001, 0.1, 9.9999999999999988e14, 1e22, 1e23, 9.0000152587890625, 0x1p-44};
    double *value = malloc((size_t)count * sizeof *value);
    uint64_t state = 7;
    for (int64_t i = 0; i < count; i++) {
        double any = random_double(&state), unit = (double)(random_bits(&state) >> 11) * 0x1p-53 - 0.5;
        double power = pow(10, (double)(random_bits(&state) % 20) - 4);
        value[i] = i % 3 == 0 ? any : i % 3 == 1 ? unit * power : floor(unit * 1e6) / power;
    }
    memcpy(value, ends, sizeof ends);
    memcpy(value + COUNT(ends), corners, sizeof corners);
    return value;
}

static void test_round_trip(void **state)
{
    (void)state;
    enum { ROWS = 30000, COLUMNS = 3 };
    const char *const paths[] = {"t.csv", "t.npy"};
    double *value = random_table(ROWS * COLUMNS);
    for (size_t k = 0; k < COUNT(paths); k++) {
        write_file(paths[k], COLUMNS, ROWS, value);
        io_reader *reader = open_file(paths[k], true);
        assert_names(reader, k ? "c1|c2|c3" : "x|y|z");
        double *back;
        assert_int_equal(read_rows(reader, 1000, COLUMNS, &back), ROWS);
        assert_same_bits(back, value, ROWS * COLUMNS);
        free(back);
        io_close(reader);
        unlink(paths[k]);
    }
    free(value);
}

/* The plain way: libc with 15, 16, 17 digits until it reads back; of all numbers but the smallest and powers of two,
 * the shortest. test_numbers.c sees to those. */
static void print_plainly(double value, char text[32])
{
    strcpy(text, isnan(value) ? "\"\"" : "");
    for (int precision = 15; !isnan(value) && precision <= 17 && (precision == 15 || strtod(text, NULL) != value);)
        snprintf(text, 32, "%.*g", precision++, value);
}

static void test_digits_as_printf(void **state)
{
    (void)state;
    enum { ROWS = 60000 };
    double *value = random_table(ROWS);
    write_file("t.csv", 1, ROWS, value);
    char *text = get("t.csv"), *line = strtok(text, "\n"), expected[32];
    for (int i = 0; i < ROWS; i++) {
        int exponent;
        print_plainly(value[i], expected);
        line = strtok(NULL, "\n");
        if (isnan(value[i]) || (fabs(value[i]) >= DBL_MIN && fabs(frexp(value[i], &exponent)) != 0.5) || value[i] == 0)
            assert_string_equal(line, expected);
    }
    assert_null(strtok(NULL, "\n"));
    free(text);
    free(value);
    unlink("t.csv");
}

/* A decimal comma in the caller's locale changes nothing. */
static void test_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) { /* not installed: make it, here */
        setenv("LOCPATH", ".", 1);
        if (system("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >/dev/null 2>&1") ||
            !setlocale(LC_NUMERIC, "de_DE.UTF-8"))
            skip();
    }
    const double value[] = {0.5, 1.5e-300};
    write_file("t.csv", 2, 1, value);
    assert_text("t.csv", "x,y\n0.5,1.5e-300\n");
    io_reader *reader = open_file("t.csv", true);
    double *back;
    assert_int_equal(read_rows(reader, 1, 2, &back), 1);
    assert_same_bits(back, value, 2);
    surekrig_settings *settings = NULL; /* the library's own numbers as text, too */
    assert_int_equal(surekrig_settings_new(&settings, NULL), SUREKRIG_OK);
    assert_int_equal(surekrig_settings_set(settings, "nu", "0.05:2.5", NULL), SUREKRIG_OK);
    surekrig_settings_free(settings);
    setlocale(LC_NUMERIC, "C");
    free(back);
    io_close(reader);
    unlink("t.csv");
    assert_int_equal(system("rm -rf de_DE.UTF-8"), 0);
}

/* ------------------------------------------------------------------------------------------------------- writing */

static void test_names(void **state)
{
    (void)state;
    const char *const names[] = {"a b", "c,d", "e;\"f\"", " g", "", "h\ni"};
    io_writer *writer = NULL;
    surekrig_error error;
    assert_ok(io_create("t.csv", 6, names, &writer, &error), &error);
    assert_ok(io_write(writer, 1, (double[]){1, NAN, 0.1, -2.5, 1e-7, 1e20}, &error), &error);
    assert_ok(io_commit(writer, &error), &error);
    assert_text("t.csv", "a b,\"c,d\",\"e;\"\"f\"\"\",\" g\",c5,\"h\ni\"\n1,,0.1,-2.5,1e-07,1e+20\n");
    io_reader *reader = open_file("t.csv", true);
    assert_names(reader, "a b|c,d|e;\"f\"| g|c5|h\ni");
    io_close(reader);
    assert_int_equal(io_create("t.csv", 0, names, &writer, &error), SUREKRIG_INVALID);
    unlink("t.csv");
}

/* Nothing at the target before the commit, and nothing beside it after; the last test sees to the latter. */
static void test_whole_or_not_at_all(void **state)
{
    (void)state;
    const char *const names[] = {"x"};
    surekrig_error error;
    for (int replaces = 0; replaces < 2; replaces++)
        for (int commits = 0; commits < 2; commits++) {
            io_writer *writer = NULL;
            if (replaces)
                put("t.csv", "old", 3);
            assert_ok(io_create("t.csv", 1, names, &writer, &error), &error);
            for (int i = 0; i < 300000; i++)
                assert_ok(io_write(writer, 1, (double[]){i}, &error), &error);
            assert_int_equal(access("t.csv", F_OK), replaces ? 0 : -1);
            if (replaces)
                assert_text("t.csv", "old");
            if (commits)
                assert_ok(io_commit(writer, &error), &error);
            else
                io_discard(writer);
            assert_int_equal(access("t.csv", F_OK), replaces || commits ? 0 : -1);
            unlink("t.csv");
        }
    io_discard(NULL);
    io_close(NULL);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode;
}

static void test_links_and_permissions(void **state)
{
    (void)state;
    mode_t before = umask(027);
    write_file("t.csv", 1, 1, (double[]){1});
    assert_int_equal(mode_of("t.csv") & 0777, 0640);
    umask(before);
    assert_int_equal(chmod("t.csv", 0600), 0);
    assert_int_equal(symlink("t.csv", "link.csv"), 0);
    write_file("link.csv", 1, 1, (double[]){2});
    assert_true(S_ISLNK(mode_of("link.csv")));
    assert_int_equal(mode_of("t.csv") & 0777, 0600);
    assert_text("t.csv", "x\n2\n");
    unlink("link.csv");
    unlink("t.csv");
}

/* Writes until something fails; the commit must fail as well. */
static void assert_cannot_write(const char *path, const char *sentence)
{
    const char *const names[] = {"x", "y"};
    static const double zeros[2 * 1000];
    io_writer *writer = NULL;
    surekrig_error error = {SUREKRIG_OK, ""};
    surekrig_status status = io_create(path, 2, names, &writer, &error);
    for (int i = 0; i < 1000 && !status; i++)
        status = io_write(writer, 1000, zeros, &error);
    if (writer)
        status = io_commit(writer, &error);
    assert_int_equal(status, SUREKRIG_FILE);
    assert_says(&error, sentence);
}

static void test_unwritable(void **state)
{
    (void)state;
    surekrig_error error;
    io_writer *writer = NULL;
    assert_ok(io_create("/dev/full", 1, (const char *const[]){"x"}, &writer, &error), &error);
    assert_int_equal(io_commit(writer, &error), SUREKRIG_FILE);
    assert_says(&error, "cannot write /dev/full: No space left on device");
    assert_cannot_write("/dev/full", "cannot write /dev/full: No space left on device");
    assert_cannot_write("nowhere/t.csv", "cannot write nowhere/t.csv: No such file or directory");
    assert_cannot_write("/", "cannot write /: Is a directory");
    write_file("/dev/null", 1, 1, (double[]){1});
}

/* A file-size limit stands for the disk that fills up under a temporary file. */
static void test_disk_fills_up(void **state)
{
    (void)state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1 << 20;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    put("t.npy", "old", 3);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_cannot_write("t.csv", "cannot write t.csv: File too large");
    assert_cannot_write("t.npy", "cannot write t.npy: File too large");
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_text("t.npy", "old");
    assert_int_equal(access("t.csv", F_OK), -1);
    unlink("t.npy");
}

static void check_no_permission(void)
{
    surekrig_error error;
    assert_int_equal(mkdir("closed", 0555), 0);
    assert_cannot_write("closed/t.csv", "cannot write closed/t.csv: Permission denied");
    rmdir("closed");
    put("t.csv", "a\n1\n", 4);
    chmod("t.csv", 0444);
    assert_cannot_write("t.csv", "cannot write t.csv: Permission denied");
    chmod("t.csv", 0);
    assert_int_equal(try_to_read("t.csv", &error), SUREKRIG_FILE);
    assert_says(&error, "cannot read t.csv: Permission denied");
    unlink("t.csv");
}

static void test_no_permission(void **state)
{
    (void)state;
    assert_int_equal(chmod(".", 0777), 0);
    as_ordinary_user(check_no_permission);
}

/* What is still written stays, what nobody writes any more goes, and names that only look alike are others' files. */
static void test_stale_temporary(void **state)
{
    (void)state;
    static const char *const OTHERS[] = {"t.csv.tmp-1-1x", "t.csv.tmp-1", "at.csv.tmp-1-1"};
    const char *name = "y";
    surekrig_error error;
    io_writer *living = NULL;
    char path[64];
    snprintf(path, sizeof path, "t.csv.tmp-%ld-0", (long)getpid());
    assert_int_equal(io_create("t.csv", 1, &name, &living, &error), SUREKRIG_OK);
    put("t.csv.tmp-1-1", "of nobody", 9);
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        put(OTHERS[i], "no temporary", 12);
    write_file("t.csv", 1, 1, (double[]){1});
    assert_text("t.csv", "x\n1\n");
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(access("t.csv.tmp-1-1", F_OK), -1);
    assert_int_equal(io_commit(living, &error), SUREKRIG_OK);
    assert_text("t.csv", "y\n");
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        assert_text(OTHERS[i], "no temporary");
        unlink(OTHERS[i]);
    }
    unlink("t.csv");
}

/* ---------------------------------------------------------------------------------------------- standard streams */

/* Puts path in the place of a stream; returns the stream's copy for put_back. */
static int redirect(int stream, const char *path, int flags)
{
    int kept = dup(stream), fd = open(path, flags, 0600);
    assert_true(kept >= 0 && fd >= 0);
    assert_int_equal(dup2(fd, stream), stream);
    close(fd);
    return kept;
}

static void put_back(int stream, int kept)
{
    assert_int_equal(dup2(kept, stream), stream);
    close(kept);
}

static void test_standard_streams(void **state)
{
    (void)state;
    const char *const outputs[] = {"-", "/dev/stdout"};
    for (size_t i = 0; i < COUNT(outputs); i++) {
        fflush(stdout);
        int kept = redirect(STDOUT_FILENO, "t.csv", O_WRONLY | O_CREAT | O_APPEND);
        write_file(outputs[i], 1, 2, (double[]){1, 2.5});
        put_back(STDOUT_FILENO, kept);
    }
    assert_text("t.csv", "x\n1\n2.5\nx\n1\n2.5\n");
    write_file("t.npy", 1, 2, (double[]){1, 2.5});
    int kept = redirect(STDIN_FILENO, "t.npy", O_RDONLY);
    io_reader *reader = open_file("-", true);
    put_back(STDIN_FILENO, kept);
    double *value;
    assert_string_equal(io_path(reader), "standard input");
    assert_int_equal(read_rows(reader, 1, 1, &value), 2);
    assert_same_bits(value, (double[]){1, 2.5}, 2);
    free(value);
    io_close(reader);
    unlink("t.csv");
    unlink("t.npy");
}

static void test_full_standard_output(void **state)
{
    (void)state;
    surekrig_error error;
    io_writer *writer = NULL;
    fflush(stdout);
    int kept = redirect(STDOUT_FILENO, "/dev/full", O_WRONLY);
    surekrig_status created = io_create("-", 1, (const char *const[]){"x"}, &writer, &error);
    surekrig_status committed = created ? created : io_commit(writer, &error);
    put_back(STDOUT_FILENO, kept);
    assert_int_equal(created, SUREKRIG_OK);
    assert_int_equal(committed, SUREKRIG_FILE);
    assert_says(&error, "cannot write standard output: No space left on device");
}

/* The last test: the folder is empty only if no writer left a temporary file. */
static void test_nothing_left_behind(void **state)
{
    (void)state;
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_as_strtod),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_digits_as_printf),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_whole_or_not_at_all),
        cmocka_unit_test(test_links_and_permissions),
        cmocka_unit_test(test_unwritable),
        cmocka_unit_test(test_disk_fills_up),
        cmocka_unit_test(test_no_permission),
        cmocka_unit_test(test_stale_temporary),
        cmocka_unit_test(test_standard_streams),
        cmocka_unit_test(test_full_standard_output),
        cmocka_unit_test(test_nothing_left_behind),
    };
    return cmocka_run_group_tests(tests, enter_folder, NULL);
}
