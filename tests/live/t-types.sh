#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each event that harmless things make happen, all in one recording: the text of every type of them
# is trace-cmd's. Only the program's own events are recorded, and no probes, which are somebody's.
#
# needs: root tracefs
# area: truth
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

command -v trace-cmd >/dev/null || skip_all "no trace-cmd to compare with"
helper every-call

# The kernel's systems of events, without those of probes: who has an event on keeps it from being removed.
kernel_systems() {
	ls "$tracefs/events" >systems
	sed 's|^[^:]*:\([^/]*\)/.*|\1|' "$tracefs/dynamic_events" >groups
	grep -vxF -f groups systems | while read -r system; do
		[ ! -e "$tracefs/events/$system/enable" ] || echo "$system"
	done
}
set --
for system in $(kernel_systems); do
	set -- "$@" -e "$system"
done
"$record" "$@" -F -c -b 16M -o all.dat -- ./every-call written 2>err
is "the program that makes each call is recorded" $? 0
has "nothing is lost" err "no events lost"
trace-cmd report -i all.dat >theirs 2>/dev/null
is "trace-cmd finds as many events as the summary says" "$(lines_of theirs | wc -l)" "$(events_in err)"
"$report" --compat --no-flags -i all.dat >ours
same "the text is trace-cmd's" ours theirs
trace-cmd report -R -i all.dat >theirs 2>/dev/null
"$report" --compat --no-flags -R -i all.dat >ours
same "-R, the fields as they are" ours theirs

nothing_of_mine "a recording of all types"

# TASK-PID [CPU] SECONDS: EVENT: ...
types=$(sed -n 's/^.*-[0-9]* *\[[0-9]*\] *[0-9.]*: \([^ :]*\):.*/\1/p' theirs | sort -u | wc -l)
available=$(wc -l <"$tracefs/available_events")
echo "# $types of $available types in $(wc -l <theirs) lines"
is "at least a third of this kernel's types of events occur" "$((3 * types >= available))" 1
calls=$(sed -n 's/^.*: \(sys_enter_[^ :]*\):.*/\1/p' theirs | sort -u | wc -l)
is "and seven in eight of its system calls" \
	"$((8 * calls >= 7 * $(grep -c '^syscalls:sys_enter_' "$tracefs/available_events")))" 1
finish
