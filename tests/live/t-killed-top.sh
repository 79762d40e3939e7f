#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-session reset -a takes back a session with a probe of which a killed reset has left half. It resets every
# instance of the machine, whoever's it is.
#
# needs: root tracefs uprobes exclusive
# area: record session
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

session=$TC_BUILDDIR/tc-session
name=tc-live-killed-$$
fns=$PWD/fns.$$
command -v strace >/dev/null || skip_all "there is no strace"
cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || skip_all "there is no C compiler"
cat >fns.c <<'END'
int one(void) { return 1; }
int main(void) { return one() - 1; }
END
# shellcheck disable=SC2086 # "ccache gcc" is two words
$cc -g -O0 -o "$fns" fns.c || skip_all "$cc does not compile"

"$session" start -q -B "$name" -p "uprobe:$fns:one" 2>err &
group=tc_session_$!
wait $!
is "a session with a probe" "$?$(cat err)" 0
strace -o trace.out -e trace=write -e inject=write:signal=KILL:when=2 \
	"$session" reset -B "$name" >/dev/null 2>&1
runs "a reset that is killed leaves the probe" test -d "$tracefs/events/$group/one"
"$session" reset -a -q 2>err
is "reset of all sessions" "$?$(cat err)" 0
runs "takes it away" test ! -e "$tracefs/events/$group"
runs "with its instance" test ! -e "$tracefs/instances/$name"
nothing_of_mine "afterwards"
finish
