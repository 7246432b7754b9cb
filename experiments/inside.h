/* What the files of experiments/ share. Nobody else includes this. */
#ifndef EXPERIMENTS_INSIDE_H
#define EXPERIMENTS_INSIDE_H

#include "experiment.h"
#include "report.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

enum { FIVE = 5, CURVE = 19, TARGET = 2, PRESETS = 3, PATH_SIZE = 4096 };

extern const char *const PRESET[PRESETS];
extern const double FIVE_LEVELS[FIVE]; /* those of the paper; FIVE_LEVELS[TARGET] = 0.95 */

/* ---- what is studied */

typedef struct scenario {
    const char *name, *title;
    double nu, rho, tau2; /* of the truth; NaN where there is none */
    const char *settings; /* "mean=zero gamma2=1": what training is told */
    const char *truth;    /* settings of the model that knows the truth, or NULL */
    bool extra;           /* run only where it is named */
} scenario;

typedef struct method {
    const char *loss, *preset; /* "mm", "paper" */
    const char *label;
    const char *settings;
    const char *colour;
} method;

/* One trial: what identifies it, what was estimated and how it scored. */
typedef struct trial {
    const scenario *scenario;
    const method *method;
    int number;
    bool done;
    uint64_t seed, data_seed;
    double nu, rho, tau2, gamma2, mean;
    double mae, rmse, cov, crps, interval, logdensity;
    double true_mae, true_rmse, true_cov, true_crps, true_interval, true_logdensity; /* the truth on the same data */
    double squares;   /* sum over the five levels of the squared deviation of the test points' coverage */
    double batch_cov; /* leave-one-out, at 0.95 */
    double evaluations, rounds, outcome, bounds, seconds, predict_seconds; /* bounds: estimates at one */
    double five[FIVE], curve[CURVE];                                       /* coverage of the test points */
} trial;

/* Points to train on and points to test with, in one array, the former first. */
typedef struct dataset {
    int64_t n, m, d;
    double *x, *y, *trend; /* [n + m][d], [n + m] and [n + m]: taken off y beforehand, or NULL */
    bool scored;
    surekrig_scores truth; /* NaN where there is none */
} dataset;

typedef struct run run;

typedef struct study {
    const char *name, *title, *sentence;
    const char *about; /* the report's first paragraph */
    int64_t points;
    bool files;    /* takes --train and --test; keeps its predictions, for maps */
    bool own_data; /* each trial draws its own, whether asked or not */
    int scenarios, methods;
    const scenario *scenario;
    const method *method;
    surekrig_status (*draw)(const run *r, const scenario *s, uint64_t seed, dataset *data, surekrig_error *error);
    surekrig_status (*tables)(run *r, surekrig_error *error);
    surekrig_status (*figures)(run *r, surekrig_error *error);
} study;

extern const study study_synthetic, study_temperature, study_misspecified;

typedef struct table table;

typedef struct figure {
    char name[48], caption[640];
    int width; /* in pixels, at which its text is readable */
    bool drawn;
} figure;

enum { MOST_TABLES = 16, MOST_FIGURES = 16 };

struct run {
    const study *study;
    const experiment_options *options;
    char words[1024]; /* settings of every fit, from options */
    int64_t points;
    uint64_t seed;
    int threads;
    dataset source; /* of files */
    int trials;
    trial *trial; /* [trials], in the order they run */
    int log;      /* descriptor of trials.csv */
    int tables;
    table *table[MOST_TABLES];
    int figures;
    figure figure[MOST_FIGURES];
    double started;
    char note[512];
};

