#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cost of recording on this machine's kernel. Needs root. On other kernels: record-vm.sh.
#
#   the recorder's CPU time, without a COMMAND, per event
#   what the kernel takes for the same events with nobody reading, per event
#   beside trace-cmd record, in turn: CPU time, lost events, size, and from COMMAND's end to a
#   complete file

set -eu
[ "$(id -u)" = 0 ] || { echo "bench: recording needs root"; exit 77; }
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
tracefs=${TRACECRAFT_TRACEFS:-/sys/kernel/tracing}
calls=${TC_BENCH_CALLS:-1500000}

say_machine
say ""
# The cost of an empty recording: formats, symbols
i=0
while [ $i -lt 3 ]; do
	measure start "$build/tc-record" -e syscalls -e sched -f 'common_pid == -1' --duration 10ms \
		-o "$dir/r.dat"
	i=$((i + 1))
done
say "recording (syscalls, sched; 3 s)       wall       CPU  Mevents/s       peak"
row "empty" start 0
for codec in zstd none; do
	i=0
	while [ $i -lt 3 ]; do
		under_load measure "record-$codec" "$build/tc-record" -e syscalls -e sched -b 16M \
			--duration 3 --compression $codec -o "$dir/r.dat"
		i=$((i + 1))
	done
	n=$(count "$dir/r.dat")
	row "tc-record --compression $codec" "record-$codec" "$n"
	# The last run is the one that was counted
	tail -n 1 "$dir/record-$codec" | awk -v n="$n" -v start="$(median start 2)" '{
		printf "  %-30s %8.0f ns of CPU per event, without the start\n", "",
			($2 - start) / n * 1e9 }'
done

# A system call's two events: enabled, with nobody reading, and not at all
instance=$tracefs/instances/tc-bench.$$
calls_of() {
	measure "$1" dd if=/dev/zero of=/dev/null bs=1 count="$calls"
}
mkdir "$instance"
own=tc-bench-theirs.$$
clean_up() {
	echo 0 >"$instance/events/raw_syscalls/enable"
	rmdir "$instance"
	rmdir "$tracefs/instances/$own" 2>/dev/null || :
	rm -rf "$dir"
}
trap clean_up EXIT
i=0
while [ $i -lt 3 ]; do
	echo 0 >"$instance/events/raw_syscalls/enable"
	calls_of untraced
	echo 1 >"$instance/events/raw_syscalls/enable"
	calls_of traced
	i=$((i + 1))
done
echo 0 >"$instance/events/raw_syscalls/enable"
say ""
awk -v off="$(median untraced 2)" -v on="$(median traced 2)" -v n=$((calls * 4)) 'BEGIN {
	printf "the kernel alone: %.0f ns per event\n", (on - off) / n * 1e9 }'

# Beside trace-cmd record, if that records on this kernel: recording into an instance as ours does,
# also where files of function tracing that it does not need are refused.
theirs=
try_theirs() {
	trace-cmd record -q -B $own -e raw_syscalls -o "$dir/theirs.dat" true >"$dir/why" 2>&1 &&
		return 0
	rmdir "$tracefs/instances/$own" 2>/dev/null || :
	return 1
}
if ! command -v trace-cmd >/dev/null; then
	say "not beside trace-cmd record: it is not installed"
elif try_theirs; then
	theirs=plain
else
	# shellcheck disable=SC2086 # "ccache gcc" is two words
	${CC:-cc} -O2 -shared -fPIC -o "$dir/refused.so" "$source/tests/bench/refused.c"
	if LD_PRELOAD=$dir/refused.so && export LD_PRELOAD && try_theirs; then
		theirs=preload
	else
		say "not beside trace-cmd record, which records nothing here: $(tail -n 1 "$dir/why")"
	fi
	unset LD_PRELOAD
fi

