#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Speed and memory of looking probes up, beside `perf probe` in the same run.
#
#   probe.sh [ROW...]
#
# The rows are in the table below; without ROW all are run. Variables say what to probe; rows for
# which something is missing are left out, with a message:
#
#   TC_BENCH_LIBC       a libc with debug information (the system's)
#   TC_BENCH_PROGRAM    a big optimised program with debug information; TC_BENCH_FUNC is one of its
#                       functions, of which TC_BENCH_ARGS are two parameters (git's cmd_status)
#   TC_BENCH_VMLINUX    a kernel with debug information (/usr/lib/debug/boot/vmlinux-*)
#   TC_BENCH_MODULE     a module of it; TC_BENCH_MODULE_FUNC and its arguments
#   TC_BENCH_SOURCE     root of that kernel's or program's sources for -L; without, -L is left out
#
#   TC_BENCH_OLD        a folder with an older tc-probe: it runs in turn with this one, and the medians
#                       of this one's user seconds, and of its peak, by that one's in the same round
#                       end each row
#
# TC_BENCH_RUNS (5) alternating runs of each program; medians of user seconds, wall seconds and peak
# memory are printed, and how many times perf's are ours. A row that takes perf longer than
# TC_BENCH_LIMIT (60) seconds is run once. Nothing is defined: all rows only look.

# shellcheck disable=SC2016 # dollars are the probes'
set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
limit=${TC_BENCH_LIMIT:-60}
libc=${TC_BENCH_LIBC:-$(ldconfig -p | awk '/libc\.so\.6.*=>/ { print $NF; exit }')}
program=${TC_BENCH_PROGRAM:-}
func=${TC_BENCH_FUNC:-cmd_status}
args=${TC_BENCH_ARGS:-argc argv}
vmlinux=${TC_BENCH_VMLINUX:-}
for file in /usr/lib/debug/boot/vmlinux-*; do
	[ -n "$vmlinux" ] || [ ! -r "$file" ] || vmlinux=$file
done
module=${TC_BENCH_MODULE:-}
module_func=${TC_BENCH_MODULE_FUNC:-xfs_file_open inode file}
wanted=$*
failed=0

command -v perf >/dev/null || { echo "bench: perf is not installed"; exit 77; }
# perf keeps copies of what it looked at, and would look at those.
HOME=$dir/home
export HOME

# once NAME COMMAND...: append a line to $dir/NAME; the command's status
once() {
	once_name=$1
	shift
	rm -rf "$HOME"
	mkdir "$HOME"
	measure "$once_name" "$@"
}

# last_wall NAME: whole seconds of the last run
last_wall() {
	awk 'END { print int($1) }' "$dir/$1"
}

# report NAME: the medians of both, and perf's by ours
report() {
	awk -v name="$1" -v n="$runs" \
		-v u="$(median ours 4)" -v w="$(median ours 1)" \
		-v m="$(median ours 3)" -v pu="$(median perf 4)" \
		-v pw="$(median perf 1)" -v pm="$(median perf 3)" \
		-v ps="$perf_status" -v po="${old:+$(paired ours old 4)}" \
		-v pp="${old:+$(paired ours old 3)}" 'BEGIN {
		printf "%-16s %7.3f %7.2f %6.1f  %7.3f %7.2f %6.1f  %6.1f %5.2f%s%s\n", name,
			u, w, m / 1024, pu, pw, pm / 1024, pu / (u > 0 ? u : 0.0005), pm / m,
			po == "" ? "" : "  this/old " po " " pp, ps ? "  perf fails" : "" }'
}

# row NAME FILE OPTION ARG...: both programs with OPTION FILE ARG...
row() {
	row_name=$1
	file=$2
	option=$3
	shift 3
	case " $wanted " in
	"  " | *" $row_name "*) ;;
	*) return 0 ;;
	esac
	if [ -z "$file" ] || [ ! -r "$file" ]; then
		printf '%-16s left out: no %s\n' "$row_name" "${file:-file given for it}"
		return 0
	fi
	rm -f "$dir/ours" "$dir/old" "$dir/perf"
	i=0
	perf_status=0
	while [ $i -lt "$runs" ]; do
		if ! once ours "$build/tc-probe" "$option" "$file" --max-probes=10000000 "$@"; then
			printf '%-16s tc-probe failed\n' "$row_name"
			failed=1
			return 0
		fi
		if [ -n "$old" ] &&
			! once old "$old/tc-probe" "$option" "$file" --max-probes=10000000 "$@"; then
			printf '%-16s the older tc-probe failed\n' "$row_name"
			return 0
		fi
		if [ $i = 0 ] || [ "$(last_wall perf)" -lt "$limit" ]; then
			once perf perf probe "$option" "$file" --max-probes=10000000 "$@" ||
				perf_status=1
		fi
		i=$((i + 1))
	done
	report "$row_name"
}

say_machine
say "perf $(perf version | awk '{ print $3 }')"
echo "libc $libc; program ${program:-none}; kernel ${vmlinux:-none}"
echo
echo "                          tc-probe                perf probe         perf / tc-probe"
echo "                    user    wall   peak     user    wall   peak    user  peak"
echo "                       s       s    MiB        s       s    MiB"
row libc-malloc "$libc" -x -D malloc
row libc-args "$libc" -x -D '_int_malloc av bytes'
row libc-V "$libc" -x -V malloc
row libc-F "$libc" -x -F
row libc-str "$libc" -x -D 'str*'
# With all names perf probe gives up ("@plt" is not an event name) or uses the symbol table. For names
# that begin with a lower-case letter it reads the debug information, as tc-probe does.
row libc-lower "$libc" -x -D '[a-z]*'
row libc-params "$libc" -x -D '* $params'
row program-args "$program" -x -D "$func $args"
row program-V "$program" -x -V "${TC_BENCH_V:-strbuf_add}"
if [ -n "${TC_BENCH_SOURCE:-}" ]; then
	row program-L "$program" -x -s "$TC_BENCH_SOURCE" -L "${TC_BENCH_V:-strbuf_add}"
else
	row program-L "" -x
fi
row program-all "$program" -x -D '*'
row kernel-func "$vmlinux" -k -D vfs_read
row kernel-arg "$vmlinux" -k -D 'vfs_read file'
row kernel-V "$vmlinux" -k -V vfs_read
row kernel-F "$vmlinux" -k -F
row kernel-return "$vmlinux" -k -D 'vfs_read%return $retval'
row kernel-line "$vmlinux" -k -D "${TC_BENCH_LINE:-fs/read_write.c:450}"
row kernel-vfs "$vmlinux" -k -D 'vfs_* $params'
row kernel-tcp "$vmlinux" -k -D 'tcp_* $params'
row kernel-all "$vmlinux" -k -D '*'
row module-args "$module" -m -D "$module_func"
exit $failed
