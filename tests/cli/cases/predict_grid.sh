# predict --grid: the centers of cells, as if they came from a file; refusals.
make_plane
surekrig fit plane.csv -o m.model $GIVEN
ok surekrig predict m.model --grid 0,0,1,0.5,0.25 -o grid.csv
silent
{ echo x1,x2; for y in 0.375 0.125; do for x in 0.125 0.375 0.625 0.875; do echo $x,$y; done; done; } >centers.csv
ok surekrig predict m.model centers.csv -o points.csv
same grid.csv points.csv
ok surekrig predict m.model --grid 0,0,1,0.5,0.25 -o grid.npy
ok surekrig predict m.model centers.csv -o points.npy
same grid.npy points.npy
ok surekrig predict m.model --grid=-1,-1,0.1,0.05,0.5 --mean-only # covers the box: 3 x 3, to 0.5 and 0.5
equal "$(cut -d , -f 1,2 "$out" | tail -n +2 | tr '\n' ' ')" "-0.75,0.25 -0.25,0.25 0.25,0.25 -0.75,-0.25 -0.25,-0.25 0.25,-0.25 -0.75,-0.75 -0.25,-0.75 0.25,-0.75 "
ok surekrig predict m.model --grid 0,0,1,1,0.003 -o many.csv # more than one batch
rows many.csv $((334 * 334 + 1))
column x2 many.csv | awk 'NR > 1 && $1 > last { exit 1 } { last = $1 }' || fail "rows do not go down"
ok surekrig predict m.model --grid 0,0,0.3,0.3,0.1 # 0.3 / 0.1 is a little less than 3
rows "$out" 10
equal "$(awk -F, 'NR > 1 { printf "%.2f %.2f;", $1, $2 }' "$out" | cut -d ';' -f 1,9)" "0.05 0.25;0.25 0.05"

# cells that are not square
ok surekrig predict m.model --grid 0,0,1,0.6,0.5,0.2 -o grid.csv
{ echo x1,x2; for y in 0.5 0.3 0.1; do for x in 0.25 0.75; do echo $x,$y; done; done; } >centers.csv
equal "$(awk -F, '{ print $1 + 0 "," $2 + 0 }' grid.csv | tail -n +2)" "$(tail -n +2 centers.csv)"
fails 2 "the step be above 0" surekrig predict m.model --grid 0,0,1,1,0.1,0

make_model # one feature
ok surekrig predict m.model --grid 0,1,0.25
equal "$(column x1 "$out" | tr '\n' ' ')" "0.125 0.375 0.625 0.875 "

fails 1 "--grid has 2 coordinates, the model 1 feature: x1; POINTS may be a table with all of them" surekrig predict m.model --grid 0,0,1,1,0.1 -o z.csv
fails 2 "give either POINTS or --grid" surekrig predict m.model
fails 2 "give either POINTS or --grid" surekrig predict m.model test.csv --grid 0,1,0.1
fails 2 "--noise goes with POINTS" surekrig predict m.model --grid 0,1,0.1 --noise s
for bad in "" 1 0,1 0,1,0.1,2 0,0,1,1,0.1,5,6 0,1,x "0,1 0.1" 0,nan,0.1 0,inf,0.1 0,1,; do
    fails 2 "--grid takes xmin,ymin,xmax,ymax,step" surekrig predict m.model --grid "$bad"
done
fails 2 "the box must end above where it begins" surekrig predict m.model --grid 1,0,0.1
fails 2 "the box must end above where it begins" surekrig predict m.model --grid 0,1,0
fails 2 "the box must end above where it begins" surekrig predict m.model --grid 0,1,-1
fails 2 "more than 1e+09 cells: a step of at least 1e-09 is needed" surekrig predict m.model --grid 0,1,1e-15
fails 2 "more than 1e+09 cells: a step of at least 3.16e-05 is needed" surekrig predict m.model --grid 0,0,1,1,1e-200
fails 2 "more than 1e+09 cells: a step of at least 1e+09 is needed" surekrig predict m.model --grid 0,0,1e-12,1e18,1
fails 2 "more than 1e+09 cells: a step of at least 1e+03 is needed" surekrig predict m.model --grid 0,0,1e12,0.001,1
