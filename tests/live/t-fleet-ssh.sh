#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-fleet through real ssh, to three sshd in network namespaces: one command records all; a connection that is cut
# for ten seconds loses nothing; a host that is killed is named.

# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

fleet=$TC_BUILDDIR/tc-fleet
[ -x "$report" ] || skip_all "tc-report is not built"
[ -x "$fleet" ] || skip_all "tc-fleet is not built"
for p in ip nsenter ssh ssh-keygen; do
	command -v $p >/dev/null || skip_all "there is no $p"
done
sshd=/usr/sbin/sshd
[ -x $sshd ] || skip_all "there is no sshd"
build=$(cd "$TC_BUILDDIR" && pwd)
mkdir -m 700 spool || exit 1
mkdir -p /run/sshd
remember_state

# shellcheck disable=SC2317 # the trap calls it
ssh_clean() {
	for n in 1 2 3; do
		ip netns pids "tcfleet$n" 2>/dev/null | xargs -r kill -KILL 2>/dev/null
		ip netns del "tcfleet$n" 2>/dev/null
		ip link del "tcfleet$n" 2>/dev/null
	done
	tap_clean
}
trap ssh_clean EXIT

ssh-keygen -q -t ed25519 -N '' -f key && ssh-keygen -q -t ed25519 -N '' -f hostkey || exit 1
cp key.pub authorized
cat >sshd.conf <<END
HostKey $PWD/hostkey
AuthorizedKeysFile $PWD/authorized
PasswordAuthentication no
StrictModes no
UsePAM no
PermitRootLogin yes
PidFile none
END
cat >ssh.conf <<END
Host *
User root
IdentityFile $PWD/key
IdentitiesOnly yes
UserKnownHostsFile /dev/null
StrictHostKeyChecking no
LogLevel ERROR
ServerAliveInterval 1
ServerAliveCountMax 3
ConnectTimeout 3
END
# make_host N: a namespace, reached by 10.213.N.2
make_host() {
	ip netns add "tcfleet$1" && ip link add "tcfleet$1" type veth peer name eth0 netns "tcfleet$1" &&
		ip addr add "10.213.$1.1/24" dev "tcfleet$1" && ip link set "tcfleet$1" up &&
		ip -n "tcfleet$1" addr add "10.213.$1.2/24" dev eth0 && ip -n "tcfleet$1" link set eth0 up
}

for n in 1 2 3; do
	make_host $n || skip_all "no network namespaces here"
	nsenter --net=/run/netns/tcfleet$n $sshd -D -f sshd.conf 2>sshd$n.err &
	printf 'Host host%s\nHostName 10.213.%s.2\n' $n $n >>ssh.conf
done
for n in 1 2 3; do
	until_true 20 ssh -F ssh.conf host$n true || skip_all "sshd does not work here: $(ssh -F ssh.conf host$n true 2>&1)"
done

# calls N PAUSE: N known calls
calls() {
	echo "i=0; while [ \$i -lt $1 ]; do /bin/true; $2 i=\$((i + 1)); done"
}

# execs DIR HOST: calls in its file
execs() {
	"$report" --no-pager "$1/$2"/*.dat 2>/dev/null | grep -c 'sched_process_exec:.*filename=/bin/true'
}

# record DIR WORD...
record() {
	dir=$1
	shift
	"$fleet" record --ssh "ssh -T -F $PWD/ssh.conf" --program "$build/tc-record" --spool "$PWD/spool" -o "$dir" \
		--on host1,host2,host3 "$@" 2>"$dir.err"
}

record all -- -e sched -F -c -- sh -c "$(calls 200 '')"
is "one command records three hosts" $? 0
for n in 1 2 3; do
	is "host$n has its own calls" "$(execs all host$n)" 200
done

record cut -- -e sched -F -c -- sh -c "$(calls 300 'sleep 0.05;')" &
pid=$!
until_true 30 sh -c 'ls cut/host1/*.cpu0 cut/host2/*.cpu0 cut/host3/*.cpu0'
ip link set tcfleet2 down
sleep 10
ip link set tcfleet2 up
wait $pid
is "a connection that was cut for ten seconds is taken up again" $? 0
for n in 1 2 3; do
	is "host$n lost nothing" "$(execs cut host$n)" 300
done

record dead --reconnect 4 -- -e sched -F -c -- sh -c "$(calls 200 'sleep 0.05;')" &
pid=$!
until_true 30 sh -c 'ls dead/host1/*.cpu0 dead/host2/*.cpu0 dead/host3/*.cpu0'
ip netns pids tcfleet3 | xargs kill -KILL 2>/dev/null
wait $pid
is "a host that is killed does not end the others" $? 3
has "it is named" dead.err "no connection for 4 s"
is "the others have their calls" "$(execs dead host1) $(execs dead host2)" "200 200"
rm -rf spool
"$record" -q -e sched_switch -o last.dat -- true 2>/dev/null
same_state "afterwards"
finish
