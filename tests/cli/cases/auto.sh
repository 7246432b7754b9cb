# --auto yes: the table of what was tried, in fit and in info; what is set is kept.
make_data
ok surekrig fit train.csv -o m.model --auto yes --batch 100 --evaluations 6 --polish 0 --neighbors 10
says "tried on held-out points"
says "plain"
says "mean = trend"
cp "$err" summary
ok surekrig info m.model
same "$out" summary
ok surekrig info m.model --json
json "$out"
grep -q '"tried": \[{"what": "plain", "crps": 0\.[0-9]*, "error": [-0-9.e]*, "seconds": [0-9.]*, "kept": true}' "$out" || tell_and_fail "no trials"
equal "$(json_value auto "$out")" no
equal "$(json_value neighbors "$out")" 10
ok surekrig fit train.csv -o held.model --auto yes --batch 100 --evaluations 6 --polish 0 --neighbors 10 --mean constant
! grep -qF "mean = " "$err" || tell_and_fail "a mean that was given is changed"
