# Numbers that are something else to the C library, or to a file system.
for grid in 0x5 0x10x4 5x0x10 0X5 5X5 5x 5x5x5x5; do
    fails 2 "--grid takes a number of points" surekrig simulate --grid $grid --rho 0.2 -o z.csv
done
ok surekrig simulate --grid 3x5 --rho 0.2 -o small.csv
rows small.csv 16

# vast length scales: all correlations are 1
surekrig simulate --grid 60x50 --rho 0.2 --tau2 0.01 -o train.csv
for rho in 1e50 1e120; do
    ok surekrig fit train.csv -o vast.model --rho $rho --nu 1.3 --tau2 0.01 --coverage none -q
    ok surekrig predict vast.model train.csv -o $rho.csv
done
same 1e50.csv 1e120.csv

# who replaces a file leaves it to its owner
if [ "$(id -u)" -eq 0 ] && touch owned.csv && chown 1234:5678 owned.csv; then
    ok surekrig simulate --grid 3x5 --rho 0.2 -o owned.csv
    equal "$(stat -c %u:%g owned.csv)" 1234:5678
fi
