# The same data, settings and seed: the same bytes on any number of threads; another seed: another batch.
make_plane
answers() { # NAME OPTION...: the model without its times, and its predictions
    local name=$1
    shift
    ok surekrig fit plane.csv -o $name.model --batch 100 --evaluations 8 --polish 10 -q "$@"
    surekrig info $name.model --json | sed 's/"threads": "[^"]*"//; s/"seed": "[^"]*"//' | grep -v '"seconds"' >$name.json
    surekrig predict $name.model plane.csv --threads 2 -o $name.csv
}
answers first --threads 1
answers again --threads 1
answers two --threads 2
answers seven --threads 7
answers auto
for name in again two seven auto; do
    same first.json $name.json
    same first.csv $name.csv
done
ok surekrig predict first.model plane.csv --threads 1 -o one.csv
same one.csv first.csv
answers other --seed 2
differ first.json other.json
# the batch is drawn by the seed too: gamma2 is computed from it
for seed in 1 2; do
    ok surekrig fit plane.csv -o seed.model --batch 50 --seed $seed $GIVEN
    surekrig info seed.model --json | grep '"estimates"' >seed$seed
done
differ seed1 seed2
