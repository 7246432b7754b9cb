# The filled raster and predictions of rasters replace none of the files that are read, also those that a VRT has within it.
need_gdal
make_raster gg 20 16 "$HOLE ? -9999 : $WAVES"
make_raster cov 20 16 "c + r"
replaces() { fails 2 "would replace" surekrig "$@"; } # COMMAND...
replaces fill gg.tif --covariate cov.tif -o cov.tif $FIXED
replaces fill gg.tif --covariate gg.tif,./cov.tif -o "$PWD/cov.tif" $FIXED
stack steps gg.tif cov.tif
replaces fill steps.vrt -o gg.tif $FIXED
make_raster full 20 16 "$WAVES"
ok surekrig fit full.tif -o m.model --nu 1 --rho 300 --tau2 0.001 --gamma2 1 --neighbors 20 --quiet
gdalbuildvrt -q one.vrt full.tif
replaces predict m.model one.vrt -o full.tif
replaces fit one.vrt -o full.tif --quiet

# files that a raster names, whatever they are called, and models of each response
cp gg.tif 'a,b.tif'
gdal_translate -q -of VRT 'a,b.tif' comma.vrt
cp 'a,b.tif' kept.tif
fails 2 "the model would replace a,b.tif, which is read" surekrig fit comma.vrt -o 'a,b.tif' $GIVEN
same 'a,b.tif' kept.tif
cp gg.tif src-band_1.tif
gdalbuildvrt -q -separate two.vrt src-band_1.tif gg.tif
fails 2 "the model would replace src-band_1.tif, which is read" surekrig fit two.vrt -y band_1,band_2 --each -o src.tif $GIVEN
same src-band_1.tif kept.tif
