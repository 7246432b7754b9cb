# Which columns count: the last is the response and the other numeric ones are features, unless named; predict goes by name.
make_plane
awk -F, -v OFS=, 'NR == 1 { print "id", "lon", "note", "lat", "temp" }
                  NR > 1 { print "p" NR, $1, "n/a", $2, $3 }' plane.csv >full.csv
ok surekrig fit full.csv -o default.model $GIVEN
ok surekrig info default.model
prints "2 features (lon, lat), response temp"
ok surekrig fit full.csv -x lon,lat -y temp -o named.model $GIVEN
ok surekrig predict default.model full.csv -o default.csv
ok surekrig predict named.model full.csv -o named.csv
same default.csv named.csv
first_line named.csv "lon,lat,mean,sd,lower,upper"

# other places of the columns at prediction, and others among them
awk -F, -v OFS=, '{ print $4, $1, $2 }' full.csv >turned.csv
ok surekrig predict named.model turned.csv -o turned.predicted
same named.csv turned.predicted
ok surekrig fit full.csv -x lat -y lon -o one.model $GIVEN
ok surekrig info one.model
prints "1 feature (lat), response lon"

# what was predicted by name can be fed back
ok surekrig predict named.model named.csv -o again.csv
same named.csv again.csv

fails 1 "has no column 'nosuch'; it has id, lon, note, lat, temp" surekrig fit full.csv -x nosuch -o z.model
fails 1 "has no column 'nosuch'" surekrig fit full.csv -y nosuch -o z.model
fails 1 "has no column 'nosuch'" surekrig fit full.csv --noise nosuch -o z.model
fails 1 "column temp" surekrig fit full.csv -x lon,temp -y temp -o z.model
fails 1 "column lon" surekrig fit full.csv -x lon,lon -y temp -o z.model
fails 1 "column temp" surekrig fit full.csv -y temp,temp -o z.model
fails 1 "column lat" surekrig fit full.csv -x lon,lat --noise lat -o z.model
fails 1 "column id: 'p2' is not a number" surekrig fit full.csv -x id,lon -o z.model
fails 1 "row 1 (line 2), column id: 'p2'" surekrig fit full.csv -y id -o z.model
fails 1 "column note has none" surekrig fit full.csv -y note -o z.model
fails 1 "has no column 'lat'; it has lon" surekrig predict named.model <(cut -d , -f 2 full.csv) -o z.csv
cut -d , -f 1,5 full.csv >nofeature.csv
fails 1 "at least one numeric feature" surekrig fit nofeature.csv -o z.model

# what was taken because nobody named columns: what counts the rows under a name of its own, a response that is a coordinate
awk -F, -v OFS=, '{ print NR == 1 ? "step" : NR + 6, $2, $4, $5 }' full.csv >numbered.csv
ok surekrig fit numbered.csv -o n.model $QUICK
says "surekrig fit: step counts the rows, and is taken as a feature: -x NAMES names the features"
ok surekrig fit numbered.csv -x lon,lat -o n.model $QUICK
! grep -q "counts the rows" "$err" || fail "features were named"
cut -d , -f 1,4 numbered.csv >series.csv
ok surekrig fit series.csv -o n.model $QUICK
! grep -q "counts the rows" "$err" || fail "a series has no other feature"
cut -d , -f 2,4,5 full.csv | awk -F, -v OFS=, '{ print $3, $1, $2 }' >last.csv
ok surekrig fit last.csv -o n.model $QUICK
says "surekrig fit: the response is the last column, lat: -y NAME names another"
ok surekrig fit last.csv -y temp -o n.model $QUICK
! grep -q "last column" "$err" || fail "the response was named"

# Dates without marks are numbers with gaps, which is told; with the year first and slashes they are dates. Of two rows nothing is said.
awk 'BEGIN { print "x,day,y"; for (i = 0; i < 40; i++) printf "%d,2024%02d%02d,%.4f\n", i % 8, 1 + int(i / 28), 1 + i % 28, sin(i / 3) }' >packed.csv
ok surekrig fit packed.csv -o z.model --time day --neighbors 10
says "surekrig fit: day is taken as a number, though it looks like dates as 20240301: 70 lie between the last of January"
sed 's/,\(2024\)\(..\)\(..\),/,\1\/\2\/\3,/' packed.csv >slashes.csv
sed 's/,\(2024\)\(..\)\(..\),/,\1-\2-\3,/' packed.csv >dashes.csv
ok surekrig krige slashes.csv slashes.csv --time day -o a.csv --neighbors 10 --auto no
! grep -q "looks like dates" "$err" || fail "these are dates"
ok surekrig krige dashes.csv dashes.csv --time day -o b.csv --neighbors 10 --auto no
same a.csv b.csv
printf 'a,b,y\n1,5,2\n2,9,3\n' >two.csv
ok surekrig fit two.csv -o z.model
! grep -q "is a copy of" "$err" || fail "two rows say nothing of that"
