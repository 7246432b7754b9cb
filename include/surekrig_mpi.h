/* surekrig on many processes: a communicator in, the rest as in surekrig.h.
 *
 *   surekrig_ranks *ranks;
 *   surekrig_mpi_ranks(MPI_COMM_WORLD, &ranks, &error);
 *   data.ranks = ranks;       each rank's rows, in the order of the ranks, are one table
 *   surekrig_fit(&data, ...)  all ranks, with the same settings and targets
 *
 * The model is the same on all ranks, to the bit that of one process with all rows; of the rows each has a part that
 * lies together, no matter which it gave. Every call with such a model is made by all ranks alike: surekrig_predict with
 * the same query, of which each rank predicts a share, and all have the whole result. What fails on one rank alone (its
 * memory, its disk) leaves the others waiting: end them, as with MPI_Abort. Link with libsurekrig_mpi. */
#ifndef SUREKRIG_MPI_H
#define SUREKRIG_MPI_H

#include "surekrig.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* MPI must have been begun. The communicator is copied; ranks must outlive the models made with them. */
surekrig_status surekrig_mpi_ranks(MPI_Comm communicator, surekrig_ranks **ranks, surekrig_error *error);
/* surekrig_fit and surekrig_refit deal rows out at their beginning. From then on those that a rank gave are not needed
 * any more: it calls dealt with `of`, which may free them. For the next of these alone. */
void surekrig_mpi_when_dealt(surekrig_ranks *ranks, void (*dealt)(void *of), void *of);
/* Likewise, for ranks that each give all rows, the same: they have models as one process has, of any data and settings,
 * and share what is kriged. */
surekrig_status surekrig_mpi_alike(MPI_Comm communicator, surekrig_ranks **ranks, surekrig_error *error);
/* A model file, by all ranks together: the same file, however many wrote it. surekrig_model_save makes one such file,
 * which the first rank writes. */
surekrig_status surekrig_mpi_load(surekrig_ranks *ranks, const char *path, surekrig_model **model,
                                  surekrig_error *error);
void surekrig_mpi_free(surekrig_ranks *ranks); /* before MPI ends; NULL: nothing */

#ifdef __cplusplus
}
#endif
#endif
