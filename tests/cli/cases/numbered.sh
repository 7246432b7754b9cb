# Numbers of rows, as programs put them before a table, are neither features nor a response, unless they are named.
make_plane
number() { # NAME: plane.csv with such a column before the others
    awk -F, -v OFS=, -v name="$1" '{ print NR == 1 ? name : NR + 1000, $0 }' plane.csv
}
ok surekrig fit plane.csv -o plain.model $GIVEN
ok surekrig predict plain.model plane.csv -o plain.csv
for name in '""' '' id FID 'Unnamed: 0' station_id; do
    number "$name" >numbered.csv
    ok surekrig fit numbered.csv -o numbered.model ${GIVEN% --quiet}
    says "numbers the rows and is left out: to take it as a feature, name all features by -x"
    ok surekrig predict numbered.model plane.csv -o numbered.predicted
    same numbered.predicted plain.csv
done
ok surekrig fit numbered.csv -o numbered.model $GIVEN
silent

# rows that are dropped leave gaps, which changes nothing; krige's points need no such column
number id | awk -F, -v OFS=, 'NR % 20 == 5 { $4 = "" } { print }' >gaps.csv
awk -F, -v OFS=, 'NR % 20 == 5 { $3 = "" } { print }' plane.csv >gaps.plain
ok surekrig krige gaps.csv plane.csv -o gaps.predicted $GIVEN --auto no
ok surekrig krige gaps.plain plane.csv -o gaps.expected $GIVEN --auto no
same gaps.predicted gaps.expected
cut -d , -f 1,2 plane.csv >points.csv
ok surekrig krige gaps.csv points.csv -o gaps.predicted --auto no
says "column id numbers the rows and is left out"

# in another order, as where rows were drawn for a test; but not of a name that a measurement may have
shuffled() {
    number "$1" | awk 'NR == 1 { print; next } { row[NR] = $0 } END { for (i = 2; i <= NR; i++) print row[2 + (i * 7) % (NR - 1)] }'
}
shuffled '""' >shuffled.csv
cut -d , -f 2- shuffled.csv >shuffled.plain
ok surekrig fit shuffled.csv -o shuffled.model ${GIVEN% --quiet}
says "numbers the rows and is left out"
ok surekrig fit shuffled.plain -o plain.model $GIVEN
ok surekrig predict plain.model plane.csv -o shuffled.plain
ok surekrig predict shuffled.model plane.csv -o shuffled.predicted
same shuffled.predicted shuffled.plain
shuffled no >shuffled.csv
ok surekrig fit shuffled.csv -o z.model --nu 1
says "3 features (no, x1, x2)"

# a feature where it is named, alone, another than whole numbers each of which is there once, or under another name
ok surekrig fit numbered.csv -x station_id,x1 -o z.model --nu 1
says "2 features (station_id, x1)"
number id | cut -d , -f 1,4 >alone.csv
ok surekrig fit alone.csv -o z.model --nu 1
says "1 feature (id)"
number id | awk -F, -v OFS=, 'NR == 9 { $1 = 1003 } { print }' >other.csv
ok surekrig fit other.csv -o z.model --nu 1
says "3 features (id, x1, x2)"
number depth >depth.csv
ok surekrig fit depth.csv -o z.model --nu 1
says "depth counts the rows, and is taken as a feature"
number id | tail -n +2 >bare.csv
ok surekrig fit bare.csv -o z.model --nu 1
says "3 features (c1, c2, c3)"

# as the last column they would be the response
awk -F, -v OFS=, '{ print $0, NR == 1 ? "id" : NR }' plane.csv >last.csv
fails 1 "last.csv: the last column, id, would be the response, but it numbers the rows: name the response by -y" \
    surekrig fit last.csv -o z.model
ok surekrig fit last.csv -y y -o last.model $GIVEN
ok surekrig predict last.model plane.csv -o last.predicted
same last.predicted plain.csv
ok surekrig fit last.csv -y id -o last.model --nu 1
says "response id"

# a map leaves them out, too, but not the row of a grid
awk 'BEGIN { print "id,easting,northing,clay"; for (i = 1; i < 40; i++) printf "%d,%g,%g,%g\n", i, sin(i), cos(2 * i), i % 7 }' >soil.csv
if command -v gnuplot >/dev/null; then
    ok surekrig plot map soil.csv -z clay -o soil.svg --script
    grep -q "xlabel 'easting'" soil.gp || fail "the map of soil is by its numbers"
    sed 's/id,easting/row,easting/' soil.csv >rows.csv
    ok surekrig plot map rows.csv -z clay -o rows.svg --script
    grep -q "xlabel 'row'" rows.gp || fail "the map of rows is not by them"
fi
# a coordinate as the last column is hardly the response
awk -F, '{ print $4 "," $2 "," $3 }' soil.csv >first.csv
ok surekrig fit first.csv -o first.model --evaluations 3
grep -q "the response is the last column, northing: -y NAME names another" "$err" || tell_and_fail "it is not told what the response is"
