#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files of limited size, and one after the other: nothing is lost between them, each is whole.
#
# needs: root tracefs
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

mkfifo go

# reads OPTION...: record 300000 reads of one byte, and nothing else. All have room in a ring buffer, at 80 bytes.
reads() {
	"$record" -F -e raw_syscalls:sys_enter -f 'id == 0' -b 32M "$@" -- \
		dd if=/dev/zero of=/dev/null bs=1 count=300000 2>err
}

# files NUMBER: so many have their final name
# shellcheck disable=SC2317 # wait_for runs it
files() {
	[ "$(find . -name 's.dat.2*' ! -name '*.cpu*' | wc -l)" -ge "$1" ]
}

# reads_in FILE: those of dd itself, the last argument of which is one byte
reads_in() {
	"$report" --no-flags -i "$1" 2>/dev/null | grep -c 'sys_enter: *NR 0 (0, [0-9a-f]*, 1, '
}

for codec in zstd none; do
	size=300K
	[ $codec = zstd ] || size=12M
	reads --compression $codec --switch-output=$size -o s.dat
	is "$codec: recording into several files" $? 0
	sum=0
	files=0
	for f in s.dat.*; do
		sum=$((sum + $(reads_in "$f")))
		files=$((files + 1))
		"$report" -i "$f" >/dev/null 2>text.err
		[ ! -s text.err ] || fail "$codec: $f is whole" "$(cat text.err)"
		if command -v trace-cmd >/dev/null; then
			trace-cmd report -i "$f" 2>/dev/null | sed '/^cpus=/d' | wc -l >theirs
			"$report" --no-flags -i "$f" | sed '/^cpus=/d' | wc -l >ours
			same "$codec: trace-cmd reads $f as well" ours theirs
		fi
	done
	is "$codec: there are several" "$([ $files -ge 2 ] && echo yes)" yes
	is "$codec: each read is in exactly one file" $sum 300000
	is "$codec: the last line counts the events of all files" \
		"$(tail -n 1 err | sed 's/\(in total \)[0-9]*/\1N/')" \
		"tc-record: in total N events in $files files; no events lost"
	is "$codec: their events add up to the printed counts" \
		"$(sed -n 's/^tc-record: in total \([0-9]*\) .*/\1/p' err)" \
		"$(sed -n 's/^tc-record: \([0-9]*\) events in .*/\1/p' err | awk '{ n += $1 } END { print n }')"
	is "$codec: the file was renamed" "$(ls s.dat 2>/dev/null)" ""
	rm -f s.dat.*
done

"$record" -F -e raw_syscalls -b 8K --switch-output=300K --switch-max-files 2 -o s.dat -- \
	dd if=/dev/zero of=/dev/null bs=1 count=400000 2>err
between "old files are removed" "$(find . -name 's.dat.*' | wc -l)" 1 2
rm -f s.dat.*

# A signal switches files; the first file has the events until then, however few
"$record" -F -e raw_syscalls:sys_enter --switch-output -o s.dat -- sh -c ': >begun; read -r _ <go' 2>err &
pid=$!
wait_for $pid test -e begun
kill -USR2 $pid
wait_for $pid files 1
echo >go
wait $pid
is "a signal switches" "$(find . -name 's.dat.*' | wc -l)" 2
rm -f s.dat.*

# However late a busy machine lets it switch, a file is of 100 ms at least.
begun=$(date +%s%N)
"$record" -e sched:sched_switch --switch-output=100ms -q -o s.dat -- sh -c 'read -r _ <go' &
pid=$!
wait_for $pid files 3
echo >go
wait $pid
took=$((($(date +%s%N) - begun) / 1000000))
between "time switches, and not before it is up" "$(find . -name 's.dat.*' | wc -l)" 3 $((took / 100 + 1))
rm -f s.dat.*

# Less than the kernel's symbols take, which it does not need; each CPU holds back some tens of KiB until the end.
size=$((400 + 100 * $(getconf _NPROCESSORS_CONF)))
reads --max-size "${size}K" -o x.dat
is "a file with a size: recorded" $? 0
between "a file with a size: it is not larger" "$(stat -c %s x.dat)" 200000 $((size * 1024))
n=$(reads_in x.dat)
between "a file with a size: its events are the first" "$n" 1000 299999
reads --max-size 1K -o y.dat
is "a size without room: status" $? 1
has "a size without room: message" err "no room for events"

# 20 MiB are recorded, so that some have to go also on several CPUs
reads -m 2M --compression none -o m.dat
is "a cap: recorded" $? 0
kept=$(reads_in m.dat)
between "a cap: some are kept" "$kept" 1000 299999
"$report" --no-flags -i m.dat >text 2>text.err
is "a cap: nothing is damaged" "$(cat text.err)" ""
has "a cap: the summary says so" err "were dropped (-m)"
# The newest: from some read on, all
last=$("$report" --no-flags -i m.dat | tail -n 1 | sed 's/.*\[[0-9]*\] *\([0-9.]*\):.*/\1/')
first=$("$report" --no-flags -i m.dat | sed '/^cpus=/d' | head -n 1 | sed 's/.*\[[0-9]*\] *\([0-9.]*\):.*/\1/')
is "a cap: in order" "$(printf '%s\n%s\n' "$first" "$last" | sort -n | head -n 1)" "$first"

reads -q -m 2M --compression none --fail-on-lost -o m.dat
is "events that the cap dropped do not count as lost" $? 0
"$record" -q -F -e raw_syscalls -b 8K --fail-on-lost -o l.dat -- \
	sh -c 'read -r _ <go; exec dd if=/dev/zero of=/dev/null bs=1 count=20000; exit' 2>err &
pid=$!
wait_for $pid recording $pid || fail "recording begins" "$(cat err)"
kill -STOP $pid
wait_for $pid is_stopped $pid
echo >go
# its zombie: the recorder is stopped
read -r child _ <"/proc/$pid/task/$pid/children"
wait_for "$child" false
kill -CONT $pid
wait $pid
is "lost events are a failure with --fail-on-lost" $? 1
nothing_of_mine "afterwards"
finish
