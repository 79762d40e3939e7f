#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What recording costs beside trace-cmd record, in a guest, because trace-cmd may refuse the host's
# kernel. An emulated processor: only ratios within one run mean something.
#
#   tests/vm/run --kernel 6.12 --limit 900 --script tests/bench/record-vm.sh [ROUNDS [COUNT]]
#
# Every round runs a load under each recorder, with the same ring buffer, and once traced without a
# reader: what that takes is not the recorder's.

cd /tmp || exit 1
T=/sys/kernel/tracing
rounds=${1:-3}
count=${2:-30000}

cat >syscalls <<-TEXT
	dd if=/dev/zero of=/dev/null bs=1 count=$count 2>/dev/null
TEXT
cat >storm <<-TEXT
	i=0
	while [ \$i -lt $((count / 100)) ]; do
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

# timed NAME COMMAND...: append its seconds of CPU and, if a load ended meanwhile, those since then
timed()
{
	timed_name=$1
	shift
	rm -f ended
	command time -f '%U %S' -o cpu "$@" >/dev/null 2>err || { echo "bench: $*"; cat err; }
	echo "$(tail -n 1 cpu) $(($(stamp) - $(cat ended 2>/dev/null || stamp)))" >>"$timed_name"
	cp err "$timed_name.err"
}

unread()
{
	mkdir $T/instances/bench
	echo 1024 >$T/instances/bench/buffer_size_kb
	echo 1 >"$T/instances/bench/events/$1/enable"
	timed "$2.unread" sh "$2"
	echo 0 >"$T/instances/bench/events/$1/enable"
	rmdir $T/instances/bench
}

# records FILE: those of both CPUs, and the file's size
records()
{
	tc-report --stat -i "$1" 2>/dev/null |
		awk -v size="$(stat -c %s "$1")" '$1 == "(top)" { n += $3; lost += $4 }
		END { print n + 0, lost + 0, size }'
}

# bench EVENTS LOAD
bench()
{
	# shellcheck disable=SC2016 # the inner shell's
	printf '%s\nread -r now rest </proc/uptime\necho "${now%%.*}${now#*.}" >ended\n' \
		"$(cat "$2")" >"$2.sh"
	i=0
	while [ $i -lt "$rounds" ]; do
		unread "$1" "$2"
		timed "$2.ours" tc-record -e "$1" -b 1024 -o ours.dat -- sh "$2.sh"
		records ours.dat >>"$2.ours.n"
		timed "$2.theirs" trace-cmd record -e "$1" -b 1024 -o theirs.dat sh "$2.sh"
		records theirs.dat >>"$2.theirs.n"
		rm -f ours.dat theirs.dat
		i=$((i + 1))
	done
	for who in ours theirs; do
		awk -v who="$who" -v load="$2" -v numbers="$2.$who.n" -v none="$2.unread" '
		BEGIN {
			while ((getline line <none) > 0) {
				split(line, f)
				base += f[1] + f[2]
				rounds++
			}
			while ((getline line <numbers) > 0) {
				split(line, f)
				n += f[1]
				lost += f[2]
				size += f[3]
			}
		}
		{ cpu += $1 + $2; after += $3 }
		END {
			printf "%-9s %-7s %8.2f s CPU for %9d events, %8d lost, %9d bytes, %5.2f s after the end\n",
				load, who, (cpu - base) / rounds, n / rounds, lost / rounds, size / rounds,
				after / rounds / 100
		}' "$2.$who"
	done
}

echo "recording, $rounds rounds, means; CPU without that of the load:"
bench raw_syscalls syscalls
bench sched storm
