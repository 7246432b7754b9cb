# A column called day beside the two coordinates of a map is time, unless something else is said of distances.
awk 'BEGIN { srand(5); print "lon,lat,day,temp"; for (i = 0; i < 15; i++) { x = rand(); y = rand()
    for (j = 0; j < 20; j++) printf "%.6f,%.6f,%d,%.4f\n", x, y, j, x + sin(j) + 0.01 * rand() } }' >days.csv
QUICK="--batch 64 --evaluations 20 --neighbors 15"
ok surekrig fit days.csv $QUICK -o taken.model
says "day is taken for time, with a length scale of its own; --time none takes it for a feature like the others"
equal "$(surekrig info taken.model --json | grep -o '"time": "[^"]*"')" '"time": "day"'
ok surekrig fit days.csv $QUICK --time day -o named.model
! grep -q "taken for time" "$err" || fail "what is said is told"
surekrig predict taken.model days.csv -o taken.csv -q
surekrig predict named.model days.csv -o named.csv -q
same taken.csv named.csv
for words in "--time none" "--rho 0.1,0.1,5 --nu 0.5 --tau2 0.01" "--preset coverage" "--group lon,lat" "--anisotropic yes"; do
    ok surekrig fit days.csv $QUICK $words -o z.model
    ! grep -q "taken for time" "$err" || fail "$words: time is taken nevertheless"
done
for names in a,b,day,temp lon,lat,step,temp lon,day,lat2,temp; do
    sed "1s/.*/$names/" days.csv >other.csv
    ok surekrig fit other.csv $QUICK -o z.model
    ! grep -q "taken for time" "$err" || fail "$names: there is a time"
done

# what is left out for other reasons is left out before: one day of many, numbers of rows, a column of one value
awk -F, -v OFS=, 'NR > 1 {$3 = 7} {print}' days.csv >constant.csv
printf 'lon,lat\n0.5,0.5\n' >point.csv
ok surekrig krige constant.csv point.csv $QUICK -o out.csv
says "column day is 7 in all rows and left out"
! grep -q "taken for time" "$err" || fail "one day is time"
fails 1 "day is constant (7 in all 300 rows)" surekrig fit constant.csv -x lon,lat,day $QUICK -o z.model
awk -F, -v OFS=, '{print NR == 1 ? "id,const" : NR ",5", $0}' days.csv >more.csv
ok surekrig fit more.csv $QUICK -o z.model
says "day is taken for time"
surekrig predict z.model days.csv -o more_out.csv -q
same more_out.csv taken.csv
awk -F, -v OFS=, 'NR > 1 {$1 = 3} {print}' days.csv >line.csv
ok surekrig fit line.csv $QUICK -o z.model
! grep -q "taken for time" "$err" || fail "a line is a map"
ok surekrig variogram days.csv
! grep -q -e --time "$err" || fail "variogram has no time"
