/* What the files of experiments/ share, named ex_. Nobody else includes this. */
#ifndef EXPERIMENTS_INSIDE_H
#define EXPERIMENTS_INSIDE_H

#include "experiment.h"
#include "report.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

enum { EX_FIVE = 5, EX_CURVE = 19, EX_TARGET = 2, EX_PRESETS = 4, EX_PATH_SIZE = 4096 };

extern const char *const EX_PRESET[EX_PRESETS];
extern const double EX_FIVE_LEVELS[EX_FIVE]; /* those of the paper; EX_FIVE_LEVELS[EX_TARGET] = 0.95 */

/* ---- what is studied */

typedef struct ex_scenario {
    const char *name, *title;
    double nu, rho, tau2; /* of the truth; NaN where there is none */
    const char *settings; /* "mean=zero gamma2=1": what training is told */
    const char *truth;    /* settings of the model that knows the truth, or NULL */
    bool extra;           /* run only where it is named */
} ex_scenario;

typedef struct ex_method {
    const char *loss, *preset; /* "mm", "paper" */
    const char *label;
    const char *settings;
    const char *colour;
    const char *last; /* settings that go before a case's own, too; or NULL */
    const char *then; /* those of a second fit, which holds what the first estimated; or NULL */
} ex_method;

/* One trial: what identifies it, what was estimated and how it scored. */
typedef struct ex_trial {
    const ex_scenario *scenario;
    const ex_method *method;
    int number;
    bool done;
    uint64_t seed, data_seed;
    double nu, rho, tau2, gamma2, mean;
    double mae, rmse, cov, crps, interval, logdensity;
    double true_mae, true_rmse, true_cov, true_crps, true_interval, true_logdensity; /* the truth on the same data */
    double squares;   /* sum over the five levels of the squared deviation of the test points' coverage */
    double batch_cov; /* leave-one-out, at 0.95 */
    double evaluations, rounds, outcome, bounds, seconds, predict_seconds; /* bounds: estimates at one */
    double five[EX_FIVE], curve[EX_CURVE];                                 /* coverage of the test points */
} ex_trial;

/* Points to train on and points to test with, in one array, the former first. */
typedef struct ex_dataset {
    int64_t n, m, d;
    double *x, *y, *trend; /* [n + m][d], [n + m] and [n + m]: taken off y beforehand, or NULL */
    bool scored;
    surekrig_scores truth; /* NaN where there is none */
} ex_dataset;

typedef struct ex_run ex_run;

typedef struct ex_study {
    const char *name, *title, *sentence;
    const char *about; /* the report's first paragraph */
    int64_t points;
    bool files;    /* takes --train and --test; keeps its predictions, for maps */
    bool own_data; /* each trial draws its own, whether asked or not */
    int scenarios, methods;
    const ex_scenario *scenario;
    const ex_method *method;
    surekrig_status (*draw)(const ex_run *r, const ex_scenario *s, uint64_t seed, ex_dataset *data,
                            surekrig_error *error);
    surekrig_status (*tables)(ex_run *r, surekrig_error *error);
    surekrig_status (*figures)(ex_run *r, surekrig_error *error);
} ex_study;

extern const ex_study ex_study_synthetic, ex_study_temperature, ex_study_misspecified;

typedef struct ex_table ex_table;

typedef struct ex_figure {
    char name[48], caption[640];
    int width; /* in pixels, at which its text is readable */
    bool drawn;
} ex_figure;

enum { EX_MOST_TABLES = 16, EX_MOST_FIGURES = 16 };

struct ex_run {
    const ex_study *study;
    const experiment_options *options;
    char words[1024]; /* settings of every fit, from options */
    int64_t points;
    uint64_t seed;
    int threads;
    ex_dataset source; /* of files */
    int trials;
    ex_trial *trial; /* [trials], in the order they run */
    int log;         /* descriptor of trials.csv */
    int tables;
    ex_table *table[EX_MOST_TABLES];
    int figures;
    ex_figure figure[EX_MOST_FIGURES];
    double started;
    char note[512];
};

