/* What the files of 'surekrig simulate' share. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "cli.h"

/* ---- given.c */
surekrig_status simulate_given(const cli_call *call, surekrig_error *error);

#endif
