# gnuplot that is not there, fails, writes half a picture or is interrupted: a sentence, and nothing is left.
make_plane
real=$PATH
mkdir "$scratch/empty" "$scratch/fake"
ln -s "$(command -v surekrig)" "$scratch/empty/surekrig"
without() { PATH=$scratch/empty "$@"; }
fails 1 "there is no gnuplot to draw with; install it (Debian package gnuplot-nox)" without surekrig plot map plane.csv -o z.png

fake() { # SCRIPT: what gnuplot does instead; asked for its version, it is there
    { echo '#!/bin/sh'; echo 'case $1 in --version) exit 0 ;; esac'; cat; } >"$scratch/fake/gnuplot"
    chmod +x "$scratch/fake/gnuplot"
}
PATH=$scratch/fake:$real
echo 'echo "line 7: nonsense" >&2; echo half >z.png; exit 1' | fake
fails 1 "gnuplot could not draw it: line 7: nonsense" surekrig plot map plane.csv -o z.png --script
echo 'exit 0' | fake
fails 1 "gnuplot could not draw it" surekrig plot map plane.csv -o z.svg --script
echo 'printf "\211PNG\r\n\032\n half of a picture, without an end" >z.png' | fake
fails 1 "gnuplot could not draw it" surekrig plot map plane.csv -o z.png
echo 'kill -KILL $$' | fake
fails 1 "gnuplot could not draw it" surekrig plot map plane.csv -o z.png
echo old >z.png # and what was there stays
fails 1 "gnuplot could not draw it" surekrig plot map plane.csv -o z.png

# a full disk, for which a limit on the size of files stands
if PATH=$real command -v gnuplot >/dev/null; then
    limited() { (ulimit -f 8 && PATH=$real && exec "$@"); }
    fails 1 "cannot write z.png: File too large" limited surekrig plot map plane.csv -o z.png
    surekrig simulate --grid 100x100 -o large.csv
    fails 1 "cannot write z.png: File too large" limited surekrig plot map large.csv -o z.png --script
fi

[ -z "${EMULATED:-}" ] || skip "an emulator is too slow for the second"
echo 'echo $$ >"$scratch/pid"; exec sleep 60' | fake
for signal in "INT 130" "TERM 143" "HUP 129"; do
    rm -f "$scratch/pid"
    interrupted_by $signal surekrig plot map plane.csv -o z.png --script
    says "interrupted; nothing was written"
    ! kill -0 "$(cat "$scratch/pid")" 2>/dev/null || fail "gnuplot was left running"
done
mkfifo endless # while points are waited for
exec 9<>endless
interrupted_by INT 130 surekrig plot map endless -o z.png
says "interrupted; nothing was written"
