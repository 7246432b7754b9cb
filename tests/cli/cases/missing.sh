# Missing values: rows of training data are dropped and counted, rows of points stay with empty cells.
make_model
ok surekrig predict m.model test.csv -o expected.csv
{ head -n 1 train.csv
  printf ',1\nNA,1\n0.5,\n0.5,nan\n"",2\n0.5,NaN\nna,NA\n 0.5 , \n'
  tail -n +2 train.csv; } >gaps.csv
ok surekrig fit gaps.csv -o gaps.model --preset coverage --nu 0.5 --rho 0.2 --tau2 0.01 --coverage none
says "8 of 208 rows dropped: a value is missing"
says "200 points"
ok surekrig predict gaps.model test.csv -o predicted.csv
same predicted.csv expected.csv
awk -F, -v OFS=, 'BEGIN { split("#N/A N/A null NULL None none", word, " ") }
    NR > 1 && NR < 8 { print (NR % 2 ? 0.5 : word[NR - 1]), (NR % 2 ? word[NR - 1] : 1) } { print }' train.csv >words.csv
ok surekrig fit words.csv -o gaps.model --preset coverage --nu 0.5 --rho 0.2 --tau2 0.01 --coverage none
says "6 of 206 rows dropped: a value is missing"
ok surekrig predict gaps.model test.csv -o predicted.csv
same predicted.csv expected.csv
sed '3s/,.*/,-/' train.csv >dash.csv # may be a sign of many things
fails 1 "'-' is not a number; if that means missing, say so by --na" surekrig fit dash.csv -o z.model
awk -F, -v OFS=, '{ print $1, NR % 3 ? "" : 5, $2 }' train.csv | sed '1s/,,/,other,/' >elsewhere.csv
ok surekrig fit elsewhere.csv -x x1 -y y -o elsewhere.model $GIVEN # gaps in columns that are not used do not matter
silent

make_plane
ok surekrig fit plane.csv -o plane.model $GIVEN
printf 'x1,x2\n0.5,0.5\n,0.5\n0.5,NA\n0.25,0.25\nnan,NaN\n' >points.csv
ok surekrig predict plane.model points.csv -o predicted.csv
rows predicted.csv 6
says "surekrig predict: 3 of 5 points cannot be predicted: a feature is missing"
ok surekrig predict plane.model points.csv -o predicted.csv -q
silent
equal "$(sed -n 3p predicted.csv)" ",0.5,,,,"
equal "$(sed -n 4p predicted.csv)" "0.5,,,,,"
equal "$(sed -n 6p predicted.csv)" ",,,,,"
printf 'x1,x2\n0.5,0.5\n0.25,0.25\n' >whole.csv
ok surekrig predict plane.model whole.csv -o whole.predicted
equal "$(sed -n '1p;2p;5p' predicted.csv | cksum)" "$(cksum <whole.predicted)"

# a comma at the end of each row makes a column without name and values, which is neither response nor feature
sed 's/$/,/' plane.csv >trail.csv
ok surekrig fit trail.csv -o trail.model ${GIVEN% --quiet}
says "column c4 has neither a name nor values and is left out"
ok surekrig predict trail.model whole.csv -o trail.predicted
same trail.predicted whole.predicted
ok surekrig predict trail.model trail.csv -o trail.predicted
ok surekrig score trail.predicted trail.csv
prints " 180 "
tail -n +2 trail.csv >bare.csv
ok surekrig fit bare.csv -o trail.model $GIVEN
ok surekrig info trail.model
prints "2 features (c1, c2), response c3"
sed '1s/$/rain/' trail.csv >rain.csv # with a name it is what the user meant
fails 1 "180 of 180 rows dropped: a value is missing; column rain has none" surekrig fit rain.csv -o z.model

# and in scores they are left out
awk -F, -v OFS=, 'NR == 5 || NR == 9 { $2 = "" } NR == 7 { $1 = "NA" } { print }' test.csv >gappy.csv
ok surekrig score m.model gappy.csv --json
equal "$(json_value n "$out")" 197
cp "$out" model.json
ok surekrig predict m.model gappy.csv -o gappy.predicted
ok surekrig score gappy.predicted gappy.csv --json
same "$out" model.json
ok surekrig score gappy.predicted gappy.csv
prints "3 rows left out: a value is missing"

