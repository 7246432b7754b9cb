# One word in the first row makes no text of a column of numbers: it is an error there as in any other row.
make_plane
first() { # COLUMN WORD FILE: plane.csv with the word in that column's first cell
    awk -F, -v OFS=, -v c="$1" -v word="$2" 'NR == 2 { $c = word } { print }' plane.csv >"$3"
}
HINT="is not a number, and other rows hold numbers: if that means missing, say so by --na; if it is a unit, take the row out"
first 1 n.d. word.csv
fails 1 "word.csv, row 1 (line 2), column x1: 'n.d.' $HINT" surekrig fit word.csv -o z.model
ok surekrig fit word.csv --na n.d. -o z.model $GIVEN
ok surekrig info z.model
prints "179 points, 2 features (x1, x2)"
first 3 n.d. response.csv
fails 1 "response.csv, row 1 (line 2), column y: 'n.d.' $HINT" surekrig fit response.csv -o z.model
sed '1a m,m,degC' plane.csv >units.csv
fails 1 "units.csv, row 1 (line 2), column y: 'degC' $HINT" surekrig fit units.csv -o z.model
fails 1 "units.csv, row 1 (line 2), column x1: 'm' $HINT" surekrig krige plane.csv units.csv --auto no -o z.csv
fails 1 "row 1 (line 2), column x1: 'n.d.' $HINT" surekrig fit <(cat word.csv) -o z.model

# a text whose first cell means missing, too; dates are looked for where the first is
awk -F, -v OFS=, '{ print (NR == 1 ? "wall" : NR % 3 ? "None" : "brick"), (NR == 1 ? "day" : NR < 4 ? "" : "2024-01-1" NR % 9), $0 }' plane.csv >wall.csv
sed -n 2p wall.csv | grep -q ^None
ok surekrig fit wall.csv -x day,x1,x2 -y y --time day -o z.model --nu 1
ok surekrig fit wall.csv -o z.model --nu 1
says "column wall is text and left out"
sed '2s/None,,/None,None,/; s/brick/None/' wall.csv >none.csv
ok surekrig fit none.csv -x day,x1,x2 -y y --time day -o z.model --nu 1
ok surekrig fit none.csv -o z.model --nu 1
says "column wall is text and left out"

# a response that nobody has named is the last column, and a text there is no typing error
awk -F, -v OFS=, '{ print $0, NR == 1 ? "kind" : "a" NR % 3 }' plane.csv >kind.csv
HOW="'a2' is not a number; -y NAME names the response"
fails 1 "kind.csv, row 1 (line 2), column kind: $HOW" surekrig fit kind.csv -o z.model
fails 1 "kind.csv, row 1 (line 2), column kind: $HOW" surekrig krige kind.csv plane.csv -o z.csv
ok surekrig fit kind.csv -y y -o m.model $GIVEN
ok surekrig predict m.model plane.csv -o p.csv
fails 1 "kind.csv, row 1 (line 2), column kind: $HOW" surekrig score p.csv kind.csv
tail -n +2 kind.csv | fails 1 "standard input, row 1 (line 1), column c4: $HOW" surekrig score m.model - --no-header
ok surekrig score p.csv kind.csv -y y
fails 1 "column kind: 'a2' is not a number" surekrig fit kind.csv -y kind -o z.model
! grep -q NAME "$err" || fail "-y names the response already"

# words in half of the rows or more are text, and so is a word among empty cells
awk -F, -v OFS=, '{ print NR == 1 ? "code" : NR % 2 ? NR : "a" NR, $0 }' plane.csv >half.csv
ok surekrig fit half.csv -o z.model --nu 1
says "column code is text and left out"
seq 30 | awk '{ print (NR == 1 ? "c" : ""), NR, NR * NR % 7 }' | tr ' ' , | sed '1i note,x,y' >note.csv
ok surekrig fit note.csv -o z.model --nu 1
says "column note is text and left out"
