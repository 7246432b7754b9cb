# fill: pixels that lie on no even grid are refused, and so are axes that would be lost.
need_gdal
command -v ncgen >/dev/null || skip "there is no ncgen (netcdf-bin)"
FIXED="--nu 1 --rho 300 --tau2 0.001 --gamma2 1 --neighbors 20 --quiet"
make_nc() { # NAME LATITUDE: a file of 30 x 20 pixels, whose latitudes are made by awk from the row r
    awk "BEGIN {
        print \"netcdf $1 { dimensions: lat = 20; lon = 30; variables: ${3:-double} lat(lat); lat:units = \\\"degrees_north\\\";\"
        print \"${3:-double} lon(lon); lon:units = \\\"degrees_east\\\"; float t(lat, lon); t:_FillValue = -1.f; data: lat = \"
        for (r = 0; r < 20; r++) printf \"%s%.9g\", r ? \", \" : \"\", $2
        printf \"; lon = \"; for (c = 0; c < 30; c++) printf \"%s%.9g\", c ? \", \" : \"\", 170 + c / 120
        printf \"; t = \"; for (i = 0; i < 600; i++) printf \"%s%s\", i ? \", \" : \"\", i % 30 == 7 ? \"_\" : sin(i / 100)
        print \"; }\" }" >"$1.cdl"
    ncgen -4 -o "$1.nc" "$1.cdl"
}
uneven() { fails 1 "the axis lat of $1.nc is not even, its steps go from $2: bring the raster onto an even grid first" surekrig fill "$1.nc" -o z.nc $FIXED; }
make_nc jump "60 - r / 10 - (r > 9 ? 0.03 : 0)"
uneven jump "-0.13 to -0.1"
make_nc wide "60 - r * r / 100"
uneven wide "-0.37 to -0.01"
make_nc dent "60 - r / 10 + (r == 9 ? 0.005 : 0)" # 0.05 of a step
uneven dent "-0.105 to -0.095"
fails 1 "the axis lat of wide.nc is not even" surekrig fit wide.nc -o z.model $FIXED
make_nc near "60 - r / 10 + (r == 9 ? 0.001 : 0)"
ok surekrig fill near.nc -o near_out.nc $FIXED
make_nc floats "60 - r / 120" float # each coordinate rounded
ok surekrig fill floats.nc -o floats_out.nc $FIXED

# ground control points, and a longitude and a latitude for each pixel
make_raster good 40 30 "$HOLE?-9999:$WAVES"
gdal_translate -q -a_srs EPSG:4326 -gcp 0 0 10 60 -gcp 40 0 12 60.1 -gcp 0 30 10.1 59 -gcp 40 30 12.1 59.1 good.tif gcp.tif
fails 1 "the pixels of gcp.tif are placed by ground control points, not on a grid: gdalwarp makes a grid of them" surekrig fill gcp.tif -o z.tif $FIXED
gdalwarp -q gcp.tif grid.tif
ok surekrig fill grid.tif -o grid_out.tif $FIXED
ncgen -4 -o swath.nc <<'CDL'
netcdf swath { dimensions: y = 2; x = 3;
variables: double lat(y, x); lat:units = "degrees_north"; double lon(y, x); lon:units = "degrees_east";
float t(y, x); t:coordinates = "lon lat"; t:_FillValue = -1.f;
data: lat = 50, 50.1, 50.2, 49, 49.1, 49.2; lon = 10, 11, 12, 10.2, 11.2, 12.2; t = 1, 2, _, 4, 5, 6; }
CDL
fails 1 "the pixels of swath.nc are placed by a longitude and a latitude for each" surekrig fill swath.nc -o z.nc $FIXED

# Two dimensions beside the plane's: GeoTIFF keeps both, NetCDF would lose one.
awk 'BEGIN {
    print "netcdf deep { dimensions: time = 2; level = 2; lat = 12; lon = 15; variables: double time(time); double level(level);"
    print "double lat(lat); lat:units = \"degrees_north\"; double lon(lon); lon:units = \"degrees_east\";"
    print "float t(time, level, lat, lon); t:_FillValue = -1.f; data: time = 5, 36; level = 1000, 500;"
    printf "lat = 0"; for (i = 1; i < 12; i++) printf ", %d", i
    printf "; lon = 0"; for (i = 1; i < 15; i++) printf ", %d", i
    printf "; t = _"; for (i = 1; i < 720; i++) printf ", %s", i % 15 == 7 ? "_" : sin(i / 10)
    print "; }" }' >deep.cdl
ncgen -4 -o deep.nc deep.cdl
fails 1 "deep.nc has the dimensions {time,level} beside the plane's, of which z.nc could keep one: write a GeoTIFF" surekrig fill deep.nc -o z.nc $FIXED
ok surekrig fill deep.nc -o deep.tif $FIXED
gdalinfo deep.tif >info
equal "$(grep -c NETCDF_DIM_level=500 info) $(grep -c NETCDF_DIM_time=36 info)" "8 8"

