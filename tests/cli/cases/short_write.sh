# A write that moves only some of the bytes sets no errno: the disk is full then, whatever failed before.
[ -z "${EMULATED:-}" ] || skip "an emulated command does not take this machine's libraries"
command -v cc >/dev/null || skip "there is no compiler"
make_model
cat >short.c <<'C'
#include <errno.h>
#include <unistd.h>
ssize_t pwrite(int file, const void *bytes, size_t count, off_t place)
{
    (void)file, (void)bytes, (void)place;
    errno = ENOENT; /* of something before */
    return (ssize_t)(count / 2);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off_t place)
{
    return pwrite(file, bytes, count, place);
}
C
cc -shared -fPIC short.c -o short.so
short() { LD_PRELOAD=$PWD/short.so "$@"; }
short surekrig --version >"$scratch/version" 2>&1 || skip "the command cannot run behind another library"
fails 1 "cannot write z.npy: No space left on device" short surekrig predict m.model test.csv -o z.npy
