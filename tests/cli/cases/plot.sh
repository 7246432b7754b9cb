# Pictures: each kind in each format, what is in them, a script that draws again, and refusals that leave nothing.
command -v gnuplot >/dev/null || skip "there is no gnuplot"
make_plane
sed '1s/.*/lon,lat,temp_c/; 5s/[^,]*$//; 50s/[^,]*$/NA/' plane.csv >map.csv

# a map: rectangles as many as values, behind the colour bar's; names as they are; the aspect of the latitude
polygons() { grep -c '<polygon' "$1"; }
ok surekrig plot map plane.csv -o plane.svg
silent
whole=$(polygons plane.svg)
ok surekrig plot map map.csv -o map.svg --script --title "a 'title' of 2 µm"
equal $((whole - $(polygons map.svg))) 2
grep -qF 'temp_c<' map.svg || fail "the column's name is not in the picture"
grep -qF 'lon<' map.svg && grep -qF 'lat<' map.svg || fail "the axes have no names"
grep -qF "a 'title' of 2 µm<" map.svg || fail "no title"
rows map.gp.dat 12
equal "$(tr ' ' '\n' <map.gp.dat | grep -c NaN)" 2
cp map.svg before.svg
gnuplot map.gp 2>again
same map.svg before.svg
equal "$(ls)" "$(printf '%s\n' again before.svg map.csv map.gp map.gp.dat map.svg plane.csv plane.svg)"
ok surekrig plot map map.csv -o map.png
equal "$(head -c 4 map.png | tail -c 3)" PNG
ok surekrig plot map map.csv -o map.pdf
equal "$(head -c 5 map.pdf)" "%PDF-"
ok surekrig plot map map.csv -o other.svg --range 0,1 -x lat,lon -z temp_c # longitudes go across nevertheless
grep -qF '>1<' other.svg || fail "no range"
sed '1s/.*/lon,lat,mean_u/; s/,/,7,/2; 1s/7/elevation/' plane.csv >several.csv
ok surekrig plot map several.csv -o several.svg # of predictions a mean, not a feature
grep -qF 'mean_u<' several.svg || fail "a map of another column"
ok surekrig plot map - -o piped.svg --title "a 'title' of 2 µm" <map.csv
sed 's/piped/map/' piped.svg >piped
same piped map.svg

# an old picture behind a link is replaced
ln -s map.png link.png
ok surekrig plot map plane.csv -o link.png
[ -L link.png ] || fail "the link is gone"

# predictions: the mean by default, any column by name; dots; thinned
surekrig fit plane.csv -o p.model $GIVEN
surekrig predict p.model plane.csv -o filled.csv
ok surekrig plot map filled.csv -o mean.svg
grep -qF 'mean<' mean.svg || fail "not the mean"
ok surekrig plot map filled.csv -z sd -o sd.svg
grep -qF 'sd<' sd.svg || fail "not the sd"
awk 'BEGIN { srand(5); print "x,y,v"; for (i = 0; i < 500; i++) print rand() "," rand() "," i; print "0.5,0.5," }' >dots.csv
ok surekrig plot map dots.csv -o dots.svg
equal "$(grep -c "xlink:href='#gpPt6'" dots.svg)" 501
awk 'BEGIN { srand(6); print "x,y,v"; for (i = 0; i < 30000; i++) print rand() "," rand() "," i }' >many.csv
ok surekrig plot map many.csv -o many.svg
says "30000 values drawn as the means of "

# what differs in the tenth digit differs in the picture: seconds of a day, places within centimetres
awk 'BEGIN { print "x,y,v"; for (i = 0; i < 300; i++) print i % 20 "," int(i / 20) "," 1700000000 + i }' >seconds.csv
ok surekrig plot map seconds.csv -o seconds.svg --script
equal "$(tr ' ' '\n' <seconds.gp.dat | sort -u | wc -l)" 300
awk 'BEGIN { srand(7); print "x,y,v"; for (i = 0; i < 300; i++) printf "%.7f,%.7f,%d\n", 4500000 + i / 1e4, rand() / 40, i }' >near.csv
ok surekrig plot map near.csv -o near.svg --script
equal "$(cut -d ' ' -f 1 near.gp.dat | sort -u | wc -l)" 300
fails 1 "column x of standard input is 0 in all 2 rows" sh -c 'printf "x,y,v\n0,2,3\n5e-324,3,4\n" | surekrig plot map - -o z.png'

# the curve of a model and of its predictions, which is what score says
make_model
ok surekrig plot calibration m.model test.csv -o curve.svg --script
grep -qF 'empirical coverage<' curve.svg || fail "no name"
ok surekrig score m.model test.csv --calibration
awk '/^nominal/ { on = 1; next } on { print $1, $2 }' "$out" >said
awk 'NR > 2 { if (last) print last; last = sprintf("%.2f %.4f", $1, $3) }' curve.gp.dat >drawn
same said drawn
surekrig predict m.model test.csv -o predicted.csv
ok surekrig plot calibration predicted.csv test.csv -o again.svg --script
cut -d ' ' -f 1,3 curve.gp.dat >a && cut -d ' ' -f 1,3 again.gp.dat >b
same a b

