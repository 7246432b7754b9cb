# The table of settings as text, as a page and as JSON; one of them; none of that name.
ok surekrig settings
silent
cp "$out" text
ok surekrig settings --json
json "$out"
cp "$out" settings.json
ok surekrig settings --markdown
cp "$out" page
names=$(grep -o '"name": "[^"]*"' settings.json | cut -d '"' -f 4)
[ "$(echo $names | wc -w)" -ge 25 ] || fail "only these settings: $names"
for name in $names; do
    grep -q "^$name = " text || fail "no $name in the list"
    grep -q "^| \`$name\` |" page || fail "no $name on the page"
    ok surekrig settings $name
    equal "$(grep -c ' = ' "$out")" 1
    prints "Takes "
done
equal "$(grep -c ' = ' text)" "$(echo $names | wc -w)"
ok surekrig settings loss
first_line "$out" "loss = block"
fails 2 "there is no setting 'nosuch'" surekrig settings nosuch
fails 2 "there is no setting 'nosuch'" surekrig settings nosuch --json
prints_nothing
ok surekrig settings loss --json
json "$out"
equal "$(grep -c '"name"' "$out")" 1
