# A reader that goes away: no crash, no endless run, a sentence, and exit status 1.
make_model
{ echo x1 && seq 0 0.00002 1; } >points.csv
for command in "predict m.model points.csv --mean-only" "simulate --grid 50000"; do
    fails 1 "cannot write standard output: Broken pipe" \
        bash -c "surekrig $command | head -n 1; exit \${PIPESTATUS[0]}"
    equal "$(wc -l <"$out")" 1
done
fails 1 "cannot write standard output" sh -c 'surekrig info m.model --json >&-'
