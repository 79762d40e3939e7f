#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The next recorder cleans up what a killed one left in tracefs; the file of the killed one can be read.
# t-killed-top.sh has reset of all instances, whoever's they are.
#
# needs: root tracefs uprobes
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

"$record" -e 'sched:*' -e irq -f 'irq > 0' -C mono -o t.dat 2>err &
pid=$!
wait_for $pid recording $pid || fail "recording begins" "$(cat err)"
instance=$tracefs/instances/tc-record.$pid
# As long as a file of it is open, nobody else's reset --orphans can remove it.
exec 9<"$instance/tracing_on"
kill -KILL $pid
wait $pid 2>/dev/null
is "a killed recorder leaves its instance" "$(ls -d "$instance")" "$instance"
is "its temporary files are there" "$(find . -name 't.dat.cpu*' | wc -l)" \
	"$(find "$instance/per_cpu" -mindepth 1 -maxdepth 1 | wc -l)"
"$report" -i t.dat >text 2>text.err
is "its file can be opened" "$(head -n 1 text | cut -c1-5)" "cpus="
has "the report says that the file is incomplete" text.err "tc-record --recover 't.dat'"

exec 9<&-
"$record" -e 'sched:*' -o t.dat -- true 2>err
is "the next recording into the same file succeeds" $? 0
has "and says what it did" err "cleaned up after"
runs "the instance is gone" test ! -e "$instance"
nothing_of_mine "after the next recording"
is "no temporary file is left" "$(find . -name '*.cpu*')" ""

# A single event, which no other follows, is not lost with it
cp /bin/true "seldom.$$"
"$record" -q -e sched_process_exec -f "filename == \"./seldom.$$\"" -o s.dat 2>err &
pid=$!
wait_for $pid recording $pid || fail "recording begins" "$(cat err)"
"./seldom.$$"
# shellcheck disable=SC2016 # the inner shell's
wait_for $pid sh -c '[ -n "$(find . -name "s.dat.cpu*" -size +0)" ]' ||
	fail "a single event reaches the file"
kill -KILL $pid
wait $pid 2>/dev/null
"$record" --recover s.dat 2>err
is "a single event: status" $? 0
"$report" -i s.dat >text 2>text.err
has "a single event is recovered" text "filename=./seldom.$$"
rm s.dat

# missing: the CPUs of d.dat of whose losses no number is known, and after which of its events the rest is missing
missing() {
	"$report" -i d.dat --stat 2>/dev/null | awk '$1 == "(top)" && $3 { print $2, $3, $4 }' >cpus
	cat cpus
	while read -r cpu _; do
		"$report" -i d.dat --json 2>/dev/null | grep "\"cpu\":$cpu,.*\"missing\":true"
	done <cpus
}

# The same of what it had written: both show the same, and nothing of it is missing
for codec in zstd none; do
	# shellcheck disable=SC2016
	"$record" -q -b 64K -e raw_syscalls -F --compression $codec -o d.dat -- sh -c '
		echo $$ >child; exec dd if=/dev/zero of=/dev/null bs=1 count=100000000' 2>err &
	pid=$!
	wait_for $pid grep -q . d.dat.cpu0 d.dat.cpu1 || fail "$codec: data are written" "$(cat err)"
	kill -KILL $pid
	wait $pid 2>/dev/null
	kill -KILL "$(cat child)"
	rm child
	least=$(stat -c %s d.dat* | awk '{ n += $1 } END { print n - 2 * 46000 }')
	"$report" -i d.dat >killed 2>text.err
	missing >missing.before
	for file in d.dat.cpu*; do
		cp "$file" "h.$codec.dat.${file#d.dat.}"
		cp "$file" "g.$codec.dat.past.${file#d.dat.}"
	done
	between "$codec: the last events of its CPUs are missing" "$(grep -c missing missing.before)" 1 "$(nproc)"
	"$record" --recover d.dat 2>err
	is "$codec: --recover succeeds" $? 0
	is "$codec: no temporary file is left" "$(ls d.dat*)" d.dat
	between "$codec: at most a chunk of each CPU is missing" "$(stat -c %s d.dat)" "$least" \
		$((least + 200000))
	"$report" -i d.dat >recovered 2>text.err
	is "$codec: the file is not damaged" "$(cat text.err)" ""
	"$TC_BUILDDIR/tc-file" check d.dat >check
	is "$codec: what is missing at the end is not damage" "$? $(tail -n 1 check) $(grep -c '^damaged' check)" \
		"0 d.dat: sound 0"
	if command -v trace-cmd >/dev/null; then
		runs "$codec: trace-cmd splits it" trace-cmd split -i d.dat -o split.dat -e 10
		rm -f split.dat*
	fi
	cp recovered named
	# Names of tasks are added, while this boot knows them
	sed -i 's/^ *[^ ]*-\([0-9]* *\[\)/\1/' killed recovered
	same "$codec: both print the same" killed recovered
	missing >missing.after
	same "$codec: both say where the last events are missing" missing.before missing.after
	grep -q 'dd-[0-9]* *\[' named || fail "$codec: tasks have names" "$(head -n 3 named)"
