# fill: NetCDF in and out, after CF; rasters of several variables.
need_gdal
command -v ncgen >/dev/null || skip "there is no ncgen (netcdf-bin)"
awk 'BEGIN {
    print "netcdf in { dimensions: time = 2; lat = 20; lon = 30;"
    print "variables: double time(time); time:units = \"days since 2020-01-01\"; time:standard_name = \"time\"; time:calendar = \"standard\";"
    print "double lat(lat); lat:units = \"degrees_north\"; lat:standard_name = \"latitude\";"
    print "double lon(lon); lon:units = \"degrees_east\"; lon:standard_name = \"longitude\";"
    print "short tas(time, lat, lon); tas:units = \"K\"; tas:standard_name = \"air_temperature\"; tas:cell_methods = \"time: mean\";"
    print "tas:scale_factor = 0.01; tas:add_offset = 280.; tas:_FillValue = -999s;"
    print "float other(lat, lon); other:units = \"1\"; other:_FillValue = -1.f;"
    print ":title = \"made by a test\"; :history = \"an old line\"; :Conventions = \"CF-1.8\"; data: time = 3, 10;"
    printf "lat = "; for (r = 0; r < 20; r++) printf "%s%g", r ? ", " : "", 50 - r / 2; print ";"
    printf "lon = "; for (c = 0; c < 30; c++) printf "%s%g", c ? ", " : "", 5 + c / 2; print ";"
    printf "tas = "
    for (t = 0; t < 2; t++) for (r = 0; r < 20; r++) for (c = 0; c < 30; c++)
        printf "%s%s", t + r + c ? ", " : "", (c > 8 + 5 * t && c < 14 + 5 * t && r > 4 && r < 9 ? "_" : int(300 * (sin(c / 5) + cos(r / 4 + t))))
    print ";"
    printf "other = "; for (r = 0; r < 20; r++) for (c = 0; c < 30; c++) printf "%s%s", r + c ? ", " : "", c == r ? "_" : c
    print "; }" }' >in.cdl
ncgen -4 -o in.nc in.cdl
fixed="--nu 1 --rho 300 --tau2 0.001 --gamma2 1 --neighbors 20 --quiet"
fails 1 "in.nc holds several variables, of which one is to be named: tas, other" surekrig fill in.nc -o z.nc $fixed
fails 1 "in.nc has no such variable; it has: tas, other" surekrig fill in.nc -o z.nc --variable ts $fixed
ok surekrig fill in.nc -o out.nc --variable tas $fixed
ncdump -h out.nc >header
for line in 'double tas(time, lat, lon) ;' 'tas:standard_name = "air_temperature" ;' 'tas:ancillary_variables = "tas_sd tas_lower tas_upper" ;' \
    'tas:cell_methods = "time: mean" ;' 'tas:units = "K" ;' 'tas:scale_factor = 0.01 ;' 'tas:add_offset = 280. ;' 'tas:_FillValue = -999. ;' \
    'tas_sd:standard_name = "air_temperature standard_error" ;' 'tas_sd:add_offset = 0. ;' 'time:units = "days since 2020-01-01" ;' \
    'time:calendar = "standard" ;' 'lat:units = "degrees_north" ;' 'lon:standard_name = "longitude" ;' ':Conventions = "CF-1.8" ;' \
    ':title = "made by a test" ;' "surekrig fill in.nc -o out.nc --variable tas $fixed" 'an old line'; do
    grep -qF "$line" header || fail "the header has no $line"
done
tells "time = 3, 10 ;" ncdump -v time out.nc
for step in 1 2; do
    every 'a == -999 || (a == b && c == 0)' <(pixels $step NETCDF:in.nc:tas) <(pixels $step NETCDF:out.nc:tas) <(pixels $step NETCDF:out.nc:tas_sd)
    every 'a != -999 || (b != -999 && b > c && b < d)' <(pixels $step NETCDF:in.nc:tas) <(pixels $step NETCDF:out.nc:tas) \
        <(pixels $step NETCDF:out.nc:tas_lower) <(pixels $step NETCDF:out.nc:tas_upper)
done

ok surekrig fill in.nc -o long.nc --variable tas $fixed $(printf -- '--quiet %.0s' {1..100})
tells " ... (surekrig" ncdump -h long.nc

# one step of it, as GeoTIFF: its time stamp stays with it; and back
ok surekrig fill in.nc -o step.tif --variable tas --band 2 $fixed
tells "NETCDF_DIM_time=10" gdalinfo step.tif
every '(a - b) ^ 2 < 1e-6' <(pixels 1 step.tif) <(pixels 2 NETCDF:out.nc:tas) # a float there, as its scale is not the number's
ok surekrig fill 'NETCDF:"in.nc":other' -o other.nc $fixed
tells "float other(lat, lon)" ncdump -h other.nc

# a projected raster: its coordinate system, its axes in metres
make_raster plane 40 30 "$HOLE?-9999:$WAVES"
ok surekrig fill plane.tif -o plane.nc $FIXED
ncdump -h plane.nc >header
for line in 'grid_mapping_name = "transverse_mercator"' 'x:standard_name = "projection_x_coordinate"' 'y:units = "m"' 'band_1:grid_mapping = "transverse_mercator"'; do
    grep -qF "$line" header || fail "the header has no $line"
done
ok surekrig fill plane.tif -o plane_out.tif $FIXED
same <(pixels 2 plane_out.tif) <(pixels 1 NETCDF:plane.nc:band_1_sd)
tells 'ID["EPSG",32633]' gdalinfo NETCDF:plane.nc:band_1
tells "Origin = (500000.000000000000000,4000900.000000000000000)" gdalinfo NETCDF:plane.nc:band_1
make_raster turned 40 30 "$HOLE?-9999:$WAVES" -of VRT
mv turned.tif turned.vrt
sed -i 's|<GeoTransform>.*|<GeoTransform>500000, 26, 15, 4000000, 15, -26</GeoTransform>|' turned.vrt
fails 1 "a rotated raster, for which NetCDF has no axes" surekrig fill turned.vrt -o z.nc $FIXED

# variables of a NetCDF file as a table of points
ok surekrig fit 'NETCDF:"in.nc":other' -o m.model --nu 1 --rho 3 --tau2 0.01 --coverage none --quiet
ok surekrig info m.model
prints "580 points, 2 features (lon, lat), response other"
fails 1 "in.nc holds several variables" surekrig predict m.model in.nc -o p.csv
