# Wrong usage: exit status 2, a sentence, where to find help; nothing is written.
make_model
ok surekrig --version
prints "surekrig 0."
ok surekrig -V
capture surekrig
equal $status 2
prints "Usage:"
fails 2 "there is no command 'nosuch'" surekrig nosuch
fails 2 "there is no option --nosuch" surekrig fit train.csv -o z.model --nosuch 3
fails 2 "there is no option --nu" surekrig predict m.model test.csv --nu 0.5 # a setting, but of fit
fails 2 "there is no option -z" surekrig fit train.csv -o z.model -z
fails 2 "-o MODEL" surekrig fit train.csv
fails 2 "needs a value" surekrig fit train.csv -o
fails 2 "needs a value" surekrig fit train.csv -o z.model --nu
fails 2 "needs a value" surekrig fit train.csv -o z.model --features
fails 2 "takes no value" surekrig fit train.csv -o z.model --quiet=yes
for command in "fit -o z.model" "krige train.csv test.csv test.csv -o z.csv" "predict m.model" "cv m.model m.model" \
    "score m.model" "info" "info m.model m.model" "settings nu rho" "bench train.csv"; do
    fails 2 "given" surekrig $command
    says "Try 'surekrig ${command%% *} --help'."
done
fails 2 "either --grid SIZE or a file of POINTS" surekrig simulate
fails 2 "either --grid SIZE or a file of POINTS" surekrig simulate test.csv --grid 10

# values out of range, named with what is possible
fails 2 "neighbors = '0' is not possible: it takes 1 to 4096, or auto" surekrig fit train.csv -o z.model --neighbors 0
fails 2 "neighbors = '2.5'" surekrig fit train.csv -o z.model --neighbors 2.5
fails 2 "batch = '1'" surekrig fit train.csv -o z.model --batch 1
fails 2 "nu = '0'" surekrig fit train.csv -o z.model --nu 0
fails 2 "nu = '2:1'" surekrig fit train.csv -o z.model --nu 2:1
fails 2 "nu = 'nan'" surekrig fit train.csv -o z.model --nu nan
fails 2 "nu = '1,2'" surekrig fit train.csv -o z.model --nu 1,2
fails 2 "rho = '-1'" surekrig fit train.csv -o z.model --rho -1
fails 2 "rho = '0:1'" surekrig fit train.csv -o z.model --rho 0:1
fails 2 "tau2 = 'lots'" surekrig fit train.csv -o z.model --tau2 lots
fails 2 "loss = 'l1'" surekrig fit train.csv -o z.model --loss l1
fails 2 "coverage = '0.9,1'" surekrig fit train.csv -o z.model --coverage 0.9,1
fails 2 "seed = '-1'" surekrig fit train.csv -o z.model --seed -1
fails 2 "preset = 'fast'" surekrig fit train.csv -o z.model --preset fast
fails 2 "backend = 'gpu'" surekrig fit train.csv -o z.model --backend gpu
fails 2 "threads = '0'" surekrig fit train.csv -o z.model --threads 0
for level in 0 1 95 -0.5 nan high ''; do
    fails 2 "--level" surekrig predict m.model test.csv --level "$level" -o z.csv
    fails 2 "--level" surekrig score m.model test.csv --level "$level"
done
fails 2 "--threads" surekrig predict m.model test.csv --threads 0
fails 2 "--threads" surekrig bench --threads 0
for size in 0 -3 2.5 3x 3x4x5x6 x3 many 100000x100000; do
    fails 2 "--grid takes a number of points" surekrig simulate --grid $size -o z.csv
done
fails 2 "--lower takes one number, not '1,2'" surekrig simulate --grid 5 --lower 1,2
fails 2 "--upper takes two numbers" surekrig simulate --grid 5x5 --upper 1
fails 2 "--seed" surekrig simulate --grid 5 --seed -1
fails 2 "--nu" surekrig simulate --grid 5 --nu 0
fails 2 "--tau2" surekrig simulate --grid 5 --tau2 -1
fails 2 "--gamma2" surekrig simulate --grid 5 --gamma2 0
fails 2 "--rho" surekrig simulate --grid 5 --rho long
fails 1 "rho = 0" surekrig simulate --grid 5 --rho 0
fails 2 "1 to 0" surekrig simulate --grid 5 --lower 1 --upper 0

# a name that is empty, as of a variable of the shell without a value
for command in "fit train.csv" "krige train.csv test.csv" "predict m.model test.csv" "simulate --grid 10" \
    "simulate --given m.model test.csv" "cv m.model" "variogram train.csv" "plot map train.csv" "fill train.csv"; do
    fails 2 "the name that --output gives is empty: the name of a file is needed" surekrig $command -o ''
done
fails 2 "the name that --holdout gives is empty" surekrig simulate --grid 10 -o new.csv --holdout ''
fails 2 "the name that --model gives is empty" surekrig krige train.csv test.csv -o new.csv --model=
fails 2 "the name that --targets gives is empty" surekrig fit train.csv -o new.model --targets ''
fails 2 "the name that --given gives is empty" surekrig simulate test.csv --given ''
fails 2 "argument 1 is empty: a name is needed" surekrig fit '' -o new.model
fails 2 "argument 2 is empty: a name is needed" surekrig predict m.model ''
fails 2 "argument 1 is empty: a name is needed" surekrig info ''

fails 2 "standard input is named twice" surekrig score - - </dev/null
