# Where outputs go: they replace what was there, follow links, keep permissions, and refuse what is no file.
make_model
ok surekrig predict m.model test.csv -o expected.csv
echo old >p.csv
chmod 640 p.csv
ok surekrig predict m.model test.csv -o p.csv
same p.csv expected.csv
equal "$(stat -c %a p.csv)" 640
mkdir far
echo old >far/p.csv
ln -s far/p.csv link.csv
ok surekrig predict m.model test.csv -o link.csv
[ -L link.csv ] || fail "the link is gone"
same far/p.csv expected.csv
fails 2 "would replace p.csv" surekrig predict m.model p.csv -o p.csv # its own input
fails 2 "would replace m.model" surekrig predict m.model test.csv -o m.model
fails 2 "one file" surekrig simulate --grid 10 -o one.csv --holdout one.csv

mkfifo pipe
timeout 20 cat pipe >piped.csv &
ok timeout 20 surekrig predict m.model test.csv -o pipe
wait $!
same piped.csv expected.csv
[ -p pipe ] || fail "the pipe is gone"

for command in "predict m.model test.csv" "simulate --grid 50"; do
    fails 1 "cannot write nosuch/z: No such file or directory" surekrig $command -o nosuch/z
    fails 1 "far" surekrig $command -o far
    fails 2 "the name that --output gives is empty" surekrig $command -o ""
done
fails 1 "nosuch/b.csv" surekrig simulate --grid 50 -o a.csv --holdout nosuch/b.csv # neither file appears

# endings of what is not written are refused, before anything is done
for name in p.xlsx P.XLSX p.csv.gz p.parquet p.json p.tsv; do
    fails 1 "a table is not written as .${name##*.}; .csv and .npy are" surekrig predict m.model test.csv -o $name
done
fails 1 "a table is not written as .xlsx" surekrig simulate --grid 50 -o s.csv --holdout h.xlsx
for name in p.txt p.CSV p.v1.2 p p. xlsx ./.hidden; do
    ok surekrig predict m.model test.csv -o $name
    same $name expected.csv
done
