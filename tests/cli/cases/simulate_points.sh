# A draw at the points of a file: its numeric columns are the coordinates, and come back with y behind them.
printf 'site,lon,lat\nA,0,1\nB,0.5,2\nC,3,3\nD,3,4\n' >sites.csv
ok surekrig simulate sites.csv --seed 7 -o drawn.csv
first_line drawn.csv "lon,lat,y"
rows drawn.csv 5
equal "$(column lat drawn.csv | tr '\n' ' ')" "1 2 3 4 "
ok surekrig simulate - --seed 7 <sites.csv
same "$out" drawn.csv
ok surekrig simulate sites.csv --seed 7 --threads 2
same "$out" drawn.csv
ok surekrig simulate sites.csv --seed 8
differ "$out" drawn.csv
ok surekrig simulate sites.csv --seed 7 --holdout odd.csv -o even.csv
equal "$(column lon odd.csv | tr '\n' ' ')" "0.5 3 "

fails 1 "nosuch.csv" surekrig simulate nosuch.csv -o z.csv
printf 'a,b\n1,2\n3,\n' >gap.csv
fails 1 "point 2" surekrig simulate gap.csv -o z.csv
printf 'a,b\n' >header.csv
fails 1 "" surekrig simulate header.csv -o z.csv
printf 'a,b\nfoo,bar\n' >words.csv
fails 1 "words.csv" surekrig simulate words.csv -o z.csv
seq 9000 >many.csv
fails 1 "more than 8192 points" surekrig simulate many.csv -o z.csv
