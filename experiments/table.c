/* Tables of text: filled once, written as Markdown and as part of the report. */
#include "inside.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

ex_table *ex_table_new(ex_run *r, const char *title, const char *headings, surekrig_error *error)
{
    ex_table *t = r->tables < EX_MOST_TABLES ? calloc(1, sizeof *t) : NULL;
    if (!t) {
        ex_no_memory(error);
        return NULL;
    }
    snprintf(t->title, sizeof t->title, "%s", title);
    for (const char *at = headings; *at; at += strcspn(at, "|"), at += *at == '|')
        snprintf(t->heading[t->columns++], sizeof *t->heading, "%.*s", (int)strcspn(at, "|"), at);
    return r->table[r->tables++] = t;
}

ex_cell *ex_table_row(ex_table *t, surekrig_error *error)
{
    if (t->rows == t->capacity) {
        int capacity = 2 * t->capacity + 16;
        ex_cell *grown = realloc(t->cell, (size_t)capacity * (size_t)t->columns * sizeof *grown);
        if (!grown) {
            ex_no_memory(error);
            return NULL;
        }
        t->cell = grown;
        t->capacity = capacity;
    }
    ex_cell *row = t->cell + t->rows++ * t->columns;
    for (int i = 0; i < t->columns; i++)
        row[i] = (ex_cell){"", NAN, false};
    return row;
}

void ex_table_free(ex_table *t)
{
    free(t->cell);
    free(t);
}

void ex_put_text(ex_cell *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->text, sizeof c->text, format, arguments);
    va_end(arguments);
}

/* Enough digits to compare by, none to be distracted by; no exponent for what can be read without. */
static int print_value(char *to, size_t size, double value, int digits)
{
    if (isnan(value))
        return snprintf(to, size, "–");
    double large = fabs(value);
    if (value == 0)
        return snprintf(to, size, "0");
    if (large < 1e-3 || large >= 1e5)
        return snprintf(to, size, "%.*e", digits - 1, value);
    int before = (int)floor(log10(large)) + 1;
    return snprintf(to, size, "%.*f", digits > before ? digits - before : 0, value);
}

void ex_put_number(ex_cell *c, double value)
{
    print_value(c->text, sizeof c->text, value, 4);
    c->value = value;
}

void ex_put_pair(ex_cell *c, double mean, double spread)
{
    int at = print_value(c->text, sizeof c->text, mean, 4);
    if (!isnan(spread)) {
        at += snprintf(c->text + at, sizeof c->text - (size_t)at, " ± ");
        print_value(c->text + at, sizeof c->text - (size_t)at, spread, 2);
    }
    c->value = mean;
}

void ex_put_published(ex_cell *c, double mean, double spread)
{
    snprintf(c->text, sizeof c->text, "%#.3g ± %#.3g", mean, spread);
    c->value = mean;
}

void ex_put_summary(ex_cell *c, const ex_summary *s)
{
    ex_put_pair(c, s->mean, s->sd);
}

void ex_mark_best(ex_table *t, int column, int from, double target)
{
    double best = INFINITY;
    for (int i = from; i < t->rows; i++) {
        double value = t->cell[i * t->columns + column].value;
        best = fmin(best, isnan(target) ? value : fabs(value - target)); /* fmin passes over NaN */
    }
    for (int i = from; i < t->rows; i++) {
        ex_cell *c = &t->cell[i * t->columns + column];
        c->best = (isnan(target) ? c->value : fabs(c->value - target)) == best;
    }
}

surekrig_status ex_bar_row(ex_table *t, const char *what, double reached, const char *relation, double bound,
                           surekrig_error *error)
{
    ex_cell *row = ex_table_row(t, error);
    if (!row)
        return SUREKRIG_MEMORY;
    bool met = !strcmp(relation, ">") ? reached > bound : reached <= bound;
    ex_put_text(&row[0], "%s", what);
    ex_put_number(&row[1], reached);
    ex_put_text(&row[2], "%s %.4g", !strcmp(relation, "<=") ? "≤" : relation, bound);
    ex_put_text(&row[3], isnan(reached) ? "–" : met ? "met" : "not met");
    return SUREKRIG_OK;
}

/* ---- Markdown */

static void write_markdown(FILE *to, const ex_table *t)
{
    fprintf(to, "## %s\n\n|", t->title);
    for (int j = 0; j < t->columns; j++)
        fprintf(to, " %s |", t->heading[j]);
    fputs("\n|", to);
    for (int j = 0; j < t->columns; j++)
        fputs(j ? " ---: |" : " --- |", to);
    for (int i = 0; i < t->rows; i++) {
        fputs("\n|", to);
        for (int j = 0; j < t->columns; j++) {
            const ex_cell *c = &t->cell[i * t->columns + j];
            fprintf(to, c->best ? " **%s** |" : " %s |", c->text);
        }
    }
    fprintf(to, "\n\n%s%s", t->note, *t->note ? "\n\n" : "");
}

surekrig_status ex_write_tables(ex_run *r, surekrig_error *error)
{
    ex_output o;
    surekrig_status status = ex_output_open(r, "table.md", &o, error);
    if (status)
        return status;
    fprintf(o.to, "# %s\n\n", r->study->title);
    for (int i = 0; i < r->tables; i++)
        write_markdown(o.to, r->table[i]);
    return ex_output_commit(&o, error);
}
