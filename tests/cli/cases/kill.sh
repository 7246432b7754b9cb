# kill -9 at any moment leaves the old model or the new one: never half of one, never none.
surekrig simulate --grid 400x300 --rho 0.3 --tau2 0.01 -o a.csv --holdout b.csv
head -n -1000 b.csv >shorter.csv
ok surekrig fit a.csv -o m.model $GIVEN --batch 2
start=${EPOCHREALTIME/./}
ok surekrig fit shorter.csv --from m.model -o other.model -q
took=$((${EPOCHREALTIME/./} - start)) # microseconds
saving=0
for ((i = 0; i < 20; i++)); do
    data=$([ $((i % 2)) -eq 0 ] && echo shorter.csv || echo a.csv)
    surekrig fit $data --from m.model -o m.model -q &
    fit=$!
    if [ $((i % 4)) -eq 0 ]; then # at any moment
        delay=$((RANDOM * took / 30000))
        sleep "$((delay / 1000000)).$(printf %06d $((delay % 1000000)))"
    else # while it saves: a little after its temporary file has appeared
        until [ -e m.model.tmp-$fit-0 ] || ! kill -0 $fit 2>/dev/null; do :; done
        for ((wait = RANDOM % 2000; wait > 0; wait--)); do :; done
    fi
    kill -9 $fit 2>/dev/null || true
    wait $fit 2>/dev/null || true
    [ ! -e m.model.tmp-$fit-0 ] || saving=$((saving + 1))
    rm -f m.model.tmp-$fit-0
    ok surekrig info m.model --json
    n=$(json_value n "$out")
    [ $n -eq 60000 ] || [ $n -eq 59000 ] || fail "a model of $n points"
done
[ $saving -gt 0 ] || fail "no kill came during a save: the test has shown nothing"
