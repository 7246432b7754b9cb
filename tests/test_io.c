/* io/: what is written reads back to the bit, libc agrees on every number, and every malformed file gets its
 * sentence. */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ordinary_user.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ------------------------------------------------------------------------------------------------------- helpers */

static char folder[] = "/tmp/surekrig-io-XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static void put(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static char *get(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    char *text = calloc(1, (size_t)info.st_size + 1);
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(text, 1, (size_t)info.st_size, file), info.st_size);
    fclose(file);
    return text;
}

static void assert_text(const char *path, const char *expected)
{
    char *text = get(path);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_ok(surekrig_status status, const surekrig_error *error)
{
    if (status)
        fail_msg("status %d: %s", status, error->sentence);
}

static void assert_says(const surekrig_error *error, const char *part)
{
    if (!strstr(error->sentence, part))
        fail_msg("'%s' does not say '%s'", error->sentence, part);
}

static void assert_same_bits(const double *a, const double *b, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof a[i]) != 0 && !(isnan(a[i]) && isnan(b[i])))
            fail_msg("value %lld: %.17g is not %.17g", (long long)i, a[i], b[i]);
}

/* All that is left, a batch at a time; *value is the caller's to free. */
static int64_t read_rows(io_reader *reader, int64_t batch, int columns, double **value)
{
    surekrig_error error;
    int64_t total = 0, rows = 1, room = 0;
    for (*value = NULL; rows > 0; total += rows) {
        if (total + batch > room) {
            room = 2 * room + batch;
            *value = realloc(*value, (size_t)(room * columns) * sizeof **value);
        }
        assert_ok(io_read(reader, batch, *value + total * columns, &rows, &error), &error);
    }
    return total;
}

static io_reader *open_file(const char *path, bool header)
{
    io_reader *reader = NULL;
    surekrig_error error;
    assert_ok(io_open(path, &(io_dialect){.no_header = !header}, &reader, &error), &error);
    return reader;
}

static void write_file(const char *path, int columns, int64_t rows, const double *value)
{
    static const char *const names[] = {"x", "y", "z"};
    io_writer *writer = NULL;
    surekrig_error error;
    assert_ok(io_create(path, columns, names, &writer, &error), &error);
    assert_ok(io_write(writer, rows, value, &error), &error);
    assert_ok(io_commit(writer, &error), &error);
}

static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* All exponents, subnormals and infinities; NaN becomes 1. */
static double random_double(uint64_t *state)
{
    uint64_t bits = random_bits(state);
    double value;
    memcpy(&value, &bits, sizeof value);
    return isnan(value) ? 1 : value;
}

/* --------------------------------------------------------------------------------------------------- reading CSV */

#define MISSING 1e33 /* stands for NaN, which no table of constants compares */

static const struct {
    const char *text, *names;
    int64_t rows;
    double value[6];
} dialects[] = {
    {"a,b\n1,2\n3,4\n", "a|b", 2, {1, 2, 3, 4}},
    {"a;b\n1;2\n", "a|b", 1, {1, 2}},
    {"a\tb\n1\t\n\t4", "a|b", 2, {1, MISSING, MISSING, 4}},
    {"a;b,c\n1,2\n", "a;b|c", 1, {1, 2}},
    {"a,b\r\n1,2\r\n3,4", "a|b", 2, {1, 2, 3, 4}},
    {"a,b\r1,2\r3,4\r", "a|b", 2, {1, 2, 3, 4}},
    {"\n  \r\n\na,b\n\n1,2\n \t \n3,4\n\n\n", "a|b", 2, {1, 2, 3, 4}},
    {"\xef\xbb\xbfx,b\n1,2\n", "x|b", 1, {1, 2}},
    {"\xef\xbb\xbf\"a\",b\n1,2\n", "a|b", 1, {1, 2}},
    {"\"a,x\";\"b;\"\"y\"\"\n,\"\n1;2\n", "a,x|b;\"y\"\n,", 1, {1, 2}},
    {" a , \"b\" \n 1 ,\t2 \n \"3\" ,\" 4 \"\n", "a|b", 2, {1, 2, 3, 4}},
    {"a\"b;c;d,\"\n1;2;3\n", "a\"b|c|d,\"", 1, {1, 2, 3}},
    {"a b,c\"d\n-1.5e3,+.5\n", "a b|c\"d", 1, {-1500, .5}},
    {"a,b\nNA,nan\nNaN,\n-nan,\"\"\n", "a|b", 3, {MISSING, MISSING, MISSING, MISSING, MISSING, MISSING}},
    {"1,2\n3,4\n", "c1|c2", 2, {1, 2, 3, 4}},
    {"NA,\n3,4\n", "c1|c2", 2, {MISSING, MISSING, 3, 4}},
    {"a,,c\n1,2,3\n", "a|c2|c", 1, {1, 2, 3}},
    {"a\n1\n\"\"\n3\n", "a", 3, {1, MISSING, 3}},
    {"a,b\n", "a|b", 0, {0}},
    {"a", "a", 0, {0}},
    {"a,b\n-1e-400,4.9e-324\n", "a|b", 1, {-0.0, 4.9e-324}},
    {"7", "c1", 1, {7}},
    {"x\ninf\n-Infinity\n+INF\n", "x", 3, {INFINITY, -INFINITY, INFINITY}},
};

