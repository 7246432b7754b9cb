/* io/: CSV of every dialect, in batches and at the edges of the window; every malformed file gets its sentence. */
#include "io_support.h"

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
    {TEXT("a\n1\nN.A.\n"), "'N.A.' is not a number"},
    {TEXT("a\n1\nt\xc3\xa9t\xc3\xa9\x01\xff\n"), "'t\xc3\xa9t\xc3\xa9\\x01\\xff' is not a number"},
    {TEXT("a\n1\n1234567890123456789012345678901234567890x\n"), "'1234567890123456789012345678901234567890...' is"},
    {TEXT("a,b\n1,2\n3\n"), "t.csv, row 2 (line 3): 1 cell where 2 are expected"},
    {TEXT("a,b\n1,2,3\n"), "t.csv, row 1 (line 2): 3 cells where 2 are expected"},
    {TEXT("a,b\n1,2\n3,4\0\n"), "t.csv, line 3: a NUL byte"},
    {TEXT("a,b\n1,2\n3,\"\n\0\"\n"), "t.csv, line 4: a NUL byte"},
    {TEXT("\0"), "t.csv, line 1: a NUL byte"},
    {TEXT("a,b\n1,2\n3,\"4\n5,6\n"), "t.csv, line 3: a quoted cell begins here and is never closed"},
    {TEXT("a,\"b\n1,2\n"), "t.csv, line 1: a quoted cell begins here and is never closed"},
    {TEXT("a,b\n1,2\n3,\"4\0005\n5,6\n"), "t.csv, line 3: a NUL byte"},
    {TEXT("a,b\n1,\"2\"3\n"), "t.csv, line 2: text after the closing quote"},
    {TEXT("a,b,a\n1,2,3\n"), "t.csv: columns 1 and 3 are both named 'a'"},
    {TEXT("a,,c2\n1,2,3\n"), "t.csv: columns 2 and 3 are both named 'c2'"},
};

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dialects),          cmocka_unit_test(test_first_row_as_data),
        cmocka_unit_test(test_selection),         cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_a_failure_stays),   cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_batches_and_edges), cmocka_unit_test(test_line_end_on_the_edge),
        cmocka_unit_test(test_rows_left),         cmocka_unit_test(test_endless_row),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
