# Columns that name groups: where a new group is predicted worse than the model thinks, --by is told; else nothing is.
make() { # OFFSET FILE [AWK]: 40 straight cruises of 15 places each over a smooth field, each cruise with an offset of its own
    awk -v offset="$1" 'BEGIN { srand(5); print "x,y,cruise,leg,temp"
        for (c = 0; c < 40; c++) { a = rand(); b = rand(); p = rand() - a; q = rand() - b; o = offset * (rand() + rand() + rand() - 1.5)
            for (i = 0; i < 15; i++) { t = rand(); x = a + t * p; y = b + t * q
                printf "%.5f,%.5f,%s,%d,%.5f\n", x, y, "C" c, c % 5, sin(4 * x) + cos(5 * y) + o + 0.2 * (rand() - 0.5) } } }' >"$2"
}
NEAR="--nu 0.5 --rho 0.7 --tau2 0.02" # about what a search finds
make 1 offset.csv
make 0 plain.csv
ok surekrig fit offset.csv -x x,y -o m.model $NEAR
says "surekrig fit: where a whole cruise is left out, errors are "
says "to predict for new ones, add --by cruise"
equal "$(grep -c -e --by "$err")" 1 # of several columns the one that matters
cp "$err" first
ok surekrig fit offset.csv -x x,y -o again.model $NEAR # a sample that is always the same
same <(grep -e --by first) <(grep -e --by "$err")
ok surekrig krige offset.csv --grid 0,0,1,1,0.1 -x x,y -o k.csv $NEAR --auto no
says "add --by cruise"
says "surekrig krige: where a whole cruise is left out"

# nothing is said without offsets, where it was asked for, or quietly; and nothing else changes
ok surekrig fit plain.csv -x x,y -o p.model $NEAR
! grep -q -e "--by" "$err" || fail "no offsets, and --by is told"
ok surekrig fit offset.csv -x x,y -o by.model --by cruise $NEAR
! grep -q "add --by" "$err" || fail "it was asked for"
ok surekrig fit offset.csv -x x,y -o quiet.model $NEAR -q
silent
ok surekrig predict m.model plain.csv -o m.csv
ok surekrig predict quiet.model plain.csv -o quiet.csv
same m.csv quiet.csv

# the number of a row, and measurements, name no groups; names may have commas and be missing
awk -F, -v OFS=, '{ print NR == 1 ? "row" : NR, NR == 1 ? "depth" : $1 / 3 + 0.001, $0 }' offset.csv >ids.csv
cut -d , -f 1-4,7 ids.csv >rows.csv
ok surekrig fit rows.csv -x x,y -o r.model $NEAR
! grep -q -e "--by" "$err" || fail "a number of each row, or a measurement, is told as a group"
awk -F, -v OFS=, 'NR > 1 { $3 = NR % 50 ? "\"" $3 ", \"\"the ship\"\"\"" : "" } { print }' offset.csv >commas.csv
ok surekrig fit commas.csv -x x,y -o c.model $NEAR
says "add --by cruise"

# a class of the response is no group: no new one will come; nor is a note that most rows do not have
awk 'BEGIN { srand(7); print "x,y,kind,temp"
    for (i = 0; i < 2000; i++) { x = rand(); y = rand(); t = sin(3 * x) * cos(3 * y) + 0.3 * (rand() - 0.5)
        printf "%.5f,%.5f,%s,%.5f\n", x, y, t < -0.5 ? "cold" : t < 0 ? "mild" : t < 0.5 ? "warm" : "hot", t } }' >kinds.csv
ok surekrig fit kinds.csv -x x,y -o k.model --nu 2.5 --rho 1 --tau2 0.02
! grep -q -e "--by" "$err" || tell_and_fail "a class of the response is told as a group"
awk -F, -v OFS=, 'NR > 1 { $4 = $1 > 0.7 ? "note " int(5 * $2) : ""; $5 += 3 * ($1 > 0.7) } { print $1, $2, $4, $5 }' plain.csv >notes.csv
ok surekrig fit notes.csv -x x,y -o n.model $NEAR
! grep -q -e "--by" "$err" || tell_and_fail "rows without a note are told as a group"

# rows without a name are in no group; those of other cruises tell what they told
awk -F, -v OFS=, 'NR > 1 && substr($3, 2) % 4 == 0 { $3 = NR % 2 ? "" : "NA" } { print }' offset.csv >some.csv
ok surekrig fit some.csv -x x,y -o s.model $NEAR
says "add --by cruise"

# long texts name nothing, be they alike in how they begin: they are dropped, and other columns are looked at all the same
awk -F, -v OFS=, 'BEGIN { for (i = 0; i < 400; i++) long = long "0123456789" }
    { print $1, $2, NR == 1 ? "shape" : "\"LINE (" long " " $3 ")\"", $3, $5 }' offset.csv >shapes.csv
ok surekrig fit shapes.csv -x x,y -y temp -o l.model $NEAR
says "add --by cruise"
awk 'NR > 1' shapes.csv | split -l 300 - part-
for part in part-*; do (head -n 1 shapes.csv; cat $part) >$part.csv; done
ok surekrig fit part-aa.csv part-ab.csv -x x,y -y temp -o l.model $NEAR # the text is dropped within a file
says "add --by cruise"
