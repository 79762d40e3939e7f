#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-list --features leaves all of tracefs as it was, the machine's own settings too. In a guest, whose kernel is
# known: it says what this kernel can, and lists are those of the kernel's files.
#
# needs: root tracefs exclusive
# area: tools
# also: vm
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

list=$TC_BUILDDIR/tc-list

# state: an emulator would take minutes for all of it
state() {
	if ! guest; then
		"$TC_SRCDIR/tests/live/state.sh"
		return
	fi
	for f in current_tracer tracing_on set_event dynamic_events set_ftrace_filter trace_clock trace_options \
		events/enable; do
		echo "$f: $(cat "$tracefs/$f")"
	done
	cat /proc/sys/kernel/stack_tracer_enabled
	ls "$tracefs/instances"
}

# verdict NAME...: "yes yes no"
verdict() {
	for name; do
		awk -v name="$name" '$1 == name { print $2 }' features
	done | paste -s -d ' ' -
}

state >before
"$list" --features >features
is "it succeeds whichever features work" $? 0
state >after
# The first instance, and whoever turns an event on, lets the ring buffer grow to its full size.
sed -i '/^\.\/buffer_\(total_\)*size_kb:/d' before after
same "tracefs is as it was" after before
guest || finish

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

hand=$tracefs/instances/by-hand-$$
mkdir "$hand"
echo 0 >"$hand/tracing_on"
# of all functions it takes an emulator minutes
echo vfs_read >"$hand/set_ftrace_filter"
want=no
{ echo function_graph >"$hand/current_tracer"; } 2>/dev/null && want=yes
is "function_graph in an instance agrees with a write to the file" "$(verdict function_graph-instance)" "$want"
echo nop >"$hand/current_tracer"
rmdir "$hand"

# --- the top level in use

echo 1 >"$tracefs/events/sched/sched_switch/enable"
"$list" --features=function_graph >features
is "events at the top level: not tested" "$? $(verdict function_graph)" "1 ?"
is "these events stay enabled" "$(cat "$tracefs/set_event")" sched:sched_switch
echo 0 >"$tracefs/events/sched/sched_switch/enable"
echo >"$tracefs/trace"
runs "named features that work: success" "$list" --features=kprobes,hist

# --- lists, beside the kernel's files

"$list" -e | sort >got
sort "$tracefs/available_events" >want
same "-e is available_events" got want
"$list" -f | sort >got
sed 's/ 0x.*//' "$tracefs/available_filter_functions" | sort >want
same "-f is available_filter_functions" got want
is "--proto" "$("$list" --proto '^vfs_read$')" \
	"ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos)"

echo "p:mine_$$/k vfs_read" >>"$tracefs/kprobe_events"
echo "mine_$$ u64 delta" >>"$tracefs/synthetic_events"
echo 'hist:keys=prev_pid' >"$tracefs/events/sched/sched_switch/trigger"
is "--probes has kprobes and synthetic events" "$("$list" --probes | sort)" "$(sort "$tracefs/dynamic_events")"
"$list" -R >out
has "-R has the event of a trigger" out sched:sched_switch
has "-R has the trigger" out "$(head -n 1 "$tracefs/events/sched/sched_switch/trigger")"
echo '!hist:keys=prev_pid' >"$tracefs/events/sched/sched_switch/trigger"
echo "!mine_$$" >>"$tracefs/synthetic_events"
echo "-:mine_$$/k" >>"$tracefs/kprobe_events"

"$bin/setpriv" --reuid 1000 --regid 1000 --clear-groups "$list" --features >features 2>err
is "another user: it succeeds, and nothing of tracefs works" "$? $(verdict tracefs kprobes zstd)" \
	"0 no ? yes"
has "another user: says what would help" features "hint: run it as root"
nothing_of_mine "after the lists"
finish
