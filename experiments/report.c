/* report.html: one file with everything in it, that needs no network and no script. */
#include "inside.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char STYLE[] =
    ":root{color-scheme:light "
    "dark;--ink:#1c2024;--soft:#5a6572;--line:#d9dee4;--paper:#fff;--band:#f5f7f9;--mark:#0a7d5a}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--soft:#9aa5b1;--line:#353c44;--paper:#14171a;--band:#"
    "1c2126;--mark:#4fd1a5}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 "
    "system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}\n"
    "main{max-width:80rem;margin:0 auto;padding:1.5rem 1rem 4rem}h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}\n"
    "h2{font-size:1.2rem;margin:2.5rem 0 .6rem}p{max-width:46rem}.lead{color:var(--soft)}\n"
    ".wide{overflow-x:auto;border:1px solid var(--line);border-radius:.5rem}\n"
    "table{border-collapse:collapse;width:100%;font-size:.8rem;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.36rem .45rem;text-align:right;border-bottom:1px solid var(--line)}td{white-space:nowrap}\n"
    "th:first-child,td:first-child{text-align:left}th{background:var(--band);font-weight:600;color:var(--soft)}\n"
    "tr:last-child td{border-bottom:0}td.best{font-weight:700;color:var(--mark)}td.no{color:#c8102e;font-weight:700}\n"
    ".note{font-size:.85rem;color:var(--soft);margin:.5rem 0}td.words,th.words{text-align:left;white-space:normal}\n"
    "figure{margin:1.5rem 0}figure .wide{background:#fff}figure img{display:block;width:100%;height:auto;margin:0 "
    "auto}\n"
    "figcaption{font-size:.9rem;color:var(--soft);margin-top:.5rem;max-width:46rem}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem "
    "1rem;font-size:.9rem}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n"
    "nav{font-size:.9rem;columns:2;margin:1rem 0}nav "
    "a{display:block;color:var(--mark);text-decoration:none;padding:.1rem 0}\n"
    "@media(max-width:60rem){figure img{min-width:var(--least)}}\n"
    "@media(max-width:40rem){main{padding:1rem .75rem}h1{font-size:1.35rem}nav{columns:1}th,td{padding:.35rem "
    ".5rem}}\n";

static void write_text(FILE *to, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", to);
        else if (*text == '&')
            fputs("&amp;", to);
        else if (*text == '"')
            fputs("&quot;", to);
        else
            fputc(*text, to);
}

static void write_table(FILE *to, const ex_table *t, int number)
{
    bool words = t->columns == 2; /* a list of settings: nothing to align */
    fprintf(to, "<section id=\"table-%d\"><h2>", number);
    write_text(to, t->title);
    fputs("</h2><div class=\"wide\"><table><thead><tr>", to);
    for (int j = 0; j < t->columns; j++) {
        fputs(words ? "<th class=\"words\">" : "<th>", to);
        write_text(to, t->heading[j]);
        fputs("</th>", to);
    }
    fputs("</tr></thead><tbody>\n", to);
    for (int i = 0; i < t->rows; i++) {
        fputs("<tr>", to);
        for (int j = 0; j < t->columns; j++) {
            const ex_cell *c = &t->cell[i * t->columns + j];
            fputs(words                         ? "<td class=\"words\">"
                  : c->best                     ? "<td class=\"best\">"
                  : !strcmp(c->text, "not met") ? "<td class=\"no\">"
                                                : "<td>",
                  to);
            write_text(to, c->text);
            fputs("</td>", to);
        }
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table></div>", to);
    if (*t->note) {
        fputs("<p class=\"note\">", to);
        write_text(to, t->note);
        fputs("</p>", to);
    }
    fputs("</section>\n", to);
}

/* ---- pictures */

static void write_base64(FILE *to, const unsigned char *bytes, size_t count)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        unsigned three = (unsigned)bytes[i] << 16 | (i + 1 < count ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (i + 2 < count ? bytes[i + 2] : 0);
        fputc(DIGITS[three >> 18 & 63], to);
        fputc(DIGITS[three >> 12 & 63], to);
        fputc(i + 1 < count ? DIGITS[three >> 6 & 63] : '=', to);
        fputc(i + 2 < count ? DIGITS[three & 63] : '=', to);
    }
}

/* The whole file, the caller's; NULL where it cannot be read. */
static unsigned char *read_whole(const char *path, size_t *size)
{
    struct stat file;
    FILE *from = stat(path, &file) ? NULL : fopen(path, "rb");
    unsigned char *bytes = from ? malloc((size_t)file.st_size + 1) : NULL;
    *size = bytes ? fread(bytes, 1, (size_t)file.st_size, from) : 0;
    if (from)
        fclose(from);
    return bytes;
}

