# What is no model is refused with a sentence that says so; nothing is written.
make_model
refused() { # FRAGMENT MODEL
    fails 1 "$1" surekrig info "$2"
    fails 1 "$1" surekrig predict "$2" test.csv -o z.csv
    fails 1 "$1" surekrig fit train.csv --from "$2" -o z.model
}
refused "cannot read nosuch.model: No such file or directory" nosuch.model
: >empty.model
refused "empty.model" empty.model
refused "train.csv is not a whole surekrig model: it is another kind of file" train.csv
refused "." .
mkfifo pipe
refused "cannot read pipe: it is a pipe or a device, and a model is a file" pipe
rm pipe
for bytes in 10 100 1000 4096 20000 $(($(stat -c %s m.model) - 4096)) $(($(stat -c %s m.model) - 1)); do
    head -c $bytes m.model >short.model
    refused "short.model is not a whole surekrig model" short.model
done
fails 1 "is not a whole surekrig model" surekrig score short.model test.csv

# it says what is wrong, not that another program wrote it
for file in empty.model train.csv short.model; do
    capture surekrig info $file
    ! grep -q "another program" "$err" || tell_and_fail "$file is said to be a database of another program"
done
if command -v sqlite3 >/dev/null; then
    sqlite3 other.db 'CREATE TABLE a(b); INSERT INTO a VALUES(1)'
    refused "another program" other.db
    cp m.model newer.model
    sqlite3 newer.model 'PRAGMA user_version = 99'
    refused "newer surekrig" newer.model
    cp m.model changed.model
    sqlite3 changed.model "UPDATE setting SET value = '0.6' WHERE name = 'nu'"
    refused "its checksum is wrong" changed.model
    cp m.model missing.model
    sqlite3 missing.model "DELETE FROM array WHERE name = 'y'"
    refused "missing.model" missing.model
    cp m.model impossible.model
    sqlite3 impossible.model "UPDATE model SET n = 1e15"
    refused "" impossible.model
    sqlite3 impossible.model "UPDATE model SET n = 2, d = 9223372036854775807" # its sum with l is no number
    refused "features or neighbours are impossible" impossible.model
fi
