# No output replaces what is read, however either is named, nor another output: each is refused before any work.
make_model
cp train.csv tt.csv
cp test.csv pp.csv
cp m.model tt.model
replaces() { fails 2 "would replace" surekrig "$@"; } # COMMAND...
one_file() { fails 2 "would be one file" surekrig "$@"; }

replaces simulate tt.csv -o tt.csv
replaces simulate pp.csv -o z.csv --holdout pp.csv
replaces simulate --given tt.model pp.csv -o tt.model
replaces cv tt.model -o ./tt.model
for output in tt.csv ./tt.csv "$PWD/tt.csv"; do # by a pattern
    replaces fit 't?.csv' -o "$output" $GIVEN
    replaces krige 't?.csv' pp.csv -o "$output"
    replaces variogram 't?.csv' -o "$output"
done
ln tt.csv hard.csv
ln -s tt.csv soft.csv
replaces fit 't?.csv' -o hard.csv $GIVEN
replaces fit 't?.csv' -o soft.csv $GIVEN
rm hard.csv soft.csv
replaces fit tt.csv --targets 'p?.csv' -o pp.csv $GIVEN
replaces predict tt.model 'p?.csv' -o pp.csv
replaces predict 't?.model' pp.csv -o pp.csv
replaces krige tt.csv 'p?.csv' -o pp.csv
replaces krige 't?.csv' pp.csv -o z.csv --model tt.csv
replaces krige tt.csv 'p?.csv' -o z.csv --model pp.csv

# names that follow from the output's
awk -F, 'NR == 1 { print "x,z,w"; next } { print $1 "," $2 "," $2 + $1 }' tt.csv >tt-z
replaces fit tt-z -y z,w --each -o tt $GIVEN
ok surekrig fit tt-z -y z,w --each -o zz $GIVEN
surekrig simulate --grid 9x9 -o plane.csv
cp plane.csv a.gp.dat
cp plane.csv b.gp
if command -v gnuplot >/dev/null; then
    replaces plot map a.gp.dat -o a.svg --script
    replaces plot map b.gp -o ./b.png --script
    replaces variogram a.gp.dat -o "$PWD/a.svg" --script
    ok surekrig plot map a.gp.dat -o a.svg
    same a.gp.dat plane.csv
fi

# two outputs in one file
mkdir dd
ln -s q3.csv link.csv
one_file simulate --grid 20 -o ./q1.csv --holdout q1.csv
one_file simulate --grid 20 -o dd/../q2.csv --holdout q2.csv
one_file simulate --grid 20 -o link.csv --holdout q3.csv
one_file simulate --grid 20 -o "$PWD/q3.csv" --holdout dd/../link.csv
one_file krige tt.csv pp.csv -o ./z9.csv --model z9.csv
ok surekrig simulate --grid 20 -o dd/q1.csv --holdout q1.csv
rows q1.csv 11
rows dd/q1.csv 11
ok surekrig simulate --grid 20 -o /dev/null --holdout q1.csv

# standard output is a file by the shell alone
in_stdout() { # SENTENCE COMMAND...: with standard output in ww, which holds the test's rows
    local sentence=$1 status=0
    shift
    cp pp.csv ww
    surekrig "$@" >>ww 2>"$err" || status=$?
    [ $status -eq 2 ] && grep -qF "$sentence" "$err" || tell_and_fail "status $status"
    same ww pp.csv
}
in_stdout "standard output goes into a file that is read" predict tt.model ww
in_stdout "standard output goes into a file that is read" predict tt.model ./w?
in_stdout "the model and standard output would be one file, ww" krige tt.csv pp.csv --model ww
in_stdout "the model and standard output would be one file, /dev/stdout" krige tt.csv pp.csv --model /dev/stdout
in_stdout "would be one file, ./ww" cv tt.model -o ./ww
in_stdout "would be one file, ww" simulate --grid 20 --holdout ww
in_stdout "the residuals and standard output would be one file, /dev/fd/1" cv tt.model -o /dev/fd/1
in_stdout "the predictions and standard output would be one file, /proc/self/fd/1" \
    predict tt.model pp.csv -o /proc/self/fd/1
in_stdout "the model and standard output would be one file, /dev/stdout" fit tt.csv -o /dev/stdout
cp pp.csv ww
fails 2 "standard output goes into a file that is read" sh -c 'surekrig predict tt.model - <ww >>ww'
same ww pp.csv
fails 2 "/dev/fd/3 is a file that is open already: give the residuals a name of its own" \
    sh -c 'surekrig cv tt.model -o /dev/fd/3 3>>ww'
same ww pp.csv
surekrig predict tt.model pp.csv -o >(cat >piped.csv)
ok surekrig predict tt.model pp.csv -o named.csv
sleep 0.5
same piped.csv named.csv
surekrig predict tt.model pp.csv -o /dev/stdout >shell.csv
same shell.csv named.csv

# what is both read and written in a way that loses nothing stays allowed
ok surekrig fit pp.csv --from tt.model -o tt.model --quiet
