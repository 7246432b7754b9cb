# Values that are equal over wide parts, as where no rain falls: no sd is larger than what the values span.
awk 'BEGIN {srand(9); print "a,b"; for (i = 0; i < 900; i++) print rand() "," rand()}' >points.csv
ok surekrig simulate points.csv --nu 1.5 --rho 0.15 --seed 9 -o field.csv -q
awk -F, -v OFS=, 'NR == 1 {print "a,b,wet"; next} {print $1, $2, ($3 > 0.8)}' field.csv >all.csv
head -n 600 all.csv >train.csv
{ head -n 1 all.csv; tail -n 300 all.csv; } | cut -d, -f1,2 >places.csv
ok surekrig krige train.csv places.csv -o out.csv -q
every 'a > 0 && a < 1' <(column sd out.csv)
