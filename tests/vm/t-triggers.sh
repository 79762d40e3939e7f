# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Triggers take effect in the recording, or beside it: histograms and snapshots.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

# execs FILE: the programs that a text has executed, in order
execs()
{
	sed -n 's/^.* sched_process_exec: *filename=\([^ ]*\) .*$/\1/p' "$1" | paste -s -d ' ' -
}

# counts FILE: "2 /bin/true", of each program how often, by a report
counts()
{
	execs "$1" | tr ' ' '\n' | sort | uniq -c | awk '{ print $1, $2 }'
}

# Nothing that COMMAND executes after it read the histogram is in the recording but not in that.
tc-record -e sched:sched_process_exec -R 'hist:keys=filename' -o h.dat -- sh -c '
	/bin/true; /bin/ls / >/dev/null; /bin/true
	cd $0/instances/tc-record.$PPID
	read -r hold <events/sched/sched_process_exec/id
	cat events/sched/sched_process_exec/hist >$1' $T "$PWD/hist" 2>err
is "a histogram: records" $? 0
tc-report --no-flags -i h.dat >h.txt
sed -n 's/^{ filename: *\([^ ]*\) *} hitcount: *\([0-9]*\)$/\2 \1/p' hist | sort -k 2 >theirs
counts h.txt >ours
same "the histogram counts what the recording has" theirs ours
has "each of its keys" theirs '2 /bin/true'
is "it is gone afterwards" "$(ls $T/instances)" ""

tc-record -k -e sched:sched_process_exec -R 'hist:keys=filename' -o k.dat -- \
	sh -c '/bin/true; /bin/ls / >/dev/null; /bin/true' 2>err
# It goes on counting: "cat" is in it.
cat $T/instances/tc-record.*/events/sched/sched_process_exec/hist >hist
tc-report --no-flags -i k.dat >k.txt
sed -n 's/^{ filename: *\([^ ]*\) *} hitcount: *\([0-9]*\)$/\2 \1/p' hist | grep -v /proc/self/exe |
	sort -k 2 >theirs
counts k.txt >ours
same "-k leaves the histogram" theirs ours
tc-session reset -B "$(ls $T/instances)" 2>err
is "tc-session reset removes it" "$(ls $T/instances)$(cat err)" ""

# The ring buffer's content becomes the snapshot: in the file is what was read before, and what came after.
tc-record -k -e sched:sched_process_exec -R 'snapshot:1 if filename ~ "*/ls"' -o s.dat -- \
	sh -c '/bin/true; /bin/ls / >/dev/null; exec /bin/true' 2>err
is "a snapshot: records" $? 0
tc-report --no-flags -i s.dat >s.txt
cat $T/instances/tc-record.*/snapshot >snap.txt
is "the snapshot has the earlier events, the recording the rest" "$(execs snap.txt) $(execs s.txt)" \
	"/bin/sh /bin/true /bin/ls /bin/true"
tc-session reset -B "$(ls $T/instances)" 2>err
is "tc-session reset removes that, too" "$(ls $T/instances)$(cat err)" ""

# An event that only a trigger switches on
tc-record -e sched:sched_process_exec -R 'enable_event:sched:sched_process_exit if filename ~ "*/ls"' \
	-o e.dat -- sh -c '/bin/true; /bin/ls / >/dev/null; exec /bin/true' 2>err
is "enable_event: records" $? 0
tc-report --no-flags -i e.dat >e.txt
is "the event it enables is recorded from then on" \
	"$(sed -n 's/^.* \(sched_process_exit\): *\(comm=[^ ]*\) .*$/\2/p' e.txt | paste -s -d ' ' -)" \
	"comm=ls comm=true"
keep e.dat e.txt --no-flags
as_trace_cmd "and trace-cmd knows its format" e.dat e.txt

tc-record -e sched:sched_process_exec -R 'traceoff:1 if filename ~ "*/ls"' -v \
	-e sched:sched_process_exit -R 'traceon if comm == "cat"' -o o.dat -- \
	sh -c '/bin/true; /bin/ls / >/dev/null; /bin/cat /dev/null; exec /bin/true' 2>err
is "traceoff and traceon: records" $? 0
tc-report --no-flags -i o.dat >o.txt
is "events between them are not recorded" "$(execs o.txt)" "/bin/sh /bin/true /bin/ls /bin/true"

tc-record -e sched:sched_process_exec -R 'stacktrace:1 if filename ~ "*/ls"' -o t.dat -- \
	sh -c '/bin/true; /bin/ls / >/dev/null; exec /bin/true' 2>err
tc-report --no-flags -i t.dat >t.txt
is "the stack of the requested event" "$(awk '/sched_process_exec:/ { last = $NF; file = $0 }
	/kernel_stack:/ { n++; sub(/^.*filename=/, "", file); sub(/ .*/, "", file); print file }' t.txt)" /bin/ls
has "that begins where the event is" t.txt '=> bprm_execve'
finish
