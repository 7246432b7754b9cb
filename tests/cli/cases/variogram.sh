# The variogram: by hand from all pairs, the model's by its formula, in the model's own distances; pictures; refusals.
surekrig simulate --grid 20x15 --nu 0.5 --rho 0.3 --tau2 0.05 -o plane.csv
all_pairs() { # CUTOFF SCALE-X SCALE-Y TABLE VARIOGRAM [ROBUST]: classes of a fifteenth of the cutoff
    awk -F, -v cutoff=$1 -v sx=$2 -v sy=$3 -v robust="${6:-0}" '
        BEGIN { step = cutoff / 15 }
        FNR == 1 { next }
        FNR == NR { x[++n] = $1 / sx; y[n] = $2 / sy; z[n] = $3; next }
        FNR == 2 {
            for (i = 1; i <= n; i++) for (j = 1; j < i; j++) {
                h = sqrt((x[i] - x[j]) ^ 2 + (y[i] - y[j]) ^ 2); c = int(h / step); g = z[i] - z[j]; g = g < 0 ? -g : g
                if (c < 15) { pairs[c]++; distance[c] += h; sum[c] += robust ? sqrt(g) : g ^ 2 }
            }
        }
        { c = int($1 / step); rows++; N = pairs[c]
          want = robust ? (sum[c] / N) ^ 4 / (0.457 + 0.494 / N) / 2 : sum[c] / N / 2
          if ($2 != N || ($1 * N / distance[c] - 1) ^ 2 > 1e-18 || ($3 / want - 1) ^ 2 > 1e-18) { print "not so by hand: " $0; bad++ } }
        END { exit bad || rows < 10 }' "$4" "$5" || fail "$5 is not what all pairs of $4 give"
}
ok surekrig variogram plane.csv --cutoff 0.55 -o v.csv
silent
first_line v.csv distance,pairs,semivariance
all_pairs 0.55 1 1 plane.csv v.csv
ok surekrig variogram plane.csv --cutoff 0.55 --robust -o r.csv
all_pairs 0.55 1 1 plane.csv r.csv 1
ok surekrig variogram <(cat plane.csv) --cutoff 0.55
same "$out" v.csv

# a model: its data, and gamma2 (tau2 + 1 - correlation)
ok surekrig fit plane.csv -o m.model $GIVEN --gamma2 2
ok surekrig variogram m.model --cutoff 0.55 -o m.csv
says "distance, in the features' units"
same <(cut -d , -f 1-3 m.csv) v.csv
every 'a - 2 * (0.01 + 1 - exp(-b / 0.2)) < 1e-12 && 2 * (0.01 + 1 - exp(-b / 0.2)) - a < 1e-12' <(column model m.csv) <(column distance m.csv)
ok surekrig fit plane.csv -o g.model --kernel gaussian --rho 0.2 --tau2 0.1 --gamma2 1 --coverage none -q
ok surekrig variogram g.model -q -o g.csv
silent
every 'a - (1.1 - exp(-b * b / 0.08)) < 1e-12 && (1.1 - exp(-b * b / 0.08)) - a < 1e-12' <(column model g.csv) <(column distance g.csv)
# where each feature has a length scale, distances are in these
ok surekrig fit plane.csv -o a.model --nu 0.5 --rho 0.2,0.4 --tau2 0.01 --gamma2 1 --coverage none -q
ok surekrig variogram a.model --cutoff 2 -o a.csv
says "in the fitted metric, in length scales"
all_pairs 2 0.2 0.4 plane.csv a.csv
every 'a - (1.01 - exp(-b)) < 1e-12 && (1.01 - exp(-b)) - a < 1e-12' <(column model a.csv) <(column distance a.csv)
# on the sphere in km: a degree of latitude is 111 km
printf 'lon,lat,z\n0.001,0,1\n0,1,2\n0,2,4\n0,3,3\n' >earth.csv
ok surekrig fit earth.csv -o e.model --sphere lon,lat --nu 0.5 --rho 100 --tau2 0.01 --gamma2 1 --coverage none -q
ok surekrig variogram e.model --cutoff 150 -q
near "$(column distance "$out" | head -n 1)" 111.19 1e-3
equal "$(column pairs "$out" | head -n 1)" 3
# several responses, a trend, known noise
awk -F, -v OFS=, 'NR == 1 { print $0, "w"; next } { print $0, 3 * $3 + 10 * $1 }' plane.csv >two.csv
ok surekrig variogram two.csv -x x1,x2 -y y,w --cutoff 0.55
first_line "$out" distance,pairs,semivariance_y,semivariance_w
same <(cut -d , -f 1-3 "$out" | tail -n +2) <(tail -n +2 v.csv)
ok surekrig fit two.csv -x x1,x2 -y w -o t.model --mean trend --nu 0.5 --rho 0.2 --tau2 0.01 --coverage none -q
ok surekrig variogram t.model --cutoff 0.55 -q
every 'a < 2 * 9 * b' <(column semivariance "$out") <(column semivariance v.csv) # without the slope of 10
# more rows than pairs can be looked at: samples that agree
surekrig simulate --grid 120x100 --nu 0.5 --rho 0.1 -o many.csv
for seed in 1 2; do ok surekrig variogram many.csv --seed $seed -o s$seed.csv; done
says "10000 of the 12000 rows, drawn at random"
differ s1.csv s2.csv
every 'a / b < 1.1 && a / b > 0.9' <(column semivariance s1.csv) <(column semivariance s2.csv)

