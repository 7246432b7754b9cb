/* The command: a table of sub-commands, each a file. Public header and io alone. */
#ifndef CLI_H
#define CLI_H

#include "io.h"
#include "surekrig.h"

#include <stdio.h>

enum { CLI_OK = 0, CLI_FAILURE = 1, CLI_USAGE = 2 }; /* exit status */
enum { CLI_OPTIONS_MAX = 24, CLI_ARGUMENTS_MAX = 1024, CLI_BY_MAX = 8 };
#define CLI_MISUSED ((surekrig_status)100) /* the command line says what cannot be: exit status CLI_USAGE */

typedef struct cli_option {
    const char *name;     /* without dashes */
    char letter;          /* 0: none */
    const char *argument; /* what it takes, NULL for a switch */
    const char *sentence;
    const char *writes; /* what goes into the file that it names, as "the model"; NULL: it names no output */
    bool reads;         /* it names files that are read, which no output may replace */
} cli_option;

typedef struct cli_call cli_call;

typedef struct cli_command {
    const char *name, *summary;
    const char *arguments; /* "TRAIN", as in the synopsis */
    int least, most;       /* how many of them */
    bool settings;         /* whether every setting is an option too */
    const char *example, *details;
    const cli_option *option; /* ends with a NULL name */
    /* Writes through output.c alone, and returns: run.c keeps or drops what it has opened, prints the error's sentence,
     * and makes the exit status of its end and of a signal. */
    surekrig_status (*run)(cli_call *call, surekrig_error *error);
    const char *preset; /* that its settings begin with, or NULL: the defaults */
} cli_command;

extern const cli_command *const cli_commands[]; /* main.c; ends with NULL */

typedef struct cli_given {
    const char *word; /* as it stands on the command line */
    char name[64];
    const char *value;
} cli_given;

/* One parsed command line. */
struct cli_call {
    const cli_command *command;
    int arguments;
    const char *argument[CLI_ARGUMENTS_MAX];
    const char *value[CLI_OPTIONS_MAX]; /* by the option's place in its table; "" for a switch; NULL: not given */
    surekrig_settings *settings;        /* as the command line says, or the defaults */
    int givens;                         /* settings on the command line */
    cli_given *given;                   /* [givens] */
    int words;
    char **word; /* all that follows the command's name */
};

/* ---- ranks.c: many processes that run the same command */
typedef struct cli_ranks {
    surekrig_ranks *ranks; /* that have parts of the rows each; NULL: there is one process */
    surekrig_ranks *alike; /* the same, having all rows */
    int rank, size;
    void (*fail)(const char *command, const char *sentence);  /* ends all of them */
    void (*gather)(const void *own, size_t bytes, void *all); /* all: [size] what each has */
    void (*tell)(int from, void *what, int64_t bytes);        /* what a rank has becomes everyone's, */
    void (*hand)(int from, void *what, int64_t bytes);        /* or the first's; the others need not call */
    int64_t few;                                              /* so many training rows each rank has all of */
    surekrig_status (*load)(surekrig_ranks *ranks, const char *path, surekrig_model **model, surekrig_error *error);
    void (*when_dealt)(surekrig_ranks *ranks, void (*dealt)(void *of), void *of); /* surekrig_mpi.h */
} cli_ranks;
extern cli_ranks cli_on;
/* Whether this process runs the command, or leaves it to the first. */
surekrig_status cli_take_part(const cli_command *command, bool *takes_part, surekrig_error *error);
int64_t cli_sum(int64_t own, int64_t *before); /* of all ranks; and of those before this one */
int64_t cli_told(int64_t value);               /* the first rank's; the caller's own where there is one process */
struct cli_training;
/* Training rows, of which each rank has a part, become everyone's where they are few. */
surekrig_status cli_gather_training(struct cli_training *training, surekrig_error *error);
surekrig_status cli_load(const char *path, surekrig_model **model,
                         surekrig_error *error); /* in parts, if it is large */
surekrig_status cli_load_whole(const char *path, surekrig_model **model, surekrig_error *error);
const char *cli_output_path(const char *path); /* where the first writes it, and the others nothing */

