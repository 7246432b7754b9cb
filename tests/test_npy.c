/* io/: NPY of every type and version; every malformed file gets its sentence. */
#include "io_support.h"

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

/* shape: "F(2, 3)" is in Fortran order. */
static void assert_npy(const char *shape, int columns, int version, const char *type, const void *data, size_t size)
{
    char dictionary[128];
    bool fortran = *shape == 'F';
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", type,
             fortran ? "True" : "False", shape + fortran);
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
    assert_npy("F(3, 2)", 2, 1, "<f8", (double[]){0, 2, 4, 1, 3, 100}, 8);
    assert_npy("F(2, 3)", 3, 1, "<i2", (int16_t[]){0, 3, 1, 4, 2, 100}, 2);
    assert_npy("F(6,)", 1, 1, "<f4", (float[]){0, 1, 2, 3, 4, 100}, 4);
}

/* More rows than are taken at once, of which some columns are wanted, in an order of their own. */
static void test_columns_of_many_rows(void **state)
{
    (void)state;
    enum { ROWS = 50000, AT_ONCE = 40000, COLUMNS = 4 };
    char dictionary[128];
    snprintf(dictionary, sizeof dictionary, "{'descr': '<i4', 'fortran_order': True, 'shape': (%d, %d), }", ROWS,
             COLUMNS);
    put_npy("t.npy", 1, dictionary, NULL, 0);
    FILE *file = fopen("t.npy", "ab");
    for (int32_t i = 0; i < ROWS * COLUMNS; i++)
        fwrite(&i, sizeof i, 1, file);
    assert_int_equal(fclose(file), 0);
    surekrig_error error;
    io_reader *reader = open_file("t.npy", true);
    assert_int_equal(io_select(reader, 2, (int[]){3, 1}, &error), SUREKRIG_OK);
    assert_int_equal(io_rows_left(reader), ROWS);
    double *value = malloc(2 * AT_ONCE * sizeof *value);
    for (int64_t done = 0, rows; done < ROWS; done += rows) {
        assert_int_equal(io_read(reader, AT_ONCE, value, &rows, &error), SUREKRIG_OK);
        assert_int_equal(rows, done ? ROWS - AT_ONCE : AT_ONCE);
        for (int64_t i = 0; i < rows; i++)
            assert_true(value[2 * i] == 3 * ROWS + done + i && value[2 * i + 1] == ROWS + done + i);
    }
    free(value);
    io_close(reader);
    assert_int_equal(truncate("t.npy", 128 + 4 * (ROWS * COLUMNS - 1)), 0);
    assert_int_equal(try_to_read("t.npy", &error), SUREKRIG_FILE);
    assert_says(&error, "t.npy ends before the last of its 4 columns of 50000 rows");
    unlink("t.npy");
}

#define TEXT(literal) literal, sizeof(literal) - 1

#define DICTIONARY(type, order, shape) "{'descr': " type ", 'fortran_order': " order ", 'shape': " shape ", }"

static const struct {
    const char *dictionary, *sentence;
} malformed_npy[] = {
    {DICTIONARY("'<f8'", "True", "(3, 2)"), "t.npy ends before the last of its 2 columns of 3 rows"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy_types),
        cmocka_unit_test(test_columns_of_many_rows),
        cmocka_unit_test(test_malformed_npy),
        cmocka_unit_test(test_npy_header),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
