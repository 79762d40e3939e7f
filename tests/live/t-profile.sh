#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-record --profile-cpu shows where programs spend their CPU time: two programs that know it (busy.c)
# are recorded, perf record alongside where there is one, and read by a second reader (profile.py). Nothing
# is left behind however it ends. Only CPU time is compared: the machine may be busy with other work.
#
# needs: root tracefs
# area: profile
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

[ -e "$tracefs/events/sched/sched_waking/enable" ] || skip_all "this kernel has no sched_waking"
command -v cc >/dev/null || skip_all "no C compiler"
command -v python3 >/dev/null || skip_all "no python3"
# Addresses in the file are those in memory.
busy=busy-$$
helper busy "$busy"
nm "$busy" >symbols

second() {
	python3 "$TC_SRCDIR/tests/live/profile.py" "$@"
}

# value FILE KEY
value() {
	awk -v key="$2" '$1 == key { print $2 }' "$1"
}

# is_sampling PID: both buffers of the recorder with this pid trace
# shellcheck disable=SC2317 # wait_for runs it
is_sampling() {
	traces "tc-record.$1.samples" && traces "tc-record.$1.runtime"
}

# A program that computes all the time: shares of its functions
perf=perf
$perf record -q -B -e cpu-clock -F 997 -g -o probe.data true >/dev/null 2>&1 || perf=
[ -z "$perf" ] || perf="$perf record -q -B -e cpu-clock -F 997 -g -o perf.data"
# shellcheck disable=SC2016,SC2086 # the inner shell's; words
"$record" --profile-cpu -o a.dat -- sh -c '
	echo $$ >pid; "$@"; true' sh $perf "./$busy" steady 2.2 >a.truth 2>err
is "steady: status" $? 0
"$TC_BUILDDIR/tc-file" dump --options a.dat >options
is "tc-file dump names what a profile has" "$(
	grep -o 'MAPS\|SYMBOLS\|TASKS AND CLOCKS\|CPU PROFILE\|CLOCK PAIRS' options | sort -u | wc -l)-$(
	grep -c unknown options)" 5-0
"$report" -i a.dat --json >a.json
second "$busy" symbols a.truth <a.json >a.found
at_least "steady: at least 1500 samples" "$(value a.found samples)" 1500
between "steady: no more samples are wrong than by chance (permille)" "$(value a.found wrong)" 0 \
	"$(value a.found chance)"
true_ns=$(value a.truth total)
between "steady: run time is CPU time, within 2 % (permille)" \
	$(($(value a.found runtime) * 1000 / true_ns)) 980 1020
has "steady: the cost is printed" err "of CPU time"
has "steady: the limits are printed" err "8 frames at most"
if [ -n "$perf" ]; then
	perf script -i perf.data -F comm,ip,sym 2>/dev/null >perf.text
fi
if [ -s perf.text ]; then
	second --perf "$busy" a.truth <perf.text >perf.found
	between "perf record -e cpu-clock, same run: wrong (permille; ours $(value a.found wrong))" \
		"$(value perf.found wrong)" 0 100
	echo "# steady: $(value a.found samples) samples, perf $(value perf.found samples);" \
		"wrong $(value a.found wrong), perf $(value perf.found wrong) permille"
else
	skip "perf record in the same run" "there is no perf, or it cannot record cpu-clock, or failed"
fi

# Merged stacks: CPU time by function, in microseconds, whose sum is right to half of one.
"$report" -i a.dat --folded >folded 2>err
is "steady: merged stacks: status" $? 0
awk '{ n += $NF } END { printf "%.0f\n", n * 1000 }' folded >folded.ns
second --total "$(cat pid)" <a.json >model.ns
between "steady: merged stacks have all run time but for rounding" \
	$(($(cat model.ns) - $(cat folded.ns))) -500 500
"$report" -i a.dat --folded --countname=ns >folded 2>err
nothing "steady: merged stacks: each function has its samples' shares of the run time" \
	"$(second --weights "$busy" symbols a.truth folded <a.json)"

# Programs that are too short to be sampled one by one
# shellcheck disable=SC2016 # the inner shell's
"$record" -q --profile-cpu=97 -o m.dat -- sh -c '
	echo $$ >pid; i=0; while [ $i -lt 300 ]; do i=$((i + 1)); grep -c x /etc/services >/dev/null; done' 2>err