/* ---- run.c */
/* One command, from its words to its exit status. */
int cli_run(const cli_command *command, int count, char **word);

/* ---- call.c: what the command line says */
surekrig_status cli_parse(cli_call *call, surekrig_error *error);
const char *cli_value(const cli_call *call, const char *option); /* NULL: not given */
bool cli_setting_given(const cli_call *call, const char *name);  /* not by a preset */
/* A setting that is a whole number; 0: auto. */
uint64_t cli_setting_number(const surekrig_settings *settings, const char *name);
/* "surekrig fill in.nc -o out.nc", cut where there is no more room. */
void cli_command_line(const cli_call *call, char *line, size_t room);
/* Into *value, or a sentence. Left alone where the option was not given. */
surekrig_status cli_number(const cli_call *call, const char *option, double low, double high, double *value,
                           surekrig_error *error);
/* Likewise, a whole number from 1. */
surekrig_status cli_count(const cli_call *call, const char *option, int most, int *value, surekrig_error *error);
/* And one from `least`. */
surekrig_status cli_count_from(const cli_call *call, const char *option, int least, int most, int *value,
                               surekrig_error *error);
/* Of --seed; 1 where it was not given. */
surekrig_status cli_seed(const cli_call *call, uint64_t *value, surekrig_error *error);

