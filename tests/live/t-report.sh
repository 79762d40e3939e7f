#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# trace-cmd reads what tc-record writes, with the same text, and no event is missing.
#
# needs: root tracefs
# area: gate report
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# System calls, context switches, forks
cat >busy <<'END'
for _ in 1 2 3 4 5 6 7 8 9 10; do
	dd if=/dev/zero bs=512 count=2000 2>/dev/null | cat >/dev/null
done
END

# compare NAME FILE: the texts of both readers
compare() {
	if command -v trace-cmd >/dev/null; then
		trace-cmd report -i "$2" >theirs 2>theirs.err
		is "$1: trace-cmd reads it without a message" "$(cat theirs.err)" ""
		is "$1: trace-cmd finds as many events as the summary says" \
			"$(lines_of theirs | grep -vc 'EVENTS DROPPED')" "$(events_in err)"
	else
		skip "$1: trace-cmd reads it" "no trace-cmd"
		return
	fi
	if [ -x "$report" ]; then
		"$report" --compat --no-flags -i "$2" >ours 2>ours.err
		same "$1: tc-report prints the same" ours theirs
	else
		skip "$1: tc-report prints the same" "tc-report is not built"
	fi
}

for codec in zstd none; do
	# None but its own, which are few
	"$record" -F -e 'sched:*' --compression $codec -o "sleep-$codec.dat" -- sleep 1 2>err
	is "$codec: sleep 1 is recorded" $? 0
	has "$codec: nothing is lost" err "no events lost"
	compare "$codec, sched of sleep 1" "sleep-$codec.dat"
	has "$codec: its exec is in it" theirs "sched_process_exec:   filename=$(command -v sleep)"

	"$record" -e 'sched:*' -e 'syscalls:*' -e irq -e timer -e kmem -b 16M --compression $codec \
		-o "busy-$codec.dat" -- sh busy 2>err
	is "$codec: load is recorded" $? 0
	compare "$codec, load" "busy-$codec.dat"
	rm -f "busy-$codec.dat"
done
nothing_of_mine "afterwards"
finish
