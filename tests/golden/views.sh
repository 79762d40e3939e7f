#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# views.sh - the commands under VIEWS in tc-report(1) print what stands there, and `make pictures` can
# draw its pictures
#
# area: gate report

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin views xz
page=$TC_SRCDIR/Documentation/tc-report.1.adoc
data=$TC_SRCDIR/tests/data/recordings/x86_64
for pair in ev-v6:trace graph:graph stack:stacks; do
	xz -dc "$data/${pair%:*}.dat.xz" >"$tmp/${pair#*:}.dat" || exit 1
done
lacks_codec "$tmp/graph.dat" && skip_all "zstd is not built in"
PATH=$TC_BUILDDIR:$PATH
cd "$tmp" || exit 1

# Each literal block: its command in N.cmd, the lines below it in N.want
awk '/^== / { on = /^== VIEWS/ }
	on && /^\.\.\.\.$/ { block = !block; n += block; next }
	on && block && /^\$ / { print substr($0, 3) >(n ".cmd"); next }
	on && block { print >(n ".want") }' "$page"
n=1
while [ -f $n.cmd ]; do
	command=$(cat $n.cmd)
	sh -c "$command" >$n.got 2>$n.err </dev/null
	if [ -s $n.want ] && cmp -s $n.want $n.got; then
		pass "$command"
	else
		fail "$command" "$(diff $n.want $n.got | head -n 6)" "$(cat $n.err)"
	fi
	n=$((n + 1))
done
is "there are such commands" "$([ $n -gt 4 ] && echo yes)" yes

mkdir pictures
sh "$TC_SRCDIR/Documentation/pictures/draw.sh" "$tmp/pictures" >out 2>&1
is "the pictures can be drawn" $? 0
for picture in "$TC_SRCDIR"/Documentation/pictures/*.svg; do
	name=${picture##*/}
	if [ -s "pictures/$name" ] && grep -q '</svg>' "$picture"; then
		pass "$name is one of them"
	else
		fail "$name is not drawn by draw.sh"
	fi
done
finish
