#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-report --follow shows a recording while it is made, and in the end all of it.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

[ -x "$report" ] || skip_all "tc-report is not built"
remember_state

# CPU, time and event of each record: names of tasks are in the complete file only
columns() {
	sed -n 's/^.*-[0-9]* *\(\[[0-9]*\]\) [^ ]* *\([0-9.]*: [^ ]*\) .*$/\1 \2/p' "$1"
}

# follow NAME OPTION...: record and follow at once, until both end
follow() {
	name=$1
	shift
	"$record" -q -e sched -e irq -b 64 "$@" -o "$name.dat" -- \
		sh -c 'while [ ! -e stop ]; do ls -l /usr >/dev/null; done' 2>"$name.lost" &
	recorder=$!
	"$report" --no-pager --follow -t "$name.dat" >"$name.follow" 2>"$name.err" &
	follower=$!
	# shellcheck disable=SC2016 # the inner shell's
	until_true 60 sh -c '[ "$(wc -l <'"$name"'.follow)" -gt 1000 ]'
	is "$name: records are shown before the recording ends" "$(kill -0 $recorder 2>&1)" ""
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
for codec in zstd none; do
	"$record" -q -e sched_process_exec --compression $codec -o seldom.dat -- \
		sh -c 'until [ -e stop ]; do sleep 0.1; done' 2>seldom.lost &
	recorder=$!
	until_true 10 recording $recorder
	"$report" --no-pager --follow seldom.dat >seldom.text 2>seldom.err &
	follower=$!
	/bin/true seldom
	if until_true 20 grep -q 'filename=/bin/true ' seldom.text; then
		pass "$codec: a single record is shown before the recording ends"
	else
		fail "$codec: a single record is shown before the recording ends" "$(cat seldom.err)"
	fi
	touch stop
	wait $recorder
	wait $follower
	is "$codec: --follow ends when the recording does" $? 0
	rm stop
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
	# shellcheck disable=SC2016 # the inner shell's
	until_true 60 sh -c '[ "$(wc -l <signal.text)" -gt 100 ]'
	kill -$sig $follower
	# a killed child is there until it is waited for, as a zombie
	until_true 20 sh -c "! grep -q '^State:.*[RSD]' /proc/$follower/status" ||
		kill -KILL $follower
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
# shellcheck disable=SC2016 # the inner shell's
until_true 60 sh -c '[ "$(wc -l <killed.text)" -gt 1000 ]'
kill -KILL $recorder
wait $recorder 2>/dev/null
wait $follower
is "when the recorder is killed, --follow ends and fails" $? 1
has "and says so" killed.err "the recording was not completed"
touch stop
"$record" -q -e sched_switch -o killed.dat -- true
same_state "afterwards"
finish
