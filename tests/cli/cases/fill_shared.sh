# fill --shared of steps in time: what hyperparameters are learned from.
need_gdal
quick="--shared --time joint --neighbors 20 --batch 64 --evaluations 8"
learned_from() { # PIXELS OPTION...
    ok surekrig fill cube.vrt -o z.tif $quick "${@:2}"
    equal "$(grep -o "trained on [0-9]*" "$err")" "trained on $1"
}

# windows do not meet: no pixel is learned from twice. Step 8 is step 0 again, which no window of seven holds both of
for i in {0..7}; do
    make_raster whole$i 20 20 "sin((c+$i)/5)+cos((r-2*$i)/4)"
    make_raster gap$i 20 20 "$HOLE?-9999:sin((c+$i)/5)+cos((r-2*$i)/4)" # 30 pixels
done
cube() { # STEPS GAPS: which of the steps, from 0, have gaps, a list in spaces
    local files=()
    for ((i = 0; i < $1; i++)); do
        [[ " $2 " == *" $i "* ]] && files+=("gap$((i % 8)).tif") || files+=("whole$((i % 8)).tif")
    done
    stack cube "${files[@]}"
}
cube 40 "10 11 12 13 14"
learned_from $((7 * 400 - 5 * 30))
says "1970-01-11: 30 of 400 pixels missing; trained on 2650 around 1970-01-13, distances in the plane and in time"
says "1970-01-12: 30 of 400 pixels missing; hyperparameters of 1970-01-13"
cube 40 "3 13 23 33"
learned_from $((4 * (7 * 400 - 30)))
cube 40 "$(seq -s ' ' 0 39)"
learned_from $((5 * 7 * 370))
says "1970-01-01: 30 of 400 pixels missing; trained on 12950 around 5 steps from 1970-01-05 to 1970-02-06, distances"
says "1970-02-09: 30 of 400 pixels missing; hyperparameters of 5 steps from 1970-01-05 to 1970-02-06"
learned_from $((7 * 370)) --band 11,12,13,14,15
learned_from $((7 * 370)) --band 15,14,13,12,11
cube 13 "$(seq -s ' ' 0 12)"
learned_from $((13 * 370))
