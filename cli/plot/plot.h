/* What the files of 'surekrig plot' share. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "cli.h"
#include "report.h"

/* ---- plot.c */
/* With --script: whether what is kept beside the picture would replace what is read. */
surekrig_status plot_check_script(const cli_call *call, surekrig_error *error);
/* To be written to; drawn when the command ends. */
surekrig_status plot_open(const cli_call *call, report_picture **picture, surekrig_error *error);

/* ---- map.c */
surekrig_status plot_map(const cli_call *call, surekrig_error *error);

#endif
