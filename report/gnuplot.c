/* gnuplot as a child process: looked for when a picture is wanted, so that nothing else needs it. */
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

const char report_install[] = "install it (Debian package gnuplot-nox)";

enum { NOT_FOUND = 127 };

/* In the child: gnuplot in a folder, its words in a file. */
static void become_gnuplot(const char *folder, const char *log, const char *word)
{
    int words = -1, input = open("/dev/null", O_RDONLY);
    if (!chdir(folder))
        words = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (words >= 0 && input >= 0 && dup2(input, 0) >= 0 && dup2(words, 1) >= 0 && dup2(words, 2) >= 0)
        execlp("gnuplot", "gnuplot", word, (char *)NULL);
    _exit(errno == ENOENT ? NOT_FOUND : 126);
}

static report_end run(const char *folder, const char *log, const char *word, int (*stop)(void))
{
    int state;
    bool stopped = false;
    /* Whoever started this process may have left it ignored, and then there is no end of a child to wait for. */
    signal(SIGCHLD, SIG_DFL);
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(folder, log, word);
    if (child < 0)
        return REPORT_FAILED;
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR)
            return REPORT_FAILED;
        if (stop && stop() && !stopped) {
            stopped = true;
            kill(child, SIGKILL); /* what it wrote is of no use */
        }
    }
    if (stopped || (stop && stop()))
        return REPORT_STOPPED;
    if (WIFEXITED(state) && WEXITSTATUS(state) == NOT_FOUND)
        return REPORT_NO_GNUPLOT;
    return WIFEXITED(state) && WEXITSTATUS(state) == 0 ? REPORT_DRAWN : REPORT_FAILED;
}

bool report_gnuplot_there(void)
{
    return run("/", "/dev/null", "--version", NULL) != REPORT_NO_GNUPLOT;
}

report_end report_gnuplot(const char *folder, const char *script, int (*stop)(void))
{
    return run(folder, "gnuplot.log", script, stop);
}
