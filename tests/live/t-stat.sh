#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-stat counts what a program is known to do, and what perf stat counts in the same run; nothing is
# left in tracefs whatever ends it.
#
# needs: root tracefs
# area: tools
# shellcheck disable=SC2317 # by wait_for
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

stat=$TC_BUILDDIR/tc-stat
[ -x "$stat" ] || skip_all "tc-stat is not built in $TC_BUILDDIR"
[ -d "$tracefs/events/syscalls/sys_enter_getppid" ] || skip_all "there are no events of system calls"
helper calls
# Where others may be counted, too, it has a name of its own.
mine=calls.$$
cp calls "$mine"
mkfifo go gone || exit 1
event=syscalls:sys_enter_getppid
# counting PID [SUFFIX]: tc-stat with this pid counts
counting() {
	traces "tc-stat.$1${2:-}"
}

# count FILE [EVENT]: the sum of the counts of an event in a file of -x,
count() {
	awk -F, -v event="${2:-$event}" '$3 == event { n += $1 } END { printf "%d\n", n }' "$1"
}

# named ARG...: tc-stat into "out". The kernel does not save the name of a thread while another CPU saves one
# (trace_save_cmdline()); then it is that of "calls" here.
named() {
	"$stat" -o out "$@" 2>err
	named_status=$?
	sed -i 's/<\.\.\.>-/calls-/' out
	return $named_status
}

# sum TEXT FILE: of the counts in rows with TEXT
sum() {
	awk -F '[,;]' -v text="$1" 'index($0, text) { n += $3 } END { print n + 0 }' "$2"
}

# sum_is TEXT FILE N: at least
sum_is() {
	[ "$(sum "$1" "$2")" -ge "$3" ]
}

# two_bursts OPTION...: sums, in tens, of the intervals in which 700 calls are made, and of those after it, in which 300 are
two_bursts() {
	rm -f out
	"$stat" -I 100 -o out "$@" -- sh -c './calls fork 700 1; read -r now <go; ./calls fork 300 1' 2>err &
	counter=$!
	wait_for $counter sum_is getppid out 700
	cp out first
	echo now >go
	wait $counter
	first=$(sum getppid first)
	echo $((first / 10 * 10)) $((($(sum getppid out) - first) / 10 * 10))
}

cat >all <<'END'
#!/usr/bin/python3
import os
kinds = [["fork", "10000", "16"], ["thread", "10000", "16"], ["exec", "10000", "16"], ["fork", "2500", "64"]]
for kind in kinds:
    if not os.fork():
        os.execv("./calls", ["calls"] + kind)
for kind in kinds:
    os.wait()
END
chmod +x all
# counts NAME WANTED COMMAND...
counts() {
	name=$1
	want=$2
	shift 2
	"$stat" -x, -o out -e "$events" -- "$@" 2>err
	is "$name: exit status" $? 0
	is "$name: the count is exact" "$(count out)" "$want"
	nothing "$name: no notice" "$(cat err)"
}

# Counted by the kernel in an instance of their own, and, being more than four, read: TC_STAT_CALLS is
# how many calls are made at most. The buffer of a CPU has room for 400000, however late they are read.
many=${TC_STAT_CALLS:-3000000}
few=$((many < 400000 ? many : 400000))
rare=syscalls:sys_enter_swapon,syscalls:sys_enter_swapoff,syscalls:sys_enter_acct,syscalls:sys_enter_reboot
for events in $event "$event,$rare"; do
	n=$many
	[ "$events" = $event ] || n=$few
	counts "no call" 0 true
	counts "one call" 1 ./calls fork 1 1
	counts "$n calls on one CPU" "$n" ./calls fork "$n" 1
	counts "$n on two CPUs" "$n" ./calls fork $((n / 2)) 2
	counts "threads" 160000 ./calls thread 10000 16
	counts "children" 160000 ./calls fork 10000 16
	counts "children that end at once" 64 ./calls fork 1 64
	counts "executions" 30000 ./calls exec 1000 30
	# Tasks of all kinds come and go at a time; "all" waits for them without asking for its parent.
	counts "forks, threads, executions and ends in between" 640000 ./all
done

