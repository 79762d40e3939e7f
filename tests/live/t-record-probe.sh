#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-record -p: probes that are there for one recording. The program says itself what it passes.
#
# needs: root tracefs uprobes
# area: record probe
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

[ -w "$tracefs/uprobe_events" ] || skip_all "this kernel has no uprobe_events"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "no C compiler"
prog=prog.$$
cat >prog.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) int use(const char *name, long factor)
{
	printf("\"%s\" %ld\n", name, factor);
	fflush(stdout);
	return (int)factor * 3;
}

int main(int argc, char **argv)
{
	long n = 0;

	for (int i = 1; i < argc; i++)
		n += use(argv[i], i - 2);
	while (getenv("STAY"))
		usleep(1000);
	return n > 1000;
}
END
"$cc" -g -O2 -o "$prog" prog.c 2>/dev/null || skip_all "$cc does not compile with -g"

# probes_of PID: how many probes a recorder has defined
probes_of() {
	find "$tracefs/events/tc_record_$1" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | wc -l
}

"$record" -p "uprobe:./$prog:use name factor" -p "uretprobe:./$prog:use ret" -p "uprobe:$PWD/$prog:low=use factor" \
	-f 'factor < 0' -o t.dat -- "./$prog" one two three >said 2>err
is "a recording with three probes" $? 0
nothing_of_mine "when it has ended"
"$report" -i t.dat >text
sed -n 's/^.* use: .* name=\(".*"\) factor=\(.*\)$/\1 \2/p' text >got
same "arguments have the program's values" got said
sed -n 's/^.* use__return: .* ret=\(.*\)$/\1/p' text >got
awk '{ print $2 * 3 }' said >wanted
same "the function's return value is recorded" got wanted
is "a filter applies to the probe before it only" "$(sed -n 's/^.* low: .* factor=//p' text)" "-1"
"$report" -i t.dat --select low >text
is "a report takes the event's name" "$(lines_of text | wc -l)" 1

"$record" -p "uprobe:./$prog:use name" --dry-run >plan 2>err
is "--dry-run shows the probe" "$(grep -c '^echo .p:tc_record_[0-9]*/use .*/prog\.[0-9]*:0x' plan)" 1
is "and defines nothing" "$(probes_of "$(sed -n 's/^echo .p:tc_record_\([0-9]*\).*/\1/p' plan)")" 0

# Errors are found before anything is touched
"$record" -p "uprobe:./$prog:usee" -o x.dat -- "./$prog" one >said 2>err
is "a function that does not exist" "$?" 2
has "similar names are suggested" err "did you mean 'use'"
"$record" -p "uprobe:./$prog:use" -p "uprobe:./$prog:use nothing" -o x.dat -- "./$prog" one >said 2>err
is "a variable that does not exist" "$?" 2
"$record" -p function_graph -o x.dat -- "./$prog" one >said 2>err
is "-p with a tracer and a probe is an error of usage" "$?" 2
"$record" -e sched_switch -v -p "uprobe:./$prog:use" -o x.dat -- "./$prog" one >said 2>err
is "a probe is not switched off" "$?" 2
is "no file was made, no command was run" "$(ls x.dat 2>/dev/null; cat said)" ""
nothing_of_mine "after errors"
# refused by the kernel, once the first probe is there: no event of it has such a field
"$record" -p "uprobe:./$prog:use name" -f 'nothing == 1' -o x.dat -- "./$prog" one >said 2>err
is "a filter that does not fit" "$?" 1
nothing_of_mine "after a filter that does not fit"

"$record" -p "uprobe:./$prog:use name" -o i.dat 2>err &
pid=$!
wait_for $pid recording $pid || fail "recording begins" "$(cat err)"
is "the probe is there" "$(probes_of $pid)" 1
"$TC_BUILDDIR/tc-probe" -d "tc_record_$pid:*" 2>why
is "and is not deleted" "$?" 1
has "and the message says who uses it" why "in the instance 'tc-record.$pid'"
kill -TERM $pid
wait $pid
nothing_of_mine "after SIGTERM"

"$record" -p "uprobe:./$prog:use name" -p "uretprobe:./$prog:use" -o k.dat 2>err &
pid=$!
wait_for $pid recording $pid || fail "recording begins" "$(cat err)"
kill -KILL $pid
wait $pid 2>/dev/null
is "a killed recorder leaves its probes" "$(probes_of $pid)" 2
"$record" -e sched_switch -o t.dat -- true 2>err
has "the next one says that it deleted them" err "cleaned up after"
is "they are gone" "$(probes_of $pid)" 0
nothing_of_mine "after a killed one"

# --- a program is updated while it runs ---
cat >asked.c <<'END'
#include <stdio.h>
__attribute__((noinline)) int asked(int n) { printf("%d\n", n); fflush(stdout); return n; }
int main(void)
{
	for (int n; scanf("%d", &n) == 1;)
		asked(n);
	return 0;
}
END
mkfifo in out
"$cc" -g -O1 asked.c -o asked.$$
"./asked.$$" <in >out &
pid=$!
exec 3>in 4<out
"$cc" -g -O0 -DX=1 asked.c -o new
mv new asked.$$
for file in "$PWD/asked.$$" "asked.$$"; do
	"$record" --target-ns $pid -p "uprobe:$file:asked n" -o u.dat -- \
		sh -c 'echo 41 >&3; read -r answer <&4; [ "$answer" = 41 ]' 2>err
	is "the program that runs is asked: ${file##*/}" "$?" 0
	is "the file that it runs is probed, not the one that has its path now" \
		"$("$report" -i u.dat 2>why | grep -c ' n=41$')" 1
done
exec 3>&- 4<&-
wait $pid
finish
