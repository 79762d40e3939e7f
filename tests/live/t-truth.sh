#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A report says what the kernel says: every event of the kernel on, as many types as harmless things make occur, the
# kernel's own text kept, and the same ring buffer extracted and reported. Each line is compared, by
# type: whole lines with --kernel, the text after the event's name by default. The rules for
# differences are a table in tests/tools/truth.py. From the same file trace-cmd prints what --compat does.
#
# needs: root tracefs uprobes
# area: truth
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

session=$TC_BUILDDIR/tc-session
[ -x "$session" ] || skip_all "tc-session is not built in $TC_BUILDDIR"
command -v python3 >/dev/null || skip_all "no python3"
helper every-call
helper many-events "many-$$"
name=tc-live-truth-$$
inst=$tracefs/instances/$name
# shellcheck disable=SC2317 # by the trap
cleanup() {
	rmdir "$inst" 2>/dev/null
	echo "-:truth_$$/probe" >>"$tracefs/uprobe_events" 2>/dev/null
	tap_clean
}
trap cleanup EXIT
mkdir "$inst"
echo 0 >"$inst/tracing_on"
# pointers as they are, where the kernel allows that
echo 0 >"$inst/options/hash-ptr" 2>/dev/null
echo 16384 >"$inst/buffer_size_kb"
offset=$(readelf -sW "many-$$" | awk '$8 == "main" { print $2 }')
start=$(readelf -lW "many-$$" | awk '$1 == "LOAD" && $7 ~ /E/ || $8 ~ /E/ { print $2, $3; exit }')
if [ -n "$offset" ] && [ -n "$start" ]; then
	# the file's offset of an address in the segment of code
	offset=$(printf '0x%x' $((0x$offset - ${start#* } + ${start% *})))
	# shellcheck disable=SC2016 # the kernel's $comm
	printf '%s %s %s\n' "p:truth_$$/probe $PWD/many-$$:$offset" \
		'a=\-11:s8 b=\-300:s16 c=\-70000:s32 d=\-5:s64 e=\200:u8 f=\255:x8 g=%di:b4@0/16' \
		'h=+0(%si):x8[4] i=+0(%si):s8[3] j=+0(+0(%si)):string k=$comm' \
		>>"$tracefs/uprobe_events"
	is "a probe with arguments of each type" $? 0
fi
# All but others' probes: who has an event on keeps it from being removed.
ls "$tracefs/events" >systems
sed 's|^[^:]*:\([^/]*\)/.*|\1|' "$tracefs/dynamic_events" | grep -vx "truth_$$" >groups
grep -vxF -f groups systems | while read -r system; do
	[ ! -e "$inst/events/$system/enable" ] || echo 1 >"$inst/events/$system/enable"
done
mkdir work
# For a moment what the whole machine does, then what the two programs do: others may be busy.
echo 1 >"$inst/tracing_on"
dd if=/dev/zero of=work/synced bs=64k count=4 conv=fsync 2>/dev/null
echo 1 >"$inst/options/event-fork"
echo $$ >"$inst/set_event_pid"
./every-call written
"./many-$$" work
echo "a marker" >"$inst/trace_marker"
printf 'ABCDxyz' >"$inst/trace_marker_raw"
echo 0 >"$inst/tracing_on"
echo 0 >"$inst/events/enable"
cat "$inst/trace" >kernel
is "nothing is lost" "$(cat "$inst"/per_cpu/cpu*/stats | awk '/^(overrun|dropped events):/ { n += $NF } END { print n + 0 }')" 0
"$session" extract -B "$name" -o x.dat 2>err
is "the ring buffer is extracted" $? 0
rmdir "$inst"
[ -z "$offset" ] || echo "-:truth_$$/probe" >>"$tracefs/uprobe_events"

# truth DESCRIPTION LEAST [OPTION...]
truth() {
	what=$1
	least=$2
	shift 2
	python3 "$TC_SRCDIR/tests/tools/truth.py" --least "$least" "$@" kernel ours >said
	is "$what" $? 0
	sed 's/^/# /' said | cut -c 1-300 | tail -n 60
}
"$report" --kernel -i x.dat >ours
truth "each line of --kernel is the kernel's" 600 --kernel
"$report" -i x.dat >ours
truth "and so are the values of the default text" 180
"$report" -N -i x.dat >ours
truth "without plugins, too" 180
is "no print format is left unparsed" "$(grep -c 'FAILED TO PARSE' ours)" 0

if command -v trace-cmd >/dev/null; then
	trace-cmd report -i x.dat >theirs 2>/dev/null
	is "trace-cmd finds as many events as were extracted" "$(lines_of theirs | wc -l)" \
		"$(sed -n "s/^tc-session: \([0-9]*\) events are in 'x.dat'.*/\1/p" err)"
	"$report" --compat --no-flags -i x.dat >ours
	same "the text is trace-cmd's" ours theirs
	trace-cmd report -R -i x.dat >theirs 2>/dev/null
	"$report" --compat --no-flags -R -i x.dat >ours
	same "-R, the fields as they are" ours theirs
else
	skip "the text is trace-cmd's" "no trace-cmd"
	"$report" -R -i x.dat >ours
fi
# TASK-PID [CPU] SECONDS: EVENT: ...
types=$(sed -n 's/^.*-[0-9]* *\[[0-9]*\] *\([^ ]* *\)\{0,1\}[0-9.]*: \([^ :]*\):.*/\2/p' ours | sort -u | wc -l)
available=$(wc -l <"$tracefs/available_events")
echo "# $types of $available types in $(wc -l <ours) lines"
is "at least a third of this kernel's types of events occur" "$((3 * types >= available))" 1
calls=$(sed -n 's/^.*: \(sys_enter_[^ :]*\):.*/\1/p' ours | sort -u | wc -l)
is "and seven in eight of its system calls" \
	"$((8 * calls >= 7 * $(grep -c '^syscalls:sys_enter_' "$tracefs/available_events")))" 1
nothing_of_mine "at the end"
finish