# account N: of N calls, what was counted and what was lost, and whether the row says so
account() {
	python3 -c '
import json, sys
row = json.loads(open("out").readline())
n, count, lost = int(sys.argv[1]), float(row["counter-value"]), int(row["lost"])
print(n <= count + lost < n + 100, lost > 0, row.get("bound"))' "$1" 2>&1
}
"$stat" -j -o out -e "$event,$rare" -- ./calls fork "$many" 1 2>err
case $(account "$many") in
"True False None" | "True True lower") pass "$many that are read meanwhile: each is counted or lost" ;;
*) fail "$many that are read meanwhile: each is counted or lost" "$(account "$many")" ;;
esac

# More than four are read from one instance.
four="$event,syscalls:sys_exit_getppid,raw_syscalls:sys_enter,sched:sched_switch"
for events in "$event" "$event,syscalls:sys_exit_getppid" "$four" "$four,$rare"; do
	"$stat" -x, -o out -e "$events" -- ./calls fork 20000 2 2>err
	for one in $(echo "$events" | tr , ' '); do
		case $one in
		*getppid) is "$events: $one" "$(count out "$one")" 40000 ;;
		syscalls:*) is "$events: $one" "$(count out "$one")" 0 ;;
		*) runs "$events: $one" test "$(count out "$one")" -ge 1 ;;
		esac
	done
done
"$stat" -x, -o out -e $event -f 'common_pid == 0' -e 'syscalls:sys_*_getppid' -- ./calls fork 50 1 2>err
is "a filter belongs to its event; a glob is each event on its own" \
	"$(cut -d, -f1,3 out | tr '\n' ' ')" "0,$event 50,$event 50,syscalls:sys_exit_getppid "
"$stat" -x, -o out -e "$rare" -e $event -f 'common_pid == 0' -e 'syscalls:sys_*_getppid' -- \
	./calls fork 50 1 2>err
is "also where the others are read" "$(sed 1,4d out | cut -d, -f1,3 | tr '\n' ' ')" \
	"0,$event 50,$event 50,syscalls:sys_exit_getppid "
"$stat" -v -x, -o out -e syscalls -- ./calls exec 500 20 2>err
has "a system with hundreds of events: -v says how it is counted" err "counted by their ids"
is "each of its events has a row" "$(wc -l <out)" \
	"$(find "$tracefs/events/syscalls" -mindepth 1 -type d | wc -l)"
is "a system: the count is exact" "$(count out) $(count out syscalls:sys_exit_execve)" "10000 20"

# A reader that is stopped loses what the ring buffer has no room for, and the kernel counts it.
"$stat" -j -o out -e "$event,$rare" -- sh -c 'read -r now <go; ./calls fork 3000000 1; : >finished' 2>err &
counter=$!
wait_for $counter counting $counter || fail "losses: counting begins" "$(cat err)"
kill -STOP $counter
wait_for $counter is_stopped $counter
echo now >go
wait_for $counter test -e finished
kill -CONT $counter
wait $counter
is "losses: exit status" $? 0
is "losses: what was counted and what was lost is what happened, and the row says so" "$(account 3000000)" \
	"True True lower"
has "losses: a notice says so" err "the counts are lower bounds"

"$stat" -x, -o out -i -e $event -- ./calls fork 500 2 2>err
is "-i: children are not counted" "$(count out)" 0
"$stat" -x, -o out -r 3 -e $event -- ./calls fork 500 2 2>err
is "-r: the mean of runs that are alike, without deviation" \
	"$(cut -d, -f1,3,4 out)" "1000,$event,0.00%"

if command -v perf >/dev/null && perf stat -e $event true 2>/dev/null; then
	for events in $event,syscalls:sys_enter_sched_setaffinity \
		$event,syscalls:sys_enter_sched_setaffinity,$rare; do
		n=$many
		[ "${events%"$rare"}" = "$events" ] || n=$few
		perf stat -x, -o perf.out -e "$events" -- \
			"$stat" -x, -o out -e "$events" -- ./calls fork $((n / 7)) 7
		for one in $event syscalls:sys_enter_sched_setaffinity; do
			is "perf stat counts the same $one in the same run ($events)" \
				"$(count out "$one")" "$(count perf.out "$one")"
		done
	done
	# Whatever the tool's child does before its exec is not COMMAND's.
	calls=raw_syscalls:sys_enter,raw_syscalls:sys_exit,sched:sched_process_exec
	perf stat -x, -o perf.out -e $calls -- ./calls fork 300 1
	"$stat" -x, -o out -e $calls -- ./calls fork 300 1
	is "perf stat counts as many calls of the same program" "$(cut -d, -f1,3 out)" \
		"$(grep -v '^#' perf.out | cut -d, -f1,3 | grep .)"
