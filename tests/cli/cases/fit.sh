# A training: what it says, where, and how it is given.
make_data
ok surekrig fit train.csv -o m.model $QUICK
prints_nothing
for word in "200 points, 1 feature (x1), response y, 50 neighbours" nu rho tau2 gamma2 coverage asked reached outcome training; do
    says "$word"
done
equal "$(grep -c $'\r' "$err" || true)" 0 # no bar where no terminal is
says " are as good" # what the search has seen beside the estimate
cp "$err" summary
ok surekrig info m.model
same "$out" summary # the model remembers all of it, its times too

ok surekrig fit train.csv -o one.model --neighbors 1 --nu 1
says "response y, 1 neighbour"
! grep -q "1 neighbours" "$err" || fail "one is no plural"

ok surekrig fit train.csv -o quiet.model $QUICK -q
silent
prints_nothing
ok surekrig fit train.csv -o json.model $QUICK --json
silent
json "$out"
equal "$(json_value n "$out")" 200
ok surekrig fit - -o stdin.model $QUICK -q <train.csv
for model in m quiet json stdin; do
    ok surekrig predict $model.model test.csv -o $model.csv
    same $model.csv m.csv
done

# hyperparameters that are given stay as given; those that are searched stay in their range
ok surekrig fit train.csv -o m.model $QUICK --nu 0.75 --rho 0.1:0.15 --tau2 0 -q
ok surekrig info m.model --json
equal "$(json_value nu "$out")" 0.75
equal "$(json_value tau2 "$out")" 0
every 'a >= 0.1 && a <= 0.15' <(json_value rho "$out")
ok surekrig fit train.csv -o m.model $GIVEN
ok surekrig info m.model
prints "outcome    nothing to search"
ok surekrig fit train.csv -o m.model $QUICK --nu inf --tau2 0.01 -q
ok surekrig info m.model --json
json "$out"
equal "$(json_value nu "$out")" inf
ok surekrig info m.model
prints "estimates  (Matérn: u = sqrt(2 nu) distance / rho; tau2 is a share of gamma2)"
ok surekrig fit train.csv -o m.model $QUICK --kernel gaussian --tau2 0.01 -q
ok surekrig info m.model
prints "estimates  (gaussian; tau2 is a share of gamma2)"
fails 2 "it takes matern or gaussian" surekrig fit train.csv -o m.model $QUICK --kernel inf -q
ok surekrig fit train.csv -o m.model --seconds 0.2 --batch 200 -q
ok surekrig fit train.csv -o m.model $QUICK --optimizer lbfgs --loss lool -q
fails 1 "trend = x1 is of no use with mean = constant" surekrig fit train.csv -o m.model $QUICK --trend x1 -q
ok surekrig fit train.csv -o m.model $QUICK --optimizer lbfgs --terms 2 -q
for loss in block mse huber crps looph lool; do
    ok surekrig fit train.csv -o m.model $QUICK --loss $loss --coverage none -q
done
# nothing but noise: told, unless the nugget is given
awk 'BEGIN { srand(9); print "x1,x2,y"; for (i = 0; i < 150; i++) printf "%.5f,%.5f,%.5f\n", rand(), rand(), rand() + rand() }' >noise.csv
ok surekrig fit noise.csv -o m.model --nu 0.5 --rho 0.3 --batch 100
says "note       tau2 = 100 is at its upper bound: next to these features the response is almost all noise"
ok surekrig fit noise.csv -o m.model --nu 0.5 --rho 0.3 --batch 100 --tau2 100
! grep -q "upper bound" "$err" || fail "a nugget that is given is at no bound"
# rows that stand twice hide the noise
awk '{ print } NR % 10 == 2 { print }' train.csv >twice.csv
ok surekrig fit twice.csv -o m.model --nu 0.5 --rho 0.2 --tau2 0.01 --coverage none
says "20 rows have the place and the response of another: if these are copies, leave them out, for they say that there is no noise"
awk -F, -v OFS=, '{ print } NR % 10 == 2 { $2 += 0.1; print }' train.csv >again.csv
ok surekrig fit again.csv -o m.model --nu 0.5 --rho 0.2 --tau2 0.01 --coverage none
! grep -q "copies" "$err" || fail "a measurement that was repeated is taken for a copy"
