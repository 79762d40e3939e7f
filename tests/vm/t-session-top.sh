# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# tc-session where there are tracers, snapshots, histograms and probes: what is set up is what the
# kernel has then, and after a reset everything is as it was, at the top level, too. tests/live/t-session.sh has what
# works on every kernel.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

# Every control file of the top level that start may write
top()
{
	(cd $T && grep -H '' current_tracer tracing_on buffer_size_kb trace_clock set_ftrace_filter \
		set_ftrace_notrace set_graph_function max_graph_depth set_ftrace_pid set_event \
		set_event_pid tracing_cpumask trace_options events/sched/sched_switch/filter \
		events/sched/sched_switch/trigger kprobe_events && ls instances
	ls /run/tracecraft /run/tracecraft/kept)
}

# The first use of a file can change how it reads: once, before it is looked at. Where the processor's
# clock is not to be trusted, the kernel begins with another clock than its usual one.
echo local >$T/trace_clock
tc-session start -q -t -e sched -C mono
tc-session reset -t
echo 1408 >$T/buffer_size_kb
top >before

# --- the top level: state before is state after

tc-session start -t -p function -l vfs_read -e sched_switch -f 'prev_pid > 0' -R stacktrace -C mono -b 512 \
	-O sym-addr 2>err
is "start -t with a tracer" $? 0
is "the tracer is on" "$(cat $T/current_tracer)" function
is "with its functions" "$(cat $T/set_ftrace_filter)" vfs_read
is "the event has its filter" "$(cat $T/events/sched/sched_switch/filter)" "prev_pid > 0"
has "and its trigger" $T/events/sched/sched_switch/trigger stacktrace
/bin/cat /etc/passwd >/dev/null
tc-session stop
has "show prints the records of the file trace" $T/trace vfs_read
cat $T/trace >kernel
tc-session show -t >shown
same "show -t is the file trace" shown kernel
is "without -t it is found, as the only one" "$(tc-session show --current_tracer)" function
tc-session status -t >status
has "status shows the tracer" status "tracer       function"
has "and the functions" status vfs_read
has "and the option" status sym-addr
tc-session reset -t
is "reset -t" $? 0
top >after
same "the top level is as it was before" after before

# Somebody else's settings there are restored.
echo 'prev_pid > 3' >$T/events/sched/sched_switch/filter
echo 1 >$T/events/sched/sched_wakeup/enable
echo boot >$T/trace_clock
top >others
tc-session start -q -t -e sched_switch -f 'prev_pid > 9' -C mono
is "start changes it" "$(cat $T/events/sched/sched_switch/filter)" "prev_pid > 9"
tc-session reset -t
top >after
same "reset restores others' settings" after others
# without a session, -t is back to the defaults
tc-session reset -t
is "reset -t without a session: no event" "$(cat $T/set_event)" ""
is "no filter" "$(cat $T/events/sched/sched_switch/filter)" none
has "the default clock" $T/trace_clock '[local]'
top >after
same "as it was at first" after before

# --- an instance: tracer, histogram, trigger, reset of what nobody wrote down

tc-session start -e sched_switch -R 'hist:keys=next_pid' -R stacktrace:5 2>err
is "triggers" $? 0
/bin/ls / >/dev/null
tc-session show --hist sched_switch >hist
has "show --hist prints the kernel's histogram" hist 'trigger info: hist:keys=next_pid'
grep -q 'next_pid: *[0-9]' hist
is "with its rows" $? 0
tc-session show --trigger sched_switch >triggers
has "show --trigger" triggers stacktrace
tc-session status -B tc-session >status
has "status shows triggers" status 'sched:sched_switch: stacktrace:'
tc-session reset
is "reset" $? 0

