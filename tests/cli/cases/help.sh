# Every command explains itself: a sentence, its usage, an example, every option; the man page has them all too.
ok surekrig help
for way in --help -h; do
    cp "$out" overview
    ok surekrig $way
    same "$out" overview
done
commands=$(awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' overview)
equal "$(echo $commands)" "krige fit predict fill score cv variogram simulate plot info experiment settings bench help"

ok surekrig help --man
sed 's/\\-/-/g' "$out" >man
ok surekrig help --completion
cp "$out" completion
for command in $commands; do
    ok surekrig $command --help
    silent
    cp "$out" help
    ok surekrig help $command
    same "$out" help
    ok surekrig $command -h
    same "$out" help
    prints "Usage: surekrig $command"
    [[ $(grep -A 1 '^Example:' help) == "Example:"$'\n'"  surekrig $command "* ]] || fail "no example of $command"
    options=$(sed -n "s/^ *$command) options=\"\(.*\)\" ;;/\1/p" completion)
    [ -n "$options" ] || fail "no options of $command in the completion"
    for option in $options; do
        grep -qE "^ +(-., )?$option( |$)" help || fail "$command --help does not have $option"
        [ $option = --help ] || grep -qE "^\.BR .*$option( |$)" man || fail "the man page does not have $option"
    done
done

ok surekrig fit --help
cp "$out" help
ok surekrig settings --json
for setting in $(grep -o '"name": "[^"]*"' "$out" | cut -d '"' -f 4); do
    grep -qE "^ +--$setting " help || fail "fit --help does not have the setting $setting"
done
# a setting is told in a few words, and nothing runs over the page
grep -qxE ' +--loss +What training minimises \[block\]' help || fail "fit --help tells more of a setting than what it is"
awk 'length > 101 || / $/ { print; found = 1 } END { exit found }' help || fail "a line of fit --help is longer than a page is wide"
fails 2 "there is no command 'nosuch'" surekrig help nosuch
# lists of command lines keep their lines in the manual page
if command -v groff >/dev/null; then
    ok surekrig help --man
    groff -k -man -Tutf8 "$out" | sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' >page
    for line in "surekrig plot map POINTS" "surekrig plot calibration PREDICTIONS|MODEL TEST" "surekrig plot trace MODEL"; do
        grep -qE "^ +$(sed 's/|/[|]/' <<<"$line")$" page || fail "the manual page has no line '$line'"
    done
fi

# the scores that summaries tell are explained
ok surekrig score --help
for score in MAE RMSE COV CRPS INT; do prints "$score"; done
[[ $(tr '\n' ' ' <"$out") == *"the share of values inside their interval"* ]] || fail "score --help does not say what COV is"
