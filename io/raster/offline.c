/* A file may name a server in more ways than anybody can look for: a side-car, an overview, another spelling; and
 * libraries that GDAL calls ask servers by themselves. So the kernel is told that this process opens no socket any
 * more, not even to a service of this machine, which might ask a server for it. That cannot be taken back. Where the
 * kernel does not do it, what trust.c looks for is all. */
#include "file.h"

#ifdef __linux__
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void raster_go_offline(void)
{
    static bool is_off;
    /* socket(...) fails; all else is as it was. */
    struct sock_filter rule[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
    };
    struct sock_fprog program = {sizeof rule / sizeof *rule, rule};
    /* For all threads; and without the slower code that some kernels then run against other attacks. */
    unsigned long flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    if (!is_off && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        is_off = !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}
#else
void raster_go_offline(void)
{
}
#endif
