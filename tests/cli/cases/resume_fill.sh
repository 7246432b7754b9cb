# fill --resume: after a kill -9 tiles that were finished are not made again, nor is a finished band trained again, and the output
# has the bytes of a run that nothing has disturbed.
need_gdal
cloudy="(c-30)^2+(r-25)^2<150||c*r%11==3||(c>55&&r<20)?-9999"
make_raster a 70 50 "$cloudy:$WAVES"
make_raster b 70 50 "$cloudy:2*($WAVES)"
gdalbuildvrt -q -separate in.vrt a.tif b.tif
export SUREKRIG_TILE=16 # twenty of them a band
run="surekrig fill in.vrt -o z.tif ${FIXED% --quiet}"
ok $run
mv z.tif whole.tif
total=$((70 * 50 * 2 * 4 * 8 / 4)) # a quarter of the pixels are gaps, roughly
for share in 1 6; do
    killed z.tif $((total * share / 10)) $run --threads 1
    ok $run --resume
    [ "$(finished_before z.tif)" -ge 1 ] || fail "nothing was found: $(cat "$err")"
    same z.tif whole.tif
    no_file z.tif.partial
    rm z.tif
done
# what the VRT names has changed
killed z.tif $((total / 10)) $run
touch a.tif
fails 1 "z.tif.partial is of another run" $run --resume
rm z.tif.partial
# hyperparameters of the first band for all: that band is trained again
killed z.tif $((total * 6 / 10)) $run --shared
ok $run --shared --resume
mv z.tif resumed.tif
ok $run --shared
same z.tif resumed.tif
# predict, from the pixels of a VRT
make_raster wide 600 500 c
gdalbuildvrt -q wide.vrt wide.tif
ok surekrig fit a.tif -o few.model --neighbors 8 --nu 0.5 --rho 300 --tau2 0.01 --coverage none --quiet
run="surekrig predict few.model wide.vrt -o y.tif"
killed y.tif $((65536 * 4 * 8)) $run
cp y.tif.partial kept
ok $run --resume
[ "$(finished_before y.tif)" -ge 1 ] || fail "nothing was found: $(cat "$err")"
cp kept y.tif.partial
touch wide.tif
fails 1 "y.tif.partial is of another run" $run --resume
# a file of that name that is somebody else's stays
echo mine >x.tif.partial
echo mine >mine
fails 1 "x.tif.partial is no file of surekrig's" surekrig fill a.tif -o x.tif $FIXED --resume
ok surekrig fill a.tif -o x.tif $FIXED
same x.tif.partial mine
