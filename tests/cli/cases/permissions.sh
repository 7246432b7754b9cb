# Without permission: a sentence, and nothing written. Root may do everything, so another user tries.
as_user() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then
    command -v setpriv >/dev/null || skip "root may read and write everything, and there is no setpriv"
    as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
    as_user surekrig --version >/dev/null 2>&1 || skip "root may read and write everything, and another user cannot run the binary"
fi
make_model
mkdir closed
cp m.model closed/m.model
echo old >closed/p.csv
chmod 555 closed
denied="Permission denied"
fails 1 "closed/z.csv: $denied" as_user surekrig predict m.model test.csv -o closed/z.csv
fails 1 "closed/z.csv: $denied" as_user surekrig simulate --grid 50 -o closed/z.csv
fails 1 "closed/z.model: $denied" as_user surekrig fit train.csv -o closed/z.model $GIVEN
fails 1 "closed/p.csv: $denied" as_user surekrig predict m.model test.csv -o closed/p.csv

mkdir open # a protected file in a directory where a rename could get around the protection
cp m.model open/m.model
echo old >open/p.csv
chmod 444 open/*
chmod 777 open
fails 1 "open/p.csv: $denied" as_user surekrig predict m.model test.csv -o open/p.csv
fails 1 "open/m.model: $denied" as_user surekrig fit train.csv -o open/m.model $GIVEN

cp train.csv secret.csv
cp m.model secret.model
chmod 000 secret.*
fails 1 "cannot read secret.csv: $denied" as_user surekrig fit secret.csv -o open/z.model
fails 1 "cannot read secret.csv: $denied" as_user surekrig predict m.model secret.csv -o open/z.csv
fails 1 "cannot read secret.model: $denied" as_user surekrig info secret.model
fails 1 "secret.model: $denied" as_user surekrig score secret.model test.csv
chmod 755 closed
