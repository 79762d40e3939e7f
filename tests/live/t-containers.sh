#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recorders in containers: processes that have pid 1 in pid namespaces of their own, with a /run of their own or the
# host's. Each has its own ring buffer, and what a container leaves that was killed as a whole is removed.
#
# needs: root tracefs
# area: truth
# also: vm
# worlds: 6.12
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

unshare -p -f -m true 2>/dev/null || skip_all "no namespaces can be made here"

# become RUN COMMAND...: this shell becomes unshare, whose child is COMMAND: it has pid 1, and sees only its own
# processes. RUN: own or shared, or seeing, which has the host's /proc at hostproc
become() {
	# shellcheck disable=SC2016
	exec unshare -p -f -m sh -c 'mount --make-rprivate / 2>/dev/null
		[ "$1" = shared ] || mount -t tmpfs none /run
		[ "$1" != seeing ] || mount --bind /proc hostproc
		shift
		mount -t proc proc /proc && exec "$@"' sh "$@"
}

container() {
	(become "$@")
}

# begin NAME RUN OPTION...: records into NAME.dat until somebody writes into NAME.go; $pid is that of unshare
begin() {
	name=$1
	run=$2
	shift 2
	rm -f "$name.go" "$name.runs"
	mkfifo "$name.go"
	# shellcheck disable=SC2016
	become "$run" "$record" "$@" -o "$name.dat" -- sh -c 'echo >"$0.runs"; read -r line <"$0.go"' "$name" 2>"$name.err" &
	pid=$!
	wait_for $pid test -e "$name.runs" || fail "$name: recording begins" "$(cat "$name.err")"
}

# own: instances of processes with pid 1 in a namespace
own() {
	echo instances
	find "$tracefs/instances" -mindepth 1 -maxdepth 1 -name 'tc-record.1.*'
}

# fresh: those that are new
fresh() {
	grep -vxFf before meanwhile
}

for run in own shared; do
	own >before
	begin first "$run" -e sched:sched_process_exit
	first=$pid
	begin second "$run" -e sched:sched_process_exec
	second=$pid
	own >meanwhile
	at_least "$run /run: two have two instances" "$(fresh | grep -c .)" 2
	/bin/true
	echo >second.go
	wait $second
	is "$run /run: the second one succeeds" $? 0
	echo >first.go
	wait $first
	is "$run /run: the first one does" $? 0
	for name in first second; do
		has "$run /run: $name: nothing is lost" $name.err "no events lost"
		nothing "$run /run: $name: nothing else is said" "$(grep -v "events in\|: waiting for the kernel: \|^tc-record: in a container pids are those of the host" $name.err)"
		"$report" -i $name.dat >$name.txt 2>/dev/null
		nothing "$run /run: $name: all events have a format" "$(grep 'UNKNOWN' $name.txt)"
	done
	at_least "$run /run: the first one has its events" "$(grep -c ': sched_process_exit: ' first.txt)" 1
	nothing "$run /run: and not those of the second" "$(grep ': sched_process_exec: ' first.txt)"
	at_least "$run /run: the second one has its events" "$(grep -c ': sched_process_exec: ' second.txt)" 1
	nothing "$run /run: and not those of the first" "$(grep ': sched_process_exit: ' second.txt)"
done

begin named own -B "box.$$" -e sched:sched_process_exit
container own "$record" -B "box.$$" -e sched:sched_process_exec -o refused.dat -- true 2>err
is "a buffer that is recorded in one container is refused in another" $? 1
has "with the reason" err "another program of tracecraft reads the ring buffer of 'box.$$'"
echo >named.go
wait $pid
is "and the first one loses nothing" "$(grep -c 'no events lost' named.err)" 1

own >before
begin killed own -e sched:sched_process_exec
own >meanwhile
killed=$(fresh)
runs "a container has an instance" test -n "$killed"
# The process with pid 1 ends all others of its namespace.
kill -KILL "$(cat "/proc/$pid/task/$pid/children")"
wait $pid 2>/dev/null
"$record" -e sched:sched_process_exec -o next.dat -- true 2>err
is "a recording after a container was killed succeeds" $? 0
nothing "and removes what it left" "$(for dir in $killed; do ls -d "$dir"; done 2>/dev/null)"

