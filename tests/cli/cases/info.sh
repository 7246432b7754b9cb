# A model tells what it holds: as text, as JSON, with its rounds; and SQLite opens it.
make_data
ok surekrig fit train.csv -o m.model $QUICK -q
ok surekrig info m.model
silent
for word in "200 points" nu rho tau2 gamma2 mean asked reached outcome evaluations; do prints "$word"; done
ok surekrig info m.model --trace
grep -qE '^round +beta' "$out" || fail "no table of rounds"
grep -qE '^ +1 ' "$out" || fail "no first round"
ok surekrig info m.model --json
json "$out"
cp "$out" info.json
for key in version n d l neighbors batch features responses estimates nu rho tau2 gamma2 mean levels coverage loss outcome \
    evaluations rounds leave_one_out settings trace lambda beta seconds; do
    grep -q "\"$key\": " info.json || fail "no $key in the JSON"
done
equal "$(json_value batch info.json)" 200
equal "$(grep -c '"beta": [0-9]' info.json)" "$(json_value rounds info.json)"
if command -v sqlite3 >/dev/null; then
    equal "$(sqlite3 m.model 'SELECT n FROM model')" 200
    equal "$(sqlite3 m.model 'PRAGMA integrity_check')" ok
    equal "$(sqlite3 :memory: "SELECT json_valid(readfile('info.json'))")" 1
fi