static void assert_names(const io_reader *reader, const char *expected)
{
    char joined[100] = "";
    for (int i = 0; i < io_columns(reader); i++) {
        strcat(strcat(joined, i ? "|" : ""), io_column_name(reader, i));
        assert_int_equal(io_find_column(reader, io_column_name(reader, i)), i);
    }
    assert_string_equal(joined, expected);
    assert_int_equal(io_find_column(reader, "no such name"), -1);
}

static void test_dialects(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(dialects); i++) {
        put("t.csv", dialects[i].text, strlen(dialects[i].text));
        io_reader *reader = open_file("t.csv", true);
        assert_names(reader, dialects[i].names);
        assert_string_equal(io_path(reader), "t.csv");
        double *value, expected[6];
        int64_t count = dialects[i].rows * io_columns(reader);
        assert_int_equal(read_rows(reader, 1, io_columns(reader), &value), dialects[i].rows);
        for (int64_t k = 0; k < count; k++)
            expected[k] = dialects[i].value[k] == MISSING ? NAN : dialects[i].value[k];
        assert_same_bits(value, expected, count);
        free(value);
        io_close(reader);
    }
    unlink("t.csv");
}

static void test_first_row_as_data(void **state)
{
    (void)state;
    put("t.csv", "a,1\nb,2\n", 8);
    io_reader *reader = open_file("t.csv", false);
    assert_names(reader, "c1|c2");
    assert_false(io_column_numeric(reader, 0));
    assert_true(io_column_numeric(reader, 1));
    double *value;
    surekrig_error error;
    assert_ok(io_select(reader, 1, (int[]){1}, &error), &error);
    assert_int_equal(read_rows(reader, 2, 1, &value), 2);
    assert_same_bits(value, (double[]){1, 2}, 2);
    free(value);
    io_close(reader);
    unlink("t.csv");
}

static void test_selection(void **state)
{
    (void)state;
    static const char text[] = "id,lon,lat,place\nA1,1,2,\"here, there\"\nA2,3,4,\n";
    put("t.csv", text, strlen(text));
    io_reader *reader = open_file("t.csv", true);
    const bool numeric[] = {false, true, true, false};
    for (int i = 0; i < 4; i++)
        assert_int_equal(io_column_numeric(reader, i), numeric[i]);
    surekrig_error error;
    assert_int_equal(io_select(reader, 1, (int[]){4}, &error), SUREKRIG_INVALID);
    assert_says(&error, "column 5 of t.csv selected, which has 4");
    assert_int_equal(io_select(reader, 0, NULL, &error), SUREKRIG_INVALID);
    assert_ok(io_select(reader, 3, (int[]){2, 1, 2}, &error), &error);
    double *value;
    assert_int_equal(read_rows(reader, 2, 3, &value), 2);
    assert_same_bits(value, (double[]){2, 1, 2, 4, 3, 4}, 6);
    free(value);
    io_close(reader);
    unlink("t.csv");
}

#define TEXT(literal) literal, sizeof(literal) - 1

