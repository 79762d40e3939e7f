#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How a recording ends: its status, its file, and tracefs as it was before.
#
# needs: root tracefs
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# unchanged NAME: nothing of the recorder is left
unchanged() {
	nothing_of_mine "$1"
	is "$1: no temporary file is left" "$(find . -name '*.cpu*')" ""
}

# reads NAME FILE
reads() {
	if command -v trace-cmd >/dev/null; then
		trace-cmd report -i "$2" >text 2>&1
		if lines_of text | grep -q 'sched_'; then
			pass "$1: the file can be read"
		else
			fail "$1: the file can be read" "$(head -n 3 text)"
		fi
	else
		skip "$1: the file can be read" "no trace-cmd"
	fi
}

# ends NAME STATUS WANTED FILE
ends() {
	is "$1: status" "$2" "$3"
	unchanged "$1"
	reads "$1" "$4"
}

# start OPTIONS...: in the background, as $pid, in a process group of its own as in a terminal
start() {
	# sh has background processes ignore SIGINT
	setsid env --default-signal=INT "$record" -e 'sched:*' -o bg.dat "$@" 2>err &
	pid=$!
	wait_for $pid recording $pid || fail "recording begins" "$(cat err)"
}

"$record" -q -e 'sched:*' -o n.dat -- sleep 0.2
ends "COMMAND ends" $? 0 n.dat
"$record" -q -e 'sched:*' -o f.dat -- sh -c 'exit 42'
ends "COMMAND fails" $? 42 f.dat
"$record" -q -e 'sched:*' -o k.dat -- sh -c 'kill -SEGV $$'
ends "COMMAND is killed" $? 139 k.dat
"$record" -q -e 'sched:*' -o d.dat --duration 200ms
ends "time is up" $? 0 d.dat
# COMMAND ends when nothing is recorded any more: the instance is gone
mkfifo go
"$record" -q -e 'sched:*' -o dc.dat --duration 200ms -- sh -c ': >began; read -r _ <go; exit 5' &
pid=$!
wait_for $pid test -e began
wait_for $pid test ! -d "$tracefs/instances/tc-record.$pid"
rm began
echo >go
wait $pid
ends "time is up before COMMAND ends" $? 5 dc.dat

for sig in INT TERM HUP; do
	start
	kill -$sig $pid
	wait $pid
	ends "SIG$sig" $? 0 bg.dat
	has "SIG$sig: there is a summary" err " events in "
done

# As a script has it: its shell starts what ends with "&" with SIGINT ignored
for sig in INT TERM; do
	env --ignore-signal=INT --ignore-signal=TERM "$record" -e 'sched:*' -o bg.dat 2>err &
	pid=$!
	wait_for $pid recording $pid || fail "recording begins" "$(cat err)"
	kill -$sig $pid
	wait $pid
	ends "SIG$sig, ignored at the start" $? 0 bg.dat
done
env --ignore-signal=HUP "$record" -e sched:sched_process_exec -o bg.dat 2>err &
pid=$!
wait_for $pid recording $pid || fail "recording begins" "$(cat err)"
kill -HUP $pid
cp /bin/true "after.$$"
"./after.$$"
kill -TERM $pid
wait $pid
ends "SIGHUP, ignored at the start" $? 0 bg.dat
has "SIGHUP, ignored at the start, does not end it" text "filename=./after.$$"
# shellcheck disable=SC2016 # the inner shell's
env --ignore-signal=INT "$record" -q -e sched -o c.dat -- sh -c 'kill -INT $$; exit 7'
ends "COMMAND still ignores SIGINT" $? 7 c.dat

# Ctrl-C: the terminal sends it to both
start -- sh -c ': >began; exec sleep 60'
wait_for $pid test -e began
kill -INT -$pid
wait $pid
ends "Ctrl-C with COMMAND" $? 130 bg.dat
start -- sleep 60
kill -TERM $pid
wait $pid
ends "SIGTERM with COMMAND" $? 143 bg.dat

# A COMMAND that does not listen is left alone after the second
start -- sh -c 'trap "" INT TERM; echo $$ >stubborn; read -r _ <go'
wait_for $pid test -s stubborn
kill -INT $pid
wait_for $pid grep -q ' events in ' err
kill -INT $pid
wait $pid
is "Ctrl-C twice with a stubborn COMMAND: status" $? 130
echo >go
unchanged "Ctrl-C twice"

# refused NAME WANTED-STATUS TEXT OPTIONS...: nothing is recorded, no file is made
refused() {
	refused_name=$1
	refused_status=$2
	refused_text=$3
	shift 3
	"$record" -o refused.dat "$@" >out 2>err
	is "$refused_name: status" $? "$refused_status"
	has "$refused_name: message" err "$refused_text"
	is "$refused_name: no file is made" "$(find . -name 'refused.dat*')" ""
	unchanged "$refused_name"
}

