/* Tables in parts: however a file is cut, its parts together have the rows, the kept cells and the failure that it has
 * as a whole; and several files are one. */
#include "io.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PARTS = 9, MOST = 4096 };

static char folder[] = "/tmp/surekrig-parts-XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    char line[64];
    snprintf(line, sizeof line, "rm -r %s", folder);
    return chdir("/") || system(line);
}

static void put(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* What reading has given. */
typedef struct result {
    int64_t rows;
    int columns;
    double value[MOST];
    size_t used;
    char cells[16 * MOST]; /* those kept, with their NULs */
    surekrig_error error;  /* status 0: none */
} result;

/* batch: rows at a time; keeps: whether all cells are carried over. */
static void read_into(io_reader *reader, int64_t batch, bool keeps, result *to)
{
    int all = io_columns(reader), column[64];
    for (int i = 0; i < all; i++)
        column[i] = all - 1 - i;
    surekrig_error *error = &to->error;
    to->columns = all > 1 ? all - 1 : 1; /* the first is not read */
    surekrig_status status = io_select(reader, to->columns, column, error);
    if (!status && keeps)
        status = io_keep(reader, all, column, error);
    for (int64_t rows = 1; rows > 0 && !status;) {
        rows = 0;
        status = io_read(reader, batch, to->value + to->rows * to->columns, &rows, error);
        const char *cells = keeps ? io_kept_cells(reader) : NULL;
        for (int64_t i = 0; i < rows && keeps && !status; i++, cells += strlen(cells) + 1) {
            memcpy(to->cells + to->used, cells, strlen(cells) + 1);
            to->used += strlen(cells) + 1;
        }
        to->rows += status ? 0 : rows;
    }
    error->status = status;
}

static void read_whole(const io_tables *tables, bool keeps, result *to)
{
    io_reader *reader = NULL;
    memset(to, 0, sizeof *to);
    to->error.status = io_open_all(tables, &reader, &to->error);
    if (!to->error.status)
        read_into(reader, 1, keeps, to);
    io_close(reader);
}

/* The failure of the earliest part counts, and what comes after it does not. */
static void read_parts(const io_tables *tables, int parts, bool keeps, result *to)
{
    io_part_count count[PARTS] = {0};
    int64_t first[PARTS + 1];
    memset(to, 0, sizeof *to);
    for (int p = 0; p < parts && !to->error.status; p++)
        to->error.status = io_count_part(tables, p, parts, &count[p], &to->error);
    if (to->error.status)
        return;
    io_part_rows(parts, count, first);
    for (int p = 0; p < parts && !to->error.status; p++) {
        io_reader *reader = NULL;
        int64_t before = to->rows;
        to->error.status = io_open_part(tables, p, parts, count, &reader, &to->error);
        if (!to->error.status) {
            assert_int_equal(io_rows_left(reader), first[p + 1] - first[p]);
            read_into(reader, 3, keeps, to);
        }
        if (!to->error.status)
            assert_int_equal(to->rows - before, first[p + 1] - first[p]);
        io_close(reader);
    }
}

static bool same_value(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void compare(const io_tables *tables, bool keeps)
{
    static result whole, cut;
    read_whole(tables, keeps, &whole);
    for (int parts = 1; parts <= PARTS; parts++) {
        read_parts(tables, parts, keeps, &cut);
        assert_int_equal(cut.error.status, whole.error.status);
        if (whole.error.status)
            assert_string_equal(cut.error.sentence, whole.error.sentence);
        if (whole.error.status)
            continue; /* rows of a batch that failed are lost, and batches differ */
        assert_int_equal(cut.rows, whole.rows);
        for (int64_t i = 0; i < whole.rows * whole.columns; i++)
            assert_true(same_value(cut.value[i], whole.value[i]));
        assert_int_equal(cut.used, whole.used);
        assert_memory_equal(cut.cells, whole.cells, whole.used);
    }
}

static void compare_text(const char *text)
{
    const char *path = "one.csv";
    put(path, text, strlen(text));
    for (int header = 0; header < 2; header++) {
        io_dialect dialect = {.no_header = !header};
        compare(&(io_tables){1, &path, &dialect}, false);
        compare(&(io_tables){1, &path, &dialect}, true);
    }
}

static void test_csv(void **state)
{
    (void)state;
    static const char *const TEXT[] = {
        "a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n",
        "sep=;\na;b\n1,5;2\n3;4\n5;6\n7;oops\n",
        "a,b\nn.d.,2\n3,4\n5,6\n7,8\n", /* a word where other rows have numbers */
        "a,b,\n1,2,\n3,4,\n5,6,\n",
        "a,b\r\n1,2\r\n\r\n3,4\r\n\r\n   \r\n5,6",
        "\n\n  \na;b\n1,5;2\n\n\t\n2,5;3\n",
        ("\xef\xbb\xbf"
         "1,2\n3,4\n"),
        "a,b\n1,\"2\n\n3\n4\"\n", /* quotes around line ends: no number */
        "name,x\n\"one\ntwo, \"\"three\"\"\n\",1\n\"\n\n\n\",2\nfo\"ur,3\n  \"five\"  ,4\n\"\"\"\n\",5\n",
        "name,x\n\"a\r\nb\r\r\nc\",1\n\"\n\",x\n",
        "name,x\nabc,1\n\"never closed,2\n3,4\n5,6\n",
        "name,x\nabc,1\n\"closed\" badly,2\n3,4\n5,6\n\"a\nb\",7\n",
        "a,b\n1,2\n3\n4,5,6\n",
        "a,b\n1,2\n3,4\n5,6\n7,oops\n8,9\n10,12",
        "t,x\n,1\n,2\n,3\n2024-01-01,4\n2024-01-02T03:04:05,5\n,6\n2024-02-30,7\n",
        "x,t\n1,\n2,\n3,\n4,7\n5,\n6,\n7,2024-01-01\n", /* a number before: dates are none after it */
        "x,t\n1,\n2,\n3,2024-01-01\n5,\n6,\n7,2024-01-01\n8,9\n",
        "x\n1\n\n2\n\"\"\n3\n",
        "x\n",
        "x,y",
        "1,2",
        "a\tb\n1\t2\n\t\n3\t\n \t 4\n5\t6\n",
    };
    for (size_t i = 0; i < sizeof TEXT / sizeof *TEXT; i++)
        compare_text(TEXT[i]);
}

/* Words that make rows, line ends and trouble. */
static void random_text(uint64_t *seed, char *text)
{
    static const char *const WORD[] = {"1",    "2.5",   "-3e2", "\"4\"", "\"a,b\"", "\"x\ny\"",   "\"q\"\"\r\nq\"",
                                       "",     " ",     "\t",   "7",     "na",      "2024-01-01", "\"\"",
                                       "\"\n", "te\"xt"};
    static const char *const END[] = {"\n", "\n", "\r\n", "\r", "\n\n", "\n  \n", "\r\n\r\n"};
    int rows = (int)(random_bits(seed) % 12), usual = (int)(random_bits(seed) % 3);
    const char *separator = random_bits(seed) % 4 ? "," : "\t";
    strcpy(text, random_bits(seed) % 2 ? "name" : "");
    strcat(text, *text ? separator : "");
    strcat(text, *text ? "x\n" : "");
    for (int i = 0; i < rows; i++) {
        strcat(text, random_bits(seed) % 3 ? WORD[random_bits(seed) % 16] : "\"a\n\"\"b\"");
        strcat(text, separator);
        strcat(text, usual ? WORD[random_bits(seed) % 3] : WORD[random_bits(seed) % 16]);
        if (i + 1 < rows || random_bits(seed) % 2)
            strcat(text, END[random_bits(seed) % 7]);
    }
}

static void test_random_csv(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < (SANITIZED ? 150 : 1500); i++) {
        char text[1024];
        random_text(&seed, text);
        compare_text(text);
    }
}

static void write_npy(const char *path, int64_t rows, double from)
{
    static const char *const names[] = {"x", "y", "z"};
    io_writer *writer = NULL;
    surekrig_error error;
    assert_int_equal(io_create(path, 3, names, &writer, &error), SUREKRIG_OK);
    for (int64_t i = 0; i < rows; i++)
        assert_int_equal(io_write(writer, 1, (double[]){from, (double)i, 3}, &error), SUREKRIG_OK);
    assert_int_equal(io_commit(writer, &error), SUREKRIG_OK);
}

/* The same bytes as an array in Fortran order. */
static void turn_npy(const char *path)
{
    char head[100] = "";
    FILE *file = fopen(path, "r+b");
    assert_true(file && fread(head, 1, sizeof head - 1, file));
    long order = 0;
    while (memcmp(head + order, "False", 5))
        order++;
    fseek(file, order, SEEK_SET);
    assert_true(fputs("True ", file) >= 0 && fclose(file) == 0);
}

static void test_npy(void **state)
{
    (void)state;
    const char *path = "one.npy";
    for (int64_t rows = 0; rows < 30; rows++) {
        write_npy(path, rows, 0.5);
        compare(&(io_tables){1, &path, NULL}, false);
        turn_npy(path);
        compare(&(io_tables){1, &path, NULL}, false);
    }
    write_npy(path, 29, 0.5);
    for (int cut = 1; cut < 100; cut += 7) { /* too short for its header */
        assert_int_equal(truncate(path, 128 + 29 * 24 - cut), 0);
        compare(&(io_tables){1, &path, NULL}, false);
    }
}

/* ------------------------------------------------------------------------------------------------- several files */

static void test_several(void **state)
{
    (void)state;
    static const char *const path[] = {"s1.csv", "s2.csv", "s3.csv", "s4.csv"}, *pattern = "s?.csv";
    put(path[0], "name,x\n\"a\nb\",1\n,2\n", 18);
    put(path[1], "name;x\r\nc;3,5\r\n", 15);
    put(path[2], "name,x\n", 7);
    put(path[3], "d,6\ne,7\n\"\n\",8", 13);
    static result whole;
    read_whole(&(io_tables){4, path, NULL}, true, &whole);
    assert_int_equal(whole.error.status, SUREKRIG_FILE); /* the last file's first row names columns, as it looks */
    put(path[3], ",6\ne,7\n\"\n\",8", 12);
    read_whole(&(io_tables){4, path, NULL}, true, &whole);
    assert_int_equal(whole.error.status, SUREKRIG_OK);
    assert_int_equal(whole.rows, 6);
    assert_true(whole.value[2] == 3.5 && whole.value[5] == 8);
    assert_memory_equal(whole.cells, "1,\"a\nb\",\0002,,\0003.5,c,", 20);
    compare(&(io_tables){4, path, NULL}, true);
    compare(&(io_tables){1, &pattern, NULL}, true);
    compare(&(io_tables){1, &pattern, NULL}, false);
}

static void test_random_several(void **state)
{
    (void)state;
    static const char *const path[] = {"r1.csv", "r2.csv", "r3.csv"};
    uint64_t seed = 11;
    for (int i = 0; i < (SANITIZED ? 100 : 500); i++) {
        for (int f = 0; f < 3; f++) {
            char text[1024] = "name,x\n";
            random_text(&seed, text + (i % 2 ? 7 : 0));
            put(path[f], text, strlen(text));
        }
        compare(&(io_tables){3, path, NULL}, i % 3 == 0);
    }
}

static void test_several_npy(void **state)
{
    (void)state;
    static const char *const path[] = {"m1.npy", "m2.npy", "m3.npy"};
    for (int i = 0; i < 3; i++)
        write_npy(path[i], 5 * i, i);
    compare(&(io_tables){3, path, NULL}, false);
}

static void assert_refused(const char *a, const char *b, const char *sentence)
{
    static const char *const path[] = {"a.csv", "b.csv"};
    static result whole;
    put(path[0], a, strlen(a));
    put(path[1], b, strlen(b));
    read_whole(&(io_tables){2, path, NULL}, false, &whole);
    assert_int_equal(whole.error.status, SUREKRIG_FILE);
    if (!strstr(whole.error.sentence, sentence))
        fail_msg("'%s' does not say '%s'", whole.error.sentence, sentence);
    compare(&(io_tables){2, path, NULL}, false);
}

static void test_disagreement(void **state)
{
    (void)state;
    assert_refused("x,y\n1,2\n", "x,y,z\n1,2,3\n", "b.csv has 3 columns and a.csv has 2");
    assert_refused("x,y\n1,2\n", "y,x\n1,2\n", "b.csv: column 1 is named 'y', and in a.csv 'x'");
    assert_refused("1,2\n", "x,y\n1,2\n", "b.csv: column 1 is named 'x', and in a.csv 'c1'");
    assert_refused("x,t\n1,2\n", "x,t\n1,2024-01-01\n",
                   "b.csv: column t holds dates, and the files before it have numbers");
    assert_refused("x,t\n1,2\n", "x,t\n1,2\n2,oops\n", "b.csv, row 2 (line 3), column t: 'oops'");
}

static void test_pipe(void **state)
{
    (void)state;
    const char *path = "-";
    io_part_count count;
    surekrig_error error;
    assert_int_equal(io_count_part(&(io_tables){1, &path, NULL}, 0, 2, &count, &error), SUREKRIG_FILE);
    assert_string_equal(error.sentence, "standard input is no file, and cannot be read in parts");
}

/* ------------------------------------------------------------------------------------------------------- writing */

static const char *const NAMES[] = {"x", "y"};

static void assert_same_file(const char *a, const char *b)
{
    char line[200];
    snprintf(line, sizeof line, "cmp %s %s", a, b);
    assert_int_equal(system(line), 0);
}

static int files_here(void)
{
    glob_t found;
    int count = glob("*", 0, NULL, &found) ? 0 : (int)found.gl_pathc;
    globfree(&found);
    return count;
}

/* Rows first to first + rows - 1 of a table in which row i is i, i / 7, and some are missing. */
static void write_rows(io_writer *writer, int64_t first, int64_t rows)
{
    surekrig_error error;
    for (int64_t i = first; i < first + rows; i++)
        assert_int_equal(io_write(writer, 1, (double[]){(double)i, i % 5 ? (double)i / 7 : NAN}, &error), SUREKRIG_OK);
}

/* The parts of a file, made in one process; failing: the part that does not place its own. */
static void write_parts(const char *path, int parts, const int64_t *first, int failing)
{
    io_writer *writer[PARTS] = {0};
    surekrig_error error;
    int64_t before = 0;
    for (int p = 0; p < parts; p++) {
        io_share share = {p, p ? io_shared_name(writer[0]) : NULL, first[p]};
        assert_int_equal(io_create_part(path, 2, NAMES, &share, &writer[p], &error), SUREKRIG_OK);
    }
    for (int p = parts - 1; p >= 0; p--)
        write_rows(writer[p], first[p], first[p + 1] - first[p]);
    for (int p = 0; p < parts && p != failing; p++) {
        int64_t bytes;
        assert_int_equal(io_part_bytes(writer[p], &bytes, &error), SUREKRIG_OK);
        assert_int_equal(io_place_part(writer[p], before, first[parts], &error), SUREKRIG_OK);
        before += bytes;
    }
    for (int p = parts - 1; p >= 0; p--)
        if (failing < 0)
            assert_int_equal(io_commit(writer[p], &error), SUREKRIG_OK);
        else
            io_discard(writer[p]);
}

static void test_writing(void **state)
{
    (void)state;
    static const char *const END[] = {"csv", "npy"};
    for (int e = 0; e < 2; e++)
        for (int parts = 1; parts <= PARTS; parts++) {
            char whole[32], cut[32];
            int64_t first[PARTS + 1];
            surekrig_error error;
            io_writer *writer = NULL;
            for (int p = 0; p <= parts; p++)
                first[p] = 40 * p / parts / 7 * 7; /* some have none */
            snprintf(whole, sizeof whole, "whole.%s", END[e]);
            snprintf(cut, sizeof cut, "cut.%s", END[e]);
            assert_int_equal(io_create(whole, 2, NAMES, &writer, &error), SUREKRIG_OK);
            write_rows(writer, 0, first[parts]);
            assert_int_equal(io_commit(writer, &error), SUREKRIG_OK);
            unlink(cut);
            int before = files_here();
            write_parts(cut, parts, first, parts / 2);
            assert_int_equal(access(cut, F_OK), -1); /* one part failed: nothing appears, nothing is left */
            assert_int_equal(files_here(), before);
            write_parts(cut, parts, first, -1);
            assert_same_file(whole, cut);
            assert_int_equal(files_here(), before + 1);
        }
}

static void test_writing_refused(void **state)
{
    (void)state;
    io_writer *writer = NULL;
    surekrig_error error;
    assert_int_equal(io_create_part("/dev/null", 2, NAMES, &(io_share){0}, &writer, &error), SUREKRIG_FILE);
    assert_string_equal(error.sentence, "/dev/null is no file, and cannot be written in parts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_random_csv),
        cmocka_unit_test(test_npy),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_random_several),
        cmocka_unit_test(test_several_npy),
        cmocka_unit_test(test_disagreement),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_writing),
        cmocka_unit_test(test_writing_refused),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
