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
