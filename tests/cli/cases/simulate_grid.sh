# A draw on a grid: its points, its options, its files.
ok surekrig simulate --grid 11 --lower -1 --upper 1 -o line.csv
silent
prints_nothing
first_line line.csv "x1,y"
rows line.csv 12
equal "$(column x1 line.csv | sed -n '1p;6p;11p' | tr '\n' ' ')" "-1 0 1 "

ok surekrig simulate --grid 5x3 --lower 0,10 --upper 4,12 -o plane.csv
first_line plane.csv "x1,x2,y"
column x1 plane.csv >x1
column x2 plane.csv >x2
every 'a == int((NR - 1) / 3) && b == 10 + (NR - 1) % 3' x1 x2 # the second axis fastest

ok surekrig simulate --grid 5x3 --lower 0,10 --upper 4,12 # standard output
same "$out" plane.csv
ok surekrig simulate --grid=5x3 --lower=0,10 --upper=4,12 -o -
same "$out" plane.csv

# every other point to the holdout: together, in turn, they are the whole draw
ok surekrig simulate --grid 301 --seed 5 -o whole.csv
ok surekrig simulate --grid 301 --seed 5 -o even.csv --holdout odd.csv
rows even.csv 152
rows odd.csv 151
{ head -n 1 even.csv && paste -d '\n' <(tail -n +2 even.csv) <(tail -n +2 odd.csv); } | sed '/^$/d' >together.csv
same together.csv whole.csv

# the same seed and any threads: the same bytes; another seed: another draw
ok surekrig simulate --grid 301 --seed 5 --threads 1 -o one.csv
ok surekrig simulate --grid 301 --seed 5 --threads 2 -o two.csv
same one.csv whole.csv
same two.csv whole.csv
ok surekrig simulate --grid 301 --seed 6 -o other.csv
differ other.csv whole.csv
ok surekrig simulate --grid 40x50 --threads 1 -o one.csv
ok surekrig simulate --grid 40x50 --threads 2 -o two.csv
same one.csv two.csv

# four times the variance is twice the field; the default nu is 0.5; an infinite nu is possible
ok surekrig simulate --grid 301 --seed 5 --gamma2 4 --nu 0.5 -o twice.csv
every 'a == 2 * b' <(column y twice.csv) <(column y whole.csv)
ok surekrig simulate --grid 300 --nu inf --rho 0.05
ok surekrig simulate --grid 30x20 --rho 0.1,0.3
ok surekrig simulate --grid 1
rows "$out" 2

# three axes, the last the fastest: values far apart along an axis differ, near ones do not
ok surekrig simulate --grid 6x5x40 --lower 0,10,0 --upper 5,14,1 --nu 1.5 --rho 1,1,0.2 --seed 2 -o block.csv
first_line block.csv "x1,x2,x3,y"
column x1 block.csv >x1
column x2 block.csv >x2
column x3 block.csv >x3
every 'a == int((NR - 1) / 200) && b == 10 + int((NR - 1) / 40) % 5 && (c - (NR - 1) % 40 / 39) ^ 2 < 1e-20' x1 x2 x3
awk -F, 'NR > 1 { v += $4 ^ 2; if ($3 > 0) d += ($4 - last) ^ 2; last = $4 } END { exit !(v / 1200 > 0.6 && v / 1200 < 1.5 && d / 1170 > 0.036 && d / 1170 < 0.05) }' block.csv ||
    fail "not that field"
ok surekrig simulate --grid 6x5x4 --times 3 -o times.csv
first_line times.csv "x1,x2,x3,t,y"
rows times.csv 361
fails 2 "--lower takes three numbers, as 0,0,0" surekrig simulate --grid 5x4x3 --lower 0,0
fails 2 "as 10000, 500x300 or 60x40x30" surekrig simulate --grid 5x4x3x2
fails 2 "--rho takes a length, or one for each axis" surekrig simulate --grid 5x4x3 --rho 1,2

# NPY: 128 bytes of header, then doubles
ok surekrig simulate --grid 301 --seed 5 -o whole.npy
equal "$(stat -c %s whole.npy)" $((128 + 301 * 2 * 8))
equal "$(head -c 6 whole.npy | tail -c 5)" NUMPY
