# Tables of thousands of columns: what is left out fits a screen, and time does not grow as the square of their number.
awk 'BEGIN { for (c = 0; c < 3000; c++) printf "c%d,t%d,", c, c; print "z"
    for (r = 0; r < 40; r++) { for (c = 0; c < 3000; c++) printf "%s,word,", c < 2 ? sin(r * (c + 1)) : 7; print cos(r) } }' >wide.csv
ok surekrig fit wide.csv -o wide.model --evaluations 3 --batch 10
equal "$(grep -c 'left out' "$err")" 8
grep -q "so are 5990 more columns" "$err" || tell_and_fail "it is not said how many more columns are left out"
ok surekrig info wide.model --json
equal "$(json_value d "$out")" 2

# As much memory as the tables need, not as much as blocks of some ten thousand rows of so many columns would take.
limited() { (ulimit -v 400000 && exec "$@"); }
limited surekrig --version >/dev/null 2>&1 || exit 0 # a sanitizer asks for more than that before it begins
awk 'BEGIN { for (c = 0; c < 3000; c++) printf "c%d,", c; print "z"
    for (r = 0; r < 20; r++) { for (c = 0; c < 3000; c++) printf "%.4f,", sin(r * (c + 1)); print cos(r) } }' >broad.csv
broad="--nu 0.5 --rho 30 --tau2 0.01 --coverage none --preset coverage --threads 1 --quiet"
ok limited surekrig fit broad.csv --targets broad.csv -o broad.model $broad
ok limited surekrig predict broad.model broad.csv -o p.csv --threads 1
ok limited surekrig predict broad.model broad.csv -o p.npy --threads 1
ok limited surekrig score p.csv broad.csv
ok limited surekrig cv broad.model -o cv.csv --threads 1