done
# trace-cmd record begins its file when it ends: killed, it leaves the data alone, which are sub-buffers.
if command -v trace-cmd >/dev/null; then
	trace-cmd restore -o theirs.dat h.none.dat.cpu* >/dev/null 2>&1
	trace-cmd report -i theirs.dat 2>/dev/null | sed 's/^ *[^ ]*-\([0-9]* *\[\)/\1/' >theirs
fi
"$record" --recover h.none.dat 2>err
is "data without a file: status" $? 0
has "data without a file: says where the formats are from" err "there was no 'h.none.dat'"
is "data without a file: they are joined" "$(ls h.none.dat*)" h.none.dat
"$report" -i h.none.dat 2>text.err | sed 's/^ *[^ ]*-\([0-9]* *\[\)/\1/' >ours
same "data without a file: as the report showed them beside it" killed ours
is "data without a file: sound" "$("$TC_BUILDDIR/tc-file" check h.none.dat | tail -n 1)" "h.none.dat: sound"
if [ -s theirs ]; then
	trace-cmd report -i h.none.dat 2>/dev/null | sed 's/^ *[^ ]*-\([0-9]* *\[\)/\1/' >ours
	same "data without a file: as trace-cmd restores them" theirs ours
else
	skip "data without a file: as trace-cmd restores them" "there is no trace-cmd"
fi
"$record" --recover g.none.dat 2>err
"$report" -i g.none.dat 2>text.err >ours
# The name stands before a loss, not before the event after it.
is "data of an instance without a file: its events have its name" \
	"$(sed 's/^past: *//' ours | grep -c ' sys_e[nx]') $(grep -c '^past:.*-[0-9]* *\[' ours | sed 's/^[1-9].*/some/')" \
	"$(grep -c ' sys_e[nx]' killed) some"
ls h.zstd.dat* >before
"$record" --recover h.zstd.dat 2>err
is "compressed data without a file: refused" $? 1
has "compressed data without a file: says why" err "does not begin with a sub-buffer"
ls h.zstd.dat* >after
same "compressed data without a file: stay" before after
rm h.* g.*
"$record" --recover h.none.dat 2>err
is "neither file nor data: refused" $? 1
has "neither file nor data: says so" err "nor data beside it"
[ ! -e h.none.dat ] || fail "and no file is made"

"$record" --recover d.dat 2>err
is "--recover leaves a complete file alone: status" $? 0
has "--recover leaves a complete file alone" err "nothing to recover"

# The same when COMMAND was running: it lives on, untraced
mkfifo go
"$record" -q -e 'sched:*' -o u.dat -- sh -c 'echo $$ >child; read -r _ <go' &
pid=$!
wait_for $pid test -s child || fail "COMMAND runs"
kill -KILL $pid
wait $pid 2>/dev/null
"$record" -q -e sched_switch -o t.dat -- true
nothing_of_mine "COMMAND goes on running"
echo >go

