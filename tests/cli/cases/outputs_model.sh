# A model's file likewise: it replaces a file, follows a link, keeps permissions, and leaves pipes and devices alone.
make_model
cp m.model old.model
ok surekrig fit test.csv -o m.model $GIVEN
differ m.model old.model
chmod 640 m.model
ok surekrig fit train.csv -o m.model $GIVEN
equal "$(stat -c %a m.model)" 640
fails 1 "cannot write nosuch/z: No such file or directory" surekrig fit train.csv $GIVEN -o nosuch/z
mkdir far
fails 1 "cannot write far: Is a directory" surekrig fit train.csv $GIVEN -o far
fails 2 "the name that --output gives is empty" surekrig fit train.csv $GIVEN -o ""
cp m.model far/m.model
ln -s far/m.model link.model
ok surekrig fit test.csv -o link.model $GIVEN
[ -L link.model ] || fail "the link is gone"
differ far/m.model m.model
mkfifo pipe
fails 1 "pipe" timeout 20 surekrig fit train.csv -o pipe $GIVEN
[ -p pipe ] || fail "the pipe is gone"

# What cannot be written is refused before anything is read: a training of hours would be lost, and krige's predictions with it.
for output in far pipe /dev/null; do
    fails 1 "cannot write $output: " surekrig fit nosuch.csv -o $output
    fails 1 "cannot write $output: " surekrig krige nosuch.csv test.csv -o z.csv --model $output
done
mkdir each-y.model
fails 1 "cannot write each-y.model: Is a directory" surekrig fit train.csv --each -o each.model
fails 1 "cannot write far: Is a directory" surekrig simulate nosuch.csv -o far
fails 1 "cannot write far: Is a directory" surekrig simulate nosuch.csv -o z.csv --holdout far
fails 1 "cannot write far: Is a directory" surekrig simulate --given nosuch.model test.csv -o far
mkdir each.model
rmdir each-y.model
ok surekrig fit train.csv --each -o each.model $GIVEN # nothing goes to a file of this name itself
ok sh -c 'surekrig cv m.model -o /dev/stdout | cat'
prints "distance"
ok sh -c 'surekrig simulate --grid 9 -o /dev/stdout | cat'
rows "$out" 10
