# The example of every command's help works as it stands, in a directory that has the files it names.
example() { surekrig "$1" --help | grep -A 1 '^Example:' | tail -n 1; }
mkdir simulated && cd simulated
ok bash -c "$(example simulate)"
rows train.csv 5001
rows test.csv 5001
cd ..
make_plane
sed '1s/.*/lon,lat,temp/' plane.csv >train.csv
cp train.csv test.csv
cut -d , -f 1,2 train.csv >grid.csv
ok bash -c "$(example krige) $QUICK"
rows filled.csv 181
ok bash -c "$(example fit) $QUICK"
ok bash -c "$(example predict)"
ok bash -c "$(example score)"
if command -v gnuplot >/dev/null; then
    ok bash -c "$(example plot)"
    [ -s sd.png ] || fail "no picture"
    ok bash -c "$(example variogram)"
    [ -s variogram.png ] || fail "no picture of the variogram"
fi
if [ -z "${EMULATED:-}" ] && command -v gdal_translate >/dev/null; then
    make_raster temperature 40 30 "$HOLE?-9999:$WAVES"
    ok bash -c "$(example fill)"
    [ -s filled.tif ] || fail "no filled raster"
fi
ok bash -c "$(example info)"
prints "round "
ok bash -c "$(example experiment) $QUICK_STUDY"
[ -s study/report.html ] || fail "no report"
ok bash -c "$(example settings)"
prints "coverage = "
ok bash -c "$(example help)"
