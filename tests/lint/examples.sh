#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The examples of tc-probe(1) do what they are examples of: in a captured tracefs, which takes what is
# written. tests/live/t-probe-examples.sh runs them on the real one.
#
# area: gate build

set -u
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
# shellcheck source=tests/lib/examples.sh
. "$TC_SRCDIR/tests/lib/examples.sh"

dir=$(mktemp -d "${TMPDIR:-/tmp}/tc-examples.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
PATH=$(cd "$TC_BUILDDIR" && pwd):$PATH
page=$TC_SRCDIR/Documentation/tc-probe.1.adoc
mkdir "$dir/tracefs" "$dir/work"
tar -xzf "$TC_SRCDIR/tests/fake/x86_64-6.18.tar.gz" -C "$dir/tracefs" || exit 1
export TRACECRAFT_TRACEFS="$dir/tracefs"
cd "$dir/work" || exit 1
run_examples "$page"
finish
