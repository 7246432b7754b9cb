#ifndef SK_MPI_VOICE_H
#define SK_MPI_VOICE_H

#include <stdio.h>

extern FILE *sk_mpi_voice; /* where a rank tells that it fails; NULL: standard error, which silent ranks have closed */

#endif
