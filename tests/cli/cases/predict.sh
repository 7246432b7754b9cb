# Predictions: what the columns mean, and the options.
make_model
column y train.csv >y
ok surekrig predict m.model test.csv -o p.csv
silent
prints_nothing
first_line p.csv "x1,mean,sd,lower,upper"
rows p.csv 201
for name in x1 mean sd lower upper; do column $name p.csv >$name; done
column x1 test.csv >places
every 'a == b' x1 places # one row per row, in order, with its feature as it was
z=1.959963984540054
every "(a + $z * c - b)^2 < 1e-24 && (d - $z * c - b)^2 < 1e-24" lower mean sd upper
ok surekrig predict m.model test.csv --level 0.5 -o half.csv
every '(a - b - 0.6744897501960817 * c)^2 < 1e-24' <(column upper half.csv) mean sd
every 'a == b' <(column sd half.csv) sd

# of the field without the nugget, 0.01 gamma2
ok surekrig info m.model --json
gamma2=$(json_value gamma2 "$out")
ok surekrig predict m.model test.csv --latent -o latent.csv
every 'a < b' <(column sd latent.csv) sd
every "(b * b - a * a - 0.01 * $gamma2)^2 < 1e-20" <(column sd latent.csv) sd
every 'a == b' <(column mean latent.csv) mean
ok surekrig predict m.model test.csv --mean-only -o means.csv
for what in "--level 0.9" --latent --calibrate "--noise y"; do
    fails 2 "${what% *} is about sd and intervals, and --mean-only leaves these out" \
        surekrig predict m.model test.csv --mean-only $what -o none.csv
done
first_line means.csv "x1,mean"
every 'a == b' <(column mean means.csv) mean

# without a nugget: latent and observation are one, and the data are met
ok surekrig fit train.csv -o exact.model --nu 0.5 --rho 0.2 --tau2 0 --coverage none -q
ok surekrig predict exact.model test.csv -o exact.csv
ok surekrig predict exact.model test.csv --latent -o exact.latent
same exact.csv exact.latent
ok surekrig predict exact.model train.csv -o met.csv
every '(a - b)^2 < 1e-16' <(column mean met.csv) y
every 'a >= 0 && a < 1e-6' <(column sd met.csv)

# twice the response: twice the mean and the sd
awk -F, -v OFS=, 'NR > 1 { $2 *= 2 } { print }' OFMT=%.17g CONVFMT=%.17g train.csv >double.csv
ok surekrig fit double.csv -o double.model $GIVEN
ok surekrig predict double.model test.csv -o double.predicted
every 'a == 2 * b && c == 2 * d' <(column mean double.predicted) mean <(column sd double.predicted) sd

# streams
ok surekrig predict m.model test.csv
same "$out" p.csv
ok surekrig predict m.model - <test.csv
same "$out" p.csv
cat test.csv | ok surekrig predict m.model - -o piped.csv
same piped.csv p.csv
ok surekrig predict m.model test.csv -o - --quiet
same "$out" p.csv
ok surekrig predict m.model test.csv -o /dev/stdout
same "$out" p.csv
head -n 1 test.csv >header.csv # no points: no predictions, but a header
ok surekrig predict m.model header.csv
equal "$(cat "$out")" "x1,mean,sd,lower,upper"
