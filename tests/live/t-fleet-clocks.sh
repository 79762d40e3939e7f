#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-fleet compares the clocks of the hosts with its own over the connection. The programs of one host see clocks that
# are a known time ahead (a time namespace), and connections have known delays: the offset that is found is the one
# that was set, within the bound that is claimed, also with load and where both ways take different times.
#
# TC_CLOCKS_ROUNDS (1) repeats it; TC_CLOCKS_TABLE is a file that gets the figures.
#
# needs: root tracefs
# area: network
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

fleet=$TC_BUILDDIR/tc-fleet
[ -x "$report" ] || skip_all "tc-report is not built"
[ -x "$fleet" ] || skip_all "tc-fleet is not built"
command -v python3 >/dev/null || skip_all "no python3"
unshare --time --monotonic 1 --boottime 1 true 2>/dev/null || skip_all "no time namespaces"
mkdir -m 700 spool || exit 1
# The transport: WAY has the delays. The clocks of "ahead" are 1000 s ahead.
ahead_ns=1000000000000
cat >connect <<'END'
#!/bin/sh
COMMAND=$2
export COMMAND
in=
[ "$1" != ahead ] || in="unshare --time --monotonic 1000 --boottime 1000"
# shellcheck disable=SC2086 # several words
exec python3 "$TC_SRCDIR/tests/live/delay.py" $WAY "exec $in sh -c \"\$COMMAND\""
END
chmod +x connect

# record DIR CLOCK OPTION...: on both hosts, as DIR-HOST.dat
record_on_both() {
	dir=$1
	rm -rf "$dir"
	"$fleet" record -q --ssh ./connect --program "$record" --spool "$PWD/spool" -o "$dir" --on ahead,here \
		-C "$2" -e sched_switch --duration "$3" -- --compression none 2>err ||
		fail "$dir: is recorded" "$(cat err)"
	for host in ahead here; do
		cp "$dir/$host/"*.dat "$dir-$host.dat"
	done
}

# found FILE OFFSET: number of round trips that are stored, the greatest error, the smallest and the greatest bound (ns), and
# how many errors are beyond their bound. The clock of this machine is the reference.
found() {
	python3 "$TC_SRCDIR/tests/live/clocks.py" pairs "$1" | awk -v offset="$2" '
		$4 == 3 {
			n++
			d = $2 - $1 + offset
			if (d < 0) d = -d
			if (d > error) error = d
			if (d > $3) outside++
			if ($3 > most) most = $3
			if (least == "" || $3 < least) least = $3
		}
		END { print n + 0, error + 0, least + 0, most + 0, outside + 0 }'
}

# compare NAME: record with these delays, and append to figures
compare() {
	round=0
	while [ $round -lt "${TC_CLOCKS_ROUNDS:-1}" ]; do
		round=$((round + 1))
		record_on_both delayed mono 300ms
		echo "$1 ahead $(found delayed-ahead.dat $ahead_ns)" >>figures
		echo "$1 here $(found delayed-here.dat 0)" >>figures
	done
}

# check NAME LEAST WAY: no bound is smaller than half of the delays, LEAST ns. Where one way takes longer, WAY ns at least: the
# bound is half of both ways as they were, and the error half of their difference, which is that way without the bound.
check() {
	is "$1: clocks are compared at the start and at the end" \
		"$(awk -v name="$1" '$1 == name { rows++; few += $3 < 2 } END { print (rows >= 2), few + 0 }' figures)" "1 0"
	is "$1: the bounds have the delays in them" \
		"$(awk -v name="$1" -v least="$2" '$1 == name && $5 < least' figures)" ""
	is "$1: the error is as large as the delays make it" \
		"$(awk -v name="$1" -v way="$3" '$1 == name && $4 < way - $5' figures)" ""
	is "$1: no offset is outside its bound" "$(awk -v name="$1" '$1 == name && $7' figures)" ""
}

: >figures
export WAY
WAY="0 0 0"
compare idle
check idle 0 0
WAY="2 2 0"
compare symmetric
check symmetric 2000000 0
WAY="5 0 0"
compare asymmetric
check asymmetric 2500000 5000000
WAY="0.1 0.1 5"
compare jitter
check jitter 100000 0
pids=
for _ in 1 2 3 4; do
	sh -c 'while :; do /bin/true; done' &
	pids="$pids $!"
done
WAY="0 0 0"
compare loaded
WAY="1 6 2"
compare loaded-asymmetric
# shellcheck disable=SC2086 # several
kill $pids
check loaded 0 0
check loaded-asymmetric 3500000 6000000
[ -z "${TC_CLOCKS_TABLE-}" ] || cp figures "$TC_CLOCKS_TABLE"

# A trace clock that programs cannot read is compared by way of CLOCK_REALTIME, which the file has beside it. Time
# namespaces have no clock of that kind: both hosts have the same one.
WAY="0 0 0"
record_on_both local local 1s
for host in ahead here; do
	python3 "$TC_SRCDIR/tests/live/clocks.py" pairs local-$host.dat >$host.pairs
done
is "local: the clocks are compared" "$(awk '$4 == 3 { n++ } END { print (n >= 2) }' here.pairs)" 1
# By both hosts' files one moment of the reference is one moment of the one clock that both have.
is "local: both hosts agree within their bounds" "$(
	{
		sed 's/^/a /' here.pairs
		sed 's/^/b /' ahead.pairs
	} | awk '$5 == 3 { d[$1] = $3 - $2; e[$1] = $4 }
		END {
			x = d["a"] - d["b"]
			if (x < 0) x = -x
			print (x <= e["a"] + e["b"])
		}')" 1

# Nothing is compared where it would be another clock.
record_on_both counter counter 300ms
is "counter: nothing is compared" "$(python3 "$TC_SRCDIR/tests/live/clocks.py" pairs counter-here.dat)" ""
nothing "nothing is left in the spools" "$(ls spool)"
nothing_of_mine "tracefs"
finish