/* SVG, unless it is so large (a map of pixels) that PNG serves better. */
static surekrig_status write_picture(const ex_run *r, FILE *to, const ex_figure *f, surekrig_error *error)
{
    enum { LARGE = 400000 };
    char path[EX_PATH_SIZE], file[96];
    size_t size;
    snprintf(file, sizeof file, "figures/%s.svg", f->name);
    ex_path_in(r, file, path);
    unsigned char *bytes = read_whole(path, &size);
    bool svg = bytes && size <= LARGE;
    if (!svg) {
        free(bytes);
        snprintf(file, sizeof file, "figures/%s.png", f->name);
        ex_path_in(r, file, path);
        bytes = read_whole(path, &size);
    }
    if (!bytes)
        return ex_fail(error, SUREKRIG_FILE, "cannot read %s: %s", path, strerror(errno));
    fprintf(to, "<img alt=\"%s\" style=\"--least:%dpx;max-width:%dpx\" src=\"data:image/%s;base64,", f->name,
            f->width * 4 / 5, f->width * 4 / 3, svg ? "svg+xml" : "png");
    write_base64(to, bytes, size);
    fputs("\">", to);
    free(bytes);
    return SUREKRIG_OK;
}

static surekrig_status write_figure(const ex_run *r, FILE *to, const ex_figure *f, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    fprintf(to, "<figure id=\"figure-%s\">", f->name);
    if (f->drawn) {
        fputs("<div class=\"wide\">", to);
        status = write_picture(r, to, f, error);
        fputs("</div>", to);
    }
    fputs("<figcaption>", to);
    write_text(to, f->caption);
    fprintf(to,
            f->drawn ? " <code>figures/%s.gp</code></figcaption></figure>\n"
                     : " Not drawn: gnuplot was missing or failed; its script is "
                       "<code>figures/%s.gp</code>.</figcaption></figure>\n",
            f->name);
    return status;
}

/* ---- the page */

__attribute__((format(printf, 3, 4))) static void write_fact(FILE *to, const char *name, const char *format, ...)
{
    char text[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(to, "<dt>%s</dt><dd>", name);
    write_text(to, text);
    fputs("</dd>\n", to);
}

static void write_facts(const ex_run *r, FILE *to)
{
    const experiment_options *o = r->options;
    double work = 0;
    for (int i = 0; i < r->trials; i++)
        work += r->trial[i].seconds + r->trial[i].predict_seconds;
    fputs("<dl>", to);
    write_fact(to, "version", "surekrig %s", surekrig_version());
    write_fact(to, "trials", "%d of each case and method, %d in all", o->trials, r->trials);
    write_fact(to, "seeds", "%llu to %llu for batch and search; data %llu%s", (unsigned long long)r->seed,
               (unsigned long long)r->seed + (unsigned long long)o->trials - 1, (unsigned long long)o->data_seed,
               r->study->files                       ? " (given)"
               : o->fresh_data || r->study->own_data ? " and on, new for each trial"
                                                     : ", shared by all trials");
    if (r->study->files)
        write_fact(to, "data", "%lld training points, %lld test points", (long long)r->source.n,
                   (long long)r->source.m);
    else
        write_fact(to, "data", "%lld points, held out: %s", (long long)r->points,
                   o->random_half ? "a random half" : "every other point");
    write_fact(to, "settings of every fit", "%s", *r->words ? r->words : "as the methods say, below");
    write_fact(to, "time", "%.0f seconds of one core for fits and predictions, %d at once", work, r->threads);
    fputs("</dl>\n", to);
}

static void write_head(const ex_run *r, FILE *to)
{
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width,initial-scale=1\">\n<title>",
          to);
    write_text(to, r->study->title);
    fprintf(to, "</title>\n<style>\n%s</style></head><body><main>\n<h1>", STYLE);
    write_text(to, r->study->title);
    fputs("</h1>\n<p class=\"lead\">", to);
    write_text(to, r->study->about);
    fputs("</p>\n", to);
    write_facts(r, to);
    fputs("<nav>", to);
    for (int i = 0; i < r->tables; i++) {
        fprintf(to, "<a href=\"#table-%d\">", i + 1);
        write_text(to, r->table[i]->title);
        fputs("</a>\n", to);
    }
    fputs("<a href=\"#figures\">Figures</a></nav>\n", to);
}

surekrig_status ex_write_report(ex_run *r, surekrig_error *error)
{
    ex_output o;
    surekrig_status status = ex_output_open(r, "report.html", &o, error);
    if (status)
        return status;
    write_head(r, o.to);
    if (r->figures > 0) /* the result at a glance */
        status = write_figure(r, o.to, &r->figure[0], error);
    for (int i = 0; i < r->tables; i++)
        write_table(o.to, r->table[i], i + 1);
    fputs("<h2 id=\"figures\">Figures</h2>\n", o.to);
    for (int i = 1; i < r->figures && !status; i++)
        status = write_figure(r, o.to, &r->figure[i], error);
    fputs("</main></body></html>\n", o.to);
    surekrig_error second;
    surekrig_status committed = ex_output_commit(&o, status ? &second : error);
    return status ? status : committed;
}
