# fill: four bands for one; valid pixels stay, gaps are estimated; place, description and missing value survive.
need_gdal
make_raster in 40 30 "$HOLE?-9999:$WAVES" -mo TIFFTAG_DATETIME="2016:08:04 10:00:00"
ok surekrig fill in.tif -o out.tif $FIXED
silent
gdalinfo out.tif >info
for line in "Size is 40, 30" "Origin = (500000.000000000000000,4000900.000000000000000)" "Pixel Size = (30.000000000000000,-30.000000000000000)" \
    'ID["EPSG",32633]' "TIFFTAG_DATETIME=2016:08:04 10:00:00" "Description = band_1 sd" "Description = band_1 lower" "Description = band_1 upper"; do
    grep -qF "$line" info || fail "gdalinfo does not say $line"
done
equal "$(grep -c "NoData Value=-9999" info)" 4
equal "$(grep -c "Type=Float32" info)" 4
pixels 1 in.tif >before
for band in 1 2 3 4; do pixels $band out.tif >after$band; done
every 'a == -9999 || (a == b && c == 0 && d == a)' before after1 after2 after3
every 'a != -9999 || (b != -9999 && c > 0 && c < 0.2 && d < b)' before after1 after2 after3
every 'a != -9999 || (b - c - (d - b)) ^ 2 < 1e-10' before after1 after3 after4
make_raster truth 40 30 "$WAVES"
every '(a - b) ^ 2 < 0.01' <(pixels 1 truth.tif) after1

# as the same by fit and predict; the raster is a table of points
{
    echo x,y,v
    gdal_translate -q -of XYZ in.tif /vsistdout/ | awk '$3 != -9999 { print $1 "," $2 "," $3 }'
} >train.csv
gdal_translate -q -of XYZ in.tif /vsistdout/ | awk 'BEGIN { print "x,y" } $3 == -9999 { print $1 "," $2 }' >gaps.csv
ok surekrig fit train.csv -o m.model --preset gaps --targets gaps.csv --scaling none $FIXED
ok surekrig predict m.model gaps.csv -o predicted.csv
every '(a - c) ^ 2 < 1e-12 && (b - d) ^ 2 < 1e-12' <(column mean predicted.csv) <(column sd predicted.csv) \
    <(paste before after1 | awk '$1 == -9999 { print $2 }') <(paste before after2 | awk '$1 == -9999 { print $2 }')
ok surekrig fit in.tif -o n.model --targets gaps.csv --preset gaps --scaling none $FIXED
ok surekrig predict n.model gaps.csv -o again.csv
same predicted.csv again.csv
ok surekrig fit in.tif -o n.model --targets in.tif --preset gaps --scaling none $FIXED # its gaps
ok surekrig predict n.model gaps.csv -o again.csv
same predicted.csv again.csv
ok surekrig fit in.tif -o n.model --targets truth.tif --preset gaps --scaling none $FIXED # which has none: all pixels
ok surekrig predict n.model gaps.csv -o again.csv
differ predicted.csv again.csv

# scored as rasters, as the same points are as tables: pixels that were kept do not count
paste -d , gaps.csv <(echo v; paste before <(pixels 1 truth.tif) | awk '$1 == -9999 { print $2 }') >truth.csv
ok surekrig score predicted.csv truth.csv --json
cp "$out" as_table
ok surekrig score out.tif truth.tif --json
for score in n mae rmse cov crps int; do near "$(json_value $score "$out")" "$(json_value $score as_table)" 1e-3; done
ok surekrig score out.tif truth.tif
prints "1170 rows left out: a value is missing, or was kept (sd 0)"
gdalbuildvrt -q -separate both.vrt in.tif in.tif
ok surekrig fill both.vrt -o both.tif $FIXED
ok surekrig score both.tif truth.tif --json # band_1 of two
equal "$(json_value n "$out")" 30
ok surekrig predict m.model in.tif -o estimated.tif
ok surekrig score estimated.tif truth.tif --json # the only response, whatever it is called
equal "$(json_value n "$out")" 1200
fails 1 "truth.tif has no bands 'band_1' and 'band_1 sd', as 'surekrig predict' and 'fill' write them" surekrig score truth.tif truth.tif

# missing by NaN, by a mask, and where 0 is missing: an sd of 0 is not
gdalwarp -q -srcnodata -9999 -dstnodata nan in.tif nan.tif
ok surekrig fill nan.tif -o nans.tif $FIXED
same <(pixels 1 nans.tif) after1
make_raster zero 40 30 "$HOLE?0:5+$WAVES" -a_nodata 0
ok surekrig fill zero.tif -o zeros.tif $FIXED
make_raster whole 40 30 "5+$WAVES"
ok surekrig score zeros.tif whole.tif --json # which leaves out what was kept there, too
equal "$(json_value n "$out")" 30
equal "$(gdalinfo -stats zeros.tif | grep -c "STATISTICS_VALID_PERCENT=100")" 4
rm zeros.tif.aux.xml
gdal_translate -q --config GDAL_TIFF_INTERNAL_MASK YES -b 1 -mask 1 -a_nodata none zero.tif masked.tif
ok surekrig fill masked.tif -o masks.tif $FIXED
same <(pixels 1 zeros.tif) <(pixels 1 masks.tif)
tells "NoData Value=nan" gdalinfo masks.tif

# whole numbers with a scale stay what they were, and keep it
make_raster short 40 30 "$HOLE?-9999:int(100*($WAVES))" -ot Int16
gdal_translate -q -a_scale 0.01 -a_offset 273 short.tif scaled.tif
ok surekrig fill scaled.tif -o filled.tif $FIXED
every 'a == -9999 || a == b' <(pixels 1 scaled.tif) <(pixels 1 filled.tif)
equal "$(gdalinfo filled.tif | grep -c "Offset: 273,   Scale:0.01")" 3
equal "$(gdalinfo filled.tif | grep -c "Offset: 0,   Scale:0.01")" 1
every '(a - 100 * b) ^ 2 < 4' <(pixels 1 filled.tif) <(pixels 1 out.tif)

# --smooth: the noise is gone, and no sd is 0
ok surekrig fill in.tif -o smooth.tif --smooth $FIXED --tau2 0.1
every 'a > 0' <(pixels 2 smooth.tif)
differ <(pixels 1 smooth.tif) after1

# a level, and the interval's width with it
ok surekrig fill in.tif -o half.tif --level 0.5 $FIXED
every 'c == 0 || (a > b && d < 1)' <(pixels 3 half.tif) after3 after2 <(pixels 2 half.tif)
