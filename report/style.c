#include "report.h"

#include <math.h>
#include <string.h>

void report_terminal(FILE *to, const char *kind, int width, int height)
{
    if (kind[0] == 's')
        fprintf(to, "set terminal svg size %d,%d dynamic enhanced font 'sans-serif,11' background '#ffffff'\n", width,
                height);
    else if (kind[1] == 'n')
        fprintf(to,
                "set terminal pngcairo size %d,%d enhanced font 'sans,11' fontscale 2 linewidth 2 pointscale 2 "
                "background '#ffffff'\n",
                2 * width, 2 * height);
    else /* in inches, of 96 pixels */
        fprintf(
            to,
            "set terminal pdfcairo size %.4g,%.4g enhanced font 'sans,11' fontscale 0.75 linewidth 1.2 pointscale 0.8 background '#ffffff'\n",
            width / 96.0, height / 96.0);
}

void report_style(FILE *to)
{
    fputs("set encoding utf8\n"
          "set border 3 lc rgb '#888888'\nset tics nomirror scale 0.5 textcolor rgb '#444444'\n"
          "set title offset 0,-0.4 font ',10'\n"
          "set grid ytics lt 1 lc rgb '#e8e8e8' lw 0.7\n",
          to);
}

/* Nine colours of viridis (van der Walt and Smith), at equal distances; between them straight lines. */
enum { ANCHORS = 9 };
static const unsigned char VIRIDIS[ANCHORS][3] = {{0x44, 0x01, 0x54}, {0x47, 0x2d, 0x7b}, {0x3b, 0x52, 0x8b},
                                                  {0x2c, 0x72, 0x8e}, {0x21, 0x91, 0x8c}, {0x28, 0xae, 0x80},
                                                  {0x5e, 0xc9, 0x62}, {0xad, 0xdc, 0x30}, {0xfd, 0xe7, 0x25}};

void report_colour(double share, char colour[8])
{
    double place = share * (ANCHORS - 1);
    int from = place < ANCHORS - 2 ? (int)place : ANCHORS - 2, part[3];
    for (int i = 0; i < 3; i++)
        part[i] = (int)(VIRIDIS[from][i] + (place - from) * (VIRIDIS[from + 1][i] - VIRIDIS[from][i]) + 0.5) & 0xff;
    snprintf(colour, 8, "#%02x%02x%02x", part[0], part[1], part[2]);
}

void report_viridis(FILE *to)
{
    char colour[8];
    fputs("set palette defined (", to);
    for (int i = 0; i < ANCHORS; i++) {
        double share = (double)i / (ANCHORS - 1);
        report_colour(share, colour);
        fprintf(to, "%s%g '%s'", i ? ", " : "", share, colour);
    }
    fputs(")\n", to);
}

/* Between single quotes nothing has a meaning, but a single quote that comes first would end them; between double ones
 * octal numbers stand for what has one, a command's ` among it. */
void report_text(FILE *to, const char *text)
{
    bool octal = strchr(text, '\'') != NULL;
    fputc(octal ? '"' : '\'', to);
    for (; *text; text++)
        if (octal && strchr("'\"\\`", *text))
            fprintf(to, "\\%03o", (unsigned)*text);
        else
            fputc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, to);
    fputc(octal ? '"' : '\'', to);
}

double report_step(double range, double most)
{
    double power = pow(10, floor(log10(range / most)));
    for (int i = 0; i < 3; i++) {
        double step = (i == 0 ? 1 : i == 1 ? 2 : 5) * power;
        if (range / step <= most)
            return step;
    }
    return 10 * power;
}