mkdir $T/instances/mine
echo 'hist:keys=next_pid' >$T/instances/mine/events/sched/sched_switch/trigger
echo 'stacktrace:3' >$T/instances/mine/events/sched/sched_wakeup/trigger
echo 'enable_event:sched:sched_waking:2 if prio < 3' >$T/instances/mine/events/sched/sched_wakeup/trigger
echo function >$T/instances/mine/current_tracer
echo 1 >$T/instances/mine/tracing_cpumask
echo 1 >$T/instances/mine/options/stacktrace
echo 1 >$T/instances/mine/events/irq/enable
tc-session reset -B mine 2>err
is "an instance of others' can be reset" $? 0
is "nothing is refused" "$(cat err)" ""
is "no event" "$(cat $T/instances/mine/set_event)" ""
is "no trigger" "$(cat $T/instances/mine/events/sched/sched_switch/trigger \
	$T/instances/mine/events/sched/sched_wakeup/trigger | grep -v '^#')" ""
is "no tracer" "$(cat $T/instances/mine/current_tracer)" nop
is "all CPUs" "$(cat $T/instances/mine/tracing_cpumask)" "$(cat $T/tracing_cpumask)"
is "no option" "$(cat $T/instances/mine/options/stacktrace)" 0
is "tracing is on, as in a new one" "$(cat $T/instances/mine/tracing_on)" 1

# chain DIRECTORY EVENT KEY OPTION...: the trigger of EVENT uses a variable of sched_switch's
chain()
{
	at=$1/events/sched
	event=$2
	key=$3
	shift 3
	echo 's:vmlat pid_t pid; u64 delta;' >>$T/dynamic_events
	echo 'hist:keys=prev_pid:ts=common_timestamp.usecs' >$at/sched_switch/trigger
	echo "hist:keys=$key:d=common_timestamp.usecs-\$ts:onmatch(sched.sched_switch).trace(vmlat,$key,\$d)" \
		>>$at/$event/trigger
	is "$event: triggers that depend on one another" \
		"$(cat $at/sched_switch/trigger $at/sched_waking/trigger | grep -c '^hist:')" 2
	tc-session reset "$@" 2>err
	is "$event: they can be reset" "$? $(cat err)" "0 "
	is "$event: all are gone" "$(cat $at/sched_switch/trigger $at/sched_waking/trigger | grep -v '^#')" ""
	echo '-:vmlat' >>$T/dynamic_events
}
chain $T sched_waking pid -t
chain $T/instances/mine sched_switch next_pid -B mine

option=$T/instances/mine/options/stacktrace
echo 1 >$option
echo 1 >$T/instances/mine/events/irq/enable
mount -o bind $option $option
mount -o remount,bind,ro $option
tc-session reset -q -B mine 2>err
is "a setting that stays is a failure" $? 1
has "which says what stays" err "'options/stacktrace' stays as it is: "
is "the others are reset" "$(cat $T/instances/mine/set_event)" ""
umount $option

tc-session reset -B mine -b 2048 -d
is "-d removes it" "$(ls $T/instances)" ""

# --- snapshot

tc-session start -e sched_process_exec
/bin/true first
tc-session snapshot -s
is "a snapshot is taken" $? 0
tc-session snapshot >shown
cat $T/instances/tc-session/snapshot >kernel
same "snapshot prints the file snapshot" shown kernel
has "which has the earlier events" shown 'filename=/bin/true'
is "the ring buffer has not" "$(grep -c filename=/bin/true $T/instances/tc-session/trace)" 0
tc-session show -s >shown
same "show -s does the same" shown kernel
tc-session extract -q -s -o snap.dat
is "extract -s" $? 0
tc-report --no-flags -i snap.dat >snap.txt
is "it has as many events" "$(grep -c sched_process_exec: snap.txt)" "$(grep -c sched_process_exec: kernel)"
tc-session snapshot -r
is "-r empties it" "$(tc-session snapshot | grep -vc '^#')" 0
tc-session snapshot -f
has "-f frees it" $T/instances/tc-session/snapshot 'Snapshot is freed'

