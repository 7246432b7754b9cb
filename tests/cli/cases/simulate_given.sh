# Draws at new points given a model: their columns, and what they must agree with.
make_model
ok surekrig simulate --given m.model test.csv --draws 400 -o d.csv
silent
prints_nothing
first_line <(cut -d, -f1-3 d.csv) "x1,draw_1,draw_2"
rows d.csv 201
equal "$(head -n 1 d.csv | tr , '\n' | wc -l)" 401
every 'a == b' <(column x1 d.csv) <(column x1 test.csv)
ok surekrig predict m.model test.csv -o p.csv
tail -n +2 d.csv | awk -F, '{ s = q = 0; for (i = 2; i <= NF; i++) s += $i; s /= NF - 1
                              for (i = 2; i <= NF; i++) q += ($i - s)^2; printf "%.17g %.17g\n", s, sqrt(q / (NF - 1)) }' >moments
every '(a - c)^2 < (0.25 * d)^2 && b / d > 0.82 && b / d < 1.2' moments <(column mean p.csv) <(column sd p.csv)

# the seed alone decides
ok surekrig simulate --given m.model test.csv --draws 2 --threads 1 -q
same "$out" <(cut -d, -f1-3 d.csv)
ok surekrig simulate --given m.model test.csv --draws 2 --seed 5
differ "$out" <(cut -d, -f1-3 d.csv)

# the field is smoother than what is observed
roughness() { awk 'NR > 1 { s += ($1 - b)^2 } { b = $1 } END { print s }' "$1"; }
ok surekrig simulate --given m.model test.csv --latent -o latent.csv
awk -v a="$(roughness <(column draw_1 latent.csv))" -v b="$(roughness <(column draw_1 d.csv))" 'BEGIN { exit !(a < b) }' ||
    fail "the nugget is in latent draws"

# without a nugget the data are met
ok surekrig fit train.csv -o exact.model --nu 0.5 --rho 0.2 --tau2 0 --coverage none -q
ok surekrig simulate --given exact.model train.csv -o met.csv
every '(a - b)^2 < 1e-16' <(column draw_1 met.csv) <(column y train.csv)

# missing features, NPY, no points, several responses
awk -F, 'NR == 3 { print "NA,1"; next } { print }' test.csv >holes.csv
ok surekrig simulate --given m.model holes.csv -o holes.out
says "surekrig simulate: 1 of 200 points cannot be predicted: a feature is missing"
ok surekrig simulate --given m.model holes.csv -o holes.out -q
silent
equal "$(sed -n 3p holes.out)" ","
rows holes.out 201
ok surekrig simulate --given m.model test.csv -o d.npy
ok surekrig simulate --given m.model <(head -n 1 test.csv)
equal "$(cat "$out")" "x1,draw_1"
make_plane
awk -F, -v OFS=, 'NR == 1 { print "x1", "x2", "u", "v" } NR > 1 { print $1, $2, $3, 10 - 2 * $3 }' plane.csv >both.csv
ok surekrig fit both.csv -x x1,x2 -y u,v -o both.model $GIVEN
ok surekrig simulate --given both.model both.csv --draws 2
first_line "$out" "x1,x2,draw_1_u,draw_2_u,draw_1_v,draw_2_v"

fails 2 "--given needs the POINTS" surekrig simulate --given m.model
fails 2 "--nu does not go with --given" surekrig simulate --given m.model test.csv --nu 1
fails 2 "--grid does not go with --given" surekrig simulate --given m.model --grid 10
fails 2 "--draws and --latent go with --given" surekrig simulate --grid 10 --draws 3
fails 2 "--draws takes" surekrig simulate --given m.model test.csv --draws 0
fails 2 "--seed" surekrig simulate --given m.model test.csv --seed -1
fails 2 "would replace" surekrig simulate --given m.model test.csv -o m.model
fails 2 "would replace" surekrig simulate --given m.model test.csv -o test.csv
fails 1 "nosuch.model" surekrig simulate --given nosuch.model test.csv -o z.csv
fails 1 "no column 'x1'" surekrig simulate --given m.model <(echo a,b) -o z.csv