# the practical range in the summary
ok surekrig info m.model
grep -qE '^  practical range +0\.599146   where the correlation has fallen to 0\.05, in the features' "$out" || fail "no practical range"
ok surekrig info a.model
grep -qE '^  range_x1 +0\.599146 ' "$out" && grep -qE '^  range_x2 +1\.19829 ' "$out" || fail "no practical range of each feature"
ok surekrig info e.model
grep -qE '^  practical range +299\.573 .*, in km' "$out" || fail "no practical range in km"

fails 2 "--response goes with a table: a model has its data" surekrig variogram m.model -y y
fails 1 "no two points looked at are less than 1e-05 apart" surekrig variogram plane.csv --cutoff 1e-5
fails 1 "at least 2 are needed" surekrig variogram <(printf 'x,y\n1,2\n')
fails 2 "would replace plane.csv" surekrig variogram plane.csv -o plane.csv
fails 2 "--classes takes" surekrig variogram plane.csv --classes 0
fails 2 "a picture shows one response, and there are 2" surekrig variogram two.csv -x x1,x2 -y y,w -o z.png
if command -v gnuplot >/dev/null; then
    ok surekrig variogram m.model -o v.svg --script --title "a 'title'"
    grep -q "practical range" v.gp || fail "the range is not shown"
    ok surekrig variogram m.model
    same <(sed -n '2,/^$/p' v.gp.dat | grep -c .) <(tail -n +2 "$out" | wc -l)
    ok surekrig variogram plane.csv -o v.png
    [ "$(head -c 4 v.png | tail -c 3)" = PNG ] || fail "no picture"
fi

# degrees are told, and no option that there is not
awk 'BEGIN { srand(2); print "day,lon,lat,temp"; for (i = 0; i < 60; i++) printf "2024-01-%02d,%.3f,%.3f,%.3f\n", 1 + i % 28, 9 * rand(), 9 * rand(), rand() }' >degrees.csv
ok surekrig variogram degrees.csv -o degrees.out
says "surekrig variogram: distance in degrees, as in a plane; that of a model on the sphere is in km"
says "column day holds dates and is left out"
! grep -q -e --time "$err" || fail "an option that variogram does not have"

# what belongs to a picture needs one
for what in "--title T" --script; do
    fails 2 "${what% *} goes with a picture: -o NAME.png, .svg or .pdf makes one" surekrig variogram m.model $what
    fails 2 "${what% *} goes with a picture" surekrig variogram m.model $what -o v.csv
done
