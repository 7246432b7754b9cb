# Targets by the million: of a raster its gaps alone are held, and of very many each second; lines longer than a strip.
need_gdal
vrt() { # COLUMNS ROWS WEST CELL [SOURCE...]: a raster of one band, z, in which what no source covers is missing
    cat <<END
<VRTDataset rasterXSize="$1" rasterYSize="$2"><GeoTransform>$3, $4, 0, $2, 0, -1</GeoTransform>
<VRTRasterBand dataType="Float32" band="1"><Description>z</Description><NoDataValue>-9999</NoDataValue>${*:5}</VRTRasterBand></VRTDataset>
END
}
source_of() { # FILE COLUMNS ROWS COLUMN ROW COLUMNS ROWS: all of it, here
    echo "<SimpleSource><SourceFilename>$1</SourceFilename><SourceBand>1</SourceBand><SrcRect xOff=\"0\" yOff=\"0\" xSize=\"$2\" ySize=\"$3\"/>"
    echo "<DstRect xOff=\"$4\" yOff=\"$5\" xSize=\"$6\" ySize=\"$7\"/></SimpleSource>"
}
awk 'BEGIN { srand(1); print "x,y,z"; for (i = 0; i < 300; i++) { x = 4096 * rand(); y = 1025 * rand(); print x "," y "," sin(x / 400) + y / 500 } }' >train.csv
FIXED="--nu 0.5 --rho 300 --tau2 0.01 --neighbors 12"

# 4,198,400 pixels: one in two of a line is a target, which are the pixels of a raster with cells twice as wide
vrt 4096 1025 0 1 >all.vrt
vrt 2048 1025 -0.5 2 >half.vrt
ok surekrig fit train.csv -o all.model $FIXED --targets all.vrt
says "of 4198400 targets one in 2 is looked at"
ok surekrig fit train.csv -o half.model $FIXED --targets half.vrt
! grep -q "targets one in" "$err" || tell_and_fail "targets are thinned that are few enough"
for model in all half; do
    ok surekrig predict $model.model --grid 0,0,4000,1000,100 -o $model.csv
done
same all.csv half.csv

# lines of 262,149 pixels, read in two parts: of both lines the second part has gaps
make_raster seven 1 1 7
make_raster end 5 2 '(c + r) % 2 ? -9999 : 1'
vrt 262149 2 0 1 "$(source_of seven.tif 1 1 0 0 262149 2)" "$(source_of end.tif 5 2 262144 0 5 2)" >wide.vrt
printf 'x,y\n262145.5,1.5\n262147.5,1.5\n262144.5,0.5\n262146.5,0.5\n262148.5,0.5\n' >gaps.csv
for targets in wide.vrt gaps.csv; do
    ok surekrig fit train.csv -o $targets.model $FIXED --targets $targets
    says "5 of 5 targets lie beyond the rows in x"
    ok surekrig predict $targets.model gaps.csv -o $targets.csv
done
same wide.vrt.csv gaps.csv.csv
