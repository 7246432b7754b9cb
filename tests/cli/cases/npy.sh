# NPY arrays out of predict and simulate, and back into fit, predict and simulate.
make_model
ok surekrig predict m.model test.csv -o predicted.npy
prints_nothing
equal "$(stat -c %s predicted.npy)" $((128 + 200 * 5 * 8))
grep -qaF "'descr': '<f8', 'fortran_order': False, 'shape': (200, 5)" predicted.npy || fail "wrong NPY header"

# the first column is the feature: predicting there again gives the same predictions
ok surekrig predict m.model predicted.npy -o again.csv
ok surekrig predict m.model test.csv -o expected.csv
same again.csv expected.csv
ok surekrig predict m.model - -o again.npy <predicted.npy
same again.npy predicted.npy

ok surekrig simulate --grid 400 --nu 0.5 --rho 0.2 --tau2 0.01 --seed 3 -o train.npy --holdout test.npy
ok surekrig fit train.npy -o npy.model $GIVEN
ok surekrig info npy.model
prints "1 feature (c1), response c2"
ok surekrig predict npy.model test.npy -o npy.csv
equal "$(tail -n +2 npy.csv | cksum)" "$(tail -n +2 expected.csv | cksum)"
ok surekrig fit predicted.npy -x c1 -y c2 -o chosen.model $GIVEN
ok surekrig simulate test.npy
first_line "$out" "c1,c2,y"
ok surekrig score npy.model test.npy --json
cp "$out" npy.json
ok surekrig score m.model test.csv --json
same "$out" npy.json

# predictions without names are scored by place: the features of the test file, then mean, sd, lower and upper
ok surekrig predict npy.model test.npy -o p.npy
ok surekrig score p.npy test.npy --json
cp "$out" place.json
ok surekrig score npy.csv test.npy --json
same "$out" place.json
ok surekrig score p.npy test.csv --json
same "$out" place.json
fails 1 "row 1 of p.npy is not that of train.npy" surekrig score p.npy train.npy
ok surekrig predict npy.model test.npy --mean-only -o mean.npy
fails 1 "mean.npy has no names, and 2 columns where 5 are expected: 1 feature as in test.npy, mean, sd, lower and upper" \
    surekrig score mean.npy test.npy
surekrig simulate --grid 15x12 --nu 0.5 --rho 0.5 --tau2 0.01 --seed 4 -o plane.npy
ok surekrig fit plane.npy -y c1 -o plane.model $GIVEN # the response first
ok surekrig predict plane.model plane.npy -o plane.predicted.npy
ok surekrig predict plane.model plane.npy -o plane.csv
ok surekrig score plane.predicted.npy plane.npy -y c1 --json
cp "$out" place.json
ok surekrig score plane.csv plane.npy -y c1 --json
same "$out" place.json

# missing values are NaN in NPY
printf 'x1\n0.5\nNA\n0.25\n' >gaps.csv
ok surekrig predict m.model gaps.csv -o gaps.npy
ok surekrig predict m.model gaps.npy -o gaps.predicted
ok surekrig predict m.model gaps.csv -o gaps.expected
same gaps.predicted gaps.expected

head -c 1000 predicted.npy >short.npy
fails 1 "short.npy ends after row" surekrig predict m.model short.npy -o z.csv
fails 1 "short.npy ends after row" surekrig fit short.npy -o z.model
head -c 60 predicted.npy >header.npy
fails 1 "header.npy" surekrig predict m.model header.npy -o z.csv
sed 's/<f8/>f8/' predicted.npy >big.npy
fails 1 "little-endian" surekrig predict m.model big.npy -o z.csv
sed 's/False/True /' predicted.npy >fortran.npy
ok surekrig predict m.model fortran.npy -o z.csv
fails 1 "in Fortran order, which is read from files, not from pipes; numpy.ascontiguousarray gives C order" \
    sh -c 'cat fortran.npy | surekrig predict m.model - -o z.csv'

# a short file that promises many columns takes no memory for them
promise() { # SHAPE FILE
    head=$(printf "{'descr': '|u1', 'fortran_order': False, 'shape': %s, }" "$1")
    { printf '\x93NUMPY\x01\x00\x76\x00' && printf '%-117s\n' "$head" && printf 1234; } >"$2"
}
promise '(2, 67108864)' wide.npy
promise '(0, 67108864)' nothing.npy
promise '(4, 1)' four.npy
little() { (ulimit -v 1000000 && "$@"); } # KiB; a sanitizer cannot live in it
[[ $(ldd "$(command -v surekrig)") != *san.so* ]] || little() { "$@"; }
fails 1 "wide.npy ends after row 0 of 2" little surekrig predict m.model wide.npy -o z.csv
fails 1 "wide.npy ends after row 0 of 2" little surekrig fit wide.npy -o z.model
fails 1 "standard input ends after row 0 of 2" little surekrig fit - -o z.model <wide.npy
fails 1 "its shape is too large" little surekrig predict m.model nothing.npy -o z.csv
ok surekrig predict m.model four.npy -o four.csv
