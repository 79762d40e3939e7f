#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-fleet when something breaks that is not a connection alone: the collector's disk is full, a link stays away, both
# ends are killed, files of a run are deleted. Either fetch brings what the recorder counted, or the reason is said.
#
# needs: root tracefs
# area: network
# cost: 12

# shellcheck disable=SC2317 # by wait_for
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

fleet=$TC_BUILDDIR/tc-fleet
[ -x "$report" ] || skip_all "tc-report is not built"
[ -x "$fleet" ] || skip_all "tc-fleet is not built"
PATH=$(cd "$TC_BUILDDIR" && pwd):$PATH
export PATH
mkdir -m 700 spool disk || exit 1
# The transport; it says which process it is, and cannot connect while "down" is there. Its failure is one that ssh has.
cat >connect <<'END'
#!/bin/sh
echo $$ >"pid.$1"
[ ! -e down ] || { echo "no route to $1" >&2; exit 255; }
eval "exec $2"
END
chmod +x connect
mkfifo go || exit 1
exec 3<>go

# A command with N calls and more, which then waits for a line of "go"
calls() {
	echo "dd if=/dev/zero of=/dev/null bs=1 count=$1 status=none; read -r line <go"
}

# record DIR WORD...: on host "one", whose events take up their full size
record() {
	dir=$1
	shift
	"$fleet" record --ssh ./connect --spool "$PWD/spool" -o "$dir" --on one "$@" -- -e raw_syscalls \
		--compression none -F -c -- sh -c "$(calls 20000)" 2>record.err &
	pid=$!
}

fetch() {
	dir=$1
	shift
	"$fleet" fetch --ssh ./connect -o "$dir" "$@" >/dev/null 2>fetch.err
}

spooled() {
	"$fleet" status --ssh ./connect -o "$1" 2>/dev/null
}

has_ended() {
	spooled "$1" | grep -q "^one $2 "
}

# value DIR KEY: in the manifest
value() {
	sed -n "s/.*\"host\":\"one\",.*\"$2\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$1/manifest.json"
}

# is_whole NAME DIR: the file has as many events as the recorder counted
is_whole() {
	counted=$(value "$2" events)
	is "$1: state" "$(value "$2" state)" ok
	at_least "$1: events" "${counted:-0}" 40000
	is "$1: the file has them" "$("$report" --no-pager "$2"/one/*.dat | grep -c ': sys_e[nx][ti][et]')" "$counted"
	nothing "$1: nothing is beside it" "$(ls "$2"/one/*.dat.* 2>/dev/null)"
	nothing "$1: no spool is left" "$(ls spool)"
}

collector_full() {
	mount -t tmpfs -o size=1m,mode=700 tmpfs disk || skip_all "cannot mount a tmpfs"
	record disk/run
	wait_for $pid grep -q 'No space left' record.err
	wait $pid
	is "a full disk here: status" $? 1
	has "a full disk here: it is said" record.err "No space left on device"
	has "a full disk here: and what to do" record.err "tc-fleet fetch"
	echo >&3
	wait_for $$ has_ended disk/run ended
	fetch disk/run
	is "a full disk here, still: status of fetch" $? 1
	has "a full disk here, still: it is said" fetch.err "No space left on device"
	mount -o remount,size=32m disk
	fetch disk/run
	is "a full disk here: status of fetch" $? 0
	is_whole "a full disk here" disk/run
	umount disk
}

# The connection stays away until fetch
link_gone() {
	record gone --reconnect 3
	wait_for $pid sends gone one
	touch down
	kill -KILL "$(cat pid.one)"
	wait $pid
	is "a link that stays away: status" $? 1
	has "a link that stays away: it is said" record.err "no connection for 3 s: no route to one"
	has "a link that stays away: and what to do" record.err "tc-fleet fetch"
	rm down
	echo >&3
	wait_for $$ has_ended gone ended
	fetch gone
	is "a link that stays away: status of fetch" $? 0
	is_whole "a link that stays away" gone
	rm -r gone
}

both_killed() {
	record both
	wait_for $pid sends both one
	sender=$(cat pid.one)
	kill -KILL $pid "$sender"
	wait $pid 2>/dev/null
	echo >&3
	wait_for $$ has_ended both ended
	fetch both
	is "both ends killed: status of fetch" $? 0
	is_whole "both ends killed" both
	rm -r both
}