container own "$record" -k -e sched:sched_process_exec -o kept.dat -- true 2>kept.err
kept=$(sed -n 's|^tc-record: \(.*/instances/[^/]*\)/* is left.*|\1|p' kept.err)
"$record" -q -e sched:sched_process_exec -o next.dat -- true
"$TC_BUILDDIR/tc-session" reset -q --orphans
is "-k in a container: its instance stays" "$(ls -d "${kept:-none}")" "$kept"
wait_for $$ rmdir "$kept"

# Tasks are selected by the numbers that the kernel has for them, which a container does not see.
mkdir hostproc
own_program true mine.$$
own_program true other.$$
execs='s/.*: sched_process_exec: .*filename=\([^ ]*\) .*/\1/p'

# selected NAME FILE: the recording has what COMMAND executed, and nothing of others
selected() {
	"$report" -i "$2" 2>/dev/null | sed -n "$execs" | sort -u >got
	is "$1" "$(tr '\n' ' ' <got)" "./mine.$$ "
}

own >before
mkfifo go
# shellcheck disable=SC2016 # the inner shell's
become own "$record" -F -c -e sched:sched_process_exec -e sched:sched_process_exit -o f.dat -- \
	sh -c 'echo >runs; read -r line <go; "$0"; exec "$0"' ./mine.$$ 2>f.err &
pid=$!
wait_for $pid test -e runs || fail "COMMAND runs" "$(cat f.err)"
own >meanwhile
inst=$(fresh)
outer=$(cat "/proc/$pid/task/$pid/children")
outer=${outer% }
is "the recorder leaves itself out, by the numbers of the host" \
	"$(sort -n "$inst/set_event_notrace_pid" | tr '\n' ' ')" "$(printf '%s\n' "/proc/$outer/task"/* | sed 's|.*/||' | sort -n | tr '\n' ' ')"
is "-F selects COMMAND, by the number of the host" "$(head -n 1 "$inst/set_event_pid")" \
	"$(tr -d ' ' <"/proc/$outer/task/$outer/children")"
./other.$$
echo >go
wait $pid
is "-F in a container succeeds" $? 0
"$report" -i f.dat 2>/dev/null | sed -n "$execs" | sed 's|.*/||' | sort | tr '\n' ' ' >got
is "-F -c records COMMAND and its children alone" "$(cat got)" "mine.$$ mine.$$ sh "
has "a notice says what cannot be known" f.err "in a container pids are those of the host"
# The clocks take 104 bytes, and a task a name more.
is "no task is described by what /proc has under its number" "$("$TC_BUILDDIR/tc-file" dump --options f.dat |
	sed -n 's/.*TASKS AND CLOCKS, \([0-9]*\) bytes.*/\1/p')" 104
nothing "and not the recorder" "$("$report" -i f.dat 2>/dev/null | grep '^ *tc-record')"

# shellcheck disable=SC2016 # the inner shell's
container own "$TC_BUILDDIR/tc-trace" -q -o trace.out -e trace=execve sh -c '"$0"; exit 3' ./mine.$$ 2>err
is "tc-trace in a container has the status of COMMAND" $? 3
at_least "and its calls, and those of its children" "$(grep -c 'execve(' trace.out)" 2
container own "$TC_BUILDDIR/tc-stat" -q -e sched:sched_process_exec -o stat.out -- ./mine.$$ 2>err
has "tc-stat counts those of COMMAND" stat.out "1"

# shellcheck disable=SC2016
container own sh -c '"$0" -P $$ -e sched:sched_process_exec -o p.dat -- "$1"' "$record" ./mine.$$ 2>err
is "-P is refused where the host's numbers are not known" $? 1
has "with the reason" err "events have the pids of the host"
runs "and nothing is written" test ! -e p.dat
# shellcheck disable=SC2016
container seeing sh -c '"$0" -q -P $$ -c -e sched:sched_process_exec -o q.dat --daemonize && "$1" &&
	read -r pid </run/tc-record.pid && kill $pid && while [ -e /run/tc-record.pid ]; do :; done' "$record" ./mine.$$ 2>err
is "-P is taken where a /proc of the host is mounted" "$(cat err)$?" 0
selected "and selects by its numbers" q.dat

nothing_of_mine "after all"
finish
