#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# clocks.sh - recordings of two hosts on one time line: beside arithmetic, and beside trace-cmd
#
# area: gate report

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin clocks xz python3
report="$TC_BUILDDIR/tc-report --no-pager"
clocks=$TC_SRCDIR/tests/golden/clocks.py
cd "$tmp" || exit 1

# sound FILE: unpack a recording to $1.dat, events one by one to $1.json
sound() {
	case $2 in
	*.xz) xz -dc "$2" >"$1.dat" ;;
	*) cp "$2" "$1.dat" ;;
	esac
	$report -q --json "$1.dat" >"$1.json"
}

# stamp FILE first|last
stamp() {
	case $2 in
	first) head -n 1 "$1.json" ;;
	*) tail -n 1 "$1.json" ;;
	esac | sed 's/.*"ts":"\([0-9]*\)".*/\1/'
}

sound a "$TC_SRCDIR/tests/data/sched.dat"
if lacks_codec a.dat; then
	skip_all "zstd is not built in"
fi
sound b "$TC_SRCDIR/tests/data/recordings/x86_64-6.12/ev-v7zstd.dat.xz"
sound c "$TC_SRCDIR/tests/data/recordings/arm64/ev-v7zstd.dat.xz"
a=$(stamp a first)
b=$(stamp b first)

# with NAME OFFSET PPM [SOURCE]: NAME.dat with clock pairs, as hosts/NAME.dat
mkdir hosts
with() {
	python3 "$clocks" add "$1.dat" "hosts/$1.dat" "$2" "$3" "$(stamp "$1" first)" \
		"$(stamp "$1" last)" ${4+"$4"}
}

# modelled NAME PPM_A PPM_B [SOURCE]: b begins 20 ms after a by the reference
modelled() {
	modelled_name=$1
	offset_a=1700000000000000000
	offset_b=$((offset_a + a - b + 20000000))
	with a $offset_a "$2" ${4+"$4"}
	with b $offset_b "$3" ${4+"$4"}
	$report -q --json hosts/a.dat hosts/b.dat >merged.json
	is "$modelled_name" "$(python3 "$clocks" model $offset_a "$2" "$a" $offset_b "$3" "$b" \
		a.json b.json merged.json | tr '\n' ' ')" \
		"rows True hosts 2 times True sorted True order True "
}

modelled "merged by CLOCK_REALTIME" 0 0
modelled "merged with drift" -20 50
modelled "merged by a common reference" 15 -50 collector

# The text of the same: names of hosts, how the clocks were brought together
host_a=$($report --uname a.dat | awk '/^Linux/ { print $2 }')
host_b=$($report --uname b.dat | awk '/^Linux/ { print $2 }')
host_c=$($report --uname c.dat | awk '/^Linux/ { print $2 }')
$report --no-flags hosts/a.dat hosts/b.dat >text 2>err
is "the heading says how" "$(sed -n 's/[-+][0-9.]* s, drift [-+][0-9.]* ppm, /T /; s/+-[0-9.]* us/B/; 1,2p' text)" \
	"$host_a: clock local is the time line, B (compared with collector)
$host_b: clock local T B (compared with collector)"
is "drift is that of both clocks" "$(sed -n 's/.* drift \([-+][0-9]*\)\.[0-9]* ppm.*/\1/p' text)" -64
is "lines have the hosts' names" "$(sed -n '1,4d; s/^ *\([^:]*\): .*-[0-9]* *\[[0-9]*\] .*/\1/p' text | sort -u | tr '\n' ' ')" \
	"$(printf '%s\n' "$host_a" "$host_b" | sort | tr '\n' ' ')"
is "events that are too close are counted once, at the end" "$(grep -c 'is not certain' err)" 1