"$report" -i m.dat --json >m.json
"$report" -i m.dat --folded >folded 2>err
has "short programs: the report says that they share samples" err "ran too briefly"
awk '{ n += $NF } END { printf "%.0f\n", n * 1000 }' folded >folded.ns
between "short programs: merged stacks have all run time but for rounding" \
	$(($(second --total "$(cat pid)" <m.json) - $(cat folded.ns))) -500 500
between "short programs: most of it has a sample (percent)" "$(awk '
	{ n += $NF } /\[not sampled\]/ { none += $NF } END { printf "%d", 100 * none / n }' folded)" 0 50

# A program that sleeps until its own timer expires: an estimate of its CPU time by counting samples.
# The program of the first one ran for 2.2 s, with at most 2 % more or less.
"$record" --profile-cpu -o b.dat -- "./$busy" timed 8 >b.truth 2>err
is "timed: status" $? 0
"$report" -i b.dat --json >b.json
second "$busy" symbols b.truth <b.json >b.found
true_ns=$(value b.truth total)
estimate=$(($(value b.found samples) * 1000000000 / 997))
echo "# timed: $(value b.found samples) samples are $estimate ns, getrusage has $true_ns ns"
between "timed: samples are its CPU time, within 25 % (permille)" $((estimate * 1000 / true_ns)) 750 1250
between "timed: run time is CPU time, within 2 % (permille)" \
	$(($(value b.found runtime) * 1000 / true_ns)) 980 1020

# Only COMMAND and what it starts is sampled, and a child is COMMAND's
is "only COMMAND's tasks are sampled" "$(python3 - "$busy" <<'EOP'
import json
import sys
print(sorted({e["comm"] for e in map(json.loads, open("b.json"))
              if e["buffer"] == "samples"} - {sys.argv[1], "tc-record"}))
EOP
)" "[]"
"$record" -q --profile-cpu -o c.dat -- sh -c "./$busy steady 0.2 & ./$busy steady 0.2; wait" >/dev/null
is "children are sampled" "$("$report" -i c.dat --json | python3 -c '
import json, sys
print(len({e["pid"] for e in map(json.loads, sys.stdin)
           if e["buffer"] == "samples" and e["comm"] == sys.argv[1]}))' "$busy")" 2
nothing_of_mine "profiles of programs"

# A running process, and the whole system beside other events
"./$busy" steady 60 >/dev/null &
long=$!
"$record" -q --profile-cpu=499 -P $long -e sched_switch --duration 1 -o p.dat 2>err
is "-P: status" $? 0
is "-P: only that task is sampled" "$("$report" -i p.dat --json | python3 -c '
import json, sys
print(sorted({e["pid"] for e in map(json.loads, sys.stdin) if e.get("buffer") == "samples"}))')" "[$long]"
"$report" -i p.dat | grep -c 'sched_switch:' >count
[ "$(cat count)" -gt 0 ] || fail "events of -e are recorded as well"
"$record" --profile-cpu -e sched_switch --duration 500ms -o s.dat 2>err
is "the whole system: status" "$? $(grep cannot err)" "0 "
kill $long
wait $long 2>/dev/null
is "stacks are recorded of samples only" "$("$report" -i s.dat --json | python3 -c '
import json, sys
print(sorted({e.get("buffer", "") for e in map(json.loads, sys.stdin)
              if e.get("event") in ("ftrace:user_stack", "ftrace:kernel_stack")}))')" "['samples']"
is "idle CPUs are left out" "$("$report" -i s.dat --json | python3 -c '
import json, sys
print(sum(e["pid"] == 0 for e in map(json.loads, sys.stdin) if e.get("buffer") == "samples"))')" 0

# The tick, which the kernel of another machine may not have
if [ -e "$tracefs/events/irq_vectors/local_timer_entry" ]; then
	"$record" --profile-cpu=tick -o t.dat -- "./$busy" steady 1 >t.truth 2>err
	is "tick: status" "$? $(grep -v ' events in \|sampled at\|a user stack' err)" "0 "
	has "tick: its bias is printed" err "in step with"
	"$report" -i t.dat --json | second "$busy" symbols t.truth >t.found
	# others' timers expire between ticks, and make samples, too
	at_least "tick: there are samples" "$(value t.found samples)" 50
else
	skip "tick" "this kernel has no irq_vectors:local_timer_entry"
fi

