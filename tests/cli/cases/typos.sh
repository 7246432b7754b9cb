# A mistyped word gets a suggestion where one is near, and none where none is.
make_plane
surekrig fit plane.csv -o m.model $GIVEN
suggests() { # FRAGMENT COMMAND...
    fails 2 "$@"
}
no_guess() { # COMMAND...
    fails 2 "there is no" "$@"
    [[ $(<"$err") != *"did you mean"* ]] || tell_and_fail "a suggestion where there is none"
}
suggests "there is no command 'ftt'; did you mean fit?" surekrig ftt
suggests "did you mean predict?" surekrig perdict
suggests "did you mean simulate?" surekrig sim
suggests "did you mean score?" surekrig help scoer
no_guess surekrig nosuch
suggests "there is no option --neighbours; did you mean --neighbors?" surekrig fit plane.csv -o z.model --neighbours 20
suggests "did you mean --evaluations?" surekrig fit plane.csv -o z.model --eval=20
suggests "did you mean --output?" surekrig predict m.model plane.csv --ouput z.csv
suggests "did you mean --long_ratio?" surekrig fit plane.csv -o z.model --long-ratio 3
suggests "--nu here: it is a setting of fit, fill and experiment" surekrig predict m.model plane.csv --nu 3
no_guess surekrig fit plane.csv -o z.model --qqqqqqqq
suggests "did you mean gaussian?" surekrig fit plane.csv -o z.model --kernel gausian
suggests "did you mean multipliers?" surekrig fit plane.csv -o z.model --constraint multiplier
suggests "did you mean auto?" surekrig fit plane.csv -o z.model --nu atuo
suggests "did you mean gaps?" surekrig fit plane.csv -o z.model --preset gap
suggests "there is no setting 'neigbors'; did you mean neighbors?" surekrig settings neigbors
suggests "did you mean calibration?" surekrig plot calibraton m.model plane.csv -o z.png
fails 1 "has no column 'X1'; did you mean x1? It has x1, x2, y" surekrig fit plane.csv -o z.model -x X1,x2
sed '1s/x1/easting/' plane.csv >long.csv
fails 1 "has no column 'eastng'; did you mean easting? It has easting, x2, y" surekrig fit long.csv -o z.model -x eastng,x2
fails 1 "has no column 'temperature'; it has easting, x2, y" surekrig fit long.csv -o z.model -y temperature
fails 1 "there is no feature 'eastin'; there are easting, x2" surekrig fit long.csv -o z.model --mean trend --trend eastin
fails 2 "nu = 'a' is not possible" surekrig fit plane.csv -o z.model --nu a
! grep -q "did you mean" "$err" || fail "what was typed is suggested"
