/* link: -Wl,--wrap=sk_db_prepare,--wrap=sk_db_integer */
/* Any bytes as a model file. Its seal is always right: what is read as the seal is the checksum of what was read
 * before, as if whoever changed the file had sealed it again. */
#include "model.h"
#include "file/file.h"

void __real_sk_db_prepare(sk_database *db, const char *sql);
void __real_sk_db_integer(sk_database *db, int64_t *value);
void __wrap_sk_db_prepare(sk_database *db, const char *sql);
void __wrap_sk_db_integer(sk_database *db, int64_t *value);

static bool sealing;
static uint64_t seal;

void __wrap_sk_db_prepare(sk_database *db, const char *sql)
{
    sealing = !db->writing && strstr(sql, "FROM seal");
    seal = db->checksum;
    __real_sk_db_prepare(db, sql);
}

void __wrap_sk_db_integer(sk_database *db, int64_t *value)
{
    __real_sk_db_integer(db, value);
    if (sealing)
        *value = (int64_t)seal;
    sealing = false;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_enter_folder();
    fuzz_write("any.model", bytes, count);
    fuzz_use(fuzz_load("any.model"));
    return 0;
}
