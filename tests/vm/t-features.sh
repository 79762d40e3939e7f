# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# tc-list --features says what this kernel can, as it is known to be able to, and leaves nothing.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

state()
{
	for f in current_tracer tracing_on set_event dynamic_events set_ftrace_filter trace_clock \
		trace_options events/enable; do
		echo "$f: $(cat $T/$f)"
	done
	cat /proc/sys/kernel/stack_tracer_enabled
	ls $T/instances
}

# verdict NAME...: "yes yes no"
verdict()
{
	for name; do
		awk -v name="$name" '$1 == name { print $2 }' features
	done | paste -s -d ' ' -
}

state >before
tc-list --features >features 2>err
is "it succeeds" $? 0
state >after
same "tracefs is as it was" after before

for name in tracefs tracepoints syscalls filters trigger-traceon trigger-snapshot hist synthetic \
	kprobes kretprobes uprobes uretprobes eprobes function function-filters function_graph \
	snapshot stack-tracer set_event_pid raw-read raw-splice error-log kallsyms btf; do
	[ "$(verdict $name)" = yes ] || grep -A 3 "^$name " features
done >bad
nothing "the features that both kernels are built with" "$(cat bad)"
is "tracers that Debian leaves out" "$(verdict irqsoff wakeup hwlat osnoise)" "no no no no"
# fprobe events came with 6.5, sub-buffers' sizes with 6.8, mapped ring buffers with 6.10
case $VM_KERNEL in
6.1) want="no no no" ;;
*) want="yes yes yes" ;;
esac
is "paths of system calls come from a probe, and strings not from their events" \
	"$(verdict syscall-paths syscall-strings)" "yes no"
has "which is said" features "instead: paths only: tc-trace --strings=kprobe"
is "features added between 6.1 and 6.12" "$(verdict fprobes subbuf-size raw-mmap)" "$want"

# --- by hand, in an instance

mkdir $T/instances/by-hand
echo 0 >$T/instances/by-hand/tracing_on
# of all functions it takes an emulator minutes
echo vfs_read >$T/instances/by-hand/set_ftrace_filter
want=no
{ echo function_graph >$T/instances/by-hand/current_tracer; } 2>/dev/null && want=yes
is "function_graph in an instance agrees with a write to the file" "$(verdict function_graph-instance)" "$want"
echo nop >$T/instances/by-hand/current_tracer
rmdir $T/instances/by-hand

# --- the top level in use

echo 1 >$T/events/sched/sched_switch/enable
tc-list --features=function_graph >features
is "events at the top level: not tested" "$? $(verdict function_graph)" "1 ?"
is "these events stay enabled" "$(cat $T/set_event)" sched:sched_switch
echo 0 >$T/events/sched/sched_switch/enable
echo >$T/trace
runs "named features that work: success" tc-list --features=kprobes,hist

# --- lists, beside the kernel's files

tc-list -e | sort >got
sort $T/available_events >want
same "-e is available_events" got want
tc-list -f | sort >got
sed 's/ 0x.*//' $T/available_filter_functions | sort >want
same "-f is available_filter_functions" got want
is "--proto" "$(tc-list --proto '^vfs_read$')" \
	"ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos)"

echo 'p:mine/k vfs_read' >>$T/kprobe_events
echo 'mine_synthetic u64 delta' >>$T/synthetic_events
echo 'hist:keys=prev_pid' >$T/events/sched/sched_switch/trigger
is "--probes has kprobes and synthetic events" "$(tc-list --probes | sort)" \
	"$(sort $T/dynamic_events)"
tc-list -R >out
has "-R has the event of a trigger" out sched:sched_switch
has "-R has the trigger" out "$(head -n 1 $T/events/sched/sched_switch/trigger)"
echo '!hist:keys=prev_pid' >$T/events/sched/sched_switch/trigger
echo '!mine_synthetic' >>$T/synthetic_events
echo '-:mine/k' >>$T/kprobe_events

run_as_user 'tc-list --features' >features 2>err
is "another user: it succeeds, and nothing of tracefs works" "$? $(verdict tracefs kprobes zstd)" \
	"0 no ? yes"
has "another user: says what would help" features "hint: run it as root"
finish
