/* What ranks say to one another, by MPI: point to point, in pieces that its counts can hold. */
#include "surekrig_mpi.h"

#include "file/file.h"
#include "inside.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 30, TAG = 77 };

FILE *sk_mpi_voice;

static void fail(const sk_ranks *ranks, const char *sentence)
{
    FILE *to = sk_mpi_voice ? sk_mpi_voice : stderr;
    fprintf(to, "rank %d of %d: %s\n", ranks->rank, ranks->size, sentence);
    fflush(to);
    MPI_Abort(*(MPI_Comm *)ranks->with, 1);
    abort();
}

static void *must(const sk_ranks *ranks, void *memory)
{
    if (!memory)
        fail(ranks, "out of memory for messages");
    return memory;
}

static int64_t pieces(int64_t bytes)
{
    return (bytes + PIECE - 1) / PIECE;
}

typedef struct transfer {
    MPI_Comm with;
    int count;
    MPI_Request *request;
} transfer;

/* All of a message, to or from a rank. */
static void begin(transfer *t, bool send, char *at, int64_t bytes, int rank)
{
    for (int64_t done = 0; done < bytes; done += PIECE) {
        int some = (int)(bytes - done < PIECE ? bytes - done : PIECE);
        MPI_Request *to = &t->request[t->count++];
        if (send)
            MPI_Isend(at + done, some, MPI_BYTE, rank, TAG, t->with, to);
        else
            MPI_Irecv(at + done, some, MPI_BYTE, rank, TAG, t->with, to);
    }
}

/* Others may krige meanwhile (predict/ahead.c), for minutes even, as a tile. */
void sk_mpi_wait(int count, MPI_Request *request)
{
    static const double SOON = 1e-3;
    double start = MPI_Wtime();
    int done = 0;
    MPI_Testall(count, request, &done, MPI_STATUSES_IGNORE);
    while (!done) {
        if (MPI_Wtime() - start > SOON)
            usleep(50);
        else
            sched_yield();
        MPI_Testall(count, request, &done, MPI_STATUSES_IGNORE);
    }
}

static void exchange(const sk_ranks *ranks, const void *out, const int64_t *out_bytes, void *in,
                     const int64_t *in_bytes)
{
    int64_t requests = 0, from = 0, to = 0;
    for (int r = 0; r < ranks->size; r++)
        requests += pieces(out_bytes[r]) + pieces(in_bytes[r]);
    transfer t = {*(MPI_Comm *)ranks->with, 0, must(ranks, malloc((size_t)(requests + 1) * sizeof(MPI_Request)))};
    for (int r = 0; r < ranks->size; r++) {
        if (r != ranks->rank)
            begin(&t, false, (char *)in + to, in_bytes[r], r);
        to += in_bytes[r];
    }
    to = 0;
    for (int r = 0; r < ranks->size; r++) {
        if (r != ranks->rank)
            begin(&t, true, (char *)out + from, out_bytes[r], r);
        else
            memcpy((char *)in + to, (const char *)out + from, (size_t)out_bytes[r]);
        from += out_bytes[r];
        to += in_bytes[r];
    }
    sk_mpi_wait(t.count, t.request);
    free(t.request);
}

/* Short messages all at once: a round of waiting for each other instead of one for each rank. */
static bool gather_short(const sk_ranks *ranks, const void *own, const int64_t *bytes, void *all)
{
    enum { SHORT = 1 << 20, MOST = 1024 };
    int count[MOST], place[MOST], total = 0;
    for (int r = 0; r < ranks->size && r < MOST; total += count[r++]) {
        if (bytes[r] > SHORT - total)
            return false;
        count[r] = (int)bytes[r];
        place[r] = total;
    }
    if (ranks->size > MOST)
        return false;
    MPI_Allgatherv(own, count[ranks->rank], MPI_BYTE, all, count, place, MPI_BYTE, *(MPI_Comm *)ranks->with);
    return true;
}

/* One rank after another, so that long messages go along MPI's trees. */
static void gather(const sk_ranks *ranks, const void *own, const int64_t *bytes, void *all)
{
    MPI_Comm with = *(MPI_Comm *)ranks->with;
    char *at = all;
    if (gather_short(ranks, own, bytes, all))
        return;
    for (int r = 0; r < ranks->size; at += bytes[r++]) {
        if (r == ranks->rank && bytes[r])
            memcpy(at, own, (size_t)bytes[r]);
        for (int64_t done = 0; done < bytes[r]; done += PIECE)
            MPI_Bcast(at + done, (int)(bytes[r] - done < PIECE ? bytes[r] - done : PIECE), MPI_BYTE, r, with);
    }
}

surekrig_status surekrig_mpi_ranks(MPI_Comm communicator, surekrig_ranks **out, surekrig_error *error)
{
    int begun = 0;
    MPI_Initialized(&begun);
    if (!begun)
        return sk_fail(error, SUREKRIG_INVALID, "MPI has not begun: call MPI_Init first");
    surekrig_ranks *ranks = calloc(1, sizeof *ranks);
    MPI_Comm *own = malloc(sizeof *own);
    if (!ranks || !own || MPI_Comm_dup(communicator, own)) {
        free(ranks);
        free(own);
        return sk_fail(error, SUREKRIG_MEMORY, "out of memory: the communicator cannot be copied");
    }
    MPI_Comm_rank(*own, &ranks->link.rank);
    MPI_Comm_size(*own, &ranks->link.size);
    ranks->link.with = own;
    ranks->link.gather = gather;
    ranks->link.exchange = exchange;
    ranks->link.fail = fail;
    *out = ranks;
    return SUREKRIG_OK;
}

void surekrig_mpi_when_dealt(surekrig_ranks *ranks, void (*dealt)(void *of), void *of)
{
    ranks->dealt = dealt;
    ranks->giver = of;
}

surekrig_status surekrig_mpi_alike(MPI_Comm communicator, surekrig_ranks **out, surekrig_error *error)
{
    surekrig_status status = surekrig_mpi_ranks(communicator, out, error);
    if (!status)
        (*out)->alike = true;
    return status;
}

surekrig_status surekrig_mpi_load(surekrig_ranks *ranks, const char *path, surekrig_model **model,
                                  surekrig_error *error)
{
    return sk_agree(&ranks->link, sk_model_load_on(ranks, path, model, error), error);
}

void surekrig_mpi_free(surekrig_ranks *ranks)
{
    if (!ranks)
        return;
    MPI_Comm_free(ranks->link.with);
    free(ranks->link.with);
    free(ranks);
}