# one NAME RECORDER...: runs it with COMMAND at its end, and appends to $dir/NAME the recorder's CPU
# seconds, COMMAND's, events, lost, bytes, and the seconds from COMMAND's end to a complete file and
# to the recorder's end. A recorder writes to its file last when that is complete, and then puts
# tracefs back.
one() {
	one_name=$1
	shift
	rm -f "$dir/all" "$dir/command" "$dir/x.dat"
	if [ "${one_name#theirs}" != "$one_name" ] && [ $theirs = preload ]; then
		set -- env LD_PRELOAD="$dir/refused.so" "$@"
	fi
	measure all "$@"
	now=$(date +%s.%N)
	if ! [ -s "$dir/command" ] || ! [ -s "$dir/x.dat" ]; then
		say "bench: failed: $*"
		exit 1
	fi
	# Both print the kernel's counters, and then how much data there is
	"$build/tc-report" --stat -i "$dir/x.dat" 2>/dev/null |
		awk -v all="$(cut -d ' ' -f 2 "$dir/all")" \
			-v command="$(cut -d ' ' -f 2 "$dir/command")" \
			-v ended="$(stat -c %.9Y "$dir/command")" -v now="$now" \
			-v complete="$(stat -c %.9Y "$dir/x.dat")" \
			-v size="$(stat -c %s "$dir/x.dat")" '
		/^(overrun|commit overrun|dropped events):/ { lost += $NF }
		/^Recorded data:/ { data = 1 }
		/^$/ { data = 0 }
		data { n += $3 }
		END { printf "%.3f %.3f %.0f %.0f %.0f %.3f %.3f\n", all - command, command, n, lost,
			size, complete - ended, now - ended }' >>"$dir/$one_name"
}

# beside LABEL EVENTS KIB COMMAND...: both recorders in turn, with a ring buffer of KIB
beside() {
	beside_label=$1 beside_events=$2 beside_buffer=$3
	shift 3
	rm -f "$dir/ours."* "$dir/theirs."* "$dir/bare."*
	i=0
	while [ $i -lt "$runs" ]; do
		for codec in zstd none; do
			one ours.$codec "$build/tc-record" -q -e "$beside_events" -b "$beside_buffer" \
				--compression $codec -o "$dir/x.dat" -- \
				"$dir/measure" "$dir/command" "$@"
			[ -z "$theirs" ] ||
				one theirs.$codec trace-cmd record -q -B $own -e "$beside_events" \
					-b "$beside_buffer" --compression $codec -o "$dir/x.dat" \
					"$dir/measure" "$dir/command" "$@"
		done
		# As trace-cmd does: the recorder's own events are recorded
		one bare.zstd "$build/tc-record" -q --no-filter -e "$beside_events" \
			-b "$beside_buffer" -o "$dir/x.dat" -- "$dir/measure" "$dir/command" "$@"
		i=$((i + 1))
	done
	say ""
	say "$beside_label ($beside_events, $beside_buffer KiB)"
	printf '%-18s %9s %9s %10s %9s %8s %8s %9s %9s\n' "" "its CPU" "an event" "COMMAND's" \
		events lost MiB complete "all over"
	for name in ours.zstd bare.zstd theirs.zstd ours.none theirs.none; do
		[ -s "$dir/$name" ] || continue
		# Medians, but of lost events: those are not always lost
		awk -v name="$name" -v cpu="$(median "$name" 1)" -v command="$(median "$name" 2)" \
			-v n="$(median "$name" 3)" -v size="$(median "$name" 5)" \
			-v complete="$(median "$name" 6)" -v over="$(median "$name" 7)" '
		{ lost += $4 }
		END {
			sub(/ours\./, "tc-record ", name)
			sub(/bare\./, " --no-filter ", name)
			sub(/theirs\./, "trace-cmd ", name)
			printf "  %-17s%7.3f s %6d ns  %7.3f s %9d %8d %8.1f %7.2f s %7.2f s\n", \
				name, cpu, n ? cpu / n * 1e9 : 0, command, n, lost / NR, size / 1048576,
				complete, over
		}' "$dir/$name"
	done
}

# shellcheck disable=SC2016 # the inner shell's
storm='i=0; while [ $i -lt 1000 ]; do /bin/true | /bin/true | /bin/true; i=$((i + 1)); done'
say ""
say "The recorder's CPU is what all took without COMMAND's. Complete, all over: after COMMAND's end"
beside "nothing" raw_syscalls 1410 true
beside "dd bs=1" raw_syscalls 1410 dd if=/dev/zero of=/dev/null bs=1 count=$((calls / 3))
beside "dd bs=1" syscalls 1410 dd if=/dev/zero of=/dev/null bs=1 count=$((calls / 3))
beside "dd bs=1, a larger ring buffer" raw_syscalls 32768 dd if=/dev/zero of=/dev/null bs=1 \
	count=$((calls / 2))
beside "a storm of tasks" sched 1410 sh -c "$storm"
