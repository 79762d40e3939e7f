#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The examples of tc-report(1) and tc-report-json(5) work: on recordings with the names that they have.
#
# area: gate build

set -u
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
# shellcheck source=tests/lib/examples.sh
. "$TC_SRCDIR/tests/lib/examples.sh"

for tool in xz jq; do
	command -v "$tool" >/dev/null || skip_all "$tool is not installed"
done
if grep -q '^#define HAVE_ZSTD 0' "$TC_BUILDDIR/config.h"; then
	skip_all "zstd is not built in, and the recording of calls is compressed with it"
fi
dir=$(mktemp -d "${TMPDIR:-/tmp}/tc-examples.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
doc=$(cd "$TC_SRCDIR" && pwd)/Documentation
data=$(cd "$TC_SRCDIR" && pwd)/tests/data/recordings
PATH=$(cd "$TC_BUILDDIR" && pwd):$PATH
export PATH
plugins=$(cd "$TC_BUILDDIR/plugins" && pwd)
cd "$dir" || exit 1
for name in trace build big host guest web db; do
	xz -dc "$data/x86_64/ev-v6.dat.xz" >$name.dat || exit 1
done
xz -dc "$data/x86_64/graph.dat.xz" >graph.dat || exit 1
for name in stacks before after; do
	xz -dc "$data/x86_64/stack.dat.xz" >$name.dat || exit 1
done

# The status of a pipe is that of its last command, so standard error must stay empty, too.
for page in tc-report.1 tc-report-json.5; do
	# Its own plugins are not installed where this runs.
	examples_of "$doc/$page.adoc" | sed "s|=tracecraft|=$plugins|" >commands
	while read -r command; do
		if sh -c "$command" >out 2>err </dev/null && ! [ -s err ]; then
			pass "$command"
		else
			fail "$command" "$(head -n 5 err)"
		fi
	done <commands
done
finish
