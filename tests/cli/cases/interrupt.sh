# Ctrl-C, SIGTERM and a closed terminal end a command within a second, with 128 + the signal's number, and leave no file.
[ -z "${EMULATED:-}" ] || skip "an emulator is too slow for the second"
surekrig simulate --grid 20000 --rho 0.2 -o long.csv
surekrig fit long.csv -o m.model $GIVEN --neighbors 200
echo "x1" >points.csv
seq 0 0.000002 1 >>points.csv
long="--batch 20000 --neighbors 300 --evaluations 1000"
interrupted_by INT 130 surekrig fit long.csv -o z.model $long
says "interrupted; nothing was written"
interrupted_by TERM 143 surekrig fit long.csv -o z.model $long
interrupted_by INT 130 surekrig fit long.csv -o m.model $long # the old model stays
interrupted_by INT 130 surekrig predict m.model points.csv -o z.csv
says "interrupted; nothing was written"
interrupted_by INT 130 surekrig predict m.model points.csv -o z.npy --quiet
interrupted_by TERM 143 surekrig predict m.model points.csv -o z.csv
interrupted_by HUP 129 surekrig predict m.model points.csv -o z.csv
for signal in QUIT:131 USR1:138 USR2:140 ALRM:142 XCPU:152; do # a queue's warnings, a limit on time
    interrupted_by ${signal%:*} ${signal#*:} surekrig predict m.model points.csv -o z.csv
    says "interrupted; nothing was written"
done
surekrig simulate --grid 200000 --rho 0.2 -o longer.csv
surekrig fit longer.csv -o longer.model $GIVEN --neighbors 200
interrupted_by INT 130 surekrig cv longer.model --blocks 30 -o z.csv
says "interrupted; nothing was written"
interrupted_by INT 130 surekrig simulate --given m.model points.csv -o z.csv
says "interrupted; nothing was written"
# while both files of a simulation are half written
env --default-signal=INT surekrig simulate --grid 1500000 -o a.csv --holdout b.csv 2>said &
pid=$!
until [ -e b.csv.tmp-$pid-0 ]; do kill -0 $pid 2>/dev/null || fail "it ended too early"; done
kill -INT $pid
status=0
wait $pid || status=$?
equal $status 130
grep -q "^surekrig simulate: interrupted; nothing was written$" said || fail "$(cat said)"
no_file a.csv
no_file b.csv
