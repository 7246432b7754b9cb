# Bytes with a sign, which GDAL before 3.7 hands over without it: rasters of them are those of 16-bit integers.
need_gdal
command -v ncgen >/dev/null || skip "there is no ncgen (netcdf-bin)"
make() { # NAME TYPE SUFFIX MISSING: 40 x 30 pixels from -100 to 100
    awk "BEGIN {
        print \"netcdf $1 { dimensions: y = 30; x = 40; variables: double y(y); y:units = \\\"m\\\"; y:standard_name = \\\"projection_y_coordinate\\\";\"
        print \"double x(x); x:units = \\\"m\\\"; x:standard_name = \\\"projection_x_coordinate\\\"; $2 t(y, x); t:_FillValue = $4$3; data: y = 0\"
        for (r = 1; r < 30; r++) printf \", %d\", -30 * r
        printf \"; x = 0\"; for (c = 1; c < 40; c++) printf \", %d\", 30 * c
        printf \"; t = \"
        for (r = 0; r < 30; r++) for (c = 0; c < 40; c++) printf \"%s%s\", r + c ? \", \" : \"\", ($HOLE ? \"_\" : int(50 * ($WAVES)))
        print \"; }\" }" >"$1.cdl"
    ncgen -4 -o "$1.nc" "$1.cdl"
    gdal_translate -q "$1.nc" "$1.tif"
}
for missing in -128 -1 127; do
    make bytes byte b $missing
    make shorts short s $missing
    ok surekrig fill shorts.nc -o right.tif $FIXED
    every "a == $missing || a == b" <(pixels 1 shorts.tif) <(pixels 1 right.tif)
    for kind in nc tif; do
        ok surekrig fill bytes.$kind -o out.$kind $FIXED
        for band in 1 2 3 4; do
            name=$(cut -d ' ' -f $band <<<"t t_sd t_lower t_upper")
            [ $kind = nc ] && from=(1 NETCDF:out.nc:$name) || from=($band out.tif)
            same <(pixels "${from[@]}") <(pixels $band right.tif)
        done
    done
    equal "$(gdalinfo out.tif | grep -c "NoData Value=$missing\$")" 4
done
# told without a sign: 128 is -128
make bytes byte b -128
gdal_translate -q -of VRT bytes.tif bytes.vrt
sed 's|<NoDataValue>-128<|<NoDataValue>128<|' bytes.vrt >told.vrt
make shorts short s -128
ok surekrig fill told.vrt -o told.tif $FIXED
ok surekrig fill shorts.tif -o right.tif $FIXED
same <(pixels all told.tif) <(pixels all right.tif)
# as tables of points, and beside a raster
for kind in bytes shorts; do
    ok surekrig krige $kind.tif $kind.tif -y t -o $kind.csv --auto no $FIXED
    ok surekrig fill right.tif --smooth --covariate $kind.tif -o $kind.smooth.tif $FIXED --band 1
done
same bytes.csv shorts.csv
same <(pixels all bytes.smooth.tif) <(pixels all shorts.smooth.tif)