# ts_bound of the formats for engines is the bound of the heading, whichever format it is.
bounds() {
	sed -n "s/^$host_a: .* +-\\([0-9]*\\)\\.\\([0-9]*\\) us .*/$host_a \\1\\2/p
		s/^$host_b: .* +-\\([0-9]*\\)\\.\\([0-9]*\\) us .*/$host_b \\1\\2/p" text | sed 's/ 0*\([0-9]\)/ \1/'
}
$report -q --wide --json hosts/a.dat hosts/b.dat >wide.json
$report -q --wide --csv hosts/a.dat hosts/b.dat >wide.csv
$report -q --arrow --compression none -o wide.arrows hosts/a.dat hosts/b.dat
$report -q --arrow=tables --compression none hosts/a.dat hosts/b.dat
is "ts_bound is what the heading says" "$(PYTHONDONTWRITEBYTECODE=1 python3 "$clocks" bounds \
	wide.json wide.csv wide.arrows tables/*.arrows | sort -u)" "$(bounds | sort)"
is "ts_bound: both hosts have one" "$(bounds | grep -c ' [1-9]')" 2
is "ts_bound stays with --align-ts" "$($report -q --align-ts --wide --json hosts/a.dat hosts/b.dat |
	grep -c '"ts_bound":[1-9]')" "$(wc -l <wide.json)"
for how in "--no-clocks hosts/a.dat hosts/b.dat" hosts/a.dat; do
	# shellcheck disable=SC2086 # several words
	is "ts_bound is null: $how" "$($report -q --wide --json $how | grep -vc '"ts_bound":null,')" 0
done
$report -q --wide --json hosts/a.dat hosts/b.dat c.dat | grep "\"host\":\"$host_c\"" >out
is "ts_bound is null for a host that was not compared" "$(grep -c . out),$(grep -vc '"ts_bound":null,' out)" \
	"$(wc -l <c.json),0"

# With both, that with the smaller error counts: CLOCK_REALTIME is 2 us wrong.
for bound in 500 5000; do
	for name in a b; do
		offset=$offset_a
		[ $name = a ] || offset=$offset_b
		with $name "$offset" 0
		python3 "$clocks" add hosts/$name.dat both.dat $((offset - 1000000000)) 0 "$(stamp $name first)" \
			"$(stamp $name last)" collector $bound && mv both.dat hosts/$name.dat
	done
	$report -q --no-flags hosts/a.dat hosts/b.dat | sed -n '1,2s/.*(\(.*\))$/\1/p' | sort -u >out
	is "the better comparison is used: +-$bound ns" "$(cat out)" \
		"$([ $bound -lt 2000 ] && echo compared with collector || echo its CLOCK_REALTIME, synchronized)"
	$report -q --json hosts/a.dat hosts/b.dat >merged.json
	is "and its times: +-$bound ns" "$(python3 "$clocks" model $offset_a 0 "$a" $offset_b 0 "$b" \
		a.json b.json merged.json | tr '\n' ' ')" \
		"rows True hosts 2 times True sorted True order True "
done
with a $offset_a 15 collector
with b $offset_b -50 collector

# A host's clock that was not compared; --ts-offset decides for itself; neither with --no-clocks.
$report -q --no-flags hosts/a.dat hosts/b.dat c.dat | sed -n 3p >out
is "a host without pairs is said to be" "$(cat out)" \
	"$host_c: time as recorded, it was not compared"
$report -q --no-flags hosts/a.dat hosts/b.dat --ts-offset 1 c.dat | sed -n 1,2p >out
is "--ts-offset stays" "$(grep -c . out):$(grep -c clock out)" 2:0
$report -q --no-clocks --json hosts/a.dat hosts/b.dat | sed 's/.*"ts":"\([0-9]*\)".*/\1/' | sort >out
cat a.json b.json | sed 's/.*"ts":"\([0-9]*\)".*/\1/' | sort >want
is "--no-clocks shows time as recorded" "$(cmp out want && wc -l <out)" "$(wc -l <want)"

