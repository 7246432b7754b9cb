# Several responses: one model, a suffix for each, and what a model of each alone would say.
make_plane
awk -F, -v OFS=, -v OFMT=%.17g 'NR == 1 { print "x1", "x2", "u", "v" } NR > 1 { print $1, $2, $3, 10 - 2 * $3 }' plane.csv >both.csv
ok surekrig fit both.csv -x x1,x2 -y u,v -o both.model $GIVEN
ok surekrig info both.model
prints "response u, v"
ok surekrig predict both.model both.csv -o both.predicted
first_line both.predicted "x1,x2,mean_u,sd_u,lower_u,upper_u,mean_v,sd_v,lower_v,upper_v"
rows both.predicted 181
ok surekrig fit both.csv -x x1,x2 -y u -o u.model $GIVEN
ok surekrig predict u.model both.csv -o u.predicted
every 'a == b' <(column mean_u both.predicted) <(column mean u.predicted)
every 'a - 10 + 2 * b < 1e-9 && 10 - 2 * b - a < 1e-9' <(column mean_v both.predicted) <(column mean_u both.predicted)
ok surekrig predict both.model both.csv --mean-only -o means.csv
first_line means.csv "x1,x2,mean_u,mean_v"

ok surekrig score both.predicted both.csv -y u,v --json
json "$out"
cp "$out" file.json
ok surekrig score both.model both.csv --json
same "$out" file.json
grep -q '"u": {"n": 180' "$out" || fail "no object for u"
ok surekrig score both.model both.csv --calibration --json
json "$out"
ok surekrig score both.predicted both.csv -y u --json
json "$out"
ok surekrig score both.model both.csv
equal "$(grep -c RMSE "$out")" 2

fails 1 "-y" surekrig score both.model both.csv -y u

# what to expect of each: v is u in another unit, so its errors are twice as large, and as many are covered
ok surekrig krige both.csv --grid 0,0,1,1,0.1 -x x1,x2 -y u,v -o krige.csv --model krige.model --auto no --nu 0.5 --rho 0.5
says "predictions at 100; what to expect there:"
grep -q '0[.][0-9]* .* u$' "$err" || fail "no scores of u"
grep -q '0[.][0-9]* .* v$' "$err" || fail "no scores of v"
equal "$(grep -c "within +-" "$err")" 2
cp "$err" said
ok surekrig info krige.model # the file has them
same <(grep -A 5 '^scores of' said) <(grep -A 5 '^scores of' "$out")
ok surekrig info krige.model --json
json "$out"
for score in mae rmse crps int cov; do
    of_u=$(grep -o '"u": {"n".*' "$out" | sed 's/"v": {"n".*//' >u.json && json_value $score u.json)
    of_v=$(grep -o '"v": {"n".*' "$out" >v.json && json_value $score v.json)
    near "$of_v" "$(awk -v a="$of_u" -v s=$score 'BEGIN { printf "%.17g", s == "cov" ? a : 2 * a }')" 1e-9
done
awk -F, -v OFS=, '{ print $0, NR == 1 ? "s" : 0.01 }' both.csv >noisy.csv
fails 1 "one response" surekrig fit noisy.csv -x x1,x2 -y u,v --noise s -o z.model