# a mark that nobody has named is told; a value that only looks like one is not
awk -F, -v OFS=, 'NR % 40 == 2 { $2 = -9999 } { print }' train.csv >marked.csv
ok surekrig fit marked.csv -o marked.model $GIVEN
says "y is -9999 in 5 rows, far from all others: if that means missing, say --na -9999"
ok surekrig fit marked.csv --na -9999 -o marked.model $GIVEN
! grep -q "far from all others" "$err" || fail "a mark that was named is suspected"
for mark in -9999 9.96921e+36 -3.4028234663852886e+38 -999.9 -999.25 -32768 1e+30; do # also in one row, of a response or of a feature
    awk -F, -v OFS=, -v mark=$mark 'NR == 77 { $2 = mark } { print }' train.csv >marked.csv
    ok surekrig fit marked.csv -o marked.model $GIVEN
    says "y is $mark in 1 row, far from all others: if that means missing, say --na $mark"
    ok surekrig fit marked.csv --na $mark -o marked.model $GIVEN
    says "1 of 200 rows dropped"
    ! grep -q "far from all others" "$err" || fail "a mark that was named is suspected"
done
awk -F, -v OFS=, 'NR == 77 { $1 = -9999 } { print }' train.csv >marked.csv
ok surekrig fit marked.csv -o marked.model $GIVEN
says "x1 is -9999 in 1 row, far"
awk -F, -v OFS=, 'NR == 77 { $2 = 99 } { print }' train.csv >marked.csv
ok surekrig fit marked.csv -o marked.model $GIVEN
silent
awk -F, -v OFS=, 'NR > 1 { $2 = NR % 50 ? 99 - 100 * $1 : 99 } { print }' train.csv >high.csv
ok surekrig fit high.csv -o high.model $GIVEN
silent
# a mark that is too large for a number, and does not stand for inf
awk -F, -v OFS=, 'NR == 77 { $2 = "1e400" } { print }' train.csv >huge.csv
fails 1 "'1e400' is too large for a double" surekrig fit huge.csv -o huge.model
ok surekrig fit huge.csv --na -1,1e400 -o huge.model $GIVEN
says "1 of 200 rows dropped: a value is missing"
sed '9s/,.*/,inf/' huge.csv >inf.csv
fails 1 "inf is not a finite number" surekrig fit inf.csv --na 1e400 -o huge.model
# a mark in a feature, missing to predict and not to score
awk -F, -v OFS=, 'NR == 4 { $1 = -9999 } { print }' test.csv >marked.test
ok surekrig predict m.model marked.test --na -9999 -o marked.predicted
fails 1 "nan there, -9999 here; the rows must be the same, in the same order; --na says what means missing" \
    surekrig score marked.predicted marked.test
ok surekrig score marked.predicted marked.test --na -9999
# few rows are all left out: one table of scores
surekrig simulate --grid 20x15 --rho 0.5 --tau2 0.01 -o small.csv
ok surekrig fit small.csv -o small.model --nu 0.5 --tau2 0.01
equal "$(grep -c "^scores" "$err")" 1

# one value that would decide the scale of all is told, whatever it is; a large one among others is not
awk 'BEGIN {print "a,b,z"; for (i = 0; i < 300; i++) print i % 17 "," i % 23 "," (i == 7 ? 1e6 : sin(i))}' >gross.csv
ok surekrig fit gross.csv -o gross.model --evaluations 8
says "z is 1000000 in 1 row, far from all others: if that is an error, say --na 1000000"
awk 'BEGIN {print "a,b,z"; for (i = 0; i < 300; i++) print i % 17 "," i % 23 "," (i == 7 ? 50 : sin(i))}' >large.csv
ok surekrig fit large.csv -o large.model --evaluations 8
! grep -q "far from all others" "$err" || fail "$(cat "$err")"
