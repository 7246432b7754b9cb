# The library that writes rasters crashes where it closes one, as libtiff does on a full disk: a sentence, and no file.
need_gdal
command -v cc >/dev/null || skip "there is no compiler"
gdal=$(ldd "$(command -v gdalinfo)" | awk '/libgdal/ { print $3 }')
# a GDAL whose files crash by the signal $CRASH when they are closed, once written to; where $FULL is set, that fails, too
cat >crash.c <<'C'
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
static void *real(const char *name)
{
    return dlsym(dlopen(GDAL, RTLD_LAZY), name);
}
static void *made;
static int written;
void *GDALCreate(void *driver, const char *path, int wide, int high, int bands, int type, void *options)
{
    typedef void *creator(void *, const char *, int, int, int, int, void *);
    return made = ((creator *)real("GDALCreate"))(driver, path, wide, high, bands, type, options);
}
int GDALRasterIO(void *band, int write, int x, int y, int wide, int high, void *to, int columns, int rows, int type, int a, int b)
{
    typedef int mover(void *, int, int, int, int, int, void *, int, int, int, int, int);
    written |= write;
    return write && getenv("FULL") ? 3 : ((mover *)real("GDALRasterIO"))(band, write, x, y, wide, high, to, columns, rows, type, a, b);
}
void GDALClose(void *set)
{
    if (written && set == made)
        raise(atoi(getenv("CRASH")));
    ((void (*)(void *))real("GDALClose"))(set);
}
C
cc -shared -fPIC -DGDAL="\"$gdal\"" crash.c -o crash.so -Wl,--no-as-needed "$gdal" -ldl
export SUREKRIG_GDAL=$PWD/crash.so
make_plane
make_raster hole 20 20 "$HOLE?-9999:$WAVES"
for CRASH in $(kill -l SEGV) $(kill -l BUS) $(kill -l ABRT); do
    export CRASH
    fails 1 "its library crashed" surekrig fill hole.tif -o z.tif $FIXED
    fails 1 "its library crashed" surekrig krige plane.csv --grid 0,0,1,1,0.1 --auto no $GIVEN -o z.tif --model z.model
    # why nothing is written is told, where it was known before the crash
    FULL=1 fails 1 "cannot write z.tif" surekrig fill hole.tif -o z.tif $FIXED
    ! grep -q crashed "$err" || tell_and_fail "the crash is told instead of its reason"
done
unset SUREKRIG_GDAL
ok surekrig krige plane.csv --grid 0,0,1,1,0.1 --auto no $GIVEN -o z.tif --model z.model
ok surekrig info z.model
