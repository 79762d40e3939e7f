# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Filters are the kernel's: what passes, and what it says of a bad one.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

# The records of a text report that do not hold this pattern.
others()
{
	grep ': *[a-z_]*:' "$1" | grep -v -c -e "$2"
}

tc-record -e sched:sched_switch -f 'prev_pid == 0 || next_pid == 0' -o f.dat -- \
	sh -c 'for i in 1 2 3 4 5; do usleep 20000; done' 2>err
is "records with a filter" $? 0
tc-report --no-flags -N -i f.dat >f.txt
if grep -q 'prev_pid=0 ' f.txt && grep -q 'next_pid=0 ' f.txt; then
	pass "records events that pass the filter"
else
	fail "records events that pass the filter" "$(head -n 5 f.txt)"
fi
is "records nothing else" "$(others f.txt '\(prev\|next\)_pid=0 ')" 0

tc-record -e sched -f 'prev_pid == 1' -o sys.dat -- ls / >/dev/null 2>err
is "filters a whole system where its events have the field" $? 0
tc-report --no-flags -N -i sys.dat >sys.txt
is "sched_switch has only records of that pid" "$(grep sched_switch: sys.txt |
	grep -v -c ' prev_pid=1 ')" 0

tc-record -e sched:sched_switch -f 'prev_comm ~ "usle*"' -e sched:sched_process_exec -o g.dat -- \
	sh -c 'usleep 20000; /bin/ls / >/dev/null' 2>err
is "a filter belongs to the -e before it" $? 0
tc-report --no-flags -N -i g.dat >g.txt
has "the event without a filter is recorded" g.txt 'filename=/bin/ls'
is "the other is recorded where its filter matches" \
	"$(grep ' sched_switch:' g.txt | grep -v -c 'prev_comm=usleep')" 0
keep g.dat g.txt --no-flags -N

rm -f bad.dat
tc-record -e sched:sched_switch -f 'prev_pid == 0 && prev_pidd == 1' -o bad.dat -- \
	touch ran 2>err
is "a filter with an unknown field fails" $? 1
has "says which event" err sched_switch
has "shows the filter" err 'prev_pid == 0 && prev_pidd == 1'
has "says what the kernel says" err 'Field not found'
caret=$(grep '^ *^ *$' err)
shown=$(grep -F 'prev_pid == 0 && prev_pidd == 1' err | grep -v "'" | tail -n 1)
# The kernel's own caret is below the field it does not know.
before=${caret%^}
indent=${shown%%prev_pid ==*}
is "puts the caret where the kernel puts it" "$((${#before} - ${#indent}))" \
	"$(kernel_caret 'prev_pid == 0 && prev_pidd == 1')"
runs "does not run COMMAND" test ! -e ran
runs "leaves no file" test ! -e bad.dat
is "leaves no instance" "$(ls $T/instances)" ""

tc-record -e sched:sched_switch -f 'prev_pid ==' -o bad.dat -- true 2>err
is "a filter that ends too early fails" $? 1
tc-record -e sched:sched_swich -o bad.dat -- touch ran 2>err
is "an unknown event is a usage error" $? 2
has "suggests a similar name" err sched:sched_switch
runs "does not run COMMAND for it" test ! -e ran
finish
