# fill: what cannot be filled is refused with a sentence, and no file appears.
need_gdal
make_raster good 40 30 "$HOLE?-9999:$WAVES"
make_raster full 40 30 "$WAVES"
make_raster none 40 30 -9999
make_raster few 40 30 "c*r%97==1?c:-9999"
make_raster constant 40 30 "$HOLE?-9999:5"
gdal_translate -q -ot CFloat32 good.tif complex.tif
gdal_translate -q -ot Byte -a_nodata none full.tif bytes.tif
gdal_translate -q -of VRT bytes.tif palette.vrt
sed -i 's|<ColorInterp>Gray</ColorInterp>|<ColorInterp>Palette</ColorInterp><ColorTable><Entry c1="1" c2="2" c3="3" c4="255"/></ColorTable>|' palette.vrt
head -c 3000 good.tif >cut.tif
head -c 60 good.tif >stump.tif
echo "no raster" >text.tif
: >empty.tif
make_raster far 40 30 "$WAVES" -a_ullr 0 900 1200 0
printf '\0\0\200\077\0\0\200\177\0\0\300\177' >infinite # floats: 1, inf, NaN
printf 'ENVI\nsamples = 3\nlines = 1\nbands = 1\ndata type = 4\n' >infinite.hdr
printf '\0\0\0\0\0\0\360\077\1\0\0\0\0\0\100\103\0\0\0\0\0\0\360\077' >large # doubles: 1, 2^53 + 2, 1
printf 'ENVI\nsamples = 3\nlines = 1\nbands = 1\ndata type = 5\n' >large.hdr
gdal_translate -q -ot Int64 large long.tif
gdal_translate -q -ot Int64 good.tif whole.tif
try() { fails 1 "$1" surekrig fill "${@:2}" $FIXED; }
try "every pixel of full.tif is valid: there is nothing to fill" full.tif -o z.tif
try "no pixel of none.tif is valid: there is nothing to fill it from" none.tif -o z.tif
try "few.tif has 11 valid pixels, too few for 20 neighbours" few.tif -o z.tif
fails 1 "band_1 has 11 valid pixels, too few for a conformal interval at 0.999" surekrig fill few.tif -o z.tif $FIXED --neighbors 5 --level 0.999
make_raster some 12 8 "c>4&&c<7?-9999:$WAVES" # 80 valid ones: as many neighbours as there are, unless a number was asked for
ok surekrig fill some.tif -o some_out.tif --quiet
every 'b != -9999' <(pixels 1 some.tif) <(pixels 1 some_out.tif)
fails 1 "some.tif has 80 valid pixels, too few for 90 neighbours" surekrig fill some.tif -o z.tif --quiet --neighbors 90
try "band_1 is constant (5 in all 1170 rows)" constant.tif -o z.tif
try "band 1 of complex.tif holds complex numbers" complex.tif -o z.tif
try "band 1 of palette.vrt is an index into a palette" palette.vrt -o z.tif
try "cannot read cut.tif" cut.tif -o z.tif
try "cannot read stump.tif" stump.tif -o z.tif
try "cannot read text.tif" text.tif -o z.tif
try "cannot read empty.tif" empty.tif -o z.tif
try "cannot read nowhere.tif: nowhere.tif: No such file" nowhere.tif -o z.tif
try "infinite, band band_1, column 1, row 0: inf is not a finite number" infinite -o z.tif
try "long.tif, band band_1, column 1, row 0: 9007199254740994 is not between -2^53 and 2^53" long.tif -o z.tif
ok surekrig fill whole.tif -o whole_out.tif $FIXED
every 'a == -9999 || a == b' <(pixels 1 whole.tif) <(pixels 1 whole_out.tif)
try "good.tif has no such variable; it has: none" good.tif -o z.tif --variable temp
try "--band takes different numbers from 1 to 1, separated by commas, not '2'" good.tif -o z.tif --band 2
try "--band takes different numbers from 1 to 1, separated by commas, not '1,1'" good.tif -o z.tif --band 1,1
try "good.tif is not in degrees" good.tif -o z.tif --sphere yes
try "far.tif is not on the raster's grid (40 x 30 pixels from 0, 900; the raster has 40 x 30 from 500000, 4000900)" \
    good.tif -o z.tif --covariate full.tif,far.tif
