# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# tracefs is after a recording what it was before it, however the recording ends.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

# Content of the control files, but for what FIND-EXPRESSION leaves out. Left out always: what changes
# by itself (statistics, saved_cmdlines), what cannot change (formats, ids), what would take events
# away (trace_pipe) or block, and free_buffer, whose close() gives up the ring buffer.
state()
{
	find $T "$@" -path '*/per_cpu' -prune -o -type f ! -name 'trace_pipe*' ! -name format \
		! -name id ! -name 'available_filter_*' ! -name saved_cmdlines ! -name hist \
		! -name inject ! -name free_buffer -print | sort >files
	xargs grep -H '' <files 2>/dev/null
	cat files
	ls -A /run/tracecraft 2>/dev/null
	cat /proc/sys/kernel/kptr_restrict /proc/sys/kernel/ftrace_enabled
}

# Without the files of each event, which take long to read; their system's enable file shows a change
# (it is X when events differ).
most()
{
	state -path '*/events/*/*' -type d -prune -o
}

# With the files of the events of systems that are recorded here.
some()
{
	state -path '*/events/[!si]*' -type d -prune -o -path '*/events/s[!c]*' -type d -prune -o
}

unchanged()
{
	most >now
	same "$1" before now
}

# One recording first: saved_cmdlines and the like are made at the first use.
tc-record -q -e sched -o first.dat -- true
some >events
most >before

tc-record -e sched -e irq -f 'irq > 0' -C mono -b 64K -P 1 -o n.dat -- ls / >/dev/null 2>err
is "a recording succeeds" $? 0
unchanged "a normal end leaves tracefs as it was"

tc-record -e sched -o int.dat -- sh -c 'kill -INT $PPID; exec usleep 300000' 2>err
unchanged "SIGINT leaves tracefs as it was"
tc-report --no-flags -i int.dat >int.txt
has "events recorded until SIGINT can be read" int.txt 'sched_'
keep int.dat int.txt --no-flags

tc-record -e sched -o term.dat -- sh -c 'kill -TERM $PPID; exec usleep 300000' 2>err
unchanged "SIGTERM leaves tracefs as it was"
tc-report --no-flags -i term.dat >term.txt
has "events recorded until SIGTERM can be read" term.txt 'sched_'

tc-record -e sched -o fail.dat -- sh -c 'exit 7' 2>err
is "the exit status is COMMAND's" $? 7
tc-record -e sched -o sig.dat -- sh -c 'kill -USR1 $$' 2>err
is "a COMMAND killed by signal 10 gives 138" $? 138
unchanged "a COMMAND that fails leaves tracefs as it was"

rm -f none.dat
tc-record -e sched -o none.dat -- /no/such/command 2>err
is "a COMMAND that does not exist gives 127" $? 127
has "says which" err /no/such/command
tc-record -e sched -o none.dat -- /etc/passwd 2>err
is "a COMMAND that cannot be executed gives 126" $? 126
runs "and no file is written" test ! -e none.dat
tc-record -e sched -C nonesuch -o none.dat -- touch ran 2>err
is "an unknown clock fails" $? 2
tc-record -e sched -o /no/such/dir/x.dat -- touch ran 2>err
is "a file that cannot be created fails" $? 1
has "says which file" err /no/such/dir
runs "COMMAND is not run" test ! -e ran
unchanged "options that fail leave tracefs as it was"

tc-record -e sched -o kill.dat -- sh -c 'kill -KILL $PPID; exec usleep 100000' 2>err
is "killed" $? 137
is "SIGKILL leaves the instance" "$(ls $T/instances | wc -l)" 1
tc-record -e sched -o next.dat -- true 2>err
is "the next recording works" $? 0
unchanged "and takes away what the killed one left"
some >now
same "the control files of every event are as they were" events now
finish
