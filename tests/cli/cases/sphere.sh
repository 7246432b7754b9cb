# Longitude and latitude: distances on the earth, by themselves where the data are of the globe, and sentences for what is no
# place.
silent_on() { ! grep -qF -- "$1" "$err"; }
awk 'BEGIN { srand(3); print "lon,lat,temp"
    for (i = 0; i < 400; i++) { lon = 360 * rand() - 180; lat = 160 * rand() - 80
        printf "%.6f,%.6f,%.6f\n", lon, lat, sin(lat / 30) + cos(lon / 57.3) * cos(lat / 57.3) + 0.05 * rand() } }' >globe.csv
ok surekrig fit globe.csv -o plane.model $QUICK --sphere no
silent_on "sphere" || fail "a plane speaks of the sphere"
ok surekrig fit globe.csv -o globe.model $QUICK
says "surekrig fit: lon,lat are longitude and latitude, so distances are on the sphere, in km; --sphere no takes them as a plane"
says "distances  of lon,lat on the sphere, in km"
ok surekrig fit globe.csv -o named.model $QUICK --sphere lon,lat
says "distances  of lon,lat on the sphere, in km"
silent_on "--sphere no" || fail "what was asked for is told as news"
ok surekrig fit globe.csv -o refitted.model --from globe.model
says "distances  of lon,lat on the sphere, in km"
silent_on "--sphere no" || fail "a refit tells of a choice"
printf 'lon,lat\n180,10\n-180,10\n' >seam.csv
for model in globe named refitted; do
    ok surekrig predict $model.model seam.csv -o seam_$model.csv -q
    [ "$(awk -F, 'NR == 2 { a = $3 } NR == 3 { d = $3 - a; print d * d < 1e-16 }' seam_$model.csv)" = 1 ] || fail "the date line is a seam"
done
same seam_globe.csv seam_named.csv
ok surekrig cv globe.model
prints "by distance to the nearest datum used, in km"
ok surekrig cv plane.model
prints "by distance to the nearest datum used, in the features' unit"
# a region of some degrees is a plane
awk -F, 'NR == 1 { print; next } { printf "%.6f,%.6f,%s\n", $1 / 60, 40 + $2 / 60, $3 }' globe.csv >region.csv
ok surekrig fit region.csv -o region.model $QUICK
silent_on "sphere" || fail "a region is on the sphere by itself"
fails 1 "it takes two features" surekrig fit globe.csv -o z.model --sphere lon -q
fails 1 "sphere = 'yes': it takes two features, longitude and then latitude, such as lon,lat" surekrig fit globe.csv -o z.model --sphere yes -q
fails 1 "there is no feature 'nosuch'" surekrig fit globe.csv -o z.model --sphere lon,nosuch -q
fails 1 "is not a latitude" surekrig fit globe.csv -o z.model --sphere lat,lon -q
fails 1 "rho has 2 values; it takes 1: for lon and lat, which have one on the sphere (in km)" \
    surekrig fit globe.csv -o z.model --sphere lon,lat --rho 1,2
printf 'lon,lat\n0,91\n' >pole.csv
fails 1 "point 1, lat: 91 is not a latitude" surekrig predict globe.model pole.csv -o out.csv -q
# by itself: what is no degree is a plane, and told
for wrong in 0,91,1:"lat has the value 91, which is no latitude" 500,0,1:"lon has the value 500, which is no longitude"; do
    { cat globe.csv && echo "${wrong%%:*}"; } >wrong.csv
    ok surekrig fit wrong.csv -o wrong.model $QUICK
    says "note       ${wrong#*:} in degrees, so distances are not on the sphere"
    fails 1 "row 401" surekrig fit wrong.csv -o z.model --sphere lon,lat
done