# A guest of the second host: its times by TIME_SHIFT are its host's, which has a place on the time line.
c=$(stamp c first)
shift_c=$((b - c + 5000000))
cp hosts/b.dat hosts/host.dat
id_b=$("$TC_BUILDDIR/tc-file" dump --options b.dat | sed -n '/TRACEID/{n;p;}')
python3 "$clocks" option c.dat hosts/guest.dat 12 QIIIQqQIQqQ "$id_b" 0 2 1 0 "$shift_c" 1 1 0 "$shift_c" 1
offset_b=$((offset_a + a - b + 20000000))
$report -q --json hosts/a.dat hosts/host.dat hosts/guest.dat >merged.json
is "a guest follows its host" "$(python3 "$clocks" guest "$shift_c" $offset_b -50 "$b" \
	$offset_a 15 "$a" c.json merged.json "$host_c" | tr '\n' ' ')" "rows True times True "
$report -q --json hosts/guest.dat hosts/host.dat hosts/a.dat >merged.json
is "its host's clock is the time line where it is first" "$(python3 "$clocks" guest "$shift_c" $offset_b -50 "$b" \
	$offset_b -50 "$b" c.json merged.json "$host_c" | tr '\n' ' ')" "rows True times True "
is "and the others follow" "$(python3 "$clocks" guest 0 $offset_a 15 "$a" $offset_b -50 "$b" \
	a.json merged.json "$host_a" | tr '\n' ' ')" "rows True times True "
is "the heading names the guest's host" "$($report -q --no-flags hosts/a.dat hosts/host.dat hosts/guest.dat | sed -n 3p)" \
	"$host_c: a guest of $host_b, time by TIME_SHIFT"

# A part of the time is the same lines as among all.
$report -q --fields=time,host,cpu,event hosts/a.dat hosts/b.dat >all
from=$(sed -n 40p all | cut -f 1)
to=$(sed -n 300p all | cut -f 1)
$report -q --fields=time,host,cpu,event --time "$from,$to" hosts/a.dat hosts/b.dat >part
is "--time is that of the time line" "$(sed -n 40,300p all | cmp - part && wc -l <part)" 261

# One host
$report -q --json --host "$host_b" hosts/a.dat hosts/b.dat >out
is "--host leaves out the others" "$(cmp out b.json && wc -l <out)" "$(wc -l <b.json)"
$report -q --host 'x*' hosts/a.dat hosts/b.dat >out 2>err
is "--host without a recording" "$?:$(cat out)" 2:
is "--host names the hosts" "$(cat err)" \
	"tc-report: --host 'x*': the recordings are from $host_a, $host_b"
cp hosts/b.dat hosts/b2.dat
is "several files of one host" "$($report -q --select sched_switch hosts/a.dat hosts/b.dat hosts/b2.dat |
	sed -n '1,6d; s/^ *\([^ ]*\): .*-[0-9]* *\[[0-9]*\] .*/\1/p' | sort -u | tr '\n' ' ')" \
	"$(printf '%s\n' "$host_a" "$host_b:b.dat" "$host_b:b2.dat" | sort | tr '\n' ' ')"

# Files for other programs keep the hosts apart.
$report -q --chrome=chrome.json hosts/a.dat hosts/b.dat
is "--chrome labels processes with their hosts" "$(python3 -c '
import json
events = json.load(open("chrome.json"))
events = events["traceEvents"] if isinstance(events, dict) else events
labels = {}
for e in events:
    if e["name"] == "process_labels":
        labels.setdefault(e["args"]["labels"], set()).add(e["pid"])
print(*sorted(labels), len(labels) == 2 and not set.intersection(*labels.values()))')" \
	"$(printf '%s\n' "$host_a" "$host_b" | sort | tr '\n' ' ')True"

# trace-cmd merges with an offset by hand, one for all events of a file. Its text differs from ours
# in values, which beside.sh compares: here all up to the name of the event. From 3.2 on it has flags.
if ! command -v trace-cmd >/dev/null; then
	skip "order beside trace-cmd" "no trace-cmd"
