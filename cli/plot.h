/* What the files of 'surekrig plot' share. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "cli.h"
#include "report.h"

/* Draws the map of the call's first argument into an opened picture. */
surekrig_status cli_plot_map(const cli_call *call, report_thin *thin, report_picture *picture, surekrig_error *error);

#endif
