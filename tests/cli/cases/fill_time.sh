# fill: steps in time help each other, where they can.
need_gdal
command -v ncgen >/dev/null || skip "there is no ncgen (netcdf-bin)"
# NAME.nc: a simulated field of 24 x 24 pixels with a season in it; CLOUD is awk's, of column c, row r and step t; TIMES of the steps.
make_cube() { # NAME TIME-RHO CLOUD TIMES
    local name=$1 cloud=$3 times=$4
    surekrig simulate --grid 24x24 --times $(wc -w <<<"$times") --time-rho "$2" --nu 1 --rho 0.25 --tau2 0.01 --seed 5 -o "$name.csv"
    tail -n +2 "$name.csv" | awk -F, -v times="$times" "BEGIN {
            steps = split(times, T, \" \")
            print \"netcdf in { dimensions: time = \" steps \"; y = 24; x = 24; variables: double time(time); time:units = \\\"days since 2020-01-01\\\";\"
            print \"double y(y); y:units = \\\"m\\\"; y:standard_name = \\\"projection_y_coordinate\\\"; double x(x); x:units = \\\"m\\\"; x:standard_name = \\\"projection_x_coordinate\\\";\"
            print \"float v(time, y, x); v:_FillValue = -9999.f; data: time = \"
            for (i = 1; i <= steps; i++) printf \"%s%s\", T[i], i < steps ? \",\" : \"; y = \"
            for (i = 24; i > 0; i--) printf \"%d%s\", i, (i > 1) ? \",\" : \"; x = \"
            for (i = 1; i <= 24; i++) printf \"%d%s\", i, i < 24 ? \",\" : \"; v = \"
        }
        { i = NR - 1; c = i % 24; r = int(i / 24) % 24; t = int(i / 576); value = \$NF + 3 * sin(t)
          print value >\"$name.true\"
          print (i ? \", \" : \"\") (($cloud) ? \"_\" : value) }
        END { print \"; }\" }" >"$name.cdl"
    ncgen -4 -o "$name.nc" "$name.cdl"
    pixels all "$name.nc" >"$name.in"
}
rmse() { # NAME WAY OPTION...: of its gaps, into a variable of the name of the way
    local name=$1 way=$2
    shift 2
    ok surekrig fill "$name.nc" -o "$name.$way.nc" --time "$way" $quick "$@"
    every 'b == -9999 || a == b' <(pixels all "NETCDF:$name.$way.nc:v") "$name.in"
    error=$(pixels all "NETCDF:$name.$way.nc:v" | paste -d ' ' - "$name.in" "$name.true" |
        awk '$2 == -9999 { n++; e += ($1 - $3) ^ 2 } END { print sqrt(e / n) }')
    declare -g "$way=$error"
}
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }' || fail "$1 is not less than $2"; }
quick="--neighbors 30 --batch 128"
[ -z "${SANITIZED:-}" ] || { quick="--neighbors 12 --batch 32 --evaluations 4 --polish 0"; less() { :; }; } # memory is looked at there, not errors
each=$quick quick="--shared $quick"

# clouds in all steps, which are uneven
make_cube clouds 9.5 '(c-12-9*sin(2.1*t))^2+(r-12-8*cos(3.7*t))^2<50' "0 1 2.1 3 4 6 7"
rmse clouds alone
rmse clouds covariates
rmse clouds joint
echo "clouds: alone $alone, covariates $covariates, joint $joint"
less "$joint" "$(awk -v a="$alone" 'BEGIN { print 0.75 * a }')"
less "$covariates" "$alone"
rmse clouds auto
says "pixels held out, as the gaps lie: alone RMSE"
less "$auto" "$(awk -v a="$alone" 'BEGIN { print 0.85 * a }')"
ok env SUREKRIG_TILE=9 surekrig fill clouds.nc -o tiles.nc --time joint $quick --threads 1
every '(a - b) ^ 2 < 1e-10' <(pixels all NETCDF:tiles.nc:v) <(pixels all NETCDF:clouds.joint.nc:v)

# trained once for three steps, with intervals of each step's own
shared=$joint
quick=$each rmse clouds joint
echo "clouds: trained for three $joint"
less "$joint" "$(awk -v a="$shared" 'BEGIN { print 1.1 * a }')"
equal "$(grep -c "; hyperparameters of v" "$err")" 4
equal "$(grep -c "; trained on" "$err")" 3

# one clouded step between clear ones, also where it alone is to be filled
make_cube one 30 't==2&&(c-11)^2+(r-12)^2<60' "0 1 2 3"
rmse one alone
rmse one covariates
rmse one auto
echo "one: alone $alone, covariates $covariates, auto $auto"
less "$covariates" "$(awk -v a="$alone" 'BEGIN { print 0.5 * a }')"
less "$auto" "$(awk -v a="$alone" 'BEGIN { print 0.6 * a }')"
ok surekrig fill one.nc -o band.nc --time covariates --band 3 $quick
same <(pixels 1 NETCDF:band.nc:v) <(pixels 3 NETCDF:one.covariates.nc:v)

# steps that have nothing to do with each other lose nothing
make_cube white 0.05 '(c-12-9*sin(2.1*t))^2+(r-12-8*cos(3.7*t))^2<50' "0 1 2 3"
rmse white alone
rmse white auto
echo "white: alone $alone, auto $auto"
less "$auto" "$(awk -v a="$alone" 'BEGIN { print 1.05 * a }')"

# what no step has, as the sea, does not hide that they help each other where there is land
make_cube sea 30 'c>17||(c-8-8*sin(2.1*t))^2+(r-12-8*cos(3.7*t))^2<30' "0 1 2 3 4"
ok surekrig fill sea.nc -o sea.out.nc $quick
says "time: steps are filled"

# what cannot be
fails 2 "--time takes auto, joint, covariates or alone, not 'both'" surekrig fill one.nc -o z.nc --time both
fails 2 "--mean zero does not go with --time covariates" surekrig fill one.nc -o z.nc --time covariates --mean zero
make_raster plain 20 20 "$HOLE?-9999:$WAVES"
gdal_translate -q -b 1 -b 1 plain.tif two.tif
fails 1 "the bands of two.tif have no times" surekrig fill two.tif -o z.tif --time joint $FIXED
# bands named by dates, as of a stack of images, have times
gdalbuildvrt -q -separate dated.vrt plain.tif plain.tif plain.tif
awk '/<VRTRasterBand/ { print; print "<Description>2024-0" ++n "-01</Description>"; next } { print }' dated.vrt >dated2.vrt
gdal_translate -q dated2.vrt dated.tif
ok surekrig fill dated.tif -o z.tif --time joint $quick
says "and in time"
tells "Description = 2024-02-01 sd" gdalinfo z.tif
# dates that do not increase are names like others: a table has a column of each, and no step in time
for days in "s/-0.-/-01-/" "s/-01-01/-04-01/"; do
    sed "$days" dated2.vrt >names.vrt
    gdal_translate -q names.vrt names.tif
    ok surekrig fit names.tif -o z.model $GIVEN
    equal "$(surekrig info z.model --json | json_value n /dev/stdin)" $((20 * 20 - 30))
    fails 1 "the bands of names.tif have no times" surekrig fill names.tif -o y.tif --time joint $FIXED
done
ok surekrig fill plain.tif -o z.tif --time joint $FIXED
says "plain.tif has a single time: it is filled alone"
sed 's/time = *$/&/; s/^0,1,2,3; y/0,2,1,3; y/' one.cdl >back.cdl
ncgen -4 -o back.nc back.cdl
fails 1 "the times of back.nc do not increase from step to step" surekrig fill back.nc -o z.nc --time joint
ok surekrig fill back.nc -o z.nc $quick
says "the times of back.nc do not increase from step to step: each is filled alone"

# numbers that need doubles need them in steps that were filled for others, too
for far in 0 2460000; do
    sed 's/float v/double v/; s/; v = /&\n/' clouds.cdl |
        awk -v far=$far '/^(, )?-?[0-9.]+$/ { printf "%s%.9f\n", ($1 == "," ? ", " : ""), far + $NF / 20; next } { print }' >"far$far.cdl"
    ncgen -4 -o "far$far.nc" "far$far.cdl"
    ok surekrig fill "far$far.nc" -o "far$far.out.nc" --time covariates --nu 1 --rho 6 --tau2 0.01 --neighbors 20 --quiet
    pixels all "NETCDF:far$far.out.nc:v" >"far$far"
done
every 'a - b - 2460000 < 1e-5 && b + 2460000 - a < 1e-5' far2460000 far0

# a line of pixels is no plane, which steps in time are filled in jointly
gdal_translate -q -srcwin 0 5 20 1 dated.tif line.tif
fails 1 "line.tif is one pixel wide or high, and no plane: take --time alone or covariates" \
    surekrig fill line.tif -o y.tif --time joint
no_file y.tif
