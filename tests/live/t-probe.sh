#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Probes in a small program that says itself what its variables are.
#
# needs: root tracefs uprobes
# area: gate probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "no C compiler"

cat >prog.c <<'END'
#include <stdio.h>

struct item {
	int number;
	unsigned int low : 3, high : 5;
	const char *name;
	struct item *next;
};

static int counter = 40;

__attribute__((noinline)) const char *puts_it(struct item *item)
{
	counter += 0;
	return item->name;
}

__attribute__((noinline)) int use(struct item *item, long factor)
{
	counter++;
	printf("%d %u %s %d %ld %d\n", item->number, item->high, puts_it(item),
	       item->next->number, factor, counter);
	return item->number * (int)factor;
}

int main(void)
{
	struct item a = { 1, 2, 3, "first", NULL };
	struct item b = { -2, 4, 17, "second", &a };

	a.next = &b;
	return use(&a, 7) + use(&b, -9) == 25 ? 0 : 1;
}
END

# recorded: the values of event "one" of the last recording, a line each
recorded() {
	"$report" -i t.dat --select "$group:$1" 2>/dev/null | sed -n 's/.*) v=//p'
}

for level in -O0 -O2; do
	"$cc" -g "$level" -o prog prog.c 2>/dev/null || skip_all "$cc does not compile with -g $level"
	"$probe" -q -x ./prog -a "$group:one=use v=item->number high=item->high \
name=item->name:string next=item->next->number factor counter" \
		-a "$group:two=use%return v=ret" 2>err
	is "$level: probes are defined" "$?" 0
	"$probe" -l "$group:*" >list
	has "$level: they are listed" list "$group:one"
	"$record" -q -e "$group" -o t.dat -- ./prog >said 2>/dev/null
	"$report" -i t.dat --select "$group:one" 2>/dev/null |
		sed -n 's/.*) v=\(.*\) high=\(.*\) name="\(.*\)" next=\(.*\) factor=\(.*\) counter=\(.*\)/\1 \2 \3 \4 \5 \6/p' >got
	# what the program prints of the counter was raised by then
	awk '{ $2 = sprintf("0x%x", $2); $6--; print }' said >wanted
	awk '{ if ($2 !~ /^0x/) $2 = sprintf("0x%x", $2); print }' got >got.hex
	same "$level: arguments have the program's values" got.hex wanted
	is "$level: return values are the program's" "$(recorded two | awk '{ printf "%s ", $1 }')" "7 18 "
	"$probe" -x ./prog -a "$group:three=use" -a "$group:one=use" >/dev/null 2>err
	is "$level: an event that exists is refused" "$?" 1
	"$probe" -l "$group:three" >list
	is "$level: then nothing is defined" "$(cat list)" ""
	"$probe" -q -f -x ./prog -a "$group:one=use"
	"$probe" -l "$group:one_1" >list
	has "$level: -f finds another name" list "$group:one_1"
	forget "$level"
done

# the name that use() is given, as what a register points to; the kernel says what it takes
"$probe" -q -x ./prog -a "$group:one=puts_it%return v=\$retval:string" 2>err
is "a register can point to a string" "$?" 0
"$record" -q -e "$group" -o t.dat -- ./prog >/dev/null 2>&1
is "and is the one returned" "$(recorded one | tr '\n' ' ')" '"first" "second" '
"$probe" -q -d "$group:*"

"$probe" -x ./prog -D 'use nothing' >out 2>err
is "an unknown variable is refused" "$?" 1
has "it is named" err "nothing"
"$probe" -x ./prog -D 'sue' >out 2>err
has "an unknown function gets a suggestion" err "use"
"$probe" -x ./prog -L use >lines
has "lines are shown" lines "counter++;"

# shown ARGUMENT: the text of the lines that -L shows
shown() {
	"$probe" -q -x ./prog -L "$1" 2>&1 | sed '1d; s/^.\{9\}//'
}
at=$(sed -n '/^__attribute__.* use(/=' prog.c)
is "+NUM is how many lines are shown, from the first one on" "$(shown use:2+3)" \
	"$(sed -n "$((at + 2)),$((at + 4))p" prog.c)"
is "-LAST is the last one" "$(shown use:2-3)" "$(sed -n "$((at + 2)),$((at + 3))p" prog.c)"
is "line 0 is that of the function's name" "$(shown use:0-0)" "$(sed -n "${at}p" prog.c)"
is "lines of a file are counted from its first" "$(shown "prog.c:$at+2")" "$(sed -n "$at,$((at + 1))p" prog.c)"
for lines in use:2+0 use:3-2; do
	"$probe" -x ./prog -L "$lines" >out 2>err
	is "no lines are $lines" "$?-$(grep -c "'$lines': " err)-$(cat out)" 1-1-
done
"$probe" -x ./prog -V use >vars
has "variables are listed" vars "item"
"$probe" -x ./prog -F >funcs
has "functions are listed" funcs "use"
"$probe" -F ./prog >out 2>err
is "a program without -x is taken for a filter of the kernel's functions" "$?" 1
has "the message says how to name it" err "-x './prog' -F"
"$probe" --fprobe -D vfs_read+4 >out 2>err
is "an fprobe inside a function is refused" "$?" 1
has "as it was typed" err "'vfs_read+4' is not a function's entry"
"$probe" -x ./prog --explain use factor >why
has "a variable is explained" why "factor"

# A function that begins with an instruction that uprobes do not accept (on x86: a locked one) is
# probed at the next instruction
cat >locked.c <<'END'
int v;
__attribute__((noinline)) int add(int n)
{
	__atomic_fetch_add(&v, n, __ATOMIC_SEQ_CST);
	return v;
}
int main(void)
{
	return add(3) + add(4) == 10 ? 0 : 1;
}
END
"$cc" -g -O2 -o locked locked.c
"$probe" -q -x ./locked -a "$group:locked=add v" 2>err
"$record" -q -e "$group" -o t.dat -- ./locked 2>/dev/null
is "a function that begins with a locked instruction is recorded" \
	"$("$report" -i t.dat 2>/dev/null | grep -c 'locked: .*) v=')" 2
"$probe" -q -d "$group:*"

# Offsets, and addresses, on which the disassembler has an instruction, and no others
if command -v objdump >/dev/null; then
	begin=$(objdump -t prog | awk '$NF == "use" { print $1 }')
	objdump -d prog | awk '/^[0-9a-f]+ <use>:/ { on = 1; next } /^$/ { on = 0 }
		on && /^ / { sub(":", "", $1); print $1 }' | head -n 8 >starts
	offset=1
	: >taken
	while [ "$offset" -lt 24 ]; do
		addr=$(printf '%x' $((0x$begin + offset)))
		"$probe" -x ./prog -D "use+$offset" >/dev/null 2>&1 && echo "$addr" >>taken
		"$probe" -x ./prog -D "0x$addr" >/dev/null 2>&1 && echo "$addr" >>taken
		offset=$((offset + 1))
	done
	last=$(printf '%x' $((0x$begin + 24)))
	awk -v last="$last" 'length($1) == length(last) && $1 < last && NR > 1 { print; print }' \
		starts >wanted
	same "offsets and addresses are those of instructions" taken wanted
	is "some were compared" "$([ -s taken ] && echo yes)" yes
	"$probe" -x ./prog -f -D "use+1" >/dev/null 2>&1
	is "-f takes any" "$?" 0
fi
finish
