# Fields in space and time: a grid that remembers as an autoregression, and points with a time.
ok surekrig simulate --grid 20x15 --times 300 --time-rho 9.4912 --nu 1.5 --rho 0.1 --tau2 0.25 --seed 3 -o cube.csv
[ "$(head -n 1 cube.csv)" = "x1,x2,t,y" ] || fail "columns: $(head -n 1 cube.csv)"
# z_t = 0.9 z_(t-1) + ..., and a nugget that remembers nothing: variance 1.25, 0.9 from one time to the next
awk -F, 'NR > 1 { i = (NR - 2) % 300; v += $4 * $4; n++; if (NR > 301) { c += $4 * last[i]; m++ } last[i] = $4 }
    END { v /= n; c /= m; exit !(v > 1.05 && v < 1.45 && c > 0.75 && c < 1.05 && v - c > 0.3 && v - c < 0.4) }' cube.csv || fail "not that autoregression"
ok surekrig simulate --grid 20x15 --times 2 --time-rho 9.4912 --nu 1.5 --rho 0.1 --seed 3
head -n 301 "$out" >short
ok surekrig simulate --grid 20x15 --nu 1.5 --rho 0.1 --seed 3
diff <(cut -d, -f1,2,4 short) "$out" || fail "the first time is not a draw in space"
# at points: time has its own length scale, and dates stay dates
awk 'BEGIN { OFS = ","; print "x,z,day"; for (i = 0; i < 200; i++) print i % 10 / 10, int(i / 10) % 4 / 4, "2024-01-0" 1 + int(i / 40) }' >p.csv
ok surekrig simulate p.csv --time day --rho 0.3 --time-rho 1e6 -o still.csv
awk -F, 'NR > 1 { i = (NR - 2) % 40; if (NR > 41 && ($4 - first[i]) ^ 2 > 1e-3) exit 1; if (NR <= 41) first[i] = $4 }' still.csv || fail "a field that never forgets has changed"
grep -q ",2024-01-05," still.csv || fail "no dates"
ok surekrig simulate p.csv --time day --rho 0.3 --time-rho 2 --time-nu 1.5 --time-mix 1 -o mixed.csv
fails 2 "--times goes with --grid" surekrig simulate p.csv --times 3
# smoother in time, and Gneiting's: Matérn of 1.5 keeps (1 + s) exp(-s) of it, s = sqrt(3) / 3 at one step
ok surekrig simulate --grid 16x15 --times 200 --time-rho 3 --time-nu 1.5 --nu 1.5 --rho 0.1 --seed 3 -o smooth.csv
first_line smooth.csv "x1,x2,t,y"
awk -F, 'NR > 1 { i = (NR - 2) % 240; v += $4 * $4; n++; if (NR > 241) { c += $4 * last[i]; m++ } last[i] = $4 }
    END { v /= n; c /= m; exit !(v > 0.9 && v < 1.1 && c / v > 0.87 && c / v < 0.905) }' smooth.csv || fail "not that smooth"
ok surekrig simulate --grid 12x9 --times 8 --time-rho 3 --time-mix 1 --nu 1.5 --rho 0.1 -o mixed.csv
rows mixed.csv 865
fails 2 "--time-nu goes with --times N or --time COLUMN" surekrig simulate --grid 5 --time-nu 1
fails 2 "--time-mix goes with --times N or --time COLUMN" surekrig simulate p.csv --time-mix 1
fails 2 "go with a grid of one or two axes" surekrig simulate --grid 5x5x5 --times 3 --time-nu 1
fails 2 "--time goes with a file of POINTS" surekrig simulate --grid 5x5 --time x
fails 2 "--time-rho goes with" surekrig simulate --grid 5 --time-rho 1
fails 1 "has no column hour" surekrig simulate p.csv --time hour
