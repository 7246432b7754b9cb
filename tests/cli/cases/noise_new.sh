# Noise given for the new observations too widens their intervals by just that variance.
awk -v OFS=, 'BEGIN { print "x,s,y"; srand(3); for (i = 0; i < 200; i++) { s = i % 2 ? 0.01 : 0.09
     print i / 200, s, sin(i / 30) + sqrt(s) * sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) } }' >train.csv
ok surekrig fit train.csv -x x -y y --noise s -o m.model -q --preset coverage --coverage none --evaluations 5 --polish 0
ok surekrig predict m.model train.csv -o plain.csv
ok surekrig predict m.model train.csv --noise s -o noisy.csv
every '(a * a - b * b) / c - 1 < 1e-9 && (a * a - b * b) / c - 1 > -1e-9' \
    <(column sd noisy.csv) <(column sd plain.csv) <(column s train.csv)
ok surekrig predict m.model train.csv --noise s --latent -o latent.csv
ok surekrig predict m.model train.csv --latent -o other.csv
same latent.csv other.csv
ok surekrig score noisy.csv train.csv -y y --json
cp "$out" file.json
ok surekrig score m.model train.csv --noise s --json
same "$out" file.json

# a model without noise variances has all noise in its nugget: the column's would count twice
ok surekrig fit train.csv -x x -y y -o bare.model $GIVEN
twice="s would count twice; fit with --noise, or leave it out here"
fails 1 "$twice" surekrig predict bare.model train.csv --noise s -o z.csv
fails 1 "$twice" surekrig score bare.model train.csv --noise s
fails 1 "$twice" surekrig plot calibration bare.model train.csv --noise s -o z.png
fails 1 "no column 'nosuch'" surekrig predict m.model train.csv --noise nosuch -o z.csv
