/* link: -Wl,--wrap=sk_db_number,--wrap=sk_db_integer,--wrap=sk_db_text,--wrap=sk_db_transfer_array,--wrap=sk_db_count */
/* A model file that is whole but for some values: what is read from a seed (FUZZ_MODELS names their folder) is changed
 * on its way, after it went into the checksum, so that the seal stays right. The input: which seed, then how many
 * values stay before one changes, and to what. */
#include "file/file.h"
#include "model.h"

#include <dirent.h>

void __real_sk_db_number(sk_database *db, double *value);
void __real_sk_db_integer(sk_database *db, int64_t *value);
void __real_sk_db_text(sk_database *db, char **value);
void __real_sk_db_transfer_array(sk_database *db, const char *name, double *values, int64_t count);
int64_t __real_sk_db_count(sk_database *db, const char *sql);
void __wrap_sk_db_number(sk_database *db, double *value);
void __wrap_sk_db_integer(sk_database *db, int64_t *value);
void __wrap_sk_db_text(sk_database *db, char **value);
void __wrap_sk_db_transfer_array(sk_database *db, const char *name, double *values, int64_t count);
int64_t __wrap_sk_db_count(sk_database *db, const char *sql);

static fuzz_stream input;
static uint64_t until; /* values that stay */

static void next_change(void)
{
    until = input.left ? fuzz_take(&input, 1) : UINT64_MAX;
    if (until >= 224 && until < 256)
        until = (until - 224) * 256 + fuzz_take(&input, 1);
}

static bool changes(const sk_database *db)
{
    return !db->writing && !db->status && until-- == 0;
}

void __wrap_sk_db_number(sk_database *db, double *value)
{
    __real_sk_db_number(db, value);
    if (changes(db)) {
        *value = fuzz_number(&input);
        next_change();
    }
}

static int64_t some_integer(void)
{
    double number = fuzz_number(&input);
    return number >= -9e18 && number <= 9e18 ? (int64_t)number : number > 0 ? INT64_MAX : INT64_MIN;
}

void __wrap_sk_db_integer(sk_database *db, int64_t *value)
{
    __real_sk_db_integer(db, value);
    if (changes(db)) {
        *value = some_integer();
        next_change();
    }
}

int64_t __wrap_sk_db_count(sk_database *db, const char *sql)
{
    int64_t value = __real_sk_db_count(db, sql);
    if (strncmp(sql, "PRAGMA", 6) && !strstr(sql, "sqlite_master") && changes(db)) {
        value = some_integer();
        next_change();
    }
    return value;
}

void __wrap_sk_db_text(sk_database *db, char **value)
{
    char text[17];
    __real_sk_db_text(db, value);
    if (changes(db)) {
        free(*value);
        *value = strdup(fuzz_text(&input, text));
        next_change();
    }
}

void __wrap_sk_db_transfer_array(sk_database *db, const char *name, double *values, int64_t count)
{
    __real_sk_db_transfer_array(db, name, values, count);
    if (count > 0 && changes(db)) {
        values[fuzz_take(&input, 1) % (uint64_t)count] = fuzz_number(&input);
        next_change();
    }
}

static int is_model(const struct dirent *entry)
{
    return strstr(entry->d_name, ".model") != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static struct dirent **seed;
    static int seeds;
    const char *folder = getenv("FUZZ_MODELS");
    char path[600];
    if (!seeds && (!folder || (seeds = scandir(folder, &seed, is_model, alphasort)) < 1))
        exit(99);
    fuzz_enter_folder();
    input = (fuzz_stream){bytes, count};
    snprintf(path, sizeof path, "%s/%s", folder, seed[fuzz_take(&input, 1) % (uint64_t)seeds]->d_name);
    next_change();
    surekrig_model *model = fuzz_load(path);
    until = UINT64_MAX;
    fuzz_use(model);
    return 0;
}