/* ---- study.c */
surekrig_status fail(surekrig_error *error, surekrig_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
surekrig_status no_memory(surekrig_error *error);
double now(void);
bool stopped(const run *r, const char *what); /* reports, and says whether to go on */

/* ---- plan.c */
/* Settings from words "name=value name=value". */
surekrig_status apply_words(surekrig_settings *settings, const char *words, surekrig_error *error);
surekrig_status make_plan(run *r, surekrig_error *error);

/* ---- files.c */
void path_in(const run *r, const char *name, char path[PATH_SIZE]);
typedef struct output {
    FILE *to;
    char path[PATH_SIZE], temporary[PATH_SIZE];
} output;
/* A text file of the directory, which appears whole at output_commit or not at all. */
surekrig_status output_open(const run *r, const char *name, output *o, surekrig_error *error);
surekrig_status output_commit(output *o, surekrig_error *error);

bool is_there(const run *r, const char *name);

/* ---- settings.c */
/* Writes settings.txt, or finds there what it would write. */
surekrig_status settle_settings(const run *r, surekrig_error *error);

/* ---- log.c */
/* Opens DIRECTORY/trials.csv and marks what it holds as done. */
surekrig_status log_open(run *r, surekrig_error *error);
surekrig_status log_append(run *r, const trial *t, surekrig_error *error);
void log_close(run *r);
bool trace_wanted(const trial *t);
void trace_name(const trial *t, char name[128]);

/* ---- draw.c */
double uniform(uint64_t seed, uint32_t stream, uint64_t index);
double normal(uint64_t seed, uint32_t stream, uint64_t index);
surekrig_status dataset_alloc(dataset *data, int64_t n, int64_t m, int64_t d, surekrig_error *error);
void dataset_free(dataset *data);
surekrig_status read_files(run *r, surekrig_error *error);

/* ---- trial.c */
typedef struct bench { /* what a worker keeps between trials */
    const scenario *scenario;
    uint64_t data_seed;
    dataset data;
    double *mean, *sd; /* [m] */
} bench;
surekrig_status run_trial(const run *r, bench *b, const surekrig_progress *progress, trial *t, surekrig_error *error);
void bench_free(bench *b);

/* ---- pool.c */
surekrig_status run_trials(run *r, surekrig_error *error);

/* ---- summary.c */
typedef struct summary {
    int n;
    double mean, sd, least, lower, median, upper, most; /* lower, upper: quartiles */
} summary;
#define FIELD(name) offsetof(trial, name)
double field_of(const trial *t, size_t field);
/* Values of a field over finished trials; NULL: any scenario. value: [trials]. Returns how many. */
int values_of(const run *r, const scenario *s, const method *m, size_t field, double *value);
summary summarise(int n, double *value); /* sorts value */
summary summary_of(const run *r, const scenario *s, const method *m, size_t field);
/* Likewise of the ratio of two fields. */
summary ratio_of(const run *r, const scenario *s, const method *m, size_t field, size_t to);
bool method_ran(const run *r, const scenario *s, const method *m);
const method *find_method(const run *r, const char *loss, const char *preset); /* NULL: not in the study */

/* ---- paper.c */
typedef struct paper_row {
    const char *scenario, *loss;
    double value[7][2]; /* nu, rho, MAE, RMSE, COV, CRPS, INT; mean and spread */
} paper_row;
const paper_row *paper_find(const char *name, const char *loss); /* NULL: none */
double paper_coverage(const char *loss, int which);              /* over all four cases: mean 0, spread 1 */
typedef struct competitor {
    const char *name;
    double mae, rmse, crps, interval, cov, minutes;
    int cores;
} competitor;
const competitor *competitor_row(int number); /* NULL past the last */
extern const char COMPETITION_NOTE[];

/* ---- table.c */
typedef struct cell {
    char text[96];
    double value; /* what best is judged by; NaN: not judged */
    bool best;
} cell;
struct table {
    char title[160], note[800];
    int columns, rows, capacity;
    char heading[16][48];
    cell *cell; /* [capacity][columns] */
};
/* headings: "loss|MAE|RMSE" */
table *table_new(run *r, const char *title, const char *headings, surekrig_error *error);
cell *table_row(table *t, surekrig_error *error); /* NULL: no memory */
void put_text(cell *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void put_number(cell *c, double value);
void put_summary(cell *c, const summary *s);
void put_pair(cell *c, double mean, double spread);
void put_published(cell *c, double mean, double spread); /* in the digits it was published with */
/* Marks, from a row on, the smallest value of a column, or the nearest to target. */
void mark_best(table *t, int column, int from, double target);
void table_free(table *t);
surekrig_status write_tables(run *r, surekrig_error *error);
surekrig_status bar_row(table *t, const char *what, double reached, const char *relation, double bound,
                        surekrig_error *error);

/* ---- tables.c: those that several studies have */
bool scenario_ran(const run *r, const scenario *s);
/* Estimates and scores of a case: the truth, every method, and under `published` what the paper found. */
surekrig_status scores_table(run *r, const scenario *s, const char *published, surekrig_error *error);
surekrig_status closing_tables(run *r, surekrig_error *error); /* times and settings */
table *bars_table(run *r, surekrig_error *error);

/* ---- json.c */
surekrig_status write_json(run *r, surekrig_error *error);

/* ---- figure.c */
/* A script and its data under figures/. The script draws once for each of SVG and PNG; width and height in pixels. */
surekrig_status script_open(run *r, const char *name, int width, int height, output *o, surekrig_error *error);
surekrig_status script_close(run *r, output *o, const char *name, const char *caption, surekrig_error *error);
surekrig_status draw_figures(run *r, surekrig_error *error);

/* ---- violin.c */
typedef struct panel {
    char title[96];
    double target; /* a dashed line; NaN: none */
    bool log;
    size_t field;
    int violins;
    struct {
        char label[48];
        const scenario *scenario; /* NULL: all of them */
        const method *method;
    } violin[16];
} panel;
typedef struct violin_figure {
    char name[48], caption[640];
    int rows, panels;
    bool one_scale;  /* of all panels */
    panel panel[16]; /* row by row */
} violin_figure;
void add_violin(const run *r, panel *p, const scenario *s, const method *m,
                const char *label); /* where there are trials */
/* Draws nothing where no panel has a violin. */
surekrig_status violin_draw(run *r, const violin_figure *f, surekrig_error *error);
/* Outline of a kernel density estimate at `at`, of sorted values. */
double density_at(int n, const double *value, double width, double at);
double density_width(int n, const double *value);

/* Coverage at 0.95, a panel a preset: over all cases together, or with each of them apart. */
surekrig_status coverage_figure(run *r, bool apart, surekrig_error *error);

/* ---- curves.c */
surekrig_status calibration_figure(run *r, const char *preset, surekrig_error *error);
surekrig_status trace_figure(run *r, const char *loss, const char *preset, surekrig_error *error);
surekrig_status preset_figures(run *r, surekrig_error *error); /* both, of MM, for each preset */

/* ---- maps.c */
surekrig_status map_figure(run *r, const trial *t, surekrig_error *error);
void predictions_name(const run *r, const trial *t, char name[128]); /* empty: none are kept */

/* ---- report.c */
surekrig_status write_report(run *r, surekrig_error *error);

#endif