else
	skip "perf stat counts the same in the same run" "there is no perf stat for tracepoints"
fi

"$stat" -x, -A -o out -e $event -- ./calls fork 3000 2 2>err
is "-A: a row for each CPU" "$(cut -d, -f1,2,4 out | head -n 2 | tr '\n' ' ')" "CPU0,3000,$event CPU1,3000,$event "
"$stat" -x, -A -o out -e "$event,$rare" -- ./calls fork 3000 2 2>err
is "-A: also of events that are read" "$(cut -d, -f1,2,4 out | head -n 2 | tr '\n' ' ')" \
	"CPU0,3000,$event CPU1,3000,$event "
# Not only COMMAND's; whatever else runs there meanwhile, a filter leaves it out
cp calls "others.$$"
sh -c "read -r now <go; ./others.$$ fork 500 2; echo now >gone" &
child=$!
"$stat" -x, -C 1 -o out -e $event -f "comm == \"$mine\" || comm == \"others.$$\"" -- \
	sh -c "./$mine fork 3000 2; echo now >go; read -r now <gone" 2>err
wait $child
is "-C: all tasks of that CPU alone" "$(count out)" 3500
"$stat" -x, -C 1 --comm "$mine" -o out -e $event -- "./$mine" fork 3000 2 2>err
is "-C: of named tasks only what they do on that CPU" "$(count out)" 3000
# zeros N: so many intervals without events have been printed
zeros() {
	[ "$(grep "$event" rows | cut -d, -f2 | grep -cx 0)" -ge "$1" ]
}
for events in "$event" "$event,$rare"; do
	rm -f rows
	"$stat" -x, -I 100 -o rows -e "$events" -- \
		sh -c './calls fork 700 1; read -r now <go; ./calls fork 300 1' 2>err &
	counter=$!
	runs "-I: an interval without events is 0" wait_for $counter zeros 3
	echo now >go
	wait $counter
	grep "$event" rows >out
	# some shells ask for their parent, too
	between "-I: the intervals add up" "$(awk -F, '{ n += $2 } END { print n }' out)" 1000 1001
	runs "-I: intervals" test "$(wc -l <out)" -ge 5
	"$stat" -x, -I 100 --interval-count 3 -o out -e "$events" -a 2>err
	is "-I: ends after so many intervals" "$(grep -c $event out)" 3
done
# Each of these threads makes as many calls; the other tasks make none.
named -x, --per-thread -e $event -- sh -c './calls thread 700 3; exec ./calls fork 50 2'
is "--per-thread: exit status" $? 0
is "--per-thread: a row for each, the largest count first" \
	"$(awk -F, '$2 >= 50' out | sed 's/-[0-9]*,/,/' | cut -d, -f1,2,4 | tr '\n' ' ')" \
	"calls,700,$event calls,700,$event calls,700,$event calls,50,$event calls,50,$event "
is "--per-thread: in order" "$(cut -d, -f2 out | sort -c -rn 2>&1)" ""
is "--per-thread: threads have different numbers" "$(cut -d, -f1 out | sort | uniq -d)" ""
# By what each says of itself
cat >tids.py <<'END'
import ctypes, os, threading
libc = ctypes.CDLL(None)
def work(n):
    for _ in range(n):
        libc.getppid()
    os.write(1, b"%d %d\n" % (threading.get_native_id(), n))
