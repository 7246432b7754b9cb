/* surekrig-mpi: the command on many processes. All run the same words; the first speaks and writes. */
#include "cli.h"
#include "inside.h"
#include "surekrig_mpi.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 30 }; /* bytes that MPI counts */

int cli_main(int count, char **word);

/* Together: mpirun may wait for ever where one rank fails while others are already leaving. */
static void leave(void)
{
    MPI_Request all;
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    sk_mpi_wait(1, &all);
    surekrig_mpi_free(cli_on.ranks);
    surekrig_mpi_free(cli_on.alike);
    MPI_Finalize();
}

/* Where all have failed alike, the first speaks for all before the others' time is up. */
static void fail(const char *command, const char *sentence)
{
    if (cli_on.rank > 0)
        sleep(2);
    if (cli_on.rank > 0)
        fprintf(sk_mpi_voice, "surekrig-mpi %s: rank %d of %d: %s\n", command, cli_on.rank, cli_on.size, sentence);
    else
        fprintf(sk_mpi_voice, "surekrig-mpi %s: %s\n", command, sentence);
    fflush(sk_mpi_voice);
    MPI_Abort(MPI_COMM_WORLD, CLI_FAILURE);
}

static void gather(const void *own, size_t bytes, void *all)
{
    MPI_Allgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void tell(int from, void *what, int64_t bytes)
{
    MPI_Request all;
    for (int64_t done = 0; done < bytes; done += PIECE) {
        int some = (int)(bytes - done < PIECE ? bytes - done : PIECE);
        MPI_Ibcast((char *)what + done, some, MPI_BYTE, from, MPI_COMM_WORLD, &all);
        sk_mpi_wait(1, &all);
    }
}

static void hand(int from, void *what, int64_t bytes)
{
    MPI_Request one;
    for (int64_t done = 0; done < bytes && from > 0; done += PIECE) {
        int some = (int)(bytes - done < PIECE ? bytes - done : PIECE);
        if (cli_on.rank == from)
            MPI_Isend((char *)what + done, some, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &one);
        else if (cli_on.rank == 0)
            MPI_Irecv((char *)what + done, some, MPI_BYTE, from, 0, MPI_COMM_WORLD, &one);
        else
            return;
        sk_mpi_wait(1, &one);
    }
}

/* Another rank has failed, or the user has had enough: what is half written goes, but for OUT.partial, from which the
 * same command may go on. */
static void on_signal(int number)
{
    io_unlink_unfinished();
    _exit(128 + number);
}

static void be_silent(void)
{
    int kept = dup(STDERR_FILENO);
    sk_mpi_voice = kept >= 0 ? fdopen(kept, "w") : NULL;
    if (!sk_mpi_voice || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        MPI_Abort(MPI_COMM_WORLD, CLI_FAILURE);
}

int main(int count, char **word)
{
    surekrig_error error;
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD,
            1 << 20); /* large blocks that are freed go back to the machine, of which ranks have a share */
#endif
    int threads;
    MPI_Init_thread(&count, &word, MPI_THREAD_FUNNELED, &threads); /* the first thread alone speaks */
    sk_mpi_voice = stderr;
    if (surekrig_mpi_ranks(MPI_COMM_WORLD, &cli_on.ranks, &error) ||
        surekrig_mpi_alike(MPI_COMM_WORLD, &cli_on.alike, &error)) {
        fprintf(stderr, "surekrig-mpi: %s\n", error.sentence);
        MPI_Abort(MPI_COMM_WORLD, CLI_FAILURE);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &cli_on.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &cli_on.size);
    cli_on.fail = fail;
    cli_on.gather = gather;
    cli_on.tell = tell;
    cli_on.hand = hand;
    const char *few = getenv("SUREKRIG_FEW"); /* for tests: the result must not depend on it */
    cli_on.few = few ? atoll(few) : 1 << 20;
    cli_on.load = surekrig_mpi_load;
    cli_on.when_dealt = surekrig_mpi_when_dealt;
    atexit(leave);
    if (cli_on.size > 1) {
        signal(SIGTERM, on_signal);
        signal(SIGINT, on_signal);
        signal(SIGPIPE, SIG_IGN); /* failed writes, with their sentences */
        signal(SIGXFSZ, SIG_IGN);
    }
    if (cli_on.rank > 0)
        be_silent();
    return cli_main(count, word);
}