static const struct {
    const char *text;
    size_t length;
    const char *sentence;
} malformed[] = {
    {TEXT(""), "t.csv is empty"},
    {TEXT("\n \r\n"), "t.csv is empty"},
    {TEXT("\xef\xbb\xbf"), "t.csv is empty"},
    {TEXT("a,temp\n1,2\n\n3,abc\n"), "t.csv, row 2 (line 4), column temp: 'abc' is not a number"},
    {TEXT("a,\"b\nc\"\n1,2\n3,\"x\ny\"\n"), "t.csv, row 2 (line 4), column b\\x0ac: 'x\\x0ay' is not a number"},
    {TEXT("a\n1\n1e999\n"), "row 2 (line 3), column a: '1e999' is too large for a double"},
    {TEXT("a\n1\n0x10\n"), "'0x10' is not a number"},
    {TEXT("a\n1\nnan(1)\n"), "'nan(1)' is not a number"},
    {TEXT("a\n1\n1e\n"), "'1e' is not a number"},
    {TEXT("a\n1\n.\n"), "'.' is not a number"},
    {TEXT("a\n1\n-\n"), "'-' is not a number"},
    {TEXT("a\n1\n1 2\n"), "'1 2' is not a number"},
    {TEXT("a;b\n1;2.5\n1,5;2\n"), "row 2 (line 3), column a: '1,5' is not a number; decimals follow a point"},
    {TEXT("a\tb\n1\t2\n1,5\t2\n"), "row 2 (line 3), column a: '1,5' is not a number; decimals follow a point"},
    {TEXT("a,b\n1,2\n\"-1,5e3\",2\n"), "row 2 (line 3), column a: '-1,5e3' is not a number; decimals follow a point"},
    {TEXT("a;b\n1;2\n1,234,567;2\n"), "column a: '1,234,567' is not a number"},
    {TEXT("a\n1\nN/A\n"), "'N/A' is not a number"},
    {TEXT("a\n1\nt\xc3\xa9t\xc3\xa9\x01\xff\n"), "'t\xc3\xa9t\xc3\xa9\\x01\\xff' is not a number"},
    {TEXT("a\n1\n1234567890123456789012345678901234567890x\n"), "'1234567890123456789012345678901234567890...' is"},
    {TEXT("a,b\n1,2\n3\n"), "t.csv, row 2 (line 3): 1 cell where 2 are expected"},
    {TEXT("a,b\n1,2,3\n"), "t.csv, row 1 (line 2): 3 cells where 2 are expected"},
    {TEXT("a,b\n1,2\n3,4\0\n"), "t.csv, line 3: a NUL byte"},
    {TEXT("a,b\n1,2\n3,\"\n\0\"\n"), "t.csv, line 4: a NUL byte"},
    {TEXT("\0"), "t.csv, line 1: a NUL byte"},
    {TEXT("a,b\n1,2\n3,\"4\n5,6\n"), "t.csv, line 3: a quoted cell begins here and is never closed"},
    {TEXT("a,\"b\n1,2\n"), "t.csv, line 1: a quoted cell begins here and is never closed"},
    {TEXT("a,b\n1,\"2\"3\n"), "t.csv, line 2: text after the closing quote"},
    {TEXT("a,b,a\n1,2,3\n"), "t.csv: columns 1 and 3 are both named 'a'"},
    {TEXT("a,,c2\n1,2,3\n"), "t.csv: columns 2 and 3 are both named 'c2'"},
};

/* Opens and reads; the status of whichever fails. */
static surekrig_status try_to_read(const char *path, surekrig_error *error)
{
    io_reader *reader = NULL;
    surekrig_status status = io_open(path, NULL, &reader, error);
    double value[64];
    for (int64_t rows = 1; !status && rows > 0;)
        status = io_read(reader, 64 / io_columns(reader), value, &rows, error);
    io_close(reader);
    return status;
}

static void test_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(malformed); i++) {
        surekrig_error error = {SUREKRIG_OK, ""};
        put("t.csv", malformed[i].text, malformed[i].length);
        assert_int_equal(try_to_read("t.csv", &error), SUREKRIG_FILE);
        assert_says(&error, malformed[i].sentence);
        assert_int_equal(error.status, SUREKRIG_FILE);
        assert_int_equal(try_to_read("t.csv", NULL), SUREKRIG_FILE);
    }
    unlink("t.csv");
}

static void test_a_failure_stays(void **state)
{
    (void)state;
    put("t.csv", "a\n1\n2\nx\n4\n", 10);
    io_reader *reader = open_file("t.csv", true);
    surekrig_error error;
    double value[2];
    int64_t rows = 0;
    assert_ok(io_read(reader, 2, value, &rows, &error), &error);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(io_read(reader, 2, value, &rows, &error), SUREKRIG_FILE);
        assert_says(&error, "row 3 (line 4), column a: 'x'");
        assert_int_equal(rows, 2);
    }
    io_close(reader);
    unlink("t.csv");
}