threads = [threading.Thread(target=work, args=(100 * i,)) for i in range(1, 6)]
[t.start() for t in threads]
[t.join() for t in threads]
END
"$stat" -j -o out --per-thread --top 5 -e $event -- python3 tids.py >said 2>err
is "--per-thread -j: threads, and what each did" "$(python3 -c 'import json
for line in open("out"):
    row = json.loads(line)
    print(row["thread"].rpartition("-")[2], int(float(row["counter-value"])))' 2>&1)" "$(sort -rn -k 2 said)"
# A shell may ask for its parent.
is "--per-thread -I: threads are in the interval that they ran in" "$(two_bursts -x, --per-thread -e $event)" "700 300"
named --per-thread -e $event -- ./calls thread 70 1
is "--per-thread: columns of the text" "$(grep getppid out | sed 's/-[0-9]* */-TID /')" \
	"           calls-TID 70      $event"
"$stat" -e $event -f 'common_pid == 1' -e $event --per-thread -- true 2>err
is "--per-thread: status of an event that is named twice" $? 2
# Values of fields: what the calls say themselves
"$stat" -v -x ';' -o out --by fd --top 3 -e syscalls:sys_enter_close -f 'fd > 999' -- ./calls close 700 1 2>err
is "--by: exit status" $? 0
has "--by: -v says how it is counted" err "counted by"
is "--by: keys of equal counts are in order; --top" "$(cut -d ';' -f 1,2,4 out | tr '\n' ' ')" \
	"1000000;1;syscalls:sys_enter_close 1000001;1;syscalls:sys_enter_close 1000002;1;syscalls:sys_enter_close "
"$stat" -x ';' -o out --by fd -e syscalls:sys_enter_close -f 'fd > 999' -- ./calls close 20000 1 2>err
is "--by: each of 20000 values has a row, if events are read" \
	"$(cut -d ';' -f 2 out | sort -rn | head -n 1) $(wc -l <out)$(sed -n 's/.* \([0-9]*\) events found no room.*/+\1/p' err)" \
	"1 20000"
"$stat" -x ';' -o out --by id,ret -e raw_syscalls:sys_exit -- ./calls close 800 1 2>err
has "--by: system calls have names, and values signs" out "close,-9;800;;raw_syscalls:sys_exit;"
"$stat" -x ';' -o out --by common_pid,fd.log2 -e syscalls:sys_enter_close -f 'fd > 999' -- \
	sh -c 'echo $$; exec ./calls close 800 1' >pid 2>err
is "--by: the task, and powers of two" "$(grep -c "^$(cat pid),~ 2^20;" out) $(cut -d ';' -f 2 out | paste -sd+ | bc)" "1 800"
"$stat" -j -o out --by filename -e sched:sched_process_exec -- sh -c '/bin/true; /bin/true; exec /bin/false' 2>err
is "--by -j: JSON" "$(python3 -c 'import json
for line in open("out"):
    row = json.loads(line)
    print(row["by"], row["key"], row["counter-value"])' 2>&1 | grep 'bin/.*e' | tr '\n' ' ' | sed 's,/usr/bin,/bin,g')" \
	"filename /bin/true 2.000000 filename /bin/false 1.000000 "
is "--by -I: values are in the interval that they occurred in" \
	"$(two_bursts -x ';' --by id -e raw_syscalls:sys_enter)" "700 300"
"$stat" -e $event --by parent -- true 2>err
is "--by: status of an unknown field" $? 2
has "--by: an unknown field is named" err "event '$event' has no field 'parent'"
"$stat" -j -o out -e $event -- ./calls fork 11 1 2>err
is "-j: JSON" "$(python3 -c 'import json, sys
for line in open("out"):
    row = json.loads(line)
    print(row["counter-value"], row["event"], row["unit"], row["lost"], row["misses"])' 2>&1)" \
	"11.000000 $event  0 0"
"$stat" -e $event -- ./calls fork 11 1 >stdout 2>err
has "text: heading" err " Performance counter stats for './calls fork 11 1':"
has "text: count" err "                11      $event"
has "text: times" err " seconds time elapsed"
nothing "COMMAND has standard output for itself" "$(cat stdout)"
"$stat" --append -x, -o out -e $event -- ./calls fork 22 1 2>err
is "--append adds to the file" "$(wc -l <out)" 2

