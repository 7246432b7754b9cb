# predict --keep: columns of the points beside their predictions, text and numbers as they stand, in any form of CSV.
make_model
ok surekrig predict m.model test.csv -o expected.csv
awk -F, 'NR == 1 { print "id;x1;note;y"; next }
    { printf "%04d;%s;%s;%s\n", NR, $1, NR % 3 ? "plain" : NR % 2 ? "\"a; \"\"b\"\", c\"" : "d, \"e\"", NR % 5 ? $2 : "" }' test.csv >wide.csv
ok surekrig predict m.model wide.csv --keep id,note -o kept.csv
first_line kept.csv id,note,x1,mean,sd,lower,upper
equal "$(sed -n 2p kept.csv | cut -d , -f 1,2)" "0002,plain"
equal "$(sed -n 3p kept.csv | grep -o '^0003,"a; ""b"", c",')" '0003,"a; ""b"", c",'
equal "$(sed -n 6p kept.csv | grep -o '^0006,"d, ""e""",')" '0006,"d, ""e""",'
same <(sed 's/^[0-9]*,\("[^.]*",\|plain,\)//; s/^id,note,//' kept.csv) expected.csv
equal "$(cut -c 1-5 kept.csv | cksum)" "$(cut -d \; -f 1 wide.csv | sed 's/$/,/; s/^id,$/id,no/' | cksum)" # in the same order
ok surekrig predict m.model wide.csv --keep all --mean-only
first_line "$out" id,note,y,x1,mean
equal "$(sed -n 5p "$out" | cut -d , -f 1-3)" "0005,plain,"
ok surekrig predict m.model wide.csv --keep x1 -o kept.csv # which is there anyway
same kept.csv expected.csv
tr , '\t' <test.csv | tr . , | sed '1s/x1/"x1"/; s/^/1,50\t/; 1s/^[^\t]*/id/' >commas.tab
ok surekrig predict m.model commas.tab --decimal , --keep id,y -o kept.csv
first_line kept.csv id,y,x1,mean,sd,lower,upper
same <(cut -d , -f 1,2 kept.csv) <(sed '1s/.*/id,y/; 2,$s/[^,]*,/1.50,/' test.csv) # numbers that the next program reads
# many rows, more than are read at a time
awk 'BEGIN { print "x1,id"; for (i = 0; i < 50000; i++) print i / 50000 ",n" i }' >many.csv
ok surekrig predict m.model many.csv --keep id --mean-only -o kept.csv
same <(cut -d , -f 1,2 kept.csv) <(awk -F, '{ print $2 "," $1 }' many.csv)

fails 1 "has no column 'idd'" surekrig predict m.model wide.csv --keep idd
sed '1s/note/mean/' wide.csv >taken.csv # then ours have the response's name behind them
ok surekrig predict m.model taken.csv --keep all
first_line "$out" id,mean,y,x1,mean_y,sd_y,lower_y,upper_y
sed '1s/note/mean/; 1s/id/mean_y/' wide.csv >taken.csv
fails 1 "column mean_y cannot be kept: the predictions have one of that name" surekrig predict m.model taken.csv --keep all
fails 1 "columns are carried over to CSV alone, and not to z.npy" surekrig predict m.model wide.csv --keep id -o z.npy
fails 2 "--keep goes with POINTS, not with --grid" surekrig predict m.model --grid 0,1,0.1 --keep id
ok surekrig predict m.model test.csv -o points.npy
fails 1 "is no table with text" surekrig predict m.model points.npy --keep c2
