/* Models in files, in a folder of the test's own. */
#ifndef MODEL_FILE_SUPPORT_H
#define MODEL_FILE_SUPPORT_H

#include "fit_support.h"
#include "model/model.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* A size read from a damaged file may be absurd: the sanitizer's allocator must then say no, as malloc does. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static char folder[200], path[240], other_path[240];

static inline int make_folder(void **state)
{
    const char *base = getenv("TMPDIR");
    (void)state;
    if (!base) /* in memory where there is such a place: saves wait for the disk */
        base = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
    snprintf(folder, sizeof folder, "%.150s/surekrig-test-XXXXXX", base);
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/model.skm", folder);
    snprintf(other_path, sizeof other_path, "%s/other.skm", folder);
    return 0;
}

/* How many files there are; remove: and takes them away. */
static inline int files(bool remove_them)
{
    DIR *listing = opendir(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        char name[500];
        if (entry->d_name[0] == '.')
            continue;
        count++;
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        if (remove_them)
            remove(name);
    }
    closedir(listing);
    return count;
}

static inline int empty_folder(void **state)
{
    (void)state;
    files(true);
    return 0;
}

static inline int remove_folder(void **state)
{
    (void)state;
    files(true);
    return rmdir(folder);
}

enum { PLACES = 12 };

static inline void save(const surekrig_model *model, const char *to)
{
    surekrig_error error;
    succeed(surekrig_model_save(model, to, &error), &error);
}

static inline surekrig_model *load(const char *from)
{
    surekrig_model *model = NULL;
    surekrig_error error;
    succeed(surekrig_model_load(from, &model, &error), &error);
    return model;
}

/* A small fit; variant: another answer from the same data. */
static inline surekrig_model *small_model(int variant)
{
    points p = make_field(60, 2, 1, 0.6, 0.3, 0.05, 71);
    surekrig_model *model = fit(&p.data, variant ? "neighbors=6 batch=30 evaluations=7 polish=3 coverage=0.9"
                                                 : "neighbors=7 mean=zero tau2=0 nu=0.5 rho=0.2 coverage=none");
    free_points(&p);
    return model;
}

static inline void same_text(const char *const *a, const char *const *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        assert_string_equal(a[i], b[i]);
}

/* Every field of the information. */
static inline void same_info(const surekrig_info *a, const surekrig_info *b)
{
    assert_string_equal(a->version, b->version);
    assert_true(a->n == b->n && a->d == b->d && a->l == b->l && a->neighbors == b->neighbors && a->batch == b->batch);
    same_bits(a->box, b->box, 2 * a->d);
    same_text(a->x_names, b->x_names, a->d);
    same_text(a->y_names, b->y_names, a->l);
    assert_true(a->noise == b->noise && a->estimates == b->estimates && a->outcome == b->outcome);
    for (int i = 0; i < a->estimates; i++) {
        const surekrig_estimate *p = &a->estimate[i], *q = &b->estimate[i];
        assert_string_equal(p->name, q->name);
        same_bits((double[]){p->value, p->lower, p->upper}, (double[]){q->value, q->lower, q->upper}, 3);
        assert_int_equal(p->at_bound, q->at_bound);
    }
    assert_int_equal(a->levels, b->levels);
    same_bits(a->level, b->level, a->levels);
    same_bits(a->coverage, b->coverage, a->levels);
    same_rounds(a, b);
    assert_int_equal(a->history != NULL, b->history != NULL);
    if (a->history)
        same_bits(a->history, b->history, a->evaluations * (1 + a->levels));
    assert_true(a->evaluations == b->evaluations && a->jittered == b->jittered && a->scores.n == b->scores.n);
    same_bits((double[]){a->loss, a->max_jitter}, (double[]){b->loss, b->max_jitter}, 2);
    same_bits(&a->scores.mae, &b->scores.mae, 7); /* mae to level */
    assert_int_equal(a->phases, b->phases);
    for (int i = 0; i < a->phases; i++) {
        assert_string_equal(a->phase[i].name, b->phase[i].name);
        same_bits(&a->phase[i].seconds, &b->phase[i].seconds, 1);
    }
    for (int i = 0; surekrig_settings_row(i); i++) {
        const char *name = surekrig_settings_row(i)->name;
        assert_string_equal(surekrig_settings_get(a->settings, name), surekrig_settings_get(b->settings, name));
    }
}

/* false too where one of them cannot predict. */
static inline bool predicts_the_same(const surekrig_model *a, const surekrig_model *b)
{
    enum { ROOM = PLACES * 3 };
    int64_t d = surekrig_model_info(a)->d, l = surekrig_model_info(a)->l;
    double *x = make_places(PLACES, d, 1, 72), mean[2][ROOM] = {{0}}, sd[2][ROOM] = {{0}};
    bool same = surekrig_model_info(b)->d == d && surekrig_model_info(b)->l == l;
    assert_true(l <= 3);
    for (int i = 0; i < 2 && same; i++)
        same = !surekrig_predict(i ? b : a, &(surekrig_query){PLACES, x, 0, 1, NULL}, NULL,
                                 &(surekrig_prediction){.mean = mean[i], .sd = sd[i]}, NULL);
    free(x);
    return same && !memcmp(mean[0], mean[1], sizeof mean[0]) && !memcmp(sd[0], sd[1], sizeof sd[0]);
}

static inline char *read_bytes(const char *from, long *length)
{
    FILE *file = fopen(from, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *length = ftell(file);
    rewind(file);
    char *bytes = sk_alloc(*length, 1);
    assert_int_equal(fread(bytes, 1, (size_t)*length, file), *length);
    fclose(file);
    return bytes;
}

static inline void write_bytes(const char *to, const char *bytes, long length)
{
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, (size_t)length, file), length);
    fclose(file);
}

/* Loading fails with a sentence, or gives the very same model. Which of the two it was. */
static inline bool intact(const surekrig_model *model, const char *from, const char *what)
{
    surekrig_model *found = (surekrig_model *)0x1234;
    surekrig_error error = {0};
    surekrig_status status = surekrig_model_load(from, &found, &error);
    if (status) {
        assert_true(error.status == status && strlen(error.sentence) > 10 && found == (surekrig_model *)0x1234);
        return false;
    }
    if (!predicts_the_same(model, found))
        fail_msg("%s: loaded, and predicts otherwise", what);
    same_info(surekrig_model_info(model), surekrig_model_info(found));
    surekrig_model_free(found);
    return true;
}

#endif
