# fit --each: each response a model of its own, of all rows that have it: as fitted alone.
make_plane
awk -F, -v OFS=, 'NR == 1 { print "x1", "x2", "u", "v/w"; next }
    { print $1, NR == 90 ? "" : $2, NR % 3 ? $3 : "", NR % 4 == 1 ? "" : 10 - 2 * $3 + $1 }' plane.csv >both.csv
ok surekrig fit both.csv -x x1,x2 -y u,v/w -o both.model $QUICK --each
says "both-u.model"
says "both-v_w.model"
equal "$(grep -c 'that training looked at, leave-one-out' "$err")" 2 # of each
no_file both.model
for name in u v/w; do
    ok surekrig fit both.csv -x x1,x2 -y $name -o alone.model $QUICK -q
    ok surekrig predict both-${name/\//_}.model plane.csv -o each.csv
    ok surekrig predict alone.model plane.csv -o alone.csv
    same each.csv alone.csv
done
ok surekrig info both-u.model --json
first=$(json_value rho "$out")
ok surekrig info both-v_w.model --json
[ "$first" != "$(json_value rho "$out")" ] || fail "both have the same length scale"
ok surekrig score both-u.model both.csv --json
equal "$(json_value n "$out")" "$(awk -F, 'NR > 1 && $2 != "" && $3 != ""' both.csv | wc -l)"

# together, rows that have both: and it is said that there is another way
ok surekrig fit both.csv -x x1,x2 -y u,v/w -o both.model --nu 0.5 --rho 0.2 --tau2 0.01 --coverage none
says "rows dropped: a value is missing; --each fits each response by itself, with all its rows"

# one table of both: the predictions of the first, and those of the second beside them
ok surekrig predict both-u.model plane.csv -o first.csv
ok surekrig predict both-v_w.model first.csv --keep all -o second.csv
first_line second.csv mean,sd,lower,upper,x1,x2,mean_v/w,sd_v/w,lower_v/w,upper_v/w
same <(cut -d , -f 1-4 second.csv | tail -n +2) <(cut -d , -f 3-6 first.csv | tail -n +2)

ok surekrig fit - -x x1,x2 -y u,v/w -o in.model $QUICK --each --json <both.csv
json "$out"
prints '"v/w": {'
ok surekrig fit both.csv -x x1,x2 -y u,v/w -o t.model $QUICK --each --targets plane.csv -q
ok surekrig info t-u.model
prints "left out"
mkdir folder.d
ok surekrig fit both.csv -x x1,x2 -y u -o folder.d/m $QUICK --each -q
[ -s folder.d/m-u ] || fail "a name without an ending"
fails 2 "--noise does not go with --each" surekrig fit both.csv -y u,v/w --noise x2 -o z.model --each
fails 2 "--from does not go with --each" surekrig fit both.csv --from both-u.model -o z.model --each
awk -F, -v OFS=, 'NR > 1 { $3 = 1 } { print }' both.csv >constant.csv
fails 1 "response u: u is constant" surekrig fit constant.csv -x x1,x2 -y u,v/w -o z.model --each
awk -F, -v OFS=, 'NR > 1 { $4 = 1 } { print }' both.csv >stuck.csv
cp both-u.model old.model
fails 1 "response v/w: v/w is constant" surekrig fit stuck.csv -x x1,x2 -y u,v/w -o both.model --each $QUICK
same both-u.model old.model # which was trained before the other failed
fails 1 "response v/w: v/w is constant" surekrig fit stuck.csv -x x1,x2 -y u,v/w -o z.model --each $QUICK
no_file z-u.model
sed '1s,u\,v/w,v_w\,v/w,' both.csv >alike.csv
fails 1 "the models of v_w and v/w would both be z-v_w.model" surekrig fit alike.csv -x x1,x2 -y v_w,v/w -o z.model --each

# krige --each: one table, of what krige of each alone gives
awk -F, -v OFS=, 'NR > 1 { $1 += 0.013; $2 += 0.01 } { print $1, $2 }' plane.csv >places.csv
BRIEF="--batch 100 --evaluations 6 --polish 0 --neighbors 10 --auto no"
for how in "--level 0.5,0.9" --mean-only "-q"; do
    ok surekrig krige both.csv places.csv -x x1,x2 -y u,v/w --each -o both.out $BRIEF $how
    [ "$how" = -q ] || says "$(awk -F, 'NR > 1 && $2 != "" && $3 != ""' both.csv | wc -l) points (x1, x2; u), predictions at 180; what to expect there:"
    for name in u v/w; do
        ok surekrig krige both.csv places.csv -x x1,x2 -y $name -o alone.out $BRIEF $how
        for column in $(head -n 1 alone.out | cut -d , -f 3- | tr , ' '); do
            same <(column $column alone.out) <(column ${column}_$name both.out)
        done
    done
done
fails 2 "--model does not go with --each: 'surekrig fit --each' keeps models" \
    surekrig krige both.csv places.csv -x x1,x2 -y u,v/w --each -o z.out --model z.model
fails 2 "--noise does not go with --each" surekrig krige both.csv places.csv -y u,v/w --noise x2 -o z.out --each
fails 1 "response u: u is constant" surekrig krige constant.csv places.csv -x x1,x2 -y u,v/w -o z.out --each

# of points that need jitter no more are counted than there are: without noise, twice at each place
awk -F, -v OFS=, 'NR == 1 { print "x1", "x2", "u", "v"; next } { print $1, $2, $3, 2 * $3; print $1, $2, $3, 2 * $3 }' plane.csv >twice.csv
head -n 11 places.csv >ten.csv
ok surekrig krige twice.csv ten.csv -x x1,x2 -y u,v --each -o t.out --nu 0.5 --rho 0.5 --tau2 0 --auto no --coverage none --neighbors 10
says "was needed at 10 points"

# of a raster each model is for the pixels that miss its own response
need_gdal
make_raster u 24 20 "$HOLE?-9999:$WAVES"
make_raster v 24 20 "r>14?-9999:$WAVES+c/9"
ok gdalbuildvrt -q -separate uv.vrt u.tif v.tif
ok gdal_translate -q uv.vrt uv.tif
ok surekrig krige uv.tif uv.tif -x x,y -y band_1,band_2 --each -o both.out $BRIEF
cp "$err" said
for name in band_1 band_2; do
    ok surekrig krige uv.tif uv.tif -x x,y -y $name -o alone.out $BRIEF
    grep -qF "$(grep "predictions at" "$err")" said || fail "$name alone has another sentence"
    for column in $(head -n 1 alone.out | cut -d , -f 3- | tr , ' '); do
        same <(column $column alone.out) <(column ${column}_$name both.out)
    done
done
