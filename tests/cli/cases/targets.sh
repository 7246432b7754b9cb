# fit --targets: points with neighbours like theirs are held out; features by name, odd rows, what is refused.
surekrig simulate --grid 30x30 --nu 0.5 --rho 0.3 --tau2 0.05 --seed 6 -o all.csv
awk -F, 'NR == 1 { print >"train.csv"; print >"gap.csv"; next }
         { print >(($1 - .5) ^ 2 + ($2 - .4) ^ 2 < .02 ? "gap.csv" : "train.csv") }' all.csv
FIXED="--nu 0.5 --rho 0.3 --tau2 0.05 --coverage none --neighbors 12 --threads 1"

ok surekrig fit train.csv -o m.model $FIXED --targets gap.csv
says "each with neighbours placed as a target's"
ok surekrig info m.model --json
json "$out"
equal "$(json_value how "$out")" transplant
every 'a > 0.5 && a <= 1' <(json_value accepted "$out")

# the same points under other column orders and names of other columns, and from an array
awk -F, -v OFS=, '{ print $3, $2, "w" NR, $1 }' gap.csv | sed '1s/.*/y,x2,word,x1/' >turned.csv
ok surekrig fit train.csv -o turned.model $FIXED --targets turned.csv -q
silent
for model in m turned; do
    ok surekrig predict $model.model gap.csv -o $model.predicted
done
same m.predicted turned.predicted
ok surekrig fit train.csv -o plain.model $FIXED -q
ok surekrig predict plain.model gap.csv -o plain.predicted
differ m.predicted plain.predicted # gamma2 is that of the gap
every 'a == b' <(column mean m.predicted) <(column mean plain.predicted)

# geometries by name
for how in nearest distance thinned similar transplant; do
    ok surekrig fit train.csv -o h.model $FIXED --targets gap.csv --holdout $how --json
    json "$out"
    equal "$(json_value how "$out")" $how
done
fails 1 "need targets" surekrig fit train.csv -o h.model --holdout transplant
printf 'x1,x2\n40,50\n' >far.csv
ok surekrig fit train.csv -o h.model $FIXED --targets far.csv
says "NOTHING LIKE THE TARGETS is in the data"
! grep -q MAE "$err" || fail "a score is shown as if something were"
ok surekrig info h.model
prints "NOTHING LIKE THE TARGETS is in the data"

# scattered points: surroundings are found roughly, and scores have margins, in the model file too
awk 'BEGIN { srand(3) } NR == 1 || rand() < .6' train.csv >scattered.csv
ok surekrig fit scattered.csv -o h.model --targets gap.csv --variance local --interval conformal --evaluations 20
says "placed roughly as a target's"
says "such sets of targets, by 16 regions"
ok surekrig info h.model --json
json "$out"
equal "$(json_value how "$out")" similar
equal "$(json_value regions "$out")" 16

# a target without a feature is left out and counted; one that is infinite is named by its row
printf 'x1,x2\n,0.5\n0.4,0.5\nNA,0.2\n0.5,0.5\n' >holes.csv
ok surekrig fit train.csv -o h.model $FIXED --targets holes.csv -q
says "2 of 4 targets left out: a feature is missing"
printf 'x1,x2\n,0.5\n0.4,0.5\n0.5,inf\n' >infinite.csv
fails 1 "infinite.csv, row 3, column x2: inf is not a finite number" surekrig fit train.csv -o z.model --targets infinite.csv
printf 'x1,x2\n,0.5\n' >none.csv
fails 1 "no row with all features" surekrig fit train.csv -o z.model --targets none.csv
printf 'x1,x3\n1,0.5\n' >other.csv
fails 1 "no column 'x2'" surekrig fit train.csv -o z.model --targets other.csv
fails 1 "cannot read nosuch.csv" surekrig fit train.csv -o z.model --targets nosuch.csv
fails 2 "does not go with --from" surekrig fit train.csv -o z.model --from m.model --targets gap.csv
fails 2 "the model would replace gap.csv" surekrig fit train.csv -o gap.csv --targets gap.csv
printf '0.4,0.5\n0.6,0.5\n' >bare.csv # without a header: by place
ok surekrig fit train.csv -o h.model $FIXED --targets bare.csv -q

# errors that are larger beside the targets are told where the factor matters, which intervals always allow for
hole='($1 - 0.5)^2 + ($2 - 0.5)^2 <= 0.04'
for seed in 11 13; do # factors of 1.09 and 1.3
    ok surekrig simulate --grid 40x40 --nu 0.5 --rho 0.3 --tau2 0.01 --seed $seed -o field.csv
    awk -F, "NR == 1 || $hole" field.csv >hole.csv
    awk -F, "NR > 1 && $hole { next } NR == 1 || NR * NR * 37 % 101 < 45" field.csv >around.csv
    ok surekrig fit around.csv -o h.model --targets hole.csv --nu 0.5 --rho 0.3 --tau2 0.01
    cp "$err" told
    ok surekrig info h.model --json
    equal "$(awk -v f="$(json_value beside "$out")" 'BEGIN { print (f > 1) + (f >= 1.1) }')" $((seed == 13 ? 2 : 1))
    equal "$(awk '/ERRORS ARE LARGER/ { n++ } END { print n + 0 }' told)" $((seed == 13))
done

# targets beyond the range of the rows are told, with the features; a grid that ends a little outside is not
awk 'BEGIN { srand(3); print "a,b,z"; for (i = 0; i < 80; i++) { a = rand(); b = rand(); printf "%g,%g,%g\n", a, b, sin(3 * a) + b } }' >inside.csv
awk 'BEGIN { srand(4); print "a,b"; for (i = 0; i < 40; i++) printf "%g,%g\n", i < 3 ? 1.5 : rand(), i < 30 ? 1.2 : 0.98 }' >outside.csv
ok surekrig krige inside.csv outside.csv -o told.csv --evaluations 3
grep -q "30 of 40 targets lie beyond the rows in a and 1 other feature:" "$err" || tell_and_fail "targets beyond the rows are not told"
ok surekrig fit inside.csv --targets outside.csv -o told.model --evaluations 3
grep -q "30 of 40 targets lie beyond the rows in a and 1 other feature:" "$err" || tell_and_fail "targets beyond the rows are not told"
sed -i '2,31d' outside.csv
ok surekrig krige inside.csv outside.csv -o told.csv --evaluations 3
! grep -q "beyond the rows" "$err" || tell_and_fail "targets at the edge are called beyond it"