static void test_unreadable(void **state)
{
    (void)state;
    surekrig_error error;
    assert_int_equal(try_to_read("nowhere.csv", &error), SUREKRIG_FILE);
    assert_says(&error, "cannot read nowhere.csv: No such file or directory");
    assert_int_equal(try_to_read("/", &error), SUREKRIG_FILE);
    assert_says(&error, "cannot read /: Is a directory");
    assert_int_equal(try_to_read("/proc/self/mem", &error), SUREKRIG_FILE);
    assert_says(&error, "cannot read /proc/self/mem: Input/output error");
    assert_int_equal(try_to_read("/dev/zero", &error), SUREKRIG_FILE);
    assert_says(&error, "NUL byte");
}

/* Rows of many lengths and one cell longer than the buffer, so that everything falls on the buffer's edge somewhere. */
static void put_long(const char *path, int rows)
{
    FILE *file = fopen(path, "wb");
    fputs("a,note,\"b\"\r\n", file);
    for (int i = 0; i < rows; i++)
        fprintf(file, "%d,\"%*s\"\"\r\n,\",\"%.*f\"\r\n", i, i == rows / 2 ? 700000 : i % 37, "x", i % 11, i / 8.0);
    fputs("0,,wrong\r\n", file);
    fclose(file);
}

static void read_long(io_reader *reader, int64_t batch, int64_t rows)
{
    double value[2 * 7];
    surekrig_error error;
    for (int64_t i = 0, done; i < rows; i += done) {
        assert_ok(io_read(reader, batch < rows - i ? batch : rows - i, value, &done, &error), &error);
        for (int64_t k = 0; k < done; k++) {
            char rounded[32];
            snprintf(rounded, sizeof rounded, "%.*f", (int)((i + k) % 11), (double)(i + k) / 8);
            assert_same_bits(&value[2 * k], (double[]){(double)(i + k), strtod(rounded, NULL)}, 2);
        }
        assert_true(done > 0);
    }
    assert_int_equal(io_read(reader, 1, value, &rows, &error), SUREKRIG_FILE);
    assert_says(&error, "t.csv, row 40001 (line 80002), column b: 'wrong' is not a number");
}

static void test_batches_and_edges(void **state)
{
    (void)state;
    enum { ROWS = 40000 };
    put_long("t.csv", ROWS);
    const int64_t batches[] = {1, 2, 7};
    for (size_t i = 0; i < COUNT(batches); i++) {
        io_reader *reader = open_file("t.csv", true);
        surekrig_error error;
        assert_ok(io_select(reader, 2, (int[]){0, 2}, &error), &error);
        read_long(reader, batches[i], ROWS);
        io_close(reader);
    }
    unlink("t.csv");
}

/* Rows of 3 bytes after headers of 3, 4 and 5: in one of the files the buffer ends between a CR and its LF. */
static void test_line_end_on_the_edge(void **state)
{
    (void)state;
    for (int extra = 0; extra < 3; extra++) {
        FILE *file = fopen("t.csv", "wb");
        fprintf(file, "%.*s\r\n", 1 + extra, "abc");
        for (int i = 0; i < 200000; i++)
            fputs("1\r\n", file);
        fputs("x\r\n", file);
        fclose(file);
        surekrig_error error;
        assert_int_equal(try_to_read("t.csv", &error), SUREKRIG_FILE);
        assert_says(&error, "t.csv, row 200001 (line 200002), column a");
    }
    unlink("t.csv");
}

