/* Tables of text: filled once, written as Markdown and as part of the report. */
#include "inside.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

table *table_new(run *r, const char *title, const char *headings, surekrig_error *error)
{
    table *t = r->tables < MOST_TABLES ? calloc(1, sizeof *t) : NULL;
    if (!t) {
        no_memory(error);
        return NULL;
    }
    snprintf(t->title, sizeof t->title, "%s", title);
    for (const char *at = headings; *at; at += strcspn(at, "|"), at += *at == '|')
        snprintf(t->heading[t->columns++], sizeof *t->heading, "%.*s", (int)strcspn(at, "|"), at);
    return r->table[r->tables++] = t;
}

cell *table_row(table *t, surekrig_error *error)
{
    if (t->rows == t->capacity) {
        int capacity = 2 * t->capacity + 16;
        cell *grown = realloc(t->cell, (size_t)capacity * (size_t)t->columns * sizeof *grown);
        if (!grown) {
            no_memory(error);
            return NULL;
        }
        t->cell = grown;
        t->capacity = capacity;
    }
    cell *row = t->cell + t->rows++ * t->columns;
    for (int i = 0; i < t->columns; i++)
        row[i] = (cell){"", NAN, false};
    return row;
}

void table_free(table *t)
{
    free(t->cell);
    free(t);
}

void put_text(cell *c, const char *format, ...)
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

void put_number(cell *c, double value)
{
    print_value(c->text, sizeof c->text, value, 4);
    c->value = value;
}

void put_pair(cell *c, double mean, double spread)
{
    int at = print_value(c->text, sizeof c->text, mean, 4);
    if (!isnan(spread)) {
        at += snprintf(c->text + at, sizeof c->text - (size_t)at, " ± ");
        print_value(c->text + at, sizeof c->text - (size_t)at, spread, 2);
    }
    c->value = mean;
}

void put_published(cell *c, double mean, double spread)
{
    snprintf(c->text, sizeof c->text, "%#.3g ± %#.3g", mean, spread);
    c->value = mean;
}

void put_summary(cell *c, const summary *s)
{
    put_pair(c, s->mean, s->sd);
}

void mark_best(table *t, int column, int from, double target)
{
    double best = INFINITY;
    for (int i = from; i < t->rows; i++) {
        double value = t->cell[i * t->columns + column].value;
        best = fmin(best, isnan(target) ? value : fabs(value - target)); /* fmin passes over NaN */
    }
    for (int i = from; i < t->rows; i++) {
        cell *c = &t->cell[i * t->columns + column];
        c->best = (isnan(target) ? c->value : fabs(c->value - target)) == best;
    }
}

surekrig_status bar_row(table *t, const char *what, double reached, const char *relation, double bound,
                        surekrig_error *error)
{
    cell *row = table_row(t, error);
    if (!row)
        return SUREKRIG_MEMORY;
    bool met = !strcmp(relation, ">") ? reached > bound : reached <= bound;
    put_text(&row[0], "%s", what);
    put_number(&row[1], reached);
    put_text(&row[2], "%s %.4g", !strcmp(relation, "<=") ? "≤" : relation, bound);
    put_text(&row[3], isnan(reached) ? "–" : met ? "met" : "not met");
    return SUREKRIG_OK;
}

/* ---- Markdown */

static void write_markdown(FILE *to, const table *t)
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
            const cell *c = &t->cell[i * t->columns + j];
            fprintf(to, c->best ? " **%s** |" : " %s |", c->text);
        }
    }
    fprintf(to, "\n\n%s%s", t->note, *t->note ? "\n\n" : "");
}

surekrig_status write_tables(run *r, surekrig_error *error)
{
    output o;
    surekrig_status status = output_open(r, "table.md", &o, error);
    if (status)
        return status;
    fprintf(o.to, "# %s\n\n", r->study->title);
    for (int i = 0; i < r->tables; i++)
        write_markdown(o.to, r->table[i]);
    return output_commit(&o, error);
}
