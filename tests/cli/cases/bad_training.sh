# Training data that allow no model: a sentence with the fault, and no model.
make_data
bad() { # FRAGMENT [OPTION...]: bad.csv comes on standard input
    local fragment=$1
    shift
    cat >bad.csv
    fails 1 "$fragment" surekrig fit bad.csv -o z.model "$@"
}
: | bad "bad.csv is empty"
printf '\n\n  \n' | bad "bad.csv is empty"
printf 'x,y\n' | bad "0 complete rows: kriging needs at least 2"
printf 'x,y\n1,2\n' | bad "1 complete row: kriging needs at least 2"
printf '1,2\n' | bad "1 complete row"
printf 'x,y\n1,2\n,3\n4,\n' | bad "1 complete row"
printf 'x,y\n,\nNA,1\n' | bad "0 complete rows"
printf 'y\n1\n2\n3\n' | bad "a response and at least one numeric feature are needed"
printf 'x,y\n1,2\n1,3\n1,4\n' | bad "x is constant (1 in all 3 rows)"
printf 'a,x,y\n4,7,2\n4,7,3\n4,7,4\n' | bad "a is constant (4 in all 3 rows)"
printf 'x,y\n1,5\n2,5\n3,5\n' | bad "y is constant (5 in all 3 rows)"
printf 'x,y\n1,2\n2,inf\n3,4\n' | bad "bad.csv, row 2, column y: inf is not a finite number"
printf 'x,y\n1,2\n-Inf,3\n3,4\n' | bad "bad.csv, row 2, column x: -inf is not a finite number"
printf 'x,y\n,2\n1,3\ninf,4\n5,6\n' | bad "row 3" # of the file, not of what is left of it
printf 'x,y\n1,2\n2,1e999\n3,4\n' | bad "bad.csv, row 2 (line 3), column y: '1e999' is too large"
printf 'x,y\n1,2\n2,abc\n3,4\n' | bad "bad.csv, row 2 (line 3), column y: 'abc' is not a number; if that means missing, say so by --na"
printf 'x,y\n1,2\n\n2x,3\n3,4\n' | bad "bad.csv, row 2 (line 4), column x: '2x' is not a number"
printf 'x,y\n1,2\n2\n3,4\n' | bad "bad.csv, row 2 (line 3): 1 cell"
printf 'x,y\n1,2\n2,3,4\n' | bad "bad.csv, row 2 (line 3): 3 cells where 2 are expected"
printf 'x,y\n1,"2\n2,3\n' | bad "never closed"
printf 'x,y\n1,"2"3\n2,3\n' | bad "closing quote"
printf 'x,x\n1,2\n2,3\n' | bad "both named 'x'"
printf 'x,y\n1,2\n2,\0003\n' | bad "NUL byte"
printf 'x,y\n1,2\n2,\x1b[31m\xff\n' | bad "'\\x1b[31m\\xff' is not a number" # a terminal is not to obey a file
head -c 3000 "$BASH" | bad "bad.csv, line 1: a NUL byte; is this a text file?"
printf '\211\376\315,\201\2\n\3\4\5\n\6' | bad "bad.csv"
# not what a table looks like, but what one is often kept in
printf 'x y\n1 2\n2 3\n' | bad "bad.csv has 1 column: a response and at least one numeric feature are needed; cells are separated by commas, semicolons or tabs, not by spaces"
printf 'x|y\n1|2\n2|3\n' | bad "are needed; a line 'sep=|' at its beginning says that cells are separated so"
printf '1 2\n2 3\n' | bad "not by spaces"
printf '"" "x" "y"\n1 2 3\n' | bad "closing quote of a cell; a quote inside a cell is written twice; cells are separated by commas, semicolons or tabs"
iconv -f UTF-8 -t UTF-16 train.csv | bad "bad.csv is text in UTF-16, and UTF-8 is needed: 'iconv -f UTF-16 -t UTF-8' makes it of it"
printf '\376\377\0x\0,\0y\0\n' | bad "bad.csv is text in UTF-16"
gzip -c train.csv | bad "bad.csv is compressed by gzip: 'gunzip' it first, or read the output of 'gunzip -c' as -"
printf 'PK\003\004\024\0' | bad "bad.csv is a ZIP archive, as .xlsx and .npz files are: write its table as CSV, or an array as NPY"
printf 'PAR1\025\004\025' | bad "bad.csv is a Parquet file"

fails 1 "k = 200 neighbours asked, 200 points given" surekrig fit train.csv -o z.model --neighbors 200
fails 1 "k = 4096 neighbours asked, 200 points given" surekrig fit train.csv -o z.model --neighbors 4096
ok surekrig fit train.csv -o most.model --neighbors 199 $GIVEN
fails 1 "rho has 2 values" surekrig fit train.csv -o z.model --rho 1,2
fails 1 "cannot read nosuch.csv: No such file or directory" surekrig fit nosuch.csv -o z.model
fails 1 "cannot read .: Is a directory" surekrig fit . -o z.model
fails 1 "standard input is empty" surekrig fit - -o z.model

# an old model stays as it was when its successor fails
ok surekrig fit train.csv -o m.model $GIVEN
printf 'x,y\n1,2\n2,abc\n3,4\n' >bad.csv
fails 1 "abc" surekrig fit bad.csv -o m.model

# two points are enough
printf 'x,y\n1,2\n2,3\n' >two.csv
ok surekrig fit two.csv -o two.model -q
ok surekrig predict two.model two.csv -o two.predicted
rows two.predicted 3
