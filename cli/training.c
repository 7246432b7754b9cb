/* The training table: its rows that have all that the columns chosen hold. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t rows_at_once(const cli_training *t)
{
    return cli_rows_at_once(16384, t->d + t->l + t->noise);
}

static void free_rows(void *training)
{
    cli_training *t = training;
    free(t->x);
    free(t->y);
    free(t->s);
    free(t->group);
    t->x = t->y = t->s = NULL;
    t->group = NULL;
}

surekrig_data cli_training_data(const cli_training *t)
{
    return (surekrig_data){.n = t->n,
                           .d = t->d,
                           .l = t->l,
                           .x = t->x,
                           .y = t->y,
                           .noise = t->noise ? t->s : NULL,
                           .x_names = t->x_names,
                           .y_names = t->y_names,
                           .targets = t->targets.n,
                           .target = t->targets.x,
                           .group = t->group,
                           .ranks = t->ranks};
}

void cli_give_training(cli_training *t)
{
    if (cli_on.when_dealt && t->ranks == cli_on.ranks)
        cli_on.when_dealt(cli_on.ranks, free_rows, t);
}

void cli_free_training(cli_training *t)
{
    free(t->column);
    free(t->there);
    free_rows(t);
    cli_groups_free(t->groups);
    cli_ids_free(&t->ids);
    free(t->x_names);
    free(t->y_names);
    io_close(t->reader);
    surekrig_model_free(t->from);
    free(t->targets.x);
}

static bool grow(double **values, int64_t capacity, int width)
{
    if (width == 0)
        return true;
    double *grown = realloc(*values, (size_t)capacity * (size_t)width * sizeof *grown);
    if (grown)
        *values = grown;
    return grown != NULL;
}

static bool set_capacity(cli_training *t, int64_t capacity)
{
    t->capacity = capacity;
    int64_t *group = t->bys ? realloc(t->group, (size_t)capacity * sizeof *group) : NULL;
    t->group = group ? group : t->group;
    return grow(&t->x, capacity, t->d) && grow(&t->y, capacity, t->l) && grow(&t->s, capacity, t->noise) &&
           (group || !t->bys);
}

/* For all that is expected and a little more, so that a file's arrays are rarely moved. */
static bool make_room(cli_training *t)
{
    if (t->n + rows_at_once(t) <= t->capacity)
        return true;
    int64_t expected = t->n + io_rows_left(t->reader), most = expected > t->n ? expected : 3 * t->n / 2;
    return set_capacity(t, most + most / 64 + rows_at_once(t));
}

static void take_row(cli_training *t, const double *row, int64_t group)
{
    int responses = 0, others = 0; /* that are there */
    for (int i = 0; i < t->d + t->l + t->noise; i++)
        *(i < t->l ? &responses : &others) += !isnan(row[i]);
    if (others < t->d + t->noise || responses < (t->each ? 1 : t->l)) {
        t->dropped++;
        for (int i = 0; i < t->d + t->l + t->noise; i++)
            t->there[i] += !isnan(row[i]);
        return;
    }
    t->seen++;
    memcpy(t->y + t->n * t->l, row, (size_t)t->l * sizeof *row);
    if (t->noise)
        t->s[t->n] = row[t->l];
    memcpy(t->x + t->n * t->d, row + t->l + t->noise, (size_t)t->d * sizeof *row);
    if (t->group)
        t->group[t->n] = group;
    t->n++;
}

static surekrig_status read_rows(cli_training *t, surekrig_error *error)
{
    int width = t->d + t->l + t->noise;
    double *block = malloc((size_t)rows_at_once(t) * (size_t)width * sizeof *block);
    t->there = calloc((size_t)width, sizeof *t->there);
    surekrig_status status = block && t->there ? SUREKRIG_OK : cli_no_memory(error);
    for (int64_t rows = 1; rows > 0 && !status;) {
        if (!make_room(t))
            status = cli_no_memory(error);
        else
            status = io_read(t->reader, cli_ids_at_once(&t->ids, rows_at_once(t)), block, &rows, error);
        if (!status)
            status = cli_check_finite(t->reader, rows, block, t->first + t->seen + t->dropped, error);
        const char *cells = t->bys || t->ids.columns ? io_kept_cells(t->reader) : NULL;
        for (int64_t i = 0; i < rows && !status; i++) {
            int64_t group = t->bys ? cli_group_number(&t->groups, cells) : 0, before = t->n;
            status = group < 0 ? cli_no_memory(error) : SUREKRIG_OK;
            take_row(t, block + i * width, group);
            if (t->ids.columns && t->n > before)
                cli_ids_take(&t->ids, cells);
            if (cells)
                cells += strlen(cells) + 1;
        }
        cli_ids_check(t);
    }
    free(block);
    if (!status && !set_capacity(t, t->n + 1)) /* gives back what was too much */
        status = cli_no_memory(error);
    return status;
}

static surekrig_status take_names(cli_training *t, surekrig_error *error)
{
    t->x_names = malloc((size_t)t->d * sizeof *t->x_names);
    t->y_names = malloc((size_t)t->l * sizeof *t->y_names);
    if (!t->x_names || !t->y_names)
        return cli_no_memory(error);
    for (int a = 0; a < t->d; a++)
        t->x_names[a] = io_column_name(t->reader, t->column[t->l + t->noise + a]);
    for (int q = 0; q < t->l; q++)
        t->y_names[q] = io_column_name(t->reader, t->column[q]);
    return SUREKRIG_OK;
}

