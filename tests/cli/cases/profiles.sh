# Soundings are told of, as their depth is worth a smoothness of its own; a grid is none, nor are scattered points.
awk 'BEGIN { srand(3); print "x,y,depth,temp"; for (i = 0; i < 12; i++) { x = rand(); y = rand()
    for (j = 0; j < 9; j++) printf "%.6f,%.6f,%d,%.4f\n", x, y, 10 * j, exp(-j / 3) * (1 + x) + 0.01 * rand() } }' >soundings.csv
ok surekrig fit soundings.csv -o z.model ${GIVEN% --quiet}
says "12 places (x, y) have 9 rows each along depth: if these are profiles or series, --time depth gives it a smoothness of its own"
ok surekrig fit soundings.csv -o z.model $GIVEN
silent
ok surekrig fit soundings.csv --time depth -o z.model ${GIVEN% --quiet}
! grep -q profiles "$err" || fail "profiles are told of though they are known"
awk 'BEGIN { print "x,y,z,w"; for (i = 0; i < 216; i++) printf "%d,%d,%d,%g\n", i % 6, int(i / 6) % 6, int(i / 36), sin(i) }' >grid.csv
ok surekrig fit grid.csv -o z.model ${GIVEN% --quiet}
! grep -q profiles "$err" || fail "a grid is taken for profiles"

# stations whose heights are given, too; not a table of other features, where one takes a few values
awk 'BEGIN { srand(4); print "lon,lat,height,year,temp"; for (i = 0; i < 12; i++) { x = rand(); y = rand()
    for (j = 0; j < 9; j++) printf "%.6f,%.6f,%.1f,%d,%.4f\n", x, y, 100 * x * y, 1990 + j, x + sin(j) + 0.01 * rand() } }' >stations.csv
ok surekrig fit stations.csv -o z.model ${GIVEN% --quiet}
says "12 places (lon, lat, height) have 9 rows each along year: if these are"
sed '1s/.*/a,b,c,d,e/' stations.csv >other.csv
ok surekrig fit other.csv -o z.model ${GIVEN% --quiet}
! grep -q profiles "$err" || fail "a table of other features is taken for profiles"

# what a response may not be meant to be, and what there is little to say of
cut -d, -f1-4 stations.csv >years.csv
ok surekrig fit years.csv -o z.model ${GIVEN% --quiet}
says "the response is the last column, year: -y NAME names another"
ok surekrig fit stations.csv -x lon,lat --nu 0.5 --rho 0.3 --tau2 12 --gamma2 1 --coverage none -o z.model
says "note       tau2 = 12: next to these features 92 % of the variance is noise"
