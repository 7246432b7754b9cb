# Through a link to a file that is not there yet: the file appears, whole or not at all, and the link stays a link.
make_model
surekrig simulate --grid 9x9 -o plane.csv
mkdir far
through() { # NAME COMMAND...: with -o NAME, of which the file is far/NAME by way of two links
    local name=$1
    shift
    rm -f "$name" "far/$name"
    ln -s "far/next-$name" "$name"
    ln -sf "$name" "far/next-$name"
    ok "$@" "$name"
    [ -L "$name" ] && [ -L "far/next-$name" ] || fail "the link is gone: $*"
    [ -f "far/$name" ] && [ ! -L "far/$name" ] && [ -s "far/$name" ] || fail "far/$name is no file: $*"
}
through p.csv surekrig predict m.model test.csv -o
ok surekrig predict m.model test.csv -o p2.csv
same far/p.csv p2.csv
through p.npy surekrig predict m.model test.csv -o
through h.csv surekrig simulate --grid 20 -o s.csv --holdout
through f.model surekrig fit train.csv $GIVEN -o
ok surekrig predict f.model test.csv -o p2.csv
same far/p.csv p2.csv
through parts.model surekrig fit train.csv $GIVEN --parts -o
ok surekrig predict parts.model test.csv -o p2.csv
same far/p.csv p2.csv
through k.model surekrig krige train.csv test.csv --auto no $GIVEN -o k.csv --model
if command -v gnuplot >/dev/null; then
    through a.svg surekrig plot map plane.csv -o
    through b.png surekrig plot map plane.csv --script -o
    [ -f far/b.gp ] && [ -f far/b.gp.dat ] || fail "the script is not beside the picture"
fi
if [ -z "${EMULATED:-}" ] && command -v gdal_translate >/dev/null; then
    make_raster g 20 16 "$HOLE ? -9999 : $WAVES"
    through r.tif surekrig fill g.tif $FIXED -o
    tells "Size is 20, 16" gdalinfo far/r.tif
    ok surekrig fit g.tif -o g.model $FIXED
    through n.nc surekrig predict g.model g.tif -o
    tells "_sd" gdalinfo far/n.nc
fi

# where it fails, nothing appears and the link stays
ln -s far/none.csv z.csv
ln -s nosuch/none.csv y.csv
ln -s loop.csv loop.csv
printf 'x1\n0.5\noops\n' >bad.csv
fails 1 "bad.csv" surekrig predict m.model bad.csv -o z.csv
fails 1 "cannot write y.csv: No such file or directory" surekrig predict m.model test.csv -o y.csv
fails 1 "cannot write loop.csv" surekrig predict m.model test.csv -o loop.csv
fails 1 "cannot write loop.csv" surekrig fit train.csv $GIVEN -o loop.csv

# a kill leaves no half of a file
surekrig simulate --grid 1000x1000 --rho 0.1 -o z.csv &
pid=$!
until compgen -G 'far/none.csv*' >/dev/null; do kill -0 $pid 2>/dev/null || fail "it ended too early"; done
kill -9 $pid
wait $pid 2>/dev/null || true
no_file far/none.csv
ok surekrig simulate --grid 20 -o z.csv
rows far/none.csv 21
