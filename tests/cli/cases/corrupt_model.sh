# A changed byte anywhere in a model is noticed, or does not matter: refused with a sentence, or the same predictions.
surekrig simulate --grid 6000 --rho 0.2 --tau2 0.01 -o train.csv
surekrig fit train.csv -o m.model $GIVEN
head -n 20 train.csv >points.csv
ok surekrig predict m.model points.csv -o expected.csv
size=$(stat -c %s m.model)
refused=0 tried=0
for ((at = 0; at < size; at += size / 150)); do
    cp m.model changed.model
    byte=$(od -An -tu1 -j $at -N 1 m.model)
    printf "\\x$(printf %x $((byte ^ (1 << (at % 8)))))" | dd of=changed.model bs=1 seek=$at conv=notrunc status=none
    capture surekrig predict changed.model points.csv -o predicted.csv
    tried=$((tried + 1))
    if [ $status -eq 0 ]; then
        cmp predicted.csv expected.csv || fail "byte $at changed, and so did the predictions, without a word"
        rm predicted.csv
    else
        equal $status 1
        says "changed.model"
        no_file predicted.csv
        refused=$((refused + 1))
    fi
done
[ $((2 * refused)) -ge $tried ] || fail "only $refused of $tried changed bytes were noticed" # most bytes are data
