# krige: what fit --targets --auto and predict give, to the bit; a grid, a model on wish; what is refused.
surekrig simulate --grid 24x24 --nu 0.5 --rho 0.3 --tau2 0.05 --seed 6 -o all.csv
awk -F, 'NR == 1 { print >"train.csv"; print >"gap.csv"; next }
         { print >(($1 - .5) ^ 2 + ($2 - .4) ^ 2 < .02 ? "gap.csv" : "train.csv") }' all.csv
BRIEF="--batch 100 --evaluations 6 --polish 0 --neighbors 10"

ok surekrig krige train.csv gap.csv -o k.csv --model k.model $BRIEF
prints_nothing
says "what to expect there"
says "each with neighbours placed as a target's"
ok surekrig fit train.csv -o f.model --targets gap.csv --auto $BRIEF -q
ok surekrig predict f.model gap.csv -o f.csv
same k.csv f.csv
ok surekrig predict k.model gap.csv
same "$out" k.csv
ok surekrig krige train.csv gap.csv $BRIEF --quiet
silent
same "$out" k.csv

# the scores that are announced are of observations, which --latent does not predict
! grep -q "of new observations" "$err" || fail "--latent was not given"
ok surekrig krige train.csv gap.csv --auto no $BRIEF --latent -o l.csv
says "(of new observations: --latent leaves their noise out of sd and intervals, but not out of these scores)"

# the response of POINTS is not looked at
cut -d , -f 1,2 gap.csv >places.csv
ok surekrig krige train.csv places.csv -o places.out $BRIEF
same places.out k.csv

# settings of fit and options of predict
how="--nu 0.5 --tau2 0.05 --rho 0.3 --seed 4 --threads 1"
ok surekrig fit train.csv -o f.model --targets gap.csv --neighbors 12 --coverage none $how -q
ok surekrig predict f.model gap.csv -o f.csv --level 0.5,0.9 --latent
ok surekrig krige train.csv gap.csv -o k.csv --level 0.5,0.9 --latent --auto no --neighbors 12 --coverage none $how -q
same k.csv f.csv
for what in "--level 0.9" --latent; do
    fails 2 "${what% *} is about sd and intervals" surekrig krige train.csv gap.csv --mean-only $what $how --auto no -q
done
ok surekrig krige train.csv gap.csv --mean-only $how --auto no -q
first_line "$out" x1,x2,mean

# known noise: of TRAIN, and of POINTS where they have it
awk -F, -v OFS=, '{ print $1, $2, NR == 1 ? "s" : 0.01 + $1 / 10, $3 }' train.csv >noisy.csv
awk -F, -v OFS=, '{ print $1, $2, NR == 1 ? "s" : 0.5 }' gap.csv >noisy_gap.csv
fixed="$how --gamma2 1 --coverage none -q"
ok surekrig fit noisy.csv -o f.model --noise s --targets gap.csv $fixed
for points in gap noisy_gap; do
    ok surekrig predict f.model $points.csv $([ $points = gap ] || echo --noise s) -o f.csv
    ok surekrig krige noisy.csv $points.csv --noise s --auto no $fixed -o $points.out
    same $points.out f.csv
done
differ gap.out noisy_gap.out
ok surekrig krige noisy.csv --grid 0,0,1,1,0.2 --noise s --auto no $fixed

# a grid: as the table of its centers
ok surekrig krige train.csv --grid 0.3,0.2,0.7,0.6,0.05 -o grid.csv --model grid.model $BRIEF
cut -d , -f 1,2 grid.csv >centers.csv
ok surekrig krige train.csv centers.csv -o centers.out $BRIEF
same centers.out grid.csv
ok surekrig predict grid.model --grid 0.3,0.2,0.7,0.6,0.05
same "$out" grid.csv

# points without a feature stay, empty; the training points themselves are worth a sentence
printf 'x1,x2\n0.5,0.4\n,0.4\n' >holes.csv
ok surekrig krige train.csv holes.csv --auto no $how -q
says "1 of 2 points cannot be predicted: a feature is missing"
rows "$out" 3
ok surekrig krige train.csv train.csv --auto no $how -q -o own.csv
says "the points are the training points"

# what is refused leaves nothing
printf 'x1,x3\n1,0.5\n' >other.csv
fails 1 "no column 'x2'; it has x1, x3; -x NAMES says which" surekrig krige train.csv other.csv -o z.csv --model z.model
fails 1 "no column 'x2'; it has x1, x3" surekrig krige train.csv other.csv -x x1,x2 -o z.csv --model z.model
printf 'x1,x2\n' >empty.csv
fails 1 "empty.csv" surekrig krige train.csv empty.csv -o z.csv --model z.model
printf 'x1,x2\n,0.5\n' >none.csv
fails 1 "no row with all features" surekrig krige train.csv none.csv -o z.csv --model z.model
fails 2 "give either POINTS or --grid; neither is given" surekrig krige train.csv -o z.csv
fails 2 "give either POINTS or --grid; both are given" surekrig krige train.csv gap.csv --grid 0,0,1,1,0.1 -o z.csv
fails 2 "POINTS are read twice" surekrig krige train.csv - -o z.csv
mkfifo pipe
fails 2 "give a file, not pipe" surekrig krige train.csv pipe -o z.csv
fails 1 "--grid has 1 coordinate, the model 2 features: x1, x2; -x NAMES says which columns of TRAIN are features, -y NAME which is the response" surekrig krige train.csv --grid 0,1,0.1 -o z.csv --model z.model
fails 1 "a raster can be written for the pixels of another" surekrig krige train.csv gap.csv -o z.tif --model z.model
fails 2 "the predictions would replace gap.csv" surekrig krige train.csv gap.csv -o gap.csv
fails 2 "the model would replace train.csv" surekrig krige train.csv gap.csv --model train.csv
fails 2 "the predictions and the model would be one file, z" surekrig krige train.csv gap.csv -o z --model z
fails 1 "cannot write nosuch/z" surekrig krige train.csv gap.csv --model nosuch/z
fails 1 "cannot write nosuch/z" surekrig krige train.csv gap.csv -o nosuch/z --model z.model
mkdir folder
fails 1 "cannot write folder" surekrig krige train.csv gap.csv --auto no $how -o z.csv --model folder
[ ! -e /dev/full ] || fails 1 "cannot write /dev/full" surekrig krige train.csv gap.csv --auto no $how -o /dev/full --model z.model
if [ -z "${EMULATED:-}" ]; then
    interrupted_by INT 130 surekrig krige train.csv gap.csv -o z.csv --model z.model --auto no --optimizer bayes --initial 99999 --evaluations 100000 # while training
    says "interrupted; nothing was written"
    interrupted_by TERM 143 surekrig krige train.csv --grid 0,0,1,1,0.0004 --auto no $how -o z.csv --model z.model # while predicting
fi
