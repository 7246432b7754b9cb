# fill --shared of large steps in time: five windows are learned from, though three hold more pixels than all are to have.
# The second and the fourth alone have noise, of variance 1/2.
need_gdal
for i in {0..6}; do
    [ $i = 3 ] && hole="$HOLE?-9999:" || hole=
    make_raster even$i 250 250 "${hole}sin((c+$i)/9)+cos(r/8)"
    make_raster noisy$i 250 250 "${hole}sin((c+$i)/9)+cos(r/8)+sin(43758*sin(12.9898*c+78.233*r+$i))"
done
stack cube {even,noisy,even,noisy,even}{0..6}.tif
ok surekrig fill cube.vrt -o z.tif --shared --time joint --neighbors 20 --batch 64 --evaluations 6 --polish 0
tau2=$(grep -o "tau2 [^ ]*" "$err" | cut -d ' ' -f 2)
awk -v tau2="$tau2" 'BEGIN { exit !(tau2 > 0.05) }' || fail "tau2 is $tau2: the noisy windows were left out"
