# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# tc-fleet compares the clock of a host in another network namespace over a link that the kernel delays (netem): no
# error is greater than the bound, idle, with load, and with different delays there and back. Both have one clock,
# whose true offset is 0. The lines "# clocks" are the figures, in ns.
#
# worlds: 6.1

# shellcheck source=guest/lib.sh
. /tests/lib.sh

for program in tc-fleet netem trips; do
	command -v $program >/dev/null || skip_all "no $program"
done
insmod /lib/netem/veth.ko || skip_all "no veth in this kernel"
insmod /lib/netem/sch_netem.ko || skip_all "no netem in this kernel"

# The end "near" stays here; the kernel calls the other one veth0, which goes to the host.
unshare -n sleep 1000 &
host=$!
ip link add near type veth
is_elsewhere()
{
	[ "$(readlink /proc/$host/ns/net)" != "$(readlink /proc/self/ns/net)" ]
}
wait_for $host is_elsewhere
ip link set veth0 netns $host
ip addr add 10.9.0.1/24 dev near
ip link set near up
there()
{
	nsenter -t "$host" -n "$@"
}
there ip addr add 10.9.0.2/24 dev veth0
there ip link set veth0 up

# The command is in a file, and the connection is its standard input and output.
cat >serve <<'END'
#!/bin/sh
exec sh -c "$(cat command)"
END
cat >connect <<'END'
#!/bin/sh
printf '%s\n' "$2" >command
exec nc 10.9.0.2 7000
END
chmod +x serve connect
there nc -ll -p 7000 -e "$PWD/serve" &
server=$!
mkdir -m 700 spool

# row NAME THERE BACK JITTER: delays in us, each at most JITTER less or more; the bounds have half of them
row()
{
	runs "$1: the way there is delayed" netem near "$2" "$4"
	runs "$1: the way back is delayed" there netem veth0 "$3" "$4"
	rm -rf run
	tc-fleet record -q --ssh ./connect --spool "$PWD/spool" -o run --on host -C mono -e sched_switch \
		--duration 1s -- --compression none 2>err || fail "$1: is recorded" "$(cat err)"
	trips run/host/*.dat >pairs
	awk '{ d = $2 - $1; if (d < 0) d = -d
		if (d > error) error = d
		if (d > $3) outside++
		if (least == "" || $3 < least) least = $3
		if ($3 > most) most = $3 }
		END { print NR, error + 0, least + 0, most + 0, outside + 0 }' pairs >found
	read -r count error least most outside <found
	echo "# clocks $1: there $2 back $3 jitter $4 us: $count comparisons, error $error, bounds $least to $most"
	is "$1: clocks are compared at the start and at the end" "$((count >= 2))" 1
	is "$1: no error is outside its bound" "$outside" 0
	is "$1: the bounds have the delays in them" "$((least >= ($2 + $3 - 2 * $4) * 500))" 1
}

row idle 0 0 0
row symmetric 3000 3000 0
row asymmetric 8000 1000 0
# Half of the difference, but for what the guest is slow by
is "asymmetric: the error is that of the delays" "$((error > 2000000))" 1
row jitter 3000 3000 1000
while :; do /bin/true; done &
load=$!
row loaded 0 0 0
row loaded-asymmetric 1000 8000 500
kill $load $server $host
wait
ip link del near 2>/dev/null
finish
