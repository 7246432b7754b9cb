/* A map: cells of a grid in their colours, or dots where the points are scattered. Grey: no value. */
#include "report.h"

#include <math.h>

/* Pixels around the axes: for names, numbers of so many characters, and the colour bar. */
enum { NAME = 46, CHARACTER = 8, ABOVE = 16, TITLE = 24, BELOW = 56, BAR = 16, GAP = 14 };
enum { WIDEST = 640, HIGHEST = 520, RECTANGLES = 10000, COLOURS = 256 };

/* Characters of the longest number beside an axis. */
static int longest_number(double low, double high, double step)
{
    int longest = 0;
    for (double i = ceil(low / step); i <= floor(high / step); i++) {
        int length = snprintf(NULL, 0, "%.12g", i * step);
        longest = length > longest ? length : longest;
    }
    return longest;
}

typedef struct frame {
    double low[3], high[3], tics[3]; /* of the axes and of the colours */
    double left, width, height;      /* of the axes, in pixels */
    int canvas[2];                   /* of the picture */
} frame;

static frame make_frame(const report_map *map, const report_thinned *t)
{
    frame f;
    for (int a = 0; a < 2; a++) {
        double room = t->dots ? 0.03 * (t->box[a][1] - t->box[a][0]) : 0;
        f.low[a] = t->dots ? t->box[a][0] - room : t->first[a] - t->step[a] / 2;
        f.high[a] = t->dots ? t->box[a][1] + room : t->first[a] + (t->size[a] - 0.5) * t->step[a];
    }
    double tall = map->unit > 0 ? map->unit * (f.high[1] - f.low[1]) / (f.high[0] - f.low[0]) : 0.75;
    f.width = fmin(WIDEST, HIGHEST / tall);
    f.height = f.width * tall;
    f.low[2] = map->range[0];
    f.high[2] = map->range[1];
    for (int a = 0; a < 3; a++)
        f.tics[a] = report_step(f.high[a] - f.low[a], fmax(a ? f.height / 60 : f.width / 90, 2.5));
    f.left = NAME + CHARACTER * longest_number(f.low[1], f.high[1], f.tics[1]);
    f.canvas[0] = (int)(f.left + f.width + GAP + BAR + NAME +
                        CHARACTER * longest_number(f.low[2], f.high[2], f.tics[2]));
    f.canvas[1] = (int)(ABOVE + (map->title ? TITLE : 0) + f.height + BELOW);
    return f;
}

static void write_name(FILE *to, const char *what, const char *name)
{
    fprintf(to, "set %s ", what);
    report_text(to, name);
    fputs(" noenhanced\n", to); /* mean_temp is no mean with an index */
}

/* From left on, in pixels. */
static void write_margins(FILE *to, const frame *f, double left, double width)
{
    double across = f->canvas[0], up = f->canvas[1];
    fprintf(to, "set margins screen %.5f, screen %.5f, screen %.5f, screen %.5f\n", left / across,
            (left + width) / across, BELOW / up, (BELOW + f->height) / up);
}

static void write_axes(FILE *to, const report_map *map, const frame *f)
{
    static const char AXIS[] = "xy";
    fputs("set multiplot\nunset grid\nset border 15\nset format '%.12g'\nunset colorbox\n", to);
    write_margins(to, f, f->left, f->width);
    for (int a = 0; a < 2; a++)
        fprintf(to, "set %crange [%.15g:%.15g]\nset %ctics %.6g\n", AXIS[a], f->low[a], f->high[a], AXIS[a],
                f->tics[a]);
    write_name(to, "xlabel", map->name[0]);
    write_name(to, "ylabel", map->name[1]);
    if (map->title)
        write_name(to, "title", map->title);
    report_viridis(to);
    fprintf(to, "set cbrange [%.15g:%.15g]\n", f->low[2], f->high[2]);
}

