# --name value, --name=value, -nvalue; their order does not matter, nor does the preset's; the last one counts.
make_data
settings_of() { # OPTION...: what the model says of its settings
    surekrig fit train.csv -o m.model -q --batch 100 "$@"
    surekrig info m.model --json | grep '"settings"'
}
settings_of --nu 0.5 --rho 0.2 --tau2 0.01 --coverage none >plain
settings_of --nu=0.5 --rho=0.2 --tau2=0.01 --coverage=none >equals
same plain equals
settings_of --coverage none --tau2 0.01 --rho 0.2 --nu 0.5 >turned
same plain turned
settings_of --nu 0.9 --rho 0.2 --tau2 0.01 --coverage none --nu 0.5 >twice
same plain twice

settings_of --preset paper --nu 0.5 --rho 0.2 --rounds 2 >first
settings_of --nu 0.5 --rho 0.2 --rounds 2 --preset paper >last
settings_of --nu 0.5 --preset=paper --rho 0.2 --rounds=2 >between
same first last
same first between
grep -q '"preset": "paper"' first || fail "the preset is not kept"
grep -q '"rounds": "2"' first || fail "the preset undid --rounds 2"
grep -q '"select": "last"' first || fail "the preset did not set select"
differ plain first

ok surekrig fit -otight.model -xx1 -yy train.csv $GIVEN
ok surekrig fit --output=long.model --features=x1 --response=y train.csv $GIVEN
ok surekrig fit $GIVEN -o dashes.model -- train.csv
for model in tight long dashes; do
    ok surekrig predict $model.model test.csv -o $model.csv
    same $model.csv tight.csv
done
mv train.csv ./-odd.csv
ok surekrig fit -o odd.model $GIVEN -- -odd.csv
fails 2 "" surekrig fit -o odd.model $GIVEN -odd.csv # an option, read as -o dd.csv
fails 2 "--nu" surekrig fit --nu= 0.5 -o z.model -- -odd.csv # an empty value is a value, and none of nu's
