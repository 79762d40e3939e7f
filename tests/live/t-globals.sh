#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Variables that a library exports: a program may have a copy, and then that is the one that counts,
# also for the library. Variables that are only declared where the program has debug information.
#
# needs: root tracefs uprobes
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || skip_all "no C compiler"

cat >lib.c <<'END'
int exported = 5;
struct pair { int x, y; } both = { 1, 2 };
static int inside = 7;
__thread int own = 3;
__attribute__((noinline)) int step(int by)
{
	exported += by;
	both.y += by;
	inside += by;
	own += by;
	__asm__ volatile("" ::: "memory");
	return exported + inside;
}
END
cat >bare.c <<'END'
int bare = 77;
END
cat >main.c <<'END'
#include <stdio.h>
extern int exported, bare;
extern struct pair { int x, y; } both;
int step(int by);
__attribute__((noinline)) int here(int n)
{
	printf("here %d %d %d %d\n", n, exported, both.y, bare);
	return bare++;
}
int main(void)
{
	int inside = 7;

	for (int i = 1; i < 4; i++) {
		printf("step %d %d %d %d\n", i, exported, both.y, inside);
		step(i);
		inside += i;
		here(i);
	}
	return 0;
}
END
"$cc" -g -O1 -fPIC -shared -o libstep.so lib.c 2>/dev/null || skip_all "$cc does not compile"
"$cc" -c -o bare.o bare.c || skip_all "$cc does not compile"

# linked NAME OPTION...: what is recorded in a program linked so
linked() {
	name=$1
	shift
	"$cc" -g -O1 "$@" -o prog main.c bare.o -L. -lstep -Wl,-rpath,"$PWD" 2>/dev/null || {
		pass "$name: not built # SKIP"
		return
	}
	"$probe" -q -x ./libstep.so -a "$group:step=step by exported y=both.y inside" 2>err &&
		"$probe" -q -x ./prog -a "$group:here=here n exported y=both.y bare" 2>>err
	is "$name: probes are defined" "$?" 0
	"$record" -q -e "$group" -o t.dat -- ./prog >said 2>/dev/null
	"$report" -i t.dat 2>/dev/null |
		sed -n 's/.* \([a-z]*\): .*) [a-z]*=\(.*\) [a-z]*=\(.*\) [a-z]*=\(.*\) [a-z]*=\(.*\)/\1 \2 \3 \4 \5/p' >got
	same "$name: values are the program's" got said
	"$probe" -q -d "$group:*"
}

linked "copies in the program" -fno-pie -no-pie
linked "copies in a program at any address" -fPIE -pie
linked "no copies" -fPIE -pie -mno-direct-extern-access

# Two files with a variable of one name, put together by the linker
cat >one.c <<'END'
#include <stdio.h>
static int count = 100;
int second(int n);
__attribute__((noinline)) int first(int n)
{
	printf("first %d %d\n", n, count);
	return count += n;
}
int main(void)
{
	return first(1) + second(2) + first(3) + second(4) > 0 ? 0 : 1;
}
END
cat >two.c <<'END'
#include <stdio.h>
static int count = 200;
__attribute__((noinline)) int second(int n)
{
	printf("second %d %d\n", n, count);
	return count += n;
}
END
if "$cc" -g -O2 -flto -o both one.c two.c 2>/dev/null; then
	"$probe" -q -x ./both -a "$group:first=first n count" -a "$group:second=second n count"
	"$record" -q -e "$group" -o t.dat -- ./both >said 2>/dev/null
	"$report" -i t.dat 2>/dev/null |
		sed -n 's/.* \([a-z]*\): .*) n=\(.*\) count=\(.*\)/\1 \2 \3/p' >got
	same "each file's own variable, optimised at link time" got said
	"$probe" -q -d "$group:*"
fi

"$probe" -x ./libstep.so -D 'step own' >out 2>err
is "a variable of the thread is refused" "$?" 1
has "the reason is printed" err "thread-local: probes do not read the register with the address"
finish
