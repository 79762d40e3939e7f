#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kill -9 before the N-th call of a kind, in the order in which a recorder makes them: while it sets up, while
# it records, while it joins, while it takes back. Everything written is recovered, and nothing is left behind.
#
# needs: root tracefs
# area: record
# cost: 10
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

command -v strace >/dev/null || skip_all "there is no strace"
strace -f -o /dev/null true 2>/dev/null || skip_all "strace is not allowed"
mkfifo go

# begun: there is a recorder, and it records
# shellcheck disable=SC2317 # wait_for runs it
begun() {
	[ -s recorder ] && recording "$(cat recorder)"
}

# record_killed CODEC CALL N: record 30,000 reads and writes as k.dat; the ring buffer has room for all of them. The
# N-th call of one of the recorder's threads is not made any more.
record_killed() {
	rm -f recorder
	sh -c 'read -r _ <go; exec dd if=/dev/zero of=/dev/null bs=1 count=30000' 2>/dev/null &
	reads=$!
	# shellcheck disable=SC2016 # the inner shell's
	strace -f -o /dev/null -e "trace=$2" -e "inject=$2:signal=KILL:when=$3" \
		sh -c 'echo $$ >recorder; exec "$@"' sh "$record" -q \
		-e raw_syscalls -P $reads -b 8M --compression "$1" -o k.dat >/dev/null 2>&1 &
	strace=$!
	wait_for $strace begun
	echo >go
	wait $reads
	[ ! -e /proc/$strace/exe ] || kill -TERM "$(cat recorder)"
	wait $strace 2>/dev/null
	killed=$?
}

# problems: what is wrong with k.dat once it is recovered
problems() {
	# Data that was joined already is a hole in its temporary file, and in k.dat: it counts once
	parts=$(cat k.dat.cpu* 2>/dev/null | wc -c)
	"$record" --recover k.dat 2>err
	status=$?
	# Killed before it had written data: there is nothing to recover, or all is complete
	[ "$parts" -gt 0 ] || return 0
	recovered=$((recovered + 1))
	[ $status -eq 0 ] || cat err
	[ "$(ls k.dat*)" = k.dat ] || ls k.dat*
	size=$(stat -c %s k.dat)
	# A chunk of each CPU may be cut
	[ "$size" -ge $((parts - $(nproc) * 46000)) ] || echo "$parts bytes were written, $size recovered"
	"$report" --no-flags -i k.dat 2>text.err >ours
	cat text.err
	if command -v trace-cmd >/dev/null; then
		trace-cmd report -i k.dat 2>/dev/null | grep -vc '^cpus=' >theirs
		[ "$(grep -vc '^cpus=' ours)" = "$(cat theirs)" ] || echo "trace-cmd reads $(cat theirs) events"
	fi
}

# killed_at CODEC CALL:N...
killed_at() {
	codec=$1
	shift
	for place in "$@"; do
		record_killed "$codec" "${place%:*}" "${place#*:}"
		is "$codec: before $place it is killed" $killed 137
		if [ -e k.dat ]; then
			problems >wrong
			nothing "$codec: what was written before $place is recovered" "$(cat wrong)"
		fi
		rm -f k.dat*
		# Else the next one begins with more calls.
		"$TC_BUILDDIR/tc-session" reset -q --orphans
	done
}

for codec in zstd none; do
	recovered=0
	# setting up: the first call of write() is the shell's
	killed_at $codec mkdirat:1 write:2 write:7 pwrite64:3 pwrite64:9 pwrite64:15 fallocate:1
	is "$codec: there were no data yet" $recovered 0
	# recording: a reader's call, or the one that stops it
	killed_at $codec write:10 write:12
	# joining
	recovered=0
	killed_at $codec pwrite64:18 pwrite64:22 copy_file_range:1 fallocate:2 ftruncate:1 ftruncate:2 unlinkat:3
	is "$codec: there were data" $recovered 7
	# one CPU may have had none
	killed_at $codec unlinkat:4
	# taking back
	recovered=0
	killed_at $codec unlinkat:5 unlinkat:6
	is "$codec: all data were in the file" $recovered 0
done
killed_at none copy_file_range:2 fallocate:3 copy_file_range:8
"$record" -q -e sched_switch -o k.dat -- true
nothing_of_mine "after all of them"
is "no temporary file is left" "$(find . -name '*.cpu*')" ""
finish
