#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two processes send each other messages, each recorded by itself as if on a host of its own. The
# clock of the second host is then made to differ (clocks.py shift): no receive may be shown before its
# send once the clocks are corrected, while many are without it.
#
# The clock is mono_raw, which nobody disciplines: a drift against CLOCK_REALTIME is what it has.
#
# needs: root tracefs uprobes
# area: report network
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# shifted IN OUT OFFSET PPM HOST [ERROR]: what IN would be, recorded with such a clock
shifted() {
	python3 "$TC_SRCDIR/tests/live/clocks.py" shift "$@"
}

# merge OPTION... FILE: with a.dat; sets $early to the receives that come before their sends
merge() {
	"$report" --json --messages sent,received,n "$@" one.dat >/dev/null 2>err
	early=$(sed -n 's/.* \([0-9]*\) of 600 receives are shown before their sends; 0 have none$/\1/p' err)
}

# recorder NAME PID: record a process with the probes, as $NAME.dat
recorder() {
	"$record" -q -C mono_raw -P "$2" -p "uprobe:$program:sent n=%di:u64" \
		-p "uprobe:$program:received n=%di:u64" --compression none -o "$1.dat" 2>"err.$1" &
}

if ! command -v python3 >/dev/null; then
	skip "hosts" "no python3"
	finish
fi
if [ "$(uname -m)" != x86_64 ]; then
	skip "hosts" "the probes name a register of x86_64"
	finish
fi
program=./pp.$$
helper pingpong $program

mkfifo go
$program 300 <go >pids &
pid=$!
exec 3>go
wait_for $pid grep -q . pids
read -r pid_a pid_b <pids
recorder a "$pid_a"
rec_a=$!
recorder b "$pid_b"
rec_b=$!
wait_for $rec_a recording $rec_a || fail "recording begins" "$(cat err.a)"
wait_for $rec_b recording $rec_b || fail "recording begins" "$(cat err.b)"
echo >&3
exec 3>&-
wait $pid
kill -INT $rec_a $rec_b
wait $rec_a $rec_b
is "both ends are recorded" "$("$report" -q --json a.dat | grep -c .),$("$report" -q --json b.dat | grep -c .)" 600,600

# On one machine there is nothing to be corrected.
cp a.dat one.dat
merge b.dat
is "one machine, one clock: no receive is early" "$early" 0
is "one machine, one clock: nothing is said of clocks" "$(grep -c clock err)" 0

# The report names the recording with the time line last here, so that its host has to be converted.
for how in "700000000 50" "-1000000000 -50" "50000 0"; do
	# shellcheck disable=SC2086 # an offset and a drift
	shifted b.dat one.dat $how b
	merge --no-clocks a.dat
	between "shifted by ${how% *}: receives are early if it is not corrected" "$early" 1 600
	merge a.dat
	is "shifted by ${how% *}: none is, corrected" "$early" 0
	# The offset and the drift that were given, negated: the drift within 10 ppm, the first stamp
	# within what the drift adds in a few seconds.
	is "shifted by ${how% *}: offset and drift are found" "$(awk -v wanted="$how" '
		/clock mono_raw [-+]/ {
			split(wanted, w, " ")
			for (i = 1; i <= NF; i++) {
				if ($i == "s,") offset = $(i - 1) * 1e9 + w[1]
				if ($i == "ppm,") drift = $(i - 1) + w[2]
			}
			if (offset < 0) offset = -offset
			if (drift < 0) drift = -drift
			print (offset < 2000), (drift < 0.2)
		}' err)" "1 1"
done

# Host b's CLOCK_REALTIME is up to 2 ms wrong, and known to be: the order is not certain, and it is said so.
shifted b.dat one.dat 700000000 50 b 2000000
shifted a.dat host-a.dat 0 0 a
merge host-a.dat
is "a wrong clock with a bound: it is said" "$(grep -c 'of 1200 events is not certain' err)" 1
is "a wrong clock with a bound: the bound" "$(sed -n 's/.*b: clock mono_raw .*+-\(2[0-9][0-9][0-9]\)\..*, synchronized)/\1/p' err |
	grep -c .)" 1
# Sixteen hosts with clocks up to a second and 50 ppm apart that recorded the same events: each event
# is shown at one time for all, to what rounding leaves.
set -- host-a.dat
for k in b c d e f g h i j k l m n o p; do
	n=$#
	shifted a.dat "host-$k.dat" $((n * 133333333 - 1000000000)) $((n * 7 - 52)) $k
	set -- "$@" "host-$k.dat"
done
"$report" -q --json "$@" >merged
is "sixteen hosts: one time line" "$(python3 - <<'END'
import json
hosts = {}
order = []
for line in open("merged"):
    row = json.loads(line)
    order.append(int(row["ts"]))
    hosts.setdefault(row["host"], []).append(int(row["ts"]))
times = [sorted(t) for t in hosts.values()]
worst = max(max(t) - min(t) for t in zip(*times))
print(len(hosts), {len(t) for t in times}, order == sorted(order), worst < 100)
END
)" "16 {600} True True"

# Not synchronized at all: as the kernel here may be
cp b.dat one.dat
python3 - <<'END'
data = bytearray(open("one.dat", "rb").read())
import re
with open("/proc/sys/kernel/random/boot_id") as f:
    data = data.replace(f.read(8).encode(), b"another-")
open("one.dat", "wb").write(data)
END
merge a.dat
is "another boot of the machine: clocks are compared" "$(grep -c 'clock mono_raw [-+is]' err)" 2
nothing_of_mine "tracefs"
finish
