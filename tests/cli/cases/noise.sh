# Known noise variances: a column of them; where they are large the data count less.
make_data
awk -F, -v OFS=, '{ print $0, NR == 1 ? "s" : 0.02 }' train.csv >even.csv
awk -F, -v OFS=, '{ print $0, NR == 1 ? "s" : $1 < 0.5 ? 0.02 : 2 }' train.csv >uneven.csv
for kind in even uneven; do
    ok surekrig fit $kind.csv --noise s -y y -o $kind.model --preset coverage --nu 0.5 --rho 0.2 --tau2 0 --gamma2 1 --coverage none
    says "1 feature (x1), response y, noise variances given"
    ok surekrig predict $kind.model test.csv -o $kind.predicted
done
column sd uneven.predicted >uneven
every 'a < b' <(sed -n '1,90p' uneven) <(sed -n '111,200p' uneven)

# equal noise variances are a nugget: tau2 = 0.02 for gamma2 = 1; a new observation has the nugget, but not the noise
ok surekrig fit train.csv -o nugget.model --preset coverage --nu 0.5 --rho 0.2 --tau2 0.02 --gamma2 1 --coverage none -q
ok surekrig predict nugget.model test.csv --latent -o nugget.predicted
every '(a - b)^2 < 1e-20 && (c - d)^2 < 1e-20' <(column mean even.predicted) <(column mean nugget.predicted) \
    <(column sd even.predicted) <(column sd nugget.predicted)

ok surekrig fit even.csv --noise s -y y -o m.model $QUICK -q # gamma2 is searched too
ok surekrig info m.model --json
json "$out"
awk -F, -v OFS=, '{ print $0, NR == 1 ? "s" : NR == 9 ? -1 : 0.02 }' train.csv >negative.csv
fails 1 "row 8: -1 is not a variance" surekrig fit negative.csv --noise s -y y -o z.model $GIVEN
