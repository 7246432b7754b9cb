/* What io/raster/gdal.h declares is what GDAL's own header declares, where that is installed (libgdal-dev). */
#if __has_include(<gdal/gdal.h>)
#include <gdal/cpl_conv.h>
#include <gdal/cpl_string.h>
#include <gdal/gdal.h>
#include <gdal/ogr_srs_api.h>
#define REAL_HEADER 1
#endif

#include "support.h"

#include "raster/file.h"
#include "raster/gdal.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_declarations(void **state)
{
    (void)state;
#ifdef REAL_HEADER
#define SAME_TYPE(returns, name, arguments)                                                                            \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), __typeof__(((gdal_api *)0)->name)), #name);
    GDAL_FUNCTIONS(SAME_TYPE)
#define SAME_NUMBER(name, number) _Static_assert((int)(name) == (number), #name);
    GDAL_CONSTANTS(SAME_NUMBER)
#else
    puts("skipped  GDAL's header is not installed: the declarations of io/raster/gdal.h were not compared");
    skip();
#endif
}

/* Every function is in the library, and a complaint is kept: the first one, without line ends. */
static void test_library(void **state)
{
    (void)state;
    surekrig_error error = {0};
    const gdal_api *gdal = gdal_load(&error);
    if (!gdal) {
        printf("skipped  %s\n", error.sentence);
        skip();
    }
    assert_ptr_equal(gdal, gdal_load(&error));
    gdal_listen();
    assert_null(gdal_complaint());
    assert_null(gdal->GDALOpenEx("/nowhere/no\nraster", GDAL_OF_RASTER | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL));
    assert_non_null(gdal_complaint());
    assert_non_null(strstr(gdal_complaint(), "/nowhere/no raster"));
    gdal_listen();
    assert_null(gdal_complaint());
}

/* Once a raster is open. In a process of its own, for there is no way back. */
static void test_offline(void **state)
{
    (void)state;
    int ways[2], status = 0;
    assert_int_equal(pipe(ways), 0);
    pid_t child = fork();
    if (child == 0) {
        raster_go_offline();
        int refused = 0;
        for (int family = 0; family < 3; family++)
            refused += socket((int[]){AF_UNIX, AF_INET, AF_INET6}[family], SOCK_STREAM, 0) < 0 && errno == EACCES;
        bool writes = write(ways[1], "x", 1) == 1; /* what is no socket goes on */
        _exit(refused == 3 && writes ? 0 : refused ? 1 : 77);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    close(ways[0]);
    close(ways[1]);
    if (WEXITSTATUS(status) == 77) {
        puts("skipped  this kernel does not forbid sockets");
        skip();
    }
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_library),
        cmocka_unit_test(test_offline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
