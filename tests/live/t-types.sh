#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each event that harmless things make happen, all in one recording: the text of every type of them
# is trace-cmd's.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || skip_all "there is no C compiler"
command -v trace-cmd >/dev/null || skip_all "no trace-cmd to compare with"
# shellcheck disable=SC2086 # CC may hold options
$cc -o every-call "$TC_SRCDIR/tests/live/every-call.c" || skip_all "cannot compile"

"$record" -e all -b 16M -o all.dat -- ./every-call written 2>err
is "the program that makes each call is recorded" $? 0
has "nothing is lost" err "no events lost"
trace-cmd report -i all.dat >theirs 2>/dev/null
is "trace-cmd finds as many events as the summary says" "$(lines_of theirs | wc -l)" "$(events_in err)"
"$report" --compat --no-flags -i all.dat >ours
same "the text is trace-cmd's" ours theirs
trace-cmd report -R -i all.dat >theirs 2>/dev/null
"$report" --compat --no-flags -R -i all.dat >ours
same "-R, the fields as they are" ours theirs

# TASK-PID [CPU] SECONDS: EVENT: ...
types=$(sed -n 's/^.*-[0-9]* *\[[0-9]*\] *[0-9.]*: \([^ :]*\):.*/\1/p' theirs | sort -u | wc -l)
available=$(wc -l <"$tracefs/available_events")
echo "# $types of $available types in $(wc -l <theirs) lines"
between "at least a third of this kernel's types of events occur" $((3 * types)) "$available" \
	$((3 * available))
calls=$(sed -n 's/^.*every-call-.*: \(sys_enter_[^ :]*\):.*/\1/p' theirs | sort -u | wc -l)
between "and seven in eight of its system calls" $((8 * calls)) \
	$((7 * $(grep -c '^syscalls:sys_enter_' "$tracefs/available_events"))) 1000000
finish
