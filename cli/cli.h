/* The command: a table of sub-commands, each a file. Public header and io alone. */
#ifndef CLI_H
#define CLI_H

#include "io.h"
#include "surekrig.h"

#include <stdio.h>

enum { CLI_OK = 0, CLI_FAILURE = 1, CLI_USAGE = 2 };
enum { CLI_OPTIONS_MAX = 16, CLI_ARGUMENTS_MAX = 4 };

typedef struct cli_option {
    const char *name;     /* without dashes */
    char letter;          /* 0: none */
    const char *argument; /* what it takes, NULL for a switch */
    const char *sentence;
} cli_option;

typedef struct cli_call cli_call;

typedef struct cli_command {
    const char *name, *summary;
    const char *arguments; /* "TRAIN", as in the synopsis */
    int least, most;       /* how many of them */
    bool settings;         /* whether every setting is an option too */
    const char *example, *details;
    const cli_option *option; /* ends with a NULL name */
    int (*run)(cli_call *call);
    const char *preset; /* that its settings begin with, or NULL: the defaults */
} cli_command;

extern const cli_command cli_fit, cli_predict, cli_fill, cli_score, cli_cv, cli_simulate, cli_info, cli_experiment,
    cli_settings, cli_bench, cli_plot, cli_help;
extern const cli_command *const cli_commands[]; /* ends with NULL */

/* One parsed command line. */
struct cli_call {
    const cli_command *command;
    int arguments;
    const char *argument[CLI_ARGUMENTS_MAX];
    const char *value[CLI_OPTIONS_MAX]; /* by the option's place in its table; "" for a switch; NULL: not given */
    surekrig_settings *settings;        /* where the command takes them */
    const char *setting;                /* one that was given, or NULL */
    int words;
    char **word; /* all that follows the command's name */
};