# Axes without attributes, as xarray writes them, place the pixels too, whichever way their lines go.
make_bare() { # NAME Y: 12 x 15 pixels of 1000 m by 500, y made by awk from the line r; v is 1000 at the largest y alone
    awk "BEGIN {
        print \"netcdf $1 { dimensions: northing = 12; easting = 15; variables: double northing(northing); double easting(easting);\"
        print \"float v(northing, easting); v:_FillValue = -1.f; data: northing = \"
        for (r = 0; r < 12; r++) printf \"%s%.9g\", r ? \", \" : \"\", $2
        printf \"; easting = \"; for (c = 0; c < 15; c++) printf \"%s%d\", c ? \", \" : \"\", 400000 + 1000 * c
        printf \"; v = \"; for (i = 0; i < 180; i++) { r = int(i / 15); printf \"%s%s\", i ? \", \" : \"\", i % 15 == 7 ? \"_\" : $2 == 5005500 ? 1000 : sin(i / 10) }
        print \"; }\" }" >"$1.cdl"
    ncgen -4 -o "$1.nc" "$1.cdl"
}
printf 'x,y\n403000,5005500\n' >top.csv
for lines in "down 5005500-500*r" "up 5000000+500*r"; do
    name=${lines% *}
    make_bare "$name" "${lines#* }"
    ok surekrig fill "$name.nc" -o "${name}_out.nc" --neighbors 12 --quiet
    equal "$(gdalinfo "NETCDF:${name}_out.nc:v" | grep -cE 'Origin = \(399500.0*,5005750.0*\)|Pixel Size = \(1000.0*,-500.0*\)')" 2
    ok surekrig krige "$name.nc" top.csv -o top_out.csv --auto no --tau2 1e-6 --quiet
    every 'a > 900' <(column mean top_out.csv)
done
sed 's/v(northing, easting)/v(easting, northing)/' up.cdl >turned.cdl
ncgen -4 -o turned.nc turned.cdl
fails 1 "the last dimensions of turned.nc are easting and northing, where a raster has y and x" surekrig fill turned.nc -o z.nc --quiet

# lat and lon are degrees by their names alone, those of dimensions or of coordinates along y and x
make_named() { # NAME LINE COLUMN NORTH: dimensions; 12 latitudes from NORTH on
    awk "BEGIN {
        print \"netcdf $1 { dimensions: $2 = 12; $3 = 15; variables: double lat($2); double lon($3);\"
        print \"float v($2, $3); v:_FillValue = -1.f; v:coordinates = \\\"lat lon\\\"; data: lat = $4\"
        for (r = 1; r < 12; r++) printf \", %g\", $4 - r / 4
        printf \"; lon = 5\"; for (c = 1; c < 15; c++) printf \", %g\", 5 + c / 4
        printf \"; v = 0\"; for (i = 1; i < 180; i++) printf \", %s\", i % 15 == 7 ? \"_\" : sin(i / 10)
        print \"; }\" }" >"$1.cdl"
    ncgen -4 -o "$1.nc" "$1.cdl"
}
make_named dims lat lon 50
make_named Dims Latitude Longitude 50
make_named coords y x 50
make_named metres lat lon 5000
sed -i 's/double lat(/double Latitude(/; s/double lon(/double Longitude(/; s/: lat =/: Latitude =/; s/; lon =/; Longitude =/' Dims.cdl
ncgen -4 -o Dims.nc Dims.cdl
for name in dims Dims coords; do
    ok surekrig fill $name.nc -o ${name}_out.nc --neighbors 12 --auto no
    says "distances in the plane, in km"
    tells 'lat:units = "degrees_north"' ncdump -h ${name}_out.nc
    same <(pixels all NETCDF:${name}_out.nc:v) <(pixels all NETCDF:dims_out.nc:v)
done
ok surekrig fill metres.nc -o metres_out.nc --neighbors 12 --auto no
! grep -q "in km" "$err" || fail "latitudes of 5000 are taken for degrees"

# Degrees that are no places on the earth are a plane, and told.
make_nc high "95 - r"
make_raster far 40 30 "$HOLE?-9999:$WAVES" -a_srs EPSG:4326 -a_ullr 800 60 840 30
make_raster top 40 30 "$HOLE?-9999:$WAVES" -a_srs EPSG:4326 -a_ullr 10 90.5 50 60.5 # the first line is the pole
make_raster ocean 40 30 "$HOLE?-9999:$WAVES" -a_srs EPSG:4326 -a_ullr 394 60 434 30 # longitudes of an ocean model
plane() { # FILE WHAT
    fails 1 "$1 goes to a $2 in degrees: place it with 'gdal_edit.py -a_ullr', or take --sphere no" surekrig fill "$1" -o z.tif --sphere yes ${FIXED/300/10}
    ok surekrig fill "$1" -o auto.tif ${FIXED/300/10}
    says "surekrig fill: $1 goes to a $2 in degrees, so distances are not on the sphere"
    ok surekrig fill "$1" -o plane.tif --sphere no ${FIXED/300/10}
    silent
    same <(pixels all auto.tif) <(pixels all plane.tif)
}
plane high.nc "lat of 95, which is no latitude"
plane far.tif "lon of 839.5, which is no longitude"
for name in top ocean; do
    ok surekrig fill $name.tif -o auto.tif ${FIXED/300/1000}
    silent
    ok surekrig fill $name.tif -o sphere.tif --sphere yes ${FIXED/300/1000}
    same <(pixels all auto.tif) <(pixels all sphere.tif)
done
