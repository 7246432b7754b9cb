# Names of columns that need quotes, in CSV and in JSON; names that predict's own columns have too.
printf '"lon, ""a""",me\\an\t,"te\\mp"\n1,2,3\n2,5,5\n3,3,4\n' >odd.csv
given="--nu 0.5 --rho 1 --tau2 0.1 --coverage none"
ok surekrig fit odd.csv -o odd.model $given --json
json "$out"
grep -qF '"features": ["lon, \"a\"", "me\\an"], "responses": ["te\\mp"]' "$out" || tell_and_fail "the names are others"
ok surekrig predict odd.model odd.csv -o odd.predicted
first_line odd.predicted '"lon, ""a""",me\an,mean,sd,lower,upper'
ok surekrig predict odd.model odd.predicted -o again.predicted
same again.predicted odd.predicted

long=$(printf 'n%.0s' {1..300})
printf "$long,${long}2,y\n1,2,3\n2,5,5\n3,3,4\n" >long.csv
ok surekrig fit long.csv -o long.model $given --json
json "$out"
ok surekrig predict long.model long.csv -o long.predicted
first_line long.predicted "$long,${long}2,mean,sd,lower,upper"

# a feature that is called mean: what predict writes is still a table that surekrig can read
printf 'mean,y\n1,2\n2,5\n3,3\n' >mean.csv
ok surekrig fit mean.csv -o mean.model $given -q
ok surekrig predict mean.model mean.csv -o mean.predicted
ok surekrig predict mean.model mean.predicted -o mean.again

# of several responses or draws there would be two of one name, which nothing reads: no table is made
printf 'x,mean_y,y,z\n1,1,2,3\n2,5,5,1\n3,3,4,7\n4,2,1,5\n' >twins.csv
ok surekrig fit twins.csv -x x,mean_y -y y,z -o twins.model $given -q
fails 1 "twins.out would have two columns named 'mean_y': give the one that is yours another name, or write NPY" \
    surekrig predict twins.model twins.csv -o twins.out
no_file twins.out
ok surekrig predict twins.model twins.csv -o twins.npy
printf 'draw_1,y\n1,2\n2,5\n3,3\n' >draw.csv
ok surekrig fit draw.csv -o draw.model $given -q
fails 1 "would have two columns named 'draw_1'" surekrig simulate --given draw.model draw.csv --draws 2

# a name that is no UTF-8: JSON has to be
printf 'caf\xe9,y\n1,2\n2,5\n3,3\n' >latin.csv
ok surekrig fit latin.csv -o latin.model $given --json
cp "$out" latin.json
json latin.json
ok iconv -f UTF-8 -t UTF-8 latin.json
