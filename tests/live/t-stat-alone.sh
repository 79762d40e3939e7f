#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-stat: rows for programs are alone where they go, also when there is something to say.
#
# needs: root tracefs
# area: gate tools
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

stat=$TC_BUILDDIR/tc-stat
[ -x "$stat" ] || skip_all "tc-stat is not built in $TC_BUILDDIR"
command -v jq >/dev/null || skip_all "jq is not installed"
[ -d "$tracefs/events/syscalls/sys_enter_close" ] || skip_all "there are no events of system calls"
helper calls
mkdir -p /run/tracecraft
# shellcheck disable=SC2016 # the inner shell's
unshare -m sh -c 'mount --bind /run/tracecraft /run/tracecraft' 2>/dev/null ||
	skip_all "there are no mount namespaces"
# Nothing but the program closes such descriptors.
event=syscalls:sys_enter_close
filter='fd >= 1000000'
notice="tc-stat: no journal"

# with_notice ARG...: tc-stat where /run is read-only, so that it has something to say
with_notice() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c 'mount --bind /run/tracecraft /run/tracecraft &&
		mount -o remount,bind,ro /run/tracecraft && exec "$@"' sh "$stat" "$@"
}

# counts FILE: the rows of JSON in it, and nothing else: those of close()
counts() {
	jq -r 'select(.event == "'$event'") | ."counter-value"' "$1" 2>&1
}

with_notice -e $event -f "$filter" -- ./calls close 100 1 2>err
has "text: there is a notice" err "$notice"

with_notice -j -e $event -f "$filter" -- ./calls close 100 1 2>err
is "-j: exit status" $? 0
is "-j: rows and nothing else" "$(counts err)" 100.000000
with_notice -x, -e $event -f "$filter" -- ./calls close 100 1 2>err
is "-x: rows and nothing else" "$(cut -d, -f1-3 err)" "100,,$event"
with_notice -j -I 10 --interval-count 3 -a -e $event -f "$filter" 2>err
is "-j -I: each line is a row" "$(jq -r .event err 2>&1 | sort | uniq -c | awk '{ print $1, $2 }')" "3 $event"
with_notice --syscalls -j -- ./calls here 100 1 2>err
is "--syscalls -j: rows and nothing else" "$(jq -r 'select(.syscall == "getppid") | .calls' err 2>&1)" 100

with_notice -j --log-fd 3 -e $event -f "$filter" -- sh -c 'echo said >&2; exec ./calls close 100 1' 3>rows 2>err
is "--log-fd: exit status" $? 0
is "--log-fd: rows and nothing else" "$(counts rows)" 100.000000
has "--log-fd: the notice is on standard error" err "$notice"
has "--log-fd: so is what COMMAND says" err said
with_notice -j --log-fd 3 --append -e $event -f "$filter" -- ./calls close 70 1 3>>rows 2>err
is "--log-fd: the shell appends" "$(counts rows)" "$(printf '100.000000\n70.000000')"
"$stat" -j --log-fd 3 -e $event -f "$filter" -- sh -c 'echo no row >&3' 3>rows 2>err
is "--log-fd: COMMAND does not get it" "$?-$(grep -c 'no row' rows)" 2-0
"$stat" --syscalls -j --log-fd 3 -- ./calls here 100 1 3>rows 2>err
is "--log-fd: --syscalls" "$(jq -r 'select(.syscall == "getppid") | .calls' rows 2>&1)" 100
"$stat" -j --log-fd 3 -e $event -f "$filter" -- sh -c 'echo out; echo err >&2; exec ./calls close 100 1' 3>&1 >/dev/null 2>err |
	jq -r '."counter-value"' >piped
is "--log-fd: a pipe has the rows alone" "$(cat piped)" 100.000000
"$stat" -j --log-fd 1 -e $event -f "$filter" -- sh -c 'echo out; exec ./calls close 100 1' >rows 2>err
is "--log-fd 1: COMMAND keeps it" "$(head -n 1 rows)" out
is "--log-fd 1: the rows" "$(tail -n 1 rows | jq -r '."counter-value"')" 100.000000

# Not one of its own, whatever their numbers are
refused=0
for fd in 3 4 5 6 7 8 9; do
	eval "\"\$stat\" -j --log-fd $fd -e \$event -f \"\$filter\" -- true $fd>&- 2>err"
	if [ $? -eq 2 ] && grep -q "descriptor $fd is not open for writing" err; then
		refused=$((refused + 1))
	fi
done
is "--log-fd: a closed one is refused" $refused 7
"$stat" -j --log-fd 9 -e $event -f "$filter" -- true 9</dev/null 2>err
is "--log-fd: one to read is refused" $? 2
"$stat" -j --log-fd 9 -e $event -f "$filter" -- true 9>/dev/full 2>err
is "--log-fd: a full disk" $? 1
has "--log-fd: a full disk is said" err "No space left on device"
finish
