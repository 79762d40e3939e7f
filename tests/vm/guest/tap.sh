# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What the guest's tests share: TAP lines, comparisons, waiting. Sourced by t-*.sh as
# ". /tests/tap.sh"; a test ends with "finish".

# shellcheck disable=SC2034 # used by the tests
T=/sys/kernel/tracing
tap_count=0
tap_failed=0

# pass DESCRIPTION / fail DESCRIPTION [LINE...]: a failure shows its lines below it.
pass()
{
	tap_count=$((tap_count + 1))
	echo "ok - $1"
}

fail()
{
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok - $1"
	shift
	for line in "$@"; do
		echo "$line" | sed 's/^/# /'
	done
}

skip()
{
	tap_count=$((tap_count + 1))
	echo "ok - $1 # SKIP $2"
}

# skip_all REASON: the whole program
skip_all()
{
	echo "# SKIP $1"
	exit 77
}

finish()
{
	[ $tap_failed -eq 0 ]
	exit
}

diag()
{
	echo "$*" | sed 's/^/# /'
}

# is DESCRIPTION GOT WANTED
is()
{
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "got:    $2" "wanted: $3"
	fi
}

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

# true_that DESCRIPTION COMMAND...: it succeeds
true_that()
{
	tap_what=$1
	shift
	if tap_said=$("$@" 2>&1); then
		pass "$tap_what"
	else
		fail "$tap_what" "$* said:" "$tap_said"
	fi
}

# wait_for SECONDS COMMAND...: until it succeeds; 1 when it never did
wait_for()
{
	tap_left=$(($1 * 10))
	shift
	while ! "$@" >/dev/null 2>&1; do
		tap_left=$((tap_left - 1))
		[ $tap_left -gt 0 ] || return 1
		usleep 100000
	done
}

need()
{
	for tap_need in "$@"; do
		command -v "$tap_need" >/dev/null || skip_all "no $tap_need in the guest"
	done
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

# as_trace_cmd DESCRIPTION DAT TEXT [OPTION...]: trace-cmd, where there is one, prints this of it
as_trace_cmd()
{
	tap_what=$1
	tap_dat=$2
	tap_txt=$3
	shift 3
	if command -v trace-cmd >/dev/null; then
		trace-cmd report "$@" -i "$tap_dat" >trace-cmd.txt 2>trace-cmd.err
		same "$tap_what" "$tap_txt" trace-cmd.txt
	else
		skip "$tap_what" "no trace-cmd"
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
