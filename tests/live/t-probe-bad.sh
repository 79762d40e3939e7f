#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bad input gets an error that says what is wrong and what to do, and nothing is defined.
#
# needs: root tracefs uprobes
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "no C compiler"

cat >prog.c <<'END'
#include <stdio.h>
static inline __attribute__((always_inline)) int inlined(int v)
{
	return v * 3;
}
__attribute__((noinline)) int other(int v)
{
	return printf("%d\n", v);
}
__attribute__((noinline)) int use(int value, double d)
{
	int late = other(value);
	printf("%d %f\n", inlined(value), d);
	return late;
}
int main(int argc, char **argv)
{
	(void)argv;
	return use(argc, 1.5);
}
END
"$cc" -g -O2 -Wl,--build-id -o prog prog.c 2>/dev/null || skip_all "$cc does not compile"

# bad NAME TEXT WORDS...: tc-probe WORDS fails, with TEXT in its message, and defines nothing
bad() {
	what=$1
	text=$2
	shift 2
	"$probe" "$@" >out 2>err
	is "$what: an error" "$?-$(defined)" "1-0"
	has "$what: says so" err "$text"
}

# --- what is typed

bad "no such function" "did you mean 'use'?" -x prog -a "$group:e=usee"
bad "only inlined" "'inlined' exists only inlined, in 1 location: 0x" -x prog -a "$group:e=inlined%return"
has "where its copies are" err " in use (prog.c:"
bad "an offset in an inlined function" "exists only inlined" -x prog -a "$group:e=inlined+1"
bad "no such variable" "there are: value, d, late" -x prog -a "$group:e=use nothing"
bad "a misspelt variable" "did you mean 'value'?" -x prog -a "$group:e=use valu"
bad "a variable that is not alive there" "'late': not alive" -x prog -a "$group:e=use late"
has "where it is alive" err "alive at these distances"
bad "a value in a floating-point register" "floating-point" -x prog -a "$group:e=use d"
bad "a member of a type without members" "not a struct" -x prog -a "$group:e=use value->x"
bad "no such type" "there are u8 to u64" -x prog -a "$group:e=use value:u65"
bad "no such register" "no such register" -x prog -a "$group:e=use v=%nosuch"
bad "no such line" "no code for line 300" -x prog -a "$group:e=prog.c:300"
bad "no such file in it" "no code of a file 'q.c'" -x prog -a "$group:e=q.c:3"
bad "an offset inside an instruction" "inside an instruction" -x prog -a "$group:e=main+1"
bad "an offset outside the function" "is outside" -x prog -a "$group:e=use+100000"
bad "an address outside the code" "is not in the code" -x prog -a "$group:e=0x10"
bad "no such marker" "no marker" -x prog -a "%nomarker"
bad "an empty probe" "no probe point" -x prog -a ''
long=$(printf 'n%.0s' $(seq 64))
bad "an event's name that is too long" "63 at most" -x prog -a "$group:$long=use"
bad "a group's name that is too long" "63 at most" -x prog -a "$long:e=use"
bad "an argument's name that is too long" "32 at most" -x prog -a "$group:e=use $long=value"
bad "too many arguments" "128 arguments at most" -x prog \
	-a "$group:e=use $(seq -f 'a%.0f=value' -s ' ' 129)"
"$probe" -q -x prog -a "$group:e=use $(seq -f 'a%.0f=value' -s ' ' 128)" 2>err
is "as many arguments as the kernel allows are accepted" "$?-$(defined)" "0-1"
"$probe" -q -d "$group:*"
function=$(printf 'f%.0s' $(seq 300))
printf 'int %s(void) { return 1; }\nint main(void) { return %s(); }\n' "$function" "$function" >long.c
"$cc" -g -O0 long.c -o long
"$probe" -x long -D "$function" >out 2>err
is "a function's name that is too long is cut for the event's" \
	"$(sed 's/^p:[^/]*\/\([^ ]*\) .*/\1/' out | wc -c)" 64

