# A model onto a file system that is full.
[ "$(id -u)" -eq 0 ] || skip "only root can mount a small file system"
make_model
mkdir disk
mount -t tmpfs -o size=100k tmpfs disk 2>/dev/null || skip "no file system can be mounted here"
trap 'umount disk' EXIT
seq 3000 >points.csv
fails 1 "cannot write disk/z.csv: No space left on device" surekrig predict m.model points.csv -o disk/z.csv
ok surekrig fit train.csv -o disk/m.model $GIVEN # one model fits, but no second beside it
fails 1 "cannot write disk/z.model: " surekrig fit train.csv -o disk/z.model $GIVEN
says "No space left on device"
fails 1 "cannot write disk/m.model: " surekrig fit test.csv -o disk/m.model $GIVEN
ok surekrig info disk/m.model
