# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# tc-stat where the kernel has probes and histograms, and while a CPU goes offline: counts are those
# of a program that makes known calls, and equal whether the kernel or tc-stat makes them.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

command -v tc-stat >/dev/null || skip_all "no tc-stat"
command -v calls >/dev/null || skip_all "no program that makes known calls"
event=syscalls:sys_enter_getppid
rare=syscalls:sys_enter_swapon,syscalls:sys_enter_swapoff,syscalls:sys_enter_acct,syscalls:sys_enter_reboot
cpu1=/sys/devices/system/cpu/cpu1/online
trap 'echo 1 >$cpu1' EXIT

# count FILE [EVENT]: the sum of the counts of an event in a file of -x,
count()
{
	awk -F, -v event="${2:-$event}" '$3 == event { n += $1 } END { printf "%d\n", n }' "$1"
}

for events in $event "$event,$rare"; do
	for what in "fork 30000 2" "thread 3000 8" "exec 500 8"; do
		set -- $what
		# shellcheck disable=SC2086 # words
		tc-stat -x, -o out -e "$events" -- calls $what 2>err
		is "$what: the count is exact" "$? $(count out) $(cat err)" "0 $(($2 * $3)) "
	done
done

# Probes
tc-stat -x, -o out -p kprobe:vfs_read -f 'comm == "dd"' -- \
	dd if=/dev/zero of=/dev/null bs=17 count=700 2>err
n=$(count out kprobe:vfs_read)
is "a kprobe's hits: the reads of dd, and those of its start" $((n >= 700 && n < 720)) 1
tc-stat -j -o out -p 'kprobe:hrtimer_nanosleep%return' -- sh -c '
	i=0; while [ $i -lt 100 ]; do i=$((i + 1)); sleep 3 & done; wait' 2>err
# Misses are those of all tasks, and something else sleeps at times.
is "a return probe: hits and misses are the calls" "$(sed -n \
	's/.*"counter-value" : "\([0-9]*\)\..*"misses" : "\([0-9]*\)".*/\1 \2/p' out |
	awk '{ n = $1 + $2; print ($1 > 0 && $1 <= 100), ($2 > 0), (n >= 100 && n <= 110) }')" "1 1 1"
is "the probe is gone" "$(cat $T/kprobe_events)" ""

# Two at a time count the same task: one in histograms, the other, for the CPUs, reads.
# counting PID: tc-stat with this pid has turned tracing on
counting()
{
	[ "$(cat $T/instances/tc-stat."$1"/tracing_on 2>/dev/null)" = 1 ] &&
		cat $T/instances/tc-stat."$1"/events/raw_syscalls/*/trigger \
			$T/instances/tc-stat."$1"/events/sched/*/trigger $T/instances/tc-stat."$1"/set_event |
		grep -q '^[^#]'
}

# only_the_dead_differ: a task that exits is 32 (EXIT_ZOMBIE) until its parent has waited for it, then 16
# (EXIT_DEAD). That can happen between the two events of one switch, which each instance makes for itself.
only_the_dead_differ()
{
	! cmp -s hist.txt read.txt || return
	for f in hist read; do
		grep -v ',\(16\|32\);[0-9]*;sched:sched_switch$' $f.txt >$f.alive
	done
	cmp -s hist.alive read.alive
}

# both FIELDS EVENTS COMMAND: what two of them count; in "hist" and "read". Where one CPU has begun a
# row and does not run (the emulator's run in turn), the kernel drops the event of another for the
# same row, and says so (__tracing_map_insert()): then once more.
both()
{
	for _ in 1 2 3 4 5; do
		once "$@"
		grep -q "found no room" hist.err || only_the_dead_differ || break
	done
	same "$2 by $1: the same rows" hist.txt read.txt
}

once()
{
	rm -f go
	mkfifo go
	sh -c "read line <go; $3" >/dev/null 2>&1 &
	task=$!
	wait_for $task waits_in_open $task
	tc-stat -v -x ';' -o hist --by "$1" -e "$2" -p $task 2>hist.err &
	a=$!
	tc-stat -v -x ';' -o read --by "$1" -e "$2" -p $task -C 0,1 2>read.err &
	b=$!
	if ! wait_for $a counting $a || ! wait_for $b counting $b; then
		fail "$2 by $1: counting begins" "$(cat hist.err read.err)"
	fi
	echo >go
	wait $a
	is "$2 by $1: histograms: exit status" $? 0
	wait $b
	is "$2 by $1: reading: exit status" $? 0
	has "$2 by $1: counted in histograms" hist.err "in histograms"
	has "$2 by $1: read" read.err "counted by value"
	for f in hist read; do
		cut -d ';' -f 1,2,4 $f | sort >$f.txt
	done
}

