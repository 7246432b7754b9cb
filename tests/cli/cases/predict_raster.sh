# predict -o OUT.tif: bands, values and place as GDAL's own tools read them; from --grid and from a raster.
command -v gdal_translate >/dev/null || skip "there is no gdal_translate to read rasters with"
make_plane
sed '1s/.*/lat,lon,temp/' plane.csv >plane_degrees.csv
surekrig fit plane.csv -o m.model $GIVEN
surekrig fit plane_degrees.csv -o d.model $GIVEN # latitudes come first
box=0,0,1,0.5,0.125
capture surekrig predict m.model --grid $box -o grid.tif
[ $status -eq 0 ] || { says GDAL && skip "there is no GDAL"; }
ok surekrig predict m.model --grid $box -o grid.csv
xyz() { gdal_translate -q -of XYZ -b "$2" "$1" /vsistdout/; } # FILE BAND: x y value, as CSV's rows
for band in 1 2 3 4; do
    xyz grid.tif $band >xyz
    rows xyz 32
    every 'a == c && b == d' <(cut -d ' ' -f 1,2 xyz) <(cut -d , -f 1,2 --output-delimiter ' ' grid.csv | tail -n +2)
    every 'a - b < 1e-5 && b - a < 1e-5' <(cut -d ' ' -f 3 xyz) <(cut -d , -f $((band + 2)) grid.csv | tail -n +2) # floats
done
ok gdalinfo grid.tif
prints "Size is 8, 4"
prints "Origin = (0.0"
prints "Pixel Size = (0.125"
for name in "y_mean" "y_mean sd" "y_mean lower" "y_mean upper"; do prints "Description = $name"; done

# longitudes go across, and degrees are said; another system by name
ok surekrig predict d.model --grid 0,0,1,0.5,0.125 -o d.tif
ok surekrig predict d.model --grid 0,0,1,0.5,0.125 -o d.csv
first_line d.csv lat,lon,mean,sd,lower,upper
every 'a == d && b == c' <(xyz d.tif 1 | cut -d ' ' -f 1,2) <(cut -d , -f 1,2 --output-delimiter ' ' d.csv | tail -n +2)
ok gdalinfo d.tif
prints 'ID["EPSG",4326]'
ok surekrig predict m.model --grid $box --crs EPSG:32633 -o utm.tif
ok gdalinfo utm.tif
prints 'ID["EPSG",32633]'

ok surekrig predict m.model --grid $box --crs 32633 -o number.tif
ok gdalinfo number.tif
prints 'ID["EPSG",32633]'
fails 1 "no coordinate system is known as" surekrig predict m.model --grid $box --crs 3263399 -o z.tif

# cells that are not square, out and in again
ok surekrig predict m.model --grid 0,0,1,0.6,0.5,0.2 -o oblong.tif
ok surekrig predict m.model --grid 0,0,1,0.6,0.5,0.2 -o oblong.csv
ok gdalinfo oblong.tif
prints "Pixel Size = (0.500000000000000,-0.200000000000000)"
every 'a - c < 1e-9 && c - a < 1e-9 && b - d < 1e-9 && d - b < 1e-9' <(xyz oblong.tif 1 | cut -d ' ' -f 1,2) <(cut -d , -f 1,2 --output-delimiter ' ' oblong.csv | tail -n +2)
sed '1s/x1,x2/x,y/; 1s/,y$/,z/' plane.csv >xy.csv
surekrig fit xy.csv -o xy.model $GIVEN
ok surekrig predict xy.model oblong.tif -o oblong.nc
ok surekrig predict xy.model NETCDF:oblong.nc:z_sd -o again.csv
equal "$(awk -F, 'NR > 1 { printf "%.3f %.3f;", $1, $2 }' again.csv)" "$(awk -F, 'NR > 1 { printf "%.3f %.3f;", $1, $2 }' oblong.csv)"

# the pixels of a raster: its grid and its system, whatever its bands
ok surekrig predict d.model d.tif -o again.tif
xyz d.tif 2 >a && xyz again.tif 2 >b
same a b
ok gdalinfo again.tif
prints 'ID["EPSG",4326]'
ok surekrig predict d.model d.tif -o pixels.csv
same pixels.csv d.csv
ok surekrig predict m.model --grid $box -o grid.nc
ok gdalinfo NETCDF:grid.nc:y_mean
prints "Size is 8, 4"

# and a map of it, which is that of the table
if command -v gnuplot >/dev/null; then
    ok surekrig plot map d.csv -o map.svg --script
    cp map.gp.dat table
    ok surekrig plot map d.tif -o map.svg --script
    every 'a - b < 1e-5 && b - a < 1e-5' <(tr ' ' '\n' <table) <(tr ' ' '\n' <map.gp.dat)
fi

# lines that do not fit a batch, and lines longer than one
surekrig fit plane.csv -o few.model $GIVEN --neighbors 8
ok surekrig predict few.model --grid 0,0,1,1,0.0037 -o many.tif
ok surekrig predict few.model --grid 0,0,1,1,0.0037 -o many.csv
every 'a - b < 1e-5 && b - a < 1e-5' <(xyz many.tif 1 | cut -d ' ' -f 3) <(cut -d , -f 3 many.csv | tail -n +2)
ok surekrig predict few.model --grid 0,0,70001,2,1 -o long.tif
ok surekrig predict few.model --grid 0,0,70001,2,1 -o long.csv
every 'a - b < 1e-5 && b - a < 1e-5' <(xyz long.tif 4 | cut -d ' ' -f 3) <(cut -d , -f 6 long.csv | tail -n +2)

fails 1 "plane.csv is no raster: a raster can be written for the pixels of another, or for --grid" surekrig predict m.model plane.csv -o z.tif
fails 2 "a raster holds mean, sd and one interval" surekrig predict m.model --grid $box --level 0.5,0.9 -o z.tif
fails 2 "a raster holds mean, sd and one interval" surekrig predict m.model --grid $box --mean-only -o z.tif
fails 2 "--crs goes with --grid and a raster" surekrig predict m.model --grid $box --crs EPSG:4326 -o z.csv
fails 1 "no coordinate system is known as nonsense" surekrig predict m.model --grid $box --crs nonsense -o z.tif
fails 2 "the predictions would replace d.tif" surekrig predict d.model d.tif -o d.tif
fails 1 "cannot write nosuch/z.tif" surekrig predict m.model --grid $box -o nosuch/z.tif
[ -n "${EMULATED:-}" ] || interrupted_by INT 130 surekrig predict m.model --grid 0,0,1,1,0.0001 -o z.tif
make_model
fails 1 "a raster needs two features, the model has one" surekrig predict m.model --grid 0,1,0.1 -o z.tif
