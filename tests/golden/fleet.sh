#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A spool that was recorded earlier is fetched while the sender or the collector is killed 200 times, after any
# number of bytes: what comes out is what tc-fleet receive makes of the whole stream. No root, no network.
#
# area: gate network
# cost: 10

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin fleet python3
PATH=$TC_BUILDDIR:$PATH
stream=$TC_SRCDIR/tests/data/sched.stream
py=$TC_SRCDIR/tests/golden/fleet.py
cd "$tmp" || exit 1

! lacks_codec "$stream" || skip_all "zstd is not built in"
tc-fleet receive -q -o whole.dat "$stream" || fail "the stream is received"
tc-report --no-pager whole.dat >whole.text
is "it has events" "$(awk 'END { print (NR > 1000) }' whole.text)" 1
is "its records are numbered without gaps" "$(python3 "$py" stamps "$stream" | awk '$2 != 1 && $1 != ++n' | wc -l)" 0

: | tc-fleet receive -q -o none.dat 2>none.err
is "an empty stream fails" $? 1
nothing "and leaves no file" "$(find . -name 'none.dat*')"

mkdir -m 700 spool

# begin_again: the recording is only on the host
begin_again() {
	rm -rf run spool/kept
	mkdir run run/host
	python3 "$py" spool "$stream" spool/kept || exit 1
	printf 'tc-record\n%s\nrunning\thost\tkept\thost/f.dat\n' "$tmp/spool" >run/fleet.tab
}

# fetch: once, without a second connection
fetch() {
	tc-fleet fetch -q -o run --reconnect 1ms --ssh "python3 '$py' connect" 2>fetch.err
}

# check: compare what was fetched with the whole stream
check() {
	tc-report --no-pager run/host/f.dat >killed.text 2>&1
	cmp whole.text killed.text >>different 2>&1
	tc-report --no-pager --stat run/host/f.dat | cmp - whole.stat >>different 2>&1
	find run/host spool -name 'f.dat?*' -o -name 'kept*' >>left
}

tc-report --no-pager --stat whole.dat >whole.stat
kills=0
bytes=1
completed=0
begin_again
while [ $kills -lt 200 ]; do
	# 0 to 32766 bytes, in no order
	bytes=$(((bytes * 1103 + 12345) % 32767))
	if [ $((kills % 2)) = 0 ]; then echo "sender $bytes"; else echo "collector $bytes"; fi >plan
	if fetch; then
		completed=$((completed + 1))
		check
		begin_again
	else
		kills=$((kills + 1))
	fi
done
: >plan
fetch
is "the last fetch is complete" $? 0
check

# The manifest of a folder, and what is found when something in it was changed
begin_again
fetch
is "a folder is as its manifest says" "$(tc-fleet check -o run) $?" "host: ok 0"
is "the sum is that of sha256sum" "$(sed -n 's/.*"sha256":"\([0-9a-f]*\)".*/\1/p' run/manifest.json)" \
	"$(sha256sum run/host/f.dat | cut -d ' ' -f 1)"
is "so is the size that of stat" "$(sed -n 's/.*"size":\([0-9]*\).*/\1/p' run/manifest.json)" \
	"$(stat -c %s run/host/f.dat)"
is "the counts are those of the report" "$(sed -n 's/.*"file_events":\([0-9]*\).*/\1/p' run/manifest.json)" \
	"$(grep -c ': ' whole.text)"
is "the boot and the kernel are in it" \
	"$(python3 -c 'import json; h = json.load(open("run/manifest.json"))["hosts"][0]; print(len(h["boot"]), "." in h["kernel"])')" \
	"36 True"
cp -r run again
tc-fleet fetch -q -o again --ssh false
is "fetch again keeps the manifest" "$(cmp run/manifest.json again/manifest.json 2>&1)" ""
printf x | dd of=again/host/f.dat bs=1 seek=5000 conv=notrunc status=none
is "a byte that was changed is found" "$(tc-fleet check -o again | grep -c 'SHA-256') $(tc-fleet check -q -o again >/dev/null; echo $?)" "1 1"
truncate -s 6000 again/host/f.dat
is "so is a file that was cut" "$(tc-fleet check -o again | cut -d ' ' -f 1-5)" "host: has 6000 bytes instead"
rm again/host/f.dat
is "and one that is missing" "$(tc-fleet check -o again)" "host: 'host/f.dat' is missing"
cp run/host/f.dat again/host/f.dat
sed -i 's/"lost":[0-9]*/"lost":77/' again/manifest.json
is "and a manifest that was changed" "$(tc-fleet check -o again)" "host: its line in manifest.json was changed"
sed -i 's/\tsha256=[0-9a-f]*/\tsha256=%zz/' again/fleet.tab
tc-fleet check -o again >/dev/null 2>check.err
is "a damaged table is refused" "$? $(grep -c damaged check.err)" "1 1"

