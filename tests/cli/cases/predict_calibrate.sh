# Points in a gap: predict says that they are beyond what was tested, and --calibrate sets intervals for them.
ok surekrig simulate --grid 50x50 --nu 1 --rho 0.2 --tau2 0.01 --seed 3 -o field.csv -q
awk -F, 'NR == 1 || ($1 - 0.5) ^ 2 + ($2 - 0.5) ^ 2 > 0.06' field.csv >train.csv
awk -F, 'NR == 1 || ($1 - 0.5) ^ 2 + ($2 - 0.5) ^ 2 <= 0.06' field.csv >gap.csv
ok surekrig fit train.csv -o m.model -q
ok surekrig predict m.model gap.csv -o plain.csv
says "points have less to go by than those whose errors fit told"
ok surekrig predict m.model train.csv -o near.csv
silent
ok surekrig predict m.model gap.csv -o asked.csv --calibrate
says "points left out"
ok surekrig predict m.model gap.csv -o again.csv --calibrate -q
silent
same asked.csv again.csv
same <(column mean plain.csv) <(column mean asked.csv)
differ <(column sd plain.csv) <(column sd asked.csv)
fails 2 "read twice" surekrig predict m.model - --calibrate