/* ---- study.c */
surekrig_status ex_fail(surekrig_error *error, surekrig_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Here, so that a checker of the sources sees that what it returns is no SUREKRIG_OK. */
static inline surekrig_status ex_no_memory(surekrig_error *error)
{
    ex_fail(error, SUREKRIG_MEMORY, "out of memory");
    return SUREKRIG_MEMORY;
}
double ex_now(void);
bool ex_stopped(const ex_run *r, const char *what); /* reports, and says whether to go on */

/* ---- plan.c */
/* Settings from words "name=value name=value". */
surekrig_status ex_apply_words(surekrig_settings *settings, const char *words, surekrig_error *error);
surekrig_status ex_make_plan(ex_run *r, surekrig_error *error);

/* ---- files.c */
void ex_path_in(const ex_run *r, const char *name, char path[EX_PATH_SIZE]);
typedef struct ex_output {
    FILE *to;
    char path[EX_PATH_SIZE], temporary[EX_PATH_SIZE];
} ex_output;
/* A text file of the directory, which appears whole at ex_output_commit or not at all. */
surekrig_status ex_output_open(const ex_run *r, const char *name, ex_output *o, surekrig_error *error);
surekrig_status ex_output_commit(ex_output *o, surekrig_error *error);

bool ex_is_there(const ex_run *r, const char *name);

/* ---- settings.c */
/* Writes settings.txt, or finds there what it would write. */
surekrig_status ex_settle_settings(const ex_run *r, surekrig_error *error);

/* ---- log.c */
/* Opens DIRECTORY/trials.csv and marks what it holds as done. */
surekrig_status ex_log_open(ex_run *r, surekrig_error *error);
surekrig_status ex_log_append(ex_run *r, const ex_trial *t, surekrig_error *error);
void ex_log_close(ex_run *r);
bool ex_trace_wanted(const ex_trial *t);
void ex_trace_name(const ex_trial *t, char name[128]);

/* ---- draw.c */
double ex_uniform(uint64_t seed, uint32_t stream, uint64_t index);
double ex_normal(uint64_t seed, uint32_t stream, uint64_t index);
surekrig_status ex_dataset_alloc(ex_dataset *data, int64_t n, int64_t m, int64_t d, surekrig_error *error);
void ex_dataset_free(ex_dataset *data);
surekrig_status ex_read_files(ex_run *r, surekrig_error *error);

/* ---- trial.c */
typedef struct ex_bench { /* what a worker keeps between trials */
    const ex_scenario *scenario;
    uint64_t data_seed;
    ex_dataset data;
    double *mean, *sd; /* [m] */
} ex_bench;
surekrig_status ex_run_trial(const ex_run *r, ex_bench *b, const surekrig_progress *progress, ex_trial *t,
                             surekrig_error *error);
void ex_bench_free(ex_bench *b);

/* ---- pool.c */
surekrig_status ex_run_trials(ex_run *r, surekrig_error *error);

/* ---- summary.c */
typedef struct ex_summary {
    int n;
    double mean, sd, least, lower, median, upper, most; /* lower, upper: quartiles */
} ex_summary;
#define EX_FIELD(name) offsetof(ex_trial, name)
double ex_field_of(const ex_trial *t, size_t field);
/* Values of a field over finished trials; NULL: any scenario. value: [trials]. Returns how many. */
int ex_values_of(const ex_run *r, const ex_scenario *s, const ex_method *m, size_t field, double *value);
ex_summary ex_summarise(int n, double *value); /* sorts value */
ex_summary ex_summary_of(const ex_run *r, const ex_scenario *s, const ex_method *m, size_t field);
/* Likewise of the ratio of two fields. */
ex_summary ex_ratio_of(const ex_run *r, const ex_scenario *s, const ex_method *m, size_t field, size_t to);
bool ex_method_ran(const ex_run *r, const ex_scenario *s, const ex_method *m);
const ex_method *ex_find_method(const ex_run *r, const char *loss, const char *preset); /* NULL: not in the study */

/* ---- paper.c */
typedef struct ex_paper_row {
    const char *scenario, *loss;
    double value[7][2]; /* nu, rho, MAE, RMSE, COV, CRPS, INT; mean and spread */
} ex_paper_row;
const ex_paper_row *ex_paper_find(const char *name, const char *loss); /* NULL: none */
double ex_paper_coverage(const char *loss, int which);                 /* over all four cases: mean 0, spread 1 */
typedef struct ex_competitor {
    const char *name;
    double mae, rmse, crps, interval, cov, minutes;
    int cores;
} ex_competitor;
const ex_competitor *ex_competitor_row(int number); /* NULL past the last */
extern const char EX_COMPETITION_NOTE[];

/* ---- table.c */
typedef struct ex_cell {
    char text[128];
    double value; /* what best is judged by; NaN: not judged */
    bool best;
} ex_cell;
struct ex_table {
    char title[160], note[800];
    int columns, rows, capacity;
    char heading[16][48];
    ex_cell *cell; /* [capacity][columns] */
};
/* headings: "loss|MAE|RMSE" */
ex_table *ex_table_new(ex_run *r, const char *title, const char *headings, surekrig_error *error);
ex_cell *ex_table_row(ex_table *t, surekrig_error *error); /* NULL: no memory */
void ex_put_text(ex_cell *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ex_put_number(ex_cell *c, double value);
void ex_put_summary(ex_cell *c, const ex_summary *s);
void ex_put_pair(ex_cell *c, double mean, double spread);
void ex_put_published(ex_cell *c, double mean, double spread); /* in the digits it was published with */
/* Marks, from a row on, the smallest value of a column, or the nearest to target. */
void ex_mark_best(ex_table *t, int column, int from, double target);
void ex_table_free(ex_table *t);
surekrig_status ex_write_tables(ex_run *r, surekrig_error *error);
surekrig_status ex_bar_row(ex_table *t, const char *what, double reached, const char *relation, double bound,
                           surekrig_error *error);

/* ---- tables.c: those that several studies have */
bool ex_scenario_ran(const ex_run *r, const ex_scenario *s);
/* Estimates and scores of a case: the truth, every method, and under `published` what the paper found. */
surekrig_status ex_scores_table(ex_run *r, const ex_scenario *s, const char *published, surekrig_error *error);
surekrig_status ex_closing_tables(ex_run *r, surekrig_error *error); /* times and settings */
ex_table *ex_bars_table(ex_run *r, surekrig_error *error);

/* ---- json.c */
surekrig_status ex_write_json(ex_run *r, surekrig_error *error);

/* ---- figure.c */
/* A script and its data under figures/. The script draws once for each of SVG and PNG; width and height in pixels. */
surekrig_status ex_script_open(ex_run *r, const char *name, int width, int height, ex_output *o, surekrig_error *error);
surekrig_status ex_script_close(ex_run *r, ex_output *o, const char *name, const char *caption, surekrig_error *error);
surekrig_status ex_draw_figures(ex_run *r, surekrig_error *error);

/* ---- violin.c */
typedef struct ex_panel {
    char title[96];
    double target; /* a dashed line; NaN: none */
    bool log;
    size_t field;
    int violins;
    struct {
        char label[48];
        const ex_scenario *scenario; /* NULL: all of them */
        const ex_method *method;
    } violin[16];
} ex_panel;
typedef struct ex_violin_figure {
    char name[48], caption[640];
    int rows, panels;
    bool one_scale;     /* of all panels */
    ex_panel panel[16]; /* row by row */
} ex_violin_figure;
void ex_add_violin(const ex_run *r, ex_panel *p, const ex_scenario *s, const ex_method *m,
                   const char *label); /* where there are trials */
/* Draws nothing where no panel has a violin. */
surekrig_status ex_violin_draw(ex_run *r, const ex_violin_figure *f, surekrig_error *error);
/* Outline of a kernel density estimate at `at`, of sorted values. */
double ex_density_at(int n, const double *value, double width, double at);
double ex_density_width(int n, const double *value);

/* Coverage at 0.95, a panel a preset: over all cases together, or with each of them apart. */
surekrig_status ex_coverage_figure(ex_run *r, bool apart, surekrig_error *error);

/* ---- curves.c */
surekrig_status ex_calibration_figure(ex_run *r, const char *preset, surekrig_error *error);
surekrig_status ex_trace_figure(ex_run *r, const char *loss, const char *preset, surekrig_error *error);
surekrig_status ex_preset_figures(ex_run *r, surekrig_error *error); /* both, of MM, for each preset */

/* ---- maps.c */
surekrig_status ex_map_figure(ex_run *r, const ex_trial *t, surekrig_error *error);
void ex_predictions_name(const ex_run *r, const ex_trial *t, char name[128]); /* empty: none are kept */

/* ---- report.c */
surekrig_status ex_write_report(ex_run *r, surekrig_error *error);

#endif
