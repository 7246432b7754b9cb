# What the machine gives, without a file needed or left behind; each back end that it lists can be asked for by name.
export TMPDIR=$PWD/temporary
mkdir temporary
everything_here >"$scratch/before"
ok surekrig bench --threads 2 --quiet
silent
everything_here >"$scratch/after"
diff "$scratch/before" "$scratch/after" || fail "files are left behind"
prints "threads: 2; 100000 points"
for line in "Matérn values" index "CSV lines written" "CSV lines read"; do
    grep -qE "^$line +[0-9.]*[1-9]" "$out" || tell_and_fail "no figure for $line"
done
awk '/^back end/ { on = 1; next } /^$/ { on = 0 } on' "$out" >backends
grep -q '^reference ' backends || fail "no reference back end"
make_data
while read -r name objective _ rate _; do
    every 'a > 0 && b > 0' <(echo "$objective") <(echo "$rate")
    ok surekrig fit train.csv -o m.model $GIVEN --backend "$name"
done <backends

# other points
ok surekrig bench --points 300 --threads 1 --quiet
prints "threads: 1; 300 points"
for few in 0 1 50; do
    fails 2 "--points takes a whole number from 51 to 10000000, not '$few'" surekrig bench --points $few
    prints_nothing
done
ok surekrig bench --points 51 --threads 1 --quiet

# where no file can be written it says so
export TMPDIR=$PWD/missing
fails 1 "$TMPDIR" surekrig bench --quiet
