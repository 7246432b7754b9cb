# Many readings at each place use up the neighbours, which is told; two are nothing to speak of.
make_plane
many() { awk -F, -v each="$1" 'NR == 1 { print } NR > 1 { for (i = 0; i < each; i++) print $1 "," $2 "," $3 + i / 10 }' plane.csv; }
many 20 >many.csv
many 2 >two.csv
ok surekrig fit many.csv -o many.model ${GIVEN% --quiet}
says "note       with 20 readings a place the 50 neighbours are of few places: the field between places is told better by the mean of each"
ok surekrig fit two.csv -o two.model ${GIVEN% --quiet}
! grep -q readings "$out" || fail "two readings are told of"
