#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Enumerators by name and floating-point numbers in reports: what the program says, in text, JSON and
# CSV, recorded by tc-record -p and of probes that tc-probe defined; filters by name.
#
# needs: root tracefs uprobes
# area: probe

# shellcheck disable=SC2016 # dollars are the probes'

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "there is no C compiler ($cc)"
kept=/run/tracecraft/values

cat >prog.c <<'END'
#include <stdio.h>
#include <string.h>
#define OWN __attribute__((noinline))
enum mode { RD, WR, RW = 7, NEVER = -1 };
typedef enum { SMALL = 1, LARGE = 200 } __attribute__((packed)) width;
struct item { enum mode mode; width width; double weight; float part; float row[3]; enum mode last[2]; unsigned kind : 3; enum mode bits : 4; };
static const char *mode_name(enum mode m) { return m == RD ? "RD" : m == WR ? "WR" : m == RW ? "RW" : m == NEVER ? "NEVER" : 0; }
OWN int plain(enum mode m, int n)
{
	char text[32];
	snprintf(text, sizeof(text), "%d", m);
	printf("@ plain m=%s n=%d\n", mode_name(m) ? mode_name(m) : text, n);
	__asm__ volatile("" ::: "memory");
	return n;
}
OWN int held(struct item *i, double *far)
{
	printf("@ held mode=%s width=%s weight=%.17g part=%.9g far=%.17g row={%.9g,%.9g,%.9g} last={%s,%s}\n",
	       mode_name(i->mode), i->width == SMALL ? "SMALL" : "LARGE", i->weight, (double)i->part, *far,
	       (double)i->row[0], (double)i->row[1], (double)i->row[2], mode_name(i->last[0]), mode_name(i->last[1]));
	__asm__ volatile("" ::: "memory");
	return i->kind;
}
int main(void)
{
	static const enum mode modes[] = { RD, WR, RW, NEVER, (enum mode)5 };
	for (int n = 0; n < 5; n++)
		plain(modes[n], n);
	for (int n = 0; n < 3; n++) {
		struct item i = { modes[n], n ? LARGE : SMALL, n * 2.5, (float)n / 4, { 1.5f, (float)-n, 1e10f }, { modes[n + 1], RD }, 1, modes[n] };
		double far = n ? -1024.0625 * n : 0;
		held(&i, &far);
	}
	return 0;
}
END

# recorded NAME REPORT-OPTION...: the report's events and values in the file got
recorded() {
	"$report" -i t.dat "$@" 2>err |
		sed -n 's/^.*[0-9]: \([a-z][a-z0-9_]*\): *([^)]*) *\(.*\)$/\1 \2/p' | sed 's/ *$//' >got
}

for cc in "$cc" clang; do
	command -v "$cc" >/dev/null || { skip "$cc" "there is no $cc"; continue; }
	for opt in -O0 -O2; do
		"$cc" -g "$opt" prog.c -o prog 2>err || skip_all "$cc does not compile"
		values "$cc $opt" ./prog 'plain=plain m n' \
			'held=held i->mode i->width i->weight i->part far=*far i->row i->last'
		is "$cc $opt: nothing is kept of deleted probes" "$(find "$kept" -name "$group:*" | wc -l)" 0
	done
done

# by tc-record -p
"$record" -q -p 'uprobe:./prog:plain m n' -o t.dat -- ./prog >said 2>err
is "tc-record -p records" "$?" 0
recorded
sed -n 's/^@ \(plain .*\)/\1/p' said >wanted
same "tc-record -p: the values are the program's" got wanted

"$report" -i t.dat --json 2>err | sed -n 's/.*"m":\([^,}]*\).*/\1/p' >got
printf '%s\n' '"RD"' '"WR"' '"RW"' '"NEVER"' 5 >wanted
same "JSON has names, and numbers that have none" got wanted
"$report" -i t.dat --csv --fields m 2>err | sed 1d | cut -d, -f1 >got
printf '%s\n' RD WR RW NEVER 5 >wanted
same "CSV too" got wanted
printf '0\n1\n7\n-1\n5\n' >wanted
for how in --compat --kernel; do
	"$report" -i t.dat "$how" 2>err | sed -n 's/.* m=\([^ ]*\).*/\1/p' >got
	same "$how has the kernel's numbers" got wanted
done
for filter in 'm == RW' 'm == "RW"' 'm == 7'; do
	recorded -F "plain:$filter"
	is "a filter takes it: $filter" "$(cat got)" "plain m=RW n=2"
done
recorded -F 'plain:m == NEVER'
is "a filter takes a negative one" "$(cat got)" "plain m=NEVER n=3"
"$report" -i t.dat -F 'plain:m == RWX' >out 2>err
is "a filter refuses an unknown name" "$?" 2
has "and lists the known names" err "'RWX' is not a value of 'm'"
has "with a similar name" err "RW"

if command -v trace-cmd >/dev/null; then
	trace-cmd report -i t.dat >out 2>err
	is "trace-cmd reads the file" "$?" 0
	is "and has all its events" "$(grep -c 'plain:' out)" 5
	is "without a message" "$(grep -ic 'unknown\|fail\|option' err)" 0
fi

# floating-point numbers
"$probe" -q -x ./prog -a "$group:held=held i->weight i->part i->row" 2>err
"$record" -q -e "$group" -o t.dat -- ./prog >said 2>err
"$report" -i t.dat --json 2>err | sed 's/.*"weight":\([^,]*\),"part":\([^,]*\),"row":\(\[[^]]*\]\).*/\1 \2 \3/' >got
printf '%s\n' '0 0 [1.5,0,1e+10]' '2.5 0.25 [1.5,-1,1e+10]' '5 0.5 [1.5,-2,1e+10]' >wanted
same "JSON has floating-point numbers" got wanted
"$report" -i t.dat -F 'held:weight > 1' >out 2>err
is "a filter refuses floating-point numbers" "$?" 2
has "and says why" err "floating-point"

# a probe of the same name that another program defines
is "the meaning of numbers is saved" "$(find "$kept" -name "$group:held" -perm 600 | wc -l)" 1
forget "floating-point numbers"
"$probe" -q -x ./prog -D "$group:held=held i->weight i->part i->row" 2>err |
	sed 's/+8(/+0(/' >>"$tracefs/uprobe_events"
"$record" -q -e "$group" -o t.dat -- ./prog >said 2>err
"$report" -i t.dat 2>err | grep -q 'weight=0x'
is "a definition of others has numbers" "$?" 0
echo "-:$group/held" >>"$tracefs/uprobe_events"
"$probe" -q -x ./prog -a "$group:plain=plain m" 2>err
mv "$kept/$group:plain" kept
for bad in 'cp kept FILE; chmod 666 FILE' 'ln -s $PWD/kept FILE' 'mkfifo FILE' 'head -c 40 kept >FILE'; do
	eval "$(echo "$bad" | sed "s,FILE,'$kept/$group:plain',g")"
	"$record" -q -e "$group" -o t.dat -- ./prog >said 2>err
	is "recorded with: $bad" "$?" 0
	"$report" -i t.dat 2>err | grep -q 'm=7'
	is "numbers with: $bad" "$?" 0
	rm -f "$kept/$group:plain"
done
cp kept "$kept/$group:plain"
chmod 600 "$kept/$group:plain"
"$record" -q -e "$group" -o t.dat -- ./prog >said 2>err
"$report" -i t.dat 2>err | grep -q 'm=RW'
is "names with the file as it was" "$?" 0

finish
