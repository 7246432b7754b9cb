# GDAL opens what is a raster by its name, and goes nowhere that the user has not named.
need_gdal
make_raster good 40 30 "$HOLE?-9999:$WAVES"
gdal_translate -q -of VRT good.tif good.vrt
cp good.vrt table.csv
cp good.vrt picture.tif
ok surekrig fill good.vrt -o vrt.tif $FIXED
ok surekrig fill table.csv -o driver.tif $FIXED --driver VRT
fails 1 "table.csv is a table by its name" surekrig fill table.csv -o z.tif $FIXED
fails 1 "picture.tif is a VRT" surekrig fill picture.tif -o z.tif $FIXED
fails 1 "GDAL has no driver 'Nothing'" surekrig fill good.tif -o z.tif $FIXED --driver Nothing
fails 1 "cannot read good.tif" surekrig fill good.tif -o z.tif $FIXED --driver XYZ
fails 1 "there is no file" surekrig fill "$(cat good.vrt)" -o z.tif $FIXED
fails 1 "table.csv" surekrig fit table.csv -o z.model $GIVEN
! grep -q GDAL "$err" || tell_and_fail "GDAL was asked about a table"
ok surekrig fit good.vrt -y band_1 -o vrt.model $GIVEN

# pixels without an area, which would all be at one place
for transform in '0,0,0,0,0,0' '500000,1,2,4000000,2,4' '0,nan,0,0,0,-1'; do
    sed "s|<GeoTransform>.*</GeoTransform>|<GeoTransform>$transform</GeoTransform>|" good.vrt >flat.vrt
    fails 1 "the pixels of flat.vrt have no area" surekrig fill flat.vrt -o z.tif $FIXED
done

# a tag that cannot be read, here since it would lie beyond the end: not a raster at another place
at=$(LC_ALL=C grep -obUaP '\x0e\x83\x0c\x00\x03\x00\x00\x00' good.tif | head -n 1 | cut -d : -f 1)
cp good.tif torn.tif
printf '\x00\xff\xff\x00' | dd of=torn.tif bs=1 seek=$((at + 8)) conv=notrunc status=none
fails 1 "cannot read torn.tif" surekrig fill torn.tif -o z.tif $FIXED

# names that repeat, and that another band has already; none commands a terminal
gdalbuildvrt -q -separate plain.vrt good.tif good.tif good.tif
awk 'BEGIN { split("a#155;b,a  b_3,a#155;b", name, ",") }
    / band="/ { sub(/>$/, "><Description>" name[++n] "</Description>"); gsub("#155", "\\&#155") }
    { print }' plain.vrt >bands.vrt
fails 1 "a  b_3" surekrig fit bands.vrt -y nothing -o z.model $GIVEN
! grep -q $'\xc2\x9b' "$err" || tell_and_fail "a band's name commands the terminal"
equal "$(grep -o 'a  b_3' "$err" | wc -l)" 1

# a server that notes who asks: nobody does, by whatever way a file tells GDAL to
command -v python3 >/dev/null || exit 0
python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(9)
print(s.getsockname()[1], file=open("port.part", "w"), flush=True)
import os; os.rename("port.part", "port")
while True:
    s.accept()[0].close(); open("asked", "a").write("once\n")' &
