#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Capture what a tracefs says of itself into a small archive that tests unpack as a fake tracefs.
#
#   capture.sh OUT.tar.gz [SYSTEM...]
#
# Taken: the control files of the top level that only describe the kernel or its state (bounded, no
# trace data, no process names), options/, and of each SYSTEM (default: a few that every kernel has)
# and of ftrace enable, filter, format and id. Nothing is written to the tracefs. Needs to be able
# to read it, so usually root. TRACECRAFT_TRACEFS names another tracefs than the usual one.
# tar and gzip of busybox do, so it also runs in a virtual machine.
set -eu
LC_ALL=C
export LC_ALL

tracefs=${TRACECRAFT_TRACEFS:-/sys/kernel/tracing}
out=${1:?usage: capture.sh OUT.tar.gz [SYSTEM...]}
shift
[ $# -gt 0 ] || set -- sched irq timer raw_syscalls task

if [ ! -r "$tracefs/events" ]; then
	echo "capture.sh: cannot read $tracefs" >&2
	exit 1
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tree=$tmp/tracefs
mkdir -p "$tree/events" "$tree/instances" "$tree/options"

# take FILE: copy what can be read, an empty file for what can only be written.
take() {
	[ -e "$tracefs/$1" ] || return 0
	mkdir -p "$tree/${1%/*}"
	# some files refuse to be read even to root (function tracing under lockdown): an empty copy
	if ! head -c 65536 "$tracefs/$1" >"$tree/$1" 2>/dev/null; then
		: >"$tree/$1"
	fi
	chmod 644 "$tree/$1"
}

for f in README available_events available_tracers buffer_percent buffer_size_kb \
	buffer_subbuf_size_kb buffer_total_size_kb current_tracer dynamic_events error_log \
	kprobe_events uprobe_events synthetic_events \
	saved_cmdlines_size set_event set_event_notrace_pid set_event_pid set_ftrace_filter \
	set_ftrace_notrace set_ftrace_pid timestamp_mode trace_clock trace_options \
	tracing_cpumask tracing_max_latency tracing_on tracing_thresh; do
	take "./$f"
done
for f in trace_marker free_buffer; do
	[ ! -e "$tracefs/$f" ] || : >"$tree/$f"
done
for f in "$tracefs"/options/*; do
	take "options/${f##*/}"
done
for f in enable header_page header_event; do
	take "events/$f"
done
for system in ftrace "$@"; do
	for f in enable filter; do
		take "events/$system/$f"
	done
	for dir in "$tracefs/events/$system"/*/; do
		event=${dir%/}
		event=events/$system/${event##*/}
		for f in enable filter format id; do
			take "$event/$f"
		done
	done
done

{
	uname -srm
	date -u +%Y-%m-%d
} >"$tree/CAPTURED"

cd "$tree"
find . -exec touch -h -d '2000-01-01 00:00:00' {} + 2>/dev/null || :
find . ! -type d | sort >"$tmp/files"
find . -type d | sort >"$tmp/dirs"
# directories first, without their content, so that empty ones are kept
if tar --version 2>/dev/null | grep -q GNU; then
	cat "$tmp/dirs" "$tmp/files" |
		tar --no-recursion --owner=0 --group=0 --numeric-owner -cf "$tmp/tree.tar" -T -
else
	tar -cf "$tmp/tree.tar" .
fi
gzip -9 -n <"$tmp/tree.tar" >"$tmp/tree.tar.gz" 2>/dev/null ||
	gzip -9 <"$tmp/tree.tar" >"$tmp/tree.tar.gz"
cd - >/dev/null
cp "$tmp/tree.tar.gz" "$out"
