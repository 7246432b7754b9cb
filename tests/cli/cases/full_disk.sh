# A full disk: a sentence, and no output.
make_model
full="No space left on device"
fails 1 "cannot write /dev/full: $full" surekrig predict m.model test.csv -o /dev/full
fails 1 "cannot write /dev/full: $full" surekrig simulate --grid 300 -o /dev/full
fails 1 "cannot write standard output: $full" sh -c 'surekrig predict m.model test.csv >/dev/full'
fails 1 "cannot write standard output: $full" sh -c 'surekrig simulate --grid 300 >/dev/full'
for command in help "fit --help" "help --man" settings "settings --markdown" "info m.model" "info m.model --json" \
    "score m.model test.csv" "--version"; do
    fails 1 "cannot write standard output" sh -c "surekrig $command >/dev/full"
done

# a limit on the size of files, in KiB, stands for the full disk, for which one has to be root
limited() { (ulimit -f 8 && exec "$@"); }
fails 1 "cannot write z.csv: File too large" limited surekrig predict m.model test.csv -o z.csv
fails 1 "cannot write z.csv: File too large" limited surekrig simulate --grid 5000 -o z.csv
fails 1 "cannot write z.model" limited surekrig fit train.csv -o z.model $GIVEN
fails 1 "cannot write m.model" limited surekrig fit test.csv -o m.model $GIVEN # and the old model stays
