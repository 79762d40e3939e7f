# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Every event of the kernel at once, and trace-cmd's text of it.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

tc-record -e all -b 8M -o all.dat -- sh -c 'ls / >/dev/null; cat /proc/self/stat >/dev/null' 2>err
is "records all events" $? 0
is "nothing is lost with 8 MB a CPU" "$(lost_in err)" 0
tc-report --no-flags -i all.dat >all.txt 2>err
is "reads them back" $? 0
records=$(grep -c '^ .*: ' all.txt)
if [ "$records" -gt 1000 ]; then
	pass "finds more than a thousand records"
else
	fail "finds more than a thousand records" "$records"
fi
as_trace_cmd "prints what trace-cmd prints" all.dat all.txt
if command -v trace-cmd >/dev/null; then
	trace-cmd dump --events -i all.dat | sed -n 's/^name: //p' | sort >formats
	sed 's/^.*://' $T/available_events | sort >events
	same "the file holds the format of every event" formats events
else
	skip "the file holds the format of every event" "no trace-cmd"
fi
keep all.dat all.txt --no-flags
finish
