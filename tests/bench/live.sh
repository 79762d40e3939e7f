#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cost of watching a program while it runs: CPU seconds of the program and of the tool, as multiples of
# the program alone, in one run. The program makes system calls and little else (dd with
# blocks of a byte: two calls each), so that the cost of a call shows. Needs root. A program that is
# not installed or not built is left out.
#
#   TC_BENCH_RUNS     5; alternating runs of each program, of which medians are printed
#   TC_BENCH_BLOCKS   500000; blocks that dd copies. Those that stop the program at each call (strace,
#                     perf trace) get a tenth, beside a dd alone of as many

set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
blocks=${TC_BENCH_BLOCKS:-500000}

[ "$(id -u)" = 0 ] || { say "bench: tracing needs root"; exit 77; }
dd_of() {
	printf 'dd if=/dev/zero of=/dev/null bs=1 count=%s' "$1"
}
many=$(dd_of "$blocks")
few=$(dd_of $((blocks / 10)))

# row_of NAME BASE COMMAND...: BASE is the row that it is a multiple of
: >"$dir/rows"
row_of() {
	row_name=$1
	row_base=$2
	shift 2
	if command -v "$1" >/dev/null; then
		printf '%s\t%s\t%s\n' "$row_name" "$row_base" "$*" >>"$dir/rows"
	else
		say "# $row_name: no $1"
	fi
}

enter=raw_syscalls:sys_enter
exit=raw_syscalls:sys_exit
# shellcheck disable=SC2086 # the program and its arguments
row_of "dd alone" "dd alone" $many
row_of "perf stat, 1 event" "dd alone" perf stat -e $enter "$many"
row_of "tc-stat, 1 event" "dd alone" "$build/tc-stat" -e $enter -- "$many"
row_of "perf stat, 2 events" "dd alone" perf stat -e $enter -e $exit "$many"
row_of "tc-stat, 2 events" "dd alone" "$build/tc-stat" -e $enter -e $exit -- "$many"
row_of "tc-stat --syscalls" "dd alone" "$build/tc-stat" --syscalls -- "$many"
row_of "tc-stat --syscalls --time" "dd alone" "$build/tc-stat" --syscalls --time -- "$many"
row_of "tc-trace -c" "dd alone" "$build/tc-trace" -c -- "$many"
row_of "tc-trace -o FILE" "dd alone" "$build/tc-trace" -o "$dir/calls" -- "$many"
row_of "tc-record" "dd alone" "$build/tc-record" -q -F -b 16M -e raw_syscalls -o "$dir/calls.dat" -- "$many"
row_of "perf record" "dd alone" perf record -q -e "raw_syscalls:*" -o "$dir/calls.data" "$many"
# shellcheck disable=SC2086
row_of "dd alone, a tenth" "dd alone, a tenth" $few
row_of "strace -c" "dd alone, a tenth" strace -c -f -o "$dir/calls" "$few"
row_of "strace -o FILE" "dd alone, a tenth" strace -f -o "$dir/calls" "$few"
row_of "perf trace -s" "dd alone, a tenth" perf trace -s -o "$dir/calls" "$few"

tab=$(printf '\t')
round=0
while [ $round -lt "$runs" ]; do
	round=$((round + 1))
	while IFS=$tab read -r name _ command; do
		# shellcheck disable=SC2086 # words
		measure "$name" $command || say "# $name fails: $command"
	done <"$dir/rows"
done

# An overhead is what a call costs above the program alone; of strace -c, if it ran.
overhead() {
	awk -v cpu="$(median "$1" 2)" -v base="$(median "$2" 2)" -v n="$3" 'BEGIN { print (cpu - base) / n }'
}
calls=$((2 * blocks))
strace=0
[ ! -s "$dir/strace -c" ] || strace=$(overhead "strace -c" "dd alone, a tenth" $((calls / 10)))
say_machine
say "$calls system calls"
say "                                 CPU      x alone   ns a call   of strace -c       wall"
while IFS=$tab read -r name base _; do
	[ -s "$dir/$name" ] || continue
	n=$calls
	[ "$base" = "dd alone" ] || n=$((calls / 10))
	awk -v name="$name" -v cpu="$(median "$name" 2)" -v wall="$(median "$name" 1)" \
		-v ratio="$(paired "$name" "$base" 2)" -v over="$(overhead "$name" "$base" "$n")" \
		-v strace="$strace" 'BEGIN {
		printf "%-27s %7.3f s  %7.2f  %10.0f  ", name, cpu, ratio, over * 1e9
		if (strace > 0)
			printf "%12.1f %%", 100 * over / strace
		else
			printf "%12s  ", "-"
		printf "  %7.2f s\n", wall }'
done <"$dir/rows"
