# Ctrl-C while a command waits: for an input that says nothing, for a reader that does not read.
make_model
{ echo x1 && seq 0 0.00002 1; } >points.csv
mkfifo silence deaf
sleep 60 >silence &
sleep 60 <deaf &
trap 'kill %1 %2 2>/dev/null || true' EXIT
interrupted_by INT 130 surekrig fit - -o z.model <silence
interrupted_by INT 130 surekrig predict m.model - -o z.csv <silence
interrupted_by INT 130 surekrig simulate --grid 50000 -o deaf
interrupted_by INT 130 surekrig predict m.model points.csv --mean-only -o deaf
