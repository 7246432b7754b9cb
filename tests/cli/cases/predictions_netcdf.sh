# The NetCDF files that predict, krige and fill write are read as tables whole, as their GeoTIFFs are.
need_gdal
command -v ncgen >/dev/null || skip "there is no ncgen (netcdf-bin)"
alike() { # NAME TEST [OPTION...]: NAME.nc and NAME.tif score alike against TEST
    ok surekrig score "$1.tif" "$2" "${@:3}"
    sed "s/$1.tif/$1.nc/" "$out" >"$scratch/right"
    ok surekrig score "$1.nc" "$2" "${@:3}"
    same "$scratch/right" "$out"
}
make_plane
awk -F, 'NR == 1 { print "x,y,t,u"; next } { print $1 "," $2 "," $3 "," $3 * $3 }' plane.csv >two.csv
cut -d , -f 1-3 two.csv >one.csv
for kind in nc tif; do
    ok surekrig krige one.csv --grid 0,0,1,1,0.1 -o one.$kind --auto no $GIVEN
    ok surekrig krige two.csv --grid 0,0,1,1,0.1 -o two.$kind -y t,u --auto no $GIVEN
done
awk 'BEGIN { print "x,y,t,u"; for (y = 9; y >= 0; y--) for (x = 0; x < 10; x++) print x / 10 + 0.05 "," y / 10 + 0.05 "," x - y ",0.5" }' >test.csv
alike one test.csv -y t
alike two test.csv -y t,u
alike one one.tif -y t
fails 1 "it has x, y, t, t sd, t lower, t upper" surekrig fit one.nc -y none -o z.model
fails 1 "it has x, y, t, t sd, t lower, t upper, u, u sd, u lower, u upper" surekrig fit two.nc -y none -o z.model
ok surekrig fit 'NETCDF:"one.nc":t_sd' -o m.model $GIVEN
ok surekrig info m.model
prints "response t_sd"
if command -v gnuplot >/dev/null; then
    for of in t "u sd"; do
        ok surekrig plot map two.nc -z "$of" -o map.svg --script
        cp map.gp.dat right
        ok surekrig plot map two.tif -z "$of" -o map.svg --script
        same right map.gp.dat
    done
fi

# pixels that fill kept are left out, also in degrees; and those that nothing places are read
make_raster plane 40 30 "$HOLE?-9999:$WAVES"
make_raster whole 40 30 "$WAVES"
make_raster degrees 40 30 "$HOLE?-9999:$WAVES" -a_srs EPSG:4326 -a_ullr 10 60 18 54
make_raster degrees_whole 40 30 "$WAVES" -a_srs EPSG:4326 -a_ullr 10 60 18 54
gdal_translate -q -of VRT plane.tif plane.vrt
sed '/<GeoTransform>/d; /<SRS/d' plane.vrt >nowhere_plane.vrt
for from in plane.tif degrees.tif nowhere_plane.vrt; do
    for kind in nc tif; do ok surekrig fill $from -o "${from%.*}_out.$kind" ${FIXED/300/10}; done
done
alike plane_out whole.tif
says_left() { grep -qF "$1 rows left out" "$out" || tell_and_fail "not $1 rows left out"; }
says_left 1170
fails 1 "it has x, y, band_1, band_1 sd, band_1 lower, band_1 upper" surekrig fit nowhere_plane_out.nc -y none -o z.model
alike degrees_out degrees_whole.tif
says_left 1170

# steps in time: each pixel at each of them
awk 'BEGIN {
    print "netcdf cube { dimensions: time = 3; y = 12; x = 15; variables: double time(time); time:units = \"days since 2020-01-01\"; time:standard_name = \"time\";"
    print "double y(y); y:units = \"m\"; y:standard_name = \"projection_y_coordinate\"; double x(x); x:units = \"m\"; x:standard_name = \"projection_x_coordinate\";"
    print "float v(time, y, x); v:_FillValue = -1.f; data: time = 0, 1, 4; y = 0"
    for (i = 1; i < 12; i++) printf ", %d", 30 * i
    printf "; x = 0"; for (i = 1; i < 15; i++) printf ", %d", 30 * i
    printf "; v = "; for (i = 0; i < 540; i++) printf "%s%s", i ? ", " : "", i % 13 == 7 ? "_" : sin(i / 20)
    print "; }" }' >cube.cdl
ncgen -4 -o cube.nc cube.cdl
sed 's/_\([,;]\)/0\1/g' cube.cdl >cube_whole.cdl
ncgen -4 -o cube_whole.nc cube_whole.cdl
ok surekrig fill cube.nc -o cube_out.nc --time alone $FIXED
fails 1 "it has x, y, time, v, v sd, v lower, v upper" surekrig fit cube_out.nc -y none -o z.model
ok surekrig score cube_out.nc cube_whole.nc -y v
says_left 499

# other files of several variables, and predictions of which a variable is gone or on another grid
sed 's/v:_FillValue = -1.f;/& float v_sd(time, y, x);/' cube.cdl >other.cdl
ncgen -4 -o other.nc other.cdl
fails 1 "other.nc holds several variables, of which one is to be named: v, v_sd; 'NETCDF:\"other.nc\":v' in place of the file names the first" surekrig plot map other.nc -o z.svg
sed 's/v:_FillValue = -1.f;/& float v_sd(y, x); float v_lower(y, x); float v_upper(y, x);/' cube.cdl >uneven.cdl
ncgen -4 -o uneven.nc uneven.cdl
fails 1 "uneven.nc holds several variables, of which one is to be named: v, v_sd, v_lower, v_upper" surekrig plot map uneven.nc -o z.svg
fails 1 "one.nc holds several variables, of which one is to be named: t, t_sd, t_lower, t_upper" surekrig fill one.nc -o z.tif $FIXED
