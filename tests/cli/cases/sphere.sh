# Longitude and latitude: distances on the earth, a hint where a plane would not do, and sentences for what is no place.
awk 'BEGIN { srand(3); print "lon,lat,temp"
    for (i = 0; i < 400; i++) { lon = 360 * rand() - 180; lat = 160 * rand() - 80
        printf "%.6f,%.6f,%.6f\n", lon, lat, sin(lat / 30) + cos(lon / 57.3) * cos(lat / 57.3) + 0.05 * rand() } }' >globe.csv
ok surekrig fit globe.csv -o plane.model --batch 200 --evaluations 8 --polish 10
says "note       lon and lat reach over"
says "sphere lon,lat measures distances on the earth"
ok surekrig fit globe.csv -o globe.model --batch 200 --evaluations 8 --polish 10 --sphere lon,lat
says "distances  of lon,lat on the sphere, in km"
printf 'lon,lat\n180,10\n-180,10\n' >seam.csv
ok surekrig predict globe.model seam.csv -o seam_out.csv -q
[ "$(awk -F, 'NR == 2 { a = $3 } NR == 3 { d = $3 - a; print d * d < 1e-16 }' seam_out.csv)" = 1 ] || fail "the date line is a seam"
fails 1 "it takes two features" surekrig fit globe.csv -o z.model --sphere lon -q
fails 1 "there is no feature 'nosuch'" surekrig fit globe.csv -o z.model --sphere lon,nosuch -q
fails 1 "is not a latitude" surekrig fit globe.csv -o z.model --sphere lat,lon -q
printf 'lon,lat\n0,91\n' >pole.csv
fails 1 "point 1, lat: 91 is not a latitude" surekrig predict globe.model pole.csv -o out.csv -q
