# A cube as a table: x, y, time and the variable, a row a pixel and step; as the same table in CSV.
need_gdal
command -v ncgen >/dev/null || skip "there is no ncgen (netcdf-bin)"
# NAME.nc and NAME.csv: 12 x 9 pixels; TIMES in UNIT, which are WRITTEN so in CSV.
make_cube() { # NAME UNIT TIMES WRITTEN [CALENDAR]
    local name=$1 unit=$2 times=$3 written=$4 calendar=${5:-}
    awk -v name="$name" -v unit="$unit" -v times="$times" -v written="$written" -v calendar="$calendar" 'BEGIN {
        steps = split(times, T, " "); split(written, W, " ")
        print "netcdf in { dimensions: time = " steps "; y = 9; x = 12; variables: double time(time);"
        if (unit) print "time:units = \"" unit "\";"
        if (calendar) print "time:calendar = \"" calendar "\";"
        print "double y(y); y:units = \"m\"; y:standard_name = \"projection_y_coordinate\"; double x(x); x:units = \"m\"; x:standard_name = \"projection_x_coordinate\";"
        print "short v(time, y, x); v:_FillValue = -999s; v:scale_factor = 0.0078125; v:add_offset = 5.; data: time = "
        for (i = 1; i <= steps; i++) printf "%s%s", T[i], i < steps ? "," : "; y = "
        for (i = 9; i > 0; i--) printf "%d%s", i, (i > 1) ? "," : "; x = "
        for (i = 1; i <= 12; i++) printf "%d%s", i, i < 12 ? "," : "; v = "
        print "x,y,time,v" >(name ".csv")
        for (t = 1; t <= steps; t++) for (r = 0; r < 9; r++) for (c = 0; c < 12; c++) {
            value = int(100 * (sin(c / 3 + t / 2) + cos(r / 4 - t / 3)) + 20 * sin(c * r + t))
            gap = (c - 3 * t) ^ 2 + (r - 4) ^ 2 < 6
            printf "%s%s", (t + r + c > 1 ? ", " : ""), (gap ? "_" : value)
            print (c + 1) "," (9 - r) "," W[t] "," (gap ? "" : sprintf("%.10g", value / 128 + 5)) >(name ".csv")
        }
        print "; }" }' >"$name.cdl"
    ncgen -4 -o "$name.nc" "$name.cdl"
}
settings="--time time --spacetime separable --nu 1 --rho 4,2 --time_nu 0.5 --tau2 0.01 --gamma2 1 --neighbors 12 --auto no"
as_its_table() { # NAME POINTS
    ok surekrig krige "$1.nc" "$2" $settings -o a.csv
    ok surekrig krige "$1.csv" "$2" $settings -o b.csv
    same a.csv b.csv
}

# dates: whole days, and by the hour from an origin as UDUNITS has it
make_cube days "days since 2020-02-27" "0 1 2.0 4" "2020-02-27 2020-02-28 2020-02-29 2020-03-02"
printf 'x,y,time\n4.5,5,2020-02-28\n7,4.2,2020-03-01\n9,2,2020-03-04\n' >points.csv
as_its_table days points.csv
rows a.csv 4
make_cube hours "hours since 2020-2-27 12:0:0.0" "6 18 36" "2020-02-27T18:00:00Z 2020-02-28T06:00:00Z 2020-02-29T00:00:00Z"
printf 'x,y,time\n4.5,5,2020-02-28T00:00:00Z\n' >hour.csv
as_its_table hours hour.csv

# a cube as points, its pixels of all steps; rows as dates
ok surekrig krige days.csv days.nc $settings -o a.csv
ok surekrig krige days.csv days.csv $settings -o b.csv
rows a.csv 433
cut -d, -f1-3 days.csv >c.csv
cut -d, -f1-3 a.csv >d.csv
same c.csv d.csv
every 'a == b' <(column mean a.csv) <(column mean b.csv)
ok surekrig fit days.nc -o m.model $settings
ok surekrig predict m.model days.nc -o p.csv
rows p.csv 433
fails 1 "days.nc is a cube of 4 times, of which a raster here holds one: write a table" surekrig predict m.model days.nc -o z.tif

# a GeoTIFF made of a cube is one; what fill makes of it, with bands of several kinds, has a column for each
gdal_translate -q days.nc days.tif
ok surekrig krige days.tif points.csv $settings -o a.csv
ok surekrig krige days.csv points.csv $settings -o b.csv
same a.csv b.csv
ok surekrig fill days.tif -o filled.tif --time alone --nu 1 --rho 4 --tau2 0.01 --gamma2 1 --neighbors 12 -q
ok surekrig fit filled.tif -x x,y -y "v upper" -o z.model --nu 1 --rho 4 --tau2 0.01 --gamma2 1 -q

# times that are numbers: no unit, no date in it, a calendar of its own
make_cube plain "" "0 1 3" "0 1 3"
printf 'x,y,time\n4.5,5,2\n' >number.csv
as_its_table plain number.csv
ok surekrig krige plain.nc number.csv $settings -o a.csv
says "the times of plain.nc are taken as numbers, not as dates: they have no unit"
make_cube months "months since 2020-01-01" "0 1 3" "0 1 3"
ok surekrig krige months.nc number.csv $settings -o a.csv
says "taken as numbers, not as dates: their unit is 'months since 2020-01-01'"
make_cube model "days since 2020-01-01" "0 1 3" "0 1 3" noleap
ok surekrig krige model.nc number.csv $settings -o a.csv
says "their unit is 'days since 2020-01-01' in the calendar noleap"
fails 1 "points.csv: column time holds dates, and the training table has numbers there" surekrig krige plain.nc points.csv $settings -o z.csv

# a single step: its time is told and left out, and its pixels are a raster to write
make_cube single "days since 2020-02-27" "2" "2020-02-29"
given="--nu 1 --rho 4 --tau2 0.01 --gamma2 1 --neighbors 12 --auto no"
ok surekrig krige single.nc points.csv --time time $given -o a.csv
says "time is the same in all rows: time is left out of distances"
ok surekrig krige single.csv points.csv --time time $given -o b.csv
same a.csv b.csv
ok surekrig krige single.nc points.csv $given -o a.csv
says "column time holds dates and is left out"
ok surekrig predict m.model single.nc -o z.tif

# lat and lon without attributes are degrees by their names, unless the numbers are none
named() { sed -E 's/\b[xy]:[a-z_]+ = "[^"]*";//g; s/\by\b/lat/g; s/\bx\b/lon/g' days.cdl; }
named >named.cdl
ncgen -4 -o named.nc named.cdl
sed '1s/x,y/lon,lat/' days.csv >named.csv
sed '1s/x,y/lon,lat/' points.csv >places.csv
as_its_table named places.csv
named | sed -E 's/lat = 9,8,7,6,5,4,3,2,1;/lat = 99,98,97,96,95,94,93,92,91;/' >beyond.cdl
ncgen -4 -o beyond.nc beyond.cdl
fails 1 "places.csv has no column 'x'; it has lon, lat, time" surekrig krige beyond.nc places.csv $settings -o z.csv

# what cannot be
make_cube back "days since 2020-01-01" "0 2 1" "0 2 1"
fails 1 "the times of back.nc do not increase from step 2, 2, to the next, 1" surekrig krige back.nc points.csv $settings -o z.csv