else
	offset_a=1700000000000000000
	with a $offset_a 0
	with b $((offset_a + a - b + 20000000)) 0
	trace-cmd report -t -i a.dat -i b.dat --ts-offset $((a - b + 20000000)) 2>/dev/null >theirs
	$report -q -t --no-flags hosts/a.dat hosts/b.dat >ours
	for f in theirs ours; do
		sed -n "s/^ *$host_a:/a.dat:/; s/^ *$host_b:/b.dat:/
			s/^\(.*-[0-9]* *\[[0-9]*\]\) [^ 0-9][^ ]* /\1 /
			s/^ *\([ab].dat\): *\(.*-[0-9]*\) *\[\([0-9]*\)\] *\([0-9.]*\): \([^ :]*\):.*/\1 \2 \3 \4 \5/p" \
			"$f" >$f.cut
	done
	is "order beside trace-cmd" "$(cmp theirs.cut ours.cut && wc -l <ours.cut)" \
		"$(cat a.json b.json | wc -l)"
fi

# tc-file convert makes files that trace-cmd puts on one time line by itself.
with a $offset_a 15 collector
with b $offset_b -50 collector
file=$TC_BUILDDIR/tc-file
$file convert --time-line hosts/a.dat -o to-a.dat hosts/b.dat 2>err
is "convert --time-line states the bound" "$(sed 's/+-[0-9]*\.[0-9]* us/B/' err)" \
	"tc-file: times are those of 'hosts/a.dat', B"
$report -q --json hosts/a.dat hosts/b.dat | sed 's/.*"ts":"\([0-9]*\)".*/\1/' >want
$report -q --json hosts/a.dat to-a.dat | sed 's/.*"ts":"\([0-9]*\)".*/\1/' >out
# aligned FILE: times in it and in want, by how many ns they differ at the most
aligned() {
	paste "$1" want | awk '{ d = substr($1, 6) - substr($2, 6); if (d < 0) d = -d; if (d > most) most = d }
		substr($1, 1, 5) != substr($2, 1, 5) { most = 1e9 }
		END { print NR, (most <= 2) }'
}
is "their reports have the same times" "$(aligned out)" "$(wc -l <want) 1"
is "a recording has one time line" "$($file convert --time-line hosts/a.dat -o no.dat to-a.dat 2>&1)" \
	"tc-file: 'to-a.dat' cannot be aligned: its times are those of another recording already"
is "a recording that was not compared is refused" "$($file convert --time-line hosts/a.dat -o no.dat c.dat 2>&1 |
	sed "s/: it has no id (option TRACEID)/: R/; s/: its clock was not compared with any other/: R/")" \
	"tc-file: 'c.dat' cannot be aligned: R"
with b $offset_b -50 another
is "so are those that were compared with different clocks" "$($file convert --time-line hosts/a.dat -o no.dat hosts/b.dat 2>&1)" \
	"tc-file: 'hosts/b.dat' cannot be aligned: both were not compared with one clock"
is "nothing is left of them" "$(ls no.dat* 2>/dev/null)" ""
if ! command -v trace-cmd >/dev/null; then
	skip "trace-cmd shows one time line" "no trace-cmd"
else
	trace-cmd report -t -i hosts/a.dat -i to-a.dat 2>/dev/null |
		sed -n 's/^.*-[0-9]* *\[[0-9]*\] *\([0-9]*\)\.\([0-9]*\): .*/\1\2/p' >theirs
	is "trace-cmd shows one time line" "$(aligned theirs)" "$(wc -l <want) 1"
	trace-cmd report -t -i hosts/a.dat -i hosts/b.dat 2>/dev/null |
		sed -n 's/^.*-[0-9]* *\[[0-9]*\] *\([0-9]*\)\.\([0-9]*\): .*/\1\2/p' >theirs
	is "which it does not without" "$(aligned theirs)" "$(wc -l <want) 0"
fi
finish
