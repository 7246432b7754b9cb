/* link: -Wl,--wrap=fsync,--wrap=rename,--wrap=lstat,--wrap=stat */
/* What a power failure may leave of an output: a file's bytes are on the disk before its name is, and the name before
 * success is told. */
#include "file/file.h"
#include "fit_support.h"
#include "io.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __real_lstat(const char *path, struct stat *about);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_lstat(const char *path, struct stat *about);
int __real_stat(const char *path, struct stat *about);
int __wrap_stat(const char *path, struct stat *about);

static char order[100]; /* f: a file's sync, r: a rename, d: a folder's sync */
static int fails_at;    /* which of them fails; 0: none */
static bool blind;      /* lstat fails */
static bool blinder;    /* and stat */

static bool fails(char what)
{
    size_t length = strlen(order);
    order[length] = what;
    errno = EIO;
    return (int)length + 1 == fails_at;
}

int __wrap_fsync(int fd)
{
    struct stat about;
    assert_int_equal(fstat(fd, &about), 0);
    return fails(S_ISDIR(about.st_mode) ? 'd' : 'f') ? -1 : __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
    return fails('r') ? -1 : __real_rename(from, to);
}

int __wrap_lstat(const char *path, struct stat *about)
{
    errno = EIO;
    return blind ? -1 : __real_lstat(path, about);
}

int __wrap_stat(const char *path, struct stat *about)
{
    errno = EIO;
    return blinder ? -1 : __real_stat(path, about);
}

/* ---- what is written */

static char folder[] = "/tmp/surekrig-test-XXXXXX";
static points data;
static surekrig_model *model;

static surekrig_status write_table(const char *path, surekrig_error *error)
{
    io_writer *writer = NULL;
    surekrig_status status = io_create(path, 1, (const char *const[]){"a"}, &writer, error);
    if (!status)
        status = io_write(writer, 3, data.y, error);
    if (status) {
        io_discard(writer);
        return status;
    }
    return io_commit(writer, error);
}

static surekrig_status write_model(const char *path, surekrig_error *error)
{
    return surekrig_model_save(model, path, error);
}

static const struct {
    const char *name;
    surekrig_status (*write)(const char *path, surekrig_error *error);
} OUTPUTS[] = {{"a.csv", write_table}, {"a.npy", write_table}, {"a.model", write_model}};
enum { COUNT = sizeof OUTPUTS / sizeof *OUTPUTS };

static int files_here(void)
{
    DIR *list = opendir(".");
    int count = 0;
    while (readdir(list))
        count++;
    closedir(list);
    return count - 2;
}

static surekrig_status write_it(int i, const char *path, int failing, surekrig_error *error)
{
    memset(order, 0, sizeof order);
    fails_at = failing;
    surekrig_status status = OUTPUTS[i].write(path, error);
    fails_at = 0;
    return status;
}

/* ---- */

static void bytes_then_name_then_success(void **state)
{
    (void)state;
    surekrig_error error;
    for (int i = 0; i < COUNT; i++)
        for (int far = 0; far < 2; far++) { /* in this folder, and in one that is named */
            char path[100];
            snprintf(path, sizeof path, "%s/%s", folder, OUTPUTS[i].name);
            succeed(write_it(i, far ? path : OUTPUTS[i].name, 0, &error), &error);
            assert_string_equal(order, "frd");
            assert_int_equal(remove(OUTPUTS[i].name), 0);
        }
}

static void what_is_not_on_the_disk_is_no_success(void **state)
{
    (void)state;
    surekrig_error error;
    for (int i = 0; i < COUNT; i++)
        for (int failing = 1; failing <= 3; failing++) {
            assert_int_equal(write_it(i, OUTPUTS[i].name, failing, &error), SUREKRIG_FILE);
            mentions(&error, "Input/output error");
            assert_int_equal(files_here(), failing == 3); /* it has its name: it stays, whole */
            remove(OUTPUTS[i].name);
        }
}

static void a_file_that_cannot_be_looked_at_is_not_left(void **state)
{
    (void)state;
    surekrig_error error;
    blind = true;
    surekrig_status status = write_model("a.model", &error);
    blind = false;
    assert_int_equal(status, SUREKRIG_FILE);
    mentions(&error, "Input/output error");
    assert_int_equal(files_here(), 0);
}

/* A model in parts: the part, its folder, then the file that names them. Where one fails, the model before is whole or,
 * once the new one has its name, that is. */
static void parts_then_what_names_them(void **state)
{
    (void)state;
    surekrig_error error;
    for (int failing = 0; failing <= 5; failing++) {
        surekrig_model *left = NULL;
        memset(order, 0, sizeof order);
        fails_at = failing;
        surekrig_status status = surekrig_model_save_parts(model, "a.model", &error);
        fails_at = 0;
        if (!failing)
            assert_string_equal(order, "fdfrd");
        assert_int_equal(status, failing ? SUREKRIG_FILE : SUREKRIG_OK);
        succeed(surekrig_model_load("a.model", &left, &error), &error);
        surekrig_model_free(left);
    }
    assert_int_equal(files_here(), 2);
    succeed(write_model("a.model", &error), &error);
    remove("a.model");
    assert_int_equal(files_here(), 0);
}

/* Another save into the same folder holds its parts until its model file names them: nobody removes them before. */
static void parts_of_another_save_stay(void **state)
{
    (void)state;
    static const char OTHER[] = "a.model.parts/0123456789abcdef-3";
    surekrig_error error;
    assert_int_equal(mkdir("a.model.parts", 0777), 0);
    int held = sk_create_held(OTHER);
    assert_true(held >= 0);
    succeed(surekrig_model_save_parts(model, "a.model", &error), &error);
    assert_int_equal(access(OTHER, F_OK), 0);
    close(held);
    succeed(surekrig_model_save_parts(model, "a.model", &error), &error);
    assert_int_not_equal(access(OTHER, F_OK), 0);
    succeed(write_model("a.model", &error), &error);
    remove("a.model");
    assert_int_equal(files_here(), 0);
}

/* It might be taken for a pipe, which is written directly, or for nothing. */
static void an_old_file_that_cannot_be_looked_at_stays(void **state)
{
    (void)state;
    surekrig_error error;
    succeed(write_table("a.csv", &error), &error);
    for (int which = 0; which < 2; which++) {
        blind = which == 0;
        blinder = which == 1;
        surekrig_status status = write_table("a.csv", &error);
        blind = blinder = false;
        assert_int_equal(status, SUREKRIG_FILE);
        mentions(&error, "Input/output error");
        struct stat about;
        assert_int_equal(stat("a.csv", &about), 0);
        assert_true(about.st_size > 2);
        assert_int_equal(files_here(), 1);
    }
    remove("a.csv");
}

static int prepare(void **state)
{
    (void)state;
    data = make_field(40, 2, 1, 0.6, 0.3, 0.05, 81);
    model = fit(&data.data, "threads=1 neighbors=5 nu=0.5 rho=0.3 tau2=0.01 coverage=none");
    return !mkdtemp(folder) || chdir(folder);
}

static int clean(void **state)
{
    (void)state;
    free_points(&data);
    surekrig_model_free(model);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_then_name_then_success),
        cmocka_unit_test(what_is_not_on_the_disk_is_no_success),
        cmocka_unit_test(parts_then_what_names_them),
        cmocka_unit_test(parts_of_another_save_stay),
        cmocka_unit_test(a_file_that_cannot_be_looked_at_is_not_left),
        cmocka_unit_test(an_old_file_that_cannot_be_looked_at_stays),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
