/* What a mistyped word was meant to be. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 40, FAR = 100 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* How many letters are wrong, missing, too many, or swapped with the next: cost[i][j] of the first i of a and j of b. */
static int distance(const char *a, size_t m, const char *b, size_t n)
{
    int cost[LONGEST + 1][LONGEST + 1];
    if (m > LONGEST || n > LONGEST)
        return FAR;
    for (size_t i = 0; i <= m; i++)
        for (size_t j = 0; j <= n; j++) {
            bool wrong = i && j && tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
            cost[i][j] = i == 0 ? (int)j : j == 0 ? (int)i : cost[i - 1][j - 1] + wrong;
            if (i && j)
                cost[i][j] = least(cost[i][j], 1 + least(cost[i - 1][j], cost[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    return cost[m][n];
}

/* What was typed is no guess: "nu = 'a'" of "0.01 to 50, inf, a range". A beginning, as long as three letters, is as
 * good as one wrong letter; else a third of them may be wrong. */
void cli_guess_among(cli_guess *guess, const char *candidate, size_t length)
{
    size_t typed = strlen(guess->word);
    int far = typed >= 3 && typed < length && !strncmp(guess->word, candidate, typed)
                  ? 1
                  : distance(guess->word, typed, candidate, length);
    if (typed == length && !strncmp(guess->word, candidate, length))
        return;
    int most = typed < 3 ? 0 : typed < 6 ? 1 : (int)least((int)typed / 3, 3);
    if (far > most || (*guess->best && far >= guess->distance) || length >= sizeof guess->best)
        return;
    guess->distance = far;
    snprintf(guess->best, sizeof guess->best, "%.*s", (int)length, candidate);
}

void cli_guess_words(cli_guess *guess, const char *words)
{
    while (*words) {
        words += strspn(words, " ,|");
        size_t length = strcspn(words, " ,|");
        cli_guess_among(guess, words, length);
        words += length;
    }
}

const char *cli_guessed(const cli_guess *guess, const char *before)
{
    static char sentence[120];
    snprintf(sentence, sizeof sentence, *guess->best ? "; did you mean %s%s?" : "%.0s%.0s", before, guess->best);
    return sentence;
}

const char *cli_guess_command(const char *word)
{
    cli_guess guess = {.word = word};
    for (int i = 0; cli_commands[i]; i++)
        cli_guess_among(&guess, cli_commands[i]->name, strlen(cli_commands[i]->name));
    return cli_guessed(&guess, "");
}
