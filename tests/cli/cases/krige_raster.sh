# krige of a raster: its gaps are what the training looks at, and its pixels are predicted; a raster of --grid.
need_gdal
BRIEF="--batch 100 --evaluations 6 --polish 0 --neighbors 10"
make_raster field 24 20 "$HOLE?-9999:$WAVES"
ok surekrig krige field.tif field.tif -o k.tif $BRIEF
ok surekrig fit field.tif -o f.model --targets field.tif --auto $BRIEF -q
ok surekrig predict f.model field.tif -o f.tif
for band in 1 2 3 4; do
    pixels $band k.tif >k.values
    pixels $band f.tif >f.values
    same k.values f.values
done
make_plane
ok surekrig krige plane.csv --grid 0,0,1,1,0.1 --crs EPSG:32633 --auto no $GIVEN -o grid.tif
ok gdalinfo grid.tif
prints 'ID["EPSG",32633]'

# floats, but where they would round off what is told: days counted from 4713 BC, and numbers beyond a float's largest
# FILE FACTOR ADDED TYPE: of the responses in plane.csv
while read -r name factor added type; do
    awk -F, -v f="$factor" -v a="$added" 'NR == 1 { print "x,y,z"; next } { printf "%s,%s,%.17g\n", $1, $2, a + f * $3 }' plane.csv >$name.csv
    surekrig fit $name.csv -o $name.model $GIVEN
    ok surekrig predict $name.model --grid 0,0,1,1,0.1 -o $name.out.csv
    ok surekrig predict $name.model --grid 0,0,1,1,0.1 -o $name.p.tif
    ok surekrig krige $name.csv --grid 0,0,1,1,0.1 -o $name.tif --auto no $GIVEN
    ok surekrig krige $name.csv --grid 0,0,1,1,0.1 -o $name.nc --auto no $GIVEN
    equal "$(gdalinfo $name.tif | grep -c Type=$type)" 4
    equal "$(gdalinfo $name.p.tif | grep -c Type=$type)" 4
    tells Type=$type gdalinfo NETCDF:$name.nc:z
    [ $type = Float32 ] && continue
    for band in 1 2 3 4; do
        column "$(cut -d ' ' -f $band <<<"mean sd lower upper")" $name.out.csv >right
        pixels $band $name.tif >right.tif
        every '(a - b) ^ 2 <= 1e-28 * (a + 0) ^ 2' right right.tif
        pixels $band $name.p.tif | every '(a - b) ^ 2 <= 1e-28 * (a + 0) ^ 2' right /dev/stdin
    done
done <<'END'
near 1 0 Float32
kelvin 3 280 Float32
days 0.05 2460000.5 Float64
large 1e39 0 Float64
small 1e-40 0 Float64
END
