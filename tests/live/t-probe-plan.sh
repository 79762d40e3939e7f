#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Probes are looked up in a program with debug information, and defined in a stripped copy of it.
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
command -v strip >/dev/null || skip_all "no strip"

cat >prog.c <<'END'
#include <stdio.h>
struct item { long a; const char *name; };
__attribute__((noinline)) int use(struct item *item, int factor)
{
	printf("%s %d %ld\n", item->name, factor, item->a);
	return factor + 1;
}
int main(void)
{
	struct item one = { 40, "first" }, two = { -2, "second" };
	return use(&one, ADD) + use(&two, -7) == ADD - 5 ? 0 : 1;
}
END

# values DIRECTORY: what is recorded of the program there is what it says
values() {
	"$record" -q -e "$group:one" -o t.dat -- "$2" >said 2>/dev/null
	"$report" -i t.dat 2>/dev/null |
		sed -n 's/.*) name="\(.*\)" factor=\(.*\) a=\(.*\)/\1 \2 \3/p' >got
	same "$1" got said
}

mkdir -p dev target/opt 'a blank'
"$cc" -g -O2 -Wl,--build-id -DADD=5 -o dev/prog prog.c 2>/dev/null || skip_all "$cc does not compile"
strip -o target/opt/prog dev/prog
"$probe" -x target/opt/prog -D 'use factor' >/dev/null 2>&1
is "the copy has no debug information" "$?" 1

"$probe" -q -x dev/prog --plan plan -a "$group:one=use item->name factor item->a" \
	-a "$group:two=use%return ret"
is "a plan is written" "$?" 0
is "it defines nothing" "$(defined)" 0
is "its first line has the version" "$(head -n 1 plan)" "tc-probe-plan 1"
id=$(file -L dev/prog 2>/dev/null | sed -n 's/.*BuildID\[sha1\]=\([0-9a-f]*\).*/\1/p')
[ -z "$id" ] || has "it has the program's build-id" plan "build-id $id"
"$probe" -x dev/prog --plan - -a "$group:one=use item->name factor item->a" \
	-a "$group:two=use%return ret" >plan.stdout 2>/dev/null
same "- is standard output" plan.stdout plan

"$probe" -q --apply plan
is "it is applied where the path is" "$?" 0
"$probe" -l "$group:one" >list
has "the probe is on the plan's path" list "in $tap_dir/dev/prog with name factor a"
values "the program's values are recorded" dev/prog
"$probe" -q -d "$group:*"

mv dev/prog dev/prog.debug
"$probe" --apply plan >/dev/null 2>err
is "a program that is not here is an error" "$?" 1
has "which says what would help" err "-x names the file"
"$probe" -q -x target/opt/prog --apply plan
is "-x gives its path" "$?" 0
values "the stripped copy's values are recorded" target/opt/prog
"$probe" -q -d "$group:*"
"$probe" -q --apply - -x target/opt/prog <plan
is "- is standard input" "$?-$(defined)" "0-2"
"$probe" --apply plan -x target/opt/prog >/dev/null 2>err
is "an event that exists is refused" "$?-$(defined)" "1-2"
"$probe" -q -f --apply plan -x target/opt/prog
is "-f chooses other names" "$?-$(defined)" "0-4"
"$probe" -q -d "$group:*"

mkdir -p "root$tap_dir/dev"
cp target/opt/prog "root$tap_dir/dev/prog"
"$probe" -q --symfs "$tap_dir/root" --apply plan
is "--symfs gives the root" "$?" 0
values "there the values are recorded" "root$tap_dir/dev/prog"
"$probe" -q -d "$group:*"

cp target/opt/prog 'a blank/prog'
"$probe" -q -x 'a blank/prog' --apply plan
is "a path with a blank is taken" "$?" 0
values "there too" 'a blank/prog'
"$probe" -q -d "$group:*"
mv dev/prog.debug 'a blank/prog'
"$probe" -q -x 'a blank/prog' --plan blank -a "$group:one=use item->name factor item->a"
has "it is written in octal" blank "program $tap_dir/a\\040blank/prog"
"$probe" -q --apply blank
is "and read" "$?" 0
values "and recorded" 'a blank/prog'
"$probe" -q -d "$group:*"

"$probe" -n -x target/opt/prog --apply plan >dry
is "-n defines nothing" "$?-$(defined)" "0-0"
has "-n prints the definition" dry "p:$group/one $tap_dir/target/opt/prog:0x"

# another build: one byte of code differs
"$cc" -g -O2 -Wl,--build-id -DADD=6 -o other prog.c
for force in '' -f; do
	"$probe" $force -x other --apply plan >/dev/null 2>err
	is "another build is refused ($force)" "$?-$(defined)" "1-0"
done
[ -z "$id" ] || has "the message names the plan's build-id" err "$id"
cp other dev/prog
"$probe" --apply plan >/dev/null 2>err
is "also when it is at the plan's path" "$?-$(defined)" "1-0"