# The recorder, too: what it had sent or spooled is a file, and it is said
all_killed() {
	record all
	wait_for $pid sends all one
	sender=$(cat pid.one)
	# shellcheck disable=SC2046 # a list
	kill -KILL $pid "$sender" $(recorders) 2>/dev/null
	wait $pid 2>/dev/null
	echo >&3
	wait_for $$ has_ended all died
	fetch all
	is "all killed: status of fetch" $? 1
	has "all killed: it is said" fetch.err "the recorder ended early"
	is "all killed: the file has what had come" "$("$report" --no-pager all/one/*.dat 2>/dev/null | grep -c ': sys_e[nx][ti][et]')" \
		"$(value all events)"
	nothing "all killed: no spool is left" "$(ls spool)"
	rm -r all
}

# The recorders of this test, by their instances
recorders() {
	for r in /proc/[0-9]*; do
		[ "$(readlink "$r/exe")" = "$(readlink -f "$record")" ] && [ "$(readlink "$r/cwd")" = "$PWD" ] && echo "${r#/proc/}"
	done
}

# --recover DIR: leaves a file of which the host has more alone, and what is to be done is said
kept_to_recover() {
	for f in "$1"/one/*.dat; do
		[ -e "$f.stream" ] || continue
		before=$(sha256sum "$f")
		"$record" --recover="$f" 2>recover.err
		is "--recover refuses: status" $? 1
		has "--recover refuses: and says what to do" recover.err "tc-fleet fetch -o '$1'"
		is "--recover refuses: the file is as it was" "$(sha256sum "$f")" "$before"
		"$report" --no-pager "$f" >/dev/null 2>report.err
		is "the report does not advise it" "$(grep -c -e --recover report.err)" 0
	done
}

# deleted NAME DIR GLOB TEXT: what is deleted after the collector was killed; what fetch says, and that it ends
deleted() {
	record "$2"
	wait_for $pid sends "$2" one
	kill -KILL $pid
	wait $pid 2>/dev/null
	mkdir kept
	eval "mv $2/one/$3 kept/"
	fetch "$2" --reconnect 2
	is "$1 deleted: status of fetch" $? 1
	has "$1 deleted: the reason" fetch.err "$4"
	has "$1 deleted: and what to do" fetch.err "hint: "
	kept_to_recover "$2"
	echo >&3
	wait_for $$ has_ended "$2" ended
	mv kept/* "$2/one/"
	rmdir kept
	fetch "$2"
	is "$1 put back: status of fetch" $? 0
	is_whole "$1 put back" "$2"
	rm -r "$2"
}

collector_full
link_gone
both_killed
all_killed
deleted "all files" d1 '*' "is no longer here"
deleted "the file" d2 '*.dat' "cannot go on with"
deleted "a CPU's data" d3 '*.dat.cpu*' "cannot go on with CPU"
deleted "the journal" d4 '*.dat.stream' ".dat.stream' was removed"

# An error of tc-record on a host comes with its advice
"$fleet" record --ssh ./connect --spool "$PWD/spool" -o miss --on one -e sched:sched_swich --duration 1 2>miss.err
is "a misspelt event: status" $? 1
has "a misspelt event: the suggestion comes, too" miss.err "did you mean 'sched:sched_switch'"
nothing "a misspelt event: no file is left" "$(find miss -name '*.dat*')"

# Where nothing is left
record done
wait_for $pid sends done one
spooled done >status.out
has "status: it records" status.out "one recording"
echo >&3
wait $pid
is "stop where nothing is left" "$("$fleet" stop --ssh ./connect -o done 2>&1; echo $?)" "one nothing is left there
0"

# A rate of a quarter of what is there a second: how long that takes is said
record slow --bwlimit 200K
wait_for $pid sends slow one
echo >&3
wait_for $pid grep -q "host 'one': the recording has ended; its last [0-9]* KiB take [0-9]* s at --bwlimit 200K" record.err
is "a slow rest is said" $? 0
# Different ones are not taken for one.
kill -INT $pid
kill -TERM $pid
wait $pid
has "two times Ctrl-C: what brings the rest is said" record.err "tc-fleet fetch -o 'slow'"
fetch slow --bwlimit 1G
is "fetch after two times Ctrl-C" $? 0
is_whole "after two times Ctrl-C" slow
nothing_of_mine "afterwards"
finish
