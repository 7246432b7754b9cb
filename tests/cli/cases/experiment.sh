# A study from one command: its files, its trials' log, resuming after any end, refusals.
study() { surekrig experiment synthetic $QUICK_STUDY --cases 0.135,0.965 "$@"; }
timeless() { # trials without the two columns of seconds, in order
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /seconds/) drop[i] = 1 } { for (i in drop) $i = ""; print }' "$1" | sort
}
ok study --trials 2 -o whole
says "28 trials"
rows whole/trials.csv 29
first_line whole/settings.txt "surekrig $(surekrig --version | cut -d ' ' -f 2)"
[[ $(head -n 1 whole/trials.csv) == case,loss,preset,trial,seed,data_seed,nu,rho,tau2,gamma2,mean,mae,rmse,cov,crps,int,* ]] || fail "columns"
json whole/table.json
grep -q '^| MM | in the paper | ' whole/table.md || fail "the paper's figures are not in table.md"
grep -q '</html>' whole/report.html || fail "the report has no end"
! grep -qE '(src|href)="?(https?:)?//' whole/report.html || fail "the report refers to the network"
every 'a >= 0 && a <= 1' <(column cov whole/trials.csv)
every 'a == b' <(column cov whole/trials.csv) <(column cov_0.95 whole/trials.csv) # the curve goes through the score
if command -v gnuplot >/dev/null; then [ -s whole/figures/coverage.png ] && [ -s whole/figures/coverage.svg ] || fail "no figure"; fi

# the same bits on any number of threads; more trials add to those there are; a case alone gives the same rows
ok study --trials 1 -o again --threads 1
rows again/trials.csv 15
ok study --trials 2 -o again --threads 2
diff <(timeless whole/trials.csv) <(timeless again/trials.csv) || fail "trials differ by how they were run"
ok surekrig experiment synthetic $QUICK_STUDY --cases 0.965 --presets paper --trials 1 -o one
rows one/trials.csv 4
grep -qFf <(grep ^0.965,mm,paper,1, one/trials.csv | cut -d , -f 1-17) whole/trials.csv || fail "a trial depends on the others"
cp whole/trials.csv before
ok study --trials 2 -o whole # nothing left to do
same whole/trials.csv before

# a row cut short, as by a power failure, is dropped and done again
head -c -40 whole/trials.csv >cut && cp cut whole/trials.csv
ok study --trials 2 -o whole
diff <(timeless before) <(timeless whole/trials.csv) || fail "the cut trial differs"

# other data, other half
ok study --trials 1 --fresh-data -o fresh
ok study --trials 1 --random-half -o random
differ fresh/settings.txt random/settings.txt
first() { grep ^0.135,lool,default,1, "$1" | cut -d , -f 5-17; }
equal "$(first fresh/trials.csv)" "$(first whole/trials.csv)" # the first fresh data are the shared ones

# a setting equal to its default is passed on: it undoes the preset's
ok surekrig experiment synthetic $QUICK_STUDY --cases 0.965 --presets paper,budget --trials 1 -o aided --aids all
grep -q '^settings.* aids=all' aided/settings.txt || fail "a default that was given is not among the settings"
equal "$(grep ^0.965,mm,paper, aided/trials.csv | cut -d , -f 5-17)" "$(grep ^0.965,mm,budget, aided/trials.csv | cut -d , -f 5-17)"
differ <(grep ^0.965,mm,paper, aided/trials.csv | cut -d , -f 5-17) <(grep ^0.965,mm,paper, one/trials.csv | cut -d , -f 5-17)

# wrong models: LOOL scaled afterwards has LOOL's theta, and covers what was asked of the batch; conformal, it has LOOL's sd
ok surekrig experiment misspecified $QUICK_STUDY --cases variance --presets default,widths --trials 1 -o wrong
row() { grep "^variance,$1," wrong/trials.csv | cut -d , -f "$2"; }
equal "$(row scaled 7-9)" "$(row lool 7-9)"
equal "$(row conformal 7-13)" "$(row lool 7-13)"
batch=$(head -n 1 wrong/trials.csv | tr , '\n' | grep -nx batch_cov | cut -d : -f 1)
differ <(row scaled 10) <(row lool 10)
awk -v cov="$(row scaled "$batch")" 'BEGIN { exit !(cov > 0.93 && cov < 0.97) }' || fail "scaled LOOL covers $(row scaled "$batch") of the batch"

# refusals
fails 2 "there is no study 'nosuch'" surekrig experiment nosuch -o z
fails 2 "has no case '0.5'; it has 0.135,0.425,0.635,0.965" surekrig experiment synthetic --cases 0.135,0.5 -o z
fails 2 "has no preset 'fast'; it has default,paper" surekrig experiment synthetic --presets fast -o z
fails 2 "choose by --presets paper" surekrig experiment synthetic --preset paper -o z
fails 2 "--trials takes a whole number" surekrig experiment synthetic --trials 0 -o z
fails 2 "needs its data: --train CSV and --test CSV" surekrig experiment temperature -o z
fails 2 "makes its own data" surekrig experiment synthetic --train a.csv -o z
fails 2 "there is nothing to draw" surekrig experiment temperature --train a.csv --test b.csv --fresh-data -o z
fails 1 "nosuch.csv" surekrig experiment temperature --train nosuch.csv --test nosuch.csv -o z
fails 2 "holds trials under other settings ('settings neighbors=10 batch=60 " surekrig experiment synthetic --points 200 --batch 50 --trials 1 -o whole
sed -i 's/^surekrig .*/surekrig 0.0.9/' one/settings.txt
fails 2 "('surekrig 0.0.9' in its settings.txt" surekrig experiment synthetic $QUICK_STUDY -o one
sed -i '1s/,mae,/,MAE,/' fresh/trials.csv
fails 1 "has other columns than this version writes" study --trials 1 --fresh-data -o fresh
sed -i '3s/,[^,]*$/,word/' random/trials.csv
fails 1 "random/trials.csv, line 3: not a row of this version's trials" study --trials 1 --random-half -o random
rm again/settings.txt
fails 1 "trials.csv is there without its settings.txt" study --trials 2 -o again
echo >file
fails 1 "cannot make the directory file" study -o file
fails 1 "cannot make the directory nosuch/z: No such file or directory" study -o nosuch/z