"$cc" -g -O2 -Wl,--build-id=none -DADD=5 -o noid prog.c
strip -o noid.stripped noid
"$probe" -q -x noid --plan noid.plan -a "$group:one=use item->name factor item->a"
"$probe" -q -x noid.stripped --apply noid.plan
is "without a build-id the same code is recognised" "$?" 0
values "and its values are recorded" ./noid.stripped
"$probe" -q -d "$group:*"
"$cc" -g -O2 -Wl,--build-id=none -DADD=6 -o noid.other prog.c
"$probe" -x noid.other --apply noid.plan >/dev/null 2>err
is "and that it is not" "$?-$(defined)" "1-0"

# a plan that was tampered with
sed 's/factor=%si:s32/factor=%si:s33/' plan >bad
"$probe" -x target/opt/prog --apply bad >/dev/null 2>err
is "the kernel judges an unknown type, and nothing is defined" "$?-$(defined)" "1-0"
has "with its reason" err "Unknown type is specified"
sed 's/factor=%si:s32/factor=%si:s/' plan >bad
"$probe" -x target/opt/prog --apply bad >/dev/null 2>err
is "a line that the kernel would refuse is refused, with all" "$?-$(defined)" "1-0"
has "the line is named" err "line 4 of the plan"
for lines in $(seq $(($(wc -l <plan) - 1))); do
	head -n "$lines" plan >bad
	"$probe" -x target/opt/prog --apply bad >/dev/null 2>err
	is "a plan cut off after line $lines defines nothing" "$?-$(defined)" "1-0"
done
has "the message says that it is cut off" err "it was cut off"
sed '$d' plan | cat - plan >bad
"$probe" -x target/opt/prog --apply bad >/dev/null 2>err
is "nor is one with another plan appended" "$?-$(defined)" "1-0"
# the kernel judges registers, we do not
sed 's/%si:s32/%nosuch:s32/; s/^event r:[^ ]*/event r:'"$group"'\/first/' plan >bad
"$probe" -x target/opt/prog --apply bad >/dev/null 2>err
is "if the kernel refuses one, none is defined" "$?-$(defined)" "1-0"

kernel=$(sed -n 's/^build-id //p' plan)
printf 'tc-probe-plan 1\nkernel x\nbuild-id %s\nevent p:%s/k vfs_read\nend 1\n' "$kernel" "$group" >kplan
"$probe" --apply kplan >/dev/null 2>err
is "a plan for another kernel is refused" "$?" 1
has "the message says that it is the kernel" err "the running kernel has build-id"

# a program of another machine, which the kernel would take a probe in
for packed in "$TC_SRCDIR"/tests/data/foreign/*.xz; do
	case $packed in *"$(uname -m)"* | *i?86*) continue ;; esac
	command -v xz >/dev/null || break
	xz -dc "$packed" >foreign || break
	"$probe" -q -x foreign --plan fplan -a "$group:f=main" 2>err || continue
	"$probe" --apply fplan >/dev/null 2>err
	is "a program of another machine is refused (${packed##*/})" "$?-$(defined)" "1-0"
	has "both machines are named" err "this machine is $(uname -m)"
	break
done

# another mount namespace: the path is of a file that only its processes see
if unshare -m true 2>/dev/null; then
	mkdir ns
	mkfifo go
	unshare -m sh -c "mount -t tmpfs none ns && cp target/opt/prog ns/prog && exec cat go" &
	other=$!
	wait_for "$other" sh -c "readlink /proc/$other/exe | grep '/cat$'"
	sed "s|$tap_dir/dev/prog|$tap_dir/ns/prog|" plan >nsplan
	"$probe" --apply nsplan >/dev/null 2>&1
	is "a file of another namespace is not seen" "$?" 1
	"$probe" -q --target-ns "$other" --apply nsplan
	is "--target-ns finds it" "$?" 0
	"$record" -q -e "$group:one" -o t.dat -- nsenter -t "$other" -m "$tap_dir/ns/prog" \
		>said 2>/dev/null
	"$report" -i t.dat 2>/dev/null |
		sed -n 's/.*) name="\(.*\)" factor=\(.*\) a=\(.*\)/\1 \2 \3/p' >got
	same "its values are recorded" got said
	"$probe" -q -d "$group:*"
	"$probe" -x "$tap_dir/ns/prog" --target-ns "$other" -D main >out 2>&1
	has "--target-ns reads a program there" out "/proc/$other/root$tap_dir/ns/prog"
	"$probe" --pid "$other" -D "$group:s=0x$(printf %x 0)" >out 2>err
	has "--pid is the program that it runs" err "/cat'"
	kill "$other"
	wait "$other" 2>/dev/null
else
	skip "another mount namespace" "unshare -m is not allowed"
fi
finish