# Tasks that are there already
sh -c 'read -r now <go; ./calls fork 400 2; exec ./calls thread 300 2' &
child=$!
"$stat" -x, -o out -e $event -p $child 2>err &
counter=$!
wait_for $counter counting $counter || fail "-p: counting begins" "$(cat err)"
echo now >go
wait $counter
is "-p: ends when the process has ended" $? 0
is "-p: counts it and its children" "$(count out)" 1400
"$stat" -x, -o out -e $event --comm "$mine" -- sh -c "./$mine fork 60 1; ./others.$$ fork 500 1" 2>err
is "--comm: only tasks of that name" "$(count out)" 60
"$stat" -x, -o out -a -e $event -- ./calls fork 77 1 2>err
runs "-a counts all tasks" test "$(count out)" -ge 77
"$stat" -x, -o out -e sched:sched_switch --timeout 100 2>err
is "--timeout ends it" $? 0

# System calls: how many returned and failed in a program that makes a known number
row() {
	awk -v name="$1" '$NF == name' out
}
helper counted-calls
"$stat" --syscalls -o out -- ./counted-calls 3 2 400 300 2>err
is "--syscalls: exit status" $? 0
nothing "--syscalls: no notice" "$(cat err)"
is "--syscalls: calls of all threads" "$(row getppid | awk '{ print $1, NF }')" "2400 2"
is "--syscalls: errors" "$(row close | awk '{ print $2 }')" 1800
"$stat" --syscalls --time -o out -- ./counted-calls 3 2 400 300 2>err
is "--time: calls" "$(row getppid | awk '{ print $4 }')" 2400
is "--time: each sleep takes 20 ms at least" \
	"$(row clock_nanosleep | awk '{ print ($3 >= 20000), $4 }')" "1 6"
"$stat" --syscalls -j -o out -- ./counted-calls 1 0 70 0 2>err
has "--syscalls -j: JSON" out '{"syscall":"getppid","calls":70,"errors":0,'
"$stat" --syscalls -o /dev/full -- true 2>err
is "--syscalls: status of a full disk" $? 1
"$stat" --syscalls -e $event -- true 2>err
is "--syscalls excludes -e" $? 2
nothing_of_mine "after --syscalls"

# Exit statuses
"$stat" -e $event -- sh -c 'exit 7' 2>err
is "status of COMMAND" $? 7
"$stat" -e $event -- sh -c 'kill -USR1 $$' 2>err
is "status of a killed COMMAND" $? 138
"$stat" -e $event -- ./there-is-none 2>err
is "status of a COMMAND that is not there" $? 127
"$stat" -e $event -- /etc/passwd 2>err
is "status of a COMMAND that cannot be run" $? 126
"$stat" -e $event:there-is-none -- true 2>err
is "status of an unknown event" $? 2
"$stat" -e cycles -- true 2>err
is "status of a hardware counter" $? 2
"$stat" -e cycles -- true 2>err
has "a hardware counter names perf stat" err "perf stat -e cycles counts it"
"$stat" -e $event -o /dev/full -- true 2>err
is "status of a full disk" $? 1
has "a full disk is said" err "No space left on device"
nothing_of_mine "after all that"

# Signals
for sig in INT TERM HUP; do
	"$stat" -x, -o out -e $event -a 2>err &
	counter=$!
	wait_for $counter counting $counter || fail "SIG$sig: counting begins" "$(cat err)"
	./calls fork 100 1
	kill -$sig $counter
	wait $counter
	is "SIG$sig ends it well" $? 0
	runs "SIG$sig: the counts are printed" test "$(count out)" -ge 100
	nothing_of_mine "after SIG$sig"
done
"$stat" -x, -o out -e $event,sched:sched_switch -a 2>err &
counter=$!
wait_for $counter counting $counter .1 || fail "kill -9: counting begins" "$(cat err)"
kill -KILL $counter
wait $counter 2>/dev/null
is "a killed one leaves its instances" \
	"$(find "$tracefs/instances" -name "tc-stat.$counter" -o -name "tc-stat.$counter.*" | grep -c .)" 2
"$stat" -x, -o out -e $event -- true 2>err
has "the next one says so" err "cleaned up after 1 earlier program"
nothing_of_mine "after kill -9"
finish