/* ---- error.c: sentences, and what can be said before long work */
/* Writes the sentence and returns status. */
surekrig_status cli_error(surekrig_error *error, surekrig_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
surekrig_status cli_usage(surekrig_error *error, const char *format, ...) /* CLI_MISUSED */
    __attribute__((format(printf, 2, 3)));
/* Whatever a terminal might obey becomes '?', line feeds too: what comes after one in the name of a file could pass for a
 * sentence of ours. */
void cli_one_line(char *text);
/* A line with such names in it. */
void cli_say(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Here, so that a checker of the sources sees that what it returns is no SUREKRIG_OK. */
static inline surekrig_status cli_no_memory(surekrig_error *error)
{
    cli_error(error, SUREKRIG_MEMORY, "out of memory");
    return SUREKRIG_MEMORY;
}
/* Whether a file could be made at path, or replace what is there: asked before the work, not after it. NULL, -:
 * standard output. */
surekrig_status cli_check_output(const char *path, surekrig_error *error);
surekrig_status cli_check_model(const char *path, surekrig_error *error); /* a model is no pipe */

/* ---- files.c: no output replaces what is read, or another output; sentences for those that would */
surekrig_status cli_check_files(const cli_call *call, surekrig_error *error); /* run.c's: as the command line says */
/* A further file that the command writes; what: "the model". */
surekrig_status cli_check_written(const cli_call *call, const char *what, const char *path, surekrig_error *error);
/* Further files that it reads, a line each. */
surekrig_status cli_check_read(const cli_call *call, const char *files, surekrig_error *error);
char *cli_next_file(const char **files); /* the first of them, which it passes; to be freed, NULL: no memory */
/* A further file that it writes, against such. */
surekrig_status cli_check_listed(const char *files, const char *what, const char *path, surekrig_error *error);

/* ---- guess.c: what a mistyped word was meant to be */
typedef struct cli_guess {
    const char *word; /* as it was typed */
    char best[80];    /* the nearest so far; "": none is near */
    int distance;
} cli_guess;
void cli_guess_among(cli_guess *guess, const char *candidate, size_t length);
void cli_guess_words(cli_guess *guess, const char *words); /* "no, yes or auto": each of them */
/* "; did you mean --neighbors?" with "--" before, or nothing; until the next call. */
const char *cli_guessed(const cli_guess *guess, const char *before);
const char *cli_guess_command(const char *word);

/* ---- progress.c */
surekrig_progress cli_progress(const cli_call *call); /* a bar where stderr is a terminal and --quiet is not given */
enum { CLI_FACT = 40 };
/* "phase [###   ]  50 %" and what is known beside it, the first first, as far as the terminal is wide. */
void cli_progress_line(const char *phase, double done, int facts, const char (*fact)[CLI_FACT]);
void cli_progress_end(void);

/* ---- output.c */
typedef char *cli_column_name(const void *of, int column); /* the caller's to free; NULL: no memory */
/* A table; path NULL: standard output. Written to by io_write. */
surekrig_status cli_create(const char *path, int columns, cli_column_name *name_of, const void *of, io_writer **writer,
                           surekrig_error *error);
/* A table that all ranks write, each the rows from this one of the whole on; path: a file. Collective, as is keeping
 * it. */
typedef struct cli_columns {
    cli_column_name *name;
    const void *of;
} cli_columns;
surekrig_status cli_create_part(const char *path, int columns, const cli_columns *of, int64_t row, io_writer **writer,
                                surekrig_error *error);
struct io_raster_plan;
struct io_raster_writer;
/* On ranks after the first the writer is NULL. */
surekrig_status cli_create_raster(const char *path, const struct io_raster_plan *plan, struct io_raster_writer **writer,
                                  surekrig_error *error);
/* A raster that the command writes, then reads, and that is gone in the end. An output is to be open before, so that a
 * signal is noted; then the raster is read or dropped. */
struct io_raster;
surekrig_status cli_create_scratch(const char *path, const struct io_raster_plan *plan,
                                   struct io_raster_writer **writer, surekrig_error *error);
surekrig_status cli_read_scratch(const char *path, struct io_raster_writer *writer, struct io_raster **raster,
                                 surekrig_error *error);
void cli_drop_scratch(struct io_raster_writer *writer); /* accepts NULL */
surekrig_status cli_save(const surekrig_model *model, const char *path, surekrig_error *error);
surekrig_status cli_save_parts(const surekrig_model *model, const char *path, surekrig_error *error);

/* Any other kind of output. What open has made, keep or drop is given, one of them, once, and frees it. */
typedef struct cli_kind {
    surekrig_status (*open)(const char *path, const void *plan, void **made, surekrig_error *error);
    surekrig_status (*keep)(void *made, surekrig_error *error);
    void (*drop)(void *made);
} cli_kind;
surekrig_status cli_open(const cli_kind *kind, const char *path, const void *plan, void **made, surekrig_error *error);

/* Both are for commands that go on after their outputs: at the end they happen anyway. */
surekrig_status cli_keep(surekrig_error *error); /* all that is open appears, unless there was a signal */
void cli_drop(void);                             /* all that is open goes */
void cli_stays(void);                            /* from now on there are files that are whole at any time, and stay */
int cli_interrupted(void);                       /* 0, or the exit status that the signal asks for */

/* run.c's and main.c's */
void cli_catch_signals(void);
surekrig_status cli_finish(surekrig_status status, surekrig_error *error); /* kept where status is OK, else dropped */
void cli_leave(int code) __attribute__((noreturn));

/* ---- partial/: OUT.partial, what is finished of an output that is not whole yet */
typedef struct cli_partial cli_partial; /* NULL: nothing is kept */
typedef struct cli_span {
    double *value;
    int64_t count;
} cli_span;
/* Of the call's --output and --resume. The arguments count, files or patterns, and those in inputs, "a.tif,b.tif" or
 * NULL: a partial of files that were others is refused. NULL where something is no file. */
surekrig_status cli_partial_open(const cli_call *call, const char *inputs, cli_partial **partial,
                                 surekrig_error *error);
/* The next block, if it is kept and is the one of this key and size; else the caller makes it, and gives it. Keys come
 * in the same order in each run. */
bool cli_partial_take(cli_partial *partial, uint64_t key, const cli_span *span, int spans);
void cli_partial_give(cli_partial *partial, uint64_t key, const cli_span *span, int spans);
bool cli_partial_has(const cli_partial *partial, uint64_t key); /* that block, still to be taken */
bool cli_is_file_or_none(const char *path); /* an output that appears when it is whole; not "-", nor NULL */
/* Of many ranks each has a tape of its own, OUT.partial-1 and so on, whose keys are the first rows of its blocks. A run
 * on other ranks finds them all. */
surekrig_status cli_partial_open_own(const cli_call *call, const char *inputs, cli_partial **partial,
                                     surekrig_error *error);
/* The least key of a block that is not below `key`, and its count; UINT64_MAX: none. */
uint64_t cli_partial_next(const cli_partial *partial, uint64_t key, int64_t *count);
bool cli_partial_take_any(cli_partial *partial, uint64_t key, const cli_span *span, int spans); /* in any order */
/* Of what a block is made from, to be kept in it: files may change and have their sizes and times. */
double cli_partial_sum(const cli_span *span, int spans);
#define CLI_RESUME_OPTION                                                                                                \
    {                                                                                                                    \
        "resume", 0, NULL,                                                                                               \
            "Go on from what a run that was killed or stopped has left in OUT.partial; and leave it there when stopped." \
    }
/* It goes, unless a failure under --resume leaves it to the next run; accepts NULL. */
void cli_partial_close(cli_partial *partial, surekrig_status status);

/* ---- table.c */
/* What every command that reads a table takes. */
#define CLI_TABLE_OPTIONS                                                                                              \
    {"no-header", 0, NULL, "The first row of a table is data even if it holds words."},                                \
        {"decimal", 0, "MARK",                                                                                         \
         "What decimals follow in tables: . or , (default: guessed where cells end in semicolons)."},                  \
    {                                                                                                                  \
        "na", 0, "MARKS",                                                                                              \
            "Further marks of a missing value beside an empty cell, NA, N/A, #N/A, NaN, null and None, as -9999,n.a."  \
    }
#define CLI_TABLE_NAMES "no-header,decimal,na"
/* A table that the user made, under these options. */
surekrig_status cli_open_table(const cli_call *call, const char *path, io_reader **reader, surekrig_error *error);
/* The call's arguments from this one on, as one; this one alone where the command takes no more than its tables. */
surekrig_status cli_open_tables(const cli_call *call, int first, io_reader **reader, surekrig_error *error);
/* Of these, the part that is this rank's; row: of the whole, its first. */
surekrig_status cli_open_part(const cli_call *call, int first, io_reader **reader, int64_t *row, surekrig_error *error);
/* Of so many columns, rows to be read at once: fewer than most where they are so long that a few rows fill 32 MiB. */
int64_t cli_rows_at_once(int64_t most, int64_t columns);

/* ---- targets.c */
typedef struct cli_points {
    int64_t n, dropped;      /* dropped: targets without all features */
    int64_t of, every, room; /* of targets: how many there are, of which each so many-th is kept; rows x has room for */
    double *x;               /* [n][features], the caller's to free, also after a failure */
} cli_points;

surekrig_status cli_read_points(const cli_call *call, const char *path, const surekrig_info *features,
                                cli_points *points, surekrig_error *error);
/* Those with all their features, at least one; of a raster with a band of a response's name, its gaps, if there are
 * any. */
surekrig_status cli_read_targets(const cli_call *call, const char *path, const surekrig_info *info, cli_points *targets,
                                 surekrig_error *error);

/* One more, if it is its turn. */
surekrig_status cli_add_target(cli_points *targets, int64_t d, const double *x, surekrig_error *error);
void cli_tell_thinned(const cli_call *call, const cli_points *targets); /* where not all are kept */
int64_t cli_missing(int64_t rows, int64_t d, const double *x);          /* how many rows miss a feature */
void cli_tell_missing(const cli_call *call, int64_t missing, int64_t of);

/* ---- grid.c */
typedef struct cli_grid {
    int d; /* 1 or 2 */
    double low[2], step[2];
    int64_t size[2];   /* cells across and up, as many as cover the box from low on; d = 1: size[1] = 1 */
    bool swapped;      /* x is the second feature */
    int64_t next, end; /* cells that are still to come, and the one behind the last of them */
} cli_grid;
surekrig_status cli_read_grid(const cli_call *call, cli_grid *grid, surekrig_error *error); /* of --grid */
/* The grid for these features, as many as it has coordinates: which of them goes across. */
surekrig_status cli_match_grid(cli_grid *grid, const surekrig_info *info, surekrig_error *error);
void cli_grid_share(cli_grid *grid); /* of many ranks each takes a part of the cells */
/* The centers of the next cells, at most limit, into x [limit][d]; how many: 0 at the end. Row by row from the top,
 * each from left to right, as in a raster. */
int64_t cli_grid_rows(cli_grid *grid, int64_t limit, double *x);

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
/* Dates in one table and numbers in the other are not one time. column: [d] of the features. */
surekrig_status cli_check_time(const io_reader *reader, const surekrig_info *info, const int *column,
                               surekrig_error *error);
/* The feature columns of a model: by name, or by place where the file has no names, and whether its time is there in
 * the unit that info's settings say. column: [d]. */
surekrig_status cli_model_columns(const io_reader *reader, const surekrig_info *info, int *column,
                                  surekrig_error *error);
/* Refuses --noise for new observations where the model's own came without. */
surekrig_status cli_check_noise(const cli_call *call, const surekrig_info *info, surekrig_error *error);

/* A column without a name and without a value, as a comma at the end of each row makes. */
bool cli_is_blank(const io_reader *reader, int column);
int cli_last_column(const io_reader *reader); /* that is not blank */
/* Of a table with one column, in whose name there are other separators, what they are to be, as "; cells are ..."; else
 * "". */
const char *cli_how_to_separate(const io_reader *reader);
/* Of a failure to read it as the response that nobody has named: where it is text, the sentence says how to name
 * one. */
surekrig_status cli_of_last_column(const io_reader *reader, surekrig_status status, surekrig_error *error);

bool cli_is_longitude(const char *name);
bool cli_is_latitude(const char *name);
bool cli_is_coordinate(const char *name); /* of a map: one of these, or easting or northing */
bool cli_is_moment(const char *name);     /* beside such coordinates it is time */

/* Whether a feature has the name of one of our columns; word ends with NULL. */
bool cli_name_taken(const surekrig_info *info, const char *const *word);
/* word[which], "mean" say, or "mean_temp" where there are several responses or a feature has one of the names. */
char *cli_output_name(const surekrig_info *info, const char *const *word, int which, int64_t q);

/* ---- by.c */
typedef struct cli_groups cli_groups;                            /* NULL: none yet */
int64_t cli_group_number(cli_groups **groups, const char *text); /* from 0, the next where it is new; -1: no memory */
int64_t cli_groups_count(const cli_groups *groups);
void cli_groups_free(cli_groups *groups);
/* Of many ranks each has numbered its part of the rows; from now on as one process would have: group [n]. */
surekrig_status cli_groups_join(cli_groups **groups, int64_t n, int64_t *group, surekrig_error *error);

/* ---- ids.c: columns that are no features, but may name what rows have in common, as a cruise */
enum { CLI_IDS = 4, CLI_IDS_ROWS = 3 }; /* columns; rows of a group, in the mean, at the least */
typedef struct cli_ids {
    bool kept;           /* their cells are read */
    int columns;         /* that are looked at; 0: none */
    int column[CLI_IDS]; /* of the file */
    cli_groups *of[CLI_IDS];
    int64_t *group[CLI_IDS]; /* [rows]; negative, and each its own: none. NULL: this column names no groups */
    int64_t rows, room;
    const char *missing; /* --na, or NULL */
} cli_ids;
struct cli_training;
void cli_ids_choose(const cli_call *call, struct cli_training *training); /* columns are chosen, nothing is read yet */
/* How many rows to read next: few at first, as a column of shapes may have cells of any length. */
int64_t cli_ids_at_once(const cli_ids *ids, int64_t most);
void cli_ids_take(cli_ids *ids, const char *cells); /* of one more row, as io_kept_cells has them */
void cli_ids_check(struct cli_training *training);  /* after rows: cells of a column without names are kept no more */
void cli_ids_free(cli_ids *ids);
/* ids_look.c. Says where predictions of whole groups are worse than the model thinks, and how to tell it. */
void cli_ids_look(const cli_call *call, const struct cli_training *training, const surekrig_model *model);

/* ---- training.c */
typedef struct cli_training {
    int d, l, noise; /* noise: 0 or 1 */
    bool each;       /* --each: rows with any response stay; of the others each y is NaN. No targets are read */
    int *column;     /* [l + noise + d] of the file */
    int64_t n, capacity, dropped;
    int64_t first;  /* of many ranks: the number of this one's first row */
    int64_t seen;   /* rows without a missing value */
    int64_t *there; /* [l + noise + d]: values in the rows that were dropped */
    int left_out;   /* columns that are no features */
    double *x, *y, *s;
    const char **x_names, **y_names;
    io_reader *reader;
    surekrig_model *from; /* --from, or NULL */
    cli_points targets;
    int time;           /* which feature is time, or -1 */
    int by[CLI_BY_MAX]; /* columns of --by, that are no features */
    int bys;
    cli_groups *groups;
    int64_t *group; /* [n], or NULL: none, or the features tell */
    cli_ids ids;
    surekrig_ranks *ranks; /* that have parts of the rows, or all of them; NULL: one process */
} cli_training;

/* The call's first argument, under its options features, response, noise, each, from and targets, as far as it has
 * them. To be freed after a failure too. */
surekrig_status cli_read_training(const cli_call *call, cli_training *training, surekrig_error *error);
/* training_columns.c: into training->column, responses first, then noise, then features. */
surekrig_status cli_choose_columns(const cli_call *call, cli_training *training, surekrig_error *error);
surekrig_data cli_training_data(const cli_training *training); /* as a fit takes it; its arrays stay the training's */
void cli_free_training(cli_training *training);
void cli_give_training(
    cli_training *training); /* of many ranks each frees its rows as soon as a fit has dealt them out */

/* ---- each.c */
typedef struct cli_response {
    surekrig_data data; /* of one response: its rows that have it */
    double *x, *y;
    int64_t *group;
} cli_response;
surekrig_status cli_check_each(const cli_call *call, surekrig_error *error); /* what does not go with it */
surekrig_status cli_take_response(const cli_training *training, int q, cli_response *one, surekrig_error *error);
void cli_free_response(cli_response *one);                               /* also after a failure */
void cli_give_response(const cli_training *training, cli_response *one); /* as cli_give_training */
/* The sentence of a failure, with the response before it. */
surekrig_status cli_of_response(const cli_training *training, int q, surekrig_status status, surekrig_error *error);

/* ---- look.c: says what is not wrong, but worth knowing */
void cli_look_at_training(const cli_call *call, const cli_training *training);
/* Targets outside the range of the rows, where there are more than a few; not of many ranks. */
void cli_look_beyond(const cli_call *call, const surekrig_data *data);

/* ---- left_out.c: on all ranks */
/* Features that are the same in all rows, and then those that number the rows, by name and value; but not time, nor the
 * last one left. */
surekrig_status cli_drop_features(const cli_call *call, cli_training *training, surekrig_error *error);
bool cli_is_constant(const cli_training *training, int feature, double *value);
/* One more column is left out: whether it is named, as the first few are; the others are counted. */
bool cli_tells_left_out(const cli_call *call, cli_training *training);
/* Whether the column has no name, or one that programs and people give to the numbers of rows. */
bool cli_is_identifier(const io_reader *reader, int column);
/* Refuses such a column as a response that nobody has named. */
surekrig_status cli_check_response(const cli_call *call, const cli_training *training, surekrig_error *error);

/* ---- correlation.c */
double cli_estimate(const surekrig_info *info, const char *name); /* NaN where there is none of this name */
/* Of the field, without the nugget; distance: [n] in length scales. */
surekrig_status cli_correlation(const surekrig_info *info, int64_t n, const double *distance, double *correlation,
                                surekrig_error *error);
/* Where it has fallen to 0.05, in a feature's length scales; NaN: nowhere within twelve orders of magnitude. */
surekrig_status cli_practical_range(const surekrig_info *info, const char *feature, double *range,
                                    surekrig_error *error);
/* Features with one length scale: one of them, or longitude and latitude; or a direction between two of them. */
typedef struct cli_metric_part {
    int64_t feature[2]; /* the second: latitude, or -1 */
    double rho;         /* infinite: of no use */
    double along[2];    /* of a direction: what it takes of the first feature and the second; else 0 */
    char name[72];
} cli_metric_part;
/* The number of a feature's group in "lon,lat;u,v", from 1; 0: none. */
int cli_group_of(const char *groups, const char *name);
/* The two names of what lies on the sphere, as "lon,lat"; NULL: nothing does. A feature may be called "no". */
const char *cli_sphere(const surekrig_info *info);
/* Degrees by which the axes of a trained model's plane are turned; 0: they are the features. */
double cli_turn(const surekrig_info *info);
/* Those that count in distances, into part [d]; how many. */
int cli_metric_parts(const surekrig_info *info, cli_metric_part *part);

/* ---- scored.c */
/* Responses with their predictions, by column. */
typedef struct cli_scored {
    int64_t n;
    int l;
    const double *y, *mean, *sd; /* [l][n] each, inside what follows */
    const double *noise;         /* [n], likewise, or NULL */
    const double *lower, *upper; /* [l][n], the predictions' own intervals, or NULL: those of sd */
    double level;                /* of the interval: --level, or what the predictions' own are of, or 0.95 */
    double looks;                /* the level that these look like, where that is far from the one asked; else 0 */
    double *test, *predicted;
    char **name;           /* [l] */
    bool taken;            /* nothing says that the level is that of lower and upper */
    bool raster;           /* the predictions are pixels; those with sd 0, which fill has kept, are missing here */
    surekrig_model *model; /* whose intervals these are, or NULL: normal ones */
} cli_scored;
enum { CLI_LEVELS = 19 };

bool cli_is_model(const char *path); /* by its first bytes */
/* PREDICTIONS|MODEL and TEST, the call's first two arguments, under its options response, noise and level, and those of
 * tables. */
surekrig_status cli_read_scored(const cli_call *call, cli_scored *scored, surekrig_error *error);
void cli_free_scored(cli_scored *scored);
/* scored_columns.c's, in files of predictions: means, sds and, where *own, the ends of the predictions' own intervals,
 * at scored->level or at the highest level there is, into column [4][l]. Fails where there is no mean or sd of a
 * response. */
surekrig_status cli_find_predictions(const io_reader *predictions, const io_reader *test, cli_scored *scored,
                                     int *column, bool *own, surekrig_error *error);
/* Columns that both files have by name (or by place, in predictions without names), other than the predictions' own and
 * the responses: the features, whose values must agree row by row. Into pair [2][columns of the predictions]; how many. */
int cli_shared_columns(const io_reader *predictions, const io_reader *test, const cli_scored *scored, int *pair);
surekrig_scored cli_scored_response(const cli_scored *scored, int q, double quantile);
void cli_look_at_test(const cli_call *call, const cli_scored *scored); /* look.c: is it the model's own data? */
/* Levels 0.05 to 0.95 and the share of response q that its intervals hold. */
surekrig_status cli_calibration(const cli_scored *scored, int q, double level[CLI_LEVELS], double coverage[CLI_LEVELS],
                                surekrig_error *error);

/* ---- print.c, for people, and json.c, for programs */
void cli_print_scores(FILE *to, const char *label, const surekrig_scores *scores);
void cli_print_model(FILE *to, const surekrig_info *info);
int cli_pad(const char *text, int width); /* in bytes, where the text's letters may have several each */
/* What to expect of its predictions, and what may be wrong with them. */
void cli_print_expected(FILE *to, const surekrig_info *info);
/* print_distances.c's: where the correlation is next to nothing, in the features' own units; what distances are of; and
 * features in different units, divided by one number: the narrow ones hardly count. */
void cli_print_range(FILE *to, const surekrig_info *info);
void cli_print_distances(FILE *to, const surekrig_info *info);
void cli_print_scaling(FILE *to, const surekrig_info *info);
const char *cli_distance_unit(const surekrig_info *info); /* "in km", of surekrig_validated's */
void cli_json_text(FILE *to, const char *text);
void cli_json_number(FILE *to, double value); /* null where it is not finite */
void cli_json_scores(FILE *to, const surekrig_scores *scores);
void cli_json_model(FILE *to, const surekrig_info *info, bool trace);
void cli_print_command(FILE *to, const cli_command *command);

#endif
