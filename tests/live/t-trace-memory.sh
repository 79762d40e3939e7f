#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-trace where no event has paths: they are read from the memory of the program, which keeps them here
# until its lines are shown. The program's source says what it passes.
#
# needs: root tracefs
# area: tools
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
[ -x "$trace" ] || skip_all "tc-trace is not built in $TC_BUILDDIR"
helper open-files
echo text >file
mkfifo end || exit 1

# calls: those with a path, from lseek(-1, 9000) to lseek(FD, 9001)
calls() {
	sed -n 's/^[0-9]* *//; s/  *= .*//; /lseek(-1, 9000/,/lseek(.*, 9001/p' lines | grep -v lseek
}

set -- -e trace=lseek,open,openat,openat2,creat,memfd_create,execve
passed='openat(AT_FDCWD, 0x1, O_RDONLY)
openat(AT_FDCWD, ~"file", O_RDONLY)
openat2(AT_FDCWD, ~"file", 0x, 24)
creat(~"created", 0600)
open(~"created", O_RDWR)
openat(AT_FDCWD, ~".", O_RDONLY|O_DIRECTORY)
openat(AT_FDCWD, ~"/dev/null", O_WRONLY)
memfd_create(~"memory", 0)'
uname -m | grep -q x86_64 || passed=$(echo "$passed" | grep -v '^open(')

shown='9001, SEEK_SET'
# traced OPTION...: of a program that waits until $shown is in a line
traced() {
	rm -f lines err
	"$trace" "$@" -o lines ./open-files results file <end >ready 2>err &
	tracer=$!
	exec 8>end
	wait_for $tracer grep -q "$shown" lines
	exec 8>&-
	wait $tracer
}
traced -v --strings=memory "$@" --record run.dat
is "exit status" $? 0
is "texts that the program passed are shown as guesses, an address that cannot be read as it is" \
	"$(calls | sed 's/0x[0-9a-f]*, 24/0x, 24/')" "$passed"
has "the path that execve() has by an event is none" lines 'execve("./open-files", '
has "-v says where they come from" err "paths and strings come from the memory of the programs"
"$trace" -q "$@" -i run.dat -o lines
is "-i: a recording does not have them" "$(grep -c '~"' lines)-$(grep -c 'openat(AT_FDCWD, 0x' lines)" \
	"0-$(grep -c 'openat(' lines)"

traced -e trace=lseek,openat --strings=memory --json
is "--json: they are in the text" "$(grep -cF '~\"/dev/null\", O_WRONLY' lines)" 1
traced --strings=memory -y -e trace=lseek,openat
has "-y: the file of the result is not a guess" lines "O_RDONLY) = 3<$PWD/file>"
shown='/dev/null'
traced -q --strings=memory -P /dev/null
has "-P chooses by them" lines '~"/dev/null", O_WRONLY'
is "-P: nothing else" "$(grep -c '"file"\|"created"' lines)" 0

"$trace" -q --strings=none -P /dev/null -o lines true 2>err
is "-P without paths is said, also with -q" "$(grep -c -- '-P finds the files of descriptors only' err)" 1

shown='9001, SEEK_SET'
traced -v -e trace=lseek,openat
if ! grep -q "come from the memory of the programs" err; then
	skip "notices where no event has paths" "events of this kernel have"
else
	is "a notice says why paths are guesses, once" "$(grep -c 'no event of this kernel has paths (' err)" 1
	is "they are read without an option" "$(grep -cF '~"/dev/null", O_WRONLY' lines)" 1
	traced -q -e trace=lseek,openat
	nothing "-q silences it" "$(cat err)"
	"$trace" -q -P /dev/null -o lines true 2>err
	is "-q -P: not there" "$(grep -c 'no event of this kernel has paths (' err)" 1
	traced -e trace=lseek,openat --record run.dat
	has "--record: addresses, since the recording has no paths" err "they are shown as addresses"
	is "--record: so are the lines" "$(grep -c '~"' lines)" 0
	traced -e trace=lseek,read
	is "no notice where no call has a path" "$(grep -c 'no event of this kernel' err)" 0
fi
nothing_of_mine "afterwards"
finish
