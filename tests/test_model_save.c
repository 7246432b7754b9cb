/* Saving a model: whole or not at all, whatever happens to the disk or the process. */
#include "file/file.h"
#include "model_file_support.h"
#include "ordinary_user.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static void saving_replaces(void **state)
{
    (void)state;
    surekrig_model *a = small_model(0), *b = small_model(1);
    write_bytes(path, "anything", 8);
    for (int i = 0; i < 3; i++) {
        save(i % 2 ? b : a, path);
        surekrig_model *found = load(path);
        assert_true(predicts_the_same(found, i % 2 ? b : a) && !predicts_the_same(found, i % 2 ? a : b));
        surekrig_model_free(found);
        assert_int_equal(files(false), 1);
    }
    surekrig_model_free(a);
    surekrig_model_free(b);
}

/* A link stays a link, and permissions stay what they were. */
static void saving_keeps_links_and_permissions(void **state)
{
    (void)state;
    surekrig_model *a = small_model(0), *b = small_model(1);
    struct stat found;
    save(a, path);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("model.skm", other_path), 0);
    save(b, other_path);
    assert_true(lstat(other_path, &found) == 0 && S_ISLNK(found.st_mode));
    assert_true(lstat(path, &found) == 0 && S_ISREG(found.st_mode) && (found.st_mode & 07777) == 0640);
    surekrig_model *back = load(path);
    assert_true(predicts_the_same(back, b));
    surekrig_model_free(back);
    int input = dup(STDIN_FILENO); /* where standard input is closed, the file has its number */
    close(STDIN_FILENO);
    save(a, path);
    assert_int_equal(dup2(input, STDIN_FILENO), STDIN_FILENO);
    close(input);
    assert_true(lstat(path, &found) == 0 && (found.st_mode & 07777) == 0640);
    surekrig_model_free(a);
    surekrig_model_free(b);
}

/* Names that are words to SQLite, or hold its marks: each is a file of its own, and another's stays what it is. */
static void any_name_is_a_files(void **state)
{
    (void)state;
    static const char *const NAME[] = {"file:other.skm?x=",
                                       "file:other.skm",
                                       ":memory:",
                                       "a?immutable=0",
                                       "a#b",
                                       "a%41 b",
                                       "-x",
                                       "a\tb",
                                       "file:",
                                       " "};
    static const char OTHER[] = "somebody else's";
    enum { NAMES = sizeof NAME / sizeof *NAME };
    surekrig_model *a = small_model(0);
    surekrig_error error;
    char was[1000], deep[300];
    assert_non_null(getcwd(was, sizeof was));
    assert_int_equal(chdir(folder), 0);
    write_bytes(other_path, OTHER, sizeof OTHER);
    for (int i = 0; i < 2 * NAMES; i++) {
        const char *name = NAME[i % NAMES];
        succeed((i < NAMES ? surekrig_model_save : surekrig_model_save_parts)(a, name, &error), &error);
        assert_true(intact(a, name, name));
    }
    snprintf(deep, sizeof deep, "/%s//file:b?c", folder);
    save(a, deep);
    assert_true(intact(a, deep, deep));
    long length;
    char *other = read_bytes(other_path, &length);
    assert_true(length == sizeof OTHER && !memcmp(other, OTHER, sizeof OTHER));
    free(other);
    for (int i = 0; i < NAMES; i++)
        save(a, NAME[i]);                      /* takes the parts away */
    assert_int_equal(files(false), NAMES + 2); /* no temporaries either */
    assert_int_equal(chdir(was), 0);
    surekrig_model_free(a);
}

/* ---- where it cannot be written */

static void not_saved(const surekrig_model *model, const char *to)
{
    surekrig_error error = {0};
    assert_int_equal(surekrig_model_save(model, to, &error), SUREKRIG_FILE);
    mentions(&error, "cannot write");
    mentions(&error, to);
    assert_int_equal(surekrig_model_save(model, to, NULL), SUREKRIG_FILE);
}

