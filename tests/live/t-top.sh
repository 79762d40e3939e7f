#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-top on a terminal, playing a recording and live: what its keys do, and that terminal and tracefs are
# as they were, whatever ends it. The terminal is tmux, which knows whether the alternate screen is left and
# the cursor shown.
#
# needs: root tracefs
# area: tools
# shellcheck disable=SC2317 # by becomes and the trap
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

top=$TC_BUILDDIR/tc-top
[ -x "$top" ] || skip_all "tc-top is not built in $TC_BUILDDIR"
[ -d "$tracefs/events/raw_syscalls" ] || skip_all "there are no events of system calls"
grep -q '^#define HAVE_NCURSES 1$' "$TC_BUILDDIR/config.h" || skip_all "tc-top is built without ncurses"
helper calls

# shellcheck source=tests/live/terminal.sh
. "$TC_SRCDIR/tests/live/terminal.sh"

# start ARG...: tc-top in the terminal
start() {
	start_in_terminal "$top $*"
}

# The numbers of the column TOTAL (the third), top to bottom, and the names beside them
totals() {
	screen | awk '$1 ~ /^>?[0-9.]+[kMG]?$/ { print $3, $NF }'
}

# total NAME: of the row of this name
total() {
	totals | awk -v name="$1" '$2 == name { print $1 }'
}

# is_total NAME N: for becomes
is_total() {
	[ "$(total "$1")" = "$2" ]
}

# sorted OPTION: the totals on the screen, with an option of sort(1)
sorted() {
	totals | cut -d' ' -f1 >column
	[ "$(wc -l <column)" -ge 3 ] && sort -n "$1" -c column
}

keys="q quit  h help  / filter  < > sort  r reverse  Enter task  space freeze"
# Tasks that come and go
cat >job-command <<-'END'
	echo $$ >command.pid
	while :; do sleep 0.01; done
END
"$record" -q -F -c -e raw_syscalls -e sched:sched_switch -o x.dat -- ./calls fork 777 1
is "a recording" $? 0
open_terminal 80 24

# A recording in one interval: its page stays.
start -i x.dat -k syscall -s total -d 24h
becomes "a recording: the calls made are counted" is_total getppid 777
runs "a recording: sorted by total" sorted -r
key r
becomes "r: reversed" shows "sort total reversed"
becomes "r: the smallest first" sorted -n
key r
becomes "r again" sorted -r
key '>'
becomes "> sorts by the next column" shows "sort share"
key '<' '<'
becomes "< sorts by the one before" shows "sort rate10"
key '>'
becomes "> again" shows "sort total"
key / getppid
becomes "/: what is typed is shown" line 24 "filter: getppid_   (Enter; Esc: as it was)"
key BSpace
becomes "/: Backspace takes a character" line 24 "filter: getppi_   (Enter; Esc: as it was)"
key Enter
becomes "/: says how many rows there are" shows "filter getppi (1 of "
is "/: one row is left" "$(totals)" "777 getppid"
key / Enter
becomes "/ with nothing: all rows" sorted -r
key h
becomes "h: help" shows "quit             -n N ends after N pages"
key x
becomes "any key leaves help" is_total getppid 777
key Space
becomes "space: frozen" shows "frozen, counting goes on"
key Space
becomes "space again" lacks frozen
becomes "80x24: the keys are in the last line" line 24 "$keys"
terminal resize-window -x 40 -y 10
becomes "40x10: the keys are in the last line, cut" line 10 "$(echo "$keys" | cut -c1-40)"
becomes "40x10: columns are hidden" shows "hidden:"
nothing "40x10: no line is wider" "$(screen | grep -E '.{41}')"
terminal resize-window -x 80 -y 24
becomes "80x24 again: the last line" line 24 "$keys"
becomes "80x24 again: the row" is_total getppid 777
stop "a recording"
runs "Ctrl-Z: the screen is left, the cursor shown" off_screen
go_on
becomes "fg: on the screen again" on_screen
becomes "fg: the row" is_total getppid 777
key r
becomes "fg: keys work" shows "sort total reversed"
key q
ended "q" 0

