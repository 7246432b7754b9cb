# predict --resume: after a kill -9 what was finished is not made again, and the output has the bytes of a run that nothing has
# disturbed.
make_model
ok surekrig fit train.csv -o few.model --neighbors 8 $GIVEN
{ echo x1 && seq 0 0.000002 0.9; } >points.csv # seven blocks
block=$((65536 * 4 * 8))
ok surekrig predict few.model points.csv -o whole.csv
ok surekrig predict few.model points.csv -o whole.npy --level 0.5,0.9
no_file whole.csv.partial

killed z.csv $((2 * block)) surekrig predict few.model points.csv -o z.csv
cp z.csv.partial kept
ok surekrig predict few.model points.csv -o z.csv --resume --threads 2
[ "$(finished_before z.csv)" -ge 1 ] || fail "nothing was found: $(cat "$err")"
same z.csv whole.csv
no_file z.csv.partial

# a block that was damaged is made again, and so are those after it
rm z.csv
cp kept z.csv.partial
printf 'x' | dd of=z.csv.partial bs=1 seek=1000 conv=notrunc status=none
ok surekrig predict few.model points.csv -o z.csv --resume
equal "$(finished_before z.csv)" 0
same z.csv whole.csv
head -c $((block + 1000)) kept >z.csv.partial
ok surekrig predict few.model points.csv -o z.csv --resume
equal "$(finished_before z.csv)" 1
same z.csv whole.csv

killed z.npy $((4 * block)) surekrig predict few.model points.csv -o z.npy --level 0.5,0.9 --resume
ok surekrig predict few.model points.csv -o z.npy --level 0.5,0.9 --resume --quiet
[ ! -s "$err" ] || fail "--quiet says: $(cat "$err")"
same z.npy whole.npy

# rows that changed behind the file's size and time: their block is made again, and the others are taken
cp -p points.csv before.csv
for rows in 13 70000; do
    sed "${rows}s/.*/0.700000/" before.csv | head -c "$(stat -c %s before.csv)" >other.csv
    equal "$(stat -c %s other.csv)" "$(stat -c %s before.csv)"
    cp other.csv points.csv
    ok surekrig predict few.model points.csv -o other_whole.csv
    touch -r before.csv points.csv
    rm -f z.csv
    cp kept z.csv.partial
    ok surekrig predict few.model points.csv -o z.csv --resume
    same z.csv other_whole.csv
done
cp -p before.csv points.csv

# a file system without locks (Lustre as it is often mounted) keeps it as well
if command -v cc >/dev/null; then
    echo '#include <errno.h>
int flock(int fd, int how) { (void)fd, (void)how, errno = ENOSYS; return -1; }' | cc -shared -fPIC -x c - -o lockless.so
    without="env LD_PRELOAD=$PWD/lockless.so ASAN_OPTIONS=verify_asan_link_order=0"
    rm z.csv
    killed z.csv $((2 * block)) $without surekrig predict few.model points.csv -o z.csv
    ok $without surekrig predict few.model points.csv -o z.csv --resume
    [ "$(finished_before z.csv)" -ge 1 ] || fail "nothing was found without locks: $(cat "$err")"
    same z.csv whole.csv
fi

# of another run: refused with --resume, told and replaced without it
rm z.csv
cp kept z.csv.partial
fails 1 "z.csv.partial is of another run" surekrig predict few.model points.csv -o z.csv --latent --resume
touch points.csv
fails 1 "z.csv.partial is of another run" surekrig predict few.model points.csv -o z.csv --resume
ok surekrig predict few.model points.csv -o z.csv
says "z.csv.partial, of a run that was stopped, is replaced"
same z.csv whole.csv
no_file z.csv.partial
fails 2 "--resume goes from files to a file" surekrig predict few.model points.csv --resume
fails 2 "--resume goes from files to a file" surekrig predict few.model - -o z.csv --resume <points.csv

# Ctrl-C under --resume leaves what was finished, and says so once
rm z.csv
env --default-signal=INT surekrig predict few.model points.csv -o z.csv --resume 2>said &
pid=$!
until [ "$(stat -c %s z.csv.partial 2>/dev/null || echo 0)" -ge $block ]; do kill -0 $pid 2>/dev/null || fail "it ended too early"; done
kill -INT $pid
status=0
wait $pid || status=$?
equal $status 130
equal "$(cat said)" "surekrig predict: z.csv.partial keeps what is finished: --resume goes on from it
surekrig predict: interrupted"
no_file z.csv
rm z.csv.partial

# a failure under --resume leaves what was finished
sed '400000s/.*/oops/' points.csv >bad.csv
capture surekrig predict few.model bad.csv -o y.csv --resume
equal $status 1
says "y.csv.partial keeps what is finished: --resume goes on from it"
no_file y.csv
fails 1 "bad.csv, row 399999" surekrig predict few.model bad.csv -o y.csv --resume
equal "$(finished_before y.csv)" 6
capture surekrig predict few.model bad.csv -o x.csv
no_file x.csv.partial

# what bears the name and is nobody's partial output stays, an input too
head -n 100 points.csv >short.csv
cp short.csv w.csv.partial
for resume in "" --resume; do
    for points in short.csv w.csv.partial; do
        capture surekrig predict few.model $points -o w.csv $resume
        equal $status "$([ -z "$resume" ] && echo 0 || echo 1)"
        [ -z "$resume" ] || says "w.csv.partial is no file of surekrig's"
        same w.csv.partial short.csv
    done
done
: >v.csv.partial # of a run that was killed before its first byte
ok surekrig predict few.model short.csv -o v.csv --resume
no_file v.csv.partial
