# Conformal intervals and local variances in fit, info, predict and score; a trend in named columns; fit --from of all these.
surekrig simulate --grid 30x30 --nu 0.5 --rho 0.3 --tau2 0.3 --seed 7 -o all.csv
awk -F, -v OFS=, 'NR == 1 { print $1, $2, "height", $3; next } { h = NR * NR % 17; print $1, $2, h, $3 + 0.5 * h }' all.csv >high.csv
awk 'NR == 1 || NR % 3' high.csv >train.csv
awk 'NR == 1 || NR % 3 == 0' high.csv >test.csv
FIXED="--nu 0.5 --rho 0.3 --tau2 0.3 --coverage none --neighbors 12 --batch 200 --threads 1 --distance x1,x2"

ok surekrig fit train.csv -o m.model $FIXED --mean trend --trend height --variance local --interval conformal
says "trend_height"
ok surekrig info m.model --json
json "$out"
near "$(json_value trend_height "$out")" 0.5 0.05

# one quantile for all rows, another for each level; more than the level's share of the scores is not needed
ok surekrig predict m.model test.csv -o p50.csv --level 0.5
ok surekrig predict m.model test.csv -o p95.csv --level 0.95
for level in 50 95; do
    paste <(column mean p$level.csv) <(column sd p$level.csv) <(column lower p$level.csv) <(column upper p$level.csv) |
        awk '{ q = ($4 - $1) / $2; print q, ($1 - $3) / $2 }' >q$level
    near "$(cut -d ' ' -f 1 q$level | sort -g | head -n 1)" "$(cut -d ' ' -f 1 q$level | sort -g | tail -n 1)" 1e-9
    every 'a - b < 1e-9 && b - a < 1e-9' <(cut -d ' ' -f 1 q$level) <(cut -d ' ' -f 2 q$level)
done
every 'a < b' <(cut -d ' ' -f 1 q50) <(cut -d ' ' -f 1 q95)
# several levels at once: the same numbers under their own names
ok surekrig predict m.model test.csv -o both.csv --level 0.5,0.95
for bound in lower upper; do
    same <(column ${bound}_0.5 both.csv) <(column $bound p50.csv)
    same <(column ${bound}_0.95 both.csv) <(column $bound p95.csv)
done
fails 2 "--level takes" surekrig predict m.model test.csv --level 0.5,
fails 2 "--level takes" surekrig predict m.model test.csv --level 0.5,1
fails 2 "--level has 0.5 twice" surekrig predict m.model test.csv --level 0.5,0.9,.50
same <(column sd p50.csv) <(column sd p95.csv)
ok surekrig score m.model test.csv -y y --json
every 'a > 0.9 && a < 0.99' <(json_value cov "$out")
ok surekrig predict m.model test.csv -o latent.csv --latent
every 'a <= b' <(column sd latent.csv) <(column sd p95.csv)

# the same data under --from: the same to the last digit
ok surekrig fit train.csv --from m.model -o again.model -q
ok surekrig predict again.model test.csv -o again.csv --level 0.95
same again.csv p95.csv
awk -F, -v OFS=, '{ print $4, $3, $1, $2 }' train.csv >turned.csv # columns by their names
ok surekrig fit turned.csv --from m.model -o turned.model -q
ok surekrig predict turned.model test.csv -o again.csv --level 0.95
same again.csv p95.csv

# too few points for a quantile: no interval rather than a narrow one
head -n 16 train.csv >few.csv
ok surekrig fit few.csv -o few.model --nu 0.5 --rho 0.3 --tau2 0.3 --coverage none -x x2,height -y y --interval conformal
ok surekrig predict few.model test.csv -o few.predicted --level 0.999
every 'a == "-inf" && b == "inf"' <(column lower few.predicted) <(column upper few.predicted)
ok surekrig predict few.model test.csv -o few.predicted --level 0.5
every 'a > -100 && b < 100' <(column lower few.predicted) <(column upper few.predicted)

# coverage that a normal interval cannot have: what to do about it, and after that no more of it
UNMET="--preset coverage --nu 0.5 --rho 0.3 --tau2 0.3 --gamma2 100 --coverage 0.5,0.99 -x x1,x2 -y y"
ok surekrig fit train.csv -o unmet.model $UNMET
says "coverage not met"
says "--interval conformal takes the widths"
ok surekrig fit train.csv -o unmet.model $UNMET --interval conformal
[[ $(<"$err") != *"not met"* ]] || fail "coverage that conformal intervals have is called not met"
ok surekrig predict unmet.model test.csv -o unmet.csv --level 0.5
paste -d ' ' <(column y test.csv) <(column lower unmet.csv) <(column upper unmet.csv) |
    awk '{ inside += $1 > $2 && $1 < $3 } END { exit !(inside / NR > 0.4 && inside / NR < 0.6) }' || fail "and they do not have it"

fails 1 "trend = 'heigth': there is no feature 'heigth'" surekrig fit train.csv -o z.model --mean trend --trend heigth
fails 1 "distance = 'lon': there is no feature 'lon'" surekrig fit train.csv -o z.model --distance lon
awk -F, -v OFS=, '{ print $1, $2, NR == 1 ? "x3" : $1 + $2, $4 }' train.csv >same.csv
fails 1 "depend on one another" surekrig fit same.csv -o z.model $FIXED --mean trend
