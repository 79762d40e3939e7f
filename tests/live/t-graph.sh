#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-report --graph of two events that belong together: probes of a program that says itself who
# calls whom, and system calls whose arguments nobody else uses.
#
# needs: root tracefs uprobes
# area: report
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

[ -w "$tracefs/uprobe_events" ] || skip_all "this kernel has no uprobe_events"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "no C compiler"
cat >prog.c <<'END'
#include <stdio.h>

static int depth;

/* What --graph is to draw: the first line when a call begins, the last when it ends. */
static void line(const char *text, long n)
{
	printf("%*s", 2 * depth, "");
	printf(text, n);
	putchar('\n');
}

__attribute__((noinline)) long leaf(long n)
{
	line("leaf(n=%ld); /* ", n);
	return 3 * n;
}

__attribute__((noinline)) long tree(long n)
{
	long sum = 1;

	if (!n) {
		line("tree(n=%ld); /* arg1=1 */", n);
		return 1;
	}
	line("tree(n=%ld) {", n);
	depth++;
	for (long i = 0; i < n; i++)
		sum += i & 1 ? leaf(i) : tree(i);
	depth--;
	line("} /* arg1=%ld */", sum);
	return sum;
}

int main(void)
{
	return tree(5) + tree(3) < 0;
}
END
"$cc" -g -O2 -o prog.$$ prog.c 2>/dev/null || skip_all "$cc does not compile with -g"

# trees FILE: the drawn lines without times, results of leaves and what separates tasks
trees() {
	sed -n 's/^.*|  \( *[a-z}].*\)$/\1/p' "$1" | sed 's/\(leaf(.*; \/\* \).*/\1/; s/() {/ {/'
}

# durations FILE: durations of the calls, in the order in which they ended, from the time stamps of -t
durations() {
	awk -v begin="$2" -v end="$3" '
	function ns(t) { sub(/:/, "", t); sub(/\./, "", t); return t + 0 }
	{
		for (i = 1; i < NF && $i !~ /^[0-9]+\.[0-9]+:$/; i++)
			;
		name = $(i + 1)
		if (name ~ end) {
			printf "%d\n", ns($i) - at[--n]
		} else if (name ~ begin) {
			at[n++] = ns($i)
		}
	}' "$1"
}

# drawn_durations FILE: the same as they were drawn
drawn_durations() {
	sed -n 's/^[^|]*|[^)]*)[ +!#*@$]* \([0-9.]*\) us *|.*/\1/p' "$1" | tr -d .| sed 's/^0*\(.\)/\1/'
}

"$record" -q -p "uprobe:./prog.$$:tree n" -p "uretprobe:./prog.$$:tree \$retval:s64" \
	-p "uprobe:./prog.$$:leaf n" -p "uretprobe:./prog.$$:leaf \$retval:s64" -o t.dat -- "./prog.$$" >said 2>err
is "records both ends of functions" $? 0
sed 's/^/# /' err
"$report" --graph -i t.dat >t.txt 2>err
is "draws calls of a program" $? 0
trees t.txt >drawn
same "callers, functions and arguments are those that the program prints" drawn said
"$report" -t --no-flags -i t.dat >t.events
durations t.events '(tree|leaf):$' '__return:$' >want
drawn_durations t.txt >got
same "durations go from one event to the other" got want
"$report" --graph tree --depth 1 -i t.dat >t.txt
is "--depth 1: outermost calls only" "$(grep -c '|  tree(n=[35]); ' t.txt)" 2
"$report" --graph --summary -i t.dat >t.txt
is "--summary counts calls" "$(awk '$6 == "tree" || $6 == "leaf" { print $6, $1 }' t.txt | sort)" \
	"leaf $(grep -c leaf said)
tree $(grep -c 'tree(' said)"

"$record" -q -e syscalls:sys_enter_write -e syscalls:sys_exit_write -F -o s.dat -- \
	dd if=/dev/zero of=/dev/null bs=1234 count=7 2>err
"$report" --graph --pair 'sys_enter_*:sys_exit_*' -i s.dat >s.txt 2>err
is "draws system calls" $? 0
is "7 writes of 1234 bytes, and their return values" \
	"$(grep -c '|  write(fd: .*, count: 0x000004d2); /\* 0x4d2 \*/$' s.txt)" 7
"$report" -t --no-flags -i s.dat >s.events
durations s.events '^sys_enter_write:$' '^sys_exit_write:$' >want
drawn_durations s.txt >got
same "durations go from entry to exit" got want
"$report" --graph --pair 'syscalls:sys_enter_write..syscalls:sys_exit_write' -i s.dat >s2.txt
same "SYSTEM:EVENT prints the same" s2.txt s.txt
"$report" --graph --pair sys_enter_write:sys_exit_rite -i s.dat >s.txt 2>err
is "an event that does not exist is an error" $? 2
has "with similar names" err "sys_exit_write"
nothing_of_mine "afterwards"
finish
