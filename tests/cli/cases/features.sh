# Points of a GIS: GeoPackage and GeoJSON are tables, as the CSV that they were made of.
need_gdal
command -v ogr2ogr >/dev/null || skip "there is no ogr2ogr to make them with"
make_plane
awk -F, 'NR == 1 { print "x,y,name,z"; next } { printf "%s,%s,%s,%s\n", $1, $2, NR % 4 ? "a, \"b\"" NR : "", NR % 7 ? $3 : "" }' plane.csv |
    sed 's/\("b"\)\([0-9]*\)/b\2/; s/,\(a, b[0-9]*\),/,"\1",/' >table.csv
convert() { # FILE OPTION...
    ogr2ogr -q "$@" table.csv -oo X_POSSIBLE_NAMES=x -oo Y_POSSIBLE_NAMES=y -oo AUTODETECT_TYPE=YES -oo KEEP_GEOM_COLUMNS=NO
}
convert points.gpkg -a_srs EPSG:32633
convert points.geojson
convert points.shp
ok surekrig fit table.csv -x x,y -y z -o csv.model $GIVEN
ok surekrig predict csv.model table.csv -o expected.csv
ok surekrig predict csv.model table.csv --keep name -o kept.csv
ok surekrig fit points.gpkg -o gpkg.model $GIVEN # the last field is the response
ok surekrig predict gpkg.model points.gpkg -o out.csv
same out.csv expected.csv
ok surekrig predict csv.model points.gpkg --keep name,z -o out.csv
first_line out.csv name,z,x,y,mean,sd,lower,upper
ok surekrig predict csv.model points.gpkg --keep name -o out.csv
same out.csv kept.csv
ok surekrig score csv.model points.gpkg --json
cp "$out" gpkg.json
ok surekrig score csv.model table.csv --json
same "$out" gpkg.json
ok surekrig score expected.csv points.gpkg --json
same "$out" gpkg.json
# without a coordinate system GeoJSON is in degrees
sed '1s/x,y/lon,lat/' table.csv >degrees.csv
ok surekrig fit degrees.csv -x lon,lat -y z -o degrees.model $GIVEN
ok surekrig fit points.geojson -o geojson.model $GIVEN
ok surekrig predict degrees.model degrees.csv -o expected.csv
ok surekrig predict geojson.model points.geojson -o out.csv
awk -F, 'NR > 1 { printf "%.5g\n", $3 }' out.csv >a && awk -F, 'NR > 1 { printf "%.5g\n", $3 }' expected.csv >b
every 'a - b < 1e-3 && b - a < 1e-3' a b # GeoJSON has 15 digits, or 7 decimals
ok surekrig predict csv.model points.shp -o out.csv
rows out.csv 181

# fields of dates, and text that is dates, are time as in a table
awk -F, 'NR == 1 { print "x,y,day,at,text,z"; next } { d = 1 + NR % 9; h = NR % 5 + 10
    printf "%s,%s,2024-03-0%d,2024-03-0%dT%d:30:15.250Z,%s,%s\n", $1, $2, d, d, h, NR == 5 ? "" : "0" d ".03.2024", $3 }' plane.csv >days.csv
printf 'Real,Real,Date,DateTime,String,Real\n' | sed 's/\([A-Za-z]*\)/"\1"/g' >days.csvt
for kind in gpkg geojson; do
    ogr2ogr -q days.$kind days.csv -oo X_POSSIBLE_NAMES=x -oo Y_POSSIBLE_NAMES=y -oo KEEP_GEOM_COLUMNS=NO -a_srs EPSG:32633
    for time in day at text; do
        ok surekrig krige days.csv days.csv -x x,y,$time -y z --time $time $GIVEN --rho 0.2,3 --spacetime separable -o expected.csv
        ok surekrig krige days.$kind days.$kind -x x,y,$time -y z --time $time $GIVEN --rho 0.2,3 --spacetime separable -o out.csv
        same <(column $time out.csv) <(column $time expected.csv)
        every 'a - b < 1e-2 && b - a < 1e-2' <(column mean out.csv) <(column mean expected.csv) # GeoJSON has 15 digits
    done
done
ok surekrig fit days.gpkg -o m.model ${GIVEN% --quiet}
says "column day holds dates and is left out; --time day takes it"
says "column at holds dates and is left out"
sed '0,/"text": "[^"]*"/s//"text": null/' days.geojson >late.geojson
ok surekrig krige late.geojson late.geojson -x x,y,text -y z --time text $GIVEN --rho 0.2,3 --spacetime separable -o out.csv
rows out.csv 181
sed -E '1,120s/"at": "[^"]*"/"at": null/' days.geojson >late.geojson
ok surekrig fit late.geojson -x x,y,at -y z --time at -o m.model ${GIVEN% --quiet} --rho 0.2,3 --spacetime separable
says "3 features (x, y, at)"
sed 's/"text": "02.03.2024"/"text": "2.3.2024"/' days.geojson >bad.geojson
fails 1 "'2.3.2024' is not a date as 2024-03-01 or 2024-03-01T12:00:00Z, as the rows before have" surekrig fit bad.geojson -x x,y,text -y z --time text -o z.model

# heights are no column, and said not to be
ogr2ogr -q high.gpkg points.gpkg -dim XYZ
ok surekrig fit high.gpkg -o m.model ${GIVEN% --quiet}
says "the heights of the points are left out; 'ogr2ogr -lco GEOMETRY=AS_XYZ points.csv high.gpkg' makes a table"
ok surekrig fit points.gpkg -o m.model ${GIVEN% --quiet}
! grep -q heights "$err" || fail "points of the plane have no heights"
ok surekrig fit high.gpkg -x x,y -y z -o m.model ${GIVEN% --quiet}
! grep -q heights "$err" || fail "heights are told though the features are named"

cp points.gpkg two.gpkg
ogr2ogr -q -update -nln more two.gpkg points.gpkg
fails 1 "two.gpkg holds 2 layers (table, more), and one is needed" surekrig fit two.gpkg -o z.model
echo '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"z": 1}, "geometry":
 {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}}]}' >line.geojson
fails 1 "line.geojson, row 1 is a LINESTRING and no point" surekrig fit line.geojson -o z.model
fails 1 "row 1, column name: 'a, b2' is not a number" surekrig fit points.gpkg -x x,y -y name -o z.model
echo '{"no": "features"}' >no.geojson
fails 1 "cannot read no.geojson" surekrig fit no.geojson -o z.model
fails 1 "which standard input does not allow: name their file" surekrig fit - -o z.model <points.gpkg
SUREKRIG_GDAL=/nowhere fails 1 "rasters and files of features need GDAL, which could not be loaded" surekrig fit points.gpkg -o z.model
fails 1 "csv.model is a model, and a table is wanted there" surekrig fit csv.model -o z.model # SQLite, and no GeoPackage
