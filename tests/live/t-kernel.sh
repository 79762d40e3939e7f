#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-report --kernel prints the lines that the kernel has in the file "trace": headings, system calls,
# stacks and markers, which have no print format of theirs. t-truth.sh has all events.
#
# needs: root tracefs
# area: truth
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

session=$TC_BUILDDIR/tc-session
[ -x "$session" ] || skip_all "tc-session is not built in $TC_BUILDDIR"
command -v python3 >/dev/null || skip_all "no python3"
name=tc-live-kernel-$$
inst=$tracefs/instances/$name
# shellcheck disable=SC2317 # by the trap
cleanup() {
	rmdir "$inst" 2>/dev/null
	tap_clean
}
trap cleanup EXIT
mkdir "$inst"
echo 0 >"$inst/tracing_on"
echo 0 >"$inst/options/hash-ptr" 2>/dev/null
echo 8192 >"$inst/buffer_size_kb"
echo 1 >"$inst/events/syscalls/enable"
echo 1 >"$inst/events/sched/sched_process_exec/enable"
echo 1 >"$inst/options/stacktrace"
echo 1 >"$inst/options/userstacktrace"
echo $$ >"$inst/set_event_pid"
echo 1 >"$inst/options/event-fork"
echo 1 >"$inst/tracing_on"
ls / >/dev/null
echo "a marker from $name" >"$inst/trace_marker"
printf 'without a newline' >"$inst/trace_marker"
printf 'ABCDxyz and more' >"$inst/trace_marker_raw"
/bin/true
echo 0 >"$inst/tracing_on"
cat "$inst/trace" >kernel
"$session" extract -q -B "$name" -o x.dat
is "the ring buffer is extracted" $? 0
rmdir "$inst"

"$report" --kernel -i x.dat >ours
is "it is reported" $? 0
# the file does not have the tracer, and the kernel counts entries, with an empty line after that
grep '^#' kernel | sed '/entries-in-buffer/,+1d; 1d' >want
grep '^#' ours | sed 1d >got
same "the heading equals the kernel's" got want
python3 "$TC_SRCDIR/tests/tools/truth.py" --kernel --all --least 20 kernel ours >said
is "every line equals the kernel's" $? 0
sed 's/^/# /' said | tail -n 40
for kind in kernel_stack user_stack print raw_data sys_enter_write sys_exit_write sched_process_exec; do
	has "there are lines of $kind" said "$kind: "
done
"$report" --kernel --json -i x.dat 2>err
is "--kernel with --json is wrong usage" $? 2
has "and says so" err "--json has no meaning with --kernel"
nothing_of_mine "at the end"
finish
