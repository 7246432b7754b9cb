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