# --- what is not a program

bad "not an ELF file" "it is not an ELF file" -x prog.c -a "$group:e=main"
: >empty
bad "an empty file" "it is not an ELF file" -x empty -a "$group:e=main"
bad "a directory" "it is a directory" -x / -a "$group:e=main"
bad "no such file" "No such file" -x ./nothing -a "$group:e=main"
bad "no such program" "no program on PATH and no library" -x nothing-of-this-name -a "$group:e=main"
size=$(wc -c <prog)
for part in 1 20 63 64 100 1000 4096 $((size / 2)) $((size - 1)); do
	head -c "$part" prog >part.of
	"$probe" -x ./part.of -a "$group:e=use value" >out 2>err
	is "$part bytes of a program: an error" "$?-$(defined)" "1-0"
done
has "a truncated file is reported as truncated" err "truncated: section headers missing"
"$cc" -c prog.c -o object.o
bad "an object file" "still to be linked" -x object.o -a "$group:e=main"
strip -o bare prog
bad "no debug information" "build-id" -x bare -a "$group:e=0x$(nm prog | awk '$3 == "use" { print $1 }') value"
has "the paths that were tried" err "/usr/lib/debug/.build-id/"

# --- what is there already

"$probe" -q -x prog -a "$group:e=use"
"$probe" -x prog -a "$group:e=use" >out 2>err
is "an event that exists is refused" "$?-$(defined)" "1-1"
has "the message says what to do" err "-f defines it under another name"
"$probe" -x prog -a "$group:new=main" -a "$group:e=use" -a "$group:newer=other" >out 2>err
is "none of several definitions is made then" "$?-$(defined)" "1-1"
"$probe" -q -f -x prog -a "$group:new=main" -a "$group:e=use"
is "with -f all are" "$?-$(defined)" "0-3"
"$probe" -q -d "$group:*"
"$probe" -x prog -a 'sched:sched_switch=use' >out 2>err
is "so is the name of one of the kernel's events" "$?" 1
has "the error is found beforehand" err "there is an event 'sched:sched_switch' already"
"$probe" -n -f -x prog -a 'sched:sched_switch=use' >out 2>err
has "-f gives another" out "p:sched/sched_switch_1 "

"$probe" -q -d "$group:*"
bad "one name twice" "two of the probes have the name '$group:e'" -x prog -a "$group:e=use" -a "$group:e=main"
bad "more locations than --max-probes" "--max-probes" -x prog --max-probes 1 -a "$group:e=?*e*"

# --- what is said of what is done

cat >loads.c <<'END'
#include <stdio.h>
__attribute__((noinline)) int loads(const int *from)
{
	int loaded = *from;
	return printf("%d\n", loaded) + loaded;
}
int main(int argc, char **argv)
{
	(void)argv;
	return loads(&argc);
}
END
"$cc" -g -O2 -o loads loads.c
"$probe" -x loads -D "$group:e=loads loaded" >out 2>err
entry=$((0x$(nm loads | awk '$3 == "loads" { print $1 }')))
place=$(sed -n 's/.*:\(0x[0-9a-f]*\) .*/\1/p' out)
if [ -n "$place" ] && [ $((place)) -gt $entry ]; then
	has "a probe that is not at the entry is reported" err "loads: put $((place - entry)) bytes further on"
	"$probe" -q -x loads -D "$group:e=loads loaded" >out 2>err
	is "-q does not" "$(cat err)" ""
else
	skip "a probe that is not at the entry is reported" "$cc has the variable at the entry"
fi
"$probe" -x prog -a "$group:e=use" -a "${group}_b:e=main" >out 2>err
has "the notice names both groups" out "tc-record -e $group:'*' -e ${group}_b:'*'"
"$probe" -q -d "$group:*" -d "${group}_b:*"
places=$("$probe" -q -x prog -D "$group:e=use;*l*" | wc -l)
"$probe" -x prog -a "$group:e=use;*l*" >out 2>err
has "places of one event are counted" out ", and $((places - 1)) more location"
has "it is recorded by its name" out "Record it: tc-record -e $group:e"
"$probe" -q -d "$group:*"

