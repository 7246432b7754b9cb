# Tables of thousands of columns: what is left out fits a screen, and time does not grow as the square of their number.
awk 'BEGIN { for (c = 0; c < 3000; c++) printf "c%d,t%d,", c, c; print "z"
    for (r = 0; r < 40; r++) { for (c = 0; c < 3000; c++) printf "%s,word,", c < 2 ? sin(r * (c + 1)) : 7; print cos(r) } }' >wide.csv
ok surekrig fit wide.csv -o wide.model --evaluations 3 --batch 10
equal "$(grep -c 'left out' "$err")" 8
grep -q "so are 5990 more columns" "$err" || tell_and_fail "it is not said how many more columns are left out"
ok surekrig info wide.model --json
equal "$(json_value d "$out")" 2
