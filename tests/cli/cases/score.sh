# Scores: recomputed here, the same from predictions and from the model.
make_model
ok surekrig predict m.model test.csv -o p.csv
ok surekrig score p.csv test.csv --json
silent
json "$out"
cp "$out" score.json
ok surekrig score m.model test.csv --json
silent
same "$out" score.json
awk -F, -v OFS=, '{ print } NR == 3 { print "", 1 }' train.csv >own.csv # with a row that no fit would take
ok surekrig score m.model own.csv
says "surekrig score: the model was trained on these rows: each is predicted from its own value, too; 'surekrig cv' leaves it out"
(cat own.csv; tail -n +2 test.csv) >more.csv
ok surekrig score m.model more.csv
says "surekrig score: the model was trained on 200 of these 400 rows: each is predicted from its own value, too"
ok surekrig score - test.csv --json <p.csv
same "$out" score.json
ok surekrig score <(cat p.csv) test.csv --json # a pipe with a name
same "$out" score.json
ok surekrig score p.csv test.csv -y y --json
same "$out" score.json
for key in n mae rmse cov crps int logdensity level; do
    [ -n "$(json_value $key score.json)" ] || fail "no $key in the JSON"
done

paste -d ' ' <(column y test.csv) <(column mean p.csv) <(column sd p.csv) <(column lower p.csv) <(column upper p.csv) |
    awk '{ e = $1 - $2; a += e < 0 ? -e : e; s += e * e; c += $1 > $4 && $1 < $5
           i += $5 - $4 + ($1 < $4 ? 40 * ($4 - $1) : 0) + ($1 > $5 ? 40 * ($1 - $5) : 0)
           l += -e * e / (2 * $3 * $3) - log($3) - 0.91893853320467274 }
         END { printf "%.15g %.15g %.15g %.15g %.15g", a / NR, sqrt(s / NR), c / NR, i / NR, l / NR }' >expected
read -r mae rmse cov int logdensity <expected || true
near "$(json_value n score.json)" 200 0
near "$(json_value mae score.json)" $mae 1e-9
near "$(json_value rmse score.json)" $rmse 1e-9
near "$(json_value cov score.json)" $cov 1e-12
near "$(json_value int score.json)" $int 1e-9
near "$(json_value logdensity score.json)" $logdensity 1e-9
near "$(json_value level score.json)" 0.95 1e-15
every 'a > 0.88 && a < 1' <(json_value cov score.json) # the model is the truth

ok surekrig score p.csv test.csv
first_line "$out" "         n        MAE       RMSE        COV       CRPS        INT"
ok surekrig score p.csv test.csv --level 0.5 --json
equal "$(json_value level "$out")" 0.5
equal "$(json_value mae "$out")" "$(json_value mae score.json)"
cov=$(json_value cov "$out")
ok surekrig predict m.model test.csv --level 0.5 -o half.csv
inside=$(paste -d ' ' <(column y test.csv) <(column lower half.csv) <(column upper half.csv) | awk '$1 > $2 && $1 < $3' | wc -l)
near $cov "$(awk "BEGIN { print $inside / 200 }")" 1e-12

# the file's own interval, where it is not the normal one: coverage and interval score are of it
awk -F, -v OFS=, 'NR > 1 { $4 -= 0.1; $5 += 0.03 } { print }' p.csv >own.csv
first_line own.csv x1,mean,sd,lower,upper
own_scores() { # LOWER-COLUMN UPPER-COLUMN FILE LEVEL: coverage and interval score of the JSON in $out, counted here
    paste -d ' ' <(column y test.csv) <(column $1 $3) <(column $2 $3) | awk -v level=$4 '
        { c += $1 > $2 && $1 < $3; a = 2 / (1 - level); i += $3 - $2 + ($1 < $2 ? a * ($2 - $1) : 0) + ($1 > $3 ? a * ($1 - $3) : 0) }
        END { printf "%.15g %.15g\n", c / NR, i / NR }' >expected
    read -r cov int <expected
    near "$(json_value cov "$out")" $cov 1e-12
    near "$(json_value int "$out")" $int 1e-9
    near "$(json_value level "$out")" $4 1e-12
}
ok surekrig score own.csv test.csv --json
own_scores lower upper own.csv 0.95
equal "$(json_value crps "$out")" "$(json_value crps score.json)"
ok surekrig score own.csv test.csv --json --level 0.9
own_scores lower upper own.csv 0.9
ok surekrig score own.csv test.csv
prints "COV and INT are of the lower and upper in own.csv"
ok surekrig score half.csv test.csv --json # a normal interval says its level itself
own_scores lower upper half.csv 0.5
ok surekrig score half.csv test.csv --json --level 0.95
same "$out" score.json
ok surekrig predict m.model test.csv --level 0.5,0.8 -o several.csv
awk -F, -v OFS=, 'NR > 1 { $4 -= 0.1; $6 -= 0.2 } { print }' several.csv >moved.csv
ok surekrig score moved.csv test.csv --json
own_scores lower_0.8 upper_0.8 moved.csv 0.8
ok surekrig score moved.csv test.csv --json --level 0.5
own_scores lower_0.5 upper_0.5 moved.csv 0.5
ok surekrig score moved.csv test.csv --json --level 0.95
same "$out" score.json
awk -F, -v OFS=, 'NR == 5 { $4 = 1; $5 = 0 } { print }' own.csv >turned.csv
fails 1 "row 4: the interval ends at 0, before it begins at 1" surekrig score turned.csv test.csv

ok surekrig score p.csv test.csv --calibration
equal "$(grep -cE '^ +0\.[0-9]5|^ +0\.[0-9]0' "$out")" 19
ok surekrig score p.csv test.csv --calibration --json
json "$out"
grep -qF "[0.95, $(json_value cov score.json)]" "$out" || fail "calibration at 0.95 is not the coverage"

head -n 100 test.csv >fewer.csv
fails 1 "p.csv has 200 rows, and 99 are to be scored" surekrig score p.csv fewer.csv
fails 1 "mean and sd" surekrig score test.csv test.csv
fails 1 "cannot read nosuch" surekrig score nosuch test.csv
fails 1 "cannot read nosuch" surekrig score p.csv nosuch
fails 1 "has no column 'nosuch'" surekrig score p.csv test.csv -y nosuch
fails 1 "has no column 'nosuch'" surekrig score m.model test.csv -y nosuch
cut -d , -f 1 test.csv >places.csv
fails 1 "places.csv has no column 'y'" surekrig score m.model places.csv
ok surekrig score m.model test.csv
cp "$out" named.txt
ok surekrig score m.model - <test.csv
same "$out" named.txt
ok surekrig score m.model <(cat test.csv)
same "$out" named.txt
head -n 1 test.csv >header.csv
fails 1 "nothing to score" surekrig score m.model header.csv
prints_nothing

# an interval that cannot be of the level that is asked is told, and noise that nothing would use is refused
ok surekrig simulate --grid 25x25 --nu 1 --rho 0.3 --tau2 0.05 -o many.csv --holdout left.csv
ok surekrig fit many.csv -o many.model --batch 100 --evaluations 6 --polish 0 -q
ok surekrig predict many.model left.csv -o many.out
ok surekrig score many.out left.csv --level 0.5
says "lower and upper in many.out look like intervals of about 0.9"
for level in 0.9 0.95 0.99; do
    ok surekrig score many.out left.csv --level $level
    ! grep -q 'look like' "$err" || tell_and_fail "level $level"
done
fails 2 "--noise goes with a MODEL" surekrig score many.out left.csv --noise x1
