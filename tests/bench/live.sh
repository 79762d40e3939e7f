#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cost of watching a program while it runs: CPU seconds of the program and of the tool, as multiples of
# the program alone, in one run. A program that makes system calls and little else (dd with
# blocks of a byte: two calls each) shows the cost of a call; a compiler and Python's tests show that of
# daily work. Needs root. A program that is not installed or not built is left out.
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

# Programs as people run them: many processes and files, and a call now and then
cat >"$dir/compile" <<'END'
#!/bin/sh
cd "$1" || exit
for file in base/json strace/summary view/table hist/sql; do
	cc -O2 -D_GNU_SOURCE -Ilibtfs -Iplugins -I"$2" -c -o "$3/compiled.o" libtfs/$file.c || exit
done
END
chmod +x "$dir/compile"
compile="$dir/compile ${TC_SRCDIR:-.} $build $dir"
# shellcheck disable=SC2086 # the program and its arguments
row_of "compiler alone" "compiler alone" $compile
# shellcheck disable=SC2086
row_of "compiler, tc-trace -c" "compiler alone" "$build/tc-trace" -c -o "$dir/calls" -- $compile
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || python=none
suite="$python -m test -q test_json test_re test_shutil test_glob"
if $suite >/dev/null 2>&1; then
	# shellcheck disable=SC2086
	row_of "Python's tests alone" "Python's tests alone" $suite
	# shellcheck disable=SC2086
	row_of "Python's tests, tc-trace -c" "Python's tests alone" "$build/tc-trace" -c -o "$dir/calls" -- $suite
else
	say "# Python's tests: they are not installed"
fi

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
	awk -v cpu="$(median "$1" 2)" -v base="$(median "$2" 2)" -v n="$3" 'BEGIN { print n ? (cpu - base) / n : 0 }'
}
calls=$((2 * blocks))
strace=0
[ ! -s "$dir/strace -c" ] || strace=$(overhead "strace -c" "dd alone, a tenth" $((calls / 10)))
say_machine
say "$calls system calls"
say "                                 CPU      x alone   ns a call   of strace -c       wall"
while IFS=$tab read -r name base _; do
	[ -s "$dir/$name" ] || continue
	case $base in
	"dd alone") n=$calls ;;
	*tenth) n=$((calls / 10)) ;;
	*) n=0 ;;
	esac
	awk -v name="$name" -v cpu="$(median "$name" 2)" -v wall="$(median "$name" 1)" \
		-v ratio="$(paired "$name" "$base" 2)" -v over="$(overhead "$name" "$base" "$n")" \
		-v strace="$strace" -v n="$n" 'BEGIN {
		printf "%-27s %7.3f s  %7.2f  ", name, cpu, ratio
		if (n)
			printf "%10.0f  ", over * 1e9
		else
			printf "%10s  ", "-"
		if (n && strace > 0)
			printf "%12.1f %%", 100 * over / strace
		else
			printf "%12s  ", "-"
		printf "  %7.2f s\n", wall }'
done <"$dir/rows"