/* Known for an array, guessed for a table from its beginning, unknown for what is no file. */
static void test_rows_left(void **state)
{
    (void)state;
    enum { ROWS = 100000 };
    double *value = malloc(2 * ROWS * sizeof *value);
    for (int i = 0; i < 2 * ROWS; i++)
        value[i] = i / 7.0;
    write_file("t.npy", 2, ROWS, value);
    write_file("t.csv", 2, ROWS, value);
    int ends[2], kept = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "1,2\n3,4\n", 8), 8);
    close(ends[1]);
    assert_true(kept >= 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    close(ends[0]);
    io_reader *array = open_file("t.npy", true), *table = open_file("t.csv", true), *from_pipe = open_file("-", true);
    surekrig_error error;
    int64_t rows;
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
    assert_int_equal(io_rows_left(array), ROWS);
    assert_in_range(io_rows_left(table), ROWS / 10 * 9, ROWS / 10 * 11);
    assert_int_equal(io_rows_left(from_pipe), 0);
    for (int i = 0; i < 2; i++) {
        assert_ok(io_read(i ? table : array, ROWS - 10, value, &rows, &error), &error);
        assert_int_equal(io_rows_left(i ? table : array), 10 + i); /* a table may end without a line end */
        assert_ok(io_read(i ? table : array, ROWS, value, &rows, &error), &error);
        assert_int_equal(io_rows_left(i ? table : array), 0);
    }
    io_close(array);
    io_close(table);
    io_close(from_pipe);
    free(value);
    unlink("t.npy");
    unlink("t.csv");
}

static void test_endless_row(void **state)
{
    (void)state;
    FILE *file = fopen("t.csv", "wb");
    fputs("a,b\n1,2\n3,\"", file);
    for (int i = 0; i < 65 << 10; i++)
        fprintf(file, "%1023d\n", i);
    fclose(file);
    surekrig_error error;
    assert_int_equal(try_to_read("t.csv", &error), SUREKRIG_FILE);
    assert_says(&error, "t.csv: the row that begins on line 3 is longer than 64 MiB");
    unlink("t.csv");
}

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

/* ----------------------------------------------------------------------------------------------------------- NPY */

/* version 1, 2 or 3; the dictionary is padded as NumPy does. */
static void put_npy(const char *path, int version, const char *dictionary, const void *data, size_t bytes)
{
    char file[1024] = "\x93NUMPY";
    size_t prefix = version == 1 ? 10 : 12, total = (prefix + strlen(dictionary) + 1 + 63) / 64 * 64;
    file[6] = (char)version;
    file[8] = (char)(total - prefix);
    memset(file + prefix, ' ', total - prefix);
    memcpy(file + prefix, dictionary, strlen(dictionary));
    file[total - 1] = '\n';
    if (bytes > 0)
        memcpy(file + total, data, bytes);
    put(path, file, total + bytes);
}

static void assert_npy(const char *shape, int columns, int version, const char *type, const void *data, size_t size)
{
    char dictionary[128];
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    put_npy("t.npy", version, dictionary, data, 6 * size);
    io_reader *reader = open_file("t.npy", true);
    double *value;
    assert_int_equal(io_columns(reader), columns);
    assert_true(io_column_numeric(reader, columns - 1));
    assert_int_equal(read_rows(reader, 2, columns, &value), 6 / columns);
    assert_same_bits(value, (double[]){0, 1, 2, 3, 4, 100}, 6);
    free(value);
    io_close(reader);
    unlink("t.npy");
}

static void test_npy_types(void **state)
{
    (void)state;
    assert_npy("(6,)", 1, 1, "<f8", (double[]){0, 1, 2, 3, 4, 100}, 8);
    assert_npy("(2, 3)", 3, 1, "<f4", (float[]){0, 1, 2, 3, 4, 100}, 4);
    assert_npy("(3, 2)", 2, 2, "<i8", (int64_t[]){0, 1, 2, 3, 4, 100}, 8);
    assert_npy("(3L, 2L)", 2, 3, "<i4", (int32_t[]){0, 1, 2, 3, 4, 100}, 4);
    assert_npy("( 1 , 6 )", 6, 1, "<i2", (int16_t[]){0, 1, 2, 3, 4, 100}, 2);
    assert_npy("(6, 1)", 1, 1, "|i1", (int8_t[]){0, 1, 2, 3, 4, 100}, 1);
    assert_npy("(6,)", 1, 1, "<u8", (uint64_t[]){0, 1, 2, 3, 4, 100}, 8);
    assert_npy("(6,)", 1, 1, "<u4", (uint32_t[]){0, 1, 2, 3, 4, 100}, 4);
    assert_npy("(6,)", 1, 1, "<u2", (uint16_t[]){0, 1, 2, 3, 4, 100}, 2);
    assert_npy("(6,)", 1, 1, "|u1", (uint8_t[]){0, 1, 2, 3, 4, 100}, 1);
}

#define DICTIONARY(type, order, shape) "{'descr': " type ", 'fortran_order': " order ", 'shape': " shape ", }"

