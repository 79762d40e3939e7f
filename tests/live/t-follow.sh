#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-report --follow shows a recording while it is made, and in the end all of it.
#
# needs: root tracefs
# area: gate record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

[ -x "$report" ] || skip_all "tc-report is not built"
mkfifo go

# lines FILE NUMBER: it has more
# shellcheck disable=SC2317 # wait_for runs it
lines() {
	[ "$(wc -l <"$1")" -gt "$2" ]
}

# CPU, time and event of each record: names of tasks are in the complete file only
columns() {
	sed -n 's/^.*-[0-9]* *\(\[[0-9]*\]\) [^ ]* *\([0-9.]*: [^ ]*\) .*$/\1 \2/p' "$1"
}

# follow NAME OPTION...: record, and follow as soon as there is a file, until both end
follow() {
	name=$1
	shift
	"$record" -q -e sched -e irq -b 64 "$@" -o "$name.dat" -- \
		sh -c 'while [ ! -e stop ]; do ls -l /usr >/dev/null; done' 2>"$name.lost" &
	recorder=$!
	wait_for $recorder test -e "$name.dat"
	"$report" --no-pager --follow -t "$name.dat" >"$name.follow" 2>"$name.err" &
	follower=$!
	wait_for $follower lines "$name.follow" 1000
	runs "$name: records are shown before the recording ends" test -e /proc/$recorder/exe
	touch stop
	wait $recorder
	wait $follower
	is "$name: --follow ends when the recording does" $? 0
	rm stop
	nothing "$name: without a message" "$(cat "$name.err")"
	"$report" --no-pager -t "$name.dat" >"$name.text"
	columns "$name.text" | sort >want
	columns "$name.follow" | sort >got
	is "$name: every record was shown, once" "$(diff want got | head -n 5)" ""
	is "$name: there were records" "$(awk 'END { print (NR > 1000) }' want)" 1
	nothing "$name: records of each CPU are in order" "$(columns "$name.follow" |
		awk '$2 + 0 < last[$1] { print } { last[$1] = $2 + 0 }' | head -n 3)"
}

follow compressed
follow plain --compression=none

# Where hardly anything happens, a record does not wait for others: the recorder flushes what it has
cp /bin/true "seldom.$$"
for codec in zstd none; do
	"$record" -q -e sched_process_exec -f "filename == \"./seldom.$$\"" --compression $codec -o seldom.dat -- \
		sh -c 'read -r _ <go' 2>seldom.lost &
	recorder=$!
	wait_for $recorder recording $recorder
	rm -f seldom.text
	"$report" --no-pager --follow seldom.dat >seldom.text 2>seldom.err &
	follower=$!
	"./seldom.$$"
	if wait_for $follower grep -q "filename=./seldom.$$ " seldom.text; then
		pass "$codec: a single record is shown before the recording ends"
	else
		fail "$codec: a single record is shown before the recording ends" "$(cat seldom.err)"
	fi
	echo >go
	wait $recorder
	wait $follower
	is "$codec: --follow ends when the recording does" $? 0
done

# As a script has it: its shell starts what ends with "&" with SIGINT ignored
"$record" -q -e sched -b 64 -o signal.dat -- \
	sh -c 'while [ ! -e stop ]; do ls -l /usr >/dev/null; done' 2>/dev/null &
recorder=$!
for sig in INT TERM; do
	[ $sig = INT ] && status=130 || status=143
	rm -f signal.text
	env --ignore-signal=INT --ignore-signal=TERM "$report" --no-pager --follow signal.dat >signal.text 2>&1 &
	follower=$!
	wait_for $follower lines signal.text 100
	kill -$sig $follower
	wait $follower 2>/dev/null
	is "SIG$sig, ignored at the start, ends --follow" $? "$status"
done
touch stop
wait $recorder
rm stop

# A recorder that is killed cannot complete its file
"$record" -q -e sched -b 64 -o killed.dat -- \
	sh -c 'while [ ! -e stop ]; do ls -l /usr >/dev/null; done' 2>/dev/null &
recorder=$!
"$report" --no-pager --follow killed.dat >killed.text 2>killed.err &
follower=$!
wait_for $follower lines killed.text 1000
kill -KILL $recorder
wait $recorder 2>/dev/null
wait $follower
is "when the recorder is killed, --follow ends and fails" $? 1
has "and says so" killed.err "the recording was not completed"
touch stop
"$record" -q -e sched_switch -o killed.dat -- true
nothing_of_mine "afterwards"
finish
