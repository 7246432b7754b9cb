# A column that is time: numbers and dates, groups of rows that are left out together, and what is refused.
quick="--batch 100 --neighbors 15 --threads 1"
awk 'BEGIN { srand(4); print "station,x,y,day,temp"
    for (s = 0; s < 16; s++) { x[s] = rand(); y[s] = rand() }
    for (t = 1; t <= 20; t++) for (s = 0; s < 16; s++)
        printf "s%d,%.4f,%.4f,2024-02-%02d,%.4f\n", s, x[s], y[s], t + 9, sin(3 * x[s] + t / 4) + y[s] + 0.1 * rand() }' >t.csv
awk -F, 'NR == 1 || $1 !~ /^s1[0-3]?$/' t.csv >train.csv
awk -F, 'NR == 1 || $1 ~ /^s1[0-3]?$/' t.csv >test.csv
ok surekrig fit train.csv -o m.model $quick --time day --by station
says "(x, y, day), response temp"
says "  rho_x_y "
says "  time_nu "
says "without their group"
# dates are written as they were read, and numbers are not dates
ok surekrig predict m.model test.csv -o p.csv -q
cut -d, -f3 p.csv | diff - <(cut -d, -f4 test.csv) || fail "dates have changed"
awk -F, -v OFS=, 'NR > 1 { $4 = substr($4, 9, 2) + 0 } 1' test.csv >numbers.csv
fails 1 "column day holds numbers, and the training table has dates there" surekrig predict m.model numbers.csv -o z.csv
fails 1 "column day holds numbers, and the training table has dates there" surekrig fit numbers.csv --from m.model -o z.model
awk -F, -v OFS=, 'NR == 2 { $4 = "" } 1' test.csv >late.csv
fails 1 "column day is empty in the first row, so that its dates are not known as such: put a row with a date first" surekrig predict m.model late.csv -o z.csv
awk -F, -v OFS=, 'NR > 1 { $4 = $4 " " } 1' train.csv >blanks.csv
ok surekrig fit blanks.csv --from m.model -o blanks.model -q
fails 1 "column day holds numbers" surekrig krige train.csv numbers.csv --time day -o z.csv
# the day first, with points: the same days
awk -F, -v OFS=, 'NR > 1 { $4 = substr($4, 9, 2) "." substr($4, 6, 2) "." substr($4, 1, 4) } 1' train.csv >german.csv
ok surekrig fit german.csv -o german.model $quick --time day --by station -q
ok surekrig predict german.model test.csv -o gp.csv -q
same p.csv gp.csv
# the time of day and a time zone: the same instants, and so the same predictions
awk -F, -v OFS=, 'NR > 1 { $4 = $4 "T01:30:00+01:30" } 1' train.csv >zone.csv
awk -F, -v OFS=, 'NR > 1 { $4 = $4 " 00:00Z" } 1' test.csv >zulu.csv
ok surekrig fit zone.csv -o zone.model $quick --time day --by station -q
ok surekrig predict zone.model zulu.csv -o zp.csv -q
grep -q "2024-02-10T00:00:00Z," zp.csv || fail "no time zone in what is written"
diff <(cut -d, -f1,2,4- p.csv) <(cut -d, -f1,2,4- zp.csv) || fail "a time zone moves predictions"
# krige in one go; -x need not name time
ok surekrig krige train.csv test.csv -x x,y -y temp --time day -o k.csv $quick --auto no
says "without the stations or times that targets have no data from"
[ "$(head -n 1 k.csv)" = "x,y,day,mean,sd,lower,upper" ] || fail "columns: $(head -n 1 k.csv)"
# groups by features, and cells of several columns
ok surekrig fit train.csv -o z2.model $quick --time day --by x,y -q
ok surekrig fit train.csv -o z3.model $quick --time day --by day -q
# one time tells nothing
awk -F, 'NR == 1 || $4 == "2024-02-12"' t.csv >one.csv
ok surekrig fit one.csv -o one.model --time day --coverage none
says "day is the same in all rows: time is left out of distances"
# what is refused
sed '2s/2024-02-10/monday/' train.csv >word.csv
fails 1 "begins with neither a number nor a date" surekrig fit word.csv -o z.model --time day
sed '5s/2024-02-../2024-02-30/' train.csv >wrong.csv
fails 1 "column day: '2024-02-30' is not a date" surekrig fit wrong.csv -o z.model --time day
sed '5s/T01:30:00+01:30//' zone.csv >mixed.csv
fails 1 "has no time zone, and rows before have one" surekrig fit mixed.csv -o z.model --time day
sed '5s/,2024-02-1.,/,2024-02-10T00:00Z,/' train.csv >mixed2.csv
fails 1 "has a time zone, and rows before have none" surekrig fit mixed2.csv -o z.model --time day
fails 1 "no column 'hour'" surekrig fit train.csv -o z.model --time hour
fails 1 "no column 'site'" surekrig fit train.csv -o z.model --time day --by site
fails 1 "is to be time and a response" surekrig fit train.csv -o z.model --time temp
fails 1 "of no use without a time" surekrig fit train.csv -o z.model --spacetime gneiting
# without --time a column of dates is left out, and told
ok surekrig fit train.csv -x x,y -y temp -o flat.model $quick -q
ok surekrig fit train.csv -y temp -o flat2.model $quick
says "column day holds dates and is left out; --time day takes it"
awk -F, -v OFS=, 'NR > 1 { split($4, d, "-"); $4 = d[2] "/" d[3] "/" d[1] } { print }' train.csv >american.csv
ok surekrig fit american.csv -y temp -o flat2.model $quick
says "column day is text and left out; it looks like dates, which are to be written as 2024-01-31"
# cross-validation by groups, and of forecasts
ok surekrig cv m.model --by station
prints "each predicted without its group by station"
cp "$out" by_station
ok surekrig cv m.model --by x,y
diff <(tail -n +2 by_station) <(tail -n +2 "$out") || fail "stations are not their places"
ok surekrig cv m.model --after 2024-02-25 -o late.csv
prints "points after 2024-02-25, each predicted from those that are not"
[ "$(tail -n +2 late.csv | cut -d, -f3 | sort -u | tr '\n' ' ')" = "2024-02-26 2024-02-27 2024-02-28 2024-02-29 " ] || fail "other days"
head -n 1 train.csv >before.csv
awk -F, 'NR > 1 && $4 <= "2024-02-25"' train.csv >>before.csv
ok surekrig fit before.csv --from m.model -o before.model -q
ok surekrig predict before.model late.csv -q
paste -d, <(cut -d, -f4 "$out") <(cut -d, -f5 late.csv) | awk -F, 'NR > 1 && ($1 - $2) ^ 2 > 1e-18 { exit 1 }' || fail "it has seen what comes after"
fails 2 "--after takes a date" surekrig cv m.model --after 7
fails 1 "are after that time" surekrig cv m.model --after 2030-01-01
fails 1 "it takes what the model was fitted by (station) or some of its features" surekrig cv m.model --by site
fails 1 "ask for one" surekrig cv m.model --by station --after 2024-02-25
ok surekrig fit numbers.csv -o n.model $quick -x x,y -y temp -q
fails 1 "the model has none" surekrig cv n.model --after 3
# a series: time alone is a feature like any other, in days
awk 'BEGIN { srand(8); print "n,day,level"; for (i = 0; i < 160; i++) { d = i % 28 + 1; m = int(i / 28) + 1
    printf "%d,2021-%02d-%02d,%.4f\n", 18628 + substr("000031059090120151", 3 * m - 2, 3) + d - 1, m, d, sin(i / 9) + 0.1 * rand() } }' >series.csv
cut -d, -f1,3 series.csv >numbers.csv
cut -d, -f2,3 series.csv >dates.csv
ok surekrig fit dates.csv -o dates.model $quick --time day
ok surekrig fit numbers.csv -o numbers.model $quick
ok surekrig predict dates.model dates.csv -o dates.out
grep -q "^2021-01-01," dates.out || fail "a series has no dates"
ok surekrig predict numbers.model numbers.csv -o numbers.out
cut -d, -f2- dates.out >a.out
cut -d, -f2- numbers.out >b.out
same a.out b.out
ok surekrig cv dates.model --after 2021-05-25
prints "23 points after 2021-05-25"
ok surekrig krige dates.csv dates.csv --time day -o z.csv -q
fails 1 "spacetime = gneiting is of no use: time = 'day' is the only feature" surekrig fit dates.csv -o z.model --time day --spacetime gneiting
# two values at one place and time
{ head -n 61 train.csv; sed -n 2p train.csv | awk -F, -v OFS=, '{ $NF += 1 } 1'; } >two.csv
ok surekrig krige two.csv train.csv --time day --auto no $quick -o two.out
says "2 rows share 1 place with others, where responses differ by an sd of 0.7071"