static const struct {
    const char *dictionary, *sentence;
} malformed_npy[] = {
    {DICTIONARY("'<f8'", "True", "(3, 2)"), "t.npy is in Fortran order"},
    {DICTIONARY("'>f8'", "False", "(3, 2)"), "t.npy holds values of type '>f8'"},
    {DICTIONARY("'<c16'", "False", "(3, 2)"), "t.npy holds values of type '<c16'"},
    {DICTIONARY("[('a', '<f8')]", "False", "(3,)"), "t.npy holds values of type [('a'"},
    {DICTIONARY("'<f8'", "False", "()"), "t.npy has 0 dimensions where 1 or 2 are expected"},
    {DICTIONARY("'<f8'", "False", "(1, 2, 3)"), "t.npy has 3 dimensions where 1 or 2 are expected"},
    {DICTIONARY("'<f8'", "False", "(3, 0)"), "t.npy has no columns"},
    {DICTIONARY("'<f8'", "False", "(99999999999999999999, 2)"), "its shape is too large"},
    {DICTIONARY("'<f8'", "False", "(4611686018427387904, 2)"), "its shape is too large"},
    {DICTIONARY("'<f8'", "False", "(1, 4611686018427387904)"), "its shape is too large"},
    {DICTIONARY("'<f8'", "False", "(3, x)"), "its header gives no shape"},
    {DICTIONARY("'<f8'", "False", "(3 2)"), "its header gives no shape"},
    {DICTIONARY("'<f8'", "False", "(3, 2"), "its header gives no shape"},
    {DICTIONARY("'<f8'", "Maybe", "(3, 2)"), "its header does not say the order"},
    {DICTIONARY("'<f8'", "False", "(100, 2)"), "t.npy ends after row 1 of 100"},
    {"rubbish", "its header does not say the order"},
    {"'fortran_order': False, 'descr' '<f8'", "its header names no type"},
};

static void test_malformed_npy(void **state)
{
    (void)state;
    surekrig_error error;
    const double values[3] = {1, 2, 3}; /* one row and a half */
    for (size_t i = 0; i < COUNT(malformed_npy); i++) {
        put_npy("t.npy", 1, malformed_npy[i].dictionary, values, sizeof values);
        assert_int_equal(try_to_read("t.npy", &error), SUREKRIG_FILE);
        assert_says(&error, malformed_npy[i].sentence);
    }
    put_npy("t.npy", 4, malformed_npy[0].dictionary, NULL, 0);
    assert_int_equal(try_to_read("t.npy", &error), SUREKRIG_FILE);
    assert_says(&error, "its version is not 1, 2 or 3");
    put("t.npy", "\x93NUMPY\2\0\377\377\377\377{", 13);
    assert_int_equal(try_to_read("t.npy", &error), SUREKRIG_FILE);
    assert_says(&error, "its header has no length that could be right");
    for (size_t length = 6; length < 20; length++) {
        put("t.npy", "\x93NUMPY\1\0\166\0{'descr': ", length);
        assert_int_equal(try_to_read("t.npy", &error), SUREKRIG_FILE);
        assert_says(&error, "it ends within its header");
    }
    put("t.npy", "\x93NUMPY\1\0\4\0{  }", 14);
    assert_int_equal(try_to_read("t.npy", &error), SUREKRIG_FILE);
    assert_says(&error, "its header does not end in a line feed");
    unlink("t.npy");
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

static void test_npy_header(void **state)
{
    (void)state;
    write_file("t.npy", 2, 3, (double[]){1, 2, 3, 4, 5, 6});
    struct stat info;
    assert_int_equal(stat("t.npy", &info), 0);
    assert_int_equal(info.st_size, 128 + 6 * sizeof(double));
    char *text = get("t.npy");
    assert_memory_equal(text, "\x93NUMPY\1\0\166\0{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), } ", 70);
    assert_int_equal(text[127], '\n');
    free(text);
    unlink("t.npy");
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
        cmocka_unit_test(test_dialects),
        cmocka_unit_test(test_first_row_as_data),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_a_failure_stays),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_batches_and_edges),
        cmocka_unit_test(test_line_end_on_the_edge),
        cmocka_unit_test(test_rows_left),
        cmocka_unit_test(test_endless_row),
        cmocka_unit_test(test_numbers_as_strtod),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_digits_as_printf),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_npy_types),
        cmocka_unit_test(test_malformed_npy),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_npy_header),
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