static void write_number(FILE *to, double value)
{
    if (isnan(value))
        fputs("NaN", to);
    else
        fprintf(to, "%.12g", value); /* what differs by 1e-9 has a colour of its own */
}

/* A row of the file for each row of cells, the lowest first: one image; but few cells of an SVG are rectangles, which
 * stay sharp in any size (elsewhere they would have seams). */
static void write_cells(const report_thinned *t, report_picture *p)
{
    bool rectangles = p->kind[0] == 's' && (int64_t)t->size[0] * t->size[1] <= RECTANGLES;
    for (int j = 0; j < t->size[1]; j++)
        for (int i = 0; i < t->size[0]; i++) {
            write_number(p->data, t->mean[(int64_t)j * t->size[0] + i]);
            fputc(i + 1 < t->size[0] ? ' ' : '\n', p->data);
        }
    fputs("set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb '#d9d9d9' fs noborder\nplot ", p->script);
    report_picture_name_data(p);
    fprintf(p->script, " matrix using (%.15g+%.15g*$1):(%.15g+%.15g*$2):3 with image %snotitle\n", t->first[0],
            t->step[0], t->first[1], t->step[1], rectangles ? "pixels " : "");
}

/* x, y, value; those without a value first, so that they hide nothing. */
static void write_dots(const report_thinned *t, const frame *f, report_picture *p)
{
    int64_t n = t->points + t->missing;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < n; i++) {
            const double *dot = t->dot + 3 * i;
            if (isnan(dot[2]) == (pass == 0))
                fprintf(p->data, pass ? "%.15g %.15g %.12g\n" : "%.15g %.15g NaN\n", dot[0], dot[1], dot[2]);
        }
    double apart = sqrt(f->width * f->height / (double)n);                        /* pixels */
    double size = fmin(fmax(apart / 8, 0.25), 1) * (p->kind[0] == 's' ? 0.7 : 1); /* a point of SVG is larger */
    fputs("plot ", p->script);
    if (t->missing) {
        report_picture_name_data(p);
        fprintf(p->script, " every ::0::%lld using 1:2 with points pt 7 ps %.2g lc rgb '#cccccc' notitle, \\\n     ",
                (long long)t->missing - 1, size / 2);
    }
    report_picture_name_data(p);
    fprintf(p->script, " every ::%lld using 1:2:3 with points pt 7 ps %.2g palette notitle\n", (long long)t->missing,
            size);
}

/* The colours with their numbers. gnuplot's own bar is made of rectangles, which have seams in PDF. */
static void write_bar(FILE *to, const report_map *map, const frame *f)
{
    fputs("unset title\nunset object\nunset xlabel\nunset ylabel\nunset xtics\nunset ytics\n", to);
    write_margins(to, f, f->left + f->width + GAP, BAR);
    fprintf(to, "set xrange [0:1]\nset yrange [%.15g:%.15g]\nset y2range [%.15g:%.15g]\nset y2tics %.6g\n", f->low[2],
            f->high[2], f->low[2], f->high[2], f->tics[2]);
    write_name(to, "y2label", map->name[2]);
    double half = (f->high[2] - f->low[2]) / (2 * COLOURS); /* pixels reach half their width beyond their centers */
    fprintf(
        to,
        "set y2label offset -0.6,0\nset urange [0.25:0.75]\nset vrange [%.15g:%.15g]\nset samples 2\nset isosamples 2,%d\n",
        f->low[2] + half, f->high[2] - half, COLOURS);
    fputs("plot '++' using 1:2:2 with image notitle\nunset multiplot\n", to);
}

void report_map_draw(const report_map *map, const report_thinned *t, report_picture *p)
{
    frame f = make_frame(map, t);
    report_picture_begin(p, f.canvas[0], f.canvas[1]);
    write_axes(p->script, map, &f);
    if (t->dots)
        write_dots(t, &f, p);
    else
        write_cells(t, p);
    write_bar(p->script, map, &f);
}
