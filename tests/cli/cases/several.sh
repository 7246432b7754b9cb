# Several files with the same columns are one table, one after another or by a pattern; files that disagree are refused.
make_model
head -n 81 train.csv >part-1.csv
{ head -n 1 train.csv && tail -n +82 train.csv | head -n 60; } >part-2.csv
tail -n +142 train.csv >part-3.csv # without names: by place
ok surekrig fit part-1.csv part-2.csv part-3.csv -o several.model $GIVEN
ok surekrig fit 'part-*.csv' -o pattern.model $GIVEN
for model in m several pattern; do ok surekrig predict $model.model test.csv -o $model.csv; done
same several.csv m.csv
same pattern.csv m.csv

head -n 51 test.csv >points-a.csv
{ head -n 1 test.csv && tail -n +52 test.csv; } >points-b.csv
ok surekrig predict m.model points-a.csv points-b.csv -o points.csv
same points.csv m.csv
ok surekrig predict m.model 'points-[ab].csv' -o points.csv --keep y
tail -n +2 test.csv | cut -d, -f2 >expected
tail -n +2 points.csv | cut -d, -f1 | diff - expected || fail "cells are not kept over files"

sed '1s/x1/x2/' part-2.csv >other.csv
fails 1 "other.csv: column 1 is named 'x2', and in part-1.csv 'x1'" surekrig fit part-1.csv other.csv -o z.model $GIVEN
sed 's/$/,1/' part-2.csv >wider.csv
fails 1 "wider.csv has 3 columns and part-1.csv has 2" surekrig fit part-1.csv wider.csv -o z.model $GIVEN
sed '40s/,.*/,oops/' part-2.csv >bad.csv
fails 1 "bad.csv, row 39 (line 40), column y: 'oops' is not a number" surekrig fit part-1.csv bad.csv -o z.model $GIVEN
fails 1 "cannot read none-*.csv" surekrig fit 'none-*.csv' -o z.model $GIVEN
fails 2 "the model would replace" surekrig fit part-1.csv part-2.csv -o part-2.csv $GIVEN
fails 2 "--calibrate takes POINTS of one file" surekrig predict m.model points-a.csv points-b.csv --calibrate -o z.csv