static void impossible_places_are_refused(void **state)
{
    (void)state;
    surekrig_model *model = small_model(0);
    char inside[300];
    snprintf(inside, sizeof inside, "%s/missing/model", folder);
    not_saved(model, inside);
    not_saved(model, folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    not_saved(model, path);
    assert_int_equal(files(true), 1);
    assert_int_equal(files(false), 0);
    surekrig_model_free(model);
}

static surekrig_model *saved, *refused_one;

static void check_read_only_folder(void)
{
    not_saved(refused_one, path);
    assert_true(intact(saved, path, "after a refusal"));
}

static void a_read_only_folder_is_refused(void **state)
{
    (void)state;
    surekrig_model *a = small_model(0), *b = small_model(1);
    save(a, path);
    assert_int_equal(chmod(folder, 0555), 0);
    saved = a;
    refused_one = b;
    as_ordinary_user(check_read_only_folder);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(files(false), 1);
    surekrig_model_free(a);
    surekrig_model_free(b);
}

/* The disk is full after so many bytes: the old file stays, and nothing else. */
static void a_full_disk_leaves_the_old_model(void **state)
{
    (void)state;
    surekrig_model *a = small_model(0), *b = small_model(1);
    save(b, path);
    long length;
    free(read_bytes(path, &length));
    save(a, path);
    struct rlimit kept, limit;
    getrlimit(RLIMIT_FSIZE, &kept);
    signal(SIGXFSZ, SIG_IGN);
    for (long bytes = 0; bytes < length; bytes += length / 13) {
        surekrig_error error = {0};
        limit = (struct rlimit){(rlim_t)bytes, kept.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        surekrig_status status = surekrig_model_save(b, path, &error);
        setrlimit(RLIMIT_FSIZE, &kept);
        assert_int_equal(status, SUREKRIG_FILE);
        mentions(&error, "cannot write");
        mentions(&error, strerror(EFBIG));
        assert_true(intact(a, path, "after a full disk"));
        assert_int_equal(files(false), 1);
    }
    signal(SIGXFSZ, SIG_DFL);
    save(b, path);
    assert_true(intact(b, path, "with room again"));
    surekrig_model_free(a);
    surekrig_model_free(b);
}

/* A process that saves two models in turn is killed at random times: either is there, whole. */
static void a_kill_leaves_a_whole_model(void **state)
{
    (void)state;
    enum { KILLS = 50 };
    surekrig_model *a = small_model(0), *b = small_model(1);
    int found_a = 0;
    double start = sk_now();
    for (int i = 0; i < 10; i++)
        save(a, path);
    double each = fmin(fmax((sk_now() - start) / 10, 1e-3), 0.1);
    for (uint64_t kill_number = 0; kill_number < KILLS; kill_number++) {
        pid_t child = fork();
        assert_true(child >= 0);
        for (int i = 0; child == 0 && i < 1000000; i++)
            if (surekrig_model_save(i % 2 ? a : b, path, NULL))
                _exit(1);
        double wait = each * (0.5 + 8 * sk_uniform(77, STREAM_PLACES, kill_number)); /* up to eight saves and a half */
        nanosleep(&(struct timespec){0, (long)(1e9 * wait)}, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        int how;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFSIGNALED(how)); /* it was still saving */
        surekrig_model *found = load(path);
        bool is_a = predicts_the_same(found, a);
        assert_true(is_a || predicts_the_same(found, b));
        found_a += is_a;
        surekrig_model_free(found);
    }
    assert_true(found_a > 0 && found_a < KILLS);
    save(a, path);
    assert_int_equal(files(false), 1); /* what the killed ones left is gone */
    surekrig_model_free(a);
    surekrig_model_free(b);
}

typedef struct saver {
    const surekrig_model *model;
    int failures;
} saver;

static void *save_often(void *of)
{
    saver *s = of;
    for (int i = 0; i < 60; i++)
        s->failures += surekrig_model_save(s->model, path, NULL) != SUREKRIG_OK;
    return NULL;
}

/* Threads share a process number, as containers on one volume may. */
static void many_may_save_to_one_place(void **state)
{
    (void)state;
    enum { SAVERS = 3 };
    surekrig_model *a = small_model(0), *b = small_model(1);
    pthread_t thread[SAVERS];
    saver each[SAVERS] = {{a, 0}, {b, 0}, {a, 0}};
    save(a, path);
    for (int i = 0; i < SAVERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, save_often, &each[i]), 0);
    for (int i = 0; i < 60; i++) {
        surekrig_model *found = load(path);
        assert_true(predicts_the_same(found, a) || predicts_the_same(found, b));
        surekrig_model_free(found);
    }
    for (int i = 0; i < SAVERS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(each[i].failures, 0);
    }
    assert_int_equal(files(false), 1);
    surekrig_model_free(a);
    surekrig_model_free(b);
}

static surekrig_model *in_turn[2];
static int failures_of_saves;

/* Every third in one file; the others with their rows in parts. */
static void *save_in_parts(void *of)
{
    for (int i = *(const int *)of; i < 60; i++) {
        const surekrig_model *m = in_turn[i % 2];
        if ((i % 3 ? surekrig_model_save_parts : surekrig_model_save)(m, path, NULL))
            __atomic_add_fetch(&failures_of_saves, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* No save takes away the parts that another has just named, and who loads meanwhile gets a whole model. */
static void many_may_save_in_parts(void **state)
{
    (void)state;
    enum { SAVERS = 3 };
    static const int FIRST[SAVERS] = {0, 1, 2};
    surekrig_model *a = in_turn[0] = small_model(0), *b = in_turn[1] = small_model(1);
    pthread_t thread[SAVERS];
    save(a, path);
    for (int i = 0; i < SAVERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, save_in_parts, (void *)&FIRST[i]), 0);
    for (int i = 0; i < 200; i++) {
        surekrig_model *found = load(path);
        assert_true(predicts_the_same(found, a) || predicts_the_same(found, b));
        surekrig_model_free(found);
    }
    for (int i = 0; i < SAVERS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(failures_of_saves, 0);
    surekrig_model_free(load(path));
    save(a, path);
    assert_int_equal(files(false), 1); /* no parts stay */
    surekrig_model_free(a);
    surekrig_model_free(b);
}

/* A file that somebody still writes is held; names that only look alike are others' files. */
static void only_dead_temporaries_are_removed(void **state)
{
    (void)state;
    static const char *const SUFFIX[] = {".tmp-1-0", ".tmp-1-1", ".tmp-1", ".tmp-1-x", ".tmp-1-2.csv"};
    surekrig_model *a = small_model(0);
    char name[400];
    int held = -1;
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "%s%s", path, SUFFIX[i]);
        int file = open(name, O_RDWR | O_CREAT, 0600);
        assert_true(file >= 0);
        if (i == 1 && !flock(file, LOCK_EX))
            held = file;
        else
            close(file);
    }
    save(a, path);
    assert_int_equal(files(false), 5); /* all but the first, and the model */
    close(held);
    save(a, path);
    assert_int_equal(files(false), 4);
    surekrig_model_free(a);
}

static void check_unwritable_temporary(void)
{
    char name[400];
    snprintf(name, sizeof name, "%s.tmp-1-0", path);
    int file = open(name, O_RDWR | O_CREAT, 0400);
    assert_true(file >= 0);
    assert_int_equal(flock(file, LOCK_EX), 0);
    sk_remove_unless_held(name, false);
    assert_int_equal(access(name, F_OK), 0);
    close(file);
    sk_remove_unless_held(name, false);
    assert_int_not_equal(access(name, F_OK), 0);
}

/* To take a file away one must be able to write to its folder, not to the file. */
static void temporaries_that_may_not_be_written(void **state)
{
    (void)state;
    assert_int_equal(chmod(folder, 0777), 0);
    as_ordinary_user(check_unwritable_temporary);
    assert_int_equal(chmod(folder, 0700), 0);
}

static void saving_keeps_the_owner(void **state)
{
    (void)state;
    struct stat about;
    surekrig_model *a = small_model(0);
    save(a, path);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 1234, 5678), 0);
        save(a, path);
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_uid, 1234);
        assert_int_equal(about.st_gid, 5678);
    }
    surekrig_model_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(saving_replaces, empty_folder),
        cmocka_unit_test_teardown(saving_keeps_links_and_permissions, empty_folder),
        cmocka_unit_test_teardown(any_name_is_a_files, empty_folder),
        cmocka_unit_test_teardown(impossible_places_are_refused, empty_folder),
        cmocka_unit_test_teardown(a_read_only_folder_is_refused, empty_folder),
        cmocka_unit_test_teardown(a_full_disk_leaves_the_old_model, empty_folder),
        cmocka_unit_test_teardown(a_kill_leaves_a_whole_model, empty_folder),
        cmocka_unit_test_teardown(many_may_save_to_one_place, empty_folder),
        cmocka_unit_test_teardown(many_may_save_in_parts, empty_folder),
        cmocka_unit_test_teardown(only_dead_temporaries_are_removed, empty_folder),
        cmocka_unit_test_teardown(temporaries_that_may_not_be_written, empty_folder),
        cmocka_unit_test_teardown(saving_keeps_the_owner, empty_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
