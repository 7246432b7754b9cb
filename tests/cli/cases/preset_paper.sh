# preset paper knows mean 0 and gamma2 1: where the data say otherwise, that is told, with what to add.
silent_on() { ! grep -qF -- "$1" "$err"; }
ok surekrig simulate --grid 20x20 --nu 0.5 --rho 0.1 --tau2 0.001 -o unit.csv
awk -F, -v OFS=, 'NR > 1 { $3 = 40 + 3 * $3 } { print }' unit.csv >warm.csv
awk -F, -v OFS=, 'NR > 1 { $3 = 40 + $3 } { print }' unit.csv >shifted.csv
paper() { surekrig fit "$1" -o m.model --preset paper --batch 60 --neighbors 10 --rounds 1 --evaluations 4 "${@:2}"; }
ok paper unit.csv
silent_on "as known" || fail "standard data are warned of"
ok paper warm.csv
says "y has mean $(awk -F, 'NR > 1 { s += $3; n++ } END { printf "%.4g", s / n }' warm.csv) and variance "
says "but preset paper takes mean 0 and gamma2 1 as known: add --mean constant --gamma2 auto, or centre and scale the response"
ok paper shifted.csv
says "as known: add --mean constant, or"
ok paper warm.csv --mean constant
says "takes gamma2 1 as known: add --gamma2 auto, or"
ok paper warm.csv --mean constant --gamma2 auto
silent_on "as known" || fail "what was added is asked for again"
ok surekrig fit warm.csv -o m.model --preset coverage --batch 60 --neighbors 10
silent_on "as known" || fail "another preset is warned of"