start -i x.dat -k task -d 24h
becomes "a recording by task" shows "by task"
kill -TERM "$(tool_pid)"
ended "a recording, SIGTERM" 0

# Live: the command's shell forks and waits, the sleeps sleep.
start -k task -d 100ms -- sh ./job-command
becomes "live: rows by task" shows " sh-"
shell=sh-$(command_pid)
key / "$shell" Enter
becomes "live: filter" shows "filter $shell (1 of "
key Enter
becomes "Enter without a row says what to do" line 24 "select a row first, with the arrows"
key Down
becomes "live: a row is selected" selected "$shell"
key / Enter
key Enter
becomes "Enter: into the task" shows "task $shell"
becomes "Enter: system calls of the shell" shows " wait4"
becomes "Enter: no others" lacks nanosleep
key BSpace
becomes "Backspace: all tasks" shows "by task"
becomes "Backspace: rows" shows " sleep-"
terminal resize-window -x 40 -y 10
becomes "live, 40x10: the last line" line 10 "$(echo "$keys" | cut -c1-40)"
terminal resize-window -x 80 -y 24
becomes "live, 80x24 again" line 24 "$keys"
stop live
runs "live, Ctrl-Z: the screen is left" off_screen
go_on
becomes "live, fg: on the screen again" on_screen
becomes "live, fg: rows" shows " sh-"
kill -KILL "$(command_pid)"
ended "live, kill -9 of COMMAND" 137
nothing_of_mine "kill -9 of COMMAND"

start -d 100ms -- sh ./job-command
becomes "live: system calls" shows " wait4"
kill -TERM "$(tool_pid)"
ended "live, SIGTERM" 143
refuses "live, SIGTERM: COMMAND has ended" kill -0 "$(command_pid)"
nothing_of_mine "SIGTERM"

start -d 100ms -- sh -c "\"sleep 0.3; exit 7\""
ended "live, COMMAND's status" 7
nothing_of_mine "COMMAND's status"

# Between one w and the next: 300 calls, not those before (the shell makes one, too) and after
mkfifo go closed || exit 1
exec 3<>go
cat >job-record <<-'END'
	echo $$ >command.pid
	exec 0<>go
	while read -r n; do ./calls fork "$n" 1; done
END
start -k syscall --filter getppid -s total --cumulative -d 100ms -- sh ./job-record
becomes "w: live" on_screen
echo 200 >&3
becomes "w: calls before" is_total getppid 201
key w
becomes "w: says that it records" line 24 "what happens from here on is recorded; w ends it"
becomes "w: says so as long as it does" shows "recording  "
echo 300 >&3
becomes "w: calls meanwhile" is_total getppid 501
key w
becomes "w again: says how many events are in which file" shows " events in tc-top-"
echo 100 >&3
becomes "w again: calls after" is_total getppid 601
kill -KILL "$(command_pid)"
ended "w" 137
nothing_of_mine "w"

# recorded FILE: the calls of getppid in it
recorded() {
	"$top" --batch -q -d 24h -k syscall -s total -i "$1" | awk '$NF == "getppid" { print $3 }'
}
kept=$(find . -name 'tc-top-*.dat')
is "w: the calls between are in the file, and no others" "$(recorded "$kept")" 300
if command -v trace-cmd >/dev/null; then
	is "w: trace-cmd reads as many, each with its return" \
		"$(trace-cmd report -i "$kept" 2>/dev/null | grep -c ': *NR 110 ')" 600
else
	skip "w: trace-cmd reads as many" "there is no trace-cmd"
fi

