#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Whoever reaches the port of tc-listen may say anything: others are served as before, and no more memory is
# taken than for an honest client.
#
# area: gate network

# shellcheck source=tests/hostile/lib.sh
. "${TC_SRCDIR:-$(dirname "$0")/../..}/tests/hostile/lib.sh"

for tool in python3 xz; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
net=$TC_SRCDIR/tests/net
xz -dc "$TC_SRCDIR/tests/data/made/switch-le32.dat.xz" >good.dat
mkdir out
: >log
"$TC_BUILDDIR/tc-listen" -p 0 -d out 2>log &
listener=$!
trap 'kill $listener 2>/dev/null; hostile_clean' EXIT
i=0
while ! grep -q 'listening on' log && [ $i -lt 600 ] && kill -0 $listener; do
	sleep 0.05
	i=$((i + 1))
done
port=$(sed -n 's/^.*listening on .* port //p' log)

# One that is slow is served beside all of them.
python3 "$net/peer.py" send good.dat "$port" --pause 0.5 >slow 2>&1 &
slow=$!
PYTHONDONTWRITEBYTECODE=1 timeout 120 python3 "$net/hostile.py" "$port" good.dat >groups 2>err
is "the listener has survived all of them" "$(paste -s -d, groups)$(tail -n 1 err)" \
	"sizes,counts,every byte,garbage,wrong files,chains,unasked"
wait $slow
runs "a client that was recording meanwhile is served to its end" test -s slow
has "and its file is complete" log '8 sub-buffers of 2 CPUs'
runs "so is the next one" python3 "$net/peer.py" send good.dat "$port"
i=0
while [ "$(grep -c '8 sub-buffers of 2 CPUs$' log)" -lt 2 ] && [ $i -lt 600 ]; do
	sleep 0.05
	i=$((i + 1))
done
peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$listener/status")
if [ -n "$(sed -n 's/^INSTRUMENT_FLAGS = //p' "$TC_BUILDDIR/Makefile")" ]; then
	skip "memory is bounded" "sanitizers take more"
else
	runs "memory is bounded ($peak KiB)" test "$peak" -lt 65536
fi
# It closes sockets after its last word to a client.
sockets() {
	find "/proc/$listener/fd" -lname 'socket:*' | wc -l
}
# shellcheck disable=SC2317 # until_true calls it
are_closed() {
	[ "$(sockets)" -le 1 ]
}
until_true 60 are_closed
is "descriptors are not lost" "$(sockets)" 1
bad=
for file in out/*; do
	"$TC_BUILDDIR/tc-report" --events -i "$file" >/dev/null 2>&1 || bad="$bad $file"
done
nothing "each file that is left can be opened" "$bad"
"$TC_BUILDDIR/tc-report" -i good.dat >want.txt
for file in out/*; do
	"$TC_BUILDDIR/tc-report" -i "$file" >got.txt 2>/dev/null
	cmp -s got.txt want.txt && echo same
done >same
is "two of them have the good recording" "$(grep -c same same)" 2
finish
