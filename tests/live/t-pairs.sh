#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two programs that want one name at the same time: one wins and keeps what it asked for, the other says why it
# does not. And reset, which undoes nothing of a recorder or flight recorder that runs.
# TC_PAIRS is how often each pair is tried.
#
# needs: root tracefs uprobes
# area: session
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

session=$TC_BUILDDIR/tc-session
probe=$TC_BUILDDIR/tc-probe
name=tc-live-pairs-$$
inst=$tracefs/instances/$name
pid=''
# shellcheck disable=SC2317 # by the trap
cleanup() {
	# shellcheck disable=SC2086 # several
	kill $pid 2>/dev/null
	wait
	"$session" reset -q -B "$name" -d 2>/dev/null
	rm -f "/run/tracecraft/.flight-$name"
	tap_clean
}
trap cleanup EXIT
# A line that is written to 9 stays for who reads it later, or for nobody.
new_hold() {
	rm -f hold
	mkfifo hold
	exec 9<>hold
}
new_hold
# COMMAND of recorders: it goes on when one of the two has ended
# shellcheck disable=SC2016
hold='sh -c "read x <hold; exec /bin/true"'
# shellcheck disable=SC2317 # in the background
side() {
	eval "$2" >"$1.out" 2>"$1.err"
	echo $? >"$1.status"
	echo >&9
}
# pair NAME WHY COMMAND COMMAND [both]: one has succeeded, which "won" says, and the message of the other one has WHY; or
# both may.
pair() {
	rm -f ./*.status ./*.dat
	new_hold
	side a "$3" &
	first=$!
	side b "$4" &
	wait "$first" "$!"
	won='' lost=''
	for s in a b; do
		if [ "$(cat $s.status)" = 0 ]; then won=$won$s; else lost=$lost$s; fi
	done
	case $won in
	a | b)
		grep -qE -e "$2" "$lost.err" && return
		echo "$1: the other one says: $(cat "$lost.err")" >>wrong
		;;
	ab) [ "${5:-}" = both ] || echo "$1: both won: $(cat a.err b.err)" >>wrong ;;
	*) echo "$1: nobody won: $(cat a.err b.err)" >>wrong ;;
	esac
	return 1
}
# kept NAME GOT WANTED
kept() {
	[ "$2" = "$3" ] || echo "$1: got '$2', wanted '$3'" >>wrong
}
# events FILE: which it has
events() {
	"$report" -q "$1" 2>&1 | grep -o 'sched_process_e[a-z]*' | sort -u
}
e_a=sched_process_exec e_b=sched_process_exit
event() {
	if [ "$won" = a ]; then echo $e_a; else echo $e_b; fi
}
taken='exists|another program of tracecraft reads'

: >wrong
"${CC:-cc}" -g -O0 -x c -o prog - <<'END' || skip_all "no C compiler"
int one(int a) { return a + 1; }
int two(int a) { return a + 2; }
int main(int argc, char **argv) { return one(argc) + two(argc) + !argv; }
END
printf '%s\n' "directory = $PWD" "buffer-size = 1M" "event = sched:sched_process_exec" >flight.conf
round=0
while [ $round -lt "${TC_PAIRS:-3}" ]; do
	round=$((round + 1))
	pair "two recorders of one ring buffer" "$taken" \
		"$record -q -B $name -e sched:$e_a -o a.dat -- $hold" \
		"$record -q -B $name -e sched:$e_b -o b.dat -- $hold" &&
		kept "the recorder that won" "$(events $won.dat)" "$(event)"
	pair "two recorders of one file" "another recording does" \
		"$record -q -e sched:$e_a -o one.dat -- $hold" \
		"$record -q -e sched:$e_b -o one.dat -- $hold" &&
		kept "the file of the recorder that won" "$(events one.dat)" "$(event)"
	# A recorder may use the instance of a session that is there already, and leaves it as it was.
	pair "a recorder and a session" "$taken" \
		"$record -q -B $name -e sched:$e_a -o a.dat -- $hold" \
		"$session start -q -B $name -e sched:$e_b" both
	case $won in
	a) kept "the recorder that won" "$(events a.dat)" $e_a ;;
	*b) kept "the session that won" "$(cat "$inst/set_event")" sched:$e_b ;;
	esac
	[ ! -d "$inst" ] || "$session" reset -q -B "$name" 2>>wrong
	pair "two sessions" "$taken" "$session start -q -B $name -e sched:$e_a" \
		"$session start -q -B $name -e sched:$e_b" &&
		kept "the session that won" "$(cat "$inst/set_event")" "sched:$(event)"
	pair "two extracts into one file" "another program of tracecraft|another recording does" \
		"$session extract -q -B $name -o one.dat" "$session extract -q -B $name -o one.dat"
	pair "two resets" "there is no instance|has removed" "$session reset -B $name" "$session reset -B $name" &&
		kept "the instance" "$(ls -d "$inst" 2>/dev/null)" ""
	pair "two definitions of a probe" "already" "$probe -q -x ./prog -a pairs_$$:it=one" \
		"$probe -q -x ./prog -a pairs_$$:it=two" &&
		kept "the probe that won" "$("$probe" -l "pairs_$$:*" | grep -oE "on (one|two) in")" \
			"on $(if [ $won = a ]; then echo one; else echo two; fi) in"
	pair "two who delete a probe" "there is no probe|another program" "$probe -q -d pairs_$$:it" \
		"$probe -q -d pairs_$$:it" && kept "the deleted probe" "$(grep "pairs_$$" "$tracefs/uprobe_events")" ""
done
nothing "one of two at once wins and keeps what it asked for, the other says why" "$(cat wrong)"

# Two flight recorders: whoever won runs until a signal ends it
: >wrong
round=0
while [ $round -lt "${TC_PAIRS:-3}" ]; do
	round=$((round + 1))
	"$session" flight --config flight.conf "$name" 2>a.err &
	a=$!
	"$session" flight --config flight.conf "$name" 2>b.err &
	b=$!
	pid="$a $b"
	wait_for $a grep -q -e ': recording' -e 'runs already' a.err
	wait_for $b grep -q -e ': recording' -e 'runs already' b.err
	kept "flight recorders that run, and that say why not" \
		"$(cat a.err b.err | grep -c ': recording') $(cat a.err b.err | grep -c 'runs already')" "1 1"
	grep -q ': recording' a.err || a=$b
	# Reset, while it runs
	"$session" reset -B "$name" 2>reset.err
	kept "reset of a flight recorder" "$? $(grep -c 'undoes nothing: a flight recorder of this name runs' reset.err)" "1 1"
	kept "the flight recorder's events" "$(cat "$inst/set_event")" sched:$e_a
	kill -TERM $a
	wait $a
	kept "the flight recorder's end" "$? $(ls -d "$inst" 2>/dev/null)" "0 "
	wait $b
	pid=
done
nothing "one of two flight recorders runs, and reset leaves it alone" "$(cat wrong)"

new_hold
# shellcheck disable=SC2086 # a command
eval "exec $record -B $name -e sched:$e_a -o one.dat -- $hold" 2>record.err &
pid=$!
wait_for $pid traces "$name" || fail "it records" "$(cat record.err)"
for options in "-B $name" "-B $name -d"; do
	# shellcheck disable=SC2086
	"$session" reset $options 2>err
	is "reset $options: status, while tc-record records it" $? 1
	has "reset $options: it says why" err "undoes nothing: another program of tracecraft reads the ring buffer"
	has "reset $options: and who does" err "it is open in $pid (tc-record)"
done
echo >&9
wait $pid
is "the recorder ends well" $? 0
has "and has everything" record.err "no events lost"
pid=
is "its events" "$(events one.dat)" $e_a
nothing_of_mine "pairs"

finish
