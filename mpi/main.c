/* surekrig-mpi: the command on many processes. All run the same words; the first speaks and writes. */
#include "cli.h"
#include "surekrig_mpi.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_main(int count, char **word);

static FILE *voice; /* standard error, of a rank that is otherwise silent */

static void leave(void)
{
    surekrig_mpi_free(cli_on.ranks);
    MPI_Finalize();
}

/* Where all have failed alike, the first speaks for all before the others' time is up. */
static void fail(const char *command, const char *sentence)
{
    if (cli_on.rank > 0)
        sleep(2);
    if (cli_on.rank > 0)
        fprintf(voice, "surekrig-mpi %s: rank %d of %d: %s\n", command, cli_on.rank, cli_on.size, sentence);
    else
        fprintf(voice, "surekrig-mpi %s: %s\n", command, sentence);
    fflush(voice);
    MPI_Abort(MPI_COMM_WORLD, CLI_FAILURE);
}

static void gather(const void *own, size_t bytes, void *all)
{
    MPI_Allgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

/* Another rank has failed, or the user has had enough: what is half written goes. */
static void on_signal(int number)
{
    cli_drop();
    _exit(128 + number);
}

static void be_silent(void)
{
    int kept = dup(STDERR_FILENO);
    voice = kept >= 0 ? fdopen(kept, "w") : NULL;
    if (!voice || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        MPI_Abort(MPI_COMM_WORLD, CLI_FAILURE);
}

int main(int count, char **word)
{
    surekrig_error error;
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 20); /* large blocks that are freed go back to the machine, of which ranks have a share */
#endif
    MPI_Init(&count, &word);
    voice = stderr;
    if (surekrig_mpi_ranks(MPI_COMM_WORLD, &cli_on.ranks, &error)) {
        fprintf(stderr, "surekrig-mpi: %s\n", error.sentence);
        MPI_Abort(MPI_COMM_WORLD, CLI_FAILURE);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &cli_on.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &cli_on.size);
    cli_on.fail = fail;
    cli_on.gather = gather;
    cli_on.load = surekrig_mpi_load;
    cli_on.when_dealt = surekrig_mpi_when_dealt;
    atexit(leave);
    if (cli_on.size > 1) {
        signal(SIGTERM, on_signal);
        signal(SIGINT, on_signal);
        signal(SIGXFSZ, SIG_IGN); /* a failed write, with its sentence */
    }
    if (cli_on.rank > 0)
        be_silent();
    return cli_main(count, word);
}