both id raw_syscalls:sys_enter 'calls fork 3000 2; calls exec 10 5; ls -l /; cat /etc/passwd'
has "the calls are those that were made" hist.txt 'getppid;6050;raw_syscalls:sys_enter'
both id,ret raw_syscalls:sys_exit 'calls fork 300 2; ls -l / /none; cat /etc/passwd'
has "values are signed" hist.txt ',-2;'
# Each of the two counts all in the same tasks, whose numbers are the kernel's.
both common_pid,id.syscall raw_syscalls:sys_enter 'calls fork 300 2; ls -l /'
is "system calls by task: two made as many" "$(grep -c ',getppid;300;' hist.txt)" 2
# The kernel's own powers of two, of the same calls
both count.log2 syscalls:sys_enter_write 'for n in 1 2 3 4 5 64 65; do dd if=/dev/zero of=/dev/null bs=$n count=70; done'
is "powers of two" "$(awk -F ';' '/^~ 2\^[0-7];/ && $2 >= 70 { n++ } END { print n }' hist.txt)" 6
both prev_comm,prev_state sched:sched_switch 'calls thread 100 10; cp /bin/calls "./a b, c"; "./a b, c" fork 9 3
	sleep 0.1; ls -l /'
has "text that is not a word is in quotes" hist.txt '"a b, c"'
both filename sched:sched_process_exec 'calls exec 1 3; ls -l /; mkdir -p dir; cp /bin/calls \
	dir/a-name-of-a-program-that-is-longer-than-the-fifty-columns-of-a-string
	dir/a-name-of-a-program-that-is-longer-than-the-fifty-columns-of-a-string fork 1 1'
has "a long string" hist.txt "dir/a-name-of-a-program-that-is-longer-than-the-fifty-columns-of-a-string;1;"
both comm,pid,prio sched:sched_process_exit,sched:sched_process_free 'calls fork 10 10; ls -l /'

tc-stat -x ';' -o out --by fd,count -e syscalls:sys_enter_write -f 'count == 17 || count == 19' -- sh -c '
	dd if=/dev/zero of=/dev/null bs=17 count=70; dd if=/dev/zero of=/dev/null bs=19 count=50
	dd if=/dev/zero of=/dev/null bs=18 count=50' 2>err
is "a histogram has the filter of its event" "$(cut -d ';' -f 1,2 out | tr '\n' ' ')" "1,17;70 1,19;50 "
tc-stat -x ';' -o hist --by id -e raw_syscalls:sys_enter -- calls fork 300 2 2>err
tc-stat -x ';' -o read --by id --comm calls -e raw_syscalls:sys_enter -- calls fork 300 2 2>>err
is "histograms begin with the exec of COMMAND, too" "$(cut -d ';' -f 1,2 hist | sort | tr '\n' ' ')" \
	"$(cut -d ';' -f 1,2 read | sort | tr '\n' ' ')"
tc-stat -x ';' -o out -I 300 --by id -e raw_syscalls:sys_enter -- \
	sh -c 'calls fork 700 1; sleep 3; calls fork 300 1' 2>err
# Calls that are made at once may still fall into two intervals.
is "-I: histograms have intervals" "$(awk -F ';' '
	$2 == "getppid" && $1 - last > 1.5 { n++ }
	$2 == "getppid" { sum[n + 0] += $3; last = $1 }
	END { for (i = 0; i <= n; i++) if (sum[i] > 9) print sum[i] - sum[i] % 10 }' out | tr '\n' ' ')" "700 300 "
tc-stat --by id -o out -e raw_syscalls:sys_enter -a 2>err &
a=$!
wait_for $a counting $a || fail "kill -9: counting begins" "$(cat err)"
kill -9 $a
wait $a 2>/dev/null
tc-stat -x, -o out -e $event -- true 2>err
has "a killed one is cleaned up" err "cleaned up after 1 earlier program"
is "nothing is left of it" "$(ls $T/instances)" ""

tc-stat -j -o out --by fd --top 1 -e syscalls:sys_enter_close -- calls close 20000 1 2>err
has "more different keys than there is room for: it is said how many" err \
	"$(sed -n 's/.*"lost" : "\([0-9]*\)".*/\1/p' out) events found no room"
is "and the row is a lower bound" "$(grep -c '"bound" : "lower"' out)" 1
tc-stat -x ';' -o out --by fd -e syscalls:sys_enter_close -- calls close 9000 1 2>err
is "fewer all have a row" "$(grep -c '^10[0-9]*;1;' out) $(cat err)" "9000 "

# A CPU goes offline. The shell asks for its parent, too: only "calls" is counted.
# offline NAME WANTED SCRIPT: counts by CPU of the calls in the script
offline()
{
	# shellcheck disable=SC2086 # words
	tc-stat -x, -A -o out $others -e $event -f 'comm == "calls"' -- sh -c "$3" 2>err
	is "$1${others:+ (events are read)}" "$(grep $event out | cut -d, -f1,2 | tr '\n' ' ')" "$2"
}

for others in "" "-e $rare"; do
	[ -w $cpu1 ] || break
	offline "a CPU that goes offline and comes back keeps its count" "CPU0,500 CPU1,1000 " "
		taskset 2 calls here 400 1; echo 0 >$cpu1; calls here 500 1
		echo 1 >$cpu1; taskset 2 calls here 600 1"
	offline "so does one that stays offline" "CPU0,500 CPU1,400 " "
		taskset 2 calls here 400 1; echo 0 >$cpu1; calls here 500 1"
	has "a notice says so" err "CPU 1 went offline; its events until then are counted"
	offline "one that was offline is counted from then on" "CPU0,500 CPU1,600 " "
		calls here 500 1; echo 1 >$cpu1; taskset 2 calls here 600 1"
	has "a notice says so, too" err "CPU 1 came online and is counted from then on"
done
finish
