#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# targets.sh - what is asked for by mistake: a view's file that is a recording, two views at once, a view of
# events that were not recorded; events that tc-trace is to show of a recording without them
#
# area: gate report

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin targets xz
unpacked "$TC_SRCDIR/tests/data/recordings/x86_64/graph.dat.xz"
lacks_codec "$dat" && skip_all "zstd is not built in"
report=$TC_BUILDDIR/tc-report
cp "$dat" "$tmp/trace.dat"
cp "$dat" "$tmp/other.dat"
cd "$tmp" || exit 1

# refused NAME MESSAGE OPTION...: a usage error, and the recordings are as they were
refused() {
	refused_name=$1 message=$2
	shift 2
	"$report" --no-pager "$@" >out 2>err
	is "$refused_name" "$?-$(grep -c -e "$message" err)-$(cat out)" 2-1-
	if cmp -s "$dat" trace.dat && cmp -s "$dat" other.dat; then
		pass "... and no recording is touched"
	else
		fail "... and no recording is touched"
	fi
}

for view in html perfetto chrome speedscope folded; do
	refused "--$view does not replace the recording that it reads" "'trace.dat' is a recording" \
		--$view=trace.dat trace.dat
done
refused "the name of the file is missing" "'other.dat' is a recording" --html other.dat
ln -s trace.dat link.html
refused "nor by another name" "'link.html' is a recording" --html=link.html trace.dat

refused "two views that write files" "--html and --perfetto cannot be combined" \
	--html=a.html --perfetto=a.pftrace trace.dat
refused "a table and a page" "--syscalls and --html cannot be combined" --syscalls --html=a.html trace.dat
refused "two tables" "--latency and --profile cannot be combined" --latency --profile trace.dat
is "... nothing was written" "$(find . -name 'a.*')" ""
"$report" --no-pager --stat --uname trace.dat >out 2>err
is "information about the file is the last of the table, as in trace-cmd" "$?-$(cat err)" 0-
refused "columns without a name" "needs the name of a column" --count-by , trace.dat

for view in syscalls wakeups; do
	"$report" --no-pager --$view trace.dat >out 2>err
	is "--$view without such events says what to record" "$?-$(grep -c '^# no .*: record ' out)" 0-1
	"$report" --no-pager --$view --json trace.dat >out 2>err
	is "... not in JSON" "$?-$(cat out)" 0-
done

"$TC_BUILDDIR/tc-trace" -i trace.dat -e sched:no_such_event >out 2>err
is "tc-trace -e of an event that is not described" \
	"$?-$(grep -c "option -e: 'trace.dat': 'sched:no_such_event': the recording has no such event" err)-$(cat out)" 2-1-
is "... and how to see which are" "$(grep -o "'tc-report --list-events trace.dat'" err)" \
	"'tc-report --list-events trace.dat'"
listed=$("$report" --list-events trace.dat | head -n 1)
"$TC_BUILDDIR/tc-trace" -i trace.dat -e "$listed" >out 2>err
is "... one that is listed is not refused" "$?-$(cat err)" 0-
finish
