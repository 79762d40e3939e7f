#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-fleet through real ssh, to three sshd in network namespaces: one command records all; a connection that is cut
# until ssh gives it up loses nothing; a key with a policy records what it allows; a host that is killed is named.
#
# needs: root tracefs
# area: network

# shellcheck disable=SC2317,SC2030,SC2031 # by wait_for and the trap; a subshell is meant
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
ssh-keygen -q -t ed25519 -N '' -f limited || exit 1
mkdir -m 700 kept || exit 1
cat >policy.conf <<END
event = sched
duration = 2s
buffer-size = 1M
max-size = 64M
END
{
	cat key.pub
	printf 'restrict,command="%s --spool %s --policy %s" ' "$build/tc-record" "$PWD/kept" "$PWD/policy.conf"
	cat limited.pub
} >authorized
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
	printf 'Host host%s\nHostName 10.213.%s.2\n' $n $n >>ssh.conf
	nsenter --net=/run/netns/tcfleet$n $sshd -D -f sshd.conf 2>sshd$n.err &
	wait_for $! ssh -F ssh.conf host$n true || skip_all "sshd does not work here: $(cat sshd$n.err)"
done

# calls N: N known calls
calls() {
	echo "i=0; while [ \$i -lt $1 ]; do /bin/true; i=\$((i + 1)); done"
}

# A command waits until its host may go on, which may be before that.
mkfifo go.1 go.2 go.3 silent unread || exit 1
exec 3<>go.1 4<>go.2 5<>go.3
# shellcheck disable=SC2016 # for the host
go_on="set -- \$SSH_CONNECTION; read -r go <$PWD/go.\$(echo \$3 | cut -d . -f 3)"
let_go_on() {
	echo go >&3
	echo go >&4
	echo go >&5
}

# client PID HOST: the pid of the ssh that the tc-fleet PID runs for the host
client() {
	# shellcheck disable=SC2013 # words
	for client_pid in $(cat "/proc/$1/task/$1/children"); do
		if tr '\0' ' ' <"/proc/$client_pid/cmdline" | grep -q " $2 "; then
			echo "$client_pid"
		fi
	done
}

# gone PID: it has ended; whose child it was need not have seen that yet
gone() {
	[ ! -e "/proc/$1/exe" ]
}

