# On a terminal a long training shows a bar, which is gone at its end; not with --quiet, and never where no terminal is.
command -v script >/dev/null || skip "there is no 'script' to make a terminal"
script -qec true /dev/null >/dev/null 2>&1 || skip "no terminal can be made here"
surekrig simulate --grid 4000 --rho 0.2 --tau2 0.01 -o train.csv
slow="--preset coverage --seconds 0.9 --rounds 1 --evaluations 1000 --batch 4000 --neighbors 100"
bar=$'\r\e[K' # back to the line's begin, and the line emptied
ok script -qec "surekrig fit train.csv -o m.model $slow" /dev/null
prints "${bar}training   ["
prints " evaluations"
prints "${bar}4000 points, 1 feature (x1)" # the summary comes after the bar is gone
ok script -qec "surekrig fit train.csv -o m.model $slow --quiet" /dev/null
prints_nothing
ok surekrig fit train.csv -o m.model $slow
[[ $(<"$err") != *$'\e'* ]] || fail "a bar where no terminal is"
# The line is never wider than the terminal, less the last column, on which it might go on to a second line.
fits() { # COLUMNS: the widest line shown among the bars in $out
    tr '\r' '\n' <"$out" | grep -aF $'\e[K' | grep -av 'points\|trials,' | sed 's/.*\x1b\[K//' |
        awk -v most="$1" '{ if (length > widest) widest = length } END { exit !(widest > 0 && widest < most) }' ||
        fail "a line of progress does not fit into $1 columns"
}
slow="--preset coverage --seconds 0.9 --rounds 1 --evaluations 1000 --batch 4000 --neighbors 100 --tolerance 0.0001"
for columns in 3 20 30 56 80 200; do
    ok script -qec "stty cols $columns; surekrig fit train.csv -o m.model $slow" /dev/null
    fits $columns
    [ $columns -lt 80 ] || prints " evaluations"
done
ok script -qec "stty cols 100; COLUMNS=31 surekrig fit train.csv -o m.model $slow" /dev/null
fits 31
ok script -qec "stty cols 34; surekrig experiment synthetic --trials 2 --cases 0.135 $QUICK_STUDY -o study" /dev/null
fits 34
