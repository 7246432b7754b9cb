/* What io/raster/gdal.h declares is what GDAL's own header declares, where that is installed (libgdal-dev). */
#if __has_include(<gdal/gdal.h>)
#include <gdal/cpl_conv.h>
#include <gdal/cpl_string.h>
#include <gdal/gdal.h>
#include <gdal/ogr_srs_api.h>
#define REAL_HEADER 1
#endif

#include "support.h"

#include "raster/gdal.h"

#include <stdio.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
