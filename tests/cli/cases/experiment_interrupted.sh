# A study that is interrupted, killed, or runs out of disk or without gnuplot: what is finished is kept and found again.
long="--points 4000 --cases 0.135 --presets default --trials 40 --batch 400 --neighbors 20"
study() { surekrig experiment synthetic $long "$@"; }
trials() { [ -e "$1/trials.csv" ] && wc -l <"$1/trials.csv" || echo 0; }
wait_for_trials() { # DIR COUNT PID
    until [ "$(trials "$1")" -gt "$2" ]; do kill -0 "$3" 2>/dev/null || fail "it ended too early"; sleep 0.05; done
}
env --default-signal=INT surekrig experiment synthetic $long -o s 2>said & # what runs in the background ignores it otherwise
pid=$!
wait_for_trials s 2 $pid
kill -INT $pid
status=0
wait $pid || status=$?
equal $status 130
grep -q "interrupted; finished trials are kept in s/trials.csv, and the same command goes on from them" said || fail "$(cat said)"
kept=$(trials s)
cp s/trials.csv kept.csv
[ ! -e s/report.html ] || fail "a report of half a study"

surekrig experiment synthetic $long -o s 2>/dev/null &
pid=$!
wait_for_trials s "$kept" $pid
capture study -o s # not fails: the other run goes on writing meanwhile
equal $status 1
says "another run is writing s/trials.csv"
kill -9 $pid
wait $pid 2>/dev/null || true
cmp -n "$(stat -c %s kept.csv)" kept.csv s/trials.csv || fail "finished trials were lost"

# a limit on the size of files, in KiB, stands for the full disk
limited() { (ulimit -f 8 && exec "$@"); }
capture limited surekrig experiment synthetic $QUICK_STUDY --trials 3 -o full
equal $status 1
says "cannot write full/"
says "File too large"
ok surekrig experiment synthetic $QUICK_STUDY --trials 3 -o full # with room again it goes on
rows full/trials.csv 85

# without gnuplot: everything but the pictures, and a sentence that says what brings it
mkdir bare
ln -s "$(command -v surekrig)" bare/surekrig
ok env PATH="$PWD/bare" surekrig experiment synthetic $QUICK_STUDY --trials 1 -o plain
says "there is no gnuplot, so no figures were drawn; install it (Debian package gnuplot-nox)"
[ -s plain/table.md ] && [ -s plain/figures/coverage.gp ] && [ -s plain/figures/coverage.dat ] || fail "tables or data are missing"
grep -q "Not drawn" plain/report.html || fail "the report does not say so"
