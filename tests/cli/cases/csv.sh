# The same table in every form a CSV comes in gives the same predictions.
make_model
ok surekrig predict m.model test.csv -o expected.csv
check() { # FILE [OPTION...]: as training data and as points
    local file=$1
    shift
    ok surekrig fit "$file" -o form.model $GIVEN "$@"
    ok surekrig predict form.model test.csv -o form.csv
    tail -n +2 form.csv >form.values # the header may be another
    tail -n +2 expected.csv | diff -q - form.values || fail "$file trains another model"
}
check_points() { # FILE, of the form of test.csv
    ok surekrig predict m.model "$1" -o form.csv
    same form.csv expected.csv
}
for name in train test; do
    tr , ';' <$name.csv >$name.semicolon
    tr , '\t' <$name.csv >$name.tab
    sed 's/$/\r/' $name.csv >$name.crlf
    sed 's/[^,]*/"&"/g' $name.csv >$name.quoted
    sed 's/,/ , /; s/^/ /' $name.csv >$name.blanks
    sed 's/$/\n/' $name.csv >$name.lines
    head -c -1 $name.csv >$name.noend
    { printf '\xef\xbb\xbf' && cat $name.csv; } >$name.mark
    awk -F, -v OFS=, '{ print $1, "\"a, \"\"b\"\"\nc\"", $2 }' $name.csv | sed '1,2s/.*//; 1s/.*/x1,note,y/; 2d' >$name.text
    { echo "sep=;" && cat $name.semicolon; } >$name.told
    { printf '\xef\xbb\xbfSEP=|\r\n' && tr , '|' <$name.crlf; } >$name.bar
done
for form in semicolon told bar tab crlf quoted blanks lines noend mark text; do
    check train.$form
    check_points test.$form
done
ok surekrig predict m.model test.text
rows "$out" 201

sed '5s/.*/0.5;word/' train.told >fault.csv
fails 1 "row 3 (line 5), column y: 'word'" surekrig fit fault.csv -o z.model

# without a header: by place, and the columns are c1, c2
tail -n +2 train.csv >train.bare
tail -n +2 test.csv >test.bare
check_points test.bare
ok surekrig fit train.bare -o bare.model $GIVEN
ok surekrig info bare.model
prints "1 feature (c1), response c2"
ok surekrig predict bare.model test.bare -o bare.csv
first_line bare.csv "c1,mean,sd,lower,upper"
ok surekrig score bare.model test.bare --json
cp "$out" bare.json
ok surekrig score m.model test.csv --json
same "$out" bare.json

# without a header, the response first: the model's features are c2, not the first column there is
awk -F, -v OFS=, '{ print $2, $1 }' train.bare >train.turned
awk -F, -v OFS=, '{ print $2, $1 }' test.bare >test.turned
ok surekrig fit train.turned -y c1 -o turned.model $GIVEN
ok surekrig predict turned.model test.turned -o turned.csv
equal "$(column mean turned.csv | cksum)" "$(column mean expected.csv | cksum)"
ok surekrig score turned.model test.turned --json
same "$out" bare.json

# --no-header: the first row is data even if a cell is a word; here it is the cell of a column that is not used
{ echo "a,0.5,1"; awk -F, -v OFS=, '{ print "b", $1, $2 }' train.bare; } >words
ok surekrig fit words --no-header -x c2 -y c3 -o words.model $GIVEN
ok surekrig info words.model
prints "201 points"
fails 1 "row 1 (line 1), column c1: 'x1' is not a number" surekrig predict m.model test.csv --no-header -o z.csv
printf 'sep=;\r' >only.csv # and nothing else
fails 1 "0 complete rows" surekrig fit only.csv -o only.model