refused "COMMAND is not found" 127 "nosuchcommand" -e sched -- nosuchcommand
refused "COMMAND is not executable" 126 "/etc/passwd" -e sched -- /etc/passwd
# Found and executable, but its interpreter is a directory: only exec can find out
printf '#!/\n' >broken
chmod +x broken
refused "COMMAND cannot be executed" 126 "./broken" -e sched -- ./broken
refused "an unknown event" 2 "did you mean 'sched_switch'" -e sched_swich -- true
refused "an event of an unknown system" 2 "nosuch" -e nosuch:sched_switch -- true
refused "a wrong filter" 1 "Field not found" -e sched_switch -f 'prev_pidd > 1' -- true
# The caret is below the field as the kernel counts it, two blanks before the line
filter_line=$(grep -n 'prev_pidd' err | tail -n 1 | cut -d: -f1)
has "a wrong filter: a caret" err '^'
[ -n "$filter_line" ] || fail "a wrong filter: it is shown"
refused "an unknown clock" 2 "nosuchclock" -e sched -C nosuchclock -- true
refused "a misspelt clock" 2 "did you mean 'global'" -e sched -C globl -- true
refused "an unknown trigger" 2 "did you mean 'stacktrace'" -e sched_switch -R stacktrce -- true
if ! grep -qw hist "$tracefs/events/sched/sched_process_hang/trigger"; then
	refused "a trigger that the kernel lacks" 1 "CONFIG_HIST_TRIGGERS" -e sched_switch \
		-R hist:keys=prev_pid -- true
fi
cpus=$(find "$tracefs/per_cpu" -mindepth 1 -maxdepth 1 | wc -l)
refused "a CPU that does not exist" 1 "this machine has $cpus CPU" -e sched --cpus "0-$cpus" -- true
refused "a mask with a CPU that does not exist" 1 "this machine has $cpus CPU" -e sched \
	-M "$(printf '%x' $((1 << cpus)))" -- true
refused "a verb of trace-cmd" 2 "tc-record -e sched -o t.dat" record -e sched -o t.dat
refused "perf's -aR" 2 ": tc-record -e sched -- sleep 1" -e sched -aR sleep 1
refused "a buffer that is too large" 1 "KiB for each CPU" -e sched -b 900G -- true
refused "no event" 2 "nothing to record" -- true
refused "an unknown option" 2 "--nosuch" --nosuch
refused "an unknown user" 1 "nosuchuser" -e sched --user nosuchuser -- true

"$record" -e sched -o /dev/null -- true 2>err
is "a device as output: status" $? 1
has "a device as output: message" err "not a regular file"
unchanged "a device as output"
"$record" -e sched -o nosuchdir/t.dat -- true 2>err
is "a directory that does not exist: status" $? 1
has "a directory that does not exist: message" err "nosuchdir/t.dat"
unchanged "a directory that is not there"

# In another user's directory: nobody but root reads what root records, and nothing else is written
mkdir theirs
chown nobody theirs
(umask 0 && "$record" -q -e sched -o theirs/t.dat -- true 2>err)
is "in another's directory: status" $? 0
is "in another's directory: owner and mode" "$(stat -c '%u %a' theirs/t.dat)" "0 600"
echo theirs >theirs/t.dat
chown nobody theirs/t.dat
chmod 666 theirs/t.dat
"$record" -q -e sched -o theirs/t.dat --mode 640 -- true 2>err
is "another user's file: status" $? 0
is "another user's file: owner and mode" "$(stat -c '%u %a' theirs/t.dat)" "0 640"
reads "a file of theirs" theirs/t.dat
echo precious >precious
ln -sf ../precious theirs/t.dat
"$record" -q -e sched -o theirs/t.dat -- true 2>err
is "another user's link: status" $? 1
has "another user's link: message" err "there is a symbolic link in the path"
rm theirs/t.dat
"$record" -e 'sched:*' -o theirs/t.dat 2>err &
pid=$!
wait_for $pid recording $pid || fail "recording begins" "$(cat err)"
ln -sf ../precious theirs/t.dat
kill -INT $pid
wait $pid
is "another user's link made while recording: status" $? 1
has "another user's link made while recording: message" err "removed or replaced"
is "another user's link is not followed" "$(cat precious)" precious
rm theirs/t.dat
ln -s ../precious theirs/t.dat.cpu0
"$record" -q -e sched -o theirs/t.dat -- true 2>err
is "a planted temporary file: status" $? 1
has "a planted temporary file: what to do" err "remove it, or name another file"
rm -r theirs
nothing_of_mine "another user's directory"

# Two recordings into one file
start
"$record" -e sched -o bg.dat -- true 2>err2
is "a file that is being recorded into: status" $? 1
has "a file that is being recorded into: message" err2 "another recording"
kill -INT $pid
wait $pid
ends "and the first goes on" $? 0 bg.dat
finish
