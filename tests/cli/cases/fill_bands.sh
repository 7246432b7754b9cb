# fill: several bands with hyperparameters of their own or shared, variables and time steps, covariates.
need_gdal
make_raster a 40 30 "$HOLE?-9999:$WAVES"
make_raster b 40 30 "c*r%7==3?-9999:2*($WAVES)"
make_raster full 40 30 "c+r"
make_raster none 40 30 -9999
gdalbuildvrt -q -separate all.vrt a.tif b.tif full.tif none.tif
ok surekrig fill all.vrt -o all.tif $FIXED
says "band band_4 has 0 valid pixels, too few to fill it: it stays as it is"
equal "$(gdalinfo all.tif | grep -c "^Band ")" 16
ok surekrig fill a.tif -o one.tif $FIXED
ok surekrig fill b.tif -o two.tif $FIXED
for band in 1 2 3 4; do
    same <(pixels $band all.tif) <(pixels $band one.tif)
    same <(pixels $((4 + band)) all.tif) <(pixels $band two.tif)
done
same <(pixels 9 all.tif) <(pixels 1 full.tif)
every 'a == -9999' <(pixels 13 all.tif)
ok surekrig fill all.vrt -o some.tif --band 2,1 $FIXED
same <(pixels 1 some.tif) <(pixels 1 two.tif)
same <(pixels 5 some.tif) <(pixels 1 one.tif)

# shared: band 2 is filled by what band 1 taught
ok surekrig fill all.vrt -o shared.tif --band 1,2 --shared --neighbors 20 $QUICK
says "band_2: 142 of 1200 pixels missing; hyperparameters of band_1"
ok surekrig fill all.vrt -o own.tif --band 1,2 --neighbors 20 $QUICK
same <(pixels 1 shared.tif) <(pixels 1 own.tif)
differ <(pixels 5 shared.tif) <(pixels 5 own.tif)

# A covariate that the field follows: without it the gap's middle is unknown. Where it is missing too, the gap stays.
hill="exp(-((c-13)^2+(r-8)^2)/30)"
make_raster height 40 30 "c==12&&r==8?-9999:$hill"
make_raster field 40 30 "(c-13)^2+(r-8)^2<60?-9999:0.2*($WAVES)+3*($hill)"
make_raster truth 40 30 "0.2*($WAVES)+3*($hill)"
ok surekrig fill field.tif -o plain.tif $FIXED
ok surekrig fill field.tif -o helped.tif --covariate height.tif $FIXED
ok env SUREKRIG_TILE=15 surekrig fill field.tif -o tiles.tif --covariate height.tif $FIXED
every '(a - b) ^ 2 < 1e-10' <(pixels 1 helped.tif) <(pixels 1 tiles.tif)
worst() { paste <(pixels 1 "$1") <(pixels 1 truth.tif) | awk '$1 != -9999 { e = ($1 - $2) ^ 2; if (e > m) m = e } END { print sqrt(m) }'; }
equal "$(pixels 1 helped.tif | grep -c -- -9999)" 1
awk -v a="$(worst plain.tif)" -v b="$(worst helped.tif)" 'BEGIN { exit !(b < 0.2 && a > 5 * b) }' || fail "the covariate does not help: $(worst plain.tif), $(worst helped.tif)"
