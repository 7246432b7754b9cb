# A field that is longer along a direction between two features: found, told, kept in the model, and refused where there is none.
awk 'BEGIN { srand(3); print "east,north,z"; for (i = 0; i < 500; i++) { x = 10 * rand(); y = 10 * rand()
    printf "%.9f,%.9f,%.4f\n", x, y, sin(2 * (x - y)) + sin((x + y) / 4) + 0.1 * sin(77 * i) } }' >slanted.csv
head -n 400 slanted.csv >train.csv
{ head -n 1 slanted.csv; tail -n 100 slanted.csv; } >test.csv
ok surekrig fit train.csv -o found.model
grep -qE "^distances  one length scale along a direction that is turned by 4[3-7][.0-9]* degrees from east towards north, one across it" "$err" || fail "the direction is not told"
says "  rho_along "
says "  rho_across "
says "  range_across "
ok surekrig info found.model
grep -qE "turned by 4[3-7]" "$out" || fail "the direction is not in the file"
ok surekrig fit train.csv -o straight.model --turn 0 -q
rmse() { surekrig score "$1" test.csv --json | sed 's/.*"rmse": *\([0-9.e-]*\).*/\1/'; }
every 'a < 0.7 * b' <(rmse found.model) <(rmse straight.model)
# as if the points had been turned before, by hand
given="--nu 1 --rho 3,0.5 --tau2 0.01 --gamma2 1 --anisotropic yes --nodes no -q"
ok surekrig fit train.csv -o given.model --turn 90 $given
awk -F, -v OFS=, '{ print $2, NR == 1 ? "west" : "-" $1, $3 }' train.csv >turned.csv
awk -F, -v OFS=, '{ print $2, NR == 1 ? "west" : "-" $1, $3 }' test.csv >turned_test.csv
ok surekrig fit turned.csv -o turned.model $given
ok surekrig predict given.model test.csv -o a.csv -q
ok surekrig predict turned.model turned_test.csv -o b.csv -q
every 'a - b < 1e-9 && b - a < 1e-9' <(column mean a.csv) <(column mean b.csv)
every 'a - b < 1e-9 && b - a < 1e-9' <(column sd a.csv) <(column sd b.csv)
ok surekrig variogram given.model -o a.csv -q
ok surekrig variogram turned.model -o b.csv -q
every 'a - b < 1e-9 && b - a < 1e-9' <(column semivariance a.csv) <(column semivariance b.csv)
turn() { awk -F, -v OFS=, 'BEGIN { a = 30.7 * atan2(0, -1) / 180 } NR == 1 { print; next }
    { printf "%.17g,%.17g,%s\n", cos(a) * $1 + sin(a) * $2, cos(a) * $2 - sin(a) * $1, $3 }' "$1"; }
turn train.csv >turned.csv
ok surekrig fit train.csv -o given.model --turn 30.7 $given
ok surekrig fit turned.csv -o turned.model $given
ok surekrig info given.model
prints "turned by 30.7 degrees"
ok surekrig variogram given.model -o a.csv -q
ok surekrig variogram turned.model -o b.csv -q
every 'a - b < 1e-9 && b - a < 1e-9' <(column semivariance a.csv) <(column semivariance b.csv)
ok surekrig fit train.csv -o little.model --turn 0.6 $given
ok surekrig info little.model
prints "turned by 0.6 degrees"
ok surekrig variogram little.model -o a.csv -q
ok surekrig fit test.csv --from found.model -o from.model
grep -qE "turned by 4[3-7]" "$err" || fail "the direction was not taken over"
ok surekrig fit train.csv -o start.model --metric start -q
ok surekrig info start.model
grep -qE "turned by 4[3-7]" "$out" || fail "the direction is not found where neighbours stay"
fails 2 "turn" surekrig fit train.csv -o z.model --turn 181
fails 1 "turn = 20 is for two features of a plane that both count, with a length scale each" surekrig fit train.csv -o z.model --turn 20 --anisotropic no
fails 1 "turn = 20 is for two features of a plane" surekrig fit train.csv -o z.model --turn 20 -x east
# a raster: its lines and columns are turned by the raster, if it is, and its distances by the field
need_gdal
make_raster slanted 60 50 "(c-30)^2+(r-25)^2<100?-9999:sin((c+r)/3)+sin((c-r)/25)+sin(c*r*r)/20" -ot Float64
make_raster strip 300 20 "c%50<9&&r>4?-9999:sin((c+r)/3)+sin(c*r*r)/20" -ot Float64 # extents do not matter: both are in metres
ok surekrig fill strip.tif -o strip_filled.tif --neighbors 24 --calibration 200
says "along a direction turned by 4"
ok surekrig fill slanted.tif -o filled.tif --neighbors 24 --calibration 200
grep -qE "along a direction turned by [34][0-9.]* degrees from x towards y" "$err" || fail "the direction is not told"
