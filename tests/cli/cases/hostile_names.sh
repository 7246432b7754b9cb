# Names that would be commands elsewhere: to gnuplot, to a terminal, to a browser. They are names here.
esc=$(printf '\033')
printf 'lon\033[31m,"la\nt",te\x7fmp\302\233\n1,2,3\n2,5,5\n3,3,4\n' >odd.csv
given="--nu 0.5 --rho 1 --tau2 0.1 --coverage none"
ok surekrig fit odd.csv -o odd.model $given
! grep -q "$esc" "$out" "$err" || fail "an escape reaches the terminal"
ok surekrig info odd.model
grep -qF 'features (lon [31m, la' "$out" && grep -q '^t), response te mp  ,' "$out" || tell_and_fail "the names are others"
ok surekrig predict odd.model odd.csv -o odd.predicted
! grep -q "$esc" odd.predicted || fail "an escape is in the table"
fails 1 "lon" surekrig fit odd.csv -o odd.model $given -y "$(printf 'a\033[31m')"
! grep -q "$esc" "$err" || fail "an escape is in the sentence"
fails 2 "there is no command" surekrig "x$esc[31m"
! grep -q "$esc" "$err" || fail "an escape is in the sentence on a command"

# the same command as one byte, which terminals of eight bits obey, and a turn of the direction of writing; letters stay
csi=$(printf '\233') turn=$(printf '\342\200\256') letters=$(printf '\303\233\360\237\214\215\351')
printf "x${csi}31m,u${turn}v,z$letters\n1,2,3\n2,5,5\n3,3,4\n" >odd.csv
ok surekrig fit odd.csv -o odd.model $given
ok surekrig info odd.model
grep -aqF "features (x 31m, u   v), response z$letters" "$out" || tell_and_fail "the names are others"
fails 1 "x?31m" surekrig fit odd.csv -o odd.model $given -y "x${csi}31m,$turn"
! grep -aq "$turn" "$err" || fail "a turn is in the sentence"

# what follows a line feed in a name is no sentence of ours
forged=$'no file\nsurekrig: all is well'
for command in info "fit -o odd.model" "predict odd.model" "variogram" "cv"; do
    fails 1 "no file?surekrig: all is well" surekrig $command "$forged"
    rows "$err" 1
done
fails 2 "there is no command 'no file?surekrig: all is well'" surekrig "$forged"
fails 2 "there is no option --no file?surekrig: all is well" surekrig info "--$forged"
printf 'a,b,u,v\n1,2,3,1\n2,5,5,2\n3,3,4,2\n4,1,2,3\n' >pairs.csv
ok surekrig fit pairs.csv -x a,b -y u,v --each $given -o $'m\nsurekrig: all is well.model'
! grep -q '^surekrig: all is well' "$err" || fail "a name is a line"
says "m?surekrig: all is well-u.model"
[ -s $'m\nsurekrig: all is well-u.model' ] || fail "the file has another name"

command -v gnuplot >/dev/null || exit 0
make_plane
for name in '|touch pwned;.svg' '<touch pwned;.svg' "'; system('touch pwned'); '.svg" '`touch pwned`.svg' \
    '"a$(touch pwned)".svg' '-.svg' '+.svg' '++.svg' '~.svg' '@a.svg' '$a.svg' ' |touch pwned;.svg' '.x.svg' \
    'a;system "touch pwned".svg' '!touch pwned.svg' '#.svg' '\.svg'; do
    ok surekrig plot map plane.csv -o "$name" --script
    [ -z "$(find . -name pwned)" ] || fail "a command ran, for $name"
    [ -s "./$name" ] || fail "no picture $name"
    tail -n 3 "./$name" | grep -qF '</svg>' || fail "$name is no picture"
    cp "./$name" before
    gnuplot "./${name%.svg}.gp" >/dev/null 2>&1
    [ -z "$(find . -name pwned)" ] || fail "a command ran, for the script of $name"
    cmp before "./$name" || fail "the script of $name draws another picture"
    rm "./$name" "./${name%.svg}.gp" "./${name%.svg}.gp.dat" before
done
mkdir -p '|a;touch pwned'
ok surekrig plot map plane.csv -o '|a;touch pwned/b.svg'
[ -z "$(find . -name pwned)" ] || fail "a command ran, for a folder"

# a quote comes first: gnuplot would read what follows as commands
cat >quote.csv <<'END'
"'
set print 'pwned'; print 1 #","';system('touch pwned')#","'`touch pwned`\"
1,2,3
2,5,5
3,3,4
END
ok surekrig plot map quote.csv -o quote.svg --title "';system('touch pwned')#\\\""
[ -z "$(find . -name pwned)" ] || fail "a command ran, for a column"
grep -qF "';system('touch pwned')#\\" quote.svg || fail "the title is another"

# markup in names and titles is text in the picture
printf '<script>a</script>,"b & <i>",\x27c"\n1,2,3\n2,5,5\n3,3,4\n' >markup.csv
ok surekrig plot map markup.csv -o '<b>.svg' --title '<script>t</script>'
! grep -q '<script>\|<i>\|<b>' '<b>.svg' || fail "markup is in the picture"
