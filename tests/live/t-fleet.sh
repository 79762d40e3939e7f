#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-fleet: several recorders at once, through a transport of the test's own instead of ssh. Each host's file
# has exactly the calls of its own command, also when connections are cut, or the collector is killed.
#
# needs: root tracefs
# area: network

# shellcheck disable=SC2317 # by wait_for
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

fleet=$TC_BUILDDIR/tc-fleet
[ -x "$report" ] || skip_all "tc-report is not built"
[ -x "$fleet" ] || skip_all "tc-fleet is not built"
build=$(cd "$TC_BUILDDIR" && pwd)
mkdir -m 700 spool bin || exit 1
for p in sh mktemp mkdir head chmod grep rm cat; do
	ln -s "$(command -v "$p")" bin/
done
# The transport. Hosts without*: have no tc-record; dead*: cannot be reached; stays*: connections go on for ever;
# cut*: each connection ends after some thousand bytes, until the sixth.
cat >connect <<'END'
#!/bin/sh
host=$1
HOST=$host
export HOST
case $host in
dead*) echo "cannot reach $host" >&2; exit 255 ;;
stays*) PATH=$BUILD:$PATH sh -c "$2"; exec cat never ;;
without*) PATH=$PWD/bin ;;
*) PATH=$BUILD:$PATH ;;
esac
export PATH
case $host in
cut*)
	n=$(($(cat "$host.times" 2>/dev/null || echo 0) + 1))
	echo $n >"$host.times"
	[ $n -gt 6 ] || { sh -c "$2" | dd bs=1 count=$((n * 12000)) status=none; exit 255; }
	;;
esac
exec sh -c "$2"
END
chmod +x connect
mkfifo never go.one go.two || exit 1
BUILD=$build
export BUILD

# The commands of hosts one and two wait until they may go on, which may be before that.
exec 3<>go.one 4<>go.two
# shellcheck disable=SC2016 # the host's shell's
go_on='read -r go <go.$HOST'
let_go_on() {
	echo go >&3
	echo go >&4
}

# run DIR HOSTS WORD...
run() {
	dir=$1
	hosts=$2
	shift 2
	"$fleet" record --ssh ./connect --spool "$PWD/spool" -o "$dir" --on "$hosts" "$@" 2>"$dir.err"
}

# has_ended DIR N: so many recorders say that they have
has_ended() {
	[ "$("$fleet" status --ssh ./connect -o "$1" | grep -c ' ended ')" = "$2" ]
}

# calls N: a command with N known calls
calls() {
	echo "i=0; while [ \$i -lt $1 ]; do /bin/true \$HOST; i=\$((i + 1)); done"
}

# execs DIR HOST: calls in the file of a host
execs() {
	"$report" --no-pager "$1/$2"/*.dat 2>/dev/null | grep -c 'sched_process_exec:.*filename=/bin/true'
}

# state DIR HOST: in the manifest
state() {
	sed -n "s/.*\"host\":\"$2\",\"state\":\"\([a-z]*\)\".*/\1/p" "$1/manifest.json"
}

run all one,two,three -- -e sched -F -c -- sh -c "$(calls 150)"
is "three hosts: all is well" $? 0
for h in one two three; do
	is "$h has the calls of its own command" "$(execs all $h)" 150
	is "$h is in the manifest" "$(state all $h)" ok
done
nothing "no spool is left" "$(ls spool)"
is "the folder is as its manifest says" "$("$fleet" check -o all | sort)" "$(printf '%s\n' one two three | sed 's/$/: ok/' | sort)"
is "the manifest has the boot" "$(grep -c "\"boot\":\"$(cat /proc/sys/kernel/random/boot_id)\"" all/manifest.json)" 3
is "and the sums of the files" "$(sed -n 's/.*"sha256":"\([0-9a-f]*\)".*/\1/p' all/manifest.json | sort)" \
	"$(sha256sum all/*/*.dat | cut -d ' ' -f 1 | sort)"
nothing "nothing but trace files is in the folders" "$(find all -type f ! -name '*.dat' ! -name manifest.json ! -name fleet.tab)"

# A line for each host on a terminal, and only there
has_columns() {
	grep -Eq "$1 +recording( +[0-9]+){4}" shown.out
}
nothing "progress is not shown in a file" "$(grep 'KiB there' all.err)"
cat >shown.sh <<END
exec '$fleet' record --ssh ./connect --spool '$PWD/spool' -o shown --on one,two -- -e sched -F -c -- sh -c '$go_on'
END
TERM=xterm script -qefc "sh shown.sh" /dev/null </dev/null >shown.out 2>&1 &
pid=$!
wait_for $pid grep -q "2 of 2 hosts record" shown.out
wait_for $pid has_columns one
wait_for $pid has_columns two
let_go_on
wait $pid
for h in one two; do
	runs "on a terminal it is, for $h" has_columns $h
done
has "with the names of the columns" shown.out "KiB here KiB there"
has "and the total" shown.out "2 of 2 hosts record"

