# Decimal commas and other marks of missing values: the same model and the same predictions as of the plain table.
make_model
ok surekrig predict m.model test.csv -o expected.csv
ok surekrig score m.model test.csv --json
cp "$out" expected.json
for name in train test; do
    tr ',.' ';,' <$name.csv >$name.semicolon        # 1,5;2,5
    tr ',.' '\t,' <$name.csv >$name.tab
    sed 's/[^,]*/"&"/g' $name.csv | tr . , >$name.quoted # "1,5","2,5"
    { head -n 1 $name.csv; echo 7,8; tail -n +2 $name.csv; } | tr ',.' ';,' >$name.whole # no comma in the first row
done
check() { # FORM [OPTION...]
    local form=$1
    shift
    ok surekrig fit train.$form -o form.model $GIVEN "$@"
    silent
    ok surekrig predict form.model test.$form -o form.csv "$@"
    same form.csv expected.csv
    ok surekrig score form.model test.$form --json "$@"
    same "$out" expected.json
    ok surekrig score form.csv test.$form --json "$@"
    same "$out" expected.json
}
check semicolon # guessed
check semicolon --decimal ,
check tab --decimal ,
check quoted --decimal=,
ok surekrig fit train.whole -o form.model $GIVEN
ok surekrig predict m.model - -o form.csv < <(head -c 100 test.semicolon; sleep 0.1; tail -c +101 test.semicolon) # by and by
same form.csv expected.csv
fails 1 "decimals follow a point here, not a comma (--decimal , says otherwise)" surekrig fit train.tab -o z.model
fails 1 "decimals follow a point here" surekrig fit train.semicolon -o z.model --decimal .
{ cat train.semicolon; echo '0.25;1'; } >both # no guess where both are met
fails 1 "decimals follow a point here" surekrig fit both -o z.model
fails 1 "'0.25' is not a number; decimals follow a comma here, not a point (--decimal . says otherwise)" \
    surekrig fit both -o z.model --decimal ,
fails 2 "--decimal takes , or . and not ';'" surekrig fit train.csv -o z.model --decimal ';'
fails 2 "--decimal goes with POINTS, not with --grid" surekrig predict m.model --grid 0,1,0.1 --decimal ,

# --na: numbers by value, words in any case, in features and responses
{ head -n 1 train.csv; printf -- '-9999,1\n0.5,-9999.0\n0.5,N.A.\n0.5,?\n'; tail -n +2 train.csv; } >marks.csv
ok surekrig fit marks.csv -o marks.model --na '-9999,n.a.,?' --preset coverage --nu 0.5 --rho 0.2 --tau2 0.01 --coverage none
says "4 of 204 rows dropped: a value is missing"
ok surekrig predict marks.model test.csv -o form.csv
same form.csv expected.csv
fails 1 "'N.A.' is not a number" surekrig fit marks.csv -o z.model --na -9999
printf 'x1\n0.5\n-9999\n0.25\n' >points.csv
ok surekrig predict m.model points.csv --na -9999 -o gaps.csv
equal "$(sed -n 3p gaps.csv)" ",,,,"
awk -F, -v OFS=, 'NR == 5 { $2 = "k.A." } { print }' test.csv >gappy.csv
ok surekrig score m.model gappy.csv --na k.a. --json
equal "$(json_value n "$out")" 199
ok surekrig predict m.model test.csv -o - --na 12345,
same "$out" expected.csv
# a first row of marks is no header, and a column of them is one of numbers
{ echo "-,n.a.,3"; tail -n +2 train.csv | awk -F, -v OFS=, "{ print \$1, NR % 7, \$2 }"; } >bare.csv
ok surekrig fit bare.csv -o bare.model --na '-,n.a.' $GIVEN
says "1 of 201 rows dropped"
fails 1 "point 2: coordinate 1 is nan" surekrig simulate points.csv --na -9999 -o drawn.csv
