# The words a case is written in. A case that ends with an untested failure of any command has failed.

out=$scratch/out err=$scratch/err # what the last command wrote
status=0                          # and its exit status

fail() { # SENTENCE: with the line of the case
    local i=${#BASH_SOURCE[@]}
    while ((i > 1)) && [[ ${BASH_SOURCE[i - 1]:-} != */cases/* ]]; do i=$((i - 1)); done
    echo "$(basename "${BASH_SOURCE[i - 1]}"), line ${BASH_LINENO[i - 2]}: $1"
    exit 1
}
trap 'fail "exit status $? of: $BASH_COMMAND"' ERR
set -E

skip() { # WHY
    echo "$1"
    exit 77
}

# ---- running

capture() { # COMMAND...
    status=0
    "$@" >"$out" 2>"$err" || status=$?
    if grep -qE 'ERROR: .*Sanitizer|runtime error:' "$err"; then
        head -n 30 "$err"
        fail "a sanitizer found a fault in: $*"
    fi
}

tell_and_fail() { # SENTENCE
    echo "standard output:" && head -n 5 "$out"
    echo "standard error:" && head -n 10 "$err"
    fail "$1"
}

ok() { # COMMAND...
    capture "$@"
    [ $status -eq 0 ] || tell_and_fail "exit status $status, 0 expected, of: $*"
}

everything_here() { # names and contents of all files
    find . -printf '%y %p\n' | sort
    find . -type f -readable -exec cksum {} + | sort
}

# Exit status, a sentence from surekrig that holds the fragment, and no file made, changed or left behind.
fails() { # STATUS FRAGMENT COMMAND...
    local expected=$1 fragment=$2
    shift 2
    everything_here >"$scratch/before"
    capture "$@"
    everything_here >"$scratch/after"
    [ $status -eq "$expected" ] || tell_and_fail "exit status $status, $expected expected, of: $*"
    grep -q '^surekrig' "$err" || tell_and_fail "no sentence of surekrig's from: $*"
    says "$fragment"
    diff "$scratch/before" "$scratch/after" || fail "files changed, though it failed: $*"
}

# Ends by the signal within eight seconds (it should be at once, but the machine may be busy), with this exit status, and
# leaves no file.
interrupted_by() { # SIGNAL STATUS COMMAND...
    local signal=$1 expected=$2 before=0.5 start=${EPOCHREALTIME/./} took
    shift 2
    everything_here >"$scratch/before"
    # the signal may be ignored where the tests run in the background or under nohup, and then surekrig ignores it too
    capture env --default-signal="$signal" timeout --foreground --preserve-status -s "$signal" $before "$@"
    took=$(((${EPOCHREALTIME/./} - start) / 1000))
    everything_here >"$scratch/after"
    [ $status -eq "$expected" ] || tell_and_fail "exit status $status, $expected expected, of: $*"
    [ $took -lt 8500 ] || fail "$((took - 500)) ms from SIG$signal to the end of: $*"
    diff "$scratch/before" "$scratch/after" || fail "files changed, though it was interrupted: $*"
}

# ---- looking

says() { grep -qF -- "$1" "$err" || tell_and_fail "standard error does not say '$1'"; }
prints() { grep -qF -- "$1" "$out" || tell_and_fail "standard output does not hold '$1'"; }
silent() { [ ! -s "$err" ] || tell_and_fail "standard error is not empty"; }
prints_nothing() { [ ! -s "$out" ] || tell_and_fail "standard output is not empty"; }
same() { cmp "$1" "$2" || fail "$1 and $2 differ"; }
differ() { ! cmp -s "$1" "$2" || fail "$1 and $2 are the same"; }
no_file() { [ ! -e "$1" ] || fail "$1 is there"; }
equal() { [ "$1" = "$2" ] || fail "'$1' is not '$2'"; }
first_line() { equal "$(head -n 1 "$1")" "$2"; }
rows() { equal "$(wc -l <"$1")" "$2"; } # lines, the header included
near() { # A B RELATIVE-TOLERANCE
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; m = b < 0 ? -b : b; exit !(d <= t * m && -d <= t * m) }' ||
        fail "$1 is not within a share $3 of $2"
}
column() { # NAME FILE.csv: its values
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; if (!c) exit 1; next } { print $c }' "$2"
}
# Every row of the pasted columns: a, b, c, d stand for the values of the files or columns given.
every() { # CONDITION COLUMN-FILE...
    local condition=$1
    shift
    paste -d ' ' "$@" | awk "{ a = \$1; b = \$2; c = \$3; d = \$4 } !($condition) { if (bad++ < 3) print \"row \" NR \": \" \$0 }
                             END { exit bad || NR == 0 }" || fail "not in every row: $condition"
}

# Reads the file as JSON must be read: strings and words become v, then what holds only v becomes v, until one is left.
json() { # FILE
    awk '{ text = text $0 "\n" }
         END {
             gsub(/"([^"\\\001-\037]|\\["\\\/bfnrtu])*"/, "s", text)
             gsub(/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/, "v", text)
             gsub(/true|false|null/, "v", text)
             gsub(/[ \t\n\r]+/, "", text)
             do {
                 before = text
                 gsub(/\[\]|\{\}|\[[sv](,[sv])*\]|\{s:[sv](,s:[sv])*\}/, "v", text)
             } while (text != before)
             exit text != "v"
         }' "$1" || fail "$1 is not JSON"
}
json_value() { # KEY FILE: the first value of that name
    grep -o "\"$1\": *\(\"[^\"]*\"\|[^],}]*\)" "$2" | head -n 1 | sed 's/^[^:]*: *//; s/"//g'
}

# ---- making

QUICK="--preset coverage --batch 200 --evaluations 8 --polish 10"                # a training that is over at once
QUICK_STUDY="--points 200 --batch 60 --neighbors 10 --initial 3 --evaluations 4 --polish 0 --rounds 2"
GIVEN="--preset coverage --nu 0.5 --rho 0.2 --tau2 0.01 --coverage none --quiet" # no search at all

make_data() { # train.csv and test.csv: 200 points each, x1 and y
    surekrig simulate --grid 400 --nu 0.5 --rho 0.2 --tau2 0.01 --seed 3 -o train.csv --holdout test.csv
}
make_plane() { # plane.csv: 15 x 12 points, x1, x2 and y
    surekrig simulate --grid 15x12 --nu 0.5 --rho 0.5 --tau2 0.01 --seed 4 -o plane.csv
}
make_model() { # m.model, of train.csv
    make_data
    surekrig fit train.csv -o m.model $GIVEN
}

# ---- rasters, by GDAL's own tools

need_gdal() {
    [ -z "${EMULATED:-}" ] || skip "an emulated command does not find this machine's GDAL"
    command -v gdal_translate >/dev/null || skip "there are no tools of GDAL (gdal-bin) to make and read rasters with"
}
make_raster() { # NAME COLUMNS ROWS VALUE [OPTION of gdal_translate...]: NAME.tif; VALUE is awk's, of column c and row r from 0; -9999: missing
    local name=$1 columns=$2 rows=$3 value=$4
    shift 4
    awk -v columns="$columns" -v rows="$rows" "BEGIN {
        printf \"ncols %d\nnrows %d\nxllcorner 500000\nyllcorner 4000000\ncellsize 30\nNODATA_value -9999\n\", columns, rows
        for (r = 0; r < rows; r++) { for (c = 0; c < columns; c++) printf \"%.9g \", ($value); print \"\" } }" >"$scratch/$name.asc"
    gdal_translate -q -ot Float32 -a_srs EPSG:32633 "$@" "$scratch/$name.asc" "$name.tif"
}
WAVES='sin(c/5)+cos(r/4)' HOLE='c>10&&c<16&&r>5&&r<12'
tells() { # TEXT COMMAND...: the text is in what another tool prints
    "${@:2}" >"$scratch/told"
    grep -qF -- "$1" "$scratch/told" || fail "'$1' is not in what this prints: ${*:2}"
}
pixels() { # BAND|all FILE: its numbers, a pixel a line
    local raw=$scratch/pixels.$BASHPID.$1 band=(-b "$1")
    [ "$1" != all ] || band=()
    gdal_translate -q -of ENVI -ot Float64 "${band[@]}" "$2" "$raw"
    od -A n -v -t f8 -w8 "$raw"
    rm "$raw" "$raw".*
}
stack() { # NAME FILE...: NAME.vrt of them, its bands named by days
    local days
    days=$(TZ=UTC printf '%(%F)T ' $(seq 0 86400 $((86400 * ($# - 2)))))
    gdalbuildvrt -q -separate "$1.vrt" "${@:2}"
    awk -v days="$days" 'BEGIN { split(days, day, " ") } { print }
        /<VRTRasterBand/ { print "<Description>" day[++n] "</Description>" }' "$1.vrt" >"$scratch/named.vrt"
    mv "$scratch/named.vrt" "$1.vrt"
}
# Fixed hyperparameters, 20 neighbours: in metres, for rasters of make_raster.
FIXED="--nu 1 --rho 300 --tau2 0.001 --gamma2 1 --neighbors 20 --quiet"

# ---- going on

killed() { # OUT BYTES COMMAND...: kill -9 when so much is in OUT.partial; once more where it was over before that was seen
    local output=$1 bytes=$2 pid
    shift 2
    for _ in {1..20}; do
        "$@" 2>/dev/null &
        pid=$!
        until [ "$(stat -c %s "$output.partial" 2>/dev/null || echo 0)" -ge "$bytes" ]; do
            kill -0 $pid 2>/dev/null || break
        done
        kill -9 $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        rm -f "$output".tmp-*
        [ -e "$output" ] || break
        rm "$output"
    done
    [ -e "$output.partial" ] || fail "it was never caught in the middle: $*"
}
finished_before() { # OUT: blocks that the last run has found
    sed -n "s/.*$1.partial: \([0-9]*\) block.* finished before/\1/p" "$err"
}