# dumped FILE NAME: how many times the program of that name was started, in the dump that FILE names
dumped()
{
	tc-report --no-flags -i "$(sed -n "s/^tc-session: '\([^']*\)'.*/\1/p" "$1")" |
		grep -c "sched_process_exec: .*filename=$2 "
}
mkdir dumps
/bin/true second
tc-session dump -o dumps 2>err
is "a dump" $? 0
is "has the events until then" "$(dumped err /bin/true)" 1
is "tracing was not paused" "$(grep -c paused err)" 0
has "the memory of the second ring buffer is freed" $T/instances/tc-session/snapshot 'Snapshot is freed'
/bin/date >/dev/null
tc-session dump -o dumps 2>err
is "the next one has the events since" "$(dumped err /bin/true) $(dumped err /bin/date)" "0 1"
/bin/true third
tc-session dump -o dumps --pause 2>err
has "--pause takes no snapshot" err 'tracing paused for'
is "and has the events" "$(dumped err /bin/true)" 1
tc-session snapshot -s
grep sched_process_exec: $T/instances/tc-session/snapshot >snap.before
/bin/true fourth
tc-session dump -o dumps 2>err
has "nor does it where somebody has a snapshot" err 'tracing paused for'
grep sched_process_exec: $T/instances/tc-session/snapshot >snap.after
same "which stays" snap.before snap.after
tc-session snapshot -f
/bin/true fifth
mount -t tmpfs -o size=64k none dumps
tc-session dump -o dumps --keep-free 0 2>err
is "a dump without room" $? 1
umount dumps
tc-session dump -o dumps 2>err
is "leaves its events to the next one" "$(dumped err /bin/true)" 1
tc-session dump -o dumps -s --pause 2>err
is "a snapshot and a pause exclude each other" $? 2
tc-session reset

# --- names of functions where kptr_restrict hides them, from root, too

tc-session start -e sched_process_exec -T
/bin/true
restrict=$(cat /proc/sys/kernel/kptr_restrict)
echo 2 >/proc/sys/kernel/kptr_restrict
is "the kernel hides addresses" "$(grep -vc '^0000000000000000 ' /proc/kallsyms)" 0
tc-session extract -q -o kptr.dat
is "extract puts kptr_restrict back" "$(cat /proc/sys/kernel/kptr_restrict)" 2
tc-report --no-flags -i kptr.dat >kptr.txt
has "its file has the names of functions" kptr.txt '=> bprm_execve'
tc-record -q -e sched_process_exec -T -o kptr.dat -- /bin/true
is "so does tc-record" "$(cat /proc/sys/kernel/kptr_restrict)" 2
tc-report --no-flags -i kptr.dat >kptr.txt
has "and has them" kptr.txt '=> bprm_execve'
echo "$restrict" >/proc/sys/kernel/kptr_restrict
tc-session reset

# --- probes: a session's own go with it, others' stay

echo 'p:other/read vfs_read' >$T/kprobe_events
tc-session start -p kprobe:vfs_write 2>err
is "a session with a probe" $? 0
is "which is defined" "$(grep -c vfs_write $T/kprobe_events)" 1
tc-session reset
is "its probe is deleted, and another's stays" "$(cat $T/kprobe_events)" "p:other/read vfs_read"
tc-session reset --probes all -k kprobe
is "--probes leaves what -k keeps" "$(cat $T/kprobe_events)" "p:other/read vfs_read"
tc-session reset --probes kprobe
is "--probes kprobe deletes it" "$(cat $T/kprobe_events)" ""

# --- what is killed

tc-session start -e sched
tc-record -e irq -o kill.dat -- sh -c 'kill -KILL $PPID; exec usleep 1000' 2>err
is "a killed recorder leaves its instance beside the session" "$(ls $T/instances | wc -l)" 2
tc-session reset --orphans 2>err
is "reset --orphans removes it, and not the session" "$(ls $T/instances)" tc-session
has "and says so" err "1 earlier program"
tc-session reset
top >after
same "tracefs is as it was" after before
finish
