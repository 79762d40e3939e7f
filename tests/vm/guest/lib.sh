# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shared by the guest's tests, besides tests/lib/tap.sh: comparisons, recordings to keep, the kernel's
# own word. Sourced as ". /tests/lib.sh"; a test ends with "finish".

# shellcheck source=../../lib/tap.sh
. /tests/tap.sh
# shellcheck source=disk.sh
. /tests/disk.sh

# shellcheck disable=SC2034 # used by the tests
T=/sys/kernel/tracing

# same DESCRIPTION FILE FILE: the same bytes, and not none
same()
{
	if [ ! -s "$2" ]; then
		fail "$1" "$2 is empty or missing"
	elif cmp -s "$2" "$3"; then
		pass "$1"
	else
		fail "$1" "$(diff "$2" "$3" 2>&1 | head -n 12)" \
			"$(wc -l <"$2") lines and $(wc -l <"$3") lines"
	fi
}

# has DESCRIPTION FILE TEXT: some line holds this text, taken literally
has()
{
	if grep -qF -e "$3" "$2"; then
		pass "$1"
	else
		fail "$1" "no '$3' in:" "$(head -n 12 "$2")"
	fi
}

# wait_for PID COMMAND...: until it succeeds; 1 when the process has ended without it. As live/lib.sh has it:
# a guest on a busy machine is slow by however much.
wait_for()
{
	tap_pid=$1
	shift
	until "$@" >/dev/null 2>&1; do
		if [ ! -e "/proc/$tap_pid/exe" ]; then
			"$@" >/dev/null 2>&1
			return
		fi
		usleep 100000 # poll: the one place that waits
	done
}

# waits_in_open PID: for a writer of a FIFO
waits_in_open()
{
	grep -q '^wait_for_partner$' /proc/"$1"/wchan
}

# keep DAT TEXT [OPTION...]: tc-report with these options is to print the same outside the guest
keep()
{
	tap_dat=$1
	tap_txt=$2
	shift 2
	tap_name=$(basename "$0" .sh)-$(basename "$tap_dat" .dat)
	cp "$tap_dat" "/out/$tap_name.dat"
	cp "$tap_txt" "/out/$tap_name.txt"
	echo "$*" >"/out/$tap_name.args"
}

# as_trace_cmd DESCRIPTION DAT TEXT: trace-cmd, where there is one, prints what tc-report --compat does;
# TEXT is what tc-report --no-flags printed
as_trace_cmd()
{
	if command -v trace-cmd >/dev/null; then
		trace-cmd report -i "$2" >trace-cmd.txt 2>trace-cmd.err
		# shellcheck disable=SC2086 # one option or none
		tc-report --compat $VM_FLAGS -i "$2" >tc-report.txt
		same "$1" tc-report.txt trace-cmd.txt
	else
		skip "$1" "no trace-cmd"
	fi
}

# lost_in FILE: how many events tc-record's closing line (on stderr, in FILE) says are lost
lost_in()
{
	sed -n 's/^.*; no events lost$/0/p
		s/^tc-record: \([0-9]*\) events lost: .*$/\1/p' "$1"
}

# run_as_user COMMAND: by sh, as somebody who is not root
run_as_user()
{
	su user -c "$1"
}

# kernel_caret FILTER: where the kernel puts the caret when sched_switch refuses this filter
kernel_caret()
{
	mkdir $T/instances/caret
	: >$T/instances/caret/error_log
	echo "$1" 2>/dev/null >$T/instances/caret/events/sched/sched_switch/filter
	tail -n 2 $T/instances/caret/error_log |
		awk 'NR == 1 { sub(/Command: .*/, ""); n = length($0) + 9 }
		     NR == 2 { print index($0, "^") - 1 - n }'
	rmdir $T/instances/caret
}
