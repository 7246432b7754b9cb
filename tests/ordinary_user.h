/* Checks that root would pass by being root: run by nobody, in a child. */
#ifndef ORDINARY_USER_H
#define ORDINARY_USER_H

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void as_ordinary_user(void (*check)(void))
{
    if (geteuid() != 0) {
        check();
        return;
    }
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        if (setgid(65534) || setuid(65534))
            _exit(1);
        check(); /* where it fails, cmocka goes on in the child and ends it with a status of its own */
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#endif