# At a limit on the size of files, the recording ends as on a full disk
(ulimit -f 4096; exec "$record" -e raw_syscalls --compression none -o limit.dat -- \
	dd if=/dev/zero of=/dev/null bs=1 count=2000000) 2>err
is "a file at its limit: status" $? 1
has "a file at its limit: message" err "File too large"
# Two CPUs' data may be more than one file can hold: then they can be joined without the limit
[ ! -e limit.dat.cpu0 ] || "$record" -q --recover limit.dat
is "a file at its limit: no temporary file is left" "$(find . -name 'limit.dat.cpu*')" ""
"$report" -i limit.dat 2>text.err | grep -c 'sys_enter' >count
between "a file at its limit: what was written can be read" "$(cat count)" 1000 2000000
nothing_of_mine "a file at its limit"

# Programs that set up probes, or take them back, and are killed half-way through their writes
half_way() {
	half_nth=$1
	shift
	strace -o trace.out -e trace=write -e "inject=write:signal=KILL:when=$half_nth" "$@" \
		>/dev/null 2>&1
}
session=$TC_BUILDDIR/tc-session
probe=$TC_BUILDDIR/tc-probe
name=tc-live-killed-$$
if ! command -v strace >/dev/null || ! command -v cc >/dev/null; then
	skip "killed half-way" "no strace, or no C compiler"
elif [ ! -e "$tracefs/uprobe_events" ]; then
	skip "killed half-way" "the kernel has no uprobes"
else
	cat >fns.c <<-'EOS'
	int one(void) { return 1; }
	int two(void) { return 2; }
	int three(void) { return 3; }
	int main(void) { return one() + two() + three() - 6; }
	EOS
	fns=$PWD/fns.$$
	cc -g -O0 -o "$fns" fns.c
	# ours: the probes of $group, as directories: the list of all is not a snapshot while others change it
	ours() {
		find "$tracefs/events/$group" -mindepth 1 -maxdepth 1 -type d 2>/dev/null
	}
	# start_session: with a probe, of the group $group
	start_session() {
		"$session" start -q -B "$name" -p "uprobe:$fns:one" 2>err &
		group=tc_session_$!
		wait $!
	}

	start_session
	is "a session with a probe" "$?$(cat err) $(ours | wc -l)" "0 1"
	half_way 2 "$session" reset -B "$name"
	is "a reset that is killed leaves the probe" "$(ours | wc -l)" 1
	"$session" reset -B "$name" 2>err
	is "another reset finds it: status" $? 0
	nothing "and takes it away" "$(ours)"

	group=killed_$$
	half_way 3 "$probe" -x "$fns" -a $group:one=one -a $group:two=two -a $group:three=three
	is "tc-probe that is killed leaves half of its probes" "$(ours | wc -l)" 2
	"$record" -q -e sched_switch -o fns.dat -- true 2>err
	nothing "which the next program removes" "$(ours)"
	"$probe" -q -x "$fns" -a $group:one=one -a $group:two=two
	"$record" -q -e sched_switch -o fns.dat -- true 2>err
	is "probes that were defined stay" "$(ours | wc -l)" 2
	"$probe" -q -d "$group:*"

	# Where nothing can be written to /run, a session can still be taken back, and all of it
	start_session
	# shellcheck disable=SC2016 # the inner shell's
	if unshare -m sh -c 'mount --bind /run/tracecraft /run/tracecraft &&
		mount -o remount,bind,ro /run/tracecraft' 2>/dev/null; then
		unshare -m sh -c 'mount --bind /run/tracecraft /run/tracecraft &&
			mount -o remount,bind,ro /run/tracecraft && exec "$0" reset -B "$1"' \
			"$session" "$name" 2>err
		nothing "with /run read-only, reset deletes the probe" "$(ours)"
	else
		skip "with /run read-only, reset deletes the probe" "no mount namespaces"
	fi
	"$session" reset -q -B "$name" 2>/dev/null
	nothing_of_mine "recorders that were killed half-way"
fi

finish
