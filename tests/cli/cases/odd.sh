# Odd but right: paths that begin with two slashes, a nugget of minus zero, many responses, many threads, points on a walk
# out and back.
make_model
ok surekrig info "//$PWD/m.model"
ok surekrig info "./m.model"
cp m.model 'a?b#c%20.model'
ok surekrig info 'a?b#c%20.model'
ok surekrig fit train.csv -o zero.model --nu 0.5 --rho 0.1 --tau2=-0 --coverage none
ok surekrig info zero.model

awk 'BEGIN { for (j = 0; j <= 70; j++) printf "%s%s", j ? ",y" j : "x", j < 70 ? "" : "\n"
             for (i = 0; i < 30; i++) for (j = 0; j <= 70; j++) printf "%s%s", j ? "," sin(i / 5 + j) : i, j < 70 ? "" : "\n" }' >many.csv
names=$(head -n 1 many.csv | cut -d , -f 2-)
ok surekrig fit many.csv -x x -y "$names" -o many.model --nu 0.5 --rho 5 --tau2 0.1 --coverage none --threads 4096
ok surekrig score many.model many.csv
equal "$(grep -c CRPS "$out")" 70
tail -n +2 many.csv >bare.csv
fails 1 "has no column 'y1'" surekrig score many.model bare.csv

awk -v OFS=, 'BEGIN { print "x,y"; for (i = 0; i < 60000; i++) print (i < 30000 ? i : 60000.5 - i), sin(i / 3000) }' >walk.csv
ok surekrig fit walk.csv -o walk.model --nu 0.5 --rho 3000 --tau2 0.01 --coverage none
