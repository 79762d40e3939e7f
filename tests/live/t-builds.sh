#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A sample of `make check-values`: programs that say what their variables are, in some of the builds, and
# one of them beside gdb.
#
# needs: root tracefs uprobes
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"

truth=$TC_SRCDIR/tests/truth
command -v python3 >/dev/null || skip_all "there is no python3"
[ "$(uname -m)" = x86_64 ] || skip_all "the builds are x86_64's"

# sample NAME...: of the table of builds
sample() {
	for name; do
		if TC_TRUTH_SIZE=16 "$truth/run.sh" "$name" >out 2>&1 && grep -q '^ok' out; then
			if grep -q SKIP out; then
				skip "$name: values are the program's" "$(sed -n 's/.*# SKIP //p' out)"
			else
				pass "$name: values are the program's"
			fi
		else
			fail "$name: values are the program's" "$(cat out)"
		fi
		sed -n 's/^# /# /p' out
	done
}
sample gcc-O2 clang-O1 g++-O2 rust-O0 go

if command -v gdb >/dev/null && command -v gcc >/dev/null; then
	"$truth/make_program.py" c 3 12 prog.c
	gcc -g -O2 -w prog.c -o prog
	if "$truth/beside_gdb.py" --tools "$TC_BUILDDIR" --functions 30 ./prog >out 2>&1; then
		pass "values are those that gdb reads at the same locations"
	else
		fail "values are those that gdb reads at the same locations" "$(cat out)"
	fi
	sed 's/^/# /' out
	is "some of them were compared" "$(grep -c '[1-9][0-9][0-9]* ok' out)" 1
else
	skip "values are those that gdb reads" "there is no gdb"
fi
finish