# execs DIR HOST: calls in its file
execs() {
	"$report" --no-pager "$1/$2"/*.dat 2>/dev/null | grep -c 'sched_process_exec:.*filename=/bin/true'
}

# record DIR WORD...: tc-fleet on all hosts
in_place= # exec: instead of this shell, so that $! is its pid
record() {
	dir=$1
	shift
	$in_place "$fleet" record --ssh "ssh -T -F $PWD/ssh.conf" --program "$build/tc-record" --spool "$PWD/spool" -o "$dir" \
		--on host1,host2,host3 "$@" 2>"$dir.err"
}

record all -- -e sched -F -c -- sh -c "$(calls 200)"
is "one command records three hosts" $? 0
for n in 1 2 3; do
	is "host$n has its own calls" "$(execs all host$n)" 200
done

(in_place="exec"; record cut -- -e sched -F -c -- sh -c "$(calls 100); $go_on; $(calls 100)
	echo >$PWD/done.\$3; $go_on; $(calls 100)") &
pid=$!
wait_for $pid sends cut host1 host2 host3
ssh_pid=$(client $pid host2)
ip link set tcfleet2 down
let_go_on
wait_for $pid gone "$ssh_pid"
wait_for $pid test -e done.10.213.2.2
let_go_on
ip link set tcfleet2 up
wait $pid
is "a connection that was cut is taken up again" $? 0
for n in 1 2 3; do
	is "host$n lost nothing" "$(execs cut host$n)" 300
done

# A key with a policy: no shell there, only what its file allows
sed "s:IdentityFile .*:IdentityFile $PWD/limited:" ssh.conf >limited.conf
# asked COMMAND: with that key
asked() {
	ssh -F limited.conf host1 "$1" >asked.out 2>asked.err
}
# limited DIR WORD...: tc-fleet with that key
limited() {
	dir=$1
	shift
	$in_place "$fleet" record --ssh "ssh -T -F $PWD/limited.conf" -o "$dir" --on host1 "$@" 2>"$dir.err"
}
for what in 'touch gone-too-far' "tc-record --spools; touch $PWD/gone-too-far" \
	"tc-record --spools \$(touch $PWD/gone-too-far)" "tc-record --stream -e sched -o $PWD/gone-too-far" \
	"tc-record --stream -e sched touch $PWD/gone-too-far" "tc-record --stream -p kprobe:do_exit"; do
	! asked "$what"
	is "refused: $what" $? 0
	is "says why" "$(grep -c '^tc-record: ' asked.err)" 1
done
nothing "and nothing of it was run" "$(ls gone-too-far 2>/dev/null)"
# The kernel would follow the pointer of a call, wherever it leads.
echo 'event = syscalls:sys_enter_write' >>policy.conf
! asked "tc-record --stream -e sys_enter_write -f 'buf.ustring ~ \"secret*\"' --duration 1"
is "a filter that reads memory is refused" $? 0
has "and the reason named" asked.err "syscalls:sys_enter_write may not be compared with a text here"
asked "tc-record --stream -e sys_enter_write -f 'fd == 1' -e sched_process_exec -f 'filename ~ \"*x\"' --duration 1"
is "others are not" $? 0

# One that is never started ends as well, and what its client does not read does not hold it up.
exec 6<>silent 7<>unread
ssh -F limited.conf host1 "tc-record --stream --stream-id armed -e sched" <silent >/dev/null 2>not-started.err
is "a recording that is not started ends while its client is silent" $? 1
nothing "and is not kept" "$(ls kept)"
missing=$(i=0; while [ $i -lt 900 ]; do printf ' -e none_of_the_events_%03d' $i; i=$((i + 1)); done)
SSH_ORIGINAL_COMMAND="tc-record --stream -i -e sched_process_exec $missing" \
	"$record" --policy policy.conf --spool "$PWD/kept" 2>unread >unread.stream &
pid=$!
wait_for $pid test -e "$tracefs/instances/tc-record.$pid"
runs "messages that nobody reads do not keep it from ending" wait_for $pid test ! -e "$tracefs/instances/tc-record.$pid"
kill $pid 2>/dev/null
wait $pid 2>/dev/null
exec 6<&- 7<&-
rm -rf kept/*
asked "tc-record --version"
is "its version may be asked for" "$(cat asked.out)" "$("$record" --version)"

begun=$(date +%s)
limited short -e sched:sched_process_exec
is "an allowed event is recorded" $? 0
is "as long as the policy says" "$(($(date +%s) - begun >= 2))" 1
nothing "and no spool is left" "$(ls kept)"

set_duration() {
	sed "s/^duration = .*/duration = $1/" policy.conf >new.conf && mv new.conf policy.conf
}
set_duration 1h
(in_place="exec"; limited first -e sched:sched_process_exec) &
pid=$!
wait_for $pid sends first host1
cp /bin/true "marked.$$"
i=0
while [ $i -lt 50 ]; do
	"./marked.$$"
	i=$((i + 1))
done
limited second -e sched:sched_process_exec
is "a second recording at a time is refused" $? 1
has "and the reason named" second.err "there are 1 recordings here already, and 1 allowed, by --policy"
kill -INT $pid
wait $pid
is "the first one goes on until it is ended" $? 0
is "with all calls" "$("$report" --no-pager first/host1/*.dat | grep -c "exec:.*filename=./marked.$$ ")" 50
nothing "and no spool is left" "$(ls kept)"
set_duration 12s
limited wrong -e sched -e irq --duration 1
is "an event that is not allowed is refused" $? 1
has "and named" wrong.err "the event irq:irq_handler_entry is not allowed here, by --policy"
limited long -e sched --duration 13
has "so is a duration" long.err "option --duration: at most 12 s are allowed"
limited large -e sched -b 2M --duration 1
has "and a size" large.err "option --buffer-size: at most 1024 KiB are allowed"
# Nothing else ends this one.
set_duration 1h
echo 'max-size = 1K' | cat - policy.conf | grep -v 64M >small.conf && mv small.conf policy.conf
limited small -e sched
is "a recording that reaches its size ends, and is complete" $? 0
runs "and has that size" test "$(stat -c %s small/host1/*.dat)" -ge 1024

(in_place="exec"; record dead --reconnect 4 -- -e sched -F -c -- sh -c "$(calls 100); $go_on; $(calls 100)") &
pid=$!
wait_for $pid sends dead host1 host2 host3
ip netns pids tcfleet3 | xargs kill -KILL
let_go_on
wait $pid
is "a host that is killed does not end the others" $? 3
has "it is named" dead.err "no connection for 4 s"
is "the others have their calls" "$(execs dead host1) $(execs dead host2)" "200 200"
rm -rf spool
"$record" -q -e sched_switch -o last.dat -- true 2>/dev/null
nothing_of_mine "afterwards"
finish
