#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A full disk ends a recording at once, with all that was written readable.
#
# needs: root tracefs
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
mkdir disk

# fill CODEC MIB: record on a disk of this size until it is full
fill() {
	mount -t tmpfs -o "size=$2m" tmpfs disk || skip_all "cannot mount a tmpfs"
	: >err
	"$record" -e raw_syscalls -e sched -b 4M --compression "$1" -o disk/t.dat -- sh -c '
		while [ ! -e full ]; do dd if=/dev/zero of=/dev/null bs=1 count=50000 2>/dev/null; done' 2>err &
	pid=$!
	# Said at once, though COMMAND goes on
	wait_for $pid grep -q 'No space left on device' err || fail "$1: a full disk is noticed" "$(cat err)"
	wait_for $pid grep -q ' events in ' err || fail "$1: the file is finished" "$(cat err)"
	# Not by its files: an instance that somebody reads is not removed at that moment.
	wait_for $pid test ! -d "$tracefs/instances/tc-record.$pid"
	runs "$1: tracing is over, and COMMAND goes on" test -e /proc/$pid/exe
	touch full
	wait $pid
	is "$1: status" $? 1
	rm full
	is "$1: the message does not advise a larger ring buffer" "$(grep -c 'fewer: -b' err)" 0
	has "$1: the message describes the contents of the file" err "what was written"
	is "$1: no temporary file is left" "$(find disk -name '*.cpu*')" ""
	n=$(events_in err)
	[ -n "$n" ] || n=$(sed -n 's/^tc-record: fewer than \([0-9]*\) events in .*/\1/p' err)
	if command -v trace-cmd >/dev/null; then
		found=$(trace-cmd report -i disk/t.dat 2>/dev/null | grep -vc '^cpus=\|EVENTS DROPPED')
		# At most a pipe or a chunk of each CPU was read and not written
		between "$1: nearly all of $n events can be read" "$found" $((n - n / 5)) "$n"
		size=$(stat -c %s disk/t.dat)
		between "$1: the file takes up most of the disk" $((size * 100 / ($2 * 1048576))) 55 100
	else
		skip "$1: nearly all of $n events can be read" "no trace-cmd"
	fi
	nothing_of_mine "$1"
	umount disk
}

fill none 24
fill zstd:1 7

mount -t tmpfs -o size=1m tmpfs disk || skip_all "cannot mount a tmpfs"
"$record" -e sched -o disk/t.dat -- true 2>err
is "a disk too small to begin: status" $? 1
has "a disk too small to begin: message" err "No space left on device"
is "a disk too small to begin: nothing is left" "$(ls -A disk)" ""
nothing_of_mine "a disk too small to begin"
umount disk
finish