try "cannot read nowhere.tif" good.tif -o z.tif --covariate nowhere.tif
try "z.png tells no format that is written" good.tif -o z.png
try "'PNG' is no format that is written" good.tif -o z.tif --format PNG
try "cannot write nowhere/z.tif" good.tif -o nowhere/z.tif
try "cannot write /dev/full.tif" good.tif -o /dev/full.tif/
try "cannot write /dev/null" good.tif -o /dev/null --format GTiff
for format in tif nc; do # a limit on the size of files, in KiB, stands for the full disk
    limited() { (ulimit -f 4 && exec "$@"); }
    fails 1 "cannot write z.$format" limited surekrig fill good.tif -o z.$format $FIXED
done
refuse() { fails 2 "$1" surekrig fill "${@:2}"; }
refuse "say in which file the filled raster goes" good.tif
refuse "say in which file the filled raster goes" good.tif -o -
refuse "the filled raster would replace good.tif" good.tif -o good.tif
refuse "--sphere takes auto, yes or no, not 'lon,lat'" good.tif -o z.tif --sphere lon,lat
refuse "--distance does not go with fill: --sphere yes measures distances on the earth" good.tif -o z.tif --distance sphere
refuse "--group does not go with fill" good.tif -o z.tif --group x,y
refuse "--scaling does not go with fill" good.tif -o z.tif --scaling axis
refuse "--mean local does not go with --covariate: the mean is then a trend" good.tif -o z.tif --covariate full.tif --mean local
refuse "--mean zero does not go with --covariate" good.tif -o z.tif --covariate full.tif --mean=zero
refuse "--level takes a number" good.tif -o z.tif --level 95

fails 1 "standard input does not allow: name its file" sh -c 'surekrig fit - -o z.model <good.tif'

# Without GDAL the message says what brings it, and the rest works.
export SUREKRIG_GDAL=none
fails 1 "rasters and files of features need GDAL, which could not be loaded (none: cannot open shared object file" surekrig fill good.tif -o z.tif
fails 1 "text.tif: " env SUREKRIG_GDAL=./text.tif surekrig fill good.tif -o z.tif # it is there, but no library
says "which could not be loaded"
fails 1 "libgdal32" surekrig fit good.tif -o z.model
make_model
ok surekrig predict m.model test.csv -o p.csv
unset SUREKRIG_GDAL

# Ctrl-C, in training and in filling
[ -z "${EMULATED:-}" ] || exit 0
make_raster large 600 600 "c*r%3==1?-9999:$WAVES"
interrupted_by INT 130 surekrig fill large.tif -o z.tif --batch 100000 --evaluations 1000
says "interrupted; nothing was written"
interrupted_by TERM 143 surekrig fill large.tif -o z.nc --neighbors 300 --nu 1 --rho 300 --tau2 0.001 --gamma2 1 --batch 50 --calibration 50 --smooth
says "interrupted; nothing was written"

# pipes: nothing waits for who reads or writes there
mkfifo pipe.tif
fails 1 "cannot write pipe.tif: it is a pipe or a device, and a raster needs a file" timeout 20 surekrig fill good.tif -o pipe.tif $FIXED
fails 1 "cannot read pipe.tif: it is a pipe or a device, and a raster is a file" timeout 20 surekrig fill pipe.tif -o z.tif $FIXED
rm pipe.tif

# a full disk, for which a limit on the size of files stands: told in the system's words, whatever the library says
make_raster large 200 200 "$HOLE?-9999:$WAVES"
limited() { (ulimit -f 8 && exec "$@"); }
for output in z.tif z.nc; do
    fails 1 "cannot write $output: File too large" limited surekrig fill large.tif -o $output $FIXED
done
