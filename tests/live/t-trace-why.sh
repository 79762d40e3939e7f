#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-trace --why: what calls waited for, for a program that waits for something known, and beside sums over
# the kernel's text of the same recording (trace-why.py)
#
# needs: root tracefs
# area: tools
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
[ -x "$trace" ] || skip_all "tc-trace is not built in $TC_BUILDDIR"
command -v python3 >/dev/null || skip_all "python3 is not installed"
helper waits
# value CALL EXPRESSION [NTH]: of the NTH object of a call of the program, with w its "why" and pid, child
value() {
	python3 -c 'import json, sys
pid, child = map(int, open("said").read().split())
found = [o for o in map(json.loads, open("live")) if o.get("syscall") == sys.argv[1] and o["pid"] == pid]
w = found[int(sys.argv[3])]["why"]
print(eval(sys.argv[2]))' "$1" "$2" "${3:-0}"
}

$on_one "$trace" -q --why -j --record=calls.dat -o during ./waits file >said
status=$?
"$trace" -q --why -j -i calls.dat -o live
is "exit status" "$status" 0
same "-i prints what the run printed" during live
is "sleep: it slept once, as long as asked for" \
	"$(value clock_nanosleep 'w["states"]["sleeping"]["count"], w["states"]["sleeping"]["seconds"] > 0.029')" \
	"(1, True)"
is "... and was woken by an interrupt" "$(value clock_nanosleep '[x["interrupt"] for x in w["wakers"]]')" "[True]"
is "a pipe: it was woken by who wrote" \
	"$(value read '[(x["pid"] == child, x["interrupt"]) for x in w["wakers"]]' -1)" "[(True, False)]"
is "... after its sleep" "$(value read 'w["states"]["sleeping"]["seconds"] > 0.029' -1)" True
if [ -d "$tracefs/events/exceptions/page_fault_kernel" ]; then
	is "memory that is new: a page fault" "$(value pread64 'w["faults"]' -2)" 1
	is "... that is not: none" "$(value pread64 'w["faults"]' -1)" 0
fi
is "fsync: it was blocked" "$(value fsync 'w["states"].get("blocked", w["states"].get("sleeping"))["count"] > 0')" True
case $(df -P . | awk 'END { print $1 }') in
/dev/*)
	is "... requests have the device of the file" \
		"$(value fsync 'set(b["dev"] for b in w["block"])')" "{'$(mountpoint -d "$(df -P . | awk 'END { print $NF }')")'}"
	is "... and its bytes, or more" "$(value fsync 'w["bytes"] >= 1 << 20')" True
	;;
esac
is "the sum of the states is the time off CPU" "$(value read \
	'abs(w["off_cpu"] - sum(s["seconds"] for s in w["states"].values())) < 1e-8' -1)" True

# By the kernel's text
if command -v trace-cmd >/dev/null; then
	"$trace" -q --why -j --record=more.dat -o /dev/null sh -c './waits file; ls -lR /usr/include | sort >/dev/null
		for i in 1 2 3 4 5 6 7 8; do cat /proc/self/stat & done >/dev/null; wait; cat ./* >/dev/null' >/dev/null
	"$trace" -q --why -j -i more.dat -o objects
	trace-cmd report -l -t -N -i more.dat >text 2>/dev/null
	python3 "$TC_SRCDIR/tests/live/trace-why.py" text objects >differs 2>counts
	nothing "every call waited as the kernel's text says" "$(head -n 5 differs)"
	read -r calls waited requests faults doubtful <counts
	runs "... calls" test "$calls" -ge 500
	runs "... of which some waited" test "$waited" -ge 20
	echo "# $calls calls, $waited waited, $requests with requests, $faults with faults, $doubtful doubtful"
fi

# Lines, from the file. Some kernels leave out a switch now and then, or always on a CPU that was idle,
# which the line says; whether it is right to is compared above.
"$trace" -q --why -T --record=lines.dat -o /dev/null ./waits file >said
pid=$(cut -d ' ' -f 1 said)
"$trace" -q --why -T -i lines.dat -o lines
"$trace" -q --why -j -i lines.dat -o live
is "a line follows that of the call, with its thread" \
	"$(grep -A 1 "^$pid *clock_nanosleep(" lines | tail -n 1 | sed 's/[0-9.]\{8,\}/N/g; s/ in .*//')" \
	"$(printf '%-5d     off CPU %sN: sleeping N (1)%s; woken by an interrupt' "$pid" \
		"$(value clock_nanosleep '"" if w["complete"] else "at least "')" \
		"$(value clock_nanosleep '", runnable N (1)" if "runnable" in w["states"] else ""')")"
is "calls that did not wait have none" "$(grep -A 1 "^$pid *getpid(" lines | grep -c 'off CPU')" 0
"$trace" -q --why -e trace=read -e sched:sched_switch -o live ./waits file >said 2>err
is "with -e sched:sched_switch, too: status" $? 0
has "... these are shown as events" live " sched:sched_switch: "
"$record" -q -e raw_syscalls -F -o bare.dat -- true 2>/dev/null
"$trace" --why -i bare.dat 2>err
is "a recording without switches: status" $? 2
has "... is named with what it lacks" err "option --why: 'bare.dat': 'sched:sched_switch': the recording has no such event"
"$trace" --why -c true 2>err
is "with -c: status" $? 2
nothing_of_mine "afterwards"
finish
