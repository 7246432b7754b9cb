# fill: several bands with hyperparameters of their own or shared, variables and time steps, covariates.
need_gdal
make_raster a 40 30 "$HOLE?-9999:$WAVES"
make_raster b 40 30 "c*r%7==3?-9999:2*($WAVES)"
make_raster full 40 30 "c+r"
make_raster none 40 30 -9999
gdalbuildvrt -q -separate all.vrt a.tif b.tif full.tif none.tif
ok surekrig fill all.vrt -o all.tif $FIXED
says "surekrig fill: band_4 has 0 valid pixels, too few to fill it: it stays as it is"
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
says "band_1: 1 missing pixel is not filled: a covariate is missing there too"
ok env SUREKRIG_TILE=15 surekrig fill field.tif -o tiles.tif --covariate height.tif $FIXED
every '(a - b) ^ 2 < 1e-10' <(pixels 1 helped.tif) <(pixels 1 tiles.tif)
worst() { paste <(pixels 1 "$1") <(pixels 1 truth.tif) | awk '$1 != -9999 { e = ($1 - $2) ^ 2; if (e > m) m = e } END { print sqrt(m) }'; }
equal "$(pixels 1 helped.tif | grep -c -- -9999)" 1
make_raster shore 40 30 "c<25?-9999:c"
fails 1 "none of the 185 missing pixels of field.tif can be filled: a covariate is missing there too" \
    surekrig fill field.tif -o z.tif --covariate shore.tif $FIXED
awk -v a="$(worst plain.tif)" -v b="$(worst helped.tif)" 'BEGIN { exit !(b < 0.2 && a > 5 * b) }' || fail "the covariate does not help: $(worst plain.tif), $(worst helped.tif)"

# covariates of one name are two, in either order
mkdir north south
cp height.tif north/c.tif
cp full.tif south/c.tif
ok surekrig fill field.tif -o one.tif --covariate north/c.tif,south/c.tif $FIXED
ok surekrig fill field.tif -o two.tif --covariate height.tif,south/c.tif $FIXED
every '(a - b) ^ 2 < 1e-10' <(pixels 1 one.tif) <(pixels 1 two.tif)
differ <(pixels 1 one.tif) <(pixels 1 helped.tif)
fails 1 "--covariate names one file twice: height.tif and ./height.tif" surekrig fill field.tif -o z.tif --covariate height.tif,./height.tif $FIXED

# a constant band stays as it is, and the others are filled
make_raster constant 40 30 "$HOLE?-9999:5"
make_raster single 40 30 "c==3&&r==2?1:-9999"
gdalbuildvrt -q -separate mixed.vrt constant.tif a.tif single.tif
for shared in "" --shared; do
    ok surekrig fill mixed.vrt -o mixed.tif $shared $FIXED
    says "surekrig fill: band_1 is constant, with nothing to learn from: it stays as it is"
    says "surekrig fill: band_3 has 1 valid pixel, too few to fill it: it stays as it is"
    same <(pixels 1 mixed.tif) <(pixels 1 constant.tif)
    every 'a != -9999' <(pixels 5 mixed.tif)
done
fails 1 "no band of mixed.vrt with gaps has different values to learn from" surekrig fill mixed.vrt -o z.tif --band 1,3 $FIXED
