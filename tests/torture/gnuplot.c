/* What torture calls gnuplot: its picture is the script and the data that it was given, so that a torn one shows.
 * Linked statically, so that calls of its own never fail. */
#include <stdio.h>
#include <string.h>

static int copy(const char *from, FILE *to)
{
    FILE *file = fopen(from, "r");
    int c = EOF;
    while (file && (c = getc(file)) != EOF)
        putc(c, to);
    return file ? fclose(file) : -1;
}

int main(int count, char **word)
{
    char data[4096];
    if (count == 2 && !strcmp(word[1], "--version"))
        return 0;
    FILE *picture = count == 2 ? fopen("o.svg", "w") : NULL;
    if (!picture)
        return 1;
    snprintf(data, sizeof data, "%s.dat", word[1]);
    if (copy(word[1], picture) || copy(data, picture))
        return 1;
    fputs("</svg>\n", picture);
    return fclose(picture) != 0;
}