"$top" --batch -q -d 24h -s total --record=all.dat -- ./calls fork 4000 2 >lines
is "--record: status" $? 0
has "--record: the page has all calls" lines " 8000 "
is "--record: so has the file" "$(recorded all.dat)" 8000
is "a row says who made its calls" "$(awk '$NF == "getppid" { print $(NF - 1) }' lines)" calls
is "the head counts calls as the rows do" "$(awk '/ calls\/s  .* by syscall  sort total/ { print "calls" }' lines)" calls
# It is woken a hundred times a second, and each time another task follows it.
"$top" --batch -q -a -k task -d 200ms -n 3 >lines &
pid=$!
wait $pid
has "rows by task: sorted by time" lines "by task  sort time"
nothing "rows by task: its own is not among them" "$(grep " tc-top-$pid\$" lines)"
# A disk that has just room for the head of the file, whose size depends on the kernel
mkdir disk
kib=1024
while mount -t tmpfs -o size=${kib}k tmpfs disk 2>/dev/null; do
	"$top" --batch -d 24h -s total --record=disk/x.dat -- ./calls fork 400000 2 >lines 2>err
	status=$?
	umount disk
	grep -q "cannot begin" err || break
	kib=$((kib + 128))
	[ $kib -lt 65536 ] || break
done
if [ $kib -gt 1024 ]; then
	is "--record on a full disk: status" "$status" 1
	has "--record on a full disk: says so" err "No space left on device"
	# A call is missing from the table only where an event was lost.
	is "--record on a full disk: the table goes on" "$(awk '
		{ for (i = 3; i <= NF; i++) if ($i == "lost") lost = $(i - 2) }
		$NF == "getppid" { calls = $3 }
		END { print (calls <= 800000 && calls + lost >= 800000 ? "all" : calls " and " lost " lost") }' lines)" all
else
	skip "--record on a full disk" "cannot mount a tmpfs"
fi
nothing_of_mine "--record"

start -a -d 100ms
becomes "live, everything: rows" shows "by syscall"
becomes "live, everything: on the screen" on_screen
key q
ended "live, q" 0
nothing_of_mine "q"

# after_close COMMAND...: with its output into a pipe that nobody reads any more
after_close() {
	rm -f status
	{
		read -r _ <closed
		"$@" 2>err
		echo $? >status
	} | {
		exec <&-
		echo now >closed
	}
}
after_close "$report" --no-pager -i x.dat
cp status wanted
after_close "$top" -i x.dat --batch
same "a closed pipe: status as tc-report's" status wanted
nothing "a closed pipe: no message" "$(cat err)"
after_close "$top" -i x.dat --batch -d 10ms
same "a closed pipe, page after page: status" status wanted
nothing "a closed pipe, page after page: no message" "$(cat err)"

"$top" -i x.dat --batch -d 24h -k syscall -s total | head -n 3 >lines
is "head: lines" "$(wc -l <lines)" 3
# COMMAND goes on until tc-top has seen that there is no reader.
rm -f command.pid
{
	# shellcheck disable=SC2016 # COMMAND's
	"$top" --batch -d 20ms -- sh -c 'echo $$ >command.pid
		while [ -d "$1"/instances/tc-top.$PPID ]; do sleep 0.01; done' sh "$tracefs" 2>err
	echo $? >status
} | head -n 3 >lines
is "live, head: lines" "$(wc -l <lines)" 3
is "live, head: status" "$(cat status)" 1
nothing "live, head: no message" "$(cat err)"
nothing_of_mine "head"

for how in "-i x.dat" "-i x.dat -d 10ms" "-d 20ms -- sleep 0.2"; do
	# shellcheck disable=SC2086 # options
	"$top" --batch $how >/dev/full 2>err
	is "a full disk, $how: status" $? 1
	is "a full disk, $how: message" "$(notices err)" "tc-top: cannot write the table: No space left on device"
done

# Nothing gives back the terminal after kill -9; the next program gives back tracefs.
"$top" --batch -d 20ms -- sh ./job-command >lines &
pid=$!
wait_for $pid grep -q wait4 lines
kill -KILL $pid
wait $pid 2>/dev/null
kill -KILL "$(command_pid)"
"$record" -q -e sched_switch -o first.dat -- true 2>/dev/null
nothing_of_mine "kill -9"

finish
