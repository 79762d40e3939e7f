#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-report --profile beside perf sched timehist, of the same seconds: runs of tasks and their times
# (timehist.py). Only tasks that the test makes are compared: others were there before one of the two
# recorders began, or are after one of them ended.
#
# needs: root tracefs
# area: report
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

perf sched --help >/dev/null 2>&1 || skip_all "perf is not installed"
command -v python3 >/dev/null || skip_all "no python3"
command -v cc >/dev/null || skip_all "no C compiler"
# Processes, and threads beside the first of their process
cat >threads.c <<'END'
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char *thread_name;

static void *work(void *unused)
{
	prctl(PR_SET_NAME, thread_name);
	for (int i = 0; i < 20; i++)
		usleep(1000);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t[4];

	if (argc != 2)
		return 1;
	thread_name = argv[1];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
END
cc -pthread -o "hp$$" threads.c || skip_all "cannot build a program with threads"
cp "$(command -v sleep)" "hs$$"
cat >work.sh <<END
./hp$$ ht$$
for i in 1 2 3 4 5 6; do
	./hs$$ 0.01
done
END
perf sched record -q -m 8M -o perf.data -- "$record" -q -b 8192 -e sched_switch -e sched_waking \
	-e sched_wakeup_new -o t.dat -- sh work.sh >record.out 2>&1 ||
	skip_all "perf sched record: $(tail -n 1 record.out)"
perf sched timehist -s -i perf.data >theirs 2>err || skip_all "perf sched timehist: $(tail -n 1 err)"
perf script --ns -i perf.data -F pid,tid,cpu,time,event,trace >perf.events 2>/dev/null
if perf script --show-lost-events -i perf.data -F event 2>/dev/null | grep -q RECORD_LOST; then
	skip_all "perf lost events"
fi
"$report" -q -i t.dat --profile --json >ours.json
is "--profile: status" $? 0
"$report" -q -i t.dat --json >events.json
python3 "$TC_SRCDIR/tests/live/timehist.py" "hp$$" "hs$$" "ht$$" <theirs >found
is "summaries are compared" $? 0

# value KEY
value() {
	awk -v key="$1" '$1 == key { print $2 }' found
}

is "all tasks are there: a process with four threads, six that sleep" "$(value tasks)" 11
echo "# $(value all) runs, of which perf has $(value hidden) without a task"
is "they ran often" "$(($(value all) >= 90))" 1
for check in runs perf ours; do
	case $check in
	runs) name="numbers of runs are perf's, and those that it has without a task" ;;
	perf) name="perf's run times are the sums of its time stamps" ;;
	ours) name="run times are the sums of the recorded time stamps" ;;
	esac
	is "$name" "$(grep "^$check " found)" "$check 0"
done
nothing_of_mine "perf beside"
finish