server=$!
trap 'kill $server' EXIT
until [ -e port ]; do sleep 0.02; done
address=http://127.0.0.1:$(cat port)/a.tif
wms="&lt;GDAL_WMS&gt;&lt;Service name=\"TMS\"&gt;&lt;ServerUrl&gt;$address?\${z}\${x}\${y}&lt;/ServerUrl&gt;&lt;/Service&gt;&lt;DataWindow&gt;&lt;UpperLeftX&gt;0&lt;/UpperLeftX&gt;&lt;UpperLeftY&gt;30&lt;/UpperLeftY&gt;&lt;LowerRightX&gt;40&lt;/LowerRightX&gt;&lt;LowerRightY&gt;0&lt;/LowerRightY&gt;&lt;SizeX&gt;40&lt;/SizeX&gt;&lt;SizeY&gt;30&lt;/SizeY&gt;&lt;/DataWindow&gt;&lt;/GDAL_WMS&gt;"
for source in "/vsicurl/$address" "$address" "$wms" "NETCDF:\"$address\":a"; do
    sed "s|<SourceFilename[^>]*>[^<]*<|<SourceFilename relativeToVRT=\"0\">$(sed 's/[&|]/\\&/g' <<<"$source")<|" good.vrt >far.vrt
    grep -qF 127.0.0.1 far.vrt || fail "the test asks for nothing"
    cp far.vrt far.csv
    for file in far.vrt far.csv vrt://far.vrt; do # the last by a scheme that is no server's
        capture surekrig fill $file -o z.tif $FIXED
        capture surekrig fit $file -o z.model $GIVEN
        [ $status -ne 0 ] || fail "$file was read"
        [ ! -e asked ] || fail "$file made GDAL ask a server: $source"
    done
done
# the last, which NetCDF's library would ask, behind other VRTs; and one that names itself
mkdir inside
links=0
cp far.vrt inside/far.tif
for name in inside/far.tif chain1.vrt chain2.vrt; do
    links=$((links + 1))
    sed "s|<SourceFilename[^>]*>[^<]*<|<SourceFilename relativeToVRT=\"1\">$name<|" good.vrt >"chain$links.vrt"
    fails 1 "sources on servers" surekrig fill "chain$links.vrt" -o z.tif $FIXED
done
cp chain1.vrt inside/chain.vrt # far.tif lies beside it by its other name
sed -i 's|inside/far.tif|far.tif|' inside/chain.vrt
fails 1 "sources on servers" surekrig fill inside/chain.vrt -o z.tif $FIXED
sed 's|>[^<]*</SourceFilename|>loop.vrt</SourceFilename|' good.vrt >loop.vrt
fails 1 "sources on servers" surekrig fill loop.vrt -o z.tif $FIXED
sed 's|>[^<]*</SourceFilename|>good.vrt</SourceFilename|' good.vrt >near.vrt
ok surekrig fill near.vrt -o near.tif $FIXED
[ ! -e asked ] || fail "a VRT behind a VRT made NetCDF ask a server"
# ways that no look at a text finds: side-cars, overviews, other spellings; where the kernel forbids it, they lead nowhere
asked_by_library="NETCDF:\"${address%.tif}.nc\":a"
quoted=${asked_by_library//\"/&quot;}
overview="<Metadata domain=\"OVERVIEWS\"><MDI key=\"OVERVIEW_FILE\">$asked_by_library</MDI></Metadata>"
sed "s|<SourceFilename[^>]*>|< SourceFilename>|; s|<\( SourceFilename\)>[^<]*<|<\1>$asked_by_library<|" good.vrt >spaced.vrt
sed "s|<SimpleSource>|<SimpleSource SourceFilename=\"${quoted//&/\\&}\">|; /<SourceFilename/d" good.vrt >attribute.vrt
sed "0,/<VRTRasterBand/s||$overview<VRTRasterBand|" good.vrt >overview.vrt
cp good.tif beside.tif
echo "<PAMDataset>$overview</PAMDataset>" >beside.tif.aux.xml
ways="spaced.vrt attribute.vrt overview.vrt beside.tif"
mkdir out:
grep -q Seccomp_filters /proc/self/status || ways=
for file in $ways; do
    grep -aqF '/a.nc' $file $file.aux.xml 2>/dev/null || fail "the test of $file asks for nothing"
    capture surekrig fill $file -o z.tif $FIXED
    capture surekrig predict vrt.model $file -o z.tif -q
    capture surekrig fill $file -o out://z.tif $FIXED # nor is this one's
    [ ! -e asked ] || fail "$file made a library ask a server"
done
capture surekrig fill "/vsicurl/$address" -o z.tif $FIXED # its own words
[ -e asked ] || fail "the network is off even for who names it"