run some one,dead,without,two -- -e sched -F -c -- sh -c "$(calls 60)"
is "some hosts fail" $? 3
has "the one that cannot be reached is named" some.err "cannot reach dead"
has "so is the one without tc-record" some.err "tc-record was not found there"
is "the others have all calls" "$(execs some one) $(execs some two)" "60 60"
is "failed ones are in the manifest" "$(state some dead) $(state some without)" "failed failed"
run stays stays,one -e sched -- -F -c -- sh -c "$(calls 40)"
is "a host whose connection does not end is not waited for" $? 0
is "and has all calls" "$(execs stays stays) $(execs stays one)" "40 40"
run tiny one -e sched --max-size 1 --duration 30
is "a limit of size that no recording can keep is a failure" $? 1
has "which names the limit" tiny.err "larger than the limit of 1 KiB"
nothing "no file is left" "$(find tiny/one -type f)"
nothing "nor anything on the host" "$(ls spool)"
run none dead1,dead2 -e sched --duration 1
is "no host works" $? 1
run usage one
is "nothing to record" $? 2
run bad one -e sched:no_such_event --duration 1
is "an event that does not exist is a failure of the host" $? 1
has "with the message of tc-record there" bad.err "no_such_event"

run cut cut1,cut2,whole -- -e sched -F -c -- sh -c "$(calls 1500)"
is "connections that break are taken up again" $? 0
for h in cut1 cut2 whole; do
	is "$h lost nothing" "$(execs cut $h)" 1500
done
runs "connections were cut" test "$(cat cut1.times)" -ge 3

# --copy: the host has no tc-record, and none is left there
TMPDIR=$PWD run copy without --copy --binary "$record" -- -e sched -F -c -- sh -c "$(calls 40)"
is "--copy: a host without tc-record records" $? 0
is "--copy: all calls" "$(execs copy without)" 40
nothing "--copy: nothing is left" "$(find . -maxdepth 1 -name 'tc-fleet-*')"

# Ctrl-C ends all recordings, and their files are complete
"$fleet" record --ssh ./connect --spool "$PWD/spool" -o int --on one,two -e sched 2>int.err &
pid=$!
wait_for $pid sends int one two
kill -INT $pid
wait $pid
is "SIGINT ends all" $? 0
is "the files are complete" "$(state int one) $(state int two)" "ok ok"

# The collector is killed; the hosts go on, and fetch brings all
"$fleet" record --ssh ./connect --spool "$PWD/spool" -o killed --on one,two -- -e sched -F -c -- \
	sh -c "$(calls 400); $go_on" 2>/dev/null &
pid=$!
wait_for $pid sends killed one two
kill -KILL $pid
wait $pid 2>/dev/null
"$fleet" status --ssh ./connect -o killed >status.text
has "status: the recorders go on" status.text "one recording"
let_go_on
wait_for $$ has_ended killed 2
"$fleet" fetch --ssh ./connect -o killed 2>/dev/null
is "fetch brings what is left" $? 0
is "with all calls" "$(execs killed one) $(execs killed two)" "400 400"
"$fleet" fetch --ssh ./connect -o killed 2>/dev/null
is "fetch again changes nothing" "$? $(execs killed one)" "0 400"
nothing "no spool is left after fetch" "$(ls spool)"

# stop ends what nobody waits for
"$fleet" record --ssh ./connect --spool "$PWD/spool" -o left --on one -e sched 2>/dev/null &
pid=$!
wait_for $pid sends left one
kill -KILL $pid
wait $pid 2>/dev/null
"$fleet" stop --ssh ./connect -o left >stopped
has "stop" stopped "one stopped"
wait_for $$ has_ended left 1
"$fleet" fetch -q --ssh ./connect -o left 2>/dev/null
is "a stopped recording is fetched" "$? $(state left one)" "0 ok"

# A recorder that is killed is named, and what it sent is a file
"$fleet" record --ssh ./connect --spool "$PWD/spool" -o dead --on one,two -- -e sched -F -c -- \
	sh -c "echo \$PPID >recorder.\$HOST; $(calls 300); $go_on" 2>dead.err &
pid=$!
wait_for $pid sends dead one two
wait_for $pid test -s recorder.one
kill -KILL "$(cat recorder.one)"
let_go_on
wait $pid
is "a recorder that is killed: the other goes on" "$? $(state dead one) $(state dead two)" "3 failed ok"
has "the message says so" dead.err "the recorder ended early"
is "the other has all calls" "$(execs dead two)" 300
runs "the killed one has a file" test "$("$report" --no-pager dead/one/*.dat 2>/dev/null | wc -l)" -ge 1

# The folder of spools must be the recorder's own
mkdir -m 777 open
"$record" --stream --spool open -e sched >/dev/null 2>open.err </dev/null
is "a folder that others may write to is refused" $? 1
has "and named" open.err "only its owner"
ln -s spool link
"$record" --stream --spool link -e sched >/dev/null 2>link.err </dev/null
is "so is a link" $? 1
"$record" -q -e sched_switch -o last.dat -- true 2>/dev/null
nothing_of_mine "afterwards"
finish
