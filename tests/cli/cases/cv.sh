# Cross-validation: what the columns mean, the scores, the classes of distances, blocks and samples.
make_model
ok surekrig cv m.model -o r.csv
silent
prints "200 points, each predicted without itself; the hyperparameters are the model's, nothing is trained again"
prints "by distance to the nearest datum used, in the feature's unit"
first_line r.csv "x1,y,mean,sd,lower,upper,residual,distance"
rows r.csv 201
for name in x1 y mean sd lower upper residual distance; do column $name r.csv >$name; done
every 'a == b && c == d' x1 <(column x1 train.csv) y <(column y train.csv) # the model's data, in order
z=1.959963984540054
every "(a + $z * c - b)^2 < 1e-24 && (d - $z * c - b)^2 < 1e-24" lower mean sd upper
every '(a - b - c)^2 < 1e-28' y mean residual
every '(a * 399 - 2)^2 < 1e-20' distance # a grid with every other point held out

# the first row by hand: fit without it, predict it
(head -n 1 train.csv; tail -n +3 train.csv) >rest.csv
ok surekrig fit rest.csv -o rest.model --from m.model -q
ok surekrig predict rest.model <(head -n 2 train.csv) -o first.csv
every '(a - b)^2 < 1e-20' <(column mean first.csv) <(head -n 1 mean)
every '(a - b)^2 < 1e-20' <(column sd first.csv) <(head -n 1 sd)

# the scores are those of `score` on the same predictions
ok surekrig cv m.model --json --level 0.9
json "$out"
cp "$out" cv.json
ok surekrig cv m.model --level 0.9 -o r90.csv
ok surekrig score r90.csv train.csv --json --level 0.9
for key in n mae rmse cov crps int logdensity level; do near "$(json_value $key "$out")" "$(json_value $key cv.json)" 1e-12; done
equal "$(json_value blocks cv.json)" 0
equal "$(grep -o '"from"' cv.json | wc -l)" 1 # one distance, one class

# blocks: farther from the data, and worse
ok surekrig cv m.model --blocks 5 -o b.csv --json
json "$out"
[ "$(grep -o '"from"' "$out" | wc -l)" -ge 3 ] || fail "no classes of distances"
awk -v a="$(json_value rmse "$out")" -v b="$(json_value rmse cv.json)" 'BEGIN { exit !(a > b) }' || fail "blocks cost nothing"
every 'a >= b' <(column distance b.csv) distance
ok surekrig cv m.model --blocks 5 --threads 1 -o again.csv -q
same b.csv again.csv
prints "200 points, each predicted without its own of 5 blocks"

# a sample holds rows of the whole
ok surekrig cv m.model --rows 50 -o some.csv
rows some.csv 51
equal "$(grep -cxFf some.csv r.csv)" 51
ok surekrig cv m.model --rows 1000 -o many.csv # more than there are
same many.csv r.csv

# several responses, and names that are taken
make_plane
awk -F, -v OFS=, 'NR == 1 { print "mean", "x2", "u", "sd" } NR > 1 { print $1, $2, $3, 10 - 2 * $3 }' plane.csv >both.csv
ok surekrig fit both.csv -x mean,x2 -y u,sd -o both.model $GIVEN
ok surekrig cv both.model -o both.r --json
json "$out"
grep -q '"u": {"n": 180' "$out" || fail "no object for u"
first_line both.r "mean,x2,u,mean_u,sd_u,lower_u,upper_u,residual_u,response_sd,mean_sd,sd_sd,lower_sd,upper_sd,residual_sd,distance_nearest"
ok surekrig cv both.model
equal "$(grep -c RMSE "$out")" 4

surekrig fit train.csv -o wide.model $GIVEN --neighbors 150
fails 1 "the largest of 2 blocks holds 100 of 200 points and leaves 100, fewer than the 150 neighbours" surekrig cv wide.model --blocks 2 -o z.csv
fails 1 "1 blocks asked" surekrig cv m.model --blocks 1
fails 1 "cannot write" surekrig cv m.model -o nosuch/z.csv
fails 1 "nosuch.model" surekrig cv nosuch.model
fails 2 "--rows takes" surekrig cv m.model --rows 0
fails 2 "--level takes" surekrig cv m.model --level 1
fails 2 "the scores go to standard output" surekrig cv m.model -o -
fails 2 "would replace" surekrig cv m.model -o m.model
fails 2 "given" surekrig cv
