#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lost events are counted as the kernel counts them, shown, and kept in the file.
#
# needs: root tracefs
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# COMMAND stops the recorder meanwhile, so that nobody reads, and turns tracing off itself, so that the
# counters it copies are final.
# shellcheck disable=SC2016
"$record" -b 8K -e raw_syscalls -o l.dat -- sh -c '
	kill -STOP $PPID
	dd if=/dev/zero of=/dev/null bs=1 count=100000 2>/dev/null
	kill -CONT $PPID
	cd "$0/instances/tc-record.$PPID" || exit 9
	echo 0 >tracing_on
	cat per_cpu/cpu*/stats >"$1"' "$tracefs" "$PWD/stats" 2>err
is "a buffer that is too small does not fail the recording" $? 0
lost=$(awk -F: '/^(overrun|commit overrun|dropped events)/ { n += $2 } END { print n }' stats)
is "events are lost" "$((lost > 0))" 1
is "the number is the kernel's" \
	"$(sed -n 's/^tc-record: \([0-9]*\) events lost: .*/\1/p' err)" "$lost"
has "on which CPUs" err " on CPU "
has "and what helps" err "hint: a larger ring buffer would lose fewer: -b "
# shellcheck disable=SC2016
"$record" -q -b 8K -e raw_syscalls -o q.dat -- sh -c '
	kill -STOP $PPID
	dd if=/dev/zero of=/dev/null bs=1 count=100000 2>/dev/null
	kill -CONT $PPID' 2>err
has "-q prints it, too" err " events lost: "

"$report" --stat -i l.dat >own 2>/dev/null
is "the file has the number even where its pages do not" \
	"$(awk '$1 == "(top)" { n += $4 } END { print n + 0 }' own)" "$lost"

if command -v trace-cmd >/dev/null; then
	trace-cmd report -i l.dat >text 2>/dev/null
	dropped=$(sed -n 's/^CPU:[0-9]* \[\([0-9]*\) EVENTS DROPPED\]$/\1/p' text |
		awk '{ n += $1 } END { print n + 0 }')
	if grep -q '\[EVENTS DROPPED\]' text; then
		skip "the gaps in the data add up to it" "a gap is without a count"
	else
		is "the gaps in the data add up to it" "$dropped" "$lost"
	fi
	trace-cmd report --stat -i l.dat >stat 2>/dev/null
	overrun=$(awk -F: '/^overrun/ { print "overrun:" $2 }' stats)
	is "the file has the kernel's counters" \
		"$(awk -F: '/^overrun/ { print "overrun:" $2 }' stat)" "$overrun"
else
	skip "the gaps in the data add up to it" "no trace-cmd"
fi
nothing_of_mine "recordings with losses"
finish