# Without real-time priorities
if setpriv --bounding-set -sys_nice true 2>/dev/null; then
	# The thread that samples waits for every other task of its CPU: how many samples there are depends on those.
	prlimit --rtprio=0:0 setpriv --bounding-set -sys_nice --inh-caps -sys_nice \
		"$record" --profile-cpu -o n.dat -- "./$busy" steady 1.2 >/dev/null 2>err
	is "without CAP_SYS_NICE: status" $? 0
	has "without CAP_SYS_NICE: a warning" err "no real-time priority"
	at_least "without CAP_SYS_NICE: there are samples" "$("$report" -i n.dat --json | python3 -c '
import json, sys
print(sum(e.get("comm") == sys.argv[1] and e.get("event") == "sched:sched_waking"
          for e in map(json.loads, sys.stdin)))' "$busy")" 1
else
	skip "without CAP_SYS_NICE" "no setpriv"
fi
if setpriv --reuid 65534 --clear-groups test ! -r "$tracefs/events" 2>/dev/null; then
	cp "$record" tc-record.copy && chmod 755 tc-record.copy . && chmod 777 .
	refuses "without permission it is refused" setpriv --reuid 65534 --clear-groups \
		./tc-record.copy --profile-cpu -o u.dat -- true
	chmod 700 .
	[ ! -e u.dat ] || fail "and no file is left"
else
	skip "without permission it is refused" "everybody may read tracefs, or there is no setpriv"
fi
nothing_of_mine "profiles of the system"

# Killed at each stage of its beginning
# shellcheck disable=SC2317 # wait_for runs them
has_journal() {
	test -e "/run/tracecraft/tc-record.$1"
}
# shellcheck disable=SC2317
has_instance() {
	test -d "$tracefs/instances/tc-record.$1.samples"
}
# shellcheck disable=SC2317
has_file() {
	test -s k.dat
}
for stage in has_journal has_instance is_sampling has_file; do
	rm -f k.dat*
	"$record" -q --profile-cpu -o k.dat --duration 600 >/dev/null 2>&1 &
	pid=$!
	wait_for $pid $stage $pid || fail "a recorder gets as far as $stage"
	kill -KILL $pid
	wait $pid 2>/dev/null
done
"$record" --profile-cpu=997 -o k.dat --duration 600 2>err &
pid=$!
wait_for $pid is_sampling $pid || fail "sampling begins" "$(cat err)"
"./$busy" steady 2 >/dev/null
kill -KILL $pid
wait $pid 2>/dev/null
"$record" --recover k.dat 2>err
is "a profile whose recorder was killed is recovered: status" $? 0
"$report" -i k.dat 2>text.err | grep -c 'sched_waking:' >count
[ "$(cat count)" -gt 0 ] || fail "and has samples" "$(cat text.err)"
"$record" -q -e sched_switch -o k2.dat -- true
nothing_of_mine "killed recorders"
is "no thread of theirs is left" "$(cat /proc/[0-9]*/task/[0-9]*/comm 2>/dev/null | grep -c "^tc-samp-$pid")" 0

# Stopped for a while: no samples of that time, and later ones
"$record" -q --profile-cpu=199 -o z.dat --duration 600 2>err &
pid=$!
wait_for $pid is_sampling $pid || fail "sampling begins" "$(cat err)"
"./$busy" steady 0.2 >/dev/null
kill -STOP $pid
wait_for $pid is_stopped $pid || fail "the recorder stops"
"./$busy" steady 0.5 >/dev/null &
stopped=$!
wait $stopped
kill -CONT $pid
"./$busy" steady 0.2 >/dev/null &
later=$!
wait $later
kill -TERM $pid
wait $pid
is "a recorder that was stopped: status" $? 0
is "has samples of later programs, none of those meanwhile" "$("$report" -i z.dat --json | python3 -c '
import json, sys
pids = {e["pid"] for e in map(json.loads, sys.stdin) if e.get("event") == "sched:sched_waking"}
print(int(sys.argv[1]) in pids, int(sys.argv[2]) in pids)' $stopped $later)" "False True"
nothing_of_mine "a recorder that was stopped"

# A disk that is full
mkdir disk
if mount -t tmpfs -o size=12m tmpfs disk 2>/dev/null; then
	"$record" --profile-cpu=9973 --compression none -o disk/f.dat -- "./$busy" steady 3 >/dev/null 2>err
	is "a full disk: status" $? 1
	has "a full disk: message" err "No space left on device"
	"$report" -i disk/f.dat 2>text.err | grep -c 'sched_waking:' >count
	[ "$(cat count)" -gt 0 ] || fail "what was written can be read" "$(cat text.err)"
	umount disk
else
	skip "a full disk" "cannot mount a tmpfs"
fi
nothing_of_mine "a full disk"
finish
