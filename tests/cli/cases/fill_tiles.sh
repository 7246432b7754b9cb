# fill: the result does not depend on the tiles, whatever the pixels' shape, nor on threads; one line of pixels is a raster too.
need_gdal
cloudy="(c-30)^2+(r-25)^2<150||c*r%11==3||(c>55&&r<20)?-9999:$WAVES"
alike() { # FILE TILE,... OPTION...
    local file=$1 tiles=$2
    shift 2
    ok surekrig fill "$file" -o one.tif --quiet "$@"
    pixels all one.tif >one
    for tile in ${tiles//,/ }; do
        ok env SUREKRIG_TILE=$tile surekrig fill "$file" -o tiles.tif --quiet --threads 1 "$@"
        every '(a - b) ^ 2 < 1e-20 && a != -9999' one <(pixels all tiles.tif)
    done
}
fixed="--nu 1 --tau2 0.001 --gamma2 1 --neighbors 24 --calibration 200 --rho"
make_raster in 70 50 "$cloudy" -ot Float64
alike in.tif 7,16,33 $fixed 300
make_raster flat 70 50 "$cloudy" -ot Float64 -a_ullr 0 500 7000 0 # pixels ten times as wide as high
alike flat.tif 16 $fixed 300
make_raster turned 70 50 "$cloudy" -ot Float64 -of VRT
mv turned.tif turned.vrt
sed -i 's|<GeoTransform>.*|<GeoTransform>500000, 26, 15, 4000000, 15, -26</GeoTransform>|' turned.vrt
alike turned.vrt 16 $fixed 300
gdalinfo one.tif >info
equal "$(grep -A 2 -F "GeoTransform =" info | tr -d "\n ")" "GeoTransform=500000,26,154000000,15,-26"
make_raster degrees 70 50 "$cloudy" -ot Float64 -a_srs EPSG:4326 -a_ullr 10 70 24 60
alike degrees.tif 16 $fixed 100
alike degrees.tif 33 $fixed 1 --sphere no
# a small region in degrees is a plane of kilometres, about the sphere's
make_raster region 70 50 "$cloudy" -ot Float64 -a_srs EPSG:4326 -a_ullr 10 47 12.8 45
alike region.tif 16 $fixed 40
ok surekrig fill region.tif -o plane.tif --quiet ${fixed/24/300} 40 --sectors no --nodes no
ok surekrig fill region.tif -o sphere.tif --quiet ${fixed/24/300} 40 --sectors no --sphere yes
paste <(pixels 1 plane.tif) <(pixels 1 sphere.tif) | awk '{ sum += ($1 - $2) ^ 2 } END { exit !(sum > 0 && sum / NR < 1e-4) }' ||
    fail "the plane of a region is not about the sphere"
alike region.tif 16 ${fixed% *} --rho 90,30 --anisotropic yes --turn 40
# few valid pixels: many a tile's first window has enough of them, and nearer ones lie outside it
make_raster sparse 160 120 "(c*7+r*13)%401==5?$WAVES:-9999" -ot Float64
alike sparse.tif 33 --nu 1 --tau2 0.001 --gamma2 1 --rho 3000 --neighbors 40 --interval gaussian --variance global
slanted="--nu 1 --tau2 0.001 --gamma2 1 --rho 6000,1000 --anisotropic yes --interval gaussian --variance global --coverage none"
alike sparse.tif 33 $slanted --neighbors 40 --turn 20
alike sparse.tif 16 $slanted --neighbors 16 --turn 115 --sectors yes --nodes no
alike turned.vrt 16 ${slanted//6000,1000/600,200} --neighbors 24
# islands of pixels: the nodes of a gap, and those around it, reach beyond a tile's window
island="(c%13-(int(c/13)*7+int(r/13)*5)%13)^2+(r%13-(int(c/13)*3+int(r/13)*11)%13)^2<(1.5+(int(c/13)*5+int(r/13)*3)%7/2)^2"
make_raster islands 117 117 "$island||(c*c*7+r*r*13+c*r)%251==3?$WAVES+(c*31+r*17)%7/(c>58?5:40):-9999" -ot Float64
alike islands.tif 7,11 --preset coverage --optimizer lbfgs --coverage none --nu 1 --rho 300 --tau2 0.01 --sectors yes --neighbors 16 --variance local
alike islands.tif 11 --preset coverage --coverage none --nu 1 --rho 500,150 --anisotropic yes --turn 30 --tau2 0.01 --sectors yes --neighbors 16 --variance local

make_raster earth 72 36 "c<5||c>66||c*r%7==3?-9999:cos(c*3.14159265/36)*sin(r*3.14159265/36)" -ot Float64 -a_srs EPSG:4326 -a_ullr -180 90 180 -90
alike earth.tif 16 $fixed 8000

# Where the raster goes around the earth, so do its neighbours: a gap at the seam is filled from both sides.
make_raster truth 72 36 "cos(c*3.14159265/36)*sin(r*3.14159265/36)" -ot Float64
every '(a - b) ^ 2 < 0.01' <(pixels 1 truth.tif) <(pixels 1 one.tif)

make_raster row 60 1 "c%7==3?-9999:sin(c/5)" -ot Float64
alike row.tif 7 $fixed 300
make_raster column 1 60 "r%7==3?-9999:sin(r/5)" -ot Float64
alike column.tif 7 $fixed 300
