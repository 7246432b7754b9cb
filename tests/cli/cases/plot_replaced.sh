# A picture that replaces another keeps its owner and permissions; what a plot that was killed has left goes with the next, and
# what one that lives is making stays.
command -v gnuplot >/dev/null || skip "there is no gnuplot to draw with"
make_plane
ok surekrig plot map plane.csv -o a.svg --script
for file in a.svg a.gp a.gp.dat; do
    chmod 640 $file
    [ "$(id -u)" -ne 0 ] || chown 65534:65534 $file
done
stat -c '%n %a %u %g' a.* >"$scratch/dress"
cp a.svg "$scratch/a.svg"
ok surekrig plot map plane.csv -o a.svg --script --title other
differ a.svg "$scratch/a.svg"
equal "$(stat -c '%n %a %u %g' a.*)" "$(cat "$scratch/dress")"

# killed and living, while gnuplot draws
real=$PATH
mkdir "$scratch/fake"
printf '#!/bin/sh\n[ "$1" = --version ] || { echo $$ >>"$scratch/drawing"; exec sleep 60; }\n' >"$scratch/fake/gnuplot"
chmod +x "$scratch/fake/gnuplot"
draw() { # NUMBER: in the background, until gnuplot, the so-manieth, has begun
    PATH=$scratch/fake:$real surekrig plot map plane.csv -o a.svg 2>"$scratch/said" &
    pid=$!
    until [ "$(wc -l <"$scratch/drawing")" -eq "$1" ]; do kill -0 $pid || fail "it ended too early"; done
}
: >"$scratch/drawing"
draw 1
kill -9 $pid
wait $pid 2>/dev/null || true
kill "$(cat "$scratch/drawing")"
[ -d a.svg.tmp-$pid-0 ] || fail "nothing was left: the test shows nothing"
dead=$pid
draw 2
[ ! -e a.svg.tmp-$dead-0 ] || fail "what was left is still there"
[ -d a.svg.tmp-$pid-0 ] || fail "the second draws nowhere"
ok surekrig plot map plane.csv -o a.svg
[ -d a.svg.tmp-$pid-0 ] || fail "what a living process makes is gone"
kill -TERM $pid
wait $pid || true
equal "$(echo a.svg*)" a.svg
