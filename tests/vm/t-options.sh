# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Every set of options records, and leaves tracefs as it was.
#
# worlds: all

# shellcheck source=guest/lib.sh
. /tests/lib.sh

# The settings that any of the sets touches, at the top level, where all else would go wrong.
settings()
{
	(cd $T && grep -H '' current_tracer tracing_on buffer_size_kb trace_clock set_event \
		set_ftrace_filter set_ftrace_notrace set_graph_function max_graph_depth \
		set_ftrace_pid set_event_pid tracing_cpumask trace_options dynamic_events \
		events/sched/*/filter events/sched/*/trigger events/irq/enable options/* 2>/dev/null
	ls instances)
	cat /proc/sys/kernel/ftrace_enabled
}

# The first use gives the ring buffer its size, and a record of the top level one of its own.
tc-record -q -e sched -o first.dat -- true
cat $T/buffer_size_kb | sed 's/^.*expanded: \([0-9]*\).*$/\1/' >size
cat size >$T/buffer_size_kb
settings >before
# The settings that a set is most likely to leave behind; reading all takes long.
few()
{
	(cd $T && grep -H '' current_tracer tracing_on set_event set_ftrace_filter \
		set_ftrace_notrace set_graph_function max_graph_depth trace_options && ls instances)
}
few >few.before
n=0
while read -r line; do
	case $line in '' | '#'*) continue ;; esac
	n=$((n + 1))
	eval "tc-record -q $line -o $n.dat -- ls /" >/dev/null 2>err </dev/null
	is "$line" "$?$(cat err)" 0
	few >few.after
	same "  and the tracers are as they were" few.before few.after
done </tests/option-sets
settings >after
same "all settings are as they were" before after
finish
