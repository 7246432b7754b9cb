# krige beyond the data: a trend that is not plainly there is not continued to where no held-out point can judge it; one that is, is.
places() { # SEED
    awk -v seed="$1" 'BEGIN {srand(seed); print "a,b"; for (i = 0; i < 1000; i++) print (i < 800 ? rand() : 1 + rand() / 2) "," rand()}'
}
trend_kept() { # FIELD: whether krige of its first 800 rows continues a trend to the others
    head -n 801 "$1" >train.csv
    { head -n 1 "$1"; tail -n 200 "$1"; } | cut -d, -f1,2 >beyond.csv
    ok surekrig krige train.csv beyond.csv -o out.csv --model m.model -q
    surekrig info m.model --json | grep -o '"what": "mean = trend"[^}]*' >trial || fail "no trend was tried"
    grep -o '"kept": [a-z0-9]*' trial
}
places 3 >points.csv
ok surekrig simulate points.csv --nu 1.5 --rho 0.2 --tau2 0.01 --seed 3 -o field.csv -q
equal "$(trend_kept field.csv)" '"kept": false'
awk -F, -v OFS=, 'NR > 1 {$3 += 8 * $1} {print}' field.csv >steep.csv
equal "$(trend_kept steep.csv)" '"kept": true'

# a slope that ends before the rows do: it is beyond doubt, but not where the targets are
awk -F, -v OFS=, 'NR > 1 {$3 += 16 * ($1 < 0.5 ? $1 : 0.5)} {print}' field.csv >ends.csv
equal "$(trend_kept ends.csv)" '"kept": false'
awk -F, -v OFS=, 'NR > 1 {$3 += 16 * ($1 < 0.5 ? 0.5 : $1)} {print}' field.csv >begins.csv
equal "$(trend_kept begins.csv)" '"kept": true'
