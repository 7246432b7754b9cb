/* What the files of this folder share. */
#ifndef SK_MPI_INSIDE_H
#define SK_MPI_INSIDE_H

#include <mpi.h>
#include <stdio.h>

extern FILE *sk_mpi_voice; /* where a rank tells that it fails; NULL: standard error, which silent ranks have closed */
/* Until all is there. Who waits leaves its processor to others, and sleeps when it takes long. */
void sk_mpi_wait(int count, MPI_Request *request);

#endif
