# krige of a raster: its gaps are what the training looks at, and its pixels are predicted; a raster of --grid.
need_gdal
BRIEF="--batch 100 --evaluations 6 --polish 0 --neighbors 10"
make_raster field 24 20 "$HOLE?-9999:$WAVES"
ok surekrig krige field.tif field.tif -o k.tif $BRIEF
ok surekrig fit field.tif -o f.model --targets field.tif --auto $BRIEF -q
ok surekrig predict f.model field.tif -o f.tif
for band in 1 2 3 4; do
    pixels $band k.tif >k.values
    pixels $band f.tif >f.values
    same k.values f.values
done
make_plane
ok surekrig krige plane.csv --grid 0,0,1,1,0.1 --crs EPSG:32633 --auto no $GIVEN -o grid.tif
ok gdalinfo grid.tif
prints 'ID["EPSG",32633]'
