# Features that share a length scale, and features that are hardly ones.
quick="--batch 100 --neighbors 15"
awk 'BEGIN { srand(4); print "x,day,y,u,v,temp"
    for (i = 0; i < 300; i++) { x = 100 * rand(); y = 40 * rand(); t = rand(); u = rand(); v = rand()
        printf "%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n", x, t, y, u, v, sin(x / 15) + cos(y / 15) + sin(3 * t) + u * v + 0.05 * rand() } }' >t.csv
ok surekrig fit t.csv -o m.model $quick --group "x,y;u,v"
says "  rho_x_y "
says "  rho_u_v "
says "  rho_day "
says "distances  x, y have one length scale"
says "distances  u, v have one length scale"
ok surekrig info m.model
grep -q "rho_x_y" "$out" || fail "the group is not in the file"
ok surekrig cv m.model
prints "by distance to the nearest datum used, in length scales, each feature's about its own"
make_plane
ok surekrig fit plane.csv -o plane.model --anisotropic yes $QUICK -q # length scales that are alike: the metric stays
ok surekrig cv plane.model
prints "by distance to the nearest datum used, each feature divided by its extent in the data"
awk 'BEGIN { srand(6); print "a,b,c,d,e,f,z"
    for (i = 0; i < 300; i++) { for (j = 0; j < 6; j++) { x[j] = rand(); printf "%.4f,", x[j] }
        printf "%.4f\n", sin(5 * x[0]) + cos(4 * x[3]) + x[1] + x[2] * x[4] + x[5] } }' >wide.csv
ok surekrig fit wide.csv -o wide.model $quick --group a,d
grep -qE "^relevance .*a, d [0-9]" "$err" || fail "no relevance of the group"
awk -F, -v OFS=, '{ print NR == 1 ? "größe" : cos(9 * NR), NR == 1 ? "useless" : sin(7 * NR * NR), $1, $4, $5, sin(5 * $1) + cos(4 * $4) + $5 }' wide.csv |
    sed '1s/[^,]*$/z/' >letters.csv # names of letters with two bytes stand in line
ok surekrig fit letters.csv -o letters.model $quick
equal "$(grep "^  rho_gr" "$err" | awk '{ print index($0, $2) + length($2) - 2 }')" \
    "$(grep "^  rho_a" "$err" | awk '{ print index($0, $2) + length($2) }')" # in bytes
says "count in distances no more, as they do not help:"
fails 1 "there is no feature 'nosuch'" surekrig fit t.csv -o z.model --group x,nosuch
fails 1 "'x' is alone: a group is two features or more" surekrig fit t.csv -o z.model --group x
fails 1 "'u' is named twice: a feature has one length scale" surekrig fit t.csv -o z.model --group "x,u;u,v"
fails 1 "in sphere = 'x,y' and in group" surekrig fit t.csv -o z.model --sphere x,y --group x,u
fails 1 "nu = 0.5 is of no use with kernel = gaussian" surekrig fit t.csv -o z.model --kernel gaussian --nu 0.5
# a copy of a feature, a constant one, more features than rows
awk -F, '{ print $1 (NR == 1 ? "2" : "") "," $0 }' t.csv >copy.csv
ok surekrig fit copy.csv -o copy.model $quick
says "x is a copy of x2, perhaps in another unit: one of them would do"
fails 1 "trend" surekrig fit copy.csv -o z.model $quick --mean trend
awk -F, '{ print (NR == 1 ? "same" : "7") "," $0 }' t.csv >constant.csv
fails 1 "same is constant (7 in all 300 rows): it tells nothing about distances; leave it out" \
    surekrig fit constant.csv -x same,x,day,y,u,v -o z.model
ok surekrig fit t.csv -o plain.model $quick --time day
ok surekrig predict plain.model t.csv -o plain.out
ok surekrig fit constant.csv -o dropped.model $quick --time day # without being named it is no feature
says "column same is 7 in all rows and left out"
ok surekrig predict dropped.model constant.csv -o dropped.out
same plain.out dropped.out
head -n 5 wide.csv >few.csv
ok surekrig fit few.csv -o few.model --coverage none
says "6 features and 4 rows: which features matter can hardly be told"
says "note       4 rows are few to learn from: intervals are wide, those of Student's t with 3 degrees of freedom"
ok surekrig fit few.csv -o few.model --coverage none --interval gaussian
says "note       4 rows are few to learn from: intervals are often too narrow"