is "files were completed between 200 kills" "$([ $completed -ge 5 ] && echo yes || echo $completed)" yes
nothing "every report is that of the whole stream" "$(head -n 5 different)"
nothing "nothing is left in spools and beside files" "$(head -n 5 left)"

# A run whose data are still on hosts is not written over.
begin_again
cp run/fleet.tab kept.tab
tc-fleet record --on other --ssh false -o run -e sched 2>over.err
is "a run that is not complete is not written over" "$? $(grep -c "host 'host' may have more" over.err)" "1 1"
is "its table is as it was" "$(cmp run/fleet.tab kept.tab 2>&1)" ""
fetch
tc-fleet record -q --on other --ssh false -o run -e sched 2>over.err
is "one that is complete gives way" "$? $(grep -c other run/fleet.tab)" "1 1"

# A limited rate: 4 KiB and a tenth of a second's bytes are sent at once. No load makes it faster.
begin_again
rate=$(($(stat -c %s "$stream") / 1024 / 2))
begin_ns=$(date +%s%N)
tc-fleet fetch -q -o run --bwlimit $rate --ssh "python3 '$py' connect" 2>fetch.err
is "--bwlimit: all comes" "$? $(tc-fleet check -o run)" "0 host: ok"
is "but not faster" "$(awk -v ns=$(($(date +%s%N) - begin_ns)) 'BEGIN { print (ns > 1500000000) }')" 1
is "the rate is in the table" "$(grep bwlimit run/fleet.tab)" "$(printf 'bwlimit\t%s' $((rate * 1024)))"
tc-record --bwlimit 10 2>rate.err
is "--bwlimit needs a stream" "$? $(grep -c 'needs --stream or --resume' rate.err)" "2 1"

# The limit of the run is in its table. At it the file is completed, and nothing stays on the host.
begin_again
limit=$(($(stat -c %s whole.dat) * 3 / 4))
sed -i "2a max-size\t$limit" run/fleet.tab
tc-fleet fetch -q -o run --reconnect 1ms --ssh "python3 '$py' connect" 2>fetch.err
is "fetch keeps to the run's --max-size" $? 1
is "and says so" "$(grep -c 'larger than the limit' fetch.err)" 1
tc-report --no-pager run/host/f.dat >killed.text 2>killed.err
is "the file has the events up to there" \
	"$(awk -v all="$(wc -l <whole.text)" 'END { print (NR > 100 && NR < all) }' killed.text)" 1
is "it is not larger" "$(awk -v s="$(stat -c %s run/host/f.dat)" -v l="$limit" 'BEGIN { print (s < l + 65536) }')" 1
nothing "nothing is left of the spool" "$(ls spool)"
is "the limit stays in the table" "$(sed -n 3p run/fleet.tab)" "$(printf 'max-size\t%s' "$limit")"
sed -i '3s/.*/max-size\tmuch/' run/fleet.tab
tc-fleet fetch -q -o run 2>fetch.err
is "a limit that is not a number is refused" "$? $(grep -c damaged fetch.err)" "1 1"
tc-fleet record --on a --spool "a
b" -o bad -e sched 2>bad.err
is "so is a line end in --spool" "$? $(grep -c 'line end' bad.err)" "2 1"

# --copy: the program in the folder of that name is started only if the folder is one that tc-fleet can have made
begin_again
printf '\n%s\nrunning\thost\tkept\thost/f.dat\n' "$tmp/spool" >run/fleet.tab
# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\nsh -c "$2"\n' >here
mkdir -m 700 hosts hosts/tc-kept hosts/other
printf '#!/bin/sh\necho "kept by the copy"\n' >hosts/tc-kept/tc-record
chmod +x here hosts/tc-kept/tc-record
status() {
	TMPDIR=$tmp/hosts tc-fleet status -o run --ssh ./here
}
is "the copy is started" "$(status)" "host by the copy"
mv hosts/tc-kept/tc-record hosts/other
rmdir hosts/tc-kept
ln -s other hosts/tc-kept
is "a symbolic link to another folder is not followed" "$(status | cut -d ' ' -f 1-2)" "host ended"
rm hosts/tc-kept
printf '#!/bin/sh\nyes | head -c 2000000\n' >endless
chmod +x endless
is "an answer without an end is not read to its end" "$(tc-fleet status -o run --ssh ./endless)" \
	"host no answer: File too large"
if [ "$(id -u)" = 0 ] && mv hosts/other hosts/tc-kept && chown 65534 hosts/tc-kept; then
	is "nor is another user's" "$(status | cut -d ' ' -f 1-2)" "host ended"
fi
finish
