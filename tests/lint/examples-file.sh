#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The examples of tc-file(1) and tc-attach(1) work: on recordings with the names that they have.
#
# area: gate build

set -u
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
# shellcheck source=tests/lib/examples.sh
. "$TC_SRCDIR/tests/lib/examples.sh"

for p in xz python3; do
	command -v $p >/dev/null || skip_all "$p is not installed"
done
if grep -q '^#define HAVE_ZSTD 0' "$TC_BUILDDIR/config.h"; then
	skip_all "zstd is not built in, and examples compress with it"
fi
dir=$(mktemp -d "${TMPDIR:-/tmp}/tc-examples.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
doc=$(cd "$TC_SRCDIR" && pwd)/Documentation
data=$(cd "$TC_SRCDIR" && pwd)/tests/data/recordings
PATH=$(cd "$TC_BUILDDIR" && pwd):$PATH
# of an example that keeps it in a variable from one command to the next
SEED=seed
export PATH SEED
cd "$dir" || exit 1
xz -dc "$data/x86_64/ev-v6.dat.xz" >trace.dat || exit 1

# Two hosts whose clocks were compared
clocks=$(cd "$TC_SRCDIR" && pwd)/tests/golden/clocks.py
mkdir web db
cp "$TC_SRCDIR/tests/data/sched.dat" web.dat
xz -dc "$data/x86_64-6.12/ev-v7zstd.dat.xz" >db.dat || exit 1
for host in web db; do
	# shellcheck disable=SC2046 # the first and the last time stamp
	python3 "$clocks" add $host.dat $host/trace.dat 1000000000 0 $(tc-report -q --json $host.dat |
		sed -n '1s/.*"ts":"\([0-9]*\)".*/\1/p; $s/.*"ts":"\([0-9]*\)".*/\1/p') collector || exit 1
done

examples_of "$doc/tc-file.1.adoc" >commands
while read -r command; do
	case $command in
	trace-cmd*) command -v trace-cmd >/dev/null || continue ;;
	esac
	if sh -c "$command" >out 2>err </dev/null && ! grep -qv -e ' records are in ' -e ' has pseudonyms for ' -e ' times are those of ' err; then
		pass "$command"
	else
		fail "$command" "$(head -n 5 err)"
	fi
done <commands

# A host with one guest; the clocks of both were compared.
for f in mono:host a:guest; do
	xz -dc "$data/../made/guest-${f%:*}.dat.xz" >${f#*:}.6 &&
		tc-file convert -q --file-version 7 -o ${f#*:}.7 ${f#*:}.6 &&
		python3 "$TC_SRCDIR/tests/golden/clocks.py" add ${f#*:}.7 ${f#*:}.new 1700000000000000000 0 1000000 1010000 || exit 1
done
examples_of "$doc/tc-attach.1.adoc" >commands
while read -r command; do
	cp host.new host.dat && cp guest.new guest.dat || exit 1
	if sh -c "$command" >out 2>err </dev/null && ! grep -qv -e ' is a guest of ' -e ' by comparison of clocks, +-' -e ' is not certain: ' err; then
		pass "$command"
	else
		fail "$command" "$(head -n 5 err)"
	fi
done <commands
finish
