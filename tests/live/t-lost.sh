#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lost events are counted as the kernel counts them, shown, and kept in the file.
#
# needs: root tracefs
# area: record
# also: vm
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

writes=100000
! guest || writes=20000

# dropped FILE: the sum of the gaps in a report; "?" if the kernel gave one without a count
dropped() {
	if grep -q '\[EVENTS DROPPED\]' "$1"; then
		echo '?'
	else
		sed -n 's/^CPU:[0-9]* \[\([0-9]*\) EVENTS DROPPED\]$/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }'
	fi
}

# gaps NAME FILE: those in a report add up to what was lost
gaps() {
	if [ "$(dropped "$2")" = '?' ]; then
		skip "$1" "a gap is without a count"
	else
		is "$1" "$(dropped "$2")" "$lost"
	fi
}

# COMMAND stops the recorder meanwhile, so that nobody reads, and turns tracing off itself, so that the
# counters it copies are final.
# shellcheck disable=SC2016
"$record" -b 8K -e syscalls -e raw_syscalls -o l.dat -- sh -c '
	kill -STOP $PPID
	dd if=/dev/zero of=/dev/null bs=1 count="$2" 2>/dev/null
	kill -CONT $PPID
	cd "$0/instances/tc-record.$PPID" || exit 9
	echo 0 >tracing_on
	for cpu in per_cpu/cpu*; do
		cat "$cpu/stats" >"$1.${cpu#per_cpu/cpu}"
	done' "$tracefs" "$PWD/stats" $writes 2>err
is "a buffer that is too small does not fail the recording" $? 0
cat stats.* >stats
lost=$(awk -F: '/^(overrun|commit overrun|dropped events)/ { n += $2 } END { print n }' stats)
# Each write is four events, and as many are the reads; 8 KiB hold some hundred for each CPU.
runs "events are lost" test "$lost" -gt $writes
is "the number is the kernel's" \
	"$(sed -n 's/^tc-record: \([0-9]*\) events lost: .*/\1/p' err)" "$lost"
has "on which CPUs" err " on CPU "
has "and what helps" err "hint: a larger ring buffer would lose fewer: -b "
# shellcheck disable=SC2016
"$record" -q -b 8K -e raw_syscalls -o q.dat -- sh -c '
	kill -STOP $PPID
	dd if=/dev/zero of=/dev/null bs=1 count="$0" 2>/dev/null
	kill -CONT $PPID' $writes 2>err
has "-q prints it, too" err " events lost: "

"$report" --no-flags -i l.dat >l.txt
gaps "the report shows where, and the gaps add up to it" l.txt
"$report" --stat -i l.dat >own 2>/dev/null
is "the file has the number even where its pages do not" \
	"$(awk '$1 == "(top)" { n += $4 } END { print n + 0 }' own)" "$lost"
for cpu in stats.*; do
	n=$(awk '/^overrun:/ { print $2 }' "$cpu")
	has "--stat shows that CPU ${cpu#stats.} lost $n" own "$n"
done

if command -v trace-cmd >/dev/null; then
	trace-cmd report -i l.dat >text 2>/dev/null
	gaps "the gaps that trace-cmd sees add up to it" text
	trace-cmd report --stat -i l.dat >stat 2>/dev/null
	overrun=$(awk -F: '/^overrun/ { print "overrun:" $2 }' stats)
	is "the file has the kernel's counters" \
		"$(awk -F: '/^overrun/ { print "overrun:" $2 }' stat)" "$overrun"
else
	skip "the gaps that trace-cmd sees add up to it" "no trace-cmd"
fi
keep l.dat l.txt --no-flags
nothing_of_mine "recordings with losses"
finish
