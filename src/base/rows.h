/* Tables whose rows give a setting its words. Such a table is a macro, ROWS(FIRST, NEXT, LAST), that calls one of the
 * three on the name of each row, and on what else there is of it. */
#ifndef SK_ROWS_H
#define SK_ROWS_H

#define SK_ROW_ALONE(name, ...) #name
#define SK_ROW_SPACE(name, ...) " " #name
#define SK_ROW_COMMA(name, ...) ", " #name
#define SK_ROW_OR(name, ...) " or " #name

#define SK_ROW_WORDS(ROWS) ROWS(SK_ROW_ALONE, SK_ROW_SPACE, SK_ROW_SPACE) /* "a b c" */
#define SK_ROW_CHOICES(ROWS) ROWS(SK_ROW_ALONE, SK_ROW_COMMA, SK_ROW_OR)  /* "a, b or c" */

#endif
