/* Whether coordinates stand at equal distances. */
#ifndef SUREKRIG_LATTICE_H
#define SUREKRIG_LATTICE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct report_lattice {
    double first, step;
    double span;   /* places from the first to the last value, both included */
    double values; /* different ones */
} report_lattice;

/* value: [n][3], of which the first column counts. False where memory is out. */
bool report_lattice_find(int64_t n, const double *value, report_lattice *lattice, bool *regular);

#endif
