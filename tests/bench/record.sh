#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What recording costs: without a COMMAND, the CPU time is the recorder's alone. Needs root.

set -eu
[ "$(id -u)" = 0 ] || { echo "bench: recording needs root"; exit 77; }
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

say_machine
say ""
say "recording (syscalls, sched; 3 s)       wall       CPU  Mevents/s       peak"
for codec in zstd none; do
	i=0
	while [ $i -lt 3 ]; do
		under_load measure "record-$codec" "$build/tc-record" -e syscalls -e sched -b 16M \
			--duration 3 --compression $codec -o "$dir/r.dat"
		i=$((i + 1))
	done
	row "tc-record --compression $codec" "record-$codec" "$(count "$dir/r.dat")"
done
