#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cost of recording compared with trace-cmd record, on a kernel other than the host's. The CPU is
# emulated: only ratios within one run mean something, and compression is expensive there.
#
#   tests/vm/run --kernel 6.12 --limit 900 --script tests/bench/record-vm.sh \
#       [ROUNDS [CALLS [TASKS]]]
#
# Every round runs a load under each recorder in turn, with a ring buffer of the same size. COMMAND
# measures itself: the recorder's is what all took without that.

cd /tmp || exit 1
rounds=${1:-3}
calls=${2:-30000}
tasks=${3:-300}
kib=1024

echo true >nothing
echo "dd if=/dev/zero of=/dev/null bs=1 count=$calls 2>/dev/null" >syscalls
cat >storm <<-TEXT
	i=0
	while [ \$i -lt $tasks ]; do
		/bin/true | /bin/true
		i=\$((i + 1))
	done
TEXT

# stamp: hundredths of a second since the boot
stamp()
{
	read -r now rest </proc/uptime
	echo "${now%.*}${now#*.}"
}

# COMMAND, with the load's name: its CPU seconds to "command", and its end to "ended"
cat >command.sh <<-'TEXT'
	busybox time -f '%U %S' -o command sh "$1"
	read -r now rest </proc/uptime
	echo "${now%.*}${now#*.}" >ended
TEXT

# sum FILE: of the two numbers in its last line
sum()
{
	tail -n 1 "$1" | awk '{ print $1 + $2 }'
}

# one NAME LOAD RECORDER...: to NAME, its CPU seconds, COMMAND's, events, lost events, bytes, and
# hundredths of a second from COMMAND's end to its own
one()
{
	one_name=$1
	one_load=$2
	shift 2
	rm -f all command ended x.dat
	busybox time -f '%U %S' -o all "$@" sh command.sh "$one_load" >/dev/null 2>err ||
		{ echo "bench: $*"; cat err; }
	over=$(($(stamp) - $(cat ended)))
	tc-report --stat -i x.dat 2>/dev/null |
		awk -v all="$(sum all)" -v command="$(sum command)" -v over=$over \
			-v size="$(stat -c %s x.dat)" '
		/^(overrun|commit overrun|dropped events):/ { lost += $NF }
		/^Recorded data:/ { data = 1 }
		/^$/ { data = 0 }
		data { n += $3 }
		END { print all - command, command, n + 0, lost + 0, size, over }' >>"$one_name"
}

# median FILE COLUMN
median()
{
	sort -n -k "$2,$2" "$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'
}

# bench EVENTS LOAD [KIB]
bench()
{
	bench_kib=${3:-$kib}
	rm -f ours.* theirs.*
	i=0
	while [ $i -lt "$rounds" ]; do
		for codec in zstd none; do
			one ours.$codec "$2" tc-record -q -e "$1" -b "$bench_kib" \
				--compression $codec -o x.dat --
			one theirs.$codec "$2" trace-cmd record -q -e "$1" -b "$bench_kib" \
				--compression $codec -o x.dat
		done
		i=$((i + 1))
	done
	for name in ours.zstd theirs.zstd ours.none theirs.none; do
		awk -v name="$name" -v load="$2" -v cpu="$(median "$name" 1)" \
			-v command="$(median "$name" 2)" -v n="$(median "$name" 3)" \
			-v size="$(median "$name" 5)" -v over="$(median "$name" 6)" '
		{ lost += $4 }
		END {
			sub(/ours\./, "tc-record ", name)
			sub(/theirs\./, "trace-cmd ", name)
			printf "%-9s %-15s %6.2f s %6.2f s %8d %7d %9d %6.2f s\n", load, name, cpu,
				command, n, lost / NR, size, over / 100
		}' "$name"
	done
	for codec in zstd none; do
		awk -v ours="$(median ours.$codec 1)" -v theirs="$(median theirs.$codec 1)" \
			-v what="$1, $bench_kib KiB, $codec" 'BEGIN {
			printf "          of trace-cmd its CPU is %.2f (%s)\n", ours / theirs, what }'
	done
}

# The emulator translates code when it runs for the first time
tc-record -q -e sched --compression none -o x.dat -- sh nothing
trace-cmd record -q -e sched --compression none -o x.dat sh nothing >/dev/null 2>&1
echo "recording, medians of $rounds rounds, lost events their mean, ring buffers of $kib KiB if not said:"
echo "                          its CPU  COMMAND   events    lost     bytes  after the end"
bench raw_syscalls nothing
bench raw_syscalls syscalls
bench syscalls syscalls
bench raw_syscalls syscalls 32768
bench sched storm