# --- all or none

bad "one of three that cannot be looked up" "no function 'nothing'" \
	-x prog -a "$group:a=use" -a "$group:b=nothing" -a "$group:c=main"
# what only the kernel finds, in the second of three: one place cannot have two counters
"$probe" -q -x prog --plan plan -a "$group:a=main" -a "$group:b=use value" -a "$group:c=main"
at=$(sed -n "s|^event p:$group/b \([^ ]*\).*|\1|p" plan)
echo "p:${group}_x/counted $at(0x10)" >>"$tracefs/uprobe_events"
bad "the second of three is refused by the kernel" "cannot define '$group:b' on use@" --apply plan
has "the kernel's error is reported" err "Invalid argument"
echo "-:${group}_x/counted" >>"$tracefs/uprobe_events"

# --- of another build

bad "a kernel image that is not the running kernel's" "the running kernel has" -k prog -a "$group:e=use"
mkdir -p "root$tap_dir"
"$cc" -g -O1 -DX=1 -Wl,--build-id -o "root$tap_dir/prog" prog.c
bad "a program below --symfs that is another here" "the file of that path on this machine has" \
	--symfs "$tap_dir/root" -x "$tap_dir/prog" -a "$group:e=use"
cp prog "root$tap_dir/prog"
"$probe" -q --symfs "$tap_dir/root" -x "$tap_dir/prog" -a "$group:e=use" 2>err
is "the same program is taken" "$?-$(defined)" "0-1"

# --- a program that was replaced after a probe in it was defined

"$probe" -q -d "$group:*"
cp prog moved
cp prog kept
"$probe" -q -x ./moved -a "$group:moved=use"
"$probe" -q -x ./kept -a "$group:kept=use"
"$probe" -l "$group:*" >out 2>err
is "-l is silent where nothing changed" "$(cat err)" ""
# warned DESCRIPTION TEXT: -l prints TEXT about one probe, and nothing about the other
warned() {
	"$probe" -l "$group:*" >out 2>err
	is "$1: -l lists both" "$?-$(wc -l <out)" "0-2"
	has "$1: -l says so" err "$group:moved: '$tap_dir/moved' $2"
	is "$1: and of no other" "$(grep -c "$group:kept" err)" 0
}
cat prog >moved.new
chmod +x moved.new
mv moved.new moved
if [ "$(stat -c %W moved)" -gt 0 ]; then
	warned "another file of that name" "was replaced after the probe was defined"
else
	warned "another file of that name" "was "
fi
"$probe" -q -d "$group:moved"
"$probe" -q -x ./moved -a "$group:moved=use"
"$probe" -l "$group:*" >out 2>err
is "a new probe gets no warning" "$(cat err)" ""
head -c 64 /dev/zero >>moved
warned "a file that was written to" "was written to after the probe was defined"
rm moved
warned "a file that was deleted" "was removed"
"$probe" -l -q "$group:*" >out 2>err
is "-q does not print it" "$(cat err)" ""
"$probe" -q -d "$group:*"
# --- look-ups

bad_look() {
	"$probe" "$@" >out 2>err
	is "$*: an error" "$?" 1
	is "$*: with a message" "$(grep -c '^tc-probe: ' err)" 1
}
bad_look -x prog -V nothing
bad_look -x prog -L nothing
bad_look -x prog -F 'nothing*'
bad_look -x prog -V use%return
bad_look -x prog --explain use nothing
bad_look -d "$group:nothing"
bad_look -l "$group:nothing"
bad_look -x prog -L use:500
has "-L says where the function ends" err "the last with code is"
bad_look -k ./nothing -D vfs_read
bad_look -m nothing -D vfs_read
finish