/* What is plainly time though nobody says so, of the features that are left. */
static surekrig_status take_moment(const cli_call *call, cli_training *t, surekrig_error *error)
{
    double value;
    bool may = call->command->settings && t->time < 0 && !t->from;
    int found = may ? surekrig_settings_time(call->settings, t->d, (const char *const *)t->x_names) : -1;
    if (found < 0 || cli_is_constant(t, found, &value))
        return SUREKRIG_OK;
    t->time = found;
    if (!cli_value(call, "quiet"))
        fprintf(
            stderr,
            "surekrig %s: %s is taken for time, with a length scale of its own; --time none takes it for a feature like "
            "the others\n",
            call->command->name, t->x_names[found]);
    return surekrig_settings_set(call->settings, "time", t->x_names[found], error);
}

/* What time is, for the model; and that one time tells nothing. */
static surekrig_status look_at_time(const cli_call *call, const cli_training *t, surekrig_error *error)
{
    double at;
    if (t->time < 0)
        return SUREKRIG_OK;
    if (cli_is_constant(t, t->time, &at))
        fprintf(stderr, "surekrig %s: %s is the same in all rows: time is left out of distances\n", call->command->name,
                t->x_names[t->time]);
    bool dates = io_column_dates(t->reader, t->column[t->l + t->noise + t->time]);
    return surekrig_settings_set(call->settings, "time_unit", dates ? "date" : "number", error);
}

/* Of many ranks each has a part of the rows, one after another. */
static surekrig_status open_share(const cli_call *call, cli_training *t, surekrig_error *error)
{
    io_close(t->reader);
    t->reader = NULL;
    surekrig_status status = cli_open_part(call, 0, &t->reader, &t->first, error);
    if (!status)
        status = io_select(t->reader, t->d + t->l + t->noise, t->column, error);
    return status || !t->bys ? status : io_keep(t->reader, t->bys, t->by, error);
}

/* What all ranks have seen and dropped. */
static surekrig_status add_up(cli_training *t, surekrig_error *error)
{
    int64_t own[2] = {t->seen, t->dropped}, *all = malloc((size_t)cli_on.size * sizeof own);
    if (!all)
        return cli_no_memory(error);
    cli_on.gather(own, sizeof own, all);
    t->seen = t->dropped = 0;
    for (int r = 0; r < cli_on.size; r++) {
        t->seen += all[2 * r];
        t->dropped += all[2 * r + 1];
    }
    free(all);
    return SUREKRIG_OK;
}

/* Where no row is left, with the columns that have no value at all. */
static void tell_dropped(const cli_call *call, const cli_training *t)
{
    fprintf(stderr, "surekrig %s: %lld of %lld rows dropped: a value is missing%s", call->command->name,
            (long long)t->dropped, (long long)(t->seen + t->dropped),
            t->l > 1 && !t->each ? "; --each fits each response by itself, with all its rows" : "");
    int64_t before;
    for (int i = 0; i < io_selected(t->reader) && t->seen == 0; i++)
        if (cli_sum(t->there[i], &before) == 0)
            fprintf(stderr, "; column %s has none", io_selected_name(t->reader, i));
    fputs("\n", stderr);
}

surekrig_status cli_read_training(const cli_call *call, cli_training *t, surekrig_error *error)
{
    const char *from = cli_value(call, "from");
    t->each = cli_value(call, "each");
    t->ranks = cli_on.alike;
    surekrig_status status = from ? cli_load(from, &t->from, error) : SUREKRIG_OK;
    if (!status)
        status = cli_open_tables(call, 0, &t->reader, error);
    if (!status)
        status = cli_choose_columns(call, t, error);
    if (!status && cli_on.size > 1)
        status = open_share(call, t, error);
    if (!status)
        status = read_rows(t, error);
    if (status && t->reader && !t->from && !cli_value(call, "response"))
        cli_of_last_column(t->reader, status, error);
    if (!status && cli_on.size > 1)
        status = add_up(t, error);
    if (!status && cli_on.size > 1 && t->bys)
        status = cli_groups_join(&t->groups, t->n, t->group, error);
    if (!status && cli_on.size > 1)
        status = cli_gather_training(t, error);
    if (!status)
        status = take_names(t, error);
    if (!status && !t->from)
        status = cli_check_response(call, t, error);
    if (!status && !t->from && !cli_value(call, "features"))
        status = cli_drop_features(call, t, error);
    if (!status)
        status = take_moment(call, t, error);
    if (!status)
        status = look_at_time(call, t, error);
    if (!status && !t->from && t->ranks == cli_on.alike) /* all rows are here */
        cli_look_at_training(call, t);
    const char *targets = cli_value(call, "targets");
    if (!status && targets && !t->each)
        status = cli_read_targets(call, targets,
                                  &(surekrig_info){.d = t->d,
                                                   .l = t->l,
                                                   .x_names = t->x_names,
                                                   .y_names = t->y_names,
                                                   .settings = call->settings},
                                  &t->targets, error);
    if (!status && t->dropped)
        tell_dropped(call, t);
    if (!status && t->targets.dropped)
        fprintf(stderr, "surekrig %s: %lld of %lld targets left out: a feature is missing\n", call->command->name,
                (long long)t->targets.dropped, (long long)(t->targets.of + t->targets.dropped));
    if (!status && t->targets.n) {
        surekrig_data data = cli_training_data(t);
        cli_look_beyond(call, &data);
    }
    return status;
}
