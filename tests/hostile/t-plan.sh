#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A stranger's plan, with the right build-id: places that would corrupt the program are refused, and
# what it calls a place is not shown as one. -n defines nothing; tracefs is a captured one.
#
# area: gate probe

# shellcheck source=tests/hostile/lib.sh
. "${TC_SRCDIR:-$(dirname "$0")/../..}/tests/hostile/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "the program is x86-64 assembly"
for tool in nm readelf strip; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
mkdir tracefs
tar -xzf "$TC_SRCDIR/tests/fake/x86_64-6.1.tar.gz" -C tracefs || skip_all "no captured tracefs"
TRACECRAFT_TRACEFS=$(dirname "$(find "$tmp/tracefs" -name uprobe_events | head -n 1)")
export TRACECRAFT_TRACEFS

# use: push %rbp (1), mov %rsp,%rbp (3), mov $1,%eax (5), pop %rbp (1), ret (1)
cat >prog.c <<'END'
__asm__(".text\n.globl use\n.type use, @function\nuse:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	mov $1, %eax\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size use, . - use\n");
int use(void);
int secret = 7;
int main(void)
{
	return use() + secret == 0;
}
END
"$cc" -O2 -Wl,--build-id -no-pie -o prog prog.c 2>/dev/null || skip_all "$cc does not compile it"
"$probe" -q -x ./prog --plan plan -a 'g:one=use' 2>/dev/null
is "a plan is written" "$?-$(grep -c '^event p:g/one' plan)" 0-1
offset=$(sed -n 's/^event .*:0x\([0-9a-f]*\)$/\1/p' plan)

# at NAME STATUS TEXT KIND PLACE: the plan with another place, of the program and of a stripped copy
at() {
	for file in prog stripped; do
		sed "s|^event .*|event $4:g/one $tmp/prog:$5|" plan >bad
		bounded "$probe" -n -x ./$file --apply bad
		is "$1: $file" "$?" "$2"
		[ -z "$3" ] || has "$1: $file: it says why" err "$3"
	done
}
# more N: the offset N bytes further on
more() {
	printf '0x%x' $((0x$offset + $1))
}
strip -o stripped prog
at "as it was written" 0 '' p "$(more 0)"
for n in 0 1 4 9 10; do
	at "+$n, where an instruction begins" 0 '' p "$(more $n)"
done
for n in 2 3 5 6 7 8; do
	at "+$n, inside an instruction" 1 'is inside an instruction' p "$(more $n)"
done
at "a return at the entry" 0 '' r "$(more 0)"
for n in 1 4 9; do
	at "a return at +$n" 1 'on the entry of a function' r "$(more $n)"
	at "a return at +$n, the other way" 1 'on the entry of a function' p "$(more $n)%return"
done
data=$(readelf -sW prog | awk '$8 == "secret" { print $2 }')
at "data" 1 'is not in the code' p "0x$(printf '%x' $((0x$data - 0x400000 - 0x1000)))"
at "beyond the file" 1 'is not in the code' p 0xffffff
at "a counter that is the program's data" 1 'is not the counter of a marker' p "$(more 0)(0x10)"
at "words" 1 'is not a location in a program' p main

# names
sed "s|^real .*|real use@innocent.c:1|" plan >named
bounded "$probe" -n -v -x ./prog --apply named
is "a wrong name of a location: the plan is accepted" "$?" 0
event=$(grep '^event' plan)
for bad in "$event" "$(echo "$event" | sed 's/event p/event r/')" "$event a=%di:u32"; do
	sed "s|^end .*|$(printf '%s' "$bad" | sed 's/[&|]/\\&/g')\nreal x\nend 2|" plan >twice
	bounded "$probe" -n -x ./prog --apply twice
	is "an event again, as '${bad#"$event"}' of it: status" "$?" 1
done
sed "s|^end .*|$event\nreal x\nend 2|" plan >twice
bounded "$probe" -n -x ./prog --apply twice
has "an event twice is refused, as the kernel would" err 'has the same place twice'
sed "s|^end .*|$event a=%di:u32\nreal x\nend 2|" plan >twice
bounded "$probe" -n -x ./prog --apply twice
has "other arguments at another place" err 'places with different arguments'
printf 's|^real .*|real a\342\200\256b|\n' >turned.sed
sed -f turned.sed plan >turned
# the captured tracefs takes anything
bounded "$probe" -x ./prog --apply turned
has "a mark of direction in the name of a place is not printed" out '"a???b" in the plan'
sed "s|^program .*|program /bin/sh|; s|$tmp/prog:|/bin/sh:|" plan >other
bounded "$probe" -n --apply other
is "a build-id for another program" "$?" 1
has "which is reported" err 'has build-id'
for bad in /dev/zero "$tmp/fifo" /proc/kmsg; do
	[ "$bad" != "$tmp/fifo" ] || mkfifo "$bad"
	sed "s|^program .*|program $bad|; s|$tmp/prog:|$bad:|" plan >other
	bounded "$probe" -n --apply other
	is "a program that is $bad" "$?" 1
	has "$bad: it is not opened" err 'it is not a regular file'
done
finish
