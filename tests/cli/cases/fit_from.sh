# fit --from: new data under an old model's hyperparameters; features and responses by their names.
make_plane
ok surekrig fit plane.csv -o old.model --preset coverage --nu 0.7 --rho 0.1,1 --tau2 0.05 --gamma2 2 --coverage none -q
head -n 101 plane.csv >fewer.csv
ok surekrig fit fewer.csv --from old.model -o new.model
says "100 points"
says "outcome"
ok surekrig info new.model --json
json "$out"
cp "$out" new.json
ok surekrig info old.model --json
for key in nu rho_x1 rho_x2 tau2 gamma2 mean; do
    equal "$(json_value $key new.json)" "$(json_value $key "$out")"
done
equal "$(json_value n new.json)" 100
printf 'x1,x2\n1e6,1e6\n' >far.csv # there is nothing but the old mean
ok surekrig predict new.model far.csv -o far.predicted
near "$(column mean far.predicted)" "$(json_value mean new.json)" 1e-12
ok surekrig info new.model # and as text

# the same data: the same predictions
ok surekrig fit plane.csv --from old.model -o same.model -q
silent
ok surekrig predict old.model fewer.csv -o old.csv
ok surekrig predict same.model fewer.csv -o same.csv
same old.csv same.csv

# columns in another order, and one more of them
awk -F, -v OFS=, '{ print $2, $1, $3 }' plane.csv >turned.csv
ok surekrig fit turned.csv --from old.model -o turned.model -q
ok surekrig predict turned.model fewer.csv -o turned.predicted
column mean old.csv >expected
every 'a == b' <(column mean turned.predicted) expected
awk -F, -v OFS=, '{ print $0, NR == 1 ? "more" : NR }' plane.csv >wider.csv
ok surekrig fit wider.csv --from old.model -o wider.model -q
ok surekrig predict wider.model fewer.csv -o wider.predicted
same old.csv wider.predicted

fails 1 "cannot read nosuch" surekrig fit plane.csv --from nosuch -o z.model
make_data # one feature only
fails 1 "x2" surekrig fit train.csv --from old.model -o z.model
fails 1 "the data have 1 feature and 1 response, the model 2 and 1; missing: x2" surekrig fit plane.csv -x x1 --from old.model -o z.model
cut -d, -f1,3 plane.csv | tail -n +2 >bare.csv
fails 1 "the data have 1 feature and 1 response, the model 2 and 1; missing: x1, x2" surekrig fit bare.csv --from old.model -o z.model
fails 1 "the data have 3 features and 1 response, the model 2 and 1" surekrig fit wider.csv -x x1,x2,more -y y --from old.model -o z.model
! grep -q missing "$err" || fail "nothing is missing"

# what would be ignored or lost is refused
fails 2 "--nu does not go with --from" surekrig fit train.csv --from old.model --nu 2 -o z.model
fails 2 "the model would replace train.csv" surekrig fit train.csv -o train.csv
fails 2 "-o MODEL" surekrig fit train.csv -o -
