#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What recording costs on this machine's kernel. Needs root. Beside trace-cmd record: record-vm.sh.
#
#   the recorder's CPU time, without a COMMAND, per event
#   what the kernel takes for the same events with nobody reading, per event
#   from COMMAND's end to a complete file

set -eu
[ "$(id -u)" = 0 ] || { echo "bench: recording needs root"; exit 77; }
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
tracefs=${TRACECRAFT_TRACEFS:-/sys/kernel/tracing}
calls=${TC_BENCH_CALLS:-1500000}

say_machine
say ""
# What a recording of nothing takes: formats, symbols
i=0
while [ $i -lt 3 ]; do
	measure start "$build/tc-record" -e syscalls -e sched -f 'common_pid == -1' --duration 10ms \
		-o "$dir/r.dat"
	i=$((i + 1))
done
say "recording (syscalls, sched; 3 s)       wall       CPU  Mevents/s       peak"
row "of nothing" start 0
for codec in zstd none; do
	i=0
	while [ $i -lt 3 ]; do
		under_load measure "record-$codec" "$build/tc-record" -e syscalls -e sched -b 16M \
			--duration 3 --compression $codec -o "$dir/r.dat"
		i=$((i + 1))
	done
	n=$(count "$dir/r.dat")
	row "tc-record --compression $codec" "record-$codec" "$n"
	# Of the last run: the one that was counted
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
trap 'echo 0 >"$instance/events/raw_syscalls/enable"; rmdir "$instance"; rm -rf "$dir"' EXIT
i=0
while [ $i -lt 3 ]; do
	echo 0 >"$instance/events/raw_syscalls/enable"
	calls_of untraced
	echo 1 >"$instance/events/raw_syscalls/enable"
	calls_of traced
	i=$((i + 1))
done
say ""
awk -v off="$(median untraced 2)" -v on="$(median traced 2)" -v n=$((calls * 4)) 'BEGIN {
	printf "the kernel alone: %.0f ns per event\n", (on - off) / n * 1e9 }'

for codec in zstd none; do
	# shellcheck disable=SC2016 # the inner shell's
	"$build/tc-record" -q -e raw_syscalls -b 32M --compression $codec -o "$dir/e.dat" -- \
		sh -c 'dd if=/dev/zero of=/dev/null bs=1 count="$1" 2>/dev/null; date +%s.%N >"$2"' sh \
		$((calls / 2)) "$dir/ended" 2>"$dir/err"
	now=$(date +%s.%N)
	# Written to last when it is complete; then tracefs is put back
	awk -v ended="$(cat "$dir/ended")" -v now="$now" -v complete="$(stat -c %.9Y "$dir/e.dat")" \
		-v size="$(stat -c %s "$dir/e.dat")" -v codec=$codec -v n="$(count "$dir/e.dat")" 'BEGIN {
		printf "%s: complete %.2f s, all over %.2f s after COMMAND; %d events, %.1f MiB\n", codec,
			complete - ended, now - ended, n, size / 1048576 }'
	cat "$dir/err"
done