/* ---- main.c */
const char *cli_value(const cli_call *call, const char *option); /* NULL: not given */
bool cli_setting_given(const cli_call *call, const char *name);  /* not by a preset */
/* "surekrig fill in.nc -o out.nc", cut where there is no more room. */
void cli_command_line(const cli_call *call, char *line, size_t room);
int cli_fail(const cli_call *call, const surekrig_error *error); /* prints the sentence; CLI_FAILURE */
int cli_usage(const cli_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the sentence and returns status. */
surekrig_status cli_error(surekrig_error *error, surekrig_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Here, so that a checker of the sources sees that what it returns is no SUREKRIG_OK. */
static inline surekrig_status cli_no_memory(surekrig_error *error)
{
    cli_error(error, SUREKRIG_MEMORY, "out of memory");
    return SUREKRIG_MEMORY;
}
/* Into *value, or a usage message: CLI_OK or CLI_USAGE. Left alone where the option was not given. */
int cli_number(const cli_call *call, const char *option, double low, double high, double *value);

int cli_count(const cli_call *call, const char *option, int most, int *value); /* likewise, a whole number from 1 */
int cli_seed(const cli_call *call, uint64_t *value);                           /* of --seed; 1 where it was not given */
bool cli_same_file(const char *a, const char *b);                              /* both there, and one file */
/* Whether a file could be made at path: asked before long work. */
surekrig_status cli_check_output(const char *path, surekrig_error *error);

/* ---- progress.c */
/* While output files are half written, a first Ctrl-C only asks; otherwise it ends the program at once. */
void cli_catch_signals(void);
void cli_hold_files(bool hold);
int cli_interrupted(void);                            /* 0, or the exit status that the signal asks for */
surekrig_progress cli_progress(const cli_call *call); /* a bar where stderr is a terminal and --quiet is not given */
void cli_progress_end(void);

/* ---- output.c */
typedef char *cli_column_name(const void *of, int column); /* the caller's to free; NULL: no memory */
surekrig_status cli_create(const char *path, int columns, cli_column_name *name_of, const void *of, io_writer **writer,
                           surekrig_error *error);
/* The file appears, unless there was a failure or an interruption; the writer is gone either way. */
surekrig_status cli_finish(io_writer *writer, surekrig_status status, surekrig_error *error);

/* ---- targets.c */
typedef struct cli_points {
    int64_t n, dropped; /* dropped: targets without all features */
    double *x;          /* [n][features], the caller's to free, also after a failure */
} cli_points;

surekrig_status cli_read_points(const char *path, const surekrig_info *features, bool header, cli_points *points,
                                surekrig_error *error);
/* Those with all their features, at least one; of a raster with a band of a response's name, its gaps, if there are
 * any. */
surekrig_status cli_read_targets(const char *path, const surekrig_info *info, bool header, cli_points *targets,
                                 surekrig_error *error);

/* ---- grid.c */
typedef struct cli_grid {
    int d; /* 1 or 2 */
    double low[2], step;
    int64_t size[2]; /* cells across and up, as many as cover the box from low on; d = 1: size[1] = 1 */
    bool swapped;    /* x is the second feature */
    int64_t next;
} cli_grid;
int cli_read_grid(const cli_call *call, cli_grid *grid); /* of --grid; CLI_OK or CLI_USAGE */
/* The centers of the next cells, at most limit, into x [limit][d]; how many: 0 at the end. Row by row from the top,
 * each from left to right, as in a raster. */
int64_t cli_grid_rows(cli_grid *grid, int64_t limit, double *x);

/* ---- given.c */
int cli_simulate_given(const cli_call *call); /* the exit status */

/* ---- columns.c */
typedef struct cli_names {
    int count;
    char **name;
} cli_names;
/* "a,b,c"; false where memory is out. */
bool cli_split_names(const char *list, cli_names *names);
void cli_free_names(cli_names *names);
bool cli_in_list(const char *list, const char *name); /* "lon,lat" */
/* The columns of these names, or a sentence listing those there are. */
surekrig_status cli_find_columns(const io_reader *reader, const cli_names *names, int *column, surekrig_error *error);
/* Refuses infinite values among rows read after `before` others. */
surekrig_status cli_check_finite(const io_reader *reader, int64_t rows, const double *value, int64_t before,
                                 surekrig_error *error);
/* The feature columns of a model: by name, or by place where the file has no names. column: [d]. */
surekrig_status cli_model_columns(const io_reader *reader, const surekrig_info *info, int *column,
                                  surekrig_error *error);

bool cli_is_longitude(const char *name);
bool cli_is_latitude(const char *name);

/* Whether a feature has the name of one of our columns; word ends with NULL. */
bool cli_name_taken(const surekrig_info *info, const char *const *word);
/* word[which], "mean" say, or "mean_temp" where there are several responses or a feature has one of the names. */
char *cli_output_name(const surekrig_info *info, const char *const *word, int which, int64_t q);

/* ---- scored.c */
/* Responses with their predictions, by column. */
typedef struct cli_scored {
    int64_t n;
    int l;
    const double *y, *mean, *sd; /* [l][n] each, inside what follows */
    const double *noise;         /* [n], likewise, or NULL */
    double *test, *predicted;
    char **name;           /* [l] */
    bool raster;           /* the predictions are pixels; those with sd 0, which fill has kept, are missing here */
    surekrig_model *model; /* whose intervals these are, or NULL: normal ones */
} cli_scored;
enum { CLI_LEVELS = 19 };

/* PREDICTIONS|MODEL and TEST, the call's first two arguments, under its options response, noise and no-header. */
surekrig_status cli_read_scored(const cli_call *call, cli_scored *scored, surekrig_error *error);
void cli_free_scored(cli_scored *scored);
surekrig_scored cli_scored_response(const cli_scored *scored, int q, double quantile);
/* Levels 0.05 to 0.95 and the share of response q that its intervals hold. */
surekrig_status cli_calibration(const cli_scored *scored, int q, double level[CLI_LEVELS], double coverage[CLI_LEVELS],
                                surekrig_error *error);

/* ---- print.c, for people, and json.c, for programs */
void cli_print_scores(FILE *to, const char *label, const surekrig_scores *scores);
void cli_print_model(FILE *to, const surekrig_info *info);
void cli_json_text(FILE *to, const char *text);
void cli_json_number(FILE *to, double value); /* null where it is not finite */
void cli_json_scores(FILE *to, const surekrig_scores *scores);
void cli_json_model(FILE *to, const surekrig_info *info, bool trace);
void cli_print_command(FILE *to, const cli_command *command);

#endif