# the trace
ok surekrig fit train.csv -o t.model --preset paper --aids all --batch 100
ok surekrig plot trace t.model -o trace.svg --script
grep -qF 'multiplier lambda<' trace.svg && grep -qF '97.5 %<' trace.svg || fail "no names"
equal "$(sed '/^$/,$d' trace.gp.dat | wc -l)" 6
ok surekrig info t.model --json
equal "$(tail -n 1 trace.gp.dat | cut -d , -f 1)" "$(json_value evaluations "$out")"
near "$(tail -n 1 trace.gp.dat | cut -d , -f 3)" "$(sed '/^$/,$d' trace.gp.dat | tail -n 1 | cut -d , -f 5)" 1e-9 # the lowest is the last round's
awk -F, '/^#/ { on = 1; next } on && ($3 > $2 || (n++ && $3 > last)) { exit 1 } { last = $3 }' trace.gp.dat || fail "the lowest so far rises"

ok surekrig fit train.csv -o l.model --batch 100 --evaluations 20 --coverage "$(seq -s , 0.05 0.05 0.95)" # the key stays inside
ok surekrig plot trace l.model -o levels.svg --script
equal "$(grep -c '^set label' levels.gp)" 19
awk '/^set label/ { sub(/.* at screen /, ""); if ($1 < 0 || $1 + 0 > 1) exit 1 }' levels.gp || fail "a level is outside the picture"

# refusals
fails 2 "there is no picture 'mop'" surekrig plot mop plane.csv -o z.png
fails 2 "map takes POINTS; 2 given" surekrig plot map plane.csv plane.csv -o z.png
fails 2 "calibration takes PREDICTIONS|MODEL and TEST; 1 given" surekrig plot calibration m.model -o z.png
fails 2 "-o says where the picture goes" surekrig plot map plane.csv
fails 2 "'z.jpg' is no name of a picture: it must end in .png, .svg or .pdf" surekrig plot map plane.csv -o z.jpg
fails 2 "--range does not go with trace" surekrig plot trace t.model --range 0,1 -o z.png
fails 2 "the picture would replace a.png" sh -c 'cp plane.csv a.png; surekrig plot map a.png -o a.png; code=$?; rm a.png; exit $code'
fails 1 "--range takes the ends of the colours" surekrig plot map plane.csv --range 1,0 -o z.png
fails 1 "has no column 'nosuch'; it has x1, x2, y" surekrig plot map plane.csv -z nosuch -o z.png
fails 1 "-x takes the names of two columns, as lon,lat; 1 given" surekrig plot map plane.csv -x x1 -o z.png
fails 1 "train.csv has no value beside the coordinates x1 and y" surekrig plot map train.csv -o z.png
fails 1 "standard input has one point" sh -c 'printf "x,y,v\n1,2,3\n" | surekrig plot map - -o z.png'
fails 1 "column v of standard input is 3 wherever it has a value" sh -c 'printf "x,y,v\n1,2,3\n2,3,3\n2,1,\n" | surekrig plot map - -o z.png'
fails 1 "column v of standard input is 1e+06 wherever it has a value" sh -c 'printf "x,y,v\n1,2,1e6\n2,3,1000000.0000000001\n2,1,1000000.0000000003\n" | surekrig plot map - -o z.png'
fails 1 "column v of standard input is missing in all 2 rows" sh -c 'printf "x,y,v\n1,2,\n2,3,\n" | surekrig plot map - -o z.png'
fails 1 "column x of standard input is 1 in all 2 rows" sh -c 'printf "x,y,v\n1,2,3\n1,3,4\n" | surekrig plot map - -o z.png'
fails 1 "standard input has no row with both x and y" sh -c 'printf "x,y,v\n1,,3\n,3,4\n" | surekrig plot map - -o z.png'
fails 1 "row 2, column v: inf is not a finite number" sh -c 'printf "x,y,v\n1,2,3\n1,3,inf\n" | surekrig plot map - -o z.png'
fails 1 "row 2, column x: 1e+200 is too large to be drawn" sh -c 'printf "x,y,v\n1,2,3\n1e200,3,2\n" | surekrig plot map - -o z.png'
fails 1 "nosuch.csv" surekrig plot map nosuch.csv -o z.png
fails 1 "cannot write nosuch/z.png: No such file or directory" surekrig plot map plane.csv -o nosuch/z.png
fails 1 "--range takes the ends of the colours" surekrig plot map plane.csv --range 1e15,1000000000000001 -o z.png
fails 1 "Invalid argument" surekrig plot map plane.csv -o "two
lines.png"
mkdir folder.png
fails 1 "cannot write folder.png: Is a directory" surekrig plot map plane.csv -o folder.png
surekrig fit train.csv -o g.model $GIVEN
fails 1 "g.model was not trained" surekrig plot trace g.model -o z.png

# whoever started it ignores the ends of children: it still learns how gnuplot ended
ok bash -c 'trap "" CHLD; exec surekrig plot map plane.csv -o alone.svg'
same alone.svg plane.svg
