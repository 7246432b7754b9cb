# Points that cannot be predicted: a sentence, and no output.
make_model
bad() { # FRAGMENT: bad.csv comes on standard input
    cat >bad.csv
    fails 1 "$1" surekrig predict m.model bad.csv -o z.csv
    fails 1 "$1" surekrig predict m.model bad.csv -o z.npy
}
: | bad "bad.csv is empty"
printf 'a,b\n1,2\n' | bad "bad.csv has no column 'x1'; it has a, b"
printf 'x1\n0.5\nabc\n' | bad "bad.csv, row 2 (line 3), column x1: 'abc' is not a number"
printf 'x1\n0.5\ninf\n' | bad "bad.csv, row 2, column x1: inf is not a finite number"
printf 'x1,b\n0.5,1\n0.5\n' | bad "bad.csv, row 2 (line 3): 1 cell"
printf 'x1\n0.5\n0.\0005\n' | bad "NUL byte"
cp m.model bad.model
fails 1 "bad.model is a model, and a table is wanted there: surekrig predict MODEL" surekrig predict m.model bad.model -o z.csv
fails 1 "m.model is a model, and a table is wanted there: surekrig score PREDICTIONS|MODEL TEST" surekrig score test.csv m.model
fails 1 "cannot read nosuch.csv: No such file or directory" surekrig predict m.model nosuch.csv -o z.csv
printf 'a,y\n1,2\n' >other.csv
fails 1 "other.csv has no column 'x1'" surekrig score m.model other.csv
make_plane
ok surekrig fit plane.csv -o plane.model $GIVEN
fails 1 "has no column 'x2'; it has x1, y" surekrig predict plane.model test.csv -o z.csv
fails 1 "" surekrig predict plane.model <(column x1 test.csv) -o z.csv # no names, and too few columns

# a fault far down: rows are counted from the first of the file
awk 'BEGIN { print "x1"; for (i = 1; i <= 66000; i++) print i == 65999 ? "inf" : i / 66000 }' >far.csv
fails 1 "65999" surekrig predict m.model far.csv --mean-only -o z.csv
