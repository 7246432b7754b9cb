/* Half the squared differences of a response by distance, and what the model says of them. */
#include "report.h"

#include <math.h>

static void write_data(FILE *to, const report_variogram *v)
{
    fputs("# distance, semivariance, pairs\n", to);
    for (int i = 0; i < v->classes; i++)
        fprintf(to, "%.10g %.10g %.10g\n", v->distance[i], v->semivariance[i], v->pairs[i]);
    fputs("\n\n# distance, of the model\n", to);
    for (int i = 0; i < v->steps; i++)
        fprintf(to, "%.10g %.10g\n", v->step[i], v->fitted[i]);
}

static double largest(int n, const double *value)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, value[i]);
    return most;
}

void report_variogram_draw(const report_variogram *v, report_picture *p)
{
    FILE *to = p->script;
    double far = fmax(largest(v->classes, v->distance), v->steps ? v->step[v->steps - 1] : 0);
    double high = fmax(largest(v->classes, v->semivariance), largest(v->steps, v->fitted));
    write_data(p->data, v);
    report_picture_begin(p, 560, v->title ? 400 : 380);
    if (v->title) {
        fputs("set title ", to);
        report_text(to, v->title);
        fputs(" noenhanced\n", to);
    }
    fputs("set xlabel ", to);
    report_text(to, v->unit);
    fputs(" noenhanced\nset ylabel ", to);
    report_text(to, v->response);
    fprintf(to,
            " noenhanced\nset xrange [0:%.10g]\nset yrange [0:%.10g]\nset key right bottom reverse Left samplen 2\n",
            1.02 * far, high > 0 ? 1.1 * high : 1);
    if (v->range <= far)
        fprintf(
            to,
            "set arrow from %.10g, graph 0 to %.10g, graph 1 nohead dt (8,5) lc rgb '#999999'\n"
            "set label 'practical range' at %.10g, graph 0.03 right rotate by 90 offset -0.8,6 font ',9' textcolor rgb '#777777'\n",
            v->range, v->range, v->range);
    fputs("plot ", to);
    if (v->steps) {
        report_picture_name_data(p);
        fprintf(to, " index 1 using 1:2 with lines lw 2 lc rgb '%s' title 'model', \\\n     ", REPORT_ORANGE);
    }
    report_picture_name_data(p);
    fprintf(to, " index 0 using 1:2 with points pt 7 ps 0.8 lc rgb '%s' title 'data'\n", REPORT_BLUE);
}
